"""Precision of rankings, of the best order and of chance."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from uncommonsense.metrics.retrieval import mean_precision, oracle_precision, precision_at, random_precision

HITS = np.array([[1, 0, 1, 0], [0, 0, 0, 1], [0, 0, 0, 0], [1, 1, 1, 1]], bool)


def shuffled_precision(relevant: int, candidates: int, k: int, order: np.ndarray) -> np.ndarray:
    """P@1 ... P@k of orders ``(n, candidates)`` of a pool whose first ``relevant`` candidates are right."""
    hits = np.zeros((len(order), k), bool)
    hits[:, : min(k, candidates)] = (order < relevant)[:, :k]
    return precision_at(hits)


def test_precision_at_each_rank() -> None:
    assert precision_at(HITS) == pytest.approx(
        np.array([[1, 1 / 2, 2 / 3, 2 / 4], [0, 0, 0, 1 / 4], [0, 0, 0, 0], [1, 1, 1, 1]])
    )


def test_mean_precision_is_the_mean_over_ranks_not_over_hits() -> None:
    means = mean_precision(precision_at(HITS))
    assert means == pytest.approx([(1 + 1 / 2 + 2 / 3 + 1 / 2) / 4, (1 / 4) / 4, 0, 1])
    trec = (1 + 2 / 3) / 2  # precision at the hits only
    assert means[0] != pytest.approx(trec)


def test_no_queries() -> None:
    none = precision_at(np.empty((0, 5), bool))
    assert none.shape == (0, 5)
    assert mean_precision(none).shape == (0,)
    assert oracle_precision(np.empty(0, int), 5).shape == (0, 5)
    assert random_precision(np.empty(0, int), np.empty(0, int), 5).shape == (0, 5)


def test_oracle_runs_out_of_right_answers() -> None:
    assert oracle_precision(np.array([2, 5]), 4) == pytest.approx(
        np.array([[1, 1, 2 / 3, 2 / 4], [1, 1, 1, 1]])
    )


def test_chance_runs_out_of_candidates() -> None:
    expected = [1 / 3, 1 / 3, 1 / 3, 1 / 3 * 3 / 4, 1 / 3 * 3 / 5]
    assert random_precision(np.array([1]), np.array([3]), 5)[0] == pytest.approx(expected)


@pytest.mark.parametrize(("relevant", "candidates"), [(1, 1), (1, 4), (2, 4), (3, 5), (6, 6)])
def test_chance_is_the_mean_and_oracle_the_best_of_all_orders(relevant: int, candidates: int) -> None:
    k = 7
    every = shuffled_precision(relevant, candidates, k, np.array(list(permutations(range(candidates)))))
    counts = np.array([relevant]), np.array([candidates])
    assert random_precision(*counts, k)[0] == pytest.approx(every.mean(axis=0))
    assert oracle_precision(counts[0], k)[0] == pytest.approx(every.max(axis=0))


def test_chance_agrees_with_a_simulation() -> None:
    rng = np.random.default_rng(20)
    relevant, candidates, k = 13, 40, 50
    order = rng.permuted(np.tile(np.arange(candidates), (4000, 1)), axis=1)
    simulated = mean_precision(shuffled_precision(relevant, candidates, k, order))
    standard_error = simulated.std() / np.sqrt(len(simulated))
    closed = mean_precision(random_precision(np.array([relevant]), np.array([candidates]), k))[0]
    assert closed == pytest.approx(simulated.mean(), abs=4 * standard_error)


@given(st.lists(st.booleans(), min_size=1, max_size=30), st.integers(0, 10))
def test_no_order_beats_the_oracle(pool: list[bool], padding: int) -> None:
    hits = np.array([pool + [False] * padding])
    best = oracle_precision(np.array([sum(pool)]), hits.shape[1])
    assert (precision_at(hits) <= best + 1e-12).all()
    assert precision_at(~np.sort(~hits)) == pytest.approx(best)


@given(st.integers(1, 40), st.data())
def test_chance_lies_between_nothing_and_the_oracle(candidates: int, data: st.DataObject) -> None:
    relevant = np.array([data.draw(st.integers(0, candidates))])
    chance = random_precision(relevant, np.array([candidates]), 50)
    assert (chance >= 0).all()
    assert (chance <= oracle_precision(relevant, 50) + 1e-12).all()
