"""The published layout of a FEWS folder: its files, and the lines and blocks in them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from uncommonsense.corpora.textfile import read_lines
from uncommonsense.schema import Sense

__all__ = [
    "CARD",
    "EVALUATION",
    "EXTENDED",
    "LICENCE",
    "MANIFEST",
    "PARQUET",
    "RAW",
    "SENSES",
    "TRAIN",
    "Line",
    "lines_of",
    "mark",
    "pieces_of",
    "sense_block",
]

TRAIN = "train/train.txt"
EXTENDED = "train/train.ext.txt"
EVALUATION = {
    "dev.few-shot": "dev/dev.few-shot.txt",
    "dev.zero-shot": "dev/dev.zero-shot.txt",
    "test.few-shot": "test/test.few-shot.txt",
    "test.zero-shot": "test/test.zero-shot.txt",
}
RAW = {
    "quotations": "raw/quotations.txt",
    "examples": "raw/examples.txt",
    "monosemous": "raw/monosemous.txt",
}
SENSES = "senses.txt"

PARQUET, CARD, LICENCE, MANIFEST = "parquet", "README.md", "LICENSE.txt", "build.json"
"""What a build adds: tables, the data card, the licence of the text, and the card for machines."""

_TARGET = re.compile(r"<WSD>(.*?)</WSD>")


class Line(NamedTuple):
    """An example: the text with ``<WSD>`` around its targets, the sense, and where a quotation is from."""

    text: str
    sense: str
    attribution: str = ""

    def __str__(self) -> str:
        columns = (self.text, self.sense, self.attribution)
        return "\t".join(columns if self.attribution else columns[:2])


def lines_of(file: Path) -> Iterator[tuple[int, Line]]:
    """The examples of a file with their line numbers, as they are: what is not there is an empty string."""
    for number, text in read_lines(file):
        if text.strip():
            columns = [*text.split("\t"), "", ""]
            yield number, Line(columns[0], columns[1], columns[2])


def mark(pieces: Sequence[str]) -> str:
    """Text given as ``[before, target, between, target, ..., after]``, with ``<WSD>`` around the targets."""
    return "".join(f"<WSD>{piece}</WSD>" if number % 2 else piece for number, piece in enumerate(pieces))


def pieces_of(text: str) -> list[str]:
    """The inverse of :func:`mark`."""
    return _TARGET.split(text)


def sense_block(sense_id: str, sense: Sense, *, depth: int) -> str:
    """One sense as ``senses.txt`` has it, with the blank line that ends it."""
    fields: Iterable[tuple[str, str]] = (
        ("sense_id", sense_id),
        ("word", sense.lemmas[0]),
        ("gloss", sense.gloss),
        ("tags", ", ".join(sense.tags)),
        ("depth", str(depth)),
        ("synonyms", ", ".join(sense.lemmas[1:])),
    )
    return "".join(f"{name}:\t{value}\n" for name, value in fields) + "\n"
