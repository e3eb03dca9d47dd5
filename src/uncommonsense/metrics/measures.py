"""Measures of a ranking as values, with one spelling for Python, the command line and reports.

    P@k                   share of hits in the first k
    mean_precision@k      mean of P@1 ... P@k: what "BERT Has Uncommon Sense" prints as MAP
    recall@k              share of the relevant found in the first k, averaged over queries
    pooled_recall@k       the same with hits and relevant summed over queries first
    mean_pooled_recall@k  mean of pooled recall at 1 ... k: what the paper prints as recall
    map@k                 TREC's average precision (``map_cut``): the sum of the precision at each hit in the
                          first k, divided by all relevant even if they are more than k
    mrr@k                 1 / rank of the first hit, 0 if the first k have none
    ndcg@k                gain 1 for a hit, discounted by log2(rank + 1), divided by that of the best order
    r_precision           precision at rank R for a query with R relevant

A measure takes ``hits`` ``(queries, ranks)``, whether the candidate at each rank is relevant, best first;
a rank for which there is no candidate left is a miss. As floats, hits are the probability of a hit at each
rank. It takes as well ``relevant`` ``(queries,) int``, how many candidates are relevant. A query without
any scores 0, as in trec_eval. ``r_precision`` counts ranks that ``hits`` does not have as misses, so it is
a lower bound for queries with more relevant candidates than ranks.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from uncommonsense.errors import UnknownNameError, UserError
from uncommonsense.metrics.baselines import oracle_hits

__all__ = ["MEASURES", "Measure", "PerQuery", "parse_measure"]


class PerQuery(NamedTuple):
    """What each query adds to a score; the score of any set of queries is a ratio of sums."""

    numerator: np.ndarray
    """``(queries,) float64``"""
    denominator: np.ndarray
    """``(queries,) float64``; 1 where the score is a mean over queries."""

    @classmethod
    def of(cls, values: np.ndarray) -> PerQuery:
        """``values`` ``(queries,)`` whose score is their mean."""
        numerator = np.asarray(values, np.float64)
        return cls(numerator, np.ones_like(numerator))

    def score(self, members: np.ndarray | slice = slice(None)) -> float:
        """The score of the queries chosen by ``members`` (a mask or positions); NaN if there are none."""
        below = self.denominator[members].sum()
        return float(self.numerator[members].sum() / below) if below else float("nan")


@dataclass(frozen=True)
class Measure:
    """A measure and its cutoff; ``str()`` is its canonical name, :func:`parse_measure` the inverse."""

    name: str
    k: int | None = None
    """Ranks it looks at; None for a measure without a cutoff."""

    def __post_init__(self) -> None:
        definition = _DEFINITIONS.get(self.name)
        if (
            definition is None
            or definition.cut != (self.k is not None)
            or (self.k is not None and self.k < 1)
        ):
            raise _unknown(str(self))

    def __str__(self) -> str:
        return self.name if self.k is None else f"{self.name}@{self.k}"

    @property
    def linear(self) -> bool:
        """Whether the measure of expected hits is the expectation of the measure."""
        return _DEFINITIONS[self.name].linear

    @property
    def pooled(self) -> bool:
        """Whether queries weigh by their number of relevant candidates; otherwise all weigh the same."""
        return _DEFINITIONS[self.name].pooled

    def __call__(self, hits: np.ndarray, relevant: np.ndarray) -> PerQuery:
        """What each query adds, by its ``hits`` ``(queries, ranks)`` and ``relevant`` ``(queries,)``."""
        hits, relevant = np.asarray(hits), np.asarray(relevant)
        _require_hits(hits, relevant)
        self._require_served(hits)
        values = PerQuery.of(_DEFINITIONS[self.name].values(hits[:, : self.k], relevant))
        return values._replace(denominator=relevant.astype(np.float64)) if self.pooled else values

    def _require_served(self, hits: np.ndarray) -> None:
        """Refuse too few ranks, and expected hits where their measure would mean nothing."""
        if self.k is not None and hits.shape[1] < self.k:
            raise UserError(f"{self} needs {self.k} ranks, not {hits.shape[1]}; rank more candidates")
        if not self.linear and hits.dtype.kind == "f" and ((hits != 0) & (hits != 1)).any():
            raise UserError(
                f"{self} of expected hits is not the expected {self}; use a seeded sample of random orders"
            )


def parse_measure(text: str) -> Measure:
    """The measure that ``text`` spells, such as ``P@10`` or ``r_precision``."""
    spelled = re.fullmatch(r"(\w+?)(?:@([1-9][0-9]{0,8}))?", text, re.ASCII)
    if spelled is None:
        raise _unknown(text)
    name, k = spelled.groups()
    return Measure(name, int(k) if k else None)


def _unknown(text: str) -> UnknownNameError:
    return UnknownNameError("measure", text, MEASURES, hint="k is a whole number from 1.")


def _require_hits(hits: np.ndarray, relevant: np.ndarray) -> None:
    """Refuse arrays that do not belong together; a wrong count of the relevant would pass unseen."""
    if hits.ndim != 2 or relevant.shape != hits.shape[:1]:
        raise UserError(
            f"hits {hits.shape} and relevant {relevant.shape} must be (queries, ranks) and (queries,)"
        )
    if hits.dtype.kind != "b" and not ((hits >= 0) & (hits <= 1)).all():
        raise UserError("hits must be true or false, or probabilities from 0 to 1")
    found = hits.sum(axis=1)
    wrong = np.flatnonzero(found > relevant * (1 + 1e-9))
    if len(wrong):
        query = wrong[0]
        raise UserError(
            f"query {query} has {found[query]:g} hits but only {relevant[query]} relevant candidates"
        )


# Each maps hits (queries, k) and relevant (queries,) to values (queries,).


def _precision_at_ranks(hits: np.ndarray) -> np.ndarray:
    """P@1 ... P@k: ``(queries, k)``."""
    return np.asarray(np.cumsum(hits, axis=1) / np.arange(1, hits.shape[1] + 1))


def _discounted_gain(hits: np.ndarray) -> np.ndarray:
    return np.asarray((hits / np.log2(np.arange(2, hits.shape[1] + 2))).sum(axis=1))


def _share(part: np.ndarray, whole: np.ndarray) -> np.ndarray:
    """``part / whole``, 0 where there is no whole (and hence no part)."""
    return np.asarray(part / np.where(whole == 0, 1, whole))


def _precision(hits: np.ndarray, relevant: np.ndarray) -> np.ndarray:
    return np.asarray(hits.sum(axis=1) / hits.shape[1])


def _mean_precision(hits: np.ndarray, relevant: np.ndarray) -> np.ndarray:
    return np.asarray(_precision_at_ranks(hits).mean(axis=1))


def _found(hits: np.ndarray, relevant: np.ndarray) -> np.ndarray:
    return np.asarray(hits.sum(axis=1))


def _mean_found(hits: np.ndarray, relevant: np.ndarray) -> np.ndarray:
    return np.asarray(np.cumsum(hits, axis=1).mean(axis=1))


def _recall(hits: np.ndarray, relevant: np.ndarray) -> np.ndarray:
    return _share(hits.sum(axis=1), relevant)


def _average_precision(hits: np.ndarray, relevant: np.ndarray) -> np.ndarray:
    return _share((_precision_at_ranks(hits) * hits).sum(axis=1), relevant)


def _reciprocal_rank(hits: np.ndarray, relevant: np.ndarray) -> np.ndarray:
    return np.asarray(hits.any(axis=1) / (hits.argmax(axis=1) + 1))


def _normalised_gain(hits: np.ndarray, relevant: np.ndarray) -> np.ndarray:
    return _share(_discounted_gain(hits), _discounted_gain(oracle_hits(relevant, hits.shape[1])))


def _r_precision(hits: np.ndarray, relevant: np.ndarray) -> np.ndarray:
    return _share((hits * oracle_hits(relevant, hits.shape[1])).sum(axis=1), relevant)


class _Definition(NamedTuple):
    values: Callable[[np.ndarray, np.ndarray], np.ndarray]
    linear: bool = True
    pooled: bool = False
    cut: bool = True


_DEFINITIONS = {
    "P": _Definition(_precision),
    "mean_precision": _Definition(_mean_precision),
    "recall": _Definition(_recall),
    "pooled_recall": _Definition(_found, pooled=True),
    "mean_pooled_recall": _Definition(_mean_found, pooled=True),
    "map": _Definition(_average_precision, linear=False),
    "mrr": _Definition(_reciprocal_rank, linear=False),
    "ndcg": _Definition(_normalised_gain),
    "r_precision": _Definition(_r_precision, cut=False),
}

MEASURES = tuple(f"{name}@k" if each.cut else name for name, each in _DEFINITIONS.items())
"""The legal spellings, ``k`` for the cutoff."""
