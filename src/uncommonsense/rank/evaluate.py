"""Scores of a model, of chance and of an oracle, by frequency and prevalence."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pyarrow as pa

from uncommonsense.metrics.intervals import cluster_bootstrap
from uncommonsense.metrics.retrieval import mean_precision, oracle_precision, precision_at, random_precision
from uncommonsense.rank.neighbours import rank_neighbours
from uncommonsense.rank.selection import Selection
from uncommonsense.schema import SCORE_SCHEMA, Corpus

__all__ = ["RankingResult", "baselines", "evaluate"]


class RankingResult(NamedTuple):
    """What one system scored on each query."""

    system: str
    corpus: str
    precision: np.ndarray
    """P@1 ... P@k of each query: ``(queries, k) float64``."""
    selection: Selection

    @property
    def metric(self) -> str:
        """The one spelling of the figure that :meth:`scores` gives."""
        return f"mean_precision@{self.precision.shape[1]}"

    def scores(self, *, seed: int = 0) -> pa.Table:
        """One row per bucket, and one for all queries: value and 95% interval, clustered by lemma."""
        values = mean_precision(self.precision)
        everything = np.ones(len(values), bool)
        rows = []
        for label, members in [*self.selection.buckets(), ("all", everything)]:
            interval = cluster_bootstrap(values[members], self.selection.lemma[members], seed=seed)
            rows.append((self.system, self.corpus, label, self.metric, *interval, int(members.sum())))
        return pa.table(
            dict(zip(SCORE_SCHEMA.names, map(list, zip(*rows, strict=True)), strict=True)), SCORE_SCHEMA
        )


def baselines(corpus: Corpus, selection: Selection, *, k: int = 50) -> list[RankingResult]:
    """Chance (in closed form) and the best possible order; labels are enough."""
    chance = random_precision(selection.relevant, selection.candidates, k)
    best = oracle_precision(selection.relevant, k)
    return [
        RankingResult("random", corpus.name, chance, selection),
        RankingResult("oracle", corpus.name, best, selection),
    ]


def evaluate(
    system: str, corpus: Corpus, vectors: np.ndarray, selection: Selection, *, k: int = 50
) -> RankingResult:
    """Rank the candidates of every query by ``vectors`` ``(instances, dim)`` and judge the first ``k``."""
    neighbours, _ = rank_neighbours(vectors, selection, k)
    senses = selection.sense[selection.database[neighbours]]
    hits = (senses == selection.sense[selection.queries][:, None]) & (neighbours >= 0)
    return RankingResult(system, corpus.name, precision_at(hits), selection)
