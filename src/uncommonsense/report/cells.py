"""What tables are made of: rows, cells, and how numbers are written in them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple

from uncommonsense.report.results import Score

__all__ = ["Kind", "Row", "Table", "best_in_columns", "cell", "published_rows", "signed"]

Kind = Literal["model", "baseline", "published", "count", "plain"]


class Row(NamedTuple):
    """A label and its cells; ``strong`` are the positions of cells in bold."""

    label: str
    cells: tuple[str, ...]
    kind: Kind = "model"
    strong: frozenset[int] = frozenset()


class Table(NamedTuple):
    """A table with a heading over each column; ``numeric`` tables are set flush right."""

    key: str
    title: str
    head: str
    columns: tuple[str, ...]
    rows: tuple[Row, ...]
    notes: tuple[str, ...] = ()
    numeric: bool = True


def published_rows(scores: Mapping[str, Score], printed: Mapping[str, float]) -> list[Row]:
    """The paper's figures, and ours minus theirs; nothing where there are none."""
    if not printed.keys() & scores.keys():
        return []
    cells = tuple(
        f"{100 * printed[label]:.2f} (Δ {signed(score.value - printed[label])})" if label in printed else ""
        for label, score in scores.items()
    )
    return [Row("published", cells, "published")]


def best_in_columns(scores: Sequence[Sequence[Score]]) -> list[frozenset[int]]:
    """For each row the columns in which no other row is better."""
    tops = [max(column) for column in zip(*([round(s.value, 9) for s in row] for row in scores), strict=True)]
    return [frozenset(i for i, score in enumerate(row) if round(score.value, 9) == tops[i]) for row in scores]


def cell(score: Score) -> str:
    """A score in % and half of its interval, where it has one: a single lemma has none."""
    value = f"{100 * score.value:.2f}"
    return value if math.isnan(score.half) else f"{value} ±{100 * score.half:.1f}"


def signed(value: float, digits: int = 2) -> str:
    """A difference in points, with a proper minus."""
    text = f"{100 * value:+.{digits}f}"
    return "0.00" if not float(text) else text.replace("-", "−")
