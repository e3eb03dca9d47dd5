"""``uncommonsense fews stats``: the paper's analysis of a folder."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from uncommonsense.cli.output import emit, note, progress

if TYPE_CHECKING:
    from uncommonsense.fews.semcor import SenseCorpus
    from uncommonsense.fews.statistics import Statistics
    from uncommonsense.schema import Sentence

__all__ = ["stats"]


def stats(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="A folder in the layout of FEWS.")],
    semcor: Annotated[
        str | None, typer.Option(metavar="CORPUS", help="SemCor, to compare with: semcor, or semcor:DIR.")
    ] = None,
    framework: Annotated[
        str | None,
        typer.Option(
            metavar="CORPUS", help="The WSD Evaluation Framework for Table 2, framework:DIR; needs --semcor."
        ),
    ] = None,
    words: Annotated[
        str | None,
        typer.Option(
            metavar="WORD,...", help="Show their senses one by one; default: five that have many senses."
        ),
    ] = None,
    form: Annotated[str, typer.Option("--format", "-f", help="text, markdown or csv.")] = "text",
    out: Annotated[
        Path | None, typer.Option("--out", "-o", metavar="FOLDER", help="Write tables and pictures here.")
    ] = None,
    *,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Count a FEWS folder as the paper does: Tables 1 and 2, Figures 2, 3 and 4, the numbers in its text.

    The published figures stand beside yours. Pictures need matplotlib; without it the tables still come.

    Examples:
      uncommonsense fews stats fews

      uncommonsense fews stats fews --semcor semcor --framework framework --out analysis

      uncommonsense fews stats fews --semcor semcor --words like.verb,matrix --format markdown
    """
    from uncommonsense.corpora import open_corpus
    from uncommonsense.errors import UnknownNameError
    from uncommonsense.fews.folder import FewsFolder
    from uncommonsense.fews.statistics import count_folder

    if form not in ("text", "markdown", "csv"):
        raise UnknownNameError("format", form, ("text", "markdown", "csv"))
    if out is not None:
        _require_folder(out)
    named = [word.strip() for word in (words or "").split(",") if word.strip()]
    found = count_folder(
        FewsFolder(folder),
        semcor=_count_corpus(semcor) if semcor else None,
        framework=open_corpus(framework) if framework else None,
        words=named,
    )
    if as_json:
        emit(_plain(found), as_json=True)
    else:
        sys.stdout.write(_texts(found)[form])
    if out is not None:
        _write(found, out)


def _require_folder(out: Path) -> None:
    """Refuse a place where no folder can be, before anything is counted."""
    from uncommonsense.errors import UserError

    there = next(place for place in (out, *out.resolve().parents) if place.exists())
    if not there.is_dir():
        raise UserError(f"--out {out}: {there} is a file; --out takes a folder, new or existing")


def _count_corpus(spec: str) -> SenseCorpus:
    from uncommonsense.corpora import open_corpus
    from uncommonsense.fews.semcor import count_senses

    with progress("counting SemCor", None, unit="sentences") as advance:
        return count_senses(_watched(open_corpus(spec), advance))


def _watched(sentences: Iterable[Sentence], advance: Callable[[float], None]) -> Iterator[Sentence]:
    for sentence in sentences:
        yield sentence
        advance(1)


def _texts(found: Statistics) -> dict[str, str]:
    from uncommonsense.report.fews_tables import fews_csv, fews_tables
    from uncommonsense.report.formats import to_markdown, to_text

    tables = fews_tables(found)
    return {"text": to_text(tables), "markdown": to_markdown(tables), "csv": fews_csv(found)}


def _plain(found: Statistics) -> dict[str, Any]:
    """Named tuples as objects."""
    from uncommonsense.fews.published import published

    plain = {
        name: [each._asdict() for each in value] if isinstance(value, tuple) else value
        for name, value in found._asdict().items()
    }
    printed = published()
    return {
        **plain,
        "published": {"source": printed.source, "splits": printed.splits, "evaluation": printed.evaluation},
    }


def _write(found: Statistics, folder: Path) -> None:
    from uncommonsense.errors import MissingResourceError
    from uncommonsense.report.fews_pictures import draw_fews
    from uncommonsense.report.pictures import save_pictures

    folder.mkdir(parents=True, exist_ok=True)
    texts = _texts(found)
    contents = {"txt": texts["text"], "md": texts["markdown"], "csv": texts["csv"]}
    contents["json"] = json.dumps(_plain(found), ensure_ascii=False, indent=2) + "\n"
    for ending, text in contents.items():
        (folder / f"statistics.{ending}").write_text(text, encoding="utf-8")
    note(f"wrote statistics.{{{','.join(contents)}}} in {folder}")
    try:
        written = save_pictures(draw_fews(found), folder)
    except MissingResourceError as error:
        note(f"no pictures: {error}")
    else:
        note(f"wrote {', '.join(path.name for path in written)} in {folder}")
