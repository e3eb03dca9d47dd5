"""Spellings of layers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from uncommonsense.encode import Layers
from uncommonsense.errors import UserError

DEPTH = 12


@pytest.mark.parametrize(
    ("spec", "indices", "weights"),
    [
        ("last", (12,), None),
        ("-1", (12,), None),
        (-1, (12,), None),
        ("7", (7,), None),
        (7, (7,), None),
        (np.int64(7), (7,), None),
        ("0", (0,), None),
        ("-13", (0,), None),
        ("4,5,6", (4, 5, 6), None),
        ("4-6", (4, 5, 6), None),
        (" 6, 4 - 5 ", (4, 5, 6), None),
        ("1,-1", (1, 12), None),
        ("-3--1", (10, 11, 12), None),
        ("10--1", (10, 11, 12), None),
        ("5,5,5", (5,), None),
        ([6, 4, -1, 4], (4, 6, 12), None),
        (np.array([2, 3]), (2, 3), None),
        ("all", tuple(range(13)), None),
        ("ALL", tuple(range(13)), None),
        ("mean", tuple(range(13)), (1 / 13,) * 13),
        ("mean:4-6", (4, 5, 6), (1 / 3,) * 3),
        ("mean:last", (12,), (1.0,)),
        ("sum:4=0.2,5=0.8", (4, 5), (0.2, 0.8)),
        ("sum: 5 = .8 , 4 = 1e-3, -1=-2.", (4, 5, 12), (1e-3, 0.8, -2.0)),
        ({5: 0.8, -1: 2, 4: 0.2}, (4, 5, 12), (0.2, 0.8, 2.0)),
        (Layers((3, 4)), (3, 4), None),
    ],
)
def test_spellings(spec: Any, indices: tuple[int, ...], weights: tuple[float, ...] | None) -> None:
    assert Layers.parse(spec, depth=DEPTH) == Layers(indices, weights)


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("13", "layer 13 does not exist: this model has layers 0 (embeddings) to 12"),
        (-14, "layer -14 does not exist"),
        ([3, 13], "layer 13 does not exist"),
        ({13: 1.0}, "layer 13 does not exist"),
        (Layers((3, 13)), "layer 13 does not exist"),
        ("sum:20=1", "layer 20 does not exist"),
        ("6-4", "layers '6-4' run backwards"),
        ("first", "cannot read layers 'first'; write last, 7"),
        ("", "cannot read layers ''"),
        ([], "cannot read layers ''"),
        ([1.5], "cannot read layers '1.5'"),
        ({}, "cannot read layers 'sum:'"),
        ("4;5", "cannot read layers '4;5'"),
        ("mean:x", "cannot read layers 'x'"),
        ("sum", "cannot read layers 'sum'"),
        ("sum:4", "cannot read layers 'sum:4'"),
        ("sum:4=e", "cannot read layers 'sum:4=e'"),
        ("sum:4=0.2,", "cannot read layers 'sum:4=0.2,'"),
        ("sum:12=1,-1=2", "layer 12 has two weights"),
        ({4: float("nan")}, "the weight of layer 4 is nan"),
    ],
)
def test_what_cannot_be_read(spec: Any, message: str) -> None:
    with pytest.raises(UserError) as raised:
        Layers.parse(spec, depth=DEPTH)
    assert message in str(raised.value)


@pytest.mark.parametrize(("spec", "stacked"), [("4", False), ("4,5", True), ("all", True), ("mean", False)])
def test_stacked(spec: str, stacked: bool) -> None:
    assert Layers.parse(spec, depth=DEPTH).stacked is stacked


indices = st.integers(0, DEPTH)
weights = st.floats(allow_nan=False, allow_infinity=False)


@given(st.one_of(st.sets(indices, min_size=1).map(sorted), st.dictionaries(indices, weights, min_size=1)))
def test_the_one_spelling_reads_back(spec: Any) -> None:
    layers = Layers.parse(spec, depth=DEPTH)
    assert Layers.parse(str(layers), depth=DEPTH) == layers
