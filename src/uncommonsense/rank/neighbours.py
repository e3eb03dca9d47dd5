"""Exact nearest neighbours within pools of candidates."""

from __future__ import annotations

import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import ArrayLike
from threadpoolctl import threadpool_limits

from uncommonsense.errors import UnknownNameError, UserError
from uncommonsense.rank.selection import Selection

__all__ = ["Metric", "dot_products", "normalised", "rank_neighbours", "require_flat"]

Metric = Literal["cosine", "dot", "euclidean"]

_QUERIES = 2048
"""Queries of a pool that one thread takes: a large pool may go to several."""
_DOUBLE = 2048
"""Candidates up to which products in double precision cost less than single ones of a shortlist."""
_CHUNK = 64
"""Rows that are held in double precision at once: they fit a core's cache."""


def normalised(vectors: np.ndarray) -> np.ndarray:
    """Rows of length 1, so that a dot product is the cosine; a zero row stays zero."""
    norms = np.linalg.norm(vectors, axis=1, keepdims=True)
    return vectors / np.where(norms == 0, 1, norms)


def require_flat(vectors: np.ndarray) -> None:
    """Refuse vectors with an axis of layers: similarity needs one vector a word."""
    if vectors.ndim != 2:
        raise UserError(
            f"similarity needs one vector a word, not {vectors.shape[1:]}; choose one layer, or mean:4-6"
        )


