"""Measures as values: names, hand-made rankings, definitions spelled out, and what holds for all of them."""

from __future__ import annotations

from itertools import combinations
from math import log2

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from uncommonsense.errors import UnknownNameError, UserError
from uncommonsense.metrics.baselines import expected_random_hits, oracle_hits
from uncommonsense.metrics.measures import MEASURES, Measure, PerQuery, parse_measure

HITS = np.array([[1, 0, 1, 0], [0, 0, 0, 1], [0, 0, 0, 0], [1, 1, 1, 1]], bool)
RELEVANT = np.array([2, 3, 5, 8])
NAMES = [spelling.replace("@k", "@4") for spelling in MEASURES]


def values_of(name: str, hits: np.ndarray = HITS, relevant: np.ndarray = RELEVANT) -> np.ndarray:
    """Numerator over denominator of each query."""
    numerator, denominator = parse_measure(name)(hits, relevant)
    return np.asarray(numerator / denominator)


@st.composite
def rankings(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray]:
    """Hits ``(queries, 8)`` and numbers of relevant candidates, some of them beyond the ranks."""
    rows = draw(st.lists(st.lists(st.booleans(), min_size=8, max_size=8), min_size=1, max_size=6))
    hits = np.array(rows)
    beyond = draw(st.lists(st.integers(0, 12), min_size=len(rows), max_size=len(rows)))
    return hits, hits.sum(axis=1) + np.array(beyond)


# Names


@pytest.mark.parametrize("name", NAMES)
def test_a_name_is_read_back(name: str) -> None:
    assert str(parse_measure(name)) == name


@given(st.sampled_from(MEASURES), st.integers(1, 10**6))
def test_names_are_read_back_with_any_cutoff(spelling: str, k: int) -> None:
    name = spelling.replace("@k", f"@{k}")
    assert str(parse_measure(name)) == name


def test_equal_measures_are_one_key() -> None:
    assert {parse_measure("P@10"): 1}[Measure("P", 10)] == 1
    assert parse_measure("P@10") != parse_measure("P@1")


@pytest.mark.parametrize(
    "name",
    [
        "",
        "P",
        "P@",
        "P@0",
        "P@-1",
        "P@01",
        "P@1.5",
        "P@k",
        "p@5",
        "MAP@5",
        " P@5",
        "P@5\n",
        "r_precision@5",
        "@5",
    ],
)
def test_other_names_are_refused_with_the_legal_ones(name: str) -> None:
    with pytest.raises(
        UnknownNameError, match=r"Known: P@k, map@k, .*ndcg@k.* k is a whole number from 1"
    ) as e:
        parse_measure(name)
    assert repr(name) in str(e.value)


def test_a_near_miss_gets_a_suggestion() -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'ndcg@k'"):
        parse_measure("ncdg@10")


@pytest.mark.parametrize(("name", "k"), [("P", None), ("P", 0), ("r_precision", 3), ("precision", 3)])
def test_a_measure_cannot_be_made_wrong(name: str, k: int | None) -> None:
    with pytest.raises(UnknownNameError):
        Measure(name, k)


# Values by hand


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("P@1", [1, 0, 0, 1]),
        ("P@3", [2 / 3, 0, 0, 1]),
        ("P@4", [2 / 4, 1 / 4, 0, 1]),
        ("mean_precision@4", [(1 + 1 / 2 + 2 / 3 + 2 / 4) / 4, 1 / 16, 0, 1]),
        ("recall@2", [1 / 2, 0, 0, 2 / 8]),
        ("recall@4", [1, 1 / 3, 0, 4 / 8]),
        ("pooled_recall@4", [1, 1 / 3, 0, 4 / 8]),
        ("mean_pooled_recall@4", [(1 + 1 + 2 + 2) / 4 / 2, 1 / 4 / 3, 0, (1 + 2 + 3 + 4) / 4 / 8]),
        ("map@4", [(1 + 2 / 3) / 2, 1 / 4 / 3, 0, 4 / 8]),
        ("map@1", [1 / 2, 0, 0, 1 / 8]),
        ("mrr@4", [1, 1 / 4, 0, 1]),
        ("mrr@3", [1, 0, 0, 1]),
        ("ndcg@4", [(1 + 1 / 2) / (1 + 1 / log2(3)), 1 / log2(5) / (1 + 1 / log2(3) + 1 / 2), 0, 1]),
        ("ndcg@1", [1, 0, 0, 1]),
        ("r_precision", [1 / 2, 0, 0, 4 / 8]),
    ],
)
def test_each_query(name: str, expected: list[float]) -> None:
    assert values_of(name) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("P@4", (2 + 1 + 0 + 4) / 16),
        ("recall@4", (1 + 1 / 3 + 0 + 1 / 2) / 4),
        ("pooled_recall@4", (2 + 1 + 0 + 4) / (2 + 3 + 5 + 8)),
        ("pooled_recall@1", 2 / 18),
        ("mean_pooled_recall@4", (2 / 18 + 3 / 18 + 5 / 18 + 7 / 18) / 4),
    ],
)
def test_all_queries(name: str, expected: float) -> None:
    assert parse_measure(name)(HITS, RELEVANT).score() == pytest.approx(expected)


