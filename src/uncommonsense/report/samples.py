"""A few queries with their nearest usages: the shape of the paper's Figure 1."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from uncommonsense.corpora.tokenize import join_around
from uncommonsense.errors import UserError
from uncommonsense.inventories.glosses import gloss_finder
from uncommonsense.rank.selection import first_senses
from uncommonsense.report.results import Results
from uncommonsense.report.variants import plain_systems
from uncommonsense.schema import Corpus

__all__ = ["Sample", "Usage", "choose_samples"]


class Usage(NamedTuple):
    """A word in its sentence; without the corpus the text is empty and only the id is known."""

    instance: str
    sense: str = ""
    left: str = ""
    target: str = ""
    right: str = ""
    similarity: float = float("nan")
    hit: bool = False


class Sample(NamedTuple):
    """A query and the usages that a system finds nearest."""

    system: str
    bucket: str
    lemma: str
    sense: str
    gloss: str
    glosses: dict[str, str]
    """What the other senses among the neighbours mean; empty where that is not known."""
    query: Usage
    neighbours: list[Usage]
    relevant: int
    """Usages of the query's sense in the database."""
    candidates: int
    """Usages among which the system chose."""
    ranks: list[int]
    """Where the first k neighbours have the query's sense, from 1."""
    k: int
    score: float


def choose_samples(
    results: Results, corpus: Corpus | None = None, *, count: int = 4, shown: int = 6
) -> list[Sample]:
    """Queries of the rarest bucket, at even steps of the best model's scores from low to high.

    The choice follows from the scores alone: nobody picked queries that look well.
    """
    models = results.ranked(plain_systems(results.models) or results.models)
    if not models or not count:
        return []
    best, bucket = models[0], results.buckets()[0]
    judged = best.judged(results.measure)
    values = judged.numerator / np.where(judged.denominator == 0, 1, judged.denominator)
    members = np.flatnonzero(bucket.members)
    order = members[np.argsort(values[members], kind="stable")]
    places = ((np.arange(min(count, len(order))) + 0.5) * len(order) / min(count, len(order))).astype(int)
    found = results.run.neighbours(best.system)
    if "neighbours" not in found.column_names:
        return []
    read, gloss = _reader(corpus), gloss_finder()
    return [
        _sample(results, best.system, bucket.label, int(row), float(values[row]), found, read, gloss, shown)
        for row in order[places]
    ]


def _sample(
    results: Results,
    system: str,
    bucket: str,
    row: int,
    score: float,
    found: pa.Table,
    read: Callable[[str], Usage],
    gloss: Callable[[str], str],
    shown: int,
) -> Sample:
    query = results.run.queries.table.slice(row, 1).to_pylist()[0]
    answer = found.slice(row, 1).to_pylist()[0]
    nearest = [
        read(name)._replace(similarity=similarity, hit=hit)
        for name, similarity, hit in zip(
            *(answer[key] for key in ("neighbours", "similarity", "hits")), strict=True
        )
        if name is not None
    ]
    return Sample(
        system=system,
        bucket=bucket,
        lemma=query["lemma"],
        sense=query["sense"],
        gloss=gloss(query["sense"]),
        glosses={each.sense: gloss(each.sense) for each in nearest[:shown] if each.sense and not each.hit},
        query=read(query["query"]),
        neighbours=nearest[:shown],
        relevant=query["relevant"],
        candidates=query["candidates"],
        ranks=[rank for rank, hit in enumerate(answer["hits"], 1) if hit],
        k=len(answer["hits"]),
        score=score,
    )


def _reader(corpus: Corpus | None) -> Callable[[str], Usage]:
    """A function from ids of instances to their text; to ids alone without a corpus."""
    if corpus is None:
        return Usage
    senses = first_senses(corpus)
    ids = corpus.instances["id"].combine_chunks()

    def read(name: str) -> Usage:
        row = pc.index(ids, name).as_py()
        if row < 0:
            raise UserError(f"corpus {corpus.name!r} has no instance {name!r}; give the corpus of the run")
        place = corpus.instances.slice(row, 1).to_pylist()[0]
        tokens = corpus.sentences["tokens"][int(corpus.rows[row])].as_py()
        left, target, right = join_around(tokens, place["start"], place["end"])
        return Usage(name, senses[row].as_py() or "", left, target, right)

    return read
