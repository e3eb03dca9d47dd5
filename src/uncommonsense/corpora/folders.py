"""Which files of a folder to read, and which split a file's name says."""

from __future__ import annotations

import re
from pathlib import Path

from uncommonsense.errors import MalformedInputError, UserError

__all__ = ["files_of", "split_of"]

_SPLITS = {
    **dict.fromkeys(("train", "training", "trng"), "train"),
    **dict.fromkeys(("dev", "development"), "dev"),
    "test": "test",
}


def files_of(path: Path, *, suffixes: tuple[str, ...], kind: str) -> list[Path]:
    """``path`` if it is a file, else the folder's files that end in one of ``suffixes``, sorted by name."""
    if path.is_file():
        return [path]
    if not path.is_dir():
        raise UserError(f"{path}: no such file or folder; give the path of {kind}")
    files = sorted(file for file in path.iterdir() if file.name.endswith(suffixes) and file.is_file())
    if not files:
        raise MalformedInputError(path, None, f"the folder holds no {kind} ({', '.join(suffixes)})")
    return files


def split_of(name: str) -> str:
    """``train``, ``dev`` or ``test`` if one is a word of a file's name (``ud_train.json``), else empty."""
    words = re.split(r"[^a-z]+", name.lower())
    return next((_SPLITS[word] for word in words if word in _SPLITS), "")
