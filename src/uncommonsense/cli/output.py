"""How commands show things: tables for people, tab-separated text for pipes, JSON on request."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

__all__ = ["console", "emit", "is_terminal", "note", "progress"]

Row = Mapping[str, Any]
_PIPE_WIDTH = 120


def console(*, stderr: bool = False) -> Console:
    """A console on the current standard output (or error), without automatic highlighting."""
    width = None if is_terminal(stderr) else _PIPE_WIDTH
    return Console(stderr=stderr, highlight=False, width=width)


def emit(
    result: Sequence[Row] | Row,
    *,
    as_json: bool,
    columns: Sequence[str] | None = None,
    title: str | None = None,
    for_eyes: bool | None = None,
) -> None:
    """Print a result: JSON if asked, a table on a terminal or ``for_eyes``, tab-separated lines in a pipe."""
    if as_json:
        sys.stdout.write(
            json.dumps(_without_nan(result), ensure_ascii=False, indent=2, allow_nan=False) + "\n"
        )
        return
    rows = [result] if isinstance(result, Mapping) else list(result)
    names = list(columns or (rows[0] if rows else ()))
    if for_eyes or is_terminal():
        console().print(_table(rows, names, title))
    else:
        lines = [
            "\t".join(names),
            *("\t".join(_cell(row.get(name), plain=True) for name in names) for row in rows),
        ]
        sys.stdout.write("\n".join(lines) + "\n")


def note(message: str) -> None:
    """Tell the person something that is not the result: on standard error, never in a pipe's way."""
    console(stderr=True).print(message, style="dim", markup=False, soft_wrap=True)


@contextmanager
def progress(description: str, total: float | None, unit: str = "B") -> Iterator[Callable[[float], None]]:
    """Show a bar on standard error while the block runs; silent when that is not a terminal.

    Yields ``advance(n)``. ``unit`` is ``B`` for bytes, else the plural noun that is counted.
    """
    if not is_terminal(stderr=True):
        yield lambda _: None
        return
    from rich import progress as bars

    amount = (
        [bars.DownloadColumn(), bars.TransferSpeedColumn()] if unit == "B" else [bars.MofNCompleteColumn()]
    )
    label = bars.TextColumn("{task.description}" if unit == "B" else "{task.description} [dim]" + unit)
    bar = bars.Progress(
        label,
        bars.BarColumn(),
        *amount,
        bars.TimeRemainingColumn(),
        console=console(stderr=True),
        transient=True,
    )
    with bar:
        task = bar.add_task(description, total=total)
        yield lambda n: bar.advance(task, n)


def is_terminal(stderr: bool = False) -> bool:
    """Whether standard output (or error) is read by a person."""
    return (sys.stderr if stderr else sys.stdout).isatty()


def _table(rows: Sequence[Row], names: Sequence[str], title: str | None) -> Table:
    table = Table(title=title, title_justify="left", box=None, pad_edge=False, header_style="bold")
    for name in names:
        numeric = all(isinstance(row.get(name), int | float) for row in rows)
        table.add_column(name.replace("_", " "), justify="right" if numeric else "left", overflow="fold")
    for row in rows:
        table.add_row(*(Text(_cell(row.get(name))) for name in names))
    return table


def _without_nan(value: Any) -> Any:
    """What JSON can say: null for a number that is not one, such as the mean of nothing."""
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, Mapping):
        return {key: _without_nan(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_without_nan(each) for each in value]
    return value


def _cell(value: Any, *, plain: bool = False) -> str:
    if value is None or value != value:  # NaN: there is no such number
        return ""
    if isinstance(value, float):
        digits = ".4g" if abs(value) < 1000 else ".0f"
        return format(value, digits if plain else f",{digits}")
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value) if plain else f"{value:,}"
    if isinstance(value, list | tuple):
        return ", ".join(map(str, value))
    text = str(value)
    return " ".join(text.split()) if plain else text