def test_a_score_of_some_queries() -> None:
    found = parse_measure("pooled_recall@4")(HITS, RELEVANT)
    assert found.score(np.array([True, False, False, True])) == pytest.approx(6 / 10)
    assert found.score(np.array([1])) == pytest.approx(1 / 3)
    assert np.isnan(found.score(np.zeros(4, bool)))


def test_plain_values_score_their_mean() -> None:
    assert PerQuery.of(np.array([True, False, True])).score() == pytest.approx(2 / 3)


@pytest.mark.parametrize("name", [name for name in NAMES if "@" in name])
def test_ranks_beyond_the_cutoff_do_not_matter(name: str) -> None:
    deeper = np.hstack([HITS, [[0, 0, 0], [1, 1, 0], [1, 0, 1], [1, 0, 1]]]).astype(bool)
    assert values_of(name, deeper) == pytest.approx(values_of(name))


@pytest.mark.parametrize("name", NAMES)
def test_no_queries_have_no_score(name: str) -> None:
    found = parse_measure(name)(np.empty((0, 4), bool), np.empty(0, int))
    assert found.numerator.shape == found.denominator.shape == (0,)
    assert np.isnan(found.score())


@pytest.mark.parametrize("name", NAMES)
def test_a_query_with_nothing_relevant_adds_nothing(name: str) -> None:
    found = parse_measure(name)(np.zeros((1, 4), bool), np.zeros(1, int))
    assert found.numerator == 0


@pytest.mark.parametrize("kind", [bool, np.int8, np.uint8, np.int64, np.float32, np.float64])
@pytest.mark.parametrize("name", NAMES)
def test_zeros_and_ones_of_any_kind_are_hits(name: str, kind: type) -> None:
    assert values_of(name, HITS.astype(kind)) == pytest.approx(values_of(name))


# Definitions, spelled out one query at a time


def spelled_out(name: str, row: list[bool], relevant: int) -> float:
    """The definition from the hits' ranks, with loops."""
    name, _, cutoff = name.partition("@")
    if name == "r_precision":
        return sum(row[:relevant]) / relevant if relevant else 0
    k = int(cutoff)
    ranks = [rank for rank, hit in enumerate(row[:k], 1) if hit]
    precision = {n: sum(rank <= n for rank in ranks) / n for n in range(1, k + 1)}
    if name == "P":
        return precision[k]
    if name == "mean_precision":
        return sum(precision.values()) / k
    if name == "mrr":
        return 1 / ranks[0] if ranks else 0
    if not relevant:
        return 0
    best = sum(1 / log2(rank + 1) for rank in range(1, min(k, relevant) + 1))
    return {
        "recall": len(ranks) / relevant,
        "map": sum(precision[rank] for rank in ranks) / relevant,
        "ndcg": sum(1 / log2(rank + 1) for rank in ranks) / best,
    }[name]


@pytest.mark.parametrize("spelling", [each for each in MEASURES if "pooled" not in each])
@given(ranking=rankings(), k=st.integers(1, 8))
def test_means_are_what_their_definitions_say(
    spelling: str, ranking: tuple[np.ndarray, np.ndarray], k: int
) -> None:
    hits, relevant = ranking
    name = spelling.replace("@k", f"@{k}")
    expected = [spelled_out(name, row, r) for row, r in zip(hits.tolist(), relevant.tolist(), strict=True)]
    assert parse_measure(name)(hits, relevant).numerator == pytest.approx(expected)


