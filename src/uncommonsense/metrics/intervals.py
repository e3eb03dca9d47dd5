"""Uncertainty of scores when observations come in clusters."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from uncommonsense.metrics.measures import PerQuery

__all__ = ["Interval", "bootstrap_intervals", "cluster_bootstrap", "crossed_bootstrap"]

_BLOCK = 2**21
"""Draws (resamples x clusters) held at once: 16 MB."""


class Interval(NamedTuple):
    """A score and a percentile interval around it."""

    value: float
    low: float
    high: float


def bootstrap_intervals(
    scores: Sequence[PerQuery],
    clusters: np.ndarray,
    *,
    level: float = 0.95,
    resamples: int = 2000,
    seed: int = 0,
) -> list[Interval]:
    """The value of each of ``scores`` and its interval when whole ``clusters`` ``(queries,)`` are resampled.

    Queries of one lemma are not independent, so lemmas are drawn, not queries. All scores are those of
    the same queries and share the draws. A resample whose denominators sum to 0 is left out. One cluster
    says nothing of its kind: its bounds are NaN.
    """
    values = [each.score() for each in scores]
    names, member = np.unique(clusters, return_inverse=True)
    if len(names) < 2 or np.isnan(values).all():
        return [Interval(value, np.nan, np.nan) for value in values]
    sums = np.stack([np.bincount(member, column) for each in scores for column in each], axis=1)
    totals = _resampled(sums, resamples, seed)
    with np.errstate(divide="ignore", invalid="ignore"):
        ratios = totals[:, 0::2] / totals[:, 1::2]
    bounds = [_bounds(column[~np.isnan(column)], level) for column in ratios.T]
    return [Interval(value, low, high) for value, (low, high) in zip(values, bounds, strict=True)]


def cluster_bootstrap(
    values: np.ndarray, clusters: np.ndarray, *, level: float = 0.95, resamples: int = 2000, seed: int = 0
) -> Interval:
    """The mean of ``values`` ``(n,)`` and its interval, as :func:`bootstrap_intervals` gives it."""
    (found,) = bootstrap_intervals(
        [PerQuery.of(values)], clusters, level=level, resamples=resamples, seed=seed
    )
    return found


def crossed_bootstrap(
    repetitions: Sequence[PerQuery],
    clusters: np.ndarray,
    *,
    level: float = 0.95,
    resamples: int = 2000,
    seed: int = 0,
) -> Interval:
    """The mean score over ``repetitions`` of the same queries, such as seeds, and its interval.

    Repetitions and ``clusters`` ``(queries,)`` are resampled independently of each other. With few
    repetitions their part of the uncertainty comes out too small. One cluster: the bounds are NaN.
    """
    value = float(np.mean([each.score() for each in repetitions]))
    names, member = np.unique(clusters, return_inverse=True)
    if len(names) < 2 or np.isnan(value):
        return Interval(value, np.nan, np.nan)
    above, below = (
        np.stack([np.bincount(member, column) for column in columns], axis=1)
        for columns in zip(*repetitions, strict=True)
    )
    rng = np.random.default_rng(seed)
    ratios = []
    for _ in range(resamples):
        drawn = rng.multinomial(len(names), np.full(len(names), 1 / len(names)))
        weights = rng.multinomial(len(repetitions), np.full(len(repetitions), 1 / len(repetitions)))
        total = drawn @ below
        if (total > 0).all():
            ratios.append(float(weights @ (drawn @ above / total)) / len(repetitions))
    return Interval(value, *_bounds(np.array(ratios), level))


def _resampled(sums: np.ndarray, resamples: int, seed: int) -> np.ndarray:
    """Totals of ``sums`` ``(clusters, columns)`` over clusters drawn anew: ``(resamples, columns)``."""
    rng = np.random.default_rng(seed)
    clusters = len(sums)
    even = np.full(clusters, 1 / clusters)
    step = max(1, _BLOCK // clusters)
    sizes = [min(step, resamples - first) for first in range(0, resamples, step)]
    return np.concatenate([rng.multinomial(clusters, even, size).astype(float) @ sums for size in sizes])


def _bounds(ratios: np.ndarray, level: float) -> tuple[float, float]:
    if not len(ratios):
        return np.nan, np.nan
    low, high = np.quantile(ratios, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)
