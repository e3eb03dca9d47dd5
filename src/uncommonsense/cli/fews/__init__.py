"""``uncommonsense fews``: word sense disambiguation data from a Wiktionary dump."""

from __future__ import annotations

import typer

from uncommonsense.cli.fews import human
from uncommonsense.cli.fews.build import EXAMPLES, build
from uncommonsense.cli.fews.check import check
from uncommonsense.cli.fews.diff import diff
from uncommonsense.cli.fews.stats import stats

__all__ = ["app"]

app = typer.Typer(
    name="fews",
    help="Low-shot word sense disambiguation data from a Wiktionary dump: build, check, describe, compare.",
    no_args_is_help=True,
    rich_markup_mode="rich",
)

app.add_typer(human.app)

app.command(epilog=EXAMPLES)(build)
app.command()(check)
app.command()(stats)
app.command()(diff)
