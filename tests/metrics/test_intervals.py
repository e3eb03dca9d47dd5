"""Bootstrap intervals over clusters."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from uncommonsense.metrics.intervals import bootstrap_intervals, cluster_bootstrap, crossed_bootstrap
from uncommonsense.metrics.measures import PerQuery, parse_measure

GROUPED = st.lists(st.tuples(st.floats(0, 1), st.integers(0, 4)), min_size=1, max_size=30)


def columns(pairs: list[tuple[float, int]]) -> tuple[np.ndarray, np.ndarray]:
    values, clusters = zip(*pairs, strict=True)
    return np.array(values), np.array(clusters)


def test_nothing_has_no_mean() -> None:
    assert np.isnan(cluster_bootstrap(np.empty(0), np.empty(0, int))).all()


def test_a_single_cluster_says_nothing_about_others() -> None:
    found = cluster_bootstrap(np.array([0.25, 0.5, 0.75]), np.array([7, 7, 7]))
    assert found.value == 1 / 2
    assert np.isnan(found.low)
    assert np.isnan(found.high)


def test_the_seed_decides() -> None:
    rng = np.random.default_rng(1)
    values, clusters = rng.random(60), rng.integers(0, 12, 60)
    assert cluster_bootstrap(values, clusters) == cluster_bootstrap(values, clusters)
    assert cluster_bootstrap(values, clusters, seed=1) != cluster_bootstrap(values, clusters, seed=2)


def test_two_clusters_exactly() -> None:
    """Two clusters of equal size, means 0 and 1: the resampled mean is 0, 1/2 or 1 with 1/4, 1/2, 1/4."""
    values, clusters = np.array([0.0, 0.0, 1.0, 1.0]), np.array([0, 0, 1, 1])
    assert cluster_bootstrap(values, clusters) == (1 / 2, 0, 1)
    assert cluster_bootstrap(values, clusters, level=0.4) == (1 / 2, 1 / 2, 1 / 2)


def test_clusters_weigh_by_their_size() -> None:
    values, clusters = np.array([1.0, 1.0, 1.0, 0.0]), np.array([0, 0, 0, 1])
    assert cluster_bootstrap(values, clusters).value == 3 / 4


def test_copies_within_a_cluster_bring_no_certainty() -> None:
    rng = np.random.default_rng(2)
    values, clusters = rng.random(20), np.arange(20)
    alone = cluster_bootstrap(values, clusters)
    assert cluster_bootstrap(np.repeat(values, 9), np.repeat(clusters, 9)) == pytest.approx(alone)
    independent = cluster_bootstrap(np.repeat(values, 9), np.arange(180))
    assert independent.high - independent.low < (alone.high - alone.low) / 2


@settings(max_examples=50)
@given(GROUPED)
def test_an_interval_lies_within_the_values(pairs: list[tuple[float, int]]) -> None:
    values, clusters = columns(pairs)
    found = cluster_bootstrap(values, clusters, resamples=200)
    assert found.value == pytest.approx(values.mean())
    if len(set(clusters)) > 1:
        assert values.min() - 1e-9 <= found.low <= found.high <= values.max() + 1e-9


def test_the_interval_covers_the_truth_about_as_often_as_it_says() -> None:
    """Clustered data with mean 0: 95% intervals of 40 clusters, and those that ignore the clusters."""
    rng = np.random.default_rng(3)
    covered = naive = 0
    trials = 200
    for trial in range(trials):
        clusters = np.repeat(np.arange(40), 8)
        values = rng.standard_normal(40)[clusters] + 0.5 * rng.standard_normal(len(clusters))
        found = cluster_bootstrap(values, clusters, resamples=400, seed=trial)
        covered += found.low <= 0 <= found.high
        single = cluster_bootstrap(values, np.arange(len(values)), resamples=400, seed=trial)
        naive += single.low <= 0 <= single.high
    assert 0.88 <= covered / trials <= 0.99
    assert naive / trials < 0.75


# Ratios of sums, several at once


def scored(queries: int, lemmas: int, seed: int = 4) -> tuple[list[PerQuery], np.ndarray]:
    """Several measures of the same random hits, and the lemmas of the queries."""
    rng = np.random.default_rng(seed)
    hits = rng.random((queries, 10)) < rng.random((queries, 1))
    relevant = hits.sum(axis=1) + rng.integers(1, 30, queries)
    names = ["P@5", "recall@10", "pooled_recall@10", "mean_pooled_recall@10"]
    return [parse_measure(name)(hits, relevant) for name in names], rng.integers(0, lemmas, queries)


def test_two_clusters_of_a_ratio_exactly() -> None:
    """Ratios 1/1 and 2/8: drawn as both of one, or one of each, which is 3/9."""
    ratio = PerQuery(np.array([1.0, 2.0]), np.array([1.0, 8.0]))
    (wide,) = bootstrap_intervals([ratio], np.array([0, 1]))
    (narrow,) = bootstrap_intervals([ratio], np.array([0, 1]), level=0.4)
    assert wide == pytest.approx((3 / 9, 2 / 8, 1))
    assert narrow == pytest.approx((3 / 9, 3 / 9, 3 / 9))


def test_measures_share_the_draws() -> None:
    scores, lemmas = scored(200, 30)
    together = bootstrap_intervals(scores, lemmas, resamples=300)
    for each, interval in zip(scores, together, strict=True):
        assert bootstrap_intervals([each], lemmas, resamples=300)[0] == pytest.approx(interval)
        assert interval.low <= interval.value <= interval.high
    assert cluster_bootstrap(scores[0].numerator, lemmas, resamples=300) == pytest.approx(together[0])


def test_a_constant_ratio_is_certain_although_its_parts_vary() -> None:
    denominator = np.array([1.0, 5.0, 2.0, 9.0])
    (found,) = bootstrap_intervals([PerQuery(denominator / 4, denominator)], np.arange(4))
    assert found == pytest.approx((1 / 4, 1 / 4, 1 / 4))


def test_resamples_without_a_denominator_are_left_out() -> None:
    """Of two clusters one has nothing to find; drawn alone it has no ratio."""
    (found,) = bootstrap_intervals([PerQuery(np.array([1.0, 0]), np.array([2.0, 0]))], np.arange(2))
    assert found == pytest.approx((1 / 2, 1 / 2, 1 / 2))


def test_a_ratio_of_nothing_beside_one_of_something() -> None:
    nothing, half = PerQuery(np.zeros(3), np.zeros(3)), PerQuery.of(np.full(3, 0.5))
    found = bootstrap_intervals([nothing, half], np.arange(3))
    assert np.isnan(found[0]).all()
    assert found[1] == (1 / 2, 1 / 2, 1 / 2)
    assert bootstrap_intervals([], np.arange(3)) == []


def test_blocks_do_not_change_the_result(monkeypatch: pytest.MonkeyPatch) -> None:
    scores, lemmas = scored(100, 20)
    whole = bootstrap_intervals(scores, lemmas, resamples=150)
    monkeypatch.setattr("uncommonsense.metrics.intervals._BLOCK", 7 * 20)
    for one, other in zip(whole, bootstrap_intervals(scores, lemmas, resamples=150), strict=True):
        assert one == pytest.approx(other)


def test_memory_stays_bounded() -> None:
    """5,000 lemmas x 2,000 resamples would take 80 MB as draws, and as much again as floats."""
    scores, _ = scored(6000, 1)
    lemmas = np.arange(6000) % 5000
    tracemalloc.start()
    bootstrap_intervals(scores, lemmas)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 60e6


def test_repetitions_add_their_own_uncertainty() -> None:
    """Repetitions at 0 and 1 on every query: whatever the clusters, the mean is 0, 1/2 or 1."""
    clusters = np.arange(50)
    low, high = PerQuery.of(np.zeros(50)), PerQuery.of(np.ones(50))
    assert crossed_bootstrap([low, high], clusters) == (1 / 2, 0, 1)
    assert crossed_bootstrap([high, high], clusters) == (1, 1, 1)


def test_one_repetition_is_a_bootstrap_over_clusters() -> None:
    rng = np.random.default_rng(1)
    values, clusters = rng.random(200), rng.integers(0, 40, 200)
    crossed = crossed_bootstrap([PerQuery.of(values)], clusters, resamples=4000)
    plain = cluster_bootstrap(values, clusters, resamples=4000)
    assert crossed.value == pytest.approx(plain.value)
    assert (crossed.low, crossed.high) == pytest.approx((plain.low, plain.high), abs=0.01)


def test_repetitions_on_a_single_cluster_have_no_interval() -> None:
    found = crossed_bootstrap([PerQuery.of(np.ones(3))] * 2, np.array([7, 7, 7]))
    assert found.value == 1
    assert np.isnan(found.low)
