"""Official scores, intervals, slices and comparisons."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from invented_wsd import asked_text, inventory, training_text

from uncommonsense.corpora import load_corpus
from uncommonsense.errors import UnknownNameError, UserError
from uncommonsense.schema import SCORE_SCHEMA, Corpus, Instance, Sentence
from uncommonsense.wsd.comparison import compare, exact_mcnemar
from uncommonsense.wsd.evaluation import evaluate, evaluation_part, training_part
from uncommonsense.wsd.first_sense import FirstSense
from uncommonsense.wsd.keys import Answers
from uncommonsense.wsd.scoring import METRICS, annotated, clusters_of, judge, score
from uncommonsense.wsd.slices import plain_slices, training_slices

IDS = ("a", "b", "c", "d")
KEYS = st.frozensets(st.sampled_from(["k1", "k2", "k3", "k4"]), min_size=1)


def gold_of(keys: dict[str, tuple[str, ...]], splits: dict[str, str] | None = None) -> Corpus:
    """One sentence; the lemma of an instance is its id."""
    targets = (
        Instance(each, 0, 1, each, "n", senses, (splits or {}).get(each, "")) for each, senses in keys.items()
    )
    return Corpus.from_sentences([Sentence("s", ("word",), "text", tuple(targets))], name="gold")


def figures(gold: dict[str, tuple[str, ...]], answers: dict[str, tuple[str, ...]]) -> dict[str, float]:
    judged = judge(gold_of(gold), Answers("x", answers))
    return {metric: judged.measured(metric).score() for metric in METRICS}


ONE = {each: (f"{each}1",) for each in IDS}


@pytest.mark.parametrize(
    ("gold", "answers", "precision", "recall"),
    [
        (ONE, {"a": ("a1",), "b": ("b1",), "c": ("c2",), "d": ("d1",)}, 3 / 4, 3 / 4),
        (ONE, {"a": ("a1",), "b": ("b2",)}, 1 / 2, 1 / 4),  # two are missing
        (ONE, {"a": ("a1",), "b": ()}, 1, 1 / 4),  # a line without a key is no answer
        (ONE, {"a": ("a1", "a2"), "b": ("b1",), "c": ("c2", "c3")}, 1.5 / 3, 1.5 / 4),  # several answers
        ({"a": ("k1", "k2"), "b": ("k3",)}, {"a": ("k2",), "b": ("k1",)}, 1 / 2, 1 / 2),  # several are right
        ({"a": ("k1", "k2")}, {"a": ("k1", "k2", "k3")}, 2 / 3, 2 / 3),
        (ONE, {"a": ("a1",), "elsewhere": ("k",)}, 1, 1 / 4),  # an unknown instance is left out
        (ONE, {"a": ("a1", "a1", "a2")}, 1 / 2, 1 / 8),  # the same answer twice is one answer
        (ONE, {"a": ("A1",), "b": ("b1",)}, 1 / 2, 1 / 4),  # case matters
        (ONE, {"a": ("a2",)}, 0, 0),
    ],
)
def test_hand_made_cases(
    gold: dict[str, tuple[str, ...]], answers: dict[str, tuple[str, ...]], precision: float, recall: float
) -> None:
    """The values are worked out by hand from the official definition."""
    mean = 2 * precision * recall / (precision + recall) if precision else 0
    assert figures(gold, answers) == pytest.approx({"f1": mean, "precision": precision, "recall": recall})


@given(st.dictionaries(st.sampled_from(IDS), KEYS, min_size=1), st.dictionaries(st.sampled_from(IDS), KEYS))
def test_f1_is_the_harmonic_mean(gold: dict[str, frozenset[str]], answers: dict[str, frozenset[str]]) -> None:
    """The official sums, written as the program has them."""
    known = {each: found for each, found in answers.items() if each in gold}
    if answers and not known:
        return
    right = sum(len(found & gold[each]) / len(found) for each, found in known.items())
    wrong = sum(len(found - gold[each]) / len(found) for each, found in known.items())
    found = figures({k: tuple(v) for k, v in gold.items()}, {k: tuple(v) for k, v in answers.items()})
    assert found["recall"] == pytest.approx(right / len(gold))
    if not known:
        assert np.isnan(found["precision"])
        assert found["f1"] == 0
        return
    precision, recall = right / (right + wrong), right / len(gold)
    assert found["precision"] == pytest.approx(precision)
    mean = 2 * precision * recall / (precision + recall) if right else 0
    assert found["f1"] == pytest.approx(mean)


def test_answers_to_unknown_instances_are_counted_and_alone_an_error() -> None:
    assert judge(gold_of(ONE), Answers("x", {"a": ("a1",), "e": ("k",), "f": ("k",)})).foreign == 2
    with pytest.raises(UserError, match=r"ids such as 'senseval2\.d0', the other 'a'"):
        judge(gold_of(ONE), Answers("x", {"senseval2.d0": ("k",)}))


def test_instances_without_a_gold_sense_are_not_judged() -> None:
    gold = annotated(gold_of({"a": ("k",), "b": ()}))
    assert gold.instances["id"].to_pylist() == ["a"]
    with pytest.raises(UserError, match="no instance with a gold sense"):
        annotated(gold_of({"b": ()}))


def test_score_rows() -> None:
    gold = asked_text()
    table = score(gold, FirstSense(inventory()).predict(gold), slices=plain_slices(gold))
    assert table.schema == SCORE_SCHEMA
    found = {(row["slice"], row["metric"]): row for row in table.to_pylist()}
    assert found["all", "f1"]["value"] == pytest.approx(3 / 5)
    assert found["verbs", "f1"]["value"] == 1
    assert found["nouns", "recall"]["value"] == pytest.approx(2 / 4)
    assert found["nouns", "recall"]["n"] == 4
    assert found["all", "f1"]["low"] <= 3 / 5 <= found["all", "f1"]["high"]
    assert np.isnan(found["verbs", "f1"]["low"])  # one lemma says nothing of others


def test_clusters() -> None:
    gold = asked_text()
    assert clusters_of(gold).tolist() == [0, 0, 0, 1, 2]
    assert clusters_of(gold, "sentence").tolist() == [0, 1, 2, 3, 4]
    assert clusters_of(gold, "document").tolist() == [0] * 5
    with pytest.raises(UnknownNameError, match="lemma"):
        clusters_of(gold, "word")  # type: ignore[arg-type]


# Slices


def members(slices: list[tuple[str, np.ndarray]]) -> dict[str, list[int]]:
    return {label: np.flatnonzero(chosen).tolist() for label, chosen in slices}


def test_data_sets_and_splits() -> None:
    ids = ("senseval2.d000.s000.t000", "semeval2007.d000.s000.t000", "semeval2007.d000.s000.t001")
    splits = dict(zip(ids, ("dev.few-shot", "dev.zero-shot", "test.few-shot"), strict=True))
    found = members(plain_slices(gold_of(dict.fromkeys(ids, ("k",)), splits)))
    assert found == {
        "senseval2": [0],
        "semeval2007": [1, 2],
        "dev": [0, 1],
        "dev.few-shot": [0],
        "dev.zero-shot": [1],
        "test.few-shot": [2],
        "nouns": [0, 1, 2],
    }


def test_slices_relative_to_training() -> None:
    """pitch: 1 sound, 2 field; row: one of each; no tar, no verb, no tuba."""
    found = members(training_slices(asked_text(), training_text(), inventory(), frequency_edges=(1, 2)))
    assert found == {
        "MFS": [2, 3, 4],
        "LFS": [0, 1],
        "MFS in training": [0, 2, 3, 4],
        "LFS in training": [1],
        "zero-shot words": [2, 4],
        "zero-shot senses": [1, 2, 4],
        "l < 1, r < 0.25": [1, 2, 4],
        "1 ≤ l < 2, r ≥ 0.25": [3],
        "l ≥ 2, r ≥ 0.25": [0],
    }


def test_parts_of_a_corpus_with_splits() -> None:
    names = {"a": "train", "b": "dev.few-shot", "c": "dev.zero-shot", "d": "test"}
    corpus = gold_of(ONE, names)
    assert training_part(corpus).instances["id"].to_pylist() == ["a"]
    assert evaluation_part(corpus).instances["id"].to_pylist() == ["b", "c", "d"]
    assert evaluation_part(corpus, "dev").instances["id"].to_pylist() == ["b", "c"]
    assert len(training_part(gold_of(ONE))) == len(evaluation_part(gold_of(ONE))) == 4
    with pytest.raises(UserError, match=r"no split 'tset'.*dev\.few-shot"):
        evaluation_part(corpus, "tset")


# Comparison


def test_mcnemar() -> None:
    assert exact_mcnemar(1, 8) == 2 * (1 + 9) / 2**9
    assert exact_mcnemar(8, 1) == exact_mcnemar(1, 8)
    assert exact_mcnemar(0, 0) == exact_mcnemar(5, 5) == 1


@settings(deadline=None)
@given(st.integers(0, 3000), st.integers(0, 3000))
def test_mcnemar_is_a_binomial_test(wins: int, losses: int) -> None:
    stats = pytest.importorskip("scipy.stats")
    if wins + losses:
        expected = stats.binomtest(wins, wins + losses).pvalue
        assert exact_mcnemar(wins, losses) == pytest.approx(
            expected, rel=1e-6, abs=1e-200
        )  # scipy rounds less to 0


def test_two_systems() -> None:
    keys = {f"i{number}": (f"k{number}",) for number in range(40)}
    gold = gold_of(keys)
    better = judge(gold, Answers("better", keys))
    worse = judge(gold, Answers("worse", {each: found for each, found in keys.items() if each < "i3"}))
    found = compare(better, worse, clusters_of(gold))
    silent = sum(each >= "i3" for each in keys)
    assert (found.wins, found.losses) == (silent, 0)
    assert found.difference == pytest.approx(silent / 40)
    assert found.mcnemar_p == pytest.approx(2 / 2**silent)
    assert found.permutation_p < 0.01
    same = compare(better, better, clusters_of(gold))
    assert (same.difference, same.mcnemar_p, same.permutation_p) == (0, 1, 1)


def test_evaluation_compares_every_two() -> None:
    gold = gold_of(ONE)
    found = evaluate(gold, [Answers(name, ONE) for name in "xyz"])
    assert [(each.first, each.second) for each in found.comparisons] == [("x", "y"), ("x", "z"), ("y", "z")]
    assert {row["system"] for row in found.as_json()["scores"]} == {"x", "y", "z"}


@pytest.mark.shared
def test_intervals_get_narrower_with_more_text(shared: Path) -> None:
    """And all three kinds of cluster hold the score."""
    gold = load_corpus(f"framework:{shared / 'wsd_evaluation_framework'}")
    keys = gold.instances["senses"].to_pylist()
    answers = {each: (found[0],) for each, found in zip(gold.instances["id"].to_pylist(), keys, strict=True)}
    for each in list(answers)[::3]:
        answers[each] = ("wrong",)
    halves = []
    for number in (500, 7253):
        part = gold.select(np.arange(len(gold)) < number)
        (row, *_) = score(part, Answers("x", answers)).to_pylist()
        assert row["low"] < row["value"] < row["high"]
        halves.append(row["high"] - row["low"])
    assert all(first > second for first, second in pairwise(halves))
