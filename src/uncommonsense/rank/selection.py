"""Database, queries and buckets of a corpus under a protocol: from labels alone."""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from uncommonsense.errors import UserError
from uncommonsense.rank.protocol import Protocol
from uncommonsense.schema import Corpus

__all__ = ["QUERY_SCHEMA", "Bucket", "Queries", "Selection", "first_senses", "select"]

QUERY_SCHEMA = pa.schema(
    [
        ("query", pa.string()),
        ("lemma", pa.string()),
        ("pos", pa.string()),
        ("sense", pa.string()),
        ("relevant", pa.int64()),
        ("candidates", pa.int64()),
        ("frequency", pa.int64()),
        ("prevalence", pa.float64()),
    ]
)


class Bucket(NamedTuple):
    """A range of frequency and of prevalence, lower ends included."""

    label: str
    members: np.ndarray
    """``(queries,) bool``"""


class Selection(NamedTuple):
    """What is asked and what may be found. Rows are rows of the corpus' instances."""

    database: np.ndarray
    """Rows of D: ``(database,) int64``."""
    queries: np.ndarray
    """Rows of Q: ``(queries,) int64``."""
    pool_of_database: np.ndarray
    """Number of the candidate pool of each row of D: ``(database,) int64``."""
    pool_of_query: np.ndarray
    """``(queries,) int64``"""
    sense: np.ndarray
    """Number of every instance's (first) sense, -1 if it has none: ``(instances,) int64``.

    Labels that several words share, such as supersenses, are a sense of each word and part of speech.
    """
    relevant: np.ndarray
    """Occurrences of each query's sense in D: ``(queries,) int64``."""
    candidates: np.ndarray
    """Size of each query's pool: ``(queries,) int64``."""
    frequency: np.ndarray
    """The first axis of the buckets: ``(queries,) int64``."""
    prevalence: np.ndarray
    """The second: the share of the sense among its lemma and part of speech in D: ``(queries,) float64``."""
    lemma: np.ndarray
    """Number of each query's lemma: ``(queries,) int64``."""
    protocol: Protocol
    companions: np.ndarray | None = None
    """Other usages of each query's sense that are averaged with it: ``(queries, query_size - 1) int64``."""

    def buckets(self) -> list[Bucket]:
        """The cells of frequency x prevalence, in the order of the paper's table."""
        return _buckets(self.frequency, self.prevalence, self.protocol)

    def asked(self, corpus: Corpus) -> Queries:
        """What is known of each query, apart from the corpus."""
        rows = corpus.instances.take(self.queries)
        columns = {
            "query": rows["id"],
            "lemma": rows["lemma"],
            "pos": rows["pos"],
            "sense": first_senses(corpus).take(pa.array(self.queries)),
            **{name: getattr(self, name) for name in ("relevant", "candidates", "frequency", "prevalence")},
        }
        return Queries(pa.table(columns, schema=QUERY_SCHEMA), self.protocol, len(self.database))


class Queries(NamedTuple):
    """The queries of an evaluation: all that scores and buckets are made of, one row each."""

    table: pa.Table
    """Of ``QUERY_SCHEMA``."""
    protocol: Protocol
    database: int
    """How many usages there were to search."""

    def column(self, name: str) -> np.ndarray:
        """A column as an array: ``(queries,)``."""
        return np.asarray(self.table[name])

    def buckets(self) -> list[Bucket]:
        """The cells of frequency x prevalence, in the order of the paper's table."""
        return _buckets(self.column("frequency"), self.column("prevalence"), self.protocol)


def _buckets(frequency: np.ndarray, prevalence: np.ndarray, protocol: Protocol) -> list[Bucket]:
    return [
        Bucket(f"{l_label}, {r_label}", l_members & r_members)
        for l_members, l_label in _ranges(frequency, protocol.frequency_edges, "l")
        for r_members, r_label in _ranges(prevalence, protocol.prevalence_edges, "r")
    ]


