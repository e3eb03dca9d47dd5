"""Curves with bands: precision by k, scores by layer, scores by size of inoculation."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from uncommonsense.metrics.intervals import bootstrap_intervals
from uncommonsense.metrics.measures import PerQuery
from uncommonsense.rank.evaluate import RankingResult
from uncommonsense.report.pictures import INK, Picture
from uncommonsense.report.results import Results, mean_judged
from uncommonsense.report.variants import inoculated, layer_series, plain_systems

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["draw_inoculation", "draw_layers", "draw_precision"]

_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#8c6bb1")
"""Okabe and Ito's, told apart by people who do not see all colours; lines differ in their dashes as well."""
_DASHES: tuple[Any, ...] = (
    "-", (0, (6, 1.5)), (0, (3, 1.5)), (0, (6, 1.5, 1.5, 1.5)), (0, (1.5, 1)), (0, (8, 2, 3, 2)),
    (0, (4, 1, 1, 1, 1, 1)),
)  # fmt: skip
_MARKERS = "os^Dv<>"
_BAND = 0.15


class _Line(NamedTuple):
    """Values and their band, in %: ``(points,)`` each."""

    value: np.ndarray
    low: np.ndarray
    high: np.ndarray


def draw_precision(results: Results) -> Picture | None:
    """The paper's Figure 2, a panel for each bucket: P@k with bands, between random and oracle."""
    systems = _for_precision(results)
    buckets = results.buckets()
    if not systems:
        return None
    figure, panels = _panels(len(buckets))
    ranks = np.arange(1, results.k + 1)
    for axes, (label, members) in zip(panels, buckets, strict=True):
        for name, dash in (("oracle", ":"), ("random", "--")):
            mean = 100 * results.baseline(name, f"P@{results.k}").precision[members].mean(axis=0)
            axes.plot(ranks, mean, color=INK, linestyle=dash, linewidth=1.1, label=name)
        for style, result in enumerate(systems):
            line = _precision_line(result, members, results)
            _draw(axes, ranks, line, style, result.system)
        axes.set_title(f"{label}  ({members.sum():,} queries)")
        axes.set_xlabel("k, nearest usages looked at")
        axes.set_xlim(1, results.k)
        axes.set_xticks(_ticks(results.k))
        axes.set_ylim(0, 102)
    _label_outer(panels, "P@k, %")
    _legend(figure, panels[0])
    caption = (
        "Share of the k nearest usages that have the sense of the query, averaged over queries. "
        "Bands: 95% intervals, by bootstrap over lemmas. mean_precision@k is the mean height of a line."
    )
    if len(systems) < len(results.models):
        caption += " " + _left_out(systems, results)
    return Picture("precision", "Precision among the k nearest usages", caption, figure)


