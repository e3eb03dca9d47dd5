"""Writing under a temporary name, so that a file or folder is there whole or not at all."""

from __future__ import annotations

import os
import re
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Lock

from uncommonsense.errors import UserError

__all__ = ["staged"]

_SHARD = re.compile(r"data-[0-9]{5,}\.parquet")
_DATA = ".data.xml"
_replacing = Lock()
"""Held while a folder is between two names, so that threads with one target take turns."""


@contextmanager
def staged(target: Path, *, overwrite: bool = False) -> Iterator[Path]:
    """Give a temporary path beside ``target``, renamed after the block or removed if the block fails."""
    _check(target, overwrite=overwrite)
    target.parent.mkdir(parents=True, exist_ok=True)
    temporary = target.with_name(f".{target.name}.{os.getpid()}.{secrets.token_hex(4)}.tmp")
    try:
        yield temporary
        _flush(temporary)
        with _replacing:
            _check(target, overwrite=overwrite)  # the block may have taken hours
            _replace(temporary, target)
    finally:
        _remove(temporary)


def _check(target: Path, *, overwrite: bool) -> None:
    if not target.exists() or (target.is_dir() and not any(target.iterdir())):
        return
    if not overwrite:
        raise UserError(f"{target} exists already; choose another name, or overwrite it with --force")
    if target.is_dir() and not _is_ours(target):
        raise UserError(f"{target} is a folder with other things in it; it will not be overwritten")


def _is_ours(folder: Path) -> bool:
    """Whether a folder holds what a conversion writes, and nothing else: shards, or one data set."""
    if not all(entry.is_file() for entry in folder.iterdir()):
        return False
    names = {entry.name for entry in folder.iterdir()}
    data_sets = [name.removesuffix(_DATA) for name in names if name.endswith(_DATA)]
    if len(data_sets) == 1:
        return names <= {data_sets[0] + _DATA, data_sets[0] + ".gold.key.txt"}
    return all(_SHARD.fullmatch(name) for name in names)


def _flush(path: Path) -> None:
    """Bring what was written to the disk, lest the new name outlive a power cut and the bytes do not."""
    for file in path.iterdir() if path.is_dir() else [path]:
        with file.open("r+b") as stream:
            os.fsync(stream.fileno())


def _replace(temporary: Path, target: Path) -> None:
    """Rename ``temporary`` to ``target``; what was there is kept aside until that has worked."""
    if not target.exists() or (target.is_file() and temporary.is_file()):
        temporary.replace(target)
        return
    aside = temporary.with_suffix(".old")
    target.rename(aside)
    try:
        temporary.rename(target)
    except BaseException:
        aside.rename(target)
        raise
    _remove(aside)


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)
