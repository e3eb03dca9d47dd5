"""Dictionary entries from the wikitext of a page."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from uncommonsense.wiktionary.editions import Parameters, load_edition
from uncommonsense.wiktionary.entries import Definition, Entry, Example
from uncommonsense.wiktionary.plain import plain
from uncommonsense.wiktionary.quotations import illustration, quotation
from uncommonsense.wiktionary.render import Renderer
from uncommonsense.wiktionary.sections import Line, language_section, list_lines, part_sections
from uncommonsense.wiktionary.wikitext import Call, drop_opaque

__all__ = ["ParsedPage", "read_page"]

_LABELLED = re.compile(r"^\W*([A-Za-z][A-Za-z. ]{2,25}?)\s*:\s*")
_WORD = re.compile(r"\w")
_LIST = re.compile(r"\s*[,;]\s*")


class ParsedPage(NamedTuple):
    """The entries of a page; the templates that were not known, and what else went wrong, with counts."""

    entries: tuple[Entry, ...]
    unknown: Counter[str]
    warnings: Counter[str]


class _Sense:
    """A definition while its lines are read."""

    def __init__(self, depth: int) -> None:
        self.depth = depth
        self.gloss = ""
        self.tags: list[str] = []
        self.synonyms: list[str] = []
        self.examples: list[Example] = []

    def finished(self) -> Definition:
        return Definition(
            self.gloss,
            tuple(dict.fromkeys(self.tags)),
            tuple(dict.fromkeys(self.synonyms)),
            self.depth,
            tuple(self.examples),
        )


def read_page(
    title: str, text: str, *, edition: str = "en", language: str = "English", all_parts: bool = False
) -> ParsedPage:
    """Read what a page says of its title as a word of one language.

    Only nouns, verbs, adjectives and adverbs are read, or with ``all_parts`` every part of speech.
    """
    tables = load_edition(edition)
    renderer = Renderer(tables, title)
    section = language_section(text, language)
    entries: list[Entry] = []
    if section is not None:
        wanted = tables.all_parts if all_parts else tables.parts
        for name, body in part_sections(drop_opaque(section)):
            part = tables.part_aliases.get(name, name)
            if part in wanted and (definitions := _definitions(renderer, body)):
                entries.append(Entry(title, part, definitions))
    return ParsedPage(tuple(entries), renderer.unknown, renderer.warnings)


def _definitions(renderer: Renderer, body: str) -> tuple[Definition, ...]:
    """The definitions of one part of speech, those without a text left out."""
    common = _head_labels(renderer, body)
    senses: list[_Sense] = []
    group: list[Line] = []
    for line in list_lines(body, renderer.warnings):
        if group and _continues(group[0], line):
            group.append(line)
            continue
        _read_group(renderer, group, senses)
        group = [line]
    _read_group(renderer, group, senses)
    for sense in senses:
        sense.tags[:0] = common
        if not sense.gloss:
            renderer.warnings["definition without text"] += 1
    return tuple(sense.finished() for sense in senses if sense.gloss)


def _head_labels(renderer: Renderer, body: str) -> list[str]:
    """Labels on the line of the headword, which hold for every definition."""
    head = body.partition("\n#")[0]
    if "{{t" not in head:
        return []
    calls = [piece for piece in renderer.pieces(head) if isinstance(piece, Call)]
    return [label for call in calls if renderer.read(call)[0] == "label" for label in renderer.labels(call)]


def _continues(first: Line, line: Line) -> bool:
    """Whether a line belongs to the example that another one began."""
    return (
        first.marker.strip("#") != ""
        and len(line.marker) > len(first.marker)
        and line.marker.startswith(first.marker)
    )


def _read_group(renderer: Renderer, group: list[Line], senses: list[_Sense]) -> None:
    """Read a definition, or an example with the lines that belong to it, into the list of senses."""
    if not group:
        return
    head = group[0]
    kind = head.marker.lstrip("#")
    if not kind:
        senses.append(_sense(renderer, head))
    elif not senses:
        renderer.warnings["example before the first definition"] += 1
    elif "*" in kind:
        _add_quotation(renderer, group, senses[-1])
    else:
        _add_illustrations(renderer, group, senses[-1])


def _sense(renderer: Renderer, line: Line) -> _Sense:
    sense = _Sense(len(line.marker))
    shown: list[str | Call] = []
    text_begun = False
    for piece in renderer.pieces(line.body.strip()):
        if isinstance(piece, Call):
            role, parameters = renderer.read(piece)
            if role in ("label", "label_itself", "indirect_object") and not text_begun:
                sense.tags += renderer.labels(piece)
                continue
            if role == "synonyms":
                sense.synonyms += renderer.terms(parameters)
                continue
            if role == "illustration":
                sense.examples += _example(illustration(renderer, parameters.get("1")))
                continue
            if role == "sister":
                shown.append(piece)
                continue
            piece = renderer.expand(piece)
        text_begun = text_begun or _WORD.search(piece) is not None
        shown.append(piece)
    sense.gloss = renderer.gloss(shown)
    return sense


def _example(found: Example | None) -> list[Example]:
    return [found] if found else []


def _add_quotation(renderer: Renderer, group: list[Line], sense: _Sense) -> None:
    found = quotation(renderer, group[0].body, [line.body for line in group[1:]])
    if found is None:
        renderer.warnings["quotation without a passage"] += 1
    elif found.attribution or not _is_note(renderer, found.text):
        sense.examples.append(found)


def _add_illustrations(renderer: Renderer, group: list[Line], sense: _Sense) -> None:
    """Lines under a definition: relations to other words, examples, or remarks, which are passed over."""
    for line in group:
        pieces = renderer.pieces(line.body)
        if _read_relations(renderer, pieces, sense):
            continue
        marked = renderer.joined(pieces)
        text = plain(marked).text
        if label := _LABELLED.match(text):
            name = label[1].lower()
            if name in renderer.edition.line_labels["synonyms"]:
                sense.synonyms += filter(None, _LIST.split(text[label.end() :].rstrip(" .")))
                continue
            if name in renderer.edition.line_labels["others"]:
                continue
        if "''" in marked or any(
            isinstance(piece, Call) and renderer.read(piece)[0] == "illustration" for piece in pieces
        ):
            sense.examples += _example(illustration(renderer, marked))


def _is_note(renderer: Renderer, text: str) -> bool:
    label = _LABELLED.match(text)
    return label is not None and label[1].lower() in renderer.edition.line_labels["others"]


def _read_relations(renderer: Renderer, pieces: list[str | Call], sense: _Sense) -> bool:
    """Take the synonyms of a line; whether it is a line of relations."""
    found = False
    for role, parameters in _roles(renderer, pieces):
        if role == "synonyms":
            sense.synonyms += renderer.terms(parameters)
        found = found or role in ("synonyms", "other_relation")
    return found


def _roles(renderer: Renderer, pieces: list[str | Call]) -> Iterator[tuple[str, Parameters]]:
    return (renderer.read(piece) for piece in pieces if isinstance(piece, Call))
