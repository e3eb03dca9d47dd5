"""The best order and a random order, as hits that any measure can score.

``relevant`` ``(queries,) int`` counts the candidates that have the query's sense, ``candidates``
``(queries,) int`` all of them. A rank for which there is no candidate left is a miss.
"""

from __future__ import annotations

import numpy as np

from uncommonsense.errors import UserError

__all__ = ["expected_random_hits", "oracle_hits", "sampled_random_hits"]


def oracle_hits(relevant: np.ndarray, k: int) -> np.ndarray:
    """Hits of an order that puts every relevant candidate first: ``(queries, k) bool``."""
    return np.asarray(np.arange(k) < np.asarray(relevant)[:, None])


def expected_random_hits(relevant: np.ndarray, candidates: np.ndarray, k: int) -> np.ndarray:
    """The probability that a random order has a hit at each rank, exactly: ``(queries, k) float64``."""
    relevant, candidates = _counts(relevant, candidates)
    share = relevant / np.maximum(candidates, 1)
    return np.asarray(share[:, None] * oracle_hits(candidates, k))


def sampled_random_hits(relevant: np.ndarray, candidates: np.ndarray, k: int, *, seed: int = 0) -> np.ndarray:
    """Hits of one random order for each query, drawn without replacement: ``(queries, k) bool``."""
    relevant, candidates = _counts(relevant, candidates)
    rng = np.random.default_rng(seed)
    hits = np.zeros((k, len(relevant)), bool)
    right = relevant.copy()
    for rank, hit in enumerate(hits):
        left = np.maximum(candidates - rank, 1)  # an empty pool has nothing right left, so it cannot hit
        hit[:] = rng.integers(left) < right
        right -= hit
    return np.ascontiguousarray(hits.T)


def _counts(relevant: np.ndarray, candidates: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    relevant, candidates = np.asarray(relevant, np.int64), np.asarray(candidates, np.int64)
    wrong = np.flatnonzero((relevant < 0) | (relevant > candidates))
    if len(wrong):
        query = wrong[0]
        raise UserError(
            f"query {query} has {relevant[query]} relevant among {candidates[query]} candidates; "
            "the relevant ones are some of the candidates"
        )
    return relevant, candidates
