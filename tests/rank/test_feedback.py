"""Marks that refine a query."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from uncommonsense.errors import UnknownNameError, UserError
from uncommonsense.rank.feedback import ALPHA, BETA, GAMMA, find_instances, parse_marks, read_marks, refine
from uncommonsense.testing import mini_corpus

NONE = np.empty((0, 2), np.float32)
EAST, NORTH = np.array([1, 0], np.float32), np.array([0, 1], np.float32)


def test_no_marks_leave_the_query() -> None:
    assert refine(3 * EAST, NONE, NONE) == pytest.approx(EAST)


def test_the_formula() -> None:
    """Lengths do not count, and neither does how many usages are marked."""
    wanted = np.array([1, 0.75]) / 1.25
    assert refine(EAST, 7 * NORTH[None], NONE) == pytest.approx(wanted)
    assert refine(EAST, np.stack([NORTH, 2 * NORTH]), NONE) == pytest.approx(wanted)
    assert refine(EAST, NONE, NORTH[None]) == pytest.approx(np.array([1, -0.25]) / np.hypot(1, 0.25))


def test_a_query_is_not_turned_round() -> None:
    assert ALPHA - BETA >= GAMMA
    assert refine(EAST, NONE, EAST[None]) == pytest.approx(EAST)
    assert refine(EAST, -EAST[None], EAST[None]) == pytest.approx(EAST)
    assert refine(0 * EAST, NONE, EAST[None]) == pytest.approx([0, 0])


VECTORS = arrays(np.float64, st.tuples(st.integers(0, 4), st.just(3)), elements=st.floats(-1, 1, width=32))


@given(arrays(np.float64, 3, elements=st.floats(-1, 1, width=32)), VECTORS, VECTORS)
def test_rejected_usages_only_bend(query: np.ndarray, accepted: np.ndarray, rejected: np.ndarray) -> None:
    assume(np.linalg.norm(query) > 1e-3)
    refined = refine(query, accepted, rejected)
    assert np.linalg.norm(refined) == pytest.approx(1)
    assert refined @ refine(query, accepted, rejected[:0]) >= -1e-9
    assert refined @ query >= -1e-9


def test_marks() -> None:
    assert read_marks(["a", "b"], ["c"]) == {"a": True, "b": True, "c": False}
    with pytest.raises(UserError, match="'a' is marked yes and no"):
        read_marks(["a"], ["b", "a"])


def test_marks_by_number() -> None:
    shown = ["a", "b", "c"]
    assert parse_marks("+1 +3 -2", shown) == {"a": True, "c": True, "b": False}
    assert parse_marks(" -3,+1 ", shown) == {"a": True, "c": False}
    assert parse_marks("", shown) == {}
    for text, message in [
        ("1", "cannot read '1'; expected marks such as"),
        ("+", "cannot read"),
        ("+1x", "cannot read"),
        ("+4", "no result 4; the numbers go from 1 to 3"),
        ("-0", "no result 0"),
        ("+1 -1", "marked yes and no"),
    ]:
        with pytest.raises(UserError, match=message.replace("+", r"\+")):
            parse_marks(text, shown)


def test_marked_instances() -> None:
    corpus = mini_corpus()
    ids = corpus.instances["id"].to_pylist()
    assert find_instances(corpus, {ids[5]: True, ids[2]: False}, near=np.arange(3)).tolist() == [5, 2]
    assert find_instances(corpus, {}, near=np.arange(3)).tolist() == []
    with pytest.raises(UnknownNameError, match=r"did you mean 'bat\.n\.animal\.1\.t0'"):
        find_instances(corpus, {"bat.n.animal.1.t1": True}, near=np.arange(3))
