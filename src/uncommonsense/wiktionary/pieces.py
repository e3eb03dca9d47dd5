"""The text of a dump in pieces, however the dump is stored: plain, or as bzip2, gzip or xz."""

from __future__ import annotations

import gzip
import lzma
import os
import zlib
from collections.abc import Callable, Iterator
from enum import Enum
from pathlib import Path
from typing import BinaryIO, NamedTuple

from uncommonsense.errors import MalformedInputError, MissingResourceError, UserError
from uncommonsense.wiktionary import bzip2

__all__ = ["PIECE", "Piece", "Storage", "Told", "read_pieces", "storage_of"]

PIECE = 1 << 20
"""Bytes in a piece of a plain file."""

Told = Callable[[int], None]
"""Is told how many bytes of the file have been consumed, counted from its beginning."""


class Piece(NamedTuple):
    """Bytes of the dump, ``None`` where the file is damaged.

    ``offset`` is a byte place: in the file for plain and bzip2 files, in the text for gzip and xz files.
    """

    offset: int
    text: bytes | None


class Storage(Enum):
    """How a dump is stored; the value is what such a file begins with."""

    BZIP2 = bzip2.SIGNATURE
    GZIP = b"\x1f\x8b"
    XZ = b"\xfd7zXZ\0"
    PLAIN = b""

    @property
    def splits(self) -> bool:
        """Whether reading may begin at any byte of the file."""
        return self in (Storage.PLAIN, Storage.BZIP2)

    @property
    def exact(self) -> bool:
        """Whether each byte of a piece has a place of its own, not only the piece."""
        return self is not Storage.BZIP2


_FOREIGN = {b"7z\xbc\xaf\x27\x1c": "7-Zip", b"\x28\xb5\x2f\xfd": "Zstandard", b"PK\x03\x04": "ZIP"}


def storage_of(path: Path) -> Storage:
    """How the file is stored, by its first bytes, whatever its name."""
    if not path.is_file():
        expected = "expected a MediaWiki dump such as enwiktionary-20200101-pages-articles.xml.bz2"
        raise MissingResourceError(f"{path}: {'not a' if path.exists() else 'no such'} file; {expected}")
    try:
        with path.open("rb") as file:
            head = file.read(8)
    except OSError as error:
        raise UserError(f"{path}: cannot be read: {error.strerror}") from None
    for signature, kind in _FOREIGN.items():
        if head.startswith(signature):
            expected = "expected a dump as .xml, .xml.bz2, .xml.gz or .xml.xz; unpack it first"
            raise MalformedInputError(path, None, f"a {kind} archive, {expected}")
    return next(storage for storage in Storage if head.startswith(storage.value))


def read_pieces(path: Path, start: int = 0, *, on_bytes: Told | None = None) -> Iterator[Piece]:
    """The text from ``start`` to the end, in order; ``start`` must be 0 where the storage does not split."""
    storage = storage_of(path)
    told = on_bytes or (lambda _: None)
    with path.open("rb") as file:
        match storage:
            case Storage.PLAIN:
                yield from _read_plain(file, start, told)
            case Storage.BZIP2:
                for block in bzip2.read_blocks(file, start):
                    yield Piece(*block)
                    told(block.offset)
            case _:
                yield from _read_stream(file, storage, told)
        told(file.seek(0, os.SEEK_END))


def _read_plain(file: BinaryIO, start: int, told: Told) -> Iterator[Piece]:
    file.seek(start)
    while text := file.read(PIECE):
        yield Piece(start, text)
        start += len(text)
        told(start)


def _read_stream(file: BinaryIO, storage: Storage, told: Told) -> Iterator[Piece]:
    """A gzip or xz file; where it is damaged, all that follows is lost."""
    offset = 0
    with gzip.GzipFile(fileobj=file) if storage is Storage.GZIP else lzma.LZMAFile(file) as stream:
        try:
            while text := stream.read1(PIECE):
                yield Piece(offset, text)
                offset += len(text)
                told(file.tell())
        except (EOFError, OSError, zlib.error, lzma.LZMAError):
            yield Piece(offset, None)
