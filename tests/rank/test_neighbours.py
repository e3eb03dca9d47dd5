"""Nearest neighbours, against comparing everything with everything."""

from __future__ import annotations

import math
from pathlib import Path
from typing import get_args

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from invented_corpora import Target, as_corpus

from uncommonsense.errors import UserError
from uncommonsense.rank import Protocol, Selection, baselines, evaluate, neighbours, rank_neighbours, select
from uncommonsense.rank.neighbours import Metric, normalised
from uncommonsense.schema import SCORE_SCHEMA, Corpus

ASK_ALL = Protocol(queries=("test",), minimum=1, monosemous="keep")


def cosine(left: np.ndarray, right: np.ndarray) -> float:
    norms = math.sqrt(sum(x * x for x in left)) * math.sqrt(sum(x * x for x in right))
    return sum(x * y for x, y in zip(left, right, strict=True)) / norms if norms else 0.0


def by_hand(vectors: np.ndarray, selection: Selection, k: int) -> list[list[tuple[int, float]]]:
    """For each query the best ``k`` of its pool: position in D and cosine, equal ones in the order of D."""
    answers = []
    exact = vectors.astype(float)
    for query, pool in zip(selection.queries, selection.pool_of_query, strict=True):
        places = [i for i, each in enumerate(selection.pool_of_database) if each == pool]
        scored = [(i, round(cosine(exact[query], exact[selection.database[i]]), 12)) for i in places]
        answers.append(sorted(scored, key=lambda pair: -pair[1])[:k])
    return answers


@st.composite
def problems(draw: st.DrawFn) -> tuple[Corpus, np.ndarray]:
    """Two words; vectors from a small set, so that some are equal and some are zero."""
    lemmas = draw(st.lists(st.sampled_from(("bank", "pull")), min_size=1, max_size=30))
    rows: list[Target] = [(lemma, "n", (draw(st.sampled_from("12")),), "train") for lemma in lemmas]
    rows += [(lemma, "n", (sense,), "test") for lemma, _, (sense,), _ in rows[:6]]
    corner = st.tuples(*[st.sampled_from((-1.0, 0.0, 1.0, 2.0))] * 3)
    vectors = draw(st.lists(corner, min_size=len(rows), max_size=len(rows)))
    return as_corpus(rows), np.array(vectors, np.float32)


@settings(max_examples=150)
@given(problems(), st.integers(1, 40))
def test_against_brute_force(problem: tuple[Corpus, np.ndarray], k: int) -> None:
    corpus, vectors = problem
    selection = select(corpus, ASK_ALL)
    found, similarity = rank_neighbours(vectors, selection, k)
    assert (found.dtype, similarity.dtype) == (np.int64, np.float32)
    for number, expected in enumerate(by_hand(vectors, selection, k)):
        size = len(expected)
        assert similarity[number, :size] == pytest.approx([each for _, each in expected], abs=1e-6)
        assert (found[number, size:] == -1).all()
        assert np.isnan(similarity[number, size:]).all()
        # Cosines that differ in exact arithmetic by less than float32 tells apart may swap.
        exact = dict(by_hand(vectors, selection, len(corpus))[number])
        assert [exact[i] for i in found[number, :size]] == pytest.approx(
            [each for _, each in expected], abs=1e-6
        )


def pool_of_copies(distinct: int, copies: int, dim: int) -> tuple[Corpus, np.ndarray]:
    """Every vector of D ``copies`` times, in turns; the queries are different."""
    rng = np.random.default_rng(distinct + dim)
    base = rng.standard_normal((distinct, dim)).astype(np.float32)
    queries = rng.standard_normal((5, dim)).astype(np.float32)
    rows: list[Target] = [("bank", "n", ("1",), "train")] * (distinct * copies)
    corpus = as_corpus([*rows, *[("bank", "n", ("1",), "test")] * len(queries)])
    return corpus, np.concatenate([np.tile(base, (copies, 1)), queries])


