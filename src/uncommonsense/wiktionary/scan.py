"""Where pages lie in the pieces of a dump, and what is wrong with it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from typing import NamedTuple

from uncommonsense.wiktionary.pieces import Piece

__all__ = ["LARGEST_PAGE", "Findings", "Flaw", "RawPage", "find_pages"]

LARGEST_PAGE = 64 << 20
"""Bytes; a page that has not ended by then is passed over."""

_OPEN, _CLOSE, _LAST = b"<page>", b"</page>", b"</mediawiki>"
_TAIL = 64
"""Bytes kept between pieces when no page is open: enough to begin a tag or to end the dump."""
_PLACES_KEPT = 10


class Flaw(StrEnum):
    """What can be wrong with a dump."""

    DAMAGED = "damaged part of the file"
    CUT = "page cut off by the end of the file or a damaged part"
    UNCLOSED = "page without an end"
    OVERSIZED = f"page over {LARGEST_PAGE >> 20} MB"
    INCOMPLETE = "page without a title or a text"
    NOT_UTF8 = "page with bytes that are not UTF-8"
    NO_END = "no </mediawiki> at the end: the file is cut short"


@dataclass
class Findings:
    """What was seen while reading.

    ``pages`` counts all pages, ``selected`` those handed on, ``latest`` is the time of the last revision.
    ``places`` has the first byte places of each flaw.
    """

    pages: int = 0
    selected: int = 0
    latest: str = ""
    warnings: Counter[Flaw] = field(default_factory=Counter)
    places: dict[Flaw, list[int]] = field(default_factory=dict)

    def warn(self, flaw: Flaw, place: int) -> None:
        """Count a flaw."""
        self.warnings[flaw] += 1
        self._keep(flaw, [place])

    def add(self, other: Findings) -> None:
        """Take in what was seen in a later part of the same dump."""
        self.pages += other.pages
        self.selected += other.selected
        self.latest = max(self.latest, other.latest)
        self.warnings += other.warnings
        for flaw, places in other.places.items():
            self._keep(flaw, places)

    def _keep(self, flaw: Flaw, places: list[int]) -> None:
        self.places[flaw] = (self.places.get(flaw, []) + places)[:_PLACES_KEPT]


class RawPage(NamedTuple):
    """The bytes from ``<page>`` to before ``</page>``; ``offset`` as in :class:`Piece`."""

    offset: int
    xml: bytes


def find_pages(
    pieces: Iterator[Piece], end: int | None, *, exact: bool, findings: Findings
) -> Iterator[RawPage]:
    """The pages that begin before place ``end``; the last of them may end behind it."""
    scanner = _Scanner(end, exact, findings)
    for piece in pieces:
        if scanner.is_beyond(piece.offset) and not scanner.waiting:
            return
        if piece.text is None:
            scanner.lose(piece.offset)
        else:
            yield from scanner.feed(piece.offset, piece.text)
    scanner.finish()


class _Scanner:
    """A rolling buffer: whatever the size of the dump, it holds a piece and at most one unfinished page."""

    def __init__(self, end: int | None, exact: bool, findings: Findings) -> None:
        self._end = end
        self._exact = exact
        self._findings = findings
        self._buffer = bytearray()
        self._starts: list[tuple[int, int]] = []  # where each piece begins: in the buffer, in the dump
        self._opened: int | None = None  # the place of the unfinished page, which then begins the buffer
        self._searched = 0  # bytes of the buffer in which the unfinished page does not end
        self._last: int | None = None  # the place of the last byte unless it was damaged

    @property
    def waiting(self) -> bool:
        """Whether a page may go on in the next piece."""
        return self._opened is not None or b"<" in self._buffer[1 - len(_OPEN) :]

    def is_beyond(self, place: int) -> bool:
        return self._end is not None and place >= self._end

    def feed(self, offset: int, text: bytes) -> Iterator[RawPage]:
        self._last = offset + max(len(text) - 1, 0) * self._exact
        self._starts.append((len(self._buffer), offset))
        self._buffer += text
        at = 0
        while (start := self._buffer.find(_OPEN, at)) >= 0:
            place = self._place(start)
            if self.is_beyond(place):
                at = len(self._buffer)
                break
            close = self._buffer.find(_CLOSE, max(start, self._searched))
            if close < 0:
                self._hold(start)
                return
            inner = self._buffer.find(_OPEN, start + 1, close)
            if inner >= 0:
                self._findings.warn(Flaw.UNCLOSED, place)
                at = inner
                continue
            yield RawPage(place, bytes(self._buffer[start:close]))
            at = close + len(_CLOSE)
        self._rest(at)

    def lose(self, offset: int) -> None:
        """Pass over a damaged piece, so that two halves of different pages never become one."""
        if self._opened is not None:
            self._findings.warn(Flaw.CUT, self._opened)
        if not self.is_beyond(offset):
            self._findings.warn(Flaw.DAMAGED, offset)
        self._rest(len(self._buffer))
        self._last = None

    def finish(self) -> None:
        if self._opened is not None:
            self._findings.warn(Flaw.CUT, self._opened)
        elif self._last is not None and not self.is_beyond(self._last) and _LAST not in self._buffer:
            self._findings.warn(Flaw.NO_END, self._last)

    def _hold(self, start: int) -> None:
        """Keep an unfinished page for the next piece, unless it is too large."""
        place = self._place(start)
        if len(self._buffer) - start <= LARGEST_PAGE:
            self._opened = place
            self._drop(start)
            self._searched = max(len(self._buffer) - len(_CLOSE) + 1, 0)
        elif (inner := self._buffer.find(_OPEN, start + 1)) >= 0:
            self._findings.warn(Flaw.UNCLOSED, place)
            self._hold(inner)
        else:
            self._findings.warn(Flaw.OVERSIZED, place)
            self._rest(start)

    def _rest(self, at: int) -> None:
        """Keep only what may begin the next page or end the dump."""
        self._opened = None
        self._searched = 0
        self._drop(max(at, len(self._buffer) - _TAIL))

    def _drop(self, size: int) -> None:
        del self._buffer[:size]
        starts = [(index - size, offset) for index, offset in self._starts]
        current = sum(index <= 0 for index, _ in starts)
        self._starts = starts[max(current - 1, 0) :]

    def _place(self, index: int) -> int:
        first, offset = next(start for start in reversed(self._starts) if start[0] <= index)
        return offset + (index - first) * self._exact
