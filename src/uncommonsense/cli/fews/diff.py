"""``uncommonsense fews diff``: what has changed from one folder to another."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from uncommonsense.cli.output import emit, note

if TYPE_CHECKING:
    from uncommonsense.fews.difference import Difference

__all__ = ["diff"]

_LISTS = {
    "renumbered_senses": "senses with the same gloss and another number",
    "changed_senses": "senses with another gloss",
    "added_senses": "senses in B only",
    "removed_senses": "senses in A only",
    "moved_examples": "examples in another split",
    "relabelled_examples": "examples with another sense",
    "added_examples": "examples in B only",
    "removed_examples": "examples in A only",
}
_SAME = {
    "same_senses": "senses with the same gloss",
    "same_examples": "examples in the same split, same sense",
}


def diff(
    first: Annotated[Path, typer.Argument(metavar="A", help="A folder in the layout of FEWS.")],
    second: Annotated[Path, typer.Argument(metavar="B", help="Another one.")],
    samples: Annotated[int, typer.Option(min=0, help="Changes to show of each kind.")] = 5,
    *,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, with every change.")] = False,
) -> None:
    """Compare two FEWS folders: two builds, or a build and the published data.

    Senses are matched by word, part of speech and gloss, since numbers shift; a gloss that is similar but not
    the same is a changed one. Examples are matched by word, part of speech and text.

    Examples:
      uncommonsense fews diff fews-january fews-june

      uncommonsense fews diff fews-published fews --json
    """
    from uncommonsense.fews.difference import compare_folders
    from uncommonsense.fews.folder import FewsFolder

    found = compare_folders(FewsFolder(first), FewsFolder(second))
    if as_json:
        emit(_plain(found), as_json=True)
        return
    emit([count._asdict() for count in found.counts], as_json=False, title=f"A: {first}, B: {second}")
    typer.echo()
    emit(_summary(found), as_json=False, title="Changes")
    for kind, says in _LISTS.items():
        if shown := getattr(found, kind)[:samples]:
            typer.echo()
            emit([_row(each) for each in shown], as_json=False, title=says)
    note("matched by word, part of speech and the words of gloss or text; --json has every change")


def _summary(found: Difference) -> list[dict[str, Any]]:
    same = [{"change": kind, "number": getattr(found, kind), "says": says} for kind, says in _SAME.items()]
    return same + [
        {"change": kind, "number": len(getattr(found, kind)), "says": says} for kind, says in _LISTS.items()
    ]


def _row(change: Any) -> dict[str, str]:
    """What is there in A or B; columns that are empty for a kind of change are left out."""
    return {name: value for name, value in change._asdict().items() if value}


def _plain(found: Difference) -> dict[str, Any]:
    return {
        name: [each._asdict() for each in value] if isinstance(value, tuple) else value
        for name, value in found._asdict().items()
    }
