"""Whether two systems differ on the same queries, and on which clusters of them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from uncommonsense.errors import UserError
from uncommonsense.metrics.measures import PerQuery

__all__ = ["ClusterDifferences", "PermutationTest", "cluster_differences", "permutation_test"]

_EXACT = 16
"""Clusters up to which every pattern of signs is tried: 65,536 patterns."""
_BLOCK = 2**21
"""Signs (patterns x clusters) held at once: 16 MB."""
_ROUNDING = 1e-12
"""Differences smaller than this are rounding."""


class PermutationTest(NamedTuple):
    """The difference of two systems and how often chance gives one as large."""

    difference: float
    """Score of the first minus score of the second."""
    p: float
    """Two-sided."""
    exact: bool
    """Whether every pattern of signs was tried; if not, ``p`` is estimated from a sample of them."""


class ClusterDifferences(NamedTuple):
    """Two systems side by side on each cluster, clusters ascending; every column ``(clusters,)``."""

    cluster: np.ndarray
    queries: np.ndarray
    wins: np.ndarray
    """Queries on which the first system is better."""
    losses: np.ndarray
    ties: np.ndarray
    difference: np.ndarray
    """Score of the first minus score of the second; NaN where the denominators sum to 0."""


def permutation_test(
    first: PerQuery, second: PerQuery, clusters: np.ndarray, *, permutations: int = 10_000, seed: int = 0
) -> PermutationTest:
    """Test that the two systems are exchangeable on each of ``clusters`` ``(queries,)``.

    If they were, the difference of every cluster could as well have had the other sign, for all its
    queries at once: those of one lemma are not independent. With few clusters every pattern of signs is
    tried; otherwise ``permutations`` seeded ones, and the observed pattern counts as one more.
    """
    differences = _differences(first, second)
    _, member = np.unique(clusters, return_inverse=True)
    sums = np.bincount(member, differences)
    sums = sums[np.abs(sums) > _ROUNDING]  # a sign changes nothing there
    exact = len(sums) <= _EXACT
    patterns = _all_signs(len(sums)) if exact else _random_signs(len(sums), permutations, seed)
    threshold = abs(sums.sum()) - _ROUNDING * np.abs(sums).sum()
    extreme = sum(int((np.abs(signs @ sums) >= threshold).sum()) for signs in patterns)
    p = extreme / 2 ** len(sums) if exact else (extreme + 1) / (permutations + 1)
    return PermutationTest(first.score() - second.score(), p, exact)


def cluster_differences(first: PerQuery, second: PerQuery, clusters: np.ndarray) -> ClusterDifferences:
    """Where the two systems differ: wins, losses and ties of queries, and the difference of each cluster."""
    differences = _differences(first, second)
    names, member = np.unique(clusters, return_inverse=True)
    wins, losses, queries = (
        np.bincount(member[chosen], minlength=len(names))
        for chosen in (differences > 0, differences < 0, slice(None))
    )
    below = np.bincount(member, first.denominator)
    mean = np.bincount(member, differences) / np.where(below == 0, np.nan, below)
    return ClusterDifferences(names, queries, wins, losses, queries - wins - losses, mean)


def _differences(first: PerQuery, second: PerQuery) -> np.ndarray:
    """Numerators of the first minus those of the second, rounding removed: ``(queries,)``."""
    if not np.array_equal(first.denominator, second.denominator):
        raise UserError("two systems can be compared by the same measure on the same queries only")
    differences = first.numerator - second.numerator
    return np.where(np.abs(differences) > _ROUNDING, differences, 0)


def _all_signs(clusters: int) -> Iterator[np.ndarray]:
    """Every pattern of signs, in one block: ``(2 ** clusters, clusters) float64``."""
    patterns = np.arange(2**clusters)[:, None] >> np.arange(clusters) & 1
    yield 1.0 - 2 * patterns


def _random_signs(clusters: int, permutations: int, seed: int) -> Iterator[np.ndarray]:
    """Seeded patterns of signs, in blocks ``(patterns, clusters) float64``."""
    rng = np.random.default_rng(seed)
    step = max(1, _BLOCK // clusters)
    for start in range(0, permutations, step):
        size = (min(step, permutations - start), clusters)
        yield 1.0 - 2 * rng.integers(2, size=size, dtype=np.int8)
