"""Several systems on one corpus: scores, slices, and whether the systems differ."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from uncommonsense.errors import UserError
from uncommonsense.rank.selection import Bucket
from uncommonsense.schema import Corpus
from uncommonsense.wsd.comparison import Comparison, compare
from uncommonsense.wsd.keys import Answers
from uncommonsense.wsd.predictions import Predictions
from uncommonsense.wsd.scoring import Cluster, Judged, clusters_of, judge, score

__all__ = ["Evaluation", "evaluate", "evaluation_part", "training_part"]


class Evaluation(NamedTuple):
    """Scores of systems on one corpus."""

    scores: pa.Table
    """Of ``SCORE_SCHEMA``."""
    comparisons: list[Comparison]
    """Of every two systems."""
    judged: list[Judged]

    def as_json(self) -> dict[str, Any]:
        """Plain values."""
        return {
            "scores": self.scores.to_pylist(),
            "comparisons": [each._asdict() for each in self.comparisons],
            "unknown_instances": {each.system: each.foreign for each in self.judged if each.foreign},
        }


def evaluate(
    gold: Corpus,
    answers: Sequence[Answers | Predictions],
    *,
    slices: Sequence[Bucket] = (),
    cluster: Cluster = "lemma",
    seed: int = 0,
) -> Evaluation:
    """Score systems on ``gold``, all of whose instances are annotated, and compare every two of them."""
    judged = [judge(gold, each) for each in answers]
    tables = [score(gold, each, slices=slices, cluster=cluster, seed=seed) for each in judged]
    clusters = clusters_of(gold, cluster)
    comparisons = [compare(*pair, clusters, seed=seed) for pair in combinations(judged, 2)]
    return Evaluation(pa.concat_tables(tables), comparisons, judged)


def training_part(corpus: Corpus) -> Corpus:
    """The split ``train`` of a corpus that has one; else all of it."""
    training = _is_training(corpus)
    return corpus.select(training) if training.any() else corpus


def evaluation_part(corpus: Corpus, split: str | None = None) -> Corpus:
    """The instances of ``split`` (``dev`` takes ``dev.few-shot``), or all but those of ``train``."""
    if split is None:
        training = _is_training(corpus)
        return corpus if training.all() or not training.any() else corpus.select(~training)
    names = corpus.instances["split"].to_pylist()
    chosen = np.array([name == split or name.startswith(f"{split}.") for name in names], bool)
    if not chosen.any():
        present = ", ".join(sorted(set(filter(None, names)))) or "none"
        raise UserError(f"corpus {corpus.name!r} has no split {split!r}; its splits: {present}")
    return corpus.select(chosen)


def _is_training(corpus: Corpus) -> np.ndarray:
    first = pc.list_element(pc.split_pattern(corpus.instances["split"], "."), 0)
    return np.asarray(pc.equal(first, "train"), bool)