def _ticks(k: int) -> list[int]:
    """1, k and a few between them."""
    step = max(1, round(k / 5))
    return [1, *(tick for tick in range(step, k - step // 2, step) if tick > 1), *([k] if k > 1 else [])]


def _for_precision(results: Results) -> list[RankingResult]:
    """Models as they are; single layers and inoculated models only where there is nothing else."""
    layers = {each.system for series in layer_series(results.models).values() for each in series.values()}
    plain = [each for each in plain_systems(results.models) if each.system not in layers]
    return results.ranked(plain or results.models)[: len(_COLOURS)]


def _left_out(systems: Sequence[RankingResult], results: Results) -> str:
    return f"{len(systems)} of {len(results.models)} systems are shown."


def _precision_line(result: RankingResult, members: np.ndarray, results: Results) -> _Line:
    judged = [PerQuery.of(column) for column in result.precision[members].T]
    found = bootstrap_intervals(judged, results.lemmas[members], seed=results.seed)
    return _Line(*(100 * np.array(column) for column in zip(*found, strict=True)))


def draw_layers(results: Results) -> Picture | None:
    """The score by layer, a panel for each model and a line for each bucket."""
    series = layer_series(results.models)
    if not series:
        return None
    figure, panels = _panels(len(series))
    for axes, (model, layers) in zip(panels, series.items(), strict=True):
        depths = np.array(list(layers))
        for style, (label, _) in enumerate(results.buckets()):
            line = _score_line(results, [each.system for each in layers.values()], label)
            _draw(axes, depths, line, style, label, marker=True)
            chance = 100 * results.score("random", label).value
            axes.axhline(chance, color=_COLOURS[style % len(_COLOURS)], linestyle=":", linewidth=0.9)
        axes.set_title(model)
        axes.set_xlabel("layer (0: embeddings before the first layer)")
        axes.set_xticks(depths[:: math.ceil(len(depths) / 13)])
        axes.set_ylim(0, 102)
    _label_outer(panels, f"{results.measure}, %")
    _legend(figure, panels[0])
    caption = "Each layer on its own. Dotted: random. Bands: 95% intervals, by bootstrap over lemmas."
    return Picture("layers", "Scores by layer", caption, figure)


def _score_line(results: Results, systems: Sequence[str], bucket: str) -> _Line:
    scores = [results.score(system, bucket) for system in systems]
    return _Line(*(100 * np.array(column) for column in list(zip(*scores, strict=True))[:3]))


def draw_inoculation(results: Results) -> Picture | None:
    """The score by size of the sample, a panel for each bucket and a line for each model."""
    groups = inoculated(results.models)
    if not groups:
        return None
    buckets = results.buckets()
    ticks = sorted({size for sizes in groups.values() for size in sizes})
    figure, panels = _panels(len(buckets))
    for style, (base, sizes) in enumerate(groups.items()):
        judged = [results.judge(mean_judged(seeds, results.measure)) for seeds in sizes.values()]
        places = np.array([ticks.index(size) for size in sizes])
        for axes, (label, members) in zip(panels, buckets, strict=True):
            scores = [each[label] for each in judged]
            line = _Line(*(100 * np.array(column) for column in list(zip(*scores, strict=True))[:3]))
            _draw(axes, places, line, style, base)
            _draw_seeds(axes, ticks, sizes, members, style, results.measure)
    for axes, (label, members) in zip(panels, buckets, strict=True):
        axes.set_title(f"{label}  ({members.sum():,} queries)")
        axes.set_xlabel("examples the model was trained on")
        axes.set_xticks(range(len(ticks)), [f"{size:,}" for size in ticks])
    _label_outer(panels, f"{results.measure}, %")
    _legend(figure, panels[0])
    caption = (
        "Lines: mean over seeds; dots: single seeds; 0: the model as it is. Bands: 95% intervals of the "
        "mean, by bootstrap over lemmas. Sizes are spaced evenly; the vertical axis does not begin at 0."
    )
    return Picture("inoculation", "Scores after inoculation", caption, figure)


def _draw_seeds(
    axes: Axes,
    ticks: Sequence[int],
    sizes: Mapping[int, list[RankingResult]],
    members: np.ndarray,
    style: int,
    measure: str,
) -> None:
    points = [
        (ticks.index(size), 100 * result.judged(measure).score(members))
        for size, seeds in sizes.items()
        for result in seeds
    ]
    colour = _COLOURS[style % len(_COLOURS)]
    axes.plot(*zip(*points, strict=True), _MARKERS[style % 7], color=colour, markersize=2.8, alpha=0.8)


# What the curves share


def _panels(count: int) -> tuple[Figure, list[Axes]]:
    """Axes in rows of at most three, which share their vertical scale."""
    from matplotlib.figure import Figure

    columns = count if count < 4 else 2 if count == 4 else 3
    rows = math.ceil(count / columns)
    figure = Figure(figsize=((4.8, 7.4, 9.0)[columns - 1], 2.75 * rows + 0.35), layout="constrained")
    grid = figure.subplots(rows, columns, squeeze=False, sharey=True)
    panels = list(grid.flat)
    for unused in panels[count:]:
        unused.set_visible(False)
    return figure, panels[:count]


def _draw(axes: Axes, x: np.ndarray, line: _Line, style: int, label: str, *, marker: bool = False) -> None:
    colour = _COLOURS[style % len(_COLOURS)]
    axes.fill_between(x, line.low, line.high, color=colour, alpha=_BAND, linewidth=0)
    shape = _MARKERS[style % len(_MARKERS)] if marker else None
    axes.plot(
        x, line.value, color=colour, linestyle=_DASHES[style % len(_DASHES)], marker=shape, markersize=4,
        label=label,
    )  # fmt: skip


def _label_outer(panels: Sequence[Axes], label: str) -> None:
    for axes in panels:
        if axes.get_subplotspec().is_first_col():  # type: ignore[union-attr]
            axes.set_ylabel(label)


def _legend(figure: Figure, axes: Axes) -> None:
    handles, labels = axes.get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=min(4, len(labels)), handlelength=2.8)
