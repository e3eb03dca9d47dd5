"""The package's own format: Parquet files of ``CORPUS_SCHEMA`` in a folder, a row per sentence.

Any Parquet reader opens it: ``datasets.load_dataset("parquet", data_dir=DIR)``, pandas, DuckDB.
The files' metadata say what they were made from: ``uncommonsense.name``, ``.spec``, ``.version``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain, islice
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from uncommonsense import __version__
from uncommonsense.corpora.staging import staged
from uncommonsense.errors import MalformedInputError, UserError
from uncommonsense.schema import CORPUS_SCHEMA, Sentence, from_batches, to_batches

__all__ = ["read", "read_table", "write_parquet"]

_ROWS_PER_GROUP = 4096
_GROUPS_PER_FILE = 64
_DAMAGED = (pa.ArrowInvalid, pa.ArrowNotImplementedError, OSError, EOFError)


def read(path: Path) -> Iterator[Sentence]:
    """Yield the sentences of a Parquet file, or of all those in a folder, in the order of their names."""
    for file in _files(path):
        yield from from_batches(_batches(file))


def read_table(path: Path) -> pa.Table:
    """All rows at once, as a table of ``CORPUS_SCHEMA``."""
    return pa.Table.from_batches(chain.from_iterable(map(_batches, _files(path))), CORPUS_SCHEMA)


def write_parquet(
    sentences: Iterable[Sentence], folder: Path, *, name: str, spec: str = "", overwrite: bool = False
) -> int:
    """Write a corpus into a new folder and return how many sentences it has."""
    labels = {"name": name, "spec": spec, "version": __version__}
    schema = CORPUS_SCHEMA.with_metadata({f"uncommonsense.{key}": value for key, value in labels.items()})
    batches = to_batches(sentences, rows=_ROWS_PER_GROUP)
    rows = 0
    with staged(folder, overwrite=overwrite) as temporary:
        temporary.mkdir()
        for number, first in enumerate(chain([next(batches, _EMPTY)], batches)):
            shard = chain([first], islice(batches, _GROUPS_PER_FILE - 1))
            rows += _write_file(temporary / f"data-{number:05d}.parquet", shard, schema)
    return rows


_EMPTY = pa.RecordBatch.from_pylist([], schema=CORPUS_SCHEMA)


def _write_file(path: Path, batches: Iterable[pa.RecordBatch], schema: pa.Schema) -> int:
    rows = 0
    with pq.ParquetWriter(path, schema, compression="zstd") as writer:
        for batch in batches:
            if batch.num_rows:
                writer.write_batch(batch)
            rows += batch.num_rows
    return rows


def _files(path: Path) -> list[Path]:
    files = sorted(path.glob("*.parquet")) if path.is_dir() else [path]
    if not files:
        raise UserError(f"{path}: no *.parquet in this folder; `corpus convert` writes such folders")
    return files


def _batches(path: Path) -> Iterator[pa.RecordBatch]:
    try:
        with pq.ParquetFile(path) as file:
            if missing := set(CORPUS_SCHEMA.names) - set(file.schema_arrow.names):
                raise MalformedInputError(
                    path, None, f"column {min(missing)!r} is missing: not a corpus of ours"
                )
            for batch in file.iter_batches(1024, columns=CORPUS_SCHEMA.names):
                yield from _checked(path, pa.Table.from_batches([batch]))
    except _DAMAGED as error:
        raise MalformedInputError(path, None, f"not a readable Parquet file: {error}") from error


def _checked(path: Path, table: pa.Table) -> list[pa.RecordBatch]:
    """The rows in exactly our types, without nulls."""
    try:
        table = table.select(CORPUS_SCHEMA.names).cast(CORPUS_SCHEMA)
    except (pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError, ValueError) as error:
        raise MalformedInputError(path, None, f"the columns are not those of a corpus: {error}") from error
    for column in table.columns:
        if _has_nulls(column.combine_chunks()):
            raise MalformedInputError(path, None, "some values are null; a corpus has none")
    return list(table.to_batches())


def _has_nulls(array: pa.Array) -> bool:
    if array.null_count:
        return True
    if pa.types.is_struct(array.type):
        return any(_has_nulls(field) for field in array.flatten())
    return pa.types.is_list(array.type) and _has_nulls(array.flatten())
