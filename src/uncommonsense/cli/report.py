"""``uncommonsense report``: tables, pictures and a page from the results of ``rank --out``."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from uncommonsense.cli.output import note

if TYPE_CHECKING:
    from uncommonsense.report import Picture, Results, Sample

__all__ = ["report"]


def report(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="A folder that 'rank --out' wrote.")],
    form: Annotated[
        str | None,
        typer.Option(
            "--format", "-f", help="text, markdown, latex, csv or html; default: as FILE ends, else text."
        ),
    ] = None,
    measure: Annotated[
        list[str] | None,
        typer.Option(
            "--measure", help="Such as P@1, map@50; repeatable. Default: the paper's precision and recall."
        ),
    ] = None,
    system: Annotated[
        list[str] | None, typer.Option("--system", "-s", help="Only this system of the run; repeatable.")
    ] = None,
    against: Annotated[
        str | None,
        typer.Option(
            help="The system that others are tested against; default: the first, or random if alone."
        ),
    ] = None,
    out: Annotated[Path | None, typer.Option("--out", "-o", metavar="FILE", help="Write here.")] = None,
    figures: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Write the pictures here as SVG and PNG.")
    ] = None,
    pictures: Annotated[bool, typer.Option(help="Pictures in HTML; they need matplotlib.")] = True,
    corpus: Annotated[
        str | None,
        typer.Option("--corpus", "-c", help="The corpus of the run, to show the sentences of samples."),
    ] = None,
    samples: Annotated[int, typer.Option(min=0, help="Queries to show with their nearest usages.")] = 4,
    seed: Annotated[int, typer.Option(help="Of intervals and tests.")] = 0,
) -> None:
    """Make tables, pictures and a page from a run; nothing is ranked again.

    Published figures stand below ours where corpus, rules and model are those of the paper.

    Examples:
      uncommonsense report runs/sampler

      uncommonsense report runs/sampler --corpus sampler --out sampler.html

      uncommonsense report runs/ontonotes --measure map@50 --format latex --out tables.tex

      uncommonsense report runs/sampler --against minilm --format csv --figures pictures
    """
    from uncommonsense.rank.runs import read_run
    from uncommonsense.report import draw_pictures, gather, make_report, save_pictures

    chosen = _format(form, out)
    results = gather(read_run(run), measures=measure, systems=system, seed=seed)
    drawn: list[Picture] = []
    if figures is not None or (chosen == "html" and pictures):
        drawn = draw_pictures(results)
    for path in save_pictures(drawn, figures) if figures else ():
        note(f"wrote {path}")
    shown = _samples(results, corpus, samples) if chosen not in ("latex", "csv") else []
    text = make_report(results, chosen, against=against, pictures=drawn if pictures else (), samples=shown)
    if out is None:
        sys.stdout.write(text)
        return
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_text(text, encoding="utf-8")
    note(f"wrote {out}")


def _format(form: str | None, out: Path | None) -> str:
    """The format asked for, or the one that the file's ending means."""
    from uncommonsense.errors import UserError
    from uncommonsense.report import FORMATS

    if form is not None:
        return form
    if out is None or not out.suffix:
        return "text"
    endings = {ending: name for name, ending in FORMATS.items()}
    if out.suffix.lower() not in endings:
        known = ", ".join(endings)
        raise UserError(f"{out}: no format has this ending ({known}); choose one of these, or give --format")
    return endings[out.suffix.lower()]


def _samples(results: Results, spec: str | None, count: int) -> list[Sample]:
    from uncommonsense.corpora import load_corpus
    from uncommonsense.report import choose_samples

    return choose_samples(results, load_corpus(spec) if spec else None, count=count)
