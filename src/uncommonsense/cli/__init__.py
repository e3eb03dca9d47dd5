"""The command line: parse, call, show. One file per command; nothing heavy is imported before it is used."""

from __future__ import annotations

import io
import os
import sys
from typing import Annotated

import typer

from uncommonsense import __version__
from uncommonsense.cli import cache, corpus, data, fews, wsd
from uncommonsense.cli.demo import demo
from uncommonsense.cli.disambiguate import disambiguate
from uncommonsense.cli.doctor import doctor
from uncommonsense.cli.index import index
from uncommonsense.cli.inoculate import inoculate
from uncommonsense.cli.like import like
from uncommonsense.cli.output import console
from uncommonsense.cli.rank import rank
from uncommonsense.cli.report import report
from uncommonsense.cli.senses import senses
from uncommonsense.errors import UncommonSenseError, UserError

__all__ = ["app", "main"]

app = typer.Typer(
    name="uncommonsense",
    help="Word senses in language models: search usages by example, measure rare senses, look senses up.",
    no_args_is_help=True,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)

_SENSES = (
    "Examples: [bold]uncommonsense senses bank[/bold]; "
    "[bold]uncommonsense senses mice --pos n --json[/bold]; "
    "[bold]uncommonsense senses on --inventory sampler[/bold]"
)
_INTERRUPTED = 130
"""What a shell expects after Ctrl-C, and what typer turns it into."""

_ASK, _MEASURE, _MATERIAL, _HOUSE = "Ask", "Measure", "Material", "Housekeeping"

app.command(rich_help_panel=_ASK)(like)
app.command(rich_help_panel=_ASK, epilog=_SENSES)(senses)
app.command(rich_help_panel=_ASK)(disambiguate)
app.command(rich_help_panel=_ASK)(demo)
app.command(rich_help_panel=_MEASURE)(rank)
app.command(rich_help_panel=_MEASURE)(report)
app.command(rich_help_panel=_MEASURE)(inoculate)
app.add_typer(wsd.app, rich_help_panel=_MEASURE)
app.command(rich_help_panel=_MATERIAL)(index)
app.add_typer(corpus.app, rich_help_panel=_MATERIAL)
app.add_typer(data.app, rich_help_panel=_MATERIAL)
app.add_typer(fews.app, rich_help_panel=_MATERIAL)
app.add_typer(cache.app, rich_help_panel=_HOUSE)
app.command(rich_help_panel=_HOUSE)(doctor)


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"uncommonsense {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool,
        typer.Option("--version", help="Print the version and stop.", callback=_show_version, is_eager=True),
    ] = False,
) -> None:
    pass


def main() -> None:
    """Run a command; a user's mistake ends with exit code 2, one of ours with 1, neither with a traceback."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal that cannot show "≥" is no reason to stop
    try:
        _require_text(sys.argv[1:])
        app(prog_name="uncommonsense")
    except UncommonSenseError as error:
        _complain(str(error))
        sys.exit(error.exit_code)
    except (KeyboardInterrupt, SystemExit) as stop:
        if isinstance(stop, SystemExit) and stop.code != _INTERRUPTED:
            raise
        _complain("interrupted; what was complete is kept, and the same command goes on from there")
        sys.exit(_INTERRUPTED)
    except OSError as error:
        if os.environ.get("UNCOMMONSENSE_TRACEBACK"):
            raise
        _complain(f"{error.strerror or error}: {error.filename or 'while writing the output'}")
        sys.exit(1)
    except Exception as error:
        if os.environ.get("UNCOMMONSENSE_TRACEBACK"):
            raise
        _complain(
            f"{type(error).__name__}: {error}\nThis is a defect of uncommonsense. "
            "UNCOMMONSENSE_TRACEBACK=1 shows where it happened; please report it."
        )
        sys.exit(1)


def _require_text(arguments: list[str]) -> None:
    """Refuse arguments whose bytes are not text in the terminal's encoding."""
    for argument in arguments:
        if any("\udc80" <= character <= "\udcff" for character in argument):
            raise UserError(f"the argument {argument!a} is not UTF-8 text; type or convert it as UTF-8")


def _complain(message: str) -> None:
    errors = console(stderr=True)
    errors.print("error:", style="bold red", end=" ")
    errors.print(message, markup=False, soft_wrap=True)
