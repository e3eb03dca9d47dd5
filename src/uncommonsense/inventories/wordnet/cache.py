"""The compiled tables on disk: one folder per content of the database files, memory-mapped.

Hashing 35 MB on every start would cost more than all lookups of a short run. A receipt, named after
the files' sizes and modification times, remembers the hash.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import tempfile
import warnings
from contextlib import suppress
from pathlib import Path

import pyarrow as pa

from uncommonsense.inventories.wordnet.files import find_files

__all__ = ["load_tables"]

_FORMAT = 1
"""Counts the changes of the tables' layout; part of the folder's name."""


_TABLES = ("senses", "lemmas", "synsets", "exceptions")


def load_tables(folder: Path, cache: Path) -> tuple[str, dict[str, pa.Table]]:
    """The sha256 of the database in ``folder`` and its tables, compiled on first use into ``cache``."""
    files = find_files(folder)
    receipt = cache / f"wordnet-{_stamp(files)}.receipt"
    known = _read_receipt(receipt)
    digest = known or _digest(files)
    home = cache / f"wordnet-{digest[:24]}-{_FORMAT}"
    tables = _map_tables(home) or _build(files, home)
    if not known:
        _write_receipt(receipt, digest)
    return digest, tables


def _stamp(files: dict[str, Path]) -> str:
    stats = [(name, path.resolve(), path.stat()) for name, path in sorted(files.items())]
    text = "\n".join(f"{name} {path} {stat.st_size} {stat.st_mtime_ns}" for name, path, stat in stats)
    return hashlib.sha256(text.encode()).hexdigest()[:24]


def _digest(files: dict[str, Path]) -> str:
    total = hashlib.sha256()
    for name, path in sorted(files.items()):
        with path.open("rb") as file:
            total.update(f"{name} {hashlib.file_digest(file, 'sha256').hexdigest()}\n".encode())
    return total.hexdigest()


def _read_receipt(receipt: Path) -> str:
    """The sha256 in a receipt; empty where there is none or the file holds something else."""
    try:
        text = receipt.read_text("ascii")
    except (OSError, UnicodeDecodeError):
        return ""
    return text if re.fullmatch("[0-9a-f]{64}", text) else ""


def _write_receipt(receipt: Path, digest: str) -> None:
    """Best effort: without a receipt the next start hashes the files again."""
    temporary = receipt.with_suffix(f".{os.getpid()}")
    with suppress(OSError):
        temporary.write_text(digest, "ascii")
        temporary.replace(receipt)


def _map_tables(home: Path) -> dict[str, pa.Table] | None:
    """The tables of a finished folder; None where there is none, or a damaged one."""
    try:
        return {
            name: pa.ipc.open_file(pa.memory_map(str(home / f"{name}.arrow"))).read_all() for name in _TABLES
        }
    except (OSError, pa.ArrowInvalid):
        return None


def _build(files: dict[str, Path], home: Path) -> dict[str, pa.Table]:
    """Compile, write beside ``home`` under a temporary name, rename."""
    from uncommonsense.inventories.wordnet.compile import compile_tables

    tables = compile_tables(files)
    try:
        home.parent.mkdir(parents=True, exist_ok=True)
        temporary = Path(tempfile.mkdtemp(prefix=".wordnet-", dir=home.parent))
    except OSError as error:
        warnings.warn(f"cannot keep the compiled WordNet, it will be compiled again: {error}", stacklevel=2)
        return tables
    try:
        for name, table in tables.items():
            with (
                pa.OSFile(str(temporary / f"{name}.arrow"), "wb") as file,
                pa.ipc.new_file(file, table.schema) as out,
            ):
                out.write_table(table)
        if _map_tables(home) is None:
            shutil.rmtree(home, ignore_errors=True)
            temporary.rename(home)
    except OSError as error:
        # Another process may have finished the same folder first: theirs is as good as ours.
        if _map_tables(home) is None:
            warnings.warn(
                f"cannot keep the compiled WordNet, it will be compiled again: {error}", stacklevel=2
            )
    finally:
        shutil.rmtree(temporary, ignore_errors=True)
    return _map_tables(home) or tables
