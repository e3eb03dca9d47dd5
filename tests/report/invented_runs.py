"""Runs whose queries and answers are drawn at random: no model, no words."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pyarrow as pa

from uncommonsense.rank.evaluate import RankingResult
from uncommonsense.rank.protocol import PROTOCOLS, Protocol
from uncommonsense.rank.runs import Run, start_run
from uncommonsense.rank.selection import QUERY_SCHEMA, Queries
from uncommonsense.schema import Corpus

__all__ = ["PAPER_LIKE", "invent_run", "settings"]

PAPER_LIKE = {"gpt2": 0.1, "bert-base-cased": 0.5, "roberta-base": 0.3}
"""Systems and how good they are, from 0 (chance) to 1."""

LEMMAS = ("bank", "draw_up", "fire & ice", "100%", "<run>", "on", "charge", "cell", "seal", "match")


def settings(model: str, layers: str = "last") -> dict[str, str]:
    return {"model": model, "layers": layers, "pool": "mean", "dtype": "fp32", "fingerprint": "f" * 8}


def invent_run(
    folder: Path,
    systems: Mapping[str, float],
    *,
    corpus: str = "ontonotes",
    protocol: Protocol = PROTOCOLS["published"],
    count: int = 400,
    k: int = 50,
    most: int = 2000,
    database: int = 5000,
    described: Mapping[str, dict[str, str]] | None = None,
) -> Run:
    """Each query's sense occurs 5 to ``most`` times; ``systems`` are better than chance by their number."""
    rng = np.random.default_rng(7)
    relevant = np.exp(rng.uniform(np.log(5), np.log(most), count)).astype(int)
    prevalence = rng.uniform(0.02, 0.98, count)
    candidates = np.maximum((relevant / prevalence).astype(int), relevant + 1)
    number = rng.integers(len(LEMMAS), size=count)
    table = pa.table(
        {
            "query": [f"q{i}" for i in range(count)],
            "lemma": [LEMMAS[i] for i in number],
            "pos": ["n"] * count,
            "sense": [f"{LEMMAS[i]}_n_1" for i in number],
            "relevant": relevant,
            "candidates": candidates,
            "frequency": relevant,
            "prevalence": prevalence,
        },
        schema=QUERY_SCHEMA,
    )
    queries = Queries(table, protocol, database)
    run = start_run(folder, corpus, queries, k=k)
    words = Corpus.from_sentences((), name=corpus)
    for name, quality in systems.items():
        chance = (relevant / candidates)[:, None]
        drawn = rng.random((count, k)) < chance + quality * (1 - chance) * np.linspace(1, 0.5, k)
        hits = drawn & (np.cumsum(drawn, axis=1) <= relevant[:, None])
        about = (described or {}).get(name) or _described(name)
        run.add(RankingResult(name, corpus, hits, queries, settings=about), words)
    return run


def _described(name: str) -> dict[str, str]:
    model, _, layer = name.partition("@")
    return settings(model, layer or "last")
