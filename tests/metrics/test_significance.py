"""Paired permutation tests over clusters."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from uncommonsense.errors import UserError
from uncommonsense.metrics.measures import PerQuery, parse_measure
from uncommonsense.metrics.significance import cluster_differences, permutation_test

PAIRED = st.lists(
    st.tuples(
        st.sampled_from([0, 0.1, 0.2, 0.3, 1]), st.sampled_from([0, 0.1, 0.2, 0.3, 1]), st.integers(0, 5)
    ),
    min_size=1,
    max_size=25,
)


def columns(rows: list[tuple[float, float, int]]) -> tuple[PerQuery, PerQuery, np.ndarray]:
    first, second, clusters = (np.array(column) for column in zip(*rows, strict=True))
    return PerQuery.of(first), PerQuery.of(second), clusters


def noisy(clusters: int, each: int, shift: float, seed: int = 0) -> tuple[PerQuery, PerQuery, np.ndarray]:
    """Two systems whose difference is ``shift`` plus noise that a cluster's queries share."""
    rng = np.random.default_rng(seed)
    member = np.repeat(np.arange(clusters), each)
    second = rng.random(len(member))
    shared = rng.standard_normal(clusters)[member]
    return PerQuery.of(second + shift + 0.2 * shared), PerQuery.of(second), member


# By hand


def test_three_clusters_that_agree() -> None:
    """Of the 8 patterns of signs only the two that agree reach the sum."""
    first, second = PerQuery.of(np.array([1, 1, 1, 1])), PerQuery.of(np.array([0, 0.5, 0, 0]))
    found = permutation_test(first, second, np.array([0, 0, 1, 2]))
    assert found == (pytest.approx(3.5 / 4), 2 / 8, True)


def test_ties_of_the_statistic_count_in_spite_of_rounding() -> None:
    """0.1 + 0.2 - 0.3 and its like: every pattern is at least as far from 0 as the observed one."""
    first, second = PerQuery.of(np.array([0.1, 0.2, 0.0])), PerQuery.of(np.array([0, 0, 0.3]))
    assert permutation_test(first, second, np.arange(3)).p == 1


def test_the_same_system_twice() -> None:
    values = PerQuery.of(np.random.default_rng(0).random(40))
    assert permutation_test(values, values, np.arange(40)) == (0, 1, True)


def test_queries_of_a_lemma_flip_together() -> None:
    """Forty better queries are no evidence when they are one lemma."""
    first, second = PerQuery.of(np.ones(40)), PerQuery.of(np.zeros(40))
    assert permutation_test(first, second, np.zeros(40, int)).p == 1
    assert permutation_test(first, second, np.arange(40)).p < 0.001


def test_pooled_measures_compare_too() -> None:
    recall = parse_measure("pooled_recall@2")
    relevant = np.array([2, 4, 4])
    first = recall(np.array([[1, 1], [1, 0], [1, 1]], bool), relevant)
    second = recall(np.array([[0, 0], [0, 0], [0, 0]], bool), relevant)
    assert permutation_test(first, second, np.arange(3)) == (pytest.approx(5 / 10), 2 / 8, True)
    assert cluster_differences(first, second, np.array([0, 1, 1])).difference == pytest.approx([1, 3 / 8])


def test_the_table_of_clusters() -> None:
    first, second = PerQuery.of(np.array([1, 0.5, 0.5, 0, 1])), PerQuery.of(np.array([0, 1, 0.5, 0, 0.5]))
    found = cluster_differences(first, second, np.array(["run", "run", "run", "bank", "set"]))
    assert found.cluster.tolist() == ["bank", "run", "set"]
    assert found.queries.tolist() == [1, 3, 1]
    assert found.wins.tolist() == [0, 1, 1]
    assert found.losses.tolist() == [0, 1, 0]
    assert found.ties.tolist() == [1, 1, 0]
    assert found.difference == pytest.approx([0, 1 / 6, 1 / 2])


def test_different_queries_cannot_be_compared() -> None:
    first = PerQuery.of(np.ones(3))
    for second in (PerQuery.of(np.ones(4)), first._replace(denominator=np.array([1, 2, 3.0]))):
        with pytest.raises(UserError, match="same queries"):
            permutation_test(first, second, np.arange(3))
        with pytest.raises(UserError, match="same queries"):
            cluster_differences(first, second, np.arange(3))


# In general


