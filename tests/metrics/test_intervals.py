"""Bootstrap intervals over clusters."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from uncommonsense.metrics.intervals import cluster_bootstrap

GROUPED = st.lists(st.tuples(st.floats(0, 1), st.integers(0, 4)), min_size=1, max_size=30)


def columns(pairs: list[tuple[float, int]]) -> tuple[np.ndarray, np.ndarray]:
    values, clusters = zip(*pairs, strict=True)
    return np.array(values), np.array(clusters)


def test_nothing_has_no_mean() -> None:
    assert np.isnan(cluster_bootstrap(np.empty(0), np.empty(0, int))).all()


def test_a_single_cluster_says_nothing_about_others() -> None:
    assert cluster_bootstrap(np.array([0.25, 0.5, 0.75]), np.array([7, 7, 7])) == (1 / 2, 1 / 2, 1 / 2)


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
