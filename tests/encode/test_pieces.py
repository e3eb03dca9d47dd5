"""Piece tables, and pooling over them."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from uncommonsense.encode.pieces import Pieces, PieceTable
from uncommonsense.encode.pool import POOLS, piece_rows
from uncommonsense.errors import UnknownNameError

words = st.lists(st.text("abc", max_size=4), max_size=12)


def spell(words: list[str]) -> list[list[int]]:
    """A piece per letter."""
    return [[ord(letter) for letter in word] for word in words]


def rows_of(table: PieceTable) -> list[list[int]]:
    return [table.ids[a:b].tolist() for a, b in zip(table.offsets[:-1], table.offsets[1:], strict=True)]


@given(words)
def test_a_table_holds_the_pieces_of_each_word(words: list[str]) -> None:
    table = Pieces(spell).table(words)
    assert rows_of(table) == spell(words)
    assert table.lengths.tolist() == [len(word) for word in words]


@given(words.filter(bool), st.data())
def test_expanding_is_looking_up_each_word(words: list[str], data: st.DataObject) -> None:
    codes = data.draw(st.lists(st.integers(0, len(words) - 1)))
    expanded = Pieces(spell).table(words).expand(np.array(codes, np.int64))
    assert rows_of(expanded) == spell([words[code] for code in codes])


def test_a_word_is_tokenised_once() -> None:
    asked: list[str] = []

    def encode(words: list[str]) -> list[list[int]]:
        asked.extend(words)
        return spell(words)

    pieces = Pieces(encode)
    pieces.table(["a", "b", "a"])
    pieces.table(["b", "c"])
    assert asked == ["a", "b", "c"]


@given(st.lists(st.tuples(st.integers(0, 30), st.integers(1, 6)), max_size=10))
def test_pooling_is_what_its_name_says(spans: list[tuple[int, int]]) -> None:
    hidden = torch.randn(40, 3, generator=torch.Generator().manual_seed(0))
    start, length = np.array(spans, np.int64).reshape(-1, 2).T
    naive = {
        "mean": [hidden[a : a + n].mean(0) for a, n in spans],
        "first": [hidden[a] for a, _ in spans],
        "last": [hidden[a + n - 1] for a, n in spans],
    }
    for pool in POOLS:
        rows = piece_rows(start, length, pool)
        found = rows.pool(hidden[rows.rows])
        torch.testing.assert_close(found, torch.stack(naive[pool]) if spans else torch.empty(0, 3))


def test_half_precision_is_pooled_in_float32() -> None:
    rows = piece_rows(np.array([0]), np.array([2]), "mean")
    assert rows.pool(torch.ones(2, 3, dtype=torch.bfloat16)).dtype == torch.float32


def test_an_unknown_pooling() -> None:
    with pytest.raises(UnknownNameError, match="unknown pooling 'men'; did you mean 'mean'"):
        piece_rows(np.array([0]), np.array([1]), "men")