@pytest.mark.parametrize("dim", [3, 16, 384])
@pytest.mark.parametrize("distinct", [1, 7, 33, 101])
def test_copies_tie_and_stay_in_the_order_of_the_database(distinct: int, dim: int) -> None:
    """A matrix product may give equal columns results that differ in the last bit."""
    copies = 5
    corpus, vectors = pool_of_copies(distinct, copies, dim)
    found, similarity = rank_neighbours(vectors, select(corpus, ASK_ALL), distinct * copies)
    for places, values in zip(found, similarity, strict=True):
        for first in range(0, len(places), copies):
            group = places[first : first + copies]
            assert len(set(group % distinct)) == 1
            assert (np.diff(group) > 0).all()
            assert len(set(values[first : first + copies])) == 1


def test_zero_vectors_are_similar_to_nothing() -> None:
    corpus = as_corpus([*[("bank", "n", ("1",), "train")] * 3, *[("bank", "n", ("1",), "test")] * 2])
    vectors = np.array([[-1, 0], [0, 0], [1, 0], [2, 0], [0, 0]], np.float32)
    found, similarity = rank_neighbours(vectors, select(corpus, ASK_ALL), 3)
    assert found.tolist() == [[2, 1, 0], [0, 1, 2]]
    assert similarity.tolist() == [[1, 0, -1], [0, 0, 0]]
    assert normalised(vectors)[1].tolist() == [0, 0]


def invented_selection(pool_of_database: np.ndarray, pool_of_query: np.ndarray) -> Selection:
    """D are the first rows of the corpus and Q the rest; what ranking does not read is zero."""
    size, asked = len(pool_of_database), len(pool_of_query)
    rows = np.arange(size), np.arange(size, size + asked)
    none = np.zeros(asked, np.int64)
    every = np.zeros(size + asked, np.int64)
    return Selection(*rows, pool_of_database, pool_of_query, every, none, none, none, none, none, Protocol())


def plain(vectors: np.ndarray, selection: Selection, k: int, metric: Metric) -> tuple[np.ndarray, np.ndarray]:
    """A query at a time in double precision, rounded, and a stable sort."""
    found = np.full((len(selection.queries), k), -1, np.int64)
    similarity = np.full(found.shape, np.nan, np.float32)
    for number, (row, pool) in enumerate(zip(selection.queries, selection.pool_of_query, strict=True)):
        places = np.flatnonzero(selection.pool_of_database == pool)
        query = vectors[row].astype(float)
        values = []
        for each in vectors[selection.database[places]].astype(float):
            if metric == "euclidean":
                values.append(-math.dist(query, each))
            elif metric == "dot":
                values.append(math.fsum(query * each))
            else:
                norms = math.hypot(*query) * math.hypot(*each)
                values.append(math.fsum(query * each) / norms if norms else 0.0)
        rounded = np.array(values, np.float32)
        order = np.argsort(-rounded, kind="stable")[:k]
        found[number, : len(order)] = places[order]
        similarity[number, : len(order)] = rounded[order]
    return found, similarity


def invented_vectors(rng: np.random.Generator, size: int, dim: int) -> np.ndarray:
    """Multiples of 1/8, so that dot products are exact; copies, zeros and near copies among them."""
    vectors = np.round(rng.standard_normal((size + 1, dim)) * 8).astype(np.float32) / 8
    vectors, model = vectors[:size], vectors[size]
    vectors[rng.random(size) < 0.2] = model
    vectors[rng.random(size) < 0.05] = 0
    near = rng.random(size) < 0.1
    vectors[near] = model
    vectors[near, 0] += 0.125
    return vectors


@settings(max_examples=60, deadline=None)
@given(
    seed=st.integers(0, 2**32 - 1),
    sizes=st.lists(st.integers(0, 120), min_size=1, max_size=5),
    asked=st.integers(0, 30),
    dim=st.sampled_from((1, 5, 64)),
    k=st.sampled_from((1, 2, 10, 200)),
    metric=st.sampled_from(get_args(Metric)),
    threads=st.integers(1, 3),
    tile=st.sampled_from((1, 300, 4_000_000)),
    double=st.sampled_from((0, 50, 2048)),
)
def test_blocks_threads_and_precision_do_not_change_the_plain_result(
    seed: int,
    sizes: list[int],
    asked: int,
    dim: int,
    k: int,
    metric: Metric,
    threads: int,
    tile: int,
    double: int,
) -> None:
    rng = np.random.default_rng(seed)
    pools = rng.permutation(np.repeat(np.arange(len(sizes)), sizes))
    selection = invented_selection(pools, rng.integers(0, len(sizes), asked))
    vectors = invented_vectors(rng, len(pools) + asked, dim)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(neighbours, "_DOUBLE", double)
        found, similarity = rank_neighbours(vectors, selection, k, metric=metric, threads=threads, tile=tile)
    expected = plain(vectors, selection, k, metric)
    np.testing.assert_array_equal(found, expected[0])
    np.testing.assert_array_equal(similarity, expected[1])


