"""Exact nearest neighbours within pools of candidates."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from uncommonsense.errors import UserError
from uncommonsense.rank.selection import Selection

__all__ = ["first_equal", "normalised", "rank_neighbours", "require_flat"]

_BLOCK = 4096
"""Queries that are compared with their pool at once."""


def normalised(vectors: np.ndarray) -> np.ndarray:
    """Rows of length 1, so that a dot product is the cosine; a zero row stays zero."""
    norms = np.linalg.norm(vectors, axis=1, keepdims=True)
    return vectors / np.where(norms == 0, 1, norms)


def first_equal(rows: np.ndarray) -> np.ndarray:
    """For each row of ``rows`` ``(n, dim)`` the first row that is equal to it: ``(n,) int64``.

    A matrix product may round equal columns differently; by the first of them, ties stay ties.
    """
    seen: dict[bytes, int] = {}
    return np.array([seen.setdefault(row.tobytes(), i) for i, row in enumerate(rows)], np.int64)


def require_flat(vectors: np.ndarray) -> None:
    """Refuse vectors with an axis of layers: similarity needs one vector a word."""
    if vectors.ndim != 2:
        raise UserError(
            f"similarity needs one vector a word, not {vectors.shape[1:]}; choose one layer, or mean:4-6"
        )


def rank_neighbours(vectors: np.ndarray, selection: Selection, k: int) -> tuple[np.ndarray, np.ndarray]:
    """The ``k`` candidates most similar (cosine) to each query, best first, ties in the order of D.

    ``vectors`` ``(instances, dim)`` are those of the whole corpus. Returns positions in
    ``selection.database`` ``(queries, k) int64``, -1 where a pool has fewer than ``k``, and similarities
    ``(queries, k) float32``, NaN there.
    """
    require_flat(vectors)
    unit = normalised(vectors)
    found = np.full((len(selection.queries), k), -1, np.int64)
    similarity = np.full((len(selection.queries), k), np.nan, np.float32)
    for members, pool in _pools(selection):
        candidates = unit[selection.database[pool]]
        equal = first_equal(candidates)
        for first in range(0, len(members), _BLOCK):
            block = members[first : first + _BLOCK]
            products = (unit[selection.queries[block]] @ candidates.T)[:, equal]
            order = np.argsort(-products, axis=1, kind="stable")[:, :k]
            found[block, : order.shape[1]] = pool[order]
            similarity[block, : order.shape[1]] = np.take_along_axis(products, order, axis=1)
    return found, similarity


def _pools(selection: Selection) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """For each pool that is asked for: its queries and its positions in D, both ascending."""
    by_pool = np.argsort(selection.pool_of_database, kind="stable")
    pool_ids = selection.pool_of_database[by_pool]
    by_query = np.argsort(selection.pool_of_query, kind="stable")
    asked, first = np.unique(selection.pool_of_query[by_query], return_index=True)
    low = np.searchsorted(pool_ids, asked, side="left")
    high = np.searchsorted(pool_ids, asked, side="right")
    for members, start, end in zip(np.split(by_query, first)[1:], low, high, strict=True):
        yield members, by_pool[start:end]
