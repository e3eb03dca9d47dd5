"""Scores of a model, of chance and of an oracle, by frequency and prevalence."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from uncommonsense.metrics.baselines import expected_random_hits, oracle_hits, sampled_random_hits
from uncommonsense.metrics.intervals import bootstrap_intervals
from uncommonsense.metrics.measures import PerQuery, parse_measure
from uncommonsense.rank.neighbours import Metric, rank_neighbours
from uncommonsense.rank.selection import Bucket, Queries, Selection
from uncommonsense.schema import SCORE_SCHEMA, Corpus

__all__ = ["RankingResult", "baselines", "evaluate"]


class RankingResult(NamedTuple):
    """What one system answered to each query."""

    system: str
    corpus: str
    hits: np.ndarray
    """Whether the neighbour at each rank has the query's sense, or how probable that is: ``(queries, k)``."""
    queries: Queries
    neighbours: np.ndarray | None = None
    """Rows of the corpus' instances, -1 where there is none: ``(queries, k) int64``."""
    similarity: np.ndarray | None = None
    """``(queries, k) float32``"""
    settings: dict[str, str] | None = None
    """What made the vectors, if any did."""

    @property
    def precision(self) -> np.ndarray:
        """P@1 ... P@k of each query: ``(queries, k) float64``."""
        return np.asarray(np.cumsum(self.hits, axis=1) / np.arange(1, self.hits.shape[1] + 1))

    @property
    def metric(self) -> str:
        """The figure of the paper's tables, at this result's k."""
        return f"mean_precision@{self.hits.shape[1]}"

    def judged(self, measure: str) -> PerQuery:
        """What each query adds to the score ``measure``."""
        return parse_measure(measure)(self.hits, self.queries.column("relevant"))

    def scores(self, measures: Sequence[str] | None = None, *, seed: int = 0) -> pa.Table:
        """One row per measure and bucket, and for all queries: value and 95% interval, clustered by lemma.

        Without ``measures``, the figure of the paper's tables.
        """
        lemmas = self.queries.column("lemma")
        names = [str(parse_measure(name)) for name in measures or [self.metric]]
        judged = [self.judged(name) for name in names]
        everything = Bucket("all", np.ones(len(lemmas), bool))
        rows = []
        for label, members in [*self.queries.buckets(), everything]:
            chosen = [PerQuery(each.numerator[members], each.denominator[members]) for each in judged]
            intervals = bootstrap_intervals(chosen, lemmas[members], seed=seed)
            for name, interval in zip(names, intervals, strict=True):
                rows.append((self.system, self.corpus, label, name, *interval, int(members.sum())))
        return pa.table(
            dict(zip(SCORE_SCHEMA.names, map(list, zip(*rows, strict=True)), strict=True)), SCORE_SCHEMA
        )


def baselines(
    corpus: Corpus, selection: Selection, *, k: int = 50, sample_seed: int | None = None
) -> list[RankingResult]:
    """Chance and the best possible order; labels are enough.

    Chance is the expectation, exactly; with ``sample_seed`` it is one random order instead, which
    measures that are not linear need.
    """
    queries = selection.asked(corpus)
    relevant, candidates = selection.relevant, selection.candidates
    if sample_seed is None:
        chance = expected_random_hits(relevant, candidates, k)
    else:
        chance = sampled_random_hits(relevant, candidates, k, seed=sample_seed)
    return [
        RankingResult("random", corpus.name, chance, queries),
        RankingResult("oracle", corpus.name, oracle_hits(relevant, k), queries),
    ]


def evaluate(
    system: str,
    corpus: Corpus,
    vectors: np.ndarray,
    selection: Selection,
    *,
    k: int = 50,
    metric: Metric = "cosine",
) -> RankingResult:
    """Rank the candidates of every query by ``vectors`` ``(instances, dim)`` and judge the first ``k``."""
    found, similarity = rank_neighbours(vectors, selection, k, metric=metric)
    missing = found < 0
    neighbours = np.where(missing, -1, selection.database[found])
    hits = (selection.sense[neighbours] == selection.sense[selection.queries][:, None]) & ~missing
    return RankingResult(system, corpus.name, hits, selection.asked(corpus), neighbours, similarity)
