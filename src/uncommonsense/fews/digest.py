"""Pages turned into headwords, a chunk of them at a time, each chunk a file of its own."""

from __future__ import annotations

import gzip
import json
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from uncommonsense.fews.numbering import Headword, NumberedSense
from uncommonsense.fews.selection import Selected
from uncommonsense.wiktionary.scan import Flaw

__all__ = ["Tally", "pack", "read_chunk"]

_COUNTERS = ("dropped", "unknown", "warnings")
_LOST = "what is whole was read; the data set is incomplete"
_REPLACED = "those bytes were replaced"


@dataclass
class Tally:
    """What was met on the way: pages, the time of the latest, what was dropped and why, and what was odd.

    ``places`` has the first place of each warning that is a flaw of the file.
    """

    pages: int = 0
    latest: str = ""
    dropped: Counter[str] = field(default_factory=Counter)
    unknown: Counter[str] = field(default_factory=Counter)
    warnings: Counter[str] = field(default_factory=Counter)
    places: dict[str, str] = field(default_factory=dict)

    def add(self, other: Tally) -> None:
        """Count the other's in, which comes later in the file."""
        self.pages += other.pages
        self.latest = max(self.latest, other.latest)
        for name in _COUNTERS:
            getattr(self, name).update(getattr(other, name))
        self.places = other.places | self.places

    def flaws(self) -> list[str]:
        """What is wrong with the file: a sentence for each kind."""
        return [
            f"{flaw} ({self.warnings[flaw]:,}, first at {place}); "
            f"{_REPLACED if flaw == Flaw.NOT_UTF8 else _LOST}"
            for flaw, place in self.places.items()
        ]


def pack(headwords: Iterable[Headword], tally: Tally) -> bytes:
    """Gzipped lines of JSON: a headword on each, in the end the tally."""
    words: list[object] = list(headwords)  # the tally is complete when all of them are made
    text = "".join(json.dumps(row) + "\n" for row in [*words, vars(tally)])
    return gzip.compress(text.encode(), compresslevel=3, mtime=0)


def read_chunk(chunk: Path) -> Iterator[Headword | Tally]:
    """The headwords of a chunk and what was met on the way to them."""
    with gzip.open(chunk, "rt", encoding="utf-8") as lines:
        for row in map(json.loads, lines):
            if isinstance(row, dict):
                yield Tally(**row | {name: Counter(row[name]) for name in _COUNTERS})
            else:
                word, senses = row
                yield Headword(word, tuple(_sense(*columns) for columns in senses))


def _sense(
    sense_id: str, gloss: str, tags: list[str], synonyms: list[str], depth: int, examples: list[list[Any]]
) -> NumberedSense:
    quotations, illustrations = examples
    selected = Selected(tuple((text, source) for text, source in quotations), tuple(illustrations))
    return NumberedSense(sense_id, gloss, tuple(tags), tuple(synonyms), depth, selected)
