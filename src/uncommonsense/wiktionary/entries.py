"""What a dictionary page says of a word, as plain text: no wiki markup anywhere."""

from __future__ import annotations

from typing import Literal, NamedTuple

__all__ = ["Definition", "Entry", "Example", "Kind"]

Kind = Literal["quotation", "illustration"]
"""Quoted from a work, or written by an editor to show the use."""


class Example(NamedTuple):
    """A use of the word. ``targets`` are the character spans ``[start, end)`` that were in bold."""

    text: str
    targets: tuple[tuple[int, int], ...]
    kind: Kind
    attribution: str = ""


class Definition(NamedTuple):
    """One sense. ``depth`` is 1 for ``#``, 2 for ``##`` and so on."""

    gloss: str
    tags: tuple[str, ...] = ()
    synonyms: tuple[str, ...] = ()
    depth: int = 1
    examples: tuple[Example, ...] = ()


class Entry(NamedTuple):
    """The definitions of one part-of-speech section; ``pos`` is its title in lower case (``proper noun``)."""

    word: str
    pos: str
    definitions: tuple[Definition, ...]
