"""The tables that pass between stages: Arrow in memory, Parquet on disk.

Readers make :class:`Sentence` objects one at a time; :class:`Corpus` holds many of them as two
Arrow tables. On disk a corpus is one table, a row per sentence with its instances nested, so that
any Parquet reader (``datasets.load_dataset("parquet", ...)`` among them) opens it as it is.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import islice
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from uncommonsense.errors import UserError

__all__ = [
    "CORPUS_SCHEMA",
    "INSTANCE_SCHEMA",
    "MISSING_WORD",
    "SCORE_SCHEMA",
    "SENTENCE_SCHEMA",
    "Corpus",
    "Instance",
    "Sense",
    "Sentence",
]

MISSING_WORD = "[WORD]"
"""Stands for a token whose form a release leaves out (OntoNotes' ``.gold_skel`` files)."""

SENTENCE_SCHEMA = pa.schema([("id", pa.string()), ("tokens", pa.list_(pa.string())), ("source", pa.string())])

INSTANCE_SCHEMA = pa.schema(
    [
        ("id", pa.string()),
        ("sentence_id", pa.string()),
        ("start", pa.int32()),
        ("end", pa.int32()),
        ("lemma", pa.string()),
        ("pos", pa.string()),
        ("senses", pa.list_(pa.string())),
        ("split", pa.string()),
    ]
)

_NESTED = pa.struct([field for field in INSTANCE_SCHEMA if field.name != "sentence_id"])
CORPUS_SCHEMA = pa.schema([*SENTENCE_SCHEMA, ("instances", pa.list_(_NESTED))])

SCORE_SCHEMA = pa.schema(
    [
        ("system", pa.string()),
        ("corpus", pa.string()),
        ("slice", pa.string()),
        ("metric", pa.string()),
        ("value", pa.float64()),
        ("low", pa.float64()),
        ("high", pa.float64()),
        ("n", pa.int64()),
    ]
)


class Instance(NamedTuple):
    """A target word in a sentence: tokens ``start`` to ``end`` (exclusive)."""

    id: str
    start: int
    end: int
    lemma: str
    pos: str
    """``n``, ``v``, ``a``, ``r`` as in WordNet, ``p`` for adpositions, ``x`` for anything else."""
    senses: tuple[str, ...] = ()
    """Gold senses, any of which is right; empty where the text is not annotated."""
    split: str = ""
    """``train``, ``dev``, ``test``, ... as the source says; empty where it says nothing."""


class Sentence(NamedTuple):
    """A tokenised sentence and its target words."""

    id: str
    tokens: tuple[str, ...]
    source: str
    """The document, file or register that the sentence comes from."""
    instances: tuple[Instance, ...] = ()


class Sense(NamedTuple):
    """One sense of an inventory."""

    id: str
    lemmas: tuple[str, ...]
    pos: str
    gloss: str
    examples: tuple[str, ...] = ()
    relations: tuple[tuple[str, str], ...] = ()
    """``(relation, target sense id)`` pairs."""
    tags: tuple[str, ...] = ()


def to_batches(sentences: Iterable[Sentence], *, rows: int = 4096) -> Iterator[pa.RecordBatch]:
    """Pack a stream of sentences into record batches of ``CORPUS_SCHEMA``, at most ``rows`` each."""
    stream = iter(sentences)
    while chunk := list(islice(stream, rows)):
        ids, tokens, sources, instances = zip(*chunk, strict=True)
        nested = [[instance._asdict() for instance in group] for group in instances]
        yield pa.RecordBatch.from_arrays(
            [
                pa.array(ids, pa.string()),
                pa.array(tokens, pa.list_(pa.string())),
                pa.array(sources, pa.string()),
                pa.array(nested, pa.list_(_NESTED)),
            ],
            schema=CORPUS_SCHEMA,
        )


def from_batches(batches: Iterable[pa.RecordBatch]) -> Iterator[Sentence]:
    """The inverse of :func:`to_batches`."""
    for batch in batches:
        for row in batch.to_pylist():
            instances = tuple(
                Instance(**{**instance, "senses": tuple(instance["senses"])}) for instance in row["instances"]
            )
            yield Sentence(row["id"], tuple(row["tokens"]), row["source"], instances)


class Corpus:
    """Sentences and their annotated words, as two Arrow tables.

    ``sentences`` has the columns of ``SENTENCE_SCHEMA``, ``instances`` those of ``INSTANCE_SCHEMA``.
    """

    def __init__(self, sentences: pa.Table, instances: pa.Table, *, name: str = "") -> None:
        self.sentences = sentences
        self.instances = instances
        self.name = name

    @classmethod
    def from_sentences(cls, sentences: Iterable[Sentence], *, name: str = "") -> Corpus:
        """Collect a stream; only the Arrow buffers stay in memory."""
        return cls.from_table(pa.Table.from_batches(to_batches(sentences), CORPUS_SCHEMA), name=name)

    @classmethod
    def from_table(cls, table: pa.Table, *, name: str = "") -> Corpus:
        """Split a table of ``CORPUS_SCHEMA`` (a row per sentence) into sentences and instances."""
        nested = table["instances"].combine_chunks()
        flat = pc.list_flatten(nested)
        parents = pc.list_parent_indices(nested)
        columns = {
            name: pc.struct_field(flat, name) for name in INSTANCE_SCHEMA.names if name != "sentence_id"
        }
        columns["sentence_id"] = table["id"].take(parents)
        instances = pa.table({name: columns[name] for name in INSTANCE_SCHEMA.names}, schema=INSTANCE_SCHEMA)
        corpus = cls(table.select(SENTENCE_SCHEMA.names), instances, name=name)
        corpus.__dict__["rows"] = np.asarray(parents, dtype=np.int64)
        return corpus

    @classmethod
    def concatenate(cls, corpora: Sequence[Corpus]) -> Corpus:
        """One corpus after another; ids stay as they are."""
        starts = np.cumsum([0, *(corpus.sentences.num_rows for corpus in corpora)])
        joined = cls(
            pa.concat_tables([corpus.sentences for corpus in corpora]),
            pa.concat_tables([corpus.instances for corpus in corpora]),
            name="+".join(corpus.name for corpus in corpora),
        )
        rows = [corpus.rows + start for corpus, start in zip(corpora, starts, strict=False)]
        joined.__dict__["rows"] = np.concatenate(rows)
        return joined

    def __len__(self) -> int:
        """How many instances there are."""
        return int(self.instances.num_rows)

    def __repr__(self) -> str:
        return f"<Corpus {self.name!r}: {self.sentences.num_rows:,} sentences, {len(self):,} instances>"

    @cached_property
    def rows(self) -> np.ndarray:
        """The row of each instance's sentence in ``sentences``: ``(instances,) int64``."""
        found = pc.index_in(self.instances["sentence_id"], value_set=self.sentences["id"].combine_chunks())
        if found.null_count:
            row = self.instances.filter(pc.is_null(found)).slice(0, 1).to_pylist()[0]
            raise UserError(
                f"instance {row['id']} is of sentence {row['sentence_id']}, which the corpus does not have"
            )
        return np.asarray(found, dtype=np.int64)

    @cached_property
    def has_words(self) -> bool:
        """False for releases that hold labels only (there are tokens, and every one is ``[WORD]``)."""
        words = pc.list_flatten(self.sentences["tokens"])
        return not pc.all(pc.equal(words, MISSING_WORD)).as_py()

    def select(self, mask: np.ndarray) -> Corpus:
        """The instances where ``mask`` (``(instances,) bool``) is true, with the same sentences."""
        chosen = Corpus(self.sentences, self.instances.filter(pa.array(mask)), name=self.name)
        chosen.__dict__["rows"] = self.rows[mask]
        return chosen
