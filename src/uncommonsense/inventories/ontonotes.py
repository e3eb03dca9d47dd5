"""OntoNotes sense groupings: a folder of XML files, one for each lemma and part of speech.

An id is ``lemma_pos_sense``, as corpora label it: ``abandon_v_1``. The gloss is the sense's name. The
mappings are relations: ``wordnet_3.0`` to names such as ``abandon.v.01`` (the number is the lemma's
sense number), ``propbank``, ``verbnet`` and ``framenet`` to the names of those resources.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Self
from xml.etree.ElementTree import Element

from uncommonsense.errors import MalformedInputError, MissingResourceError
from uncommonsense.inventories.markup import line_of, parse_markup, text_of
from uncommonsense.inventories.protocol import POS
from uncommonsense.inventories.table import TableInventory
from uncommonsense.schema import Sense

__all__ = ["OntoNotes", "read_grouping"]

NONE_OF_THE_ABOVE = "none-of-the-above"
"""The tag of senses that stand for whatever the others leave out."""

_NONE = re.compile(r"none of the (above|others)|nota\b", re.IGNORECASE)
_LEMMA = re.compile(r"(.+)-([a-z])")
_RESOURCES = {"pb": "propbank", "vn": "verbnet", "fn": "framenet"}


class OntoNotes(TableInventory):
    """The sense groupings of a folder."""

    @classmethod
    def open(cls, folder: str | Path) -> Self:
        """Read every ``*.xml`` of a folder."""
        files = sorted(Path(folder).glob("*.xml"))
        if not files:
            raise MissingResourceError(f"{folder}: no sense groupings (*.xml) here, such as abandon-v.xml")
        return cls.from_senses(_read_all(files), name="ontonotes")

    def none_of_the_above(self) -> set[str]:
        """Ids of the senses that say 'none of the above'."""
        pairs = zip(self.senses(), self.table["tags"].to_pylist(), strict=True)
        return {sense_id for sense_id, tags in pairs if NONE_OF_THE_ABOVE in tags}


def read_grouping(path: Path) -> Iterator[Sense]:
    """The senses of one file."""
    root = parse_markup(path)
    match = _LEMMA.fullmatch(root.get("lemma", "").strip()) or _LEMMA.fullmatch(path.stem)
    if root.tag != "inventory" or not match:
        expected = "<inventory lemma=\"LEMMA-POS\">, as in 'abandon-v'"
        raise MalformedInputError(path, line_of(root), f"the file does not begin with {expected}")
    for element in root.iter("sense"):
        yield _parse_sense(path, element, *match.groups())


def _read_all(files: list[Path]) -> Iterator[Sense]:
    seen: dict[str, Path] = {}
    for path in files:
        for sense in read_grouping(path):
            if sense.id in seen:
                raise MalformedInputError(
                    path, None, f"the sense {sense.id!r} was defined before, in {seen[sense.id]}"
                )
            seen[sense.id] = path
            yield sense


def _parse_sense(path: Path, element: Element, lemma: str, pos: str) -> Sense:
    number = element.get("n", "").strip()
    if not number:
        raise MalformedInputError(path, line_of(element), "a <sense> without its number, the attribute 'n'")
    gloss = " ".join(element.get("name", "").split())
    examples = (element.findtext("examples") or "").splitlines()
    return Sense(
        f"{lemma}_{pos}_{number}",
        (lemma,),
        pos if pos in POS else "x",
        gloss,
        tuple(" ".join(line.split()) for line in examples if line.strip()),
        tuple(_parse_mappings(element, lemma, pos)),
        (NONE_OF_THE_ABOVE,) if _NONE.match(gloss) else (),
    )


def _parse_mappings(element: Element, lemma: str, pos: str) -> Iterator[tuple[str, str]]:
    for mapping in element.iterfind("mappings/*"):
        targets = re.split(r"[,\s]+", text_of(mapping))
        for target in filter(None, targets):
            if mapping.tag == "wn":
                word = mapping.get("lemma") or lemma
                name = f"{word}.{pos}.{int(target):02d}" if target.isdecimal() else target
                yield f"wordnet_{mapping.get('version') or '3.0'}", name
            elif mapping.tag in _RESOURCES:
                yield _RESOURCES[mapping.tag], target