@given(PAIRED)
def test_few_clusters_are_enumerated(rows: list[tuple[float, float, int]]) -> None:
    first, second, clusters = columns(rows)
    differences = first.numerator - second.numerator
    sums = [differences[clusters == cluster].sum() for cluster in np.unique(clusters)]
    patterns = [
        abs(sum(s * d for s, d in zip(signs, sums, strict=True)))
        for signs in product([1, -1], repeat=len(sums))
    ]
    expected = np.mean([each >= abs(sum(sums)) - 1e-9 for each in patterns])
    found = permutation_test(first, second, clusters)
    assert found.exact
    assert found.p == pytest.approx(expected)
    assert found.difference == pytest.approx(differences.mean())


@given(PAIRED)
def test_systems_may_be_exchanged(rows: list[tuple[float, float, int]]) -> None:
    first, second, clusters = columns(rows)
    one, other = permutation_test(first, second, clusters), permutation_test(second, first, clusters)
    assert (one.p, one.difference) == (other.p, -other.difference)
    here, there = cluster_differences(first, second, clusters), cluster_differences(second, first, clusters)
    assert np.array_equal(here.wins, there.losses)
    assert np.array_equal(here.ties, there.ties)
    assert here.difference == pytest.approx(-there.difference)
    assert (here.wins + here.losses + here.ties == here.queries).all()


def test_many_clusters_may_be_exchanged_too() -> None:
    first, second, clusters = noisy(60, 3, 0.03)
    assert permutation_test(first, second, clusters).p == permutation_test(second, first, clusters).p


@settings(max_examples=20)
@given(st.integers(0, 1000))
def test_order_and_names_do_not_matter(seed: int) -> None:
    first, second, clusters = noisy(10, 3, 0.05, seed)
    order = np.random.default_rng(seed).permutation(len(clusters))
    shuffled = [PerQuery(*(column[order] for column in each)) for each in (first, second)]
    names = np.array([f"lemma{9 - cluster}" for cluster in clusters])
    assert permutation_test(*shuffled, names[order]).p == permutation_test(first, second, clusters).p


@pytest.mark.parametrize("shift", [0.0, 0.05, 0.1])
def test_scipy_agrees(shift: float) -> None:
    stats = pytest.importorskip("scipy.stats", reason="scipy is not installed")
    first, second, clusters = noisy(12, 1, shift, seed=3)
    theirs = stats.permutation_test(
        (first.numerator, second.numerator),
        lambda x, y: (x - y).mean(),
        permutation_type="samples",
        n_resamples=np.inf,
    )
    found = permutation_test(first, second, clusters)
    assert found.p == pytest.approx(theirs.pvalue)
    assert found.difference == pytest.approx(theirs.statistic)


def test_a_sample_of_patterns_estimates_the_exact_value() -> None:
    """16 clusters are enumerated; with one more that changes next to nothing they are sampled."""
    first, second, clusters = noisy(16, 2, 0.05, seed=1)
    exact = permutation_test(first, second, clusters)
    more = [PerQuery.of(np.append(each.numerator, end)) for each, end in ((first, 1e-9), (second, 0))]
    sampled = permutation_test(*more, np.append(clusters, 16))
    assert (exact.exact, sampled.exact) == (True, False)
    assert 0.05 < exact.p < 0.95
    assert sampled.p == pytest.approx(exact.p, abs=4 * np.sqrt(exact.p * (1 - exact.p) / 10_000))


def test_a_sample_never_says_impossible() -> None:
    found = permutation_test(
        PerQuery.of(np.ones(50)), PerQuery.of(np.zeros(50)), np.arange(50), permutations=99
    )
    assert found == (1, 1 / 100, False)


def test_the_seed_decides() -> None:
    pair = noisy(60, 3, 0.02)
    assert permutation_test(*pair, seed=1) == permutation_test(*pair, seed=1)
    assert permutation_test(*pair, seed=1).p != permutation_test(*pair, seed=2).p


def test_blocks_do_not_change_the_result(monkeypatch: pytest.MonkeyPatch) -> None:
    pair = noisy(60, 3, 0.02)
    whole = permutation_test(*pair, permutations=1000)
    monkeypatch.setattr("uncommonsense.metrics.significance._BLOCK", 61)
    assert permutation_test(*pair, permutations=1000) == whole


def test_no_difference_is_found_about_as_often_as_the_level_says() -> None:
    """Clustered noise around 0: at the 10% level about a tenth is found; by queries, far more."""
    trials = 150
    clustered = naive = 0
    for trial in range(trials):
        first, second, clusters = noisy(20, 8, 0.0, seed=trial)
        clustered += permutation_test(first, second, clusters, permutations=199).p <= 0.1
        naive += permutation_test(first, second, np.arange(160), permutations=199).p <= 0.1
    assert 0.03 <= clustered / trials <= 0.18
    assert naive / trials > 0.3
