"""Lines of text files, with the place of whatever is wrong in them."""

from __future__ import annotations

import bz2
import gzip
import lzma
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from uncommonsense.errors import MalformedInputError, UserError

__all__ = ["open_bytes", "read_lines"]

_OPENERS: dict[str, Any] = {".gz": gzip.open, ".bz2": bz2.open, ".xz": lzma.open}
_DAMAGED = (EOFError, gzip.BadGzipFile, lzma.LZMAError, zlib.error)


@contextmanager
def open_bytes(path: Path) -> Iterator[IO[bytes]]:
    """Open a file for reading, unpacking ``.gz``, ``.bz2`` and ``.xz`` on the way."""
    try:
        opener: Callable[..., IO[bytes]] = _OPENERS.get(path.suffix, open)
        with opener(path, "rb") as stream:
            yield stream
    except FileNotFoundError as error:
        raise UserError(f"{path}: no such file") from error
    except IsADirectoryError as error:
        raise MalformedInputError(path, None, "this is a folder, expected a file") from error
    except PermissionError as error:
        raise UserError(f"{path}: no permission to read it") from error


def read_lines(path: Path) -> Iterator[tuple[int, str]]:
    """Yield the number (from 1) and the text of each line, without its end. An empty file is an error."""
    number = 0
    with open_bytes(path) as stream:
        try:
            for number, line in enumerate(stream, start=1):
                yield number, _decode(line, path, number)
        except (*_DAMAGED, OSError) as error:
            raise MalformedInputError(
                path, number + 1, f"cannot read on: {error}; is the file complete?"
            ) from error
    if number == 0:
        raise MalformedInputError(path, 1, "the file is empty")


def _decode(line: bytes, path: Path, number: int) -> str:
    try:
        text = line.decode("utf-8-sig" if number == 1 else "utf-8")
    except UnicodeDecodeError as error:
        found = f"byte 0x{error.object[error.start]:02x} at column {error.start + 1}"
        raise MalformedInputError(
            path, number, f"not UTF-8 text: {found}; convert the file to UTF-8"
        ) from error
    if "\0" in text:
        raise MalformedInputError(path, number, "a NUL byte: this is a binary file, expected text")
    return text.rstrip("\r\n")
