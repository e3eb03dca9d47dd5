"""Blocks of a bzip2 file, each decompressed alone.

A bzip2 file is a row of blocks of at most 900 kB, each behind a 48-bit mark at any *bit* place, whether they
make up one stream or many. A block with a header and a trailer around it is a bzip2 file of its own: reading
may begin anywhere, several processes can share one file, and a damaged block costs only itself.
"""

from __future__ import annotations

import bz2
import os
from collections.abc import Iterator
from typing import BinaryIO, NamedTuple

__all__ = ["SIGNATURE", "Block", "read_blocks"]

SIGNATURE = b"BZh"
_STREAM_HEADER = int.from_bytes(b"BZh9")
_BLOCK_MARK = 0x314159265359
_END_MARK = 0x177245385090
_MARK_BITS = 48
_LARGEST_BLOCK = 2 << 20
"""Bytes; more than 900 kB of incompressible text can ever take."""
_STEP = 1 << 20


class Block(NamedTuple):
    """The text of the block whose mark begins in byte ``offset`` of the file; ``None`` if it is damaged."""

    offset: int
    text: bytes | None


def read_blocks(file: BinaryIO, start: int) -> Iterator[Block]:
    """Every block whose mark begins at byte ``start`` or later."""
    size = file.seek(0, os.SEEK_END)
    previous: int | None = None
    for place in _block_places(file, start, size):
        if previous is not None:
            yield Block(previous // 8, _read_block(file, previous, place))
        previous = place
    if previous is not None:
        yield Block(previous // 8, _read_block(file, previous, size * 8, last=True))


def _block_places(file: BinaryIO, start: int, size: int) -> Iterator[int]:
    """The bit places of block marks, in order."""
    for step in range(start, size, _STEP):
        data = _read_at(file, step, _STEP + 6)
        yield from (step * 8 + bit for bit in _find_marks(data, _BLOCK_MARK) if bit < _STEP * 8)


def _find_marks(data: bytes, mark: int) -> list[int]:
    """The bit places of a mark in ``data``, by its five middle bytes in each of eight alignments."""
    found = []
    for shift in range(8):
        middle = (mark << 8 - shift).to_bytes(7)[1:6]
        at = data.find(middle, 1)
        while at > 0:
            around = int.from_bytes(data[at - 1 : at + 6].ljust(7, b"\0"))
            if around >> 8 - shift & (1 << _MARK_BITS) - 1 == mark:
                found.append((at - 1) * 8 + shift)
            at = data.find(middle, at + 1)
    return sorted(found)


def _read_block(file: BinaryIO, start: int, end: int, *, last: bool = False) -> bytes | None:
    """The text of the block in bits ``[start, end)``, or ``None`` if it is damaged."""
    first = start // 8
    data = _read_at(file, first, min((end + 7) // 8 - first, _LARGEST_BLOCK))
    end = _block_end(data, end - first * 8, last=last)
    start -= first * 8
    bits = end - start
    if bits < 2 * _MARK_BITS or (end + 7) // 8 > len(data):
        return None
    block = int.from_bytes(data[: (end + 7) // 8]) >> -end % 8 & (1 << bits) - 1
    checksum = block >> bits - 80 & 0xFFFFFFFF
    stream = ((_STREAM_HEADER << bits | block) << _MARK_BITS | _END_MARK) << 32 | checksum
    filling = -bits % 8
    try:
        return bz2.decompress((stream << filling).to_bytes((bits + 112 + filling) // 8))
    except (OSError, ValueError):
        return None


def _block_end(data: bytes, end: int, *, last: bool) -> int:
    """Where a block ends: at the end of its stream if that lies before the next block's mark."""
    # Between the end of a stream and the next block lie some 20 bytes; behind the last block may be anything.
    tail = 0 if last else max(len(data) - 64, 0)
    marks = _find_marks(data[tail:], _END_MARK)
    return tail * 8 + marks[0] if marks else end


def _read_at(file: BinaryIO, place: int, size: int) -> bytes:
    file.seek(place)
    return file.read(size)
