"""An inventory held in memory as Arrow columns, for sources that are read from text."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator
from itertools import groupby, islice
from typing import Any, Self

import numpy as np
import pyarrow as pa

from uncommonsense.errors import UnknownNameError
from uncommonsense.inventories.columns import LemmaIndex, Strings
from uncommonsense.inventories.protocol import POS, fold_lemma, fold_pos
from uncommonsense.schema import Sense

__all__ = ["SENSE_SCHEMA", "TableInventory"]

SENSE_SCHEMA = pa.schema(
    [
        ("id", pa.string()),
        ("lemmas", pa.list_(pa.string())),
        ("pos", pa.string()),
        ("gloss", pa.string()),
        ("examples", pa.list_(pa.string())),
        ("relations", pa.list_(pa.struct([("relation", pa.string()), ("target", pa.string())]))),
        ("tags", pa.list_(pa.string())),
    ]
)


class TableInventory:
    """Senses in a table of ``SENSE_SCHEMA``, in the order of their source.

    Ids are unique; ``from_senses`` does not check it, since only the readers can say where two clash.
    """

    def __init__(self, table: pa.Table, *, name: str) -> None:
        self.name = name
        self.table = table.combine_chunks()
        self._ids = Strings(_column(self.table, "id"))
        self._by_id = np.array(sorted(range(len(self._ids)), key=self._ids.__getitem__), dtype=np.int32)
        self._sorted_ids = Strings(pa.array([self._ids[row] for row in self._by_id], pa.string()))
        self._by_lemma, self._index = _index_lemmas(self.table)

    @classmethod
    def from_senses(cls, senses: Iterable[Sense], *, name: str) -> Self:
        """Collect a stream of senses; only the Arrow buffers stay in memory."""
        return cls(pa.Table.from_batches(_batches(senses), SENSE_SCHEMA), name=name)

    def __len__(self) -> int:
        return len(self._ids)

    def __contains__(self, sense_id: object) -> bool:
        return isinstance(sense_id, str) and self._sorted_ids.find(sense_id) >= 0

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name!r}: {len(self):,} senses>"

    def sense(self, sense_id: str) -> Sense:
        """The sense of this id."""
        row = self.table.slice(self.row(sense_id), 1).to_pylist()[0]
        relations = tuple((pair["relation"], pair["target"]) for pair in row["relations"])
        lists = {column: tuple(row[column]) for column in ("lemmas", "examples", "tags")}
        return Sense(**{**row, **lists, "relations": relations})

    def row(self, sense_id: str) -> int:
        """The row of a sense in ``table``."""
        place = self._sorted_ids.find(sense_id)
        if place < 0:
            raise UnknownNameError(f"sense of {self.name}", sense_id, self._near(sense_id))
        return int(self._by_id[place])

    def candidates(self, lemma: str, pos: str | None = None) -> tuple[str, ...]:
        """Ids of the lemma's senses in the order of the source."""
        rows = self._index.rows(fold_lemma(lemma), None if pos is None else fold_pos(pos))
        return tuple(self._ids[row] for row in self._by_lemma[rows.start : rows.stop])

    def gloss(self, sense_id: str) -> str:
        """The definition of a sense."""
        return str(self.table["gloss"][self.row(sense_id)])

    def lemmas(self) -> Iterator[str]:
        """Every lemma once, in its folded spelling, sorted."""
        return iter(self._index.lemmas)

    def senses(self) -> Iterator[str]:
        """Every sense id, in the order of the source."""
        return iter(self._ids)

    def _near(self, sense_id: str) -> tuple[str, ...]:
        """Ids that sort next to an unknown one: those of the same lemma, mostly."""
        place = bisect_left(self._sorted_ids, sense_id)
        return self._sorted_ids[max(0, place - 10) : place + 10]


def _column(table: pa.Table, name: str) -> pa.Array:
    chunks = table[name].chunks
    return chunks[0] if chunks else pa.array([], table.schema.field(name).type)


def _batches(senses: Iterable[Sense], *, rows: int = 4096) -> Iterator[pa.RecordBatch]:
    stream = iter(senses)
    while chunk := list(islice(stream, rows)):
        yield pa.RecordBatch.from_pylist([_as_row(sense) for sense in chunk], schema=SENSE_SCHEMA)


def _as_row(sense: Sense) -> dict[str, Any]:
    relations = [{"relation": relation, "target": target} for relation, target in sense.relations]
    return {**sense._asdict(), "relations": relations}


def _index_lemmas(table: pa.Table) -> tuple[np.ndarray, LemmaIndex]:
    """Rows of ``table`` sorted by (first lemma, part of speech, row), and the index over that order."""
    words = _column(table, "lemmas")
    first = Strings(words.values)
    parts = [POS.index(pos) for pos in table["pos"].to_pylist()]
    keys = [
        (fold_lemma(first[start]), part, row)
        for row, (start, part) in enumerate(zip(words.offsets.to_pylist(), parts, strict=False))
    ]
    keys.sort()
    lemmas, bounds = [], []
    place = 0
    for lemma, group in groupby(keys, key=lambda key: key[0]):
        sizes = np.bincount([part for _, part, _ in group], minlength=len(POS))
        lemmas.append(lemma)
        bounds.append(np.concatenate([[place], place + np.cumsum(sizes)]))
        place = int(bounds[-1][-1])
    matrix = np.array(bounds, dtype=np.int32).reshape(-1, len(POS) + 1)
    order = np.array([row for _, _, row in keys], dtype=np.int32)
    return order, LemmaIndex(Strings(pa.array(lemmas, pa.string())), matrix, POS)
