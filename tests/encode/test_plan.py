"""Units and batches."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from uncommonsense.encode.pieces import PieceTable
from uncommonsense.encode.plan import Plan, make_plan
from uncommonsense.errors import UserError

UNKNOWN = -1


class Request(NamedTuple):
    """Sentences of words of pieces, targets in them, and what fits a model."""

    sentences: list[list[list[int]]]
    targets: list[tuple[int, int, int]]
    limit: int

    def plan(self, unknown: int | None = UNKNOWN) -> Plan:
        words = [word for sentence in self.sentences for word in sentence]
        lengths = [len(word) for word in words]
        ids = np.array([piece for word in words for piece in word], np.int64)
        table = PieceTable(ids, np.concatenate(([0], np.cumsum(lengths, dtype=np.int64))))
        offsets = np.concatenate(
            ([0], np.cumsum([len(sentence) for sentence in self.sentences], dtype=np.int64))
        )
        targets = np.array(self.targets, np.int64).reshape(-1, 3)
        return make_plan(table, offsets, targets, limit=self.limit, unknown=unknown)

    def seen(self, target: tuple[int, int, int]) -> tuple[list[int], int, int]:
        """Pieces of the target's sentence as it should be read, and where the target lies in them."""
        number, first, end = target
        words = [list(word) for word in self.sentences[number]]
        if not any(words[first:end]):
            words[first] = [UNKNOWN]
        start, length = sum(map(len, words[:first])), sum(map(len, words[first:end]))
        return [piece for word in words for piece in word], start, length


@st.composite
def requests(draw: st.DrawFn) -> Request:
    lengths = draw(st.lists(st.lists(st.integers(0, 3), min_size=1, max_size=30), min_size=1, max_size=6))
    numbers = iter(range(10_000))
    sentences = [[[next(numbers) for _ in range(n)] for n in sentence] for sentence in lengths]
    targets = []
    for _ in range(draw(st.integers(0, 12))):
        sentence = draw(st.integers(0, len(sentences) - 1))
        first = draw(st.integers(0, len(sentences[sentence]) - 1))
        end = draw(st.integers(first + 1, min(first + 3, len(sentences[sentence]))))
        targets.append((sentence, first, end))
    return Request(sentences, targets, draw(st.integers(9, 40)))


@given(requests())
def test_every_target_lies_in_its_unit(request_: Request) -> None:
    plan = request_.plan()
    assert len(plan.target_unit) == len(request_.targets)
    assert set(plan.target_unit) == set(range(len(plan.unit_start)))
    assert (plan.unit_length <= request_.limit).all()
    for i, target in enumerate(request_.targets):
        pieces, start, length = request_.seen(target)
        unit = plan.target_unit[i]
        text = plan.pieces[plan.unit_start[unit] : plan.unit_start[unit] + plan.unit_length[unit]].tolist()
        place = plan.target_start[i]
        assert place >= 0
        assert plan.target_length[i] == length > 0
        assert text[place : place + length] == pieces[start : start + length]
        assert text == pieces[start - place : start - place + len(text)]
        assert len(text) == min(len(pieces), request_.limit)


@given(requests())
def test_context_is_balanced(request_: Request) -> None:
    plan = request_.plan()
    for i, target in enumerate(request_.targets):
        pieces, start, length = request_.seen(target)
        before = plan.target_start[i]
        after = plan.unit_length[plan.target_unit[i]] - before - length
        fair = request_.limit // 2 - max(1, request_.limit // 8) - length
        assert before >= min(fair, start)
        assert after >= min(fair, len(pieces) - start - length)


@given(requests(), st.integers(1, 120))
def test_batches_partition_units_and_targets(request_: Request, budget: int) -> None:
    plan = request_.plan()
    batches = list(plan.batches(budget))
    units = [unit for batch in batches for unit in batch.units]
    targets = [target for batch in batches for target in batch.targets]
    assert sorted(units) == list(range(len(plan.unit_start)))
    assert sorted(targets) == list(range(len(plan.target_unit)))
    for batch in batches:
        assert set(plan.target_unit[batch.targets]) == set(batch.units)
        assert len(batch.units) == 1 or len(batch.units) * plan.unit_length[batch.units].max() <= budget


def test_a_sentence_is_one_unit_for_all_its_targets() -> None:
    plan = Request([[[1], [2], [3]]], [(0, 0, 1), (0, 2, 3), (0, 0, 3)], 10).plan()
    assert plan.unit_length.tolist() == [3]


def test_neighbours_in_a_long_sentence_share_windows() -> None:
    words = [[i] for i in range(1000)]
    plan = Request([words], [(0, i, i + 1) for i in range(1000)], 80).plan()
    assert len(plan.unit_start) <= 1000 // (80 // 8)


def test_batches_of_one_length_need_no_padding() -> None:
    sentences = [[[0]] * n for n in (5, 7) for _ in range(30)]
    plan = Request(sentences, [(i, 0, 1) for i in range(60)], 10).plan()
    assert all(len(set(plan.unit_length[batch.units])) == 1 for batch in plan.batches(100))


def test_a_target_that_does_not_fit() -> None:
    with pytest.raises(UserError, match="a target of 12 pieces does not fit the 10 that this model reads"):
        Request([[[1] * 12]], [(0, 0, 1)], 10).plan()


def test_an_empty_target_without_an_unknown_token() -> None:
    with pytest.raises(UserError, match="a target has no pieces"):
        Request([[[1], []]], [(0, 1, 2)], 10).plan(unknown=None)
