"""Relevance feedback: "more like this one, less like that one" moves a query (Rocchio 1971).

With unit vectors, ``refined = ALPHA · query + BETA · mean(accepted) - GAMMA · mean(rejected)``, made a unit
vector again. As ``ALPHA - BETA >= GAMMA``, what is subtracted is never longer than what it is subtracted
from: usages that were rejected bend the query, they cannot turn it round.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from uncommonsense.errors import UnknownNameError, UserError
from uncommonsense.rank.neighbours import normalised
from uncommonsense.schema import Corpus

__all__ = ["ALPHA", "BETA", "GAMMA", "find_instances", "parse_marks", "read_marks", "refine"]

ALPHA = 1.0
"""Weight of the query as it was asked."""
BETA = 0.75
"""Weight of the mean of the accepted usages."""
GAMMA = 0.25
"""Weight of the mean of the rejected usages."""

_MARK = re.compile(r"([+-])([0-9]+)")


def refine(query: np.ndarray, accepted: np.ndarray, rejected: np.ndarray) -> np.ndarray:
    """The refined query ``(dim,)``, of length 1.

    ``query`` is ``(dim,)``; ``accepted`` and ``rejected`` are ``(n, dim)``, any n. Only directions count.
    """
    wanted = ALPHA * normalised(query[None])[0] + BETA * _mean(accepted)
    refined = wanted - GAMMA * _mean(rejected)
    if refined @ wanted <= 0:  # all of it was taken away, or there was nothing to begin with
        refined = wanted
    return np.asarray(normalised(refined[None])[0], query.dtype)


def _mean(vectors: np.ndarray) -> np.ndarray:
    """Of unit vectors ``(n, dim)``; zero where there are none."""
    unit = normalised(vectors.astype(np.float64))
    return np.asarray(unit.sum(axis=0) / max(1, len(unit)))


def read_marks(accepted: Sequence[str], rejected: Sequence[str]) -> dict[str, bool]:
    """Instance ids that were accepted (true) or rejected (false); no id may be both."""
    if both := set(accepted) & set(rejected):
        raise UserError(f"{min(both)!r} is marked yes and no; choose one of them")
    return dict.fromkeys(accepted, True) | dict.fromkeys(rejected, False)


def parse_marks(text: str, shown: Sequence[str]) -> dict[str, bool]:
    """Read ``+1 +3 -2``, numbers (from 1) in a list of ``shown`` instance ids."""
    signs: dict[str, list[str]] = {"+": [], "-": []}
    for part in text.replace(",", " ").split():
        match = _MARK.fullmatch(part)
        if not match:
            raise UserError(f"cannot read {part!r}; expected marks such as +1 +3 -2")
        if not 1 <= int(match[2]) <= len(shown):
            raise UserError(f"there is no result {match[2]}; the numbers go from 1 to {len(shown)}")
        signs[match[1]].append(shown[int(match[2]) - 1])
    return read_marks(signs["+"], signs["-"])


def find_instances(corpus: Corpus, marks: Mapping[str, bool], *, near: np.ndarray) -> np.ndarray:
    """The rows of marked instances ``(marks,) int64``; ``near`` are rows whose ids an error may suggest."""
    found = pc.index_in(pa.array(marks, pa.string()), value_set=corpus.instances["id"].combine_chunks())
    for name, row in zip(marks, found.to_pylist(), strict=True):
        if row is None:
            known = corpus.instances["id"].take(near).to_pylist()
            hint = "Take ids from the column 'instance' of an earlier search."
            raise UnknownNameError(f"usage in corpus {corpus.name!r}", name, known, hint=hint)
    return np.asarray(found, np.int64)
