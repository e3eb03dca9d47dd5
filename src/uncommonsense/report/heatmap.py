"""Scores over frequency and prevalence, in finer steps than the table's buckets."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from uncommonsense.metrics.measures import PerQuery
from uncommonsense.report.pictures import Picture
from uncommonsense.report.results import Results
from uncommonsense.report.variants import plain_systems

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["draw_heatmap"]

_FREQUENCIES = (5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000)
_PREVALENCES = (0.05, 0.1, 0.25, 0.5, 0.75)
_FEW = 10
"""Queries below which a cell says little; it is shown in pale figures."""


class _Grid(NamedTuple):
    """Bins and what lies in each: arrays are ``(prevalences, frequencies)``."""

    frequencies: list[str]
    prevalences: list[str]
    cell: np.ndarray
    """Number of each query's cell, row by row: ``(queries,)``."""
    queries: np.ndarray

    def mean(self, judged: PerQuery) -> np.ndarray:
        """The score of each cell; NaN where there is no query."""
        above, below = (np.bincount(self.cell, column, self.queries.size) for column in judged)
        with np.errstate(invalid="ignore"):
            return np.asarray((above / below).reshape(self.queries.shape))


def draw_heatmap(results: Results) -> Picture | None:
    """The best model: its score, and how far it comes from chance to the best possible score."""
    from matplotlib.figure import Figure

    models = results.ranked(plain_systems(results.models) or results.models)
    if not models:
        return None
    grid = _grid(results)
    score, chance, best = (
        100 * grid.mean(each.judged(results.measure))
        for each in (models[0], results.baseline("random"), results.baseline("oracle"))
    )
    with np.errstate(invalid="ignore", divide="ignore"):
        gained = 100 * (score - chance) / np.where(best - chance > 1e-9, best - chance, np.nan)
    rows, columns = grid.queries.shape
    figure = Figure(figsize=(max(5.6, 0.95 * columns + 1.4), 2 * (0.42 * rows + 0.8)), layout="constrained")
    upper, lower = figure.subplots(2, 1)
    _draw(upper, grid, score, f"{results.measure}, %", "Blues", 0)
    _draw(lower, grid, gained, "share of the way from random (0) to oracle (100), %", "PuOr", -100)
    whose = "the query's sense" if results.run.queries.protocol.frequency == "sense" else "the query's lemma"
    lower.set_xlabel(f"l, occurrences of {whose} in the database")
    caption = (
        f"{models[0].system}, the best model on all queries. Under each figure, the number of queries; cells "
        f"with fewer than {_FEW} are pale and uncertain. Below 0 a model does worse than chance."
    )
    return Picture("heatmap", "Scores by frequency and prevalence", caption, figure)


def _draw(axes: Axes, grid: _Grid, values: np.ndarray, title: str, colours: str, low: float) -> None:
    from matplotlib import colormaps
    from matplotlib.patches import Rectangle

    rows, columns = values.shape
    for row, column in zip(*np.nonzero(np.isfinite(values)), strict=True):
        value = values[row, column]
        colour = colormaps[colours]((np.clip(value, low, 100) - low) / (100 - low))
        axes.add_patch(Rectangle((column + 0.01, row + 0.02), 0.98, 0.96, facecolor=colour))
        _write(axes, column, row, value, int(grid.queries[row, column]), _readable(colour))
    axes.set_xlim(0, columns)
    axes.set_ylim(0, rows)
    axes.set_xticks(np.arange(columns) + 0.5, grid.frequencies)
    axes.set_yticks(np.arange(rows) + 0.5, grid.prevalences)
    axes.set_ylabel("r, prevalence")
    axes.set_title(title)
    axes.grid(visible=False)
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)


def _write(axes: Axes, column: int, row: int, value: float, queries: int, colour: str) -> None:
    alpha = 1 if queries >= _FEW else 0.55
    place: dict[str, Any] = {"ha": "center", "va": "center", "color": colour, "alpha": alpha}
    axes.text(column + 0.5, row + 0.62, f"{value:.0f}", fontsize=9.5, **place)
    axes.text(column + 0.5, row + 0.26, f"{queries:,}", fontsize=6.5, **place)


def _readable(background: Any) -> str:
    red, green, blue, _ = background
    return "#000000" if 0.299 * red + 0.587 * green + 0.114 * blue > 0.55 else "#ffffff"


def _grid(results: Results) -> _Grid:
    columns, frequencies = _bins(results.run.queries.column("frequency"), _FREQUENCIES)
    rows, prevalences = _bins(results.run.queries.column("prevalence"), _PREVALENCES)
    cell = rows * len(frequencies) + columns
    shape = (len(prevalences), len(frequencies))
    return _Grid(
        frequencies, prevalences, cell, np.bincount(cell, minlength=shape[0] * shape[1]).reshape(shape)
    )


def _bins(values: np.ndarray, edges: tuple[float, ...]) -> tuple[np.ndarray, list[str]]:
    """The bin of each value and the bins' names, from the first that has a value to the last."""
    number = np.searchsorted(edges, values, side="right")
    first, last = int(number.min()), int(number.max())
    names = [
        f"< {edges[0]:g}",
        *(f"{_range(low, high)}" for low, high in pairwise(edges)),
        f"≥ {edges[-1]:g}",
    ]
    return number - first, names[first : last + 1]


def _range(low: float, high: float) -> str:
    whole = isinstance(low, int) and isinstance(high, int)
    return f"{low:,}–{high - 1:,}" if whole else f"{low:g} to {high:g}"
