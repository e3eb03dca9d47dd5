"""Senses of FEWS and of Wiktionary builds in its form: blocks of ``field:`` TAB ``value`` in ``senses.txt``.

An id is ``word.pos.N``; ``noun verb adjective adverb`` (or ``adj``, ``adv``) become the letters ``n v a r``,
the letters of ``POS`` stand for themselves, others become ``x``. Synonyms follow the word among the lemmas.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from pathlib import Path

from uncommonsense.errors import MalformedInputError, MissingResourceError
from uncommonsense.inventories.protocol import POS
from uncommonsense.inventories.table import TableInventory
from uncommonsense.schema import Sense

__all__ = ["open_fews", "read_fews"]

_FIELDS = ("sense_id", "word", "gloss", "tags", "depth", "synonyms")
_REQUIRED = _FIELDS[:2]
_log = logging.getLogger(__name__)
_NAMES = {"noun": "n", "verb": "v", "adjective": "a", "adj": "a", "adverb": "r", "adv": "r", "s": "a"}
_PARTS = _NAMES | {pos: pos for pos in POS}

Block = dict[str, tuple[int, str]]
"""The fields of a sense: line number and value."""


def open_fews(path: str | Path, *, name: str = "fews") -> TableInventory:
    """The inventory of a ``senses.txt``, or of a folder that holds one."""
    file = Path(path)
    file = file / "senses.txt" if file.is_dir() else file
    if not file.is_file():
        raise MissingResourceError(f"{file}: no such file; give a FEWS folder or its senses.txt")
    return TableInventory.from_senses(read_fews(file), name=name)


def read_fews(path: Path) -> Iterator[Sense]:
    """The senses of a ``senses.txt``, one at a time; of those with the same id the first."""
    seen: dict[str, int] = {}
    again = []
    for block in _blocks(path):
        sense = _parse_sense(path, block)
        line = block["sense_id"][0]
        if sense.id in seen:
            again.append(f"{path}:{line}: the id {sense.id!r} was used before, on line {seen[sense.id]}")
            continue
        seen[sense.id] = line
        yield sense
    if again:
        _log.warning("%s; senses left out of this file: %d", again[0], len(again))


def _blocks(path: Path) -> Iterator[Block]:
    block: Block = {}
    last = ""
    for number, text in _lines(path):
        if not text.strip():
            if block:
                yield block
            block = {}
            continue
        field, colon, value = text.partition(":")
        if (not colon or field not in _FIELDS) and block:  # a value with a line break in it
            block[last] = (block[last][0], f"{block[last][1]} {text.strip()}")
            continue
        if not colon or field not in _FIELDS:
            expected = " ".join(f"{each}:" for each in _FIELDS)
            raise MalformedInputError(path, number, f"{text!r} begins with none of the fields {expected}")
        if field in block:
            raise MalformedInputError(
                path, number, f"a second {field!r} in one sense; is a blank line missing?"
            )
        block[field] = (number, value.strip())
        last = field
    if block:
        yield block


def _lines(path: Path) -> Iterator[tuple[int, str]]:
    number = 0
    with path.open(encoding="utf-8-sig", newline="\n") as file:
        try:
            for number, line in enumerate(file, start=1):
                yield number, line.rstrip("\r\n")
        except UnicodeDecodeError as error:
            raise MalformedInputError(path, number + 1, f"not UTF-8 text: {error.reason}") from error


def _parse_sense(path: Path, block: Block) -> Sense:
    first = min(line for line, _ in block.values())
    for field in _REQUIRED:
        if not block.get(field, (0, ""))[1]:
            raise MalformedInputError(path, first, f"this sense has no {field!r}")
    line, sense_id = block["sense_id"]
    parts = sense_id.rsplit(".", 2)
    if len(parts) != 3 or not all(parts):
        raise MalformedInputError(path, line, f"{sense_id!r} is not of the form word.pos.N")
    lemmas = (block["word"][1], *_items(block, "synonyms"))
    depth = block.get("depth", (0, ""))[1]
    tags = _items(block, "tags") + ((f"depth={depth}",) if depth else ())
    gloss = block.get("gloss", (0, ""))[1]
    return Sense(sense_id, lemmas, _PARTS.get(parts[1], "x"), gloss, tags=tags)


def _items(block: Block, field: str) -> tuple[str, ...]:
    """A list that is written with commas."""
    value = block.get(field, (0, ""))[1]
    return tuple(item for item in (each.strip() for each in value.split(",")) if item)
