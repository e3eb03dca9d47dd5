"""``uncommonsense wsd``: disambiguation systems, their training, their scores."""

from __future__ import annotations

import typer

from uncommonsense.cli.wsd.build_default import build_default
from uncommonsense.cli.wsd.evaluate import evaluate
from uncommonsense.cli.wsd.fit import fit
from uncommonsense.cli.wsd.score import score
from uncommonsense.cli.wsd.systems import systems
from uncommonsense.cli.wsd.table import table
from uncommonsense.cli.wsd.train import app as train

__all__ = ["app"]

app = typer.Typer(
    name="wsd",
    help="Word sense disambiguation: fit systems, evaluate and score them.",
    no_args_is_help=True,
    rich_markup_mode="rich",
)

app.command()(evaluate)
app.command()(score)
app.command()(fit)
app.command()(systems)
app.command()(table)
app.add_typer(train)
app.command()(build_default)
