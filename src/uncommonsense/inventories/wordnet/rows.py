"""The compiled WordNet by row: columns as arrays, synsets, names. Nothing is looked up by id here."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from uncommonsense.errors import UnknownNameError
from uncommonsense.inventories.columns import LemmaIndex, Strings
from uncommonsense.inventories.protocol import fold_lemma, fold_pos
from uncommonsense.inventories.wordnet.cache import load_tables
from uncommonsense.inventories.wordnet.names import LEXFILES, PARTS, RELATIONS

__all__ = ["FILE_ORDER", "Pointers", "Rows", "Synset", "relation_number"]

FILE_ORDER = "nvar"
"""The order of parts of speech within a lemma's senses, and of the data files among synsets."""


class Synset(NamedTuple):
    """A set of synonymous senses."""

    name: str
    """First word, part of speech, number of that word's sense: ``mouse.n.01``.

    NLTK's names, as the literature has them. NLTK itself numbers satellites differently since 3.9.2.
    """
    pos: str
    """``n v a r``, or ``s`` for an adjective satellite."""
    lexfile: str
    lemmas: tuple[str, ...]
    """As written in the database: underscores, case."""
    keys: tuple[str, ...]
    """The sense key of each lemma."""
    gloss: str
    examples: tuple[str, ...]
    offset: int
    """Differs between builds of the same WordNet: never an identifier."""
    row: int
    """Position among all synsets, the same in every build."""


class Pointers(NamedTuple):
    """All relations, by source synset: those of synset ``i`` are ``indptr[i]`` to ``indptr[i + 1]``.

    ``indptr (synsets + 1,) int32``, the others ``(pointers,)``: ``relation uint8``, a number of
    ``RELATIONS``; ``target int32``, a synset; ``source_sense`` and ``target_sense int32``, -1 where the
    relation holds between whole synsets.
    """

    indptr: np.ndarray
    relation: np.ndarray
    target: np.ndarray
    source_sense: np.ndarray
    target_sense: np.ndarray


