"""Rank the usages of a corpus with several models and layers, and keep what each answered."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from uncommonsense.encode import Encoder, encode_corpus
from uncommonsense.encode.corpus import Progress
from uncommonsense.rank.evaluate import RankingResult, baselines, evaluate
from uncommonsense.rank.neighbours import Metric
from uncommonsense.rank.runs import Run
from uncommonsense.rank.selection import Selection
from uncommonsense.schema import Corpus

__all__ = ["MODEL_SETS", "Cell", "rank_models"]

MODEL_SETS = {
    "paper": (
        "bert-base-cased",
        "distilbert-base-cased",
        "roberta-base",
        "distilroberta-base",
        "albert-base-v2",
        "xlnet-base-cased",
        "gpt2",
    )
}
"""Models by the name of a set; ``paper`` is that of "BERT Has Uncommon Sense"."""


class Cell(NamedTuple):
    """One model with one way to make vectors; ``layers`` ``all`` stands for one system a layer."""

    model: str
    layers: str = "last"
    pool: str = "mean"
    metric: Metric = "cosine"

    @property
    def system(self) -> str:
        """What results are called: the model, and all that is not the default."""
        layers = "" if self.layers == "last" else f"@{self.layers}"
        others = [each for each in (self.pool, self.metric) if each not in ("mean", "cosine")]
        return self.model + layers + (f" ({', '.join(others)})" if others else "")


def rank_models(
    corpus: Corpus,
    selection: Selection,
    cells: Sequence[Cell],
    *,
    k: int = 50,
    run: Run | None = None,
    sample_seed: int | None = None,
    progress: Progress | None = None,
) -> list[RankingResult]:
    """Chance, every cell and the oracle; what ``run`` holds already is read from there, the rest is added."""
    chance, best = baselines(corpus, selection, k=k, sample_seed=sample_seed)
    results = [result for cell in cells for result in _rank_cell(corpus, selection, cell, k, run, progress)]
    return [chance, *results, best]


def _rank_cell(
    corpus: Corpus, selection: Selection, cell: Cell, k: int, run: Run | None, progress: Progress | None
) -> Iterator[RankingResult]:
    encoder = Encoder(cell.model, layers=cell.layers, pool=cell.pool)
    parts = [cell]
    if encoder.layers.stacked:
        parts = [cell._replace(layers=str(index)) for index in encoder.layers.indices]
    settings = [{**encoder.describe(), "layers": part.layers, "metric": part.metric} for part in parts]
    done = [
        run is not None and run.has(part.system, each) for part, each in zip(parts, settings, strict=True)
    ]
    vectors = None if all(done) else encode_corpus(encoder, corpus, progress=progress)
    for position, (part, each, known) in enumerate(zip(parts, settings, done, strict=True)):
        if known and run is not None:
            yield run.result(part.system)
            continue
        matrix = _layer(vectors, position, stacked=encoder.layers.stacked)
        answered = evaluate(part.system, corpus, matrix, selection, k=k, metric=part.metric)
        result = answered._replace(settings=each)
        if run is not None:
            run.add(result, corpus)
        yield result


def _layer(vectors: Any, position: int, *, stacked: bool) -> np.ndarray:
    matrix: np.ndarray = vectors.layer(position) if stacked else vectors.matrix
    return matrix
