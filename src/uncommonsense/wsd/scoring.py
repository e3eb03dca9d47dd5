"""Scores of disambiguation as the official scorer of the WSD Evaluation Framework defines them.

An instance with several right senses wants any of them. An instance with several answers gets the share of
them that is right. Let S be the sum of these credits, A the instances with an answer, N all instances:

    precision = S / A        recall = S / N        F1 = 2 S / (A + N)

so an instance without an answer lowers recall only. F1 is the harmonic mean of the two, written as a ratio of
sums. Where all instances have an answer the three are the accuracy. Keys are compared letter by letter.

Three things differ from the Java program. Answers to instances that are not in the gold file are left out
there without a word; here they are left out too but counted, and if there is no other it is an error. An
instance that comes twice in a file is an error; there its answers are pooled. And without any answer F1 is 0,
not NaN.

Intervals are percentile bootstraps that draw whole clusters. By default these are lemmas, as in ranking: a
system is right or wrong about a word rather than about a token, and the question is what it will do with
other words. ``sentence`` and ``document`` ask instead what it will do with other text.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple, get_args

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from uncommonsense.errors import UnknownNameError, UserError
from uncommonsense.metrics.intervals import bootstrap_intervals
from uncommonsense.metrics.measures import PerQuery
from uncommonsense.rank.selection import Bucket
from uncommonsense.schema import SCORE_SCHEMA, Corpus
from uncommonsense.wsd.keys import Answers
from uncommonsense.wsd.predictions import Predictions

__all__ = ["METRICS", "Cluster", "Judged", "annotated", "clusters_of", "judge", "score"]

METRICS = ("f1", "precision", "recall")
Cluster = Literal["lemma", "sentence", "document"]


class Judged(NamedTuple):
    """How right a system is on each annotated instance of a corpus."""

    system: str
    credit: np.ndarray
    """The share of an instance's answers that is right, 0 without one: ``(instances,) float64``."""
    answered: np.ndarray
    """``(instances,) bool``"""
    foreign: int = 0
    """Answers to instances that the corpus does not have."""

    def measured(self, metric: str) -> PerQuery:
        """What each instance adds to ``f1``, ``precision`` or ``recall``."""
        if metric not in METRICS:
            raise UnknownNameError("metric", metric, METRICS)
        answered = self.answered.astype(np.float64)
        if metric == "f1":
            return PerQuery(2 * self.credit, answered + 1)
        return PerQuery(self.credit, answered if metric == "precision" else np.ones_like(answered))


def annotated(corpus: Corpus) -> Corpus:
    """The instances that have a gold sense: the others cannot be judged."""
    known = np.asarray(pc.greater(pc.list_value_length(corpus.instances["senses"]), 0))
    if not known.any():
        raise UserError(f"{corpus.name!r} has no instance with a gold sense, so nothing can be scored")
    return corpus if known.all() else corpus.select(known)


def judge(gold: Corpus, answers: Answers | Predictions) -> Judged:
    """Compare answers with the gold senses of ``gold``, all of whose instances have one."""
    system, keys = Answers.of(answers) if isinstance(answers, Predictions) else answers
    columns = (gold.instances[name].to_pylist() for name in ("id", "senses"))
    given = {instance: found for instance, found in keys.items() if found}
    credit, answered = np.zeros(len(gold)), np.zeros(len(gold), bool)
    for row, (instance, right) in enumerate(zip(*columns, strict=True)):
        if found := given.pop(instance, ()):
            answered[row] = True
            credit[row] = len(set(found) & set(right)) / len(set(found))
    if given and not answered.any():
        raise UserError(
            f"no answer of {system!r} is to an instance of {gold.name!r}: one has ids such as "
            f"{next(iter(given))!r}, the other {gold.instances['id'][0].as_py()!r}"
        )
    return Judged(system, credit, answered, len(given))


def clusters_of(gold: Corpus, cluster: Cluster = "lemma") -> np.ndarray:
    """The number of each instance's lemma, sentence or document: ``(instances,) int64``."""
    if cluster not in get_args(Cluster):
        raise UnknownNameError("kind of cluster", cluster, get_args(Cluster))
    if cluster == "sentence":
        return gold.rows
    column = (
        gold.instances["lemma"] if cluster == "lemma" else gold.sentences["source"].take(pa.array(gold.rows))
    )
    return np.asarray(column.combine_chunks().dictionary_encode().indices, np.int64)


def score(
    gold: Corpus,
    answers: Answers | Predictions | Judged,
    *,
    slices: Sequence[Bucket] = (),
    cluster: Cluster = "lemma",
    resamples: int = 1000,
    seed: int = 0,
) -> pa.Table:
    """F1, precision and recall on all instances of ``gold`` and on each slice, with 95% intervals.

    Rows are of ``SCORE_SCHEMA``, values fractions of 1; slices without instances are left out.
    """
    judged = answers if isinstance(answers, Judged) else judge(gold, answers)
    clusters = clusters_of(gold, cluster)
    measured = [judged.measured(metric) for metric in METRICS]
    rows = []
    for label, members in [Bucket("all", np.ones(len(gold), bool)), *slices]:
        if not members.any():
            continue
        chosen = [PerQuery(each.numerator[members], each.denominator[members]) for each in measured]
        intervals = bootstrap_intervals(chosen, clusters[members], resamples=resamples, seed=seed)
        for metric, interval in zip(METRICS, intervals, strict=True):
            rows.append((judged.system, gold.name, label, metric, *interval, int(members.sum())))
    columns = map(list, zip(*rows, strict=True))
    return pa.table(dict(zip(SCORE_SCHEMA.names, columns, strict=True)), SCORE_SCHEMA)
