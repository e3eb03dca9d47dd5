"""Uncertainty of a mean when observations come in clusters."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

__all__ = ["Interval", "cluster_bootstrap"]


class Interval(NamedTuple):
    """A mean and a percentile interval around it."""

    value: float
    low: float
    high: float


def cluster_bootstrap(
    values: np.ndarray, clusters: np.ndarray, *, level: float = 0.95, resamples: int = 2000, seed: int = 0
) -> Interval:
    """The mean of ``values`` ``(n,)`` and its bootstrap interval, whole ``clusters`` ``(n,)`` resampled.

    Queries of one lemma are not independent, so lemmas are drawn, not queries.
    """
    if not len(values):
        return Interval(np.nan, np.nan, np.nan)
    _, member = np.unique(clusters, return_inverse=True)
    sums = np.bincount(member, values)
    sizes = np.bincount(member)
    draws = np.random.default_rng(seed).multinomial(
        len(sums), np.full(len(sums), 1 / len(sums)), size=resamples
    )
    means = (draws @ sums) / (draws @ sizes)
    low, high = np.quantile(means, [(1 - level) / 2, (1 + level) / 2])
    return Interval(float(values.mean()), float(low), float(high))
