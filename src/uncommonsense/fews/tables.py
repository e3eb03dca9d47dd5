"""The same data as Parquet: a corpus per split, and the senses."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from uncommonsense.corpora import fews, write_parquet
from uncommonsense.fews.layout import EVALUATION, EXTENDED, PARQUET, TRAIN
from uncommonsense.fews.numbering import Headword

__all__ = ["SENSE_TABLE", "SPLITS", "write_tables"]

SPLITS = {"train": TRAIN, "train.ext": EXTENDED, **EVALUATION}
SENSE_TABLE = f"{PARQUET}/senses.parquet"

_SCHEMA = pa.schema(
    [
        ("sense_id", pa.string()),
        ("word", pa.string()),
        ("pos", pa.string()),
        ("gloss", pa.string()),
        ("tags", pa.list_(pa.string())),
        ("depth", pa.int32()),
        ("synonyms", pa.list_(pa.string())),
    ]
)
_ROWS = 4096


def write_tables(folder: Path, headwords: Iterable[Headword]) -> list[str]:
    """Write the tables of a folder that has its text files; return the files by their place in it."""
    for name, file in SPLITS.items():
        if (folder / file).exists():
            corpus = folder / PARQUET / name
            write_parquet(fews.read(folder / file), corpus, name=f"fews.{name}", spec=f"fews:{file}")
    _write_senses(folder / SENSE_TABLE, headwords)
    return sorted(file.relative_to(folder).as_posix() for file in (folder / PARQUET).rglob("*.parquet"))


def _write_senses(path: Path, headwords: Iterable[Headword]) -> None:
    rows = (
        {
            **sense._asdict(),
            "sense_id": sense.id,
            "word": headword.word,
            "pos": headword.key.rpartition(".")[2],
        }
        for headword in headwords
        for sense in headword.senses
    )
    path.parent.mkdir(exist_ok=True)
    with pq.ParquetWriter(path, _SCHEMA, compression="zstd") as writer:
        while batch := list(islice(rows, _ROWS)):
            writer.write_batch(pa.RecordBatch.from_pylist(batch, schema=_SCHEMA))
