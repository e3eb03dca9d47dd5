"""``uncommonsense fews check``: whether a folder has the properties of FEWS."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from uncommonsense.cli.output import emit, note

if TYPE_CHECKING:
    from uncommonsense.fews.check import CheckReport, Outcome

__all__ = ["check"]


def check(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="A folder in the layout of FEWS.")],
    places: Annotated[int, typer.Option(min=0, help="Violations to show of each property.")] = 3,
    *,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Prove the properties of FEWS on any folder in its layout; exit code 2 if one does not hold.

    Splits, senses, targets, markup: each property is checked to the end, and the sizes stand beside
    the published ones. What a missing file makes impossible is said, not failed.

    Examples:
      uncommonsense fews check fews

      uncommonsense fews check fews --places 20 --json
    """
    from uncommonsense.fews.check import check_folder
    from uncommonsense.fews.folder import FewsFolder

    report = check_folder(FewsFolder(folder), places=places)
    if as_json:
        emit(_plain(report), as_json=True)
    else:
        emit([_row(each) for each in report.outcomes], as_json=False, title=str(folder))
        typer.echo()
        emit([size._asdict() for size in report.sizes], as_json=False, title="Sizes")
    counts = [sum(each.status == status for each in report.outcomes) for status in ("passed", "failed")]
    left = len(report.outcomes) - sum(counts)
    note(f"{counts[0]} properties hold, {counts[1]} do not, {left} could not be checked")
    if not report.ok:
        raise typer.Exit(2)


def _row(each: Outcome) -> dict[str, Any]:
    found = [f"{place} {value}" for place, value in each.first]
    return {
        "status": each.status,
        "property": each.name,
        "says": each.says,
        "checked": each.checked,
        "violations": each.violations,
        "first": "; ".join(found) or each.reason,
    }


def _plain(report: CheckReport) -> dict[str, Any]:
    outcomes = [
        {**each._asdict(), "first": [found._asdict() for found in each.first]} for each in report.outcomes
    ]
    sizes = [size._asdict() for size in report.sizes]
    return {"folder": report.folder, "ok": report.ok, "properties": outcomes, "sizes": sizes}
