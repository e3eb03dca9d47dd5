"""Hits of the best order and of random ones."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from itertools import combinations
from time import perf_counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from uncommonsense.errors import UserError
from uncommonsense.metrics.baselines import expected_random_hits, oracle_hits, sampled_random_hits
from uncommonsense.metrics.measures import parse_measure

POOLS = st.lists(
    st.integers(0, 30).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))), min_size=1, max_size=8
)


def test_oracle_runs_out_of_right_answers() -> None:
    assert oracle_hits(np.array([2, 0, 9]), 4).tolist() == [
        [True, True, False, False],
        [False] * 4,
        [True] * 4,
    ]


def test_chance_runs_out_of_candidates() -> None:
    expected = expected_random_hits(np.array([1, 0, 2]), np.array([3, 0, 2]), 4)
    assert expected == pytest.approx(np.array([[1 / 3, 1 / 3, 1 / 3, 0], [0, 0, 0, 0], [1, 1, 0, 0]]))


def test_no_queries() -> None:
    none = np.empty(0, int)
    assert oracle_hits(none, 5).shape == (0, 5)
    assert expected_random_hits(none, none, 5).shape == (0, 5)
    assert sampled_random_hits(none, none, 5, seed=1).shape == (0, 5)


@pytest.mark.parametrize("draw", [expected_random_hits, sampled_random_hits])
def test_more_relevant_than_candidates(draw: Callable[..., np.ndarray]) -> None:
    with pytest.raises(UserError, match="query 1 has 4 relevant among 3 candidates"):
        draw(np.array([3, 4]), np.array([3, 3]), 2)


@given(POOLS, st.integers(0, 99))
def test_a_sample_is_an_order_of_the_pool(pools: list[tuple[int, int]], seed: int) -> None:
    relevant, candidates = np.array(pools).T
    hits = sampled_random_hits(relevant, candidates, 30, seed=seed)
    assert hits.dtype == bool
    assert hits.sum(axis=1).tolist() == relevant.tolist()
    assert not (hits & ~oracle_hits(candidates, 30)).any()


def test_every_order_is_equally_likely() -> None:
    """The 10 ways to place 2 right answers among 5, by Pearson's chi-squared with 9 degrees of freedom."""
    trials = 20_000
    hits = sampled_random_hits(np.full(trials, 2), np.full(trials, 5), 5, seed=11)
    counts = Counter(tuple(np.flatnonzero(row)) for row in hits)
    assert set(counts) == set(combinations(range(5), 2))
    chi_squared = sum((count - trials / 10) ** 2 / (trials / 10) for count in counts.values())
    assert chi_squared < 27.9  # exceeded once in a thousand seeds


@pytest.mark.parametrize(
    "name", ["P@20", "mean_precision@50", "recall@10", "pooled_recall@20", "ndcg@10", "r_precision"]
)
def test_the_closed_form_is_the_mean_of_samples(name: str) -> None:
    measure, trials = parse_measure(name), 4000
    relevant, candidates = np.array([13]), np.array([40])
    closed = measure(expected_random_hits(relevant, candidates, 50), relevant).score()
    many = np.full(trials, 13)
    sampled = measure(sampled_random_hits(many, np.full(trials, 40), 50, seed=20), many)
    each = sampled.numerator / sampled.denominator
    assert closed == pytest.approx(sampled.score(), abs=4 * each.std() / np.sqrt(trials) + 1e-12)


def test_the_seed_decides() -> None:
    counts = np.full(50, 3), np.full(50, 9)
    first = sampled_random_hits(*counts, 9, seed=1)
    assert np.array_equal(first, sampled_random_hits(*counts, 9, seed=1))
    assert not np.array_equal(first, sampled_random_hits(*counts, 9, seed=2))


def test_a_sample_leaves_its_input_alone() -> None:
    relevant = np.array([3, 4])
    sampled_random_hits(relevant, np.array([9, 9]), 5, seed=0)
    assert relevant.tolist() == [3, 4]


def test_fifty_thousand_queries_at_once() -> None:
    candidates = np.random.default_rng(0).integers(5, 5000, 50_000)
    start = perf_counter()
    hits = sampled_random_hits(candidates // 3, candidates, 50, seed=0)
    assert perf_counter() - start < 1
    assert hits.shape == (50_000, 50)