def rank_neighbours(
    vectors: np.ndarray,
    selection: Selection,
    k: int,
    *,
    metric: Metric = "cosine",
    threads: int | None = None,
    tile: int = 8_000_000,
) -> tuple[np.ndarray, np.ndarray]:
    """The ``k`` candidates most similar to each query, best first, ties in the order of D.

    ``vectors`` ``(instances, dim)`` are those of the whole corpus. Returns positions in
    ``selection.database`` ``(queries, k) int64``, -1 where a pool has fewer than ``k``, and similarities
    ``(queries, k) float32``, NaN there: the cosine (0 with a zero vector), the dot product, or minus the
    distance.

    The similarities are those of double precision, rounded. Neither ``threads`` (by default one a core)
    nor ``tile``, the similarities that are held at once, changes the result.
    """
    require_flat(vectors)
    if metric not in get_args(Metric):
        raise UnknownNameError("metric", metric, get_args(Metric))
    if k < 1:
        raise UserError(f"the number of neighbours must be at least 1, not {k}")
    shape = len(selection.queries), k
    found, similarity = np.full(shape, -1, np.int64), np.full(shape, np.nan, np.float32)
    threads = threads or os.cpu_count() or 1
    vectors = np.asarray(vectors)
    asked = _asked(vectors, selection)
    ranking = _Ranking(vectors, asked, selection, k, metric, tile // threads, found, similarity)
    # Most pools are too small for a product on several cores: a bundle per core is faster.
    with threadpool_limits(1, user_api="blas"), ThreadPoolExecutor(threads) as executor:
        for _ in executor.map(ranking.rank, _bundles(selection)):
            pass
    return found, similarity


class _Ranking(NamedTuple):
    """What all pools share. A matrix product chooses, and single products decide.

    How a matrix product rounds depends on its shape, but its error is bounded in any order of summation.
    Whatever cannot be among the ``k`` best within that bound is left out. Where the bound does not settle
    the similarity of the rest to the last bit of single precision, it is computed pair by pair in double
    precision, always in the same order of summation.
    """

    vectors: np.ndarray
    asked: _Rows
    selection: Selection
    k: int
    metric: Metric
    tile: int
    found: np.ndarray
    similarity: np.ndarray

    def rank(self, bundle: list[_Pool]) -> None:
        """Fill in the neighbours of all queries of some pools."""
        places = np.concatenate([pool.places for pool in bundle])
        precision = np.float64 if len(places) <= _DOUBLE else np.float32
        candidates = _side(_Rows(self.vectors, self.selection.database[places]), precision)
        for block in self._blocks(bundle):
            members = np.concatenate([members for members, _ in block])
            queries = _side(self.asked.take(members), precision)
            pairs = self._shortlist(block, queries, candidates)
            values = self._settle(pairs, queries, candidates)
            counts = np.bincount(pairs.query, minlength=len(members))
            self._write(members, counts, places[pairs.candidate], values)

    def _blocks(self, bundle: list[_Pool]) -> Iterator[list[tuple[np.ndarray, slice]]]:
        """Queries and the range of their candidates in the bundle; a large pool in several blocks."""
        if len(bundle) > 1:
            ends = _ends([len(pool.places) for pool in bundle])
            yield [(pool.members, slice(*span)) for pool, span in zip(bundle, pairwise(ends), strict=True)]
            return
        [(members, places)] = bundle
        step = min(max(self.tile // len(places), 1), 512)
        for first in range(0, len(members), step):
            yield [(members[first : first + step], slice(0, len(places)))]

    def _shortlist(self, block: list[tuple[np.ndarray, slice]], queries: _Side, candidates: _Side) -> _Pairs:
        """The pairs of a query and a candidate that may be among its ``k`` best, in ascending order."""
        error = _error(candidates)
        found, first = [], 0
        for members, span in block:
            asked = slice(first, first + len(members))
            # The units are finite; flags come from memory that a kernel reads beyond them and does not use.
            with np.errstate(invalid="ignore", over="ignore"):
                scores = queries.units[asked] @ candidates.units[span].T
            self._adapt(scores, queries.lengths[asked], candidates.lengths[span])
            if scores.shape[1] <= self.k:
                chosen = np.arange(scores.size)
            else:
                # Scores are in [-1, 1]: nearer than 2^-22, similarities may round to the same.
                floor = _kth_at_least(scores, self.k) - scores.dtype.type(2 * error + 2.0**-22)
                chosen = np.flatnonzero(scores >= floor[:, None])
            query, candidate = np.divmod(chosen, scores.shape[1])
            found.append((query + first, candidate + span.start, scores.ravel()[chosen]))
            first = asked.stop
        return _Pairs(*(np.concatenate(part) for part in zip(*found, strict=True)))

    def _settle(self, pairs: _Pairs, queries: _Side, candidates: _Side) -> np.ndarray:
        """The similarity of each pair in double precision, rounded: ``(pairs,) float32``."""
        scores, error = pairs.score.astype(np.float64), _error(candidates)
        values = (scores + error).astype(np.float32)
        doubtful = np.arange(len(values))
        if self.metric == "cosine":
            doubtful = np.flatnonzero(values != (scores - error).astype(np.float32))
        query, candidate = pairs.query[doubtful], pairs.candidate[doubtful]
        counts = np.bincount(query, minlength=len(queries.lengths))
        exact = self._compare(queries.source, counts, candidates.source.rows[candidate])
        if self.metric == "cosine":
            scale = queries.lengths[query] * candidates.lengths[candidate]
            exact = np.divide(exact, scale, out=np.zeros_like(exact), where=scale > 0)
        values[doubtful] = exact
        return values

    def _adapt(self, scores: np.ndarray, query: np.ndarray, candidate: np.ndarray) -> None:
        """Turn cosines into scores that rise with the similarity, in place."""
        if self.metric == "cosine":
            return
        longest = max(candidate.max(), np.finfo(np.float64).tiny)
        share = (candidate / longest).astype(scores.dtype)
        scores *= share
        if self.metric == "euclidean":  # 2 q c - c c, of which q q - d d is made, over (|q| + max |c|)^2
            span = query + longest
            scores *= (2 * (query / span) * (longest / span)).astype(scores.dtype)[:, None]
            scores -= share**2 * ((longest / span) ** 2).astype(scores.dtype)[:, None]

    def _compare(self, queries: _Rows, counts: np.ndarray, rows: np.ndarray) -> np.ndarray:
        """Dot product, or minus the distance, of each query and its next ``counts`` of ``rows``."""
        values = np.empty(len(rows))
        loaded = np.empty((_CHUNK, self.vectors.shape[1]), self.vectors.dtype)
        exact = np.empty(loaded.shape)
        asked = np.flatnonzero(counts)
        targets = queries.matrix[queries.rows[asked]].astype(np.float64)
        for target, (start, end) in zip(targets, pairwise(_ends(counts[asked])), strict=True):
            for first in range(start, end, _CHUNK):
                last = min(first + _CHUNK, end)
                part = exact[: last - first]
                self.vectors.take(rows[first:last], axis=0, out=loaded[: last - first], mode="clip")
                part[:] = loaded[: last - first]
                if self.metric == "euclidean":
                    part -= target
                    values[first:last] = -np.sqrt(dot_products(part, part))
                else:
                    values[first:last] = dot_products(part, target)
        return values

    def _write(self, block: np.ndarray, counts: np.ndarray, places: np.ndarray, values: np.ndarray) -> None:
        """Sort the shortlists of the queries ``block``, which follow each other in ``places``."""
        width = int(counts.max())
        present = np.arange(width) < counts[:, None]
        descending = np.full(present.shape, np.nan, np.float32)  # sorts last
        descending[present] = -values
        number = np.full(present.shape, -1, np.int64)
        number[present] = places
        order = np.argsort(descending, axis=1, kind="stable")[:, : self.k]
        self.found[block, : order.shape[1]] = np.take_along_axis(number, order, axis=1)
        self.similarity[block, : order.shape[1]] = -np.take_along_axis(descending, order, axis=1)


class _Pool(NamedTuple):
    """Queries that have the same candidates."""

    members: np.ndarray
    """Numbers of the queries, ascending: ``(m,) int64``."""
    places: np.ndarray
    """Positions in D, ascending: ``(n,) int64``."""


class _Pairs(NamedTuple):
    """Queries and candidates, by their number in a block, with the product's opinion: ``(pairs,)`` each."""

    query: np.ndarray
    candidate: np.ndarray
    score: np.ndarray


class _Rows(NamedTuple):
    """Some rows of a matrix."""

    matrix: np.ndarray
    rows: np.ndarray
    """``(n,) int64``"""

    def take(self, places: np.ndarray) -> _Rows:
        """Some of them."""
        return self._replace(rows=self.rows[places])


def _asked(vectors: np.ndarray, selection: Selection) -> _Rows:
    """The vectors of the queries; where each is a mean of several usages, in a matrix of their own."""
    if selection.companions is None:
        return _Rows(vectors, selection.queries)
    groups = np.concatenate([selection.queries[:, None], selection.companions], axis=1)
    means = np.empty((len(groups), vectors.shape[1]), vectors.dtype)
    for first in range(0, len(groups), _CHUNK):
        means[first : first + _CHUNK] = vectors[groups[first : first + _CHUNK]].mean(axis=1, dtype=np.float64)
    return _Rows(means, np.arange(len(groups)))


def _side(rows: _Rows, precision: type[np.floating]) -> _Side:
    """Lengths of rows, and the rows with length 1."""
    count, dim = len(rows.rows), rows.matrix.shape[1]
    lengths, units = np.empty(count), np.empty((count, dim), precision)
    exact = np.empty((_CHUNK, dim))
    for first in range(0, count, _CHUNK):
        chunk = rows.rows[first : first + _CHUNK]
        part = exact[: len(chunk)]
        part[:] = rows.matrix[chunk]
        length = np.sqrt(dot_products(part, part), out=lengths[first : first + _CHUNK])
        part *= (1 / np.where(length > 0, length, 1))[:, None]
        units[first : first + _CHUNK] = part
    if not np.isfinite(lengths).all():
        row = rows.rows[~np.isfinite(lengths)][0]
        raise UserError(f"the vector of instance {row} is not finite; encode the corpus again")
    return _Side(rows, lengths, units)


class _Side(NamedTuple):
    """The queries or the candidates of a comparison."""

    source: _Rows
    lengths: np.ndarray
    """``(n,) float64``"""
    units: np.ndarray
    """Rows of length 1: ``(n, dim)``."""


def dot_products(left: np.ndarray, right: np.ndarray) -> np.ndarray:
    """Dot products of rows of ``left`` ``(n, dim)`` with those of ``right``, or with one vector: ``(n,)``.

    Each is a product of a row and a column, so that it does not depend on ``n``.
    """
    return np.asarray(np.matmul(left[:, None, :], right[..., None])[:, 0, 0])


def _error(side: _Side) -> float:
    """Bound of the difference of a score from the product of a single pair.

    A sum of n products is off by n u / (1 - n u) at most; 16 more for the rest of what is rounded.
    """
    units = np.finfo(side.units.dtype).epsneg, np.finfo(np.float64).epsneg
    terms = [(side.units.shape[1] + 16) * float(unit) for unit in units]
    return float(sum(each / (1 - each) for each in terms))


def _kth_at_least(scores: np.ndarray, k: int) -> np.ndarray:
    """A score that at least ``k`` of each row's reach: ``(rows,) float32``; nearly the k-th best.

    The k-th best of the maxima of groups will do, and is found faster than that of all.
    """
    groups = scores.shape[1] // max(scores.shape[1] // (6 * k), 1)
    size = scores.shape[1] // groups
    if size > 1:
        scores = scores[:, : size * groups].reshape(len(scores), size, groups).max(axis=1)
    return np.asarray(np.partition(scores, scores.shape[1] - k, axis=1)[:, -k])


def _ends(counts: ArrayLike) -> list[int]:
    return [0, *np.cumsum(counts).tolist()]


def _bundles(selection: Selection) -> list[list[_Pool]]:
    """Small pools together and large ones in parts, so that a thread has enough to do; the largest first."""
    pools = [
        _Pool(members[first : first + _QUERIES], places)
        for members, places in _pools(selection)
        for first in range(0, len(members), _QUERIES)
    ]
    pools.sort(key=lambda pool: -len(pool.members) * len(pool.places))
    bundles: list[list[_Pool]] = []
    room = np.zeros(2, np.int64)
    for pool in pools:
        room -= len(pool.members), len(pool.places)
        if (room < 0).any():
            bundles.append([])
            room = np.array([512 - len(pool.members), _DOUBLE - len(pool.places)])
        bundles[-1].append(pool)
    return bundles


def _pools(selection: Selection) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """For each pool that is asked for and not empty: its queries and its positions in D, both ascending."""
    by_pool = np.argsort(selection.pool_of_database, kind="stable")
    pool_ids = selection.pool_of_database[by_pool]
    by_query = np.argsort(selection.pool_of_query, kind="stable")
    asked, first = np.unique(selection.pool_of_query[by_query], return_index=True)
    low = np.searchsorted(pool_ids, asked, side="left")
    high = np.searchsorted(pool_ids, asked, side="right")
    for members, start, end in zip(np.split(by_query, first)[1:], low, high, strict=True):
        if start < end:
            yield members, by_pool[start:end]