class Rows:
    """Senses and synsets by number.

    Senses are sorted by lemma, part of speech (n v a r), sense number; synsets follow the data files.
    Both orders are the same for every build of one WordNet. ``tables`` holds all columns as Arrow
    tables (``senses``, ``lemmas``, ``synsets``, ``exceptions``); ``digest`` is the sha256 of the files.
    """

    def __init__(self, folder: str | Path | None = None) -> None:
        from uncommonsense.resources import cache_dir, path

        home = path("wordnet") if folder is None else Path(folder)
        self.digest, tables = load_tables(home, cache_dir() / "inventories")
        self.tables = tables
        self.name = "wordnet"
        self._senses = {name: _whole(tables["senses"], name) for name in tables["senses"].column_names}
        self._synsets = {name: _whole(tables["synsets"], name) for name in tables["synsets"].column_names}
        self._keys = Strings(self._senses["key"])
        bounds = _numpy(_whole(tables["lemmas"], "bounds").values).reshape(-1, 5)
        self._index = LemmaIndex(Strings(_whole(tables["lemmas"], "lemma")), bounds, FILE_ORDER)
        self._glosses = Strings(self._synsets["gloss"])
        self._words = Strings(self._synsets["words"].values)

    def __repr__(self) -> str:
        return f"<WordNet: {len(self._keys):,} senses, {len(self._glosses):,} synsets>"

    def key(self, row: int) -> str:
        """The sense key of a row."""
        return self._keys[row]

    def rows(self, lemma: str, pos: str | None = None) -> range:
        """The rows of a lemma's senses: neighbours, in sense order."""
        return self._index.rows(fold_lemma(lemma), None if pos is None else fold_pos(pos))

    def candidates_many(
        self, lemmas: Sequence[str], pos: str | Sequence[str] | None = None
    ) -> tuple[np.ndarray, np.ndarray]:
        """First sense row and end of the rows for each lemma, ``(lemmas,) int32`` each.

        ``pos`` is one for all or one for each; where a lemma is unknown, both numbers are 0.
        """
        folded = pa.array([fold_lemma(lemma) for lemma in lemmas], pa.string())
        found = pc.index_in(folded, value_set=self._index.lemmas.array)
        rows = _numpy(pc.fill_null(found, -1))
        letters = [pos] * len(rows) if pos is None or isinstance(pos, str) else list(pos)
        parts = np.array(
            [-1 if each is None else self._index.part(fold_pos(each)) for each in letters], dtype=int
        )
        all_parts = np.array([each is None for each in letters], dtype=bool)
        known = (rows >= 0) & (all_parts | (parts >= 0))
        starts = self._index.bounds[rows, np.where(all_parts, 0, parts)]
        ends = self._index.bounds[rows, np.where(all_parts, 4, parts + 1)]
        return np.where(known, starts, 0), np.where(known, ends, 0)

    def synset_at(self, row: int) -> Synset:
        """The synset of a row."""
        indptr, senses = self.synset_senses
        words = slice(int(indptr[row]), int(indptr[row + 1]))
        return Synset(
            self.synset_name(row),
            PARTS[self.synset_pos[row]],
            LEXFILES[self.synset_lexfile[row]],
            self._words[words],
            tuple(self._keys[sense] for sense in senses[words].tolist()),
            self._glosses[row],
            tuple(self._synsets["examples"][row].as_py()),
            int(self.synset_offset[row]),
            row,
        )

    def synset_name(self, row: int) -> str:
        """The name of a synset's row, such as ``mouse.n.01``."""
        indptr, senses = self.synset_senses
        sense = int(senses[indptr[row]])
        lemma = self._index.lemmas[int(self.sense_lemma[sense])]
        return f"{lemma}.{PARTS[self.synset_pos[row]]}.{self.sense_number[sense]:02d}"

    def edges(self, relation: str) -> np.ndarray:
        """All pairs of synset rows that a relation joins, lemma-level ones included: ``(pairs, 2) int32``."""
        chosen = self.pointers.relation == relation_number(relation)
        sources = np.repeat(np.arange(len(self._glosses), dtype=np.int32), np.diff(self.pointers.indptr))
        return np.stack([sources[chosen], self.pointers.target[chosen]], axis=1)

    def sense_edges(self, relation: str) -> np.ndarray:
        """All pairs of sense rows that a lemma-level relation joins: ``(pairs, 2) int32``."""
        pointers = self.pointers
        chosen = (pointers.relation == relation_number(relation)) & (pointers.source_sense >= 0)
        return np.stack([pointers.source_sense[chosen], pointers.target_sense[chosen]], axis=1)

    @cached_property
    def sense_lemma(self) -> np.ndarray:
        """The lemma of each sense, a position in ``lemmas()``: ``(senses,) int32``."""
        return _numpy(self._senses["lemma"])

    @cached_property
    def sense_synset(self) -> np.ndarray:
        """The synset row of each sense: ``(senses,) int32``."""
        return _numpy(self._senses["synset"])

    @cached_property
    def sense_number(self) -> np.ndarray:
        """The sense number of each sense: ``(senses,) int16``."""
        return _numpy(self._senses["number"])

    @cached_property
    def sense_count(self) -> np.ndarray:
        """The tag count of each sense: ``(senses,) int32``."""
        return _numpy(self._senses["count"])

    @cached_property
    def synset_pos(self) -> np.ndarray:
        """The part of speech of each synset, a position in ``PARTS`` (n v a r s): ``(synsets,) uint8``."""
        return _numpy(self._synsets["pos"])

    @cached_property
    def synset_lexfile(self) -> np.ndarray:
        """The lexicographer file of each synset, a position in ``LEXFILES``: ``(synsets,) uint8``."""
        return _numpy(self._synsets["lexfile"])

    @cached_property
    def synset_offset(self) -> np.ndarray:
        """The byte offset of each synset in its ``data`` file: ``(synsets,) int32``."""
        return _numpy(self._synsets["offset"])

    @cached_property
    def synset_senses(self) -> tuple[np.ndarray, np.ndarray]:
        """Sense rows by synset: those of synset ``i`` are ``senses[indptr[i]:indptr[i + 1]]``, word by word.

        ``indptr (synsets + 1,) int32``, ``senses (words,) int32``; two spellings of one key repeat its row.
        """
        lists = self._synsets["senses"]
        return _numpy(lists.offsets), _numpy(lists.values)

    @cached_property
    def pointers(self) -> Pointers:
        """All relations as arrays."""
        lists = self._synsets["pointers"]
        return Pointers(
            _numpy(lists.offsets), *(_numpy(lists.values.field(name)) for name in Pointers._fields[1:])
        )

    @cached_property
    def file_bounds(self) -> np.ndarray:
        """First synset row of each data file, and the end: ``(5,)``."""
        files = np.array([FILE_ORDER.index(fold_pos(part)) for part in PARTS])[self.synset_pos]
        return np.searchsorted(files, np.arange(5))

    def pointer_range(self, row: int) -> range:
        """Where the relations of a synset lie in ``pointers``."""
        indptr = self.pointers.indptr
        return range(int(indptr[row]), int(indptr[row + 1]))


def _whole(table: pa.Table, name: str) -> pa.Array:
    """A column as one array: tables are written in one batch, so nothing is copied."""
    column = table[name]
    return column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()


def _numpy(array: pa.Array) -> np.ndarray:
    """A view of a column of numbers. Arrow's own ``to_numpy`` would import pandas where it is installed."""
    values = np.frombuffer(array.buffers()[1] or b"", dtype=array.type.to_pandas_dtype())
    return values[array.offset : array.offset + len(array)]


def relation_number(relation: str) -> int:
    """The position of a relation in ``RELATIONS``."""
    if relation not in RELATIONS:
        raise UnknownNameError("relation", relation, RELATIONS)
    return RELATIONS.index(relation)
