"""``uncommonsense wsd table``: the paper's tables from saved scores."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

__all__ = ["table"]


def table(
    files: Annotated[
        list[Path], typer.Argument(metavar="FILE...", help="Scores that 'wsd evaluate --json' printed.")
    ],
    form: Annotated[str, typer.Option("--format", "-f", help="text, markdown, latex or csv.")] = "text",
) -> None:
    """Set scores beside the published ones: Tables 3, 5, 6 and 7 of the FEWS paper, and later systems.

    Examples:
      uncommonsense wsd evaluate -s lesk -c framework --json > lesk.json && uncommonsense wsd table lesk.json

      uncommonsense wsd table first.json mfs.json --format latex
    """
    from uncommonsense.errors import UnknownNameError
    from uncommonsense.report.formats import to_latex, to_markdown, to_text
    from uncommonsense.report.wsd_tables import read_scores, wsd_csv, wsd_tables

    setters = {"text": to_text, "markdown": to_markdown, "latex": to_latex}
    if form not in (*setters, "csv"):
        raise UnknownNameError("format", form, (*setters, "csv"))
    runs = [read_scores(path) for path in files]
    sys.stdout.write(wsd_csv(runs) if form == "csv" else setters[form](wsd_tables(runs)))
