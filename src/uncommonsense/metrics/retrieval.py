"""Retrieval metrics over ranked lists of hits and misses.

Everything takes ``hits`` ``(queries, k) bool``: whether the neighbour at each rank has the query's
sense; a rank for which there is no candidate left is a miss.
"""

from __future__ import annotations

import numpy as np

__all__ = ["mean_precision", "oracle_precision", "precision_at", "random_precision"]


def precision_at(hits: np.ndarray) -> np.ndarray:
    """P@1 ... P@k of each query: ``(queries, k) float64``."""
    return np.asarray(np.cumsum(hits, axis=1) / np.arange(1, hits.shape[1] + 1))


def mean_precision(precision: np.ndarray) -> np.ndarray:
    """The mean of P@1 ... P@k, for each query: ``(queries,)``.

    Averaged over queries this is the figure that "BERT Has Uncommon Sense" prints as MAP. TREC's MAP
    divides by the number of relevant items instead, and counts precision at hits only.
    """
    return np.asarray(precision.mean(axis=1))


def oracle_precision(relevant: np.ndarray, k: int) -> np.ndarray:
    """P@1 ... P@k when all ``relevant`` ``(queries,)`` candidates come first: ``(queries, k)``."""
    ranks = np.arange(1, k + 1)
    return np.asarray(np.minimum(ranks, relevant[:, None]) / ranks)


def random_precision(relevant: np.ndarray, candidates: np.ndarray, k: int) -> np.ndarray:
    """Expected P@1 ... P@k of a random order of ``candidates`` ``(queries,)``, exactly: ``(queries, k)``."""
    ranks = np.arange(1, k + 1)
    share = (relevant / candidates)[:, None]
    return np.asarray(share * np.minimum(ranks, candidates[:, None]) / ranks)
