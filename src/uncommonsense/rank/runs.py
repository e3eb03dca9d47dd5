"""Results on disk: a folder that says what was asked, and what each system answered, query by query.

    RUN/run.json                what was run: corpus, protocol, neighbours judged, versions, systems
    RUN/queries.parquet         one row per query, of ``QUERY_SCHEMA``
    RUN/systems/NAME.parquet    one row per query: query, hits, neighbours, similarity (lists, best first)

Every table and picture is made from these; nothing is ranked again.
"""

from __future__ import annotations

import json
import re
import zlib
from importlib import metadata
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from uncommonsense import __version__
from uncommonsense.corpora.staging import staged
from uncommonsense.errors import MissingResourceError, UserError
from uncommonsense.rank.evaluate import RankingResult
from uncommonsense.rank.protocol import Protocol
from uncommonsense.rank.selection import Queries
from uncommonsense.schema import Corpus

__all__ = ["Run", "read_run", "slug", "start_run"]

_FORMAT = 1
_PACKAGES = ("numpy", "pyarrow", "torch", "transformers", "tokenizers")


class Run(NamedTuple):
    """A folder of results."""

    folder: Path
    about: dict[str, Any]
    queries: Queries

    @property
    def systems(self) -> list[str]:
        """Names of the systems that are complete, in the order in which they were added."""
        return [name for name in self.about["systems"] if self._file(name).exists()]

    def has(self, system: str, settings: dict[str, str]) -> bool:
        """Whether this system is complete and was made with the same settings."""
        return system in self.systems and self.about["systems"][system] == settings

    def add(self, result: RankingResult, corpus: Corpus) -> None:
        """Write the answers of one system, whole or not at all."""
        ids = corpus.instances["id"]
        k = result.hits.shape[1]
        offsets = pa.array(np.arange(0, result.hits.size + 1, k), pa.int32())
        columns = {"query": self.queries.table["query"], "hits": _lists(offsets, result.hits)}
        if result.neighbours is not None and result.similarity is not None:
            found = result.neighbours.reshape(-1)
            columns["neighbours"] = _lists(
                offsets, ids.take(pa.array(found, mask=found < 0)).combine_chunks()
            )
            columns["similarity"] = _lists(offsets, result.similarity)
        _write_table(self._file(result.system), pa.table(columns))
        self.about["systems"][result.system] = result.settings
        _write_json(self.folder / "run.json", self.about)

    def result(self, system: str) -> RankingResult:
        """The answers of one system, from disk."""
        if system not in self.systems:
            raise UserError(f"{self.folder} has no results of {system!r}; it has {', '.join(self.systems)}")
        table = pq.read_table(self._file(system), columns=["hits"])
        hits = np.asarray(pc.list_flatten(table["hits"].combine_chunks()))
        shaped = hits.reshape(len(self.queries.table), -1)
        settings = self.about["systems"][system]
        return RankingResult(system, self.about["corpus"], shaped, self.queries, settings=settings)

    def neighbours(self, system: str) -> pa.Table:
        """Query, hits, neighbours and similarity of one system, lists best first."""
        return pq.read_table(self._file(system))

    def _file(self, system: str) -> Path:
        return self.folder / "systems" / f"{slug(system)}.parquet"


def slug(name: str) -> str:
    """A file name for a system's name: another one for every name."""
    plain = re.sub(r"[^\w.@=+-]+", "_", name).strip("_.")
    return plain if plain == name else f"{plain}~{zlib.crc32(name.encode()):08x}"


def start_run(folder: Path, corpus: str, queries: Queries, *, k: int, split: str = "") -> Run:
    """Open the run in ``folder``, or begin one there; a run of something else is never overwritten.

    ``split`` says how queries were set apart, where the corpus itself does not.
    """
    about: dict[str, Any] = {
        "format": _FORMAT,
        "corpus": corpus,
        "k": k,
        "protocol": queries.protocol.as_json(),
        "database": queries.database,
        "split": split,
        "versions": {"uncommonsense": __version__} | {name: metadata.version(name) for name in _PACKAGES},
        "systems": {},
    }
    if (folder / "run.json").exists():
        run = read_run(folder)
        for key in ("corpus", "k", "protocol", "split", "database"):
            if run.about[key] != json.loads(json.dumps(about[key])):
                raise UserError(
                    f"{folder} holds a run with another {key} ({run.about[key]}); give another --out"
                )
        return run
    folder.mkdir(parents=True, exist_ok=True)
    _write_table(folder / "queries.parquet", queries.table)
    _write_json(folder / "run.json", about)
    return Run(folder, about, queries)


def read_run(folder: Path) -> Run:
    """Open a run that :func:`start_run` began."""
    try:
        about = json.loads((folder / "run.json").read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise MissingResourceError(
            f"{folder} is no run (no run.json); make one with 'uncommonsense rank CORPUS --out {folder}'"
        ) from None
    if about.get("format") != _FORMAT:
        raise UserError(f"{folder} is a run of another format ({about.get('format')}, not {_FORMAT})")
    protocol = Protocol.from_json(about["protocol"])
    table = pq.read_table(folder / "queries.parquet")
    return Run(folder, about, Queries(table, protocol, about["database"]))


def _lists(offsets: pa.Array, values: np.ndarray | pa.Array) -> pa.ListArray:
    flat = pa.array(values.reshape(-1)) if isinstance(values, np.ndarray) else values
    return pa.ListArray.from_arrays(offsets, flat)


def _write_json(path: Path, content: dict[str, Any]) -> None:
    with staged(path, overwrite=True) as part:
        part.write_text(json.dumps(content, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


def _write_table(path: Path, table: pa.Table) -> None:
    with staged(path, overwrite=True) as part:
        pq.write_table(table, part, compression="zstd")
