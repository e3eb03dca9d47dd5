"""Queries, candidates and buckets, against the rules written out with dicts and loops."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from invented_corpora import Target, as_corpus, targets

from uncommonsense.errors import UserError
from uncommonsense.rank import PROTOCOLS, Protocol, select
from uncommonsense.schema import Corpus


class Asked(NamedTuple):
    """What the rules say about one query."""

    candidates: list[int]
    relevant: list[int]
    frequency: int
    prevalence: float


def by_hand(rows: list[Target], protocol: Protocol) -> tuple[list[int], dict[int, Asked]]:
    """Rows of D, and each query's row with what belongs to it."""
    database = [
        i
        for i, (_, _, senses, split) in enumerate(rows)
        if senses and (split in protocol.database or split.split(".")[0] in protocol.database)
    ]
    of_sense: Counter[Any] = Counter()
    of_word: Counter[Any] = Counter()
    for i in database:
        lemma, pos, senses, _ = rows[i]
        of_sense[lemma, pos, senses[0]] += 1
        of_word[lemma, pos] += 1
    asked = {}
    for i, (lemma, pos, senses, split) in enumerate(rows):
        if split not in protocol.queries and split.split(".")[0] not in protocol.queries:
            continue
        if not senses or senses[0] in protocol.excluded:
            continue
        count = of_sense[lemma, pos, senses[0]]
        if count < protocol.minimum:
            continue
        if protocol.monosemous == "drop" and count == of_word[lemma, pos]:
            continue
        same_word = [
            j
            for j in database
            if rows[j][0] == lemma and (protocol.candidates == "lemma" or rows[j][1] == pos)
        ]
        same_sense = [j for j in same_word if rows[j][1] == pos and rows[j][2][0] == senses[0]]
        frequency = count if protocol.frequency == "sense" else of_word[lemma, pos]
        asked[i] = Asked(same_word, same_sense, frequency, count / of_word[lemma, pos])
    return database, asked


RULES = {
    "published": PROTOCOLS["published"],
    "stated": PROTOCOLS["stated"],
    "published, nota": replace(PROTOCOLS["published"], excluded=frozenset({"nota"}), minimum=2),
    "stated, nota": replace(PROTOCOLS["stated"], excluded=frozenset({"nota"}), minimum=1),
    "zero-shot": Protocol(
        database=("train", "dev"), queries=("test.zero-shot",), minimum=1, monosemous="keep"
    ),
    "by sense, kept": Protocol(candidates="lemma+pos", monosemous="keep", minimum=3),
}


@pytest.mark.parametrize("rules", RULES.values(), ids=list(RULES))
@settings(max_examples=60)
@given(rows=targets())
def test_against_the_rules_by_hand(rules: Protocol, rows: list[Target]) -> None:
    database, asked = by_hand(rows, rules)
    labelled_query = any(
        senses and (split in rules.queries or split.split(".")[0] in rules.queries)
        for _, _, senses, split in rows
    )
    if not database or not labelled_query:
        with pytest.raises(UserError, match="no labelled instance"):
            select(as_corpus(rows), rules)
        return
    found = select(as_corpus(rows), rules)
    assert found.database.tolist() == database
    assert found.queries.tolist() == list(asked)
    for number, (row, expected) in enumerate(asked.items()):
        pool = found.database[found.pool_of_database == found.pool_of_query[number]]
        assert pool.tolist() == expected.candidates
        assert pool[found.sense[pool] == found.sense[row]].tolist() == expected.relevant
    assert found.candidates.tolist() == [len(each.candidates) for each in asked.values()]
    assert found.relevant.tolist() == [len(each.relevant) for each in asked.values()]
    assert found.frequency.tolist() == [each.frequency for each in asked.values()]
    assert found.prevalence.tolist() == pytest.approx([each.prevalence for each in asked.values()])
    lemmas = [rows[row][0] for row in asked]
    assert (found.lemma[:, None] == found.lemma).tolist() == [[a == b for b in lemmas] for a in lemmas]


@settings(max_examples=40)
@given(
    rows=targets(),
    frequencies=st.lists(st.integers(1, 9), min_size=1, max_size=3, unique=True).map(sorted),
    shares=st.lists(st.sampled_from((0.1, 0.25, 0.5, 1.0)), min_size=1, max_size=3, unique=True).map(sorted),
)
def test_buckets_hold_each_query_once(
    rows: list[Target], frequencies: list[int], shares: list[float]
) -> None:
    rules = Protocol(
        minimum=1,
        monosemous="keep",
        frequency_edges=tuple(frequencies),
        prevalence_edges=tuple(shares),
        queries=("train",),
    )
    database, asked = by_hand(rows, rules)
    if not database:
        return
    cells: Counter[tuple[int, int]] = Counter()
    for each in asked.values():
        l_cell = sum(each.frequency >= edge for edge in frequencies)
        cells[l_cell, sum(each.prevalence >= edge for edge in shares)] += 1
    buckets = select(as_corpus(rows), rules).buckets()
    grid = [(i, j) for i in range(len(frequencies) + 1) for j in range(len(shares) + 1)]
    assert [int(bucket.members.sum()) for bucket in buckets] == [cells[cell] for cell in grid]
    assert len({bucket.label for bucket in buckets}) == len(grid)


