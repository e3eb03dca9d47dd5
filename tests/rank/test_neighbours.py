"""Nearest neighbours, against comparing everything with everything."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from invented_corpora import Target, as_corpus

from uncommonsense.errors import UserError
from uncommonsense.metrics.retrieval import mean_precision
from uncommonsense.rank import Protocol, Selection, baselines, evaluate, rank_neighbours, select
from uncommonsense.rank.neighbours import normalised
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
    assert everything["low"] == everything["high"] == everything["value"]  # one lemma, one cluster
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
    assert (mean_precision(result.precision) <= mean_precision(best.precision) + 1e-12).all()


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
