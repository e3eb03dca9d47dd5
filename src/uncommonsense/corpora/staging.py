"""Writing under a temporary name, so that a file or folder is there whole or not at all."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from uncommonsense.errors import UserError

__all__ = ["staged"]

_OURS = {".parquet", ".txt", ".xml"}
"""What a folder may hold and still be replaced as a whole."""


@contextmanager
def staged(target: Path, *, overwrite: bool = False) -> Iterator[Path]:
    """Give a temporary path beside ``target``, renamed after the block or removed if the block fails."""
    _check(target, overwrite=overwrite)
    target.parent.mkdir(parents=True, exist_ok=True)
    temporary = target.with_name(f".{target.name}.{os.getpid()}.tmp")
    try:
        yield temporary
        if target.is_dir():
            shutil.rmtree(target)
        temporary.replace(target)
    finally:
        _remove(temporary)


def _check(target: Path, *, overwrite: bool) -> None:
    if not target.exists() or (target.is_dir() and not any(target.iterdir())):
        return
    if not overwrite:
        raise UserError(f"{target} exists already; choose another name, or overwrite it with --force")
    if target.is_dir() and any(entry.is_dir() or entry.suffix not in _OURS for entry in target.iterdir()):
        raise UserError(f"{target} is a folder with other things in it; it will not be overwritten")


def _remove(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)
