"""Whether two systems differ on the same instances."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from uncommonsense.metrics.significance import permutation_test
from uncommonsense.wsd.scoring import Judged

__all__ = ["Comparison", "compare", "exact_mcnemar"]


class Comparison(NamedTuple):
    """A system against another; p-values are two-sided."""

    first: str
    second: str
    difference: float
    """Recall of the first minus that of the second (accuracy, where both answer everything)."""
    wins: int
    """Instances on which the first gets more credit."""
    losses: int
    mcnemar_p: float
    """Exact, of wins against losses; it takes instances to be independent."""
    permutation_p: float
    """Of a paired permutation test that swaps the systems cluster by cluster."""


def compare(first: Judged, second: Judged, clusters: np.ndarray, *, seed: int = 0) -> Comparison:
    """Test two systems on the same instances; an instance without an answer counts as wrong."""
    difference = first.credit - second.credit
    wins, losses = int((difference > 0).sum()), int((difference < 0).sum())
    test = permutation_test(first.measured("recall"), second.measured("recall"), clusters, seed=seed)
    p = exact_mcnemar(wins, losses)
    return Comparison(first.system, second.system, test.difference, wins, losses, p, test.p)


def exact_mcnemar(wins: int, losses: int) -> float:
    """How often a fair coin, tossed ``wins + losses`` times, falls at least as unevenly."""
    tosses = wins + losses
    tail, term = 0, 1
    for heads in range(min(wins, losses) + 1):
        tail += term  # tosses choose heads
        term = term * (tosses - heads) // (heads + 1)
    return min(1.0, float(2 * tail / 2**tosses))