@given(rankings(), st.integers(1, 8))
def test_pooled_recalls_are_what_their_definitions_say(
    ranking: tuple[np.ndarray, np.ndarray], k: int
) -> None:
    hits, relevant = ranking
    if not relevant.any():
        return
    pooled = [hits[:, :n].sum() / relevant.sum() for n in range(1, k + 1)]
    assert parse_measure(f"pooled_recall@{k}")(hits, relevant).score() == pytest.approx(pooled[-1])
    assert parse_measure(f"mean_pooled_recall@{k}")(hits, relevant).score() == pytest.approx(sum(pooled) / k)


# What holds for every measure


@pytest.mark.parametrize("spelling", MEASURES)
@given(ranking=rankings(), k=st.integers(1, 8))
def test_scores_lie_between_nothing_and_the_oracle(
    spelling: str, ranking: tuple[np.ndarray, np.ndarray], k: int
) -> None:
    hits, relevant = ranking
    measure = parse_measure(spelling.replace("@k", f"@{k}"))
    found, best = measure(hits, relevant), measure(oracle_hits(relevant, 8), relevant)
    assert (found.numerator >= 0).all()
    assert (found.numerator <= best.numerator + 1e-12).all()
    assert (best.numerator <= best.denominator).all()
    assert np.array_equal(found.denominator, best.denominator)
    assert (found.denominator == (relevant if measure.pooled else 1)).all()


@pytest.mark.parametrize("spelling", MEASURES)
@given(ranking=rankings(), rank=st.integers(0, 6))
def test_a_hit_moved_up_never_hurts(spelling: str, ranking: tuple[np.ndarray, np.ndarray], rank: int) -> None:
    hits, relevant = ranking
    better = hits.copy()
    better[:, rank : rank + 2] = ~np.sort(~hits[:, rank : rank + 2])
    measure = parse_measure(spelling.replace("@k", "@5"))
    assert (measure(better, relevant).numerator >= measure(hits, relevant).numerator - 1e-12).all()


# Expected hits


@pytest.mark.parametrize(("relevant", "candidates"), [(1, 1), (1, 4), (2, 4), (3, 5), (6, 6)])
@pytest.mark.parametrize("name", NAMES)
def test_linear_means_that_expectations_may_be_exchanged(name: str, relevant: int, candidates: int) -> None:
    """The mean over all orders of a pool, against the measure of the mean hits."""
    every = np.zeros((0, 7), bool)
    for places in combinations(range(candidates), relevant):
        every = np.vstack([every, np.isin(np.arange(7), places)])
    measure = parse_measure(name)
    mean = measure(every, np.full(len(every), relevant)).score()
    expected = expected_random_hits(np.array([relevant]), np.array([candidates]), 7)
    if measure.linear:
        assert measure(expected, np.array([relevant])).score() == pytest.approx(mean)
    elif relevant < candidates:
        with pytest.raises(UserError, match=f"{name} of expected hits .* seeded sample"):
            measure(expected, np.array([relevant]))


def test_which_measures_are_linear() -> None:
    assert [name for name in NAMES if not parse_measure(name).linear] == ["map@4", "mrr@4"]


def test_expected_precision_by_hand() -> None:
    expected = expected_random_hits(np.array([1]), np.array([3]), 5)
    assert values_of("P@5", expected, np.array([1])) == pytest.approx([1 / 5])
    assert values_of("mean_precision@5", expected, np.array([1])) == pytest.approx(
        [(1 / 3 + 1 / 3 + 1 / 3 + 1 / 4 + 1 / 5) / 5]
    )


# Arrays that do not fit


def test_too_few_ranks_are_not_misses() -> None:
    with pytest.raises(UserError, match="P@50 needs 50 ranks, not 4"):
        parse_measure("P@50")(HITS, RELEVANT)


@pytest.mark.parametrize("name", NAMES)
def test_more_hits_than_relevant_candidates(name: str) -> None:
    with pytest.raises(UserError, match="query 3 has 4 hits but only 3 relevant"):
        parse_measure(name)(HITS, np.array([2, 3, 5, 3]))


@pytest.mark.parametrize("value", [-0.1, 1.5, np.nan])
def test_hits_that_are_no_probabilities(value: float) -> None:
    with pytest.raises(UserError, match="from 0 to 1"):
        parse_measure("P@1")(np.array([[value]]), np.array([9]))


@pytest.mark.parametrize("shape", [(4,), (4, 4, 1), (3, 4)])
def test_shapes_that_do_not_belong_together(shape: tuple[int, ...]) -> None:
    with pytest.raises(UserError, match=r"\(queries, ranks\) and \(queries,\)"):
        parse_measure("P@1")(np.zeros(shape, bool), RELEVANT)
