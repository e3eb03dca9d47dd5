"""``uncommonsense fews build``: a data set from a dump."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Annotated, Any

import typer

from uncommonsense.cli.output import console, emit, note, progress

__all__ = ["EXAMPLES", "build"]

EXAMPLES = (
    "Examples: [bold]uncommonsense fews build enwiktionary-20200101-pages-articles.xml.bz2 -o fews[/bold]; "
    "[bold]uncommonsense fews build DUMP --out small --dev 5% --test 5% --seed 1[/bold]; "
    "[bold]uncommonsense fews build kaikki.org-dictionary-English.jsonl --out fews[/bold]"
)
_PAGES, _EXAMPLES = "What is read", "What is kept"


def build(
    dump: Annotated[
        Path,
        typer.Argument(
            metavar="DUMP", help="pages-articles.xml[.bz2|.gz|.xz], or JSON lines of wiktextract."
        ),
    ],
    out: Annotated[Path, typer.Option("--out", "-o", metavar="DIR", help="The folder to write.")],
    seed: Annotated[int, typer.Option(min=0, help="Of the choice of evaluation examples.")] = 0,
    dev: Annotated[
        str | None,
        typer.Option(
            metavar="N|N%",
            help="Examples in dev, or a share of the quotations; 10000, or fewer in a small dump.",
        ),
    ] = None,
    test: Annotated[str | None, typer.Option(metavar="N|N%", help="Examples in test, as --dev.")] = None,
    minimum_words: Annotated[
        int, typer.Option(min=1, help="Drop examples with fewer words.", rich_help_panel=_EXAMPLES)
    ] = 3,
    similarity: Annotated[
        float,
        typer.Option(
            min=0,
            max=1,
            help="Drop marked words that share less than this part of their letters with the headword.",
            rich_help_panel=_EXAMPLES,
        ),
    ] = 0.5,
    language: Annotated[
        str, typer.Option(help="Title of the sections that are read.", rich_help_panel=_PAGES)
    ] = "English",
    edition: Annotated[
        str, typer.Option(help="Of Wiktionary: whose templates are used.", rich_help_panel=_PAGES)
    ] = "en",
    all_parts: Annotated[
        bool,
        typer.Option(
            "--all-parts", help="Not only nouns, verbs, adjectives, adverbs.", rich_help_panel=_PAGES
        ),
    ] = False,
    source: Annotated[
        str, typer.Option(help="What DUMP is: auto, dump, kaikki.", rich_help_panel=_PAGES)
    ] = "auto",
    workers: Annotated[int | None, typer.Option(min=1, help="Processes that parse; one per core.")] = None,
    force: Annotated[
        bool, typer.Option("--force", help="Replace DIR, or an unfinished build of other options.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Build a low-shot word sense disambiguation data set from a Wiktionary dump, in the layout of FEWS.

    Quotations become train, dev and test; every evaluation example has a sense of its own, half of them
    senses that training never shows. Where --dev and --test are not given, a small dump gets smaller sets.
    An interrupted build goes on when the same command is repeated. DIR/README.md says what was done.
    """
    from uncommonsense.fews.build import build as build_folder
    from uncommonsense.fews.selection import Rules
    from uncommonsense.fews.splits import parse_size

    manifest = build_folder(
        dump,
        out,
        seed=seed,
        dev=None if dev is None else parse_size(dev, "--dev"),
        test=None if test is None else parse_size(test, "--test"),
        language=language,
        edition=edition,
        all_parts=all_parts,
        rules=Rules(minimum_words, similarity),
        source=source,
        workers=workers,
        force=force,
        progress=progress,
        tell=note,
        warn=_warn,
    )
    _show(manifest, out, as_json=as_json)


def _warn(message: str) -> None:
    console(stderr=True).print(f"warning: {message}", style="yellow", markup=False, soft_wrap=True)


def _show(manifest: dict[str, Any], out: Path, *, as_json: bool) -> None:
    from uncommonsense.fews.wording import counted

    if as_json:
        emit(manifest, as_json=True)
        return
    rows = [{"file": str(out / file), "lines": number} for file, number in manifest["files"].items()]
    emit(rows, as_json=False, columns=["file", "lines"])
    dropped = sum(number for reason, number in manifest["dropped"].items() if reason.startswith("example"))
    left = f"{counted(dropped, 'example')} {'was' if dropped == 1 else 'were'} left out"
    note(f"{left}; {out / 'README.md'} says why, {out / 'parquet'} has tables")
    note(f"Next: uncommonsense fews check {shlex.quote(str(out))}")
