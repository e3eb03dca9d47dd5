"""Whether systems differ, on which buckets and on which lemmas."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from uncommonsense.errors import UnknownNameError
from uncommonsense.metrics.measures import PerQuery
from uncommonsense.metrics.significance import cluster_differences, permutation_test
from uncommonsense.rank.evaluate import RankingResult
from uncommonsense.report.results import BASELINES, Results

__all__ = ["Comparison", "Difference", "LemmaDifference", "compare"]


class Difference(NamedTuple):
    """Score of a system minus that of another, on one bucket."""

    value: float
    p: float
    """Two-sided, of a paired permutation test over lemmas."""
    adjusted: float
    """The same after Holm's correction for all tests of the report."""


class LemmaDifference(NamedTuple):
    """The same on one lemma."""

    lemma: str
    queries: int
    wins: int
    losses: int
    difference: float
    contribution: float
    """What the lemma adds to the difference on all queries."""


class Comparison(NamedTuple):
    """A system against another, by the report's first measure."""

    system: str
    against: str
    differences: dict[str, Difference]
    """By bucket."""
    lemmas: list[LemmaDifference]
    """Those that add most first; those that take away most last."""


def compare(results: Results, against: str | None = None) -> list[Comparison]:
    """Every model against one system: by default the first model, or chance if there is one model only."""
    names = [result.system for result in results.models]
    if against is not None and against not in (*names, *BASELINES):
        raise UnknownNameError("system of the run", against, [*names, *BASELINES])
    if not names:
        return []
    other = against or (names[0] if len(names) > 1 else "random")
    reference = results.system(other)
    found = [_compare(results, each, reference) for each in results.models if each.system != other]
    return _corrected(found)


def _compare(results: Results, system: RankingResult, other: RankingResult) -> Comparison:
    first, second = system.judged(results.measure), other.judged(results.measure)
    differences = {}
    for label, members in results.columns():
        ours, theirs = (PerQuery(*(column[members] for column in each)) for each in (first, second))
        test = permutation_test(ours, theirs, results.lemmas[members], seed=results.seed)
        differences[label] = Difference(test.difference, test.p, test.p)
    return Comparison(system.system, other.system, differences, _by_lemma(first, second, results.lemmas))


def _by_lemma(first: PerQuery, second: PerQuery, lemmas: np.ndarray) -> list[LemmaDifference]:
    found = cluster_differences(first, second, lemmas)
    _, member = np.unique(lemmas, return_inverse=True)
    added = np.bincount(member, first.numerator - second.numerator) / first.denominator.sum()
    columns = (found.cluster, found.queries, found.wins, found.losses, found.difference, added)
    rows = [LemmaDifference(*row) for row in zip(*(each.tolist() for each in columns), strict=True)]
    return sorted(rows, key=lambda row: -row.contribution)


def _corrected(comparisons: Sequence[Comparison]) -> list[Comparison]:
    tests = [(row, label) for row, each in enumerate(comparisons) for label in each.differences]
    adjusted = _holm([comparisons[row].differences[label].p for row, label in tests])
    differences: list[dict[str, Difference]] = [{} for _ in comparisons]
    for (row, label), p in zip(tests, adjusted, strict=True):
        differences[row][label] = comparisons[row].differences[label]._replace(adjusted=p)
    return [each._replace(differences=found) for each, found in zip(comparisons, differences, strict=True)]


def _holm(p: Sequence[float]) -> list[float]:
    """P-values that keep the chance of any false discovery among all of them at their level."""
    order = np.argsort(p, kind="stable")
    steps = np.asarray(p, float)[order] * np.arange(len(p), 0, -1)
    adjusted = np.empty(len(p))
    adjusted[order] = np.minimum(np.maximum.accumulate(steps), 1)
    return [float(each) for each in adjusted]