def test_the_labels_of_the_papers_table() -> None:
    rows: list[Target] = [("pull", "n", ("1",), "train")] * 5 + [("pull", "n", ("2",), "train")]
    labels = [
        bucket.label for bucket in select(as_corpus([*rows, (*rows[0][:3], "dev")]), Protocol()).buckets()
    ]
    assert labels == [
        "l < 500, r < 0.25",
        "l < 500, r ≥ 0.25",
        "l ≥ 500, r < 0.25",
        "l ≥ 500, r ≥ 0.25",
    ]
    three = replace(Protocol(), frequency_edges=(5, 10), prevalence_edges=(0.5,))
    between = select(as_corpus([*rows, (*rows[0][:3], "dev")]), three).buckets()[3]
    assert (between.label, between.members.tolist()) == ("5 ≤ l < 10, r ≥ 0.5", [True])


def two_parts_of_speech() -> Corpus:
    """``pull``: in D the noun has sense 1 five times; the verb sense 1 six times and nota once."""
    noun: list[Target] = [("pull", "n", ("n1",), "train")] * 5
    verb: list[Target] = [("pull", "v", ("v1",), "train")] * 6 + [("pull", "v", ("nota",), "train")] * 5
    asked: list[Target] = [
        ("pull", pos, (sense,), "test") for pos, sense in (("n", "n1"), ("v", "v1"), ("v", "nota"))
    ]
    return as_corpus([*noun, *verb, *asked])


def test_the_two_readings_differ_as_they_should() -> None:
    nota = frozenset({"nota"})
    published = select(two_parts_of_speech(), replace(PROTOCOLS["published"], excluded=nota))
    assert published.queries.tolist() == [17]  # the noun has one sense in D: dropped
    assert published.candidates.tolist() == [16]  # noun, verb and nota compete
    assert published.frequency.tolist() == [6]
    assert published.prevalence.tolist() == [6 / 11]  # nota counts for the prevalence
    stated = select(two_parts_of_speech(), replace(PROTOCOLS["stated"], excluded=nota))
    assert stated.queries.tolist() == [16, 17]
    assert stated.candidates.tolist() == [5, 11]
    assert stated.frequency.tolist() == [5, 11]
    assert stated.prevalence.tolist() == [1, 6 / 11]


def test_labels_that_words_share_are_senses_of_each_word() -> None:
    """Supersenses: ``motion`` of ``run`` is nothing that a search for ``walk`` could find."""
    rows: list[Target] = [("walk", "v", ("motion",), "train"), ("walk", "v", ("social",), "train")]
    rows += [("run", "v", ("motion",), "train")] * 7
    found = select(as_corpus([*rows, ("walk", "v", ("motion",), "test")]), Protocol(minimum=1))
    assert (found.relevant.tolist(), found.candidates.tolist(), found.prevalence.tolist()) == (
        [1],
        [2],
        [1 / 2],
    )


def test_a_missing_split_is_named() -> None:
    with pytest.raises(UserError, match=r"database split \(train\); its splits are dev, other\."):
        select(as_corpus([("pull", "n", ("1",), "dev"), ("pull", "n", ("1",), "other")]), Protocol())
    with pytest.raises(UserError, match=r"queries split \(dev or test\)"):
        select(as_corpus([("pull", "n", ("1",), "train"), ("pull", "n", (), "dev")]), Protocol())


def test_a_selection_of_a_corpus_is_a_corpus_too() -> None:
    """Arrow columns that were filtered have offsets of their own."""
    corpus = two_parts_of_speech()
    kept = corpus.select(np.arange(len(corpus)) >= 5)
    assert select(kept, Protocol()).candidates.tolist() == [11, 11]


def several(counts: dict[str, int]) -> Corpus:
    """A word with six usages of each sense in D, and ``counts`` of them in Q."""
    known = [("bank", "n", (sense,), "train") for sense in counts for _ in range(6)]
    asked = [("bank", "n", (sense,), "test") for sense, count in counts.items() for _ in range(count)]
    return as_corpus([*known, *asked])


def test_a_query_of_several_usages_takes_others_of_its_sense() -> None:
    corpus = several({"1": 4, "2": 2, "3": 3})
    selection = select(corpus, replace(PROTOCOLS["published"], query_size=3))
    assert selection.queries.tolist() == [18, 19, 20, 21, 24, 25, 26]  # sense 2 is asked for too rarely
    assert selection.companions is not None
    assert selection.companions.shape == (7, 2)
    for row, others in zip(selection.queries, selection.companions, strict=True):
        assert len({row, *others}) == 3
        assert (selection.sense[others] == selection.sense[row]).all()
    assert Counter(selection.companions.ravel()) == dict.fromkeys(selection.queries, 2)


def test_companions_are_drawn_by_the_seed() -> None:
    corpus = several({"1": 30})
    rules = [Protocol(query_size=4, query_seed=seed, monosemous="keep") for seed in (0, 0, 1)]
    first, again, other = (select(corpus, rule).companions for rule in rules)
    assert np.array_equal(first, again)
    assert not np.array_equal(first, other)
