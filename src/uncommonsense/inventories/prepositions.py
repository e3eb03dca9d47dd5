"""Senses of prepositions: PDEP's definitions (an SQL dump) and Tratz's (a folder of XML files).

An id is ``lemma.p.SENSE``, with the underscores of a lemma of several words. PDEP, like The Preposition
Project before it, writes senses as ``about.p.1(1)``. Tratz's ``1.1`` becomes ``about.p.1_1``: his lists
of labels spell it so. His maps to The Preposition Project are relations whose targets are PDEP ids.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from xml.etree.ElementTree import Element

from uncommonsense.errors import MalformedInputError, MissingResourceError
from uncommonsense.inventories.markup import line_of, parse_markup, text_of
from uncommonsense.inventories.table import TableInventory
from uncommonsense.schema import Sense

__all__ = ["open_pdep", "open_tratz", "preposition_sense_id"]

_INSERT = re.compile(r"INSERT\s+INTO\s+`?prepdefs`?\s*\(([^)]*)\)\s*VALUES\s*", re.IGNORECASE)
_TOKEN = re.compile(r"\s*(?:'((?:[^'\\]|''|\\.)*)'|NULL|([(),;]))", re.IGNORECASE | re.DOTALL)
_ESCAPE = re.compile(r"''|\\(.)", re.DOTALL)
_CONTROLS = {"n": "\n", "r": "\r", "t": "\t", "0": "", "Z": ""}
_COLUMNS = {"prep", "sense", "def"}

Definition = tuple[str, str, str]
"""(preposition, sense, definition)."""


def preposition_sense_id(lemma: str, sense: str) -> str:
    """The id of a preposition's sense: ``about.p.1(1)``."""
    return f"{lemma.lower().replace(' ', '_')}.p.{sense}"


def open_pdep(path: str | Path) -> TableInventory:
    """PDEP's definitions from the dump of its table ``prepdefs``."""
    file = Path(path)
    if not file.is_file():
        raise MissingResourceError(f"{file}: no such file; give the SQL dump of PDEP's table prepdefs")
    rows = sorted(_read_dump(file), key=lambda row: (row[0], _natural(row[1])))
    senses = (Sense(preposition_sense_id(prep, sense), (prep,), "p", text) for prep, sense, text in rows)
    return TableInventory.from_senses(senses, name="pdep")


def open_tratz(folder: str | Path) -> TableInventory:
    """Tratz's definitions from a folder of ``*.def.xml``."""
    files = sorted(Path(folder).glob("*.def.xml"))
    if not files:
        raise MissingResourceError(f"{folder}: no definitions (*.def.xml) here, such as about.def.xml")
    return TableInventory.from_senses((sense for file in files for sense in _read_tratz(file)), name="tratz")


# -- PDEP


def _read_dump(path: Path) -> Iterator[Definition]:
    """The rows of the table ``prepdefs``; each preposition's sense occurs once."""
    text = path.read_text("utf-8", errors="replace")
    seen: set[tuple[str, str]] = set()
    for insert in _INSERT.finditer(text):
        columns = re.findall(r"\w+", insert[1])
        if not set(columns) >= _COLUMNS:
            raise _broken(path, text, insert.start(), f"the columns {columns} lack one of prep, sense, def")
        for place, values in _rows(path, text, insert.end()):
            row = dict(zip(columns, values, strict=False))
            if len(values) != len(columns) or (row["prep"], row["sense"]) in seen:
                raise _broken(
                    path, text, place, f"a row that repeats a sense or does not fit {columns}: {values}"
                )
            seen.add((row["prep"], row["sense"]))
            yield row["prep"], row["sense"], row["def"]
    if not seen:
        raise MalformedInputError(path, None, "no INSERT INTO `prepdefs` (`prep`, `sense`, `def`) with rows")


def _rows(path: Path, text: str, place: int) -> Iterator[tuple[int, list[str]]]:
    """The parenthesised rows of an INSERT and where they begin, up to its semicolon."""
    start, values = place, list[str]()
    while match := _TOKEN.match(text, place):
        quoted, sign = match.groups()
        if sign == ";":
            return
        if sign == "(":
            start, values = match.start(2), []
        elif sign == ")":
            yield start, values
        elif sign != ",":
            values.append(_ESCAPE.sub(_unescape, quoted or ""))
        place = match.end()
    raise _broken(
        path, text, place, "expected rows of quoted values or NULL, and a semicolon behind the last"
    )


def _unescape(match: re.Match[str]) -> str:
    return _CONTROLS.get(match[1], match[1]) if match[1] else "'"


def _broken(path: Path, text: str, place: int, message: str) -> MalformedInputError:
    return MalformedInputError(path, text.count("\n", 0, place) + 1, message)


def _natural(sense: str) -> tuple[tuple[int, str], ...]:
    """A sort key that puts ``2(1a)`` before ``10(4)``."""
    return tuple((int(digits or 0), rest) for digits, rest in re.findall(r"(\d*)(\D*)", sense))


# -- Tratz


def _read_tratz(path: Path) -> Iterator[Sense]:
    root = parse_markup(path)
    if root.tag != "defset":
        raise MalformedInputError(path, line_of(root), f"expected <defset prep=...>, found <{root.tag}>")
    lemma = root.get("prep") or path.name.partition(".")[0]
    seen: set[str] = set()
    for element in root.iter("sense"):
        number = element.get("id", "").replace(".", "_")
        if not number or number in seen:
            raise MalformedInputError(
                path, line_of(element), f"a <sense> with the missing or repeated id {number!r}"
            )
        seen.add(number)
        cluster = text_of(element.find("majorcluster"))
        yield Sense(
            preposition_sense_id(lemma, number),
            (lemma,),
            "p",
            text_of(element.find("definition")),
            relations=tuple(_parse_maps(element, lemma)),
            tags=(cluster,) if cluster else (),
        )


def _parse_maps(element: Element, lemma: str) -> Iterator[tuple[str, str]]:
    """Maps to other senses: the type (``equivalent``, ...), with ``_union`` or ``_subset`` where it fits."""
    for mapping in element.iterfind("pprojmap"):
        kind = mapping.get("type") or "related"
        for attribute, suffix in (("targetid", ""), ("unionof", "_union"), ("subsetof", "_subset")):
            for target in filter(None, re.split(r"[,\s]+", mapping.get(attribute, ""))):
                yield kind + suffix, preposition_sense_id(mapping.get("prep", lemma), target)