@pytest.mark.parametrize("metric", get_args(Metric))
@pytest.mark.parametrize("scale", [1e-12, 1, 1e12])
def test_near_ties_that_single_precision_cannot_tell_apart(metric: Metric, scale: float) -> None:
    """Candidates that differ by a few units in the last place, in a pool of several tiles."""
    rng = np.random.default_rng(5)
    base = rng.standard_normal(384).astype(np.float32)
    crowd = np.tile(base, (900, 1))
    columns = rng.integers(0, 384, 900)
    crowd[np.arange(900), columns] *= 1 + rng.integers(-3, 4, 900).astype(np.float32) * np.float32(2**-22)
    queries = base + 0.3 * rng.standard_normal((6, 384)).astype(np.float32)
    vectors = (np.concatenate([crowd, queries]) * scale).astype(np.float32)
    selection = invented_selection(np.zeros(900, np.int64), np.zeros(6, np.int64))
    expected = plain(vectors, selection, 40, metric)
    for threads, tile, double in [(1, 900, 0), (2, 4000, 0), (2, 10**7, 0), (1, 10**7, 2048)]:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(neighbours, "_DOUBLE", double)
            found, similarity = rank_neighbours(
                vectors, selection, 40, metric=metric, threads=threads, tile=tile
            )
        np.testing.assert_array_equal(found, expected[0])
        np.testing.assert_array_equal(similarity, expected[1])


def test_a_shard_of_the_queries_has_the_same_neighbours() -> None:
    rng = np.random.default_rng(8)
    pools, asked = rng.integers(0, 7, 4000) ** 2, rng.integers(0, 7, 600) ** 2
    vectors = rng.standard_normal((4600, 48)).astype(np.float32)
    selection = invented_selection(pools, asked)
    found, similarity = rank_neighbours(vectors, selection, 20)
    for first in range(0, 600, 170):
        part = slice(first, first + 170)
        shard = selection._replace(queries=selection.queries[part], pool_of_query=asked[part])
        for whole, own in zip((found, similarity), rank_neighbours(vectors, shard, 20), strict=True):
            np.testing.assert_array_equal(whole[part], own)


