"""The numbers of a report: scores of every system, and how systems differ. Nothing is ranked again."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from uncommonsense.errors import UnknownNameError, UserError
from uncommonsense.metrics.baselines import expected_random_hits, oracle_hits, sampled_random_hits
from uncommonsense.metrics.intervals import bootstrap_intervals
from uncommonsense.metrics.measures import PerQuery, parse_measure
from uncommonsense.rank.evaluate import RankingResult
from uncommonsense.rank.runs import Run
from uncommonsense.rank.selection import Bucket

__all__ = ["BASELINES", "Results", "Score", "gather", "mean_judged"]

BASELINES = ("random", "oracle")


class Score(NamedTuple):
    """One system on one bucket."""

    value: float
    low: float
    high: float
    queries: int

    @property
    def half(self) -> float:
        """Half of the interval."""
        return (self.high - self.low) / 2


class Results(NamedTuple):
    """A run, and what is asked of it."""

    run: Run
    models: list[RankingResult]
    """The systems of the run, in its order; without random and oracle."""
    measures: list[str]
    """The first is the one that pictures and comparisons use."""
    seed: int
    scores: dict[tuple[str, str, str], Score]
    """By measure, system and bucket."""

    @property
    def measure(self) -> str:
        """The first measure."""
        return self.measures[0]

    @property
    def k(self) -> int:
        """Neighbours that were judged."""
        return int(self.run.about["k"])

    @property
    def lemmas(self) -> np.ndarray:
        """The lemma of each query: ``(queries,)`` strings."""
        return self.run.queries.column("lemma")

    def buckets(self) -> list[Bucket]:
        """Buckets that have queries, in the order of the paper's table."""
        return [bucket for bucket in self.run.queries.buckets() if bucket.members.any()]

    def columns(self) -> list[Bucket]:
        """The buckets that have queries, and all queries."""
        return [*self.buckets(), Bucket("all", np.ones(len(self.lemmas), bool))]

    def score(self, system: str, bucket: str = "all", measure: str | None = None) -> Score:
        """The score of one system on one bucket."""
        return self.scores[measure or self.measure, system, bucket]

    def ranked(self, models: Sequence[RankingResult] | None = None) -> list[RankingResult]:
        """Models by their score on all queries, best first."""
        chosen = self.models if models is None else models
        return sorted(chosen, key=lambda result: -self.score(result.system).value)

    def baseline(self, name: str, measure: str | None = None) -> RankingResult:
        """Random or oracle, as the measure needs it."""
        return _baseline(self.run, name, measure or self.measure, self.seed)

    def system(self, name: str) -> RankingResult:
        """A model, random or oracle by its name."""
        if name in BASELINES:
            return self.baseline(name)
        return next(result for result in self.models if result.system == name)

    def judge(self, judged: PerQuery) -> dict[str, Score]:
        """Scores by bucket of anything that says what each query adds."""
        return {label: _score(judged, members, self.lemmas, self.seed) for label, members in self.columns()}


def gather(
    run: Run,
    *,
    measures: Sequence[str] | None = None,
    systems: Sequence[str] | None = None,
    seed: int = 0,
) -> Results:
    """Score ``systems`` (default: all) of a run by ``measures`` (default: the two of the paper)."""
    k = int(run.about["k"])
    names = measures or (f"mean_precision@{k}", f"mean_pooled_recall@{k}")
    spelled = list(dict.fromkeys(str(parse_measure(name)) for name in names))
    if not len(run.queries.table):
        raise UserError(f"{run.folder} has no queries; there is nothing to report")
    models = [run.result(name) for name in _chosen(run, systems)]
    scores = {
        (measure, result.system, bucket): score
        for result in models
        for measure, bucket, score in _scored(result, spelled, seed)
    }
    for name in BASELINES:
        for measure in spelled:
            for _, bucket, score in _scored(_baseline(run, name, measure, seed), [measure], seed):
                scores[measure, name, bucket] = score
    return Results(run, models, spelled, seed, scores)


def mean_judged(results: Sequence[RankingResult], measure: str) -> PerQuery:
    """What each query adds on average over ``results``, such as the seeds of one model."""
    judged = [result.judged(measure) for result in results]
    return PerQuery(np.mean([each.numerator for each in judged], axis=0), judged[0].denominator)


def _chosen(run: Run, systems: Sequence[str] | None) -> list[str]:
    for name in systems or ():
        if name not in run.systems:
            raise UnknownNameError("system of the run", name, run.systems)
    return [name for name in run.systems if not systems or name in systems]


def _baseline(run: Run, name: str, measure: str, seed: int) -> RankingResult:
    relevant, k = run.queries.column("relevant"), int(run.about["k"])
    candidates = run.queries.column("candidates")
    if name == "oracle":
        hits = oracle_hits(relevant, k)
    elif parse_measure(measure).linear:
        hits = expected_random_hits(relevant, candidates, k)
    else:
        hits = sampled_random_hits(relevant, candidates, k, seed=seed)
    return RankingResult(name, run.about["corpus"], hits, run.queries)


def _scored(result: RankingResult, measures: list[str], seed: int) -> list[tuple[str, str, Score]]:
    rows = result.scores(measures, seed=seed).to_pylist()
    return [
        (row["metric"], row["slice"], Score(row["value"], row["low"], row["high"], row["n"])) for row in rows
    ]


def _score(judged: PerQuery, members: np.ndarray, lemmas: np.ndarray, seed: int) -> Score:
    chosen = PerQuery(judged.numerator[members], judged.denominator[members])
    (interval,) = bootstrap_intervals([chosen], lemmas[members], seed=seed)
    return Score(*interval, int(members.sum()))
