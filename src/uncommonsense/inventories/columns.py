"""Arrow columns that are searched in place, so that opening a large inventory builds nothing."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from typing import overload

import numpy as np
import pyarrow as pa

__all__ = ["LemmaIndex", "Strings"]


class Strings(Sequence[str]):
    """An Arrow string array as a sequence of ``str``; the text stays in Arrow's (mapped) buffers."""

    def __init__(self, array: pa.StringArray) -> None:
        _, offsets, text = array.buffers()
        self.array = array
        self._offsets = memoryview(offsets or bytes(4)).cast("i")[
            array.offset : array.offset + len(array) + 1
        ]
        self._text = memoryview(text or b"")

    def __len__(self) -> int:
        return len(self.array)

    @overload
    def __getitem__(self, row: int) -> str: ...
    @overload
    def __getitem__(self, row: slice) -> tuple[str, ...]: ...
    def __getitem__(self, row: int | slice) -> str | tuple[str, ...]:
        if isinstance(row, slice):
            return tuple([self[i] for i in range(*row.indices(len(self)))])
        if row < 0:
            row += len(self)
        return str(self._text[self._offsets[row] : self._offsets[row + 1]], "utf-8")

    def __iter__(self) -> Iterator[str]:
        return map(self.__getitem__, range(len(self)))

    def find(self, text: str) -> int:
        """The row of ``text``, or -1. The column must be sorted by code point."""
        row = bisect_left(self, text)
        return row if row < len(self) and self[row] == text else -1


class LemmaIndex:
    """Where the senses of a lemma lie in a table sorted by lemma, then part of speech.

    ``lemmas`` is sorted; ``bounds`` is ``(lemmas, parts + 1) int32``: senses ``bounds[i, p]`` to
    ``bounds[i, p + 1]`` (exclusive) belong to lemma ``i`` and the part of speech ``parts[p]``.
    """

    def __init__(self, lemmas: Strings, bounds: np.ndarray, parts: str) -> None:
        self.lemmas = lemmas
        self.bounds = bounds
        self.parts = parts

    def rows(self, lemma: str, pos: str | None = None) -> range:
        """Rows of the senses of a lemma in its folded spelling; empty for an unknown one."""
        row = self.lemmas.find(lemma)
        if row < 0:
            return range(0)
        if pos is None:
            return range(int(self.bounds[row, 0]), int(self.bounds[row, -1]))
        part = self.part(pos)
        if part < 0:
            return range(0)
        return range(int(self.bounds[row, part]), int(self.bounds[row, part + 1]))

    def part(self, pos: str) -> int:
        """The position of a part of speech among ``parts``, or -1."""
        return self.parts.find(pos) if len(pos) == 1 else -1