def test_a_memory_map_and_half_precision(tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    vectors = rng.standard_normal((300, 16)).astype(np.float16)
    np.save(tmp_path / "vectors.npy", vectors)
    selection = invented_selection(np.zeros(250, np.int64), np.zeros(50, np.int64))
    found, similarity = rank_neighbours(np.load(tmp_path / "vectors.npy", mmap_mode="r"), selection, 9)
    expected = plain(vectors, selection, 9, "cosine")
    np.testing.assert_array_equal(found, expected[0])
    np.testing.assert_array_equal(similarity, expected[1])


def test_what_cannot_be_ranked_is_refused() -> None:
    selection = invented_selection(np.zeros(3, np.int64), np.zeros(1, np.int64))
    vectors = np.ones((4, 2), np.float32)
    with pytest.raises(UserError, match=r"at least 1, not 0"):
        rank_neighbours(vectors, selection, 0)
    with pytest.raises(UserError, match=r"unknown metric 'cosin'; did you mean 'cosine'"):
        rank_neighbours(vectors, selection, 1, metric="cosin")  # type: ignore[arg-type]
    vectors[2, 1] = np.nan
    with pytest.raises(UserError, match=r"instance 2 is not finite"):
        rank_neighbours(vectors, selection, 1)


def test_vectors_with_an_axis_of_layers_are_refused() -> None:
    corpus = as_corpus([("bank", "n", ("1",), "train"), ("bank", "n", ("1",), "test")])
    with pytest.raises(UserError, match="one vector a word"):
        rank_neighbours(np.zeros((2, 7, 4), np.float32), select(corpus, ASK_ALL), 3)


def three_and_one() -> tuple[Corpus, np.ndarray]:
    """D: senses 1, 2, 1, 1 at angles 0, 10, 20, 90; queries of sense 1 at 1 and of sense 2 at 80."""
    rows: list[Target] = [("bank", "n", (sense,), "train") for sense in "1211"]
    corpus = as_corpus([*rows, ("bank", "n", ("1",), "test"), ("bank", "n", ("2",), "test")])
    angles = np.radians([0, 10, 20, 90, 1, 80])
    return corpus, np.stack([np.cos(angles), np.sin(angles)], axis=1).astype(np.float32)


def test_scores() -> None:
    corpus, vectors = three_and_one()
    selection = select(corpus, ASK_ALL)
    result = evaluate("mine", corpus, vectors, selection, k=5)
    first = [1, 1 / 2, 2 / 3, 3 / 4, 3 / 5]  # 1 2 1 1 and a missing neighbour
    second = [0, 0, 1 / 3, 1 / 4, 1 / 5]  # 1 1 2 1: 90, 20, 10, 0 degrees
    assert result.precision == pytest.approx(np.array([first, second]))
    assert result.metric == "mean_precision@5"
    table = result.scores()
    assert table.schema == SCORE_SCHEMA
    *cells, everything = table.to_pylist()
    assert [cell["n"] for cell in cells] == [0, 2, 0, 0]  # l < 500; r = 3/4 and 1/4
    assert everything["slice"] == "all"
    assert everything["value"] == pytest.approx((sum(first) / 5 + sum(second) / 5) / 2)
    assert math.isnan(everything["low"])  # one lemma, one cluster
    assert math.isnan(cells[0]["value"])


def test_baselines() -> None:
    corpus, _ = three_and_one()
    chance, best = baselines(corpus, select(corpus, ASK_ALL), k=5)
    assert (chance.system, best.system, chance.corpus) == ("random", "oracle", "invented")
    assert chance.precision[0] == pytest.approx([3 / 4, 3 / 4, 3 / 4, 3 / 4, 3 / 4 * 4 / 5])
    assert best.precision == pytest.approx(
        np.array([[1, 1, 1, 3 / 4, 3 / 5], [1, 1 / 2, 1 / 3, 1 / 4, 1 / 5]])
    )


@settings(max_examples=60)
@given(problems(), st.integers(1, 12))
def test_no_system_beats_the_oracle(problem: tuple[Corpus, np.ndarray], k: int) -> None:
    corpus, vectors = problem
    selection = select(corpus, ASK_ALL)
    best = baselines(corpus, selection, k=k)[1]
    result = evaluate("any", corpus, vectors, selection, k=k)
    assert (result.precision.mean(axis=1) <= best.precision.mean(axis=1) + 1e-12).all()


def test_a_perfect_system_is_the_oracle() -> None:
    rows: list[Target] = [
        ("bank", "n", (sense,), split) for sense in "123" for split in ("train", "train", "test")
    ]
    corpus = as_corpus(rows)
    selection = select(corpus, ASK_ALL)
    by_sense = np.eye(3, dtype=np.float32)[selection.sense]
    result = evaluate("perfect", corpus, by_sense, selection, k=9)
    assert (result.precision == baselines(corpus, selection, k=9)[1].precision).all()


def test_all_buckets_may_be_empty() -> None:
    corpus, vectors = three_and_one()
    selection = select(corpus, Protocol(minimum=99))
    result = evaluate("mine", corpus, vectors, selection, k=5)
    assert [row["n"] for row in result.scores().to_pylist()] == [0] * 5


@pytest.mark.parametrize("metric", get_args(Metric))
def test_a_query_of_several_usages_is_their_mean(metric: Metric) -> None:
    rng = np.random.default_rng(3)
    vectors = rng.standard_normal((90, 8)).astype(np.float32)
    selection = invented_selection(np.zeros(60, np.int64), np.zeros(30, np.int64))
    companions = np.stack([np.roll(selection.queries, 1), np.roll(selection.queries, 2)], axis=1)
    means = vectors[np.concatenate([selection.queries[:, None], companions], axis=1)].mean(1, dtype=float)
    averaged = np.concatenate([vectors[:60], means.astype(np.float32)])
    found = rank_neighbours(vectors, selection._replace(companions=companions), 5, metric=metric)
    expected = plain(averaged, selection, 5, metric)
    assert np.array_equal(found[0], expected[0])
    assert np.array_equal(found[1], expected[1])