def select(corpus: Corpus, protocol: Protocol) -> Selection:
    """Apply the protocol's rules to the labels of ``corpus``."""
    table = corpus.instances
    lemma = _codes(table["lemma"])
    lemma_pos = _codes(pc.binary_join_element_wise(table["lemma"], table["pos"], "\x1f"))
    labels = first_senses(corpus)
    sense = _codes(pc.binary_join_element_wise(table["lemma"], table["pos"], labels, "\x1f"))
    pool = lemma if protocol.candidates == "lemma" else lemma_pos
    labelled = sense >= 0
    in_database = _in_splits(table, protocol.database) & labelled
    _require(in_database, corpus, protocol.database, "database")

    sense_count = np.bincount(sense[in_database], minlength=sense.max() + 1)
    group_count = np.bincount(lemma_pos[in_database], minlength=lemma_pos.max() + 1)
    asked = _in_splits(table, protocol.queries) & labelled
    _require(asked, corpus, protocol.queries, "queries")
    asked &= sense_count[sense] >= protocol.minimum
    if protocol.excluded:
        asked &= ~np.asarray(pc.is_in(labels, value_set=pa.array(sorted(protocol.excluded), pa.string())))
    with np.errstate(divide="ignore", invalid="ignore"):
        prevalence = sense_count[sense] / group_count[lemma_pos]
    if protocol.monosemous == "drop":
        asked &= prevalence < 1.0

    database, queries = np.flatnonzero(in_database), np.flatnonzero(asked)
    queries, companions = _grouped(queries, sense, protocol)
    pool_count = np.bincount(pool[database], minlength=pool.max() + 1)
    frequency = sense_count[sense] if protocol.frequency == "sense" else group_count[lemma_pos]
    return Selection(
        database=database,
        queries=queries,
        pool_of_database=pool[database],
        pool_of_query=pool[queries],
        sense=sense,
        relevant=sense_count[sense[queries]],
        candidates=pool_count[pool[queries]],
        frequency=frequency[queries],
        prevalence=prevalence[queries],
        lemma=lemma[queries],
        protocol=protocol,
        companions=companions,
    )


def _grouped(
    queries: np.ndarray, sense: np.ndarray, protocol: Protocol
) -> tuple[np.ndarray, np.ndarray | None]:
    """The queries whose sense is asked for ``query_size`` times, and each one's companions.

    The usages of a sense stand in a random circle; companions are the next ones, so all serve equally often.
    """
    others = protocol.query_size - 1
    if not others:
        return queries, None
    rng = np.random.default_rng(protocol.query_seed)
    shuffled = rng.permutation(queries)
    circle = shuffled[np.argsort(sense[shuffled], kind="stable")]
    _, first, size = np.unique(sense[circle], return_index=True, return_counts=True)
    start, length = np.repeat(first, size), np.repeat(size, size)
    place = np.arange(len(circle)) - start
    steps = np.arange(1, others + 1)
    companions = circle[start[:, None] + (place[:, None] + steps) % length[:, None]]
    order = np.argsort(circle)
    order = order[length[order] > others]
    return circle[order], companions[order]


def first_senses(corpus: Corpus) -> pa.Array:
    """The first sense of every instance, null where it has none: ``(instances,)`` strings."""
    lists = corpus.instances["senses"].combine_chunks()
    starts = np.asarray(lists.offsets, np.int64)
    starts, ends = starts[:-1] - starts[0], starts[1:] - starts[0]
    return pc.list_flatten(lists).take(pa.array(starts, mask=starts == ends))


def _codes(column: pa.Array | pa.ChunkedArray) -> np.ndarray:
    """Distinct values by number, -1 for null: ``(n,) int64``."""
    array = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    return np.asarray(pc.fill_null(array.dictionary_encode().indices, -1), np.int64)


def _in_splits(table: pa.Table, splits: tuple[str, ...]) -> np.ndarray:
    """Splits match by their first part too: ``dev`` takes ``dev.few-shot``."""
    first = pc.list_element(pc.split_pattern(table["split"], "."), 0)
    wanted = pa.array(splits)
    return np.asarray(pc.or_(pc.is_in(table["split"], value_set=wanted), pc.is_in(first, value_set=wanted)))


def _require(mask: np.ndarray, corpus: Corpus, splits: tuple[str, ...], role: str) -> None:
    if not mask.any():
        present = sorted(filter(None, corpus.instances["split"].unique().to_pylist()))
        found = f"its splits are {', '.join(present)}" if present else "it has no splits"
        raise UserError(
            f"corpus {corpus.name!r} has no labelled instance in the {role} split ({' or '.join(splits)}); "
            f"{found}. Label some (a column 'split' in tsv), choose a labelling (tpp:DIR?inventory=tratz), "
            "or hold out documents with --hold-out 0.2"
        )


def _ranges(values: np.ndarray, edges: tuple[float, ...], symbol: str) -> list[tuple[np.ndarray, str]]:
    bounds = [-np.inf, *edges, np.inf]
    ranges = []
    for low, high in pairwise(bounds):
        if low == -np.inf:
            label = f"{symbol} < {high:g}"
        elif high == np.inf:
            label = f"{symbol} ≥ {low:g}"
        else:
            label = f"{low:g} ≤ {symbol} < {high:g}"
        ranges.append(((values >= low) & (values < high), label))
    return ranges
