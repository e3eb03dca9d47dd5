"""Sentences of running text, and running text in passages that fit into memory. Places are in characters."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import NamedTuple, Protocol

from uncommonsense.corpora.plain import split_sentences
from uncommonsense.errors import MalformedInputError

__all__ = ["Lines", "Passage", "passages", "read_text", "sentence_spans"]

_PARAGRAPH = re.compile(
    r"(?:\r\n?|\n|\u2028)[^\S\r\n]*(?:[\r\n\u2028]\s*|(?=(?:[-*•–—·]|\d{1,3}[.)])\s))|[\f\u2029]"
)
"""Where a paragraph ends: a blank line, or the end of a line before a bullet or a number."""

_MORE_ENDS = re.compile(
    r"""
      [。！？｡]+[」』”’)）]*                                                     # no space follows these
    | (?:[\u2600-\u27bf\U0001f000-\U0001faff][\ufe0f\u200d\U0001f3fb-\U0001f3ff]*)+\s+(?=[A-Z])
    """,
    re.VERBOSE,
)

_WINDOW = 1 << 16
"""Characters after which a paragraph is cut at the last sentence end, so that memory stays flat."""


def sentence_spans(text: str) -> list[tuple[int, int]]:
    """Where the sentences are: ``(start, end)``, without the white space around them.

    A blank line, a bullet or a number at the beginning of a line ends what is before it; any other end of
    a line is a space. In a paragraph, punctuation ends a sentence unless it belongs to an abbreviation,
    an initial or a number, or a small letter follows. So do emoji before a capital letter.
    """
    spans = []
    for start, end in _pieces(text, 0, len(text), _PARAGRAPH):
        for first, last in split_sentences(text[start:end]):
            spans += _pieces(text, start + first, start + last, _MORE_ENDS)
    return spans


def _pieces(text: str, start: int, end: int, border: re.Pattern[str]) -> list[tuple[int, int]]:
    """What is left of a part of a text when it is cut after each border, without white space around it."""
    cuts = [start, *(match.end() for match in border.finditer(text, start, end)), end]
    stripped = []
    for low, high in pairwise(cuts):
        piece = text[low:high]
        if kept := piece.strip():
            first = low + len(piece) - len(piece.lstrip())
            stripped.append((first, first + len(kept)))
    return stripped


class Passage(NamedTuple):
    """Some paragraphs of a longer text, or a part of a long paragraph."""

    text: str
    start: int
    """Where it begins in the whole text, in characters."""


def passages(lines: Iterable[str]) -> Iterator[Passage]:
    """Cut text that comes in lines, with their ends, between sentences: at blank lines, if it can be."""
    waiting, start = "", 0
    for line in lines:
        waiting += line
        if line.isspace() or len(waiting) > _WINDOW:
            cut = len(waiting) if line.isspace() else _last_sentence(waiting)
            if waiting[:cut].strip():
                yield Passage(waiting[:cut], start)
            waiting, start = waiting[cut:], start + cut
    if waiting.strip():
        yield Passage(waiting, start)


def _last_sentence(text: str) -> int:
    """Where the last sentence begins; where there is only one, after its last white space."""
    last = sentence_spans(text)[-1:]
    if last and last[0][0] > len(text) - len(text.lstrip()):
        return last[0][0]
    return max(text.rfind(" "), text.rfind("\n")) + 1 or len(text)


class Lines(Protocol):
    """A stream of bytes that can be read line by line."""

    def readline(self, size: int, /) -> bytes:
        """The next line, or as much of it as ``size``; nothing at the end."""
        ...


def read_text(stream: Lines, name: str) -> Iterator[str]:
    """The lines of UTF-8 text with their ends; a byte order mark at the beginning is left out.

    A line that is longer than a window comes in parts. ``name`` is what messages call the text.
    """
    decoder = codecs.getincrementaldecoder("utf-8")()
    number, column = 1, 1
    while True:
        raw = stream.readline(_WINDOW)
        try:
            line = decoder.decode(raw, final=not raw)
        except UnicodeDecodeError as error:
            message = (
                f"not UTF-8 text: byte 0x{error.object[error.start]:02x} at column {column + error.start}"
            )
            raise MalformedInputError(name, number, f"{message}; convert the file to UTF-8") from None
        if "\0" in line:
            raise MalformedInputError(
                name, number, "a zero byte: this is a binary file or UTF-16, not UTF-8 text"
            )
        if number == column == 1:
            line = line.removeprefix("\ufeff")
        if line:
            yield line
        if not raw:
            return
        ended = raw.endswith(b"\n")
        number, column = (number + 1, 1) if ended else (number, column + len(raw))
