"""Sense ids: ``word.pos.N`` with underscores for the word's spaces, N from 0 in the order of the page.

Sections of the same part of speech count on: the second etymology goes on where the first one stopped.
Case is the page's: ``Polish.noun.0`` and ``polish.noun.0`` are senses of different words.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from uncommonsense.fews.selection import Rules, Selected, select, tidy
from uncommonsense.wiktionary import Definition, Entry

__all__ = ["Headword", "NumberedSense", "number_senses"]

NO_GLOSS = "definition: no gloss"
UNDEFINED = "example: its definition has no gloss"


class NumberedSense(NamedTuple):
    """A sense with its id and the examples that were kept."""

    id: str
    gloss: str
    tags: tuple[str, ...]
    synonyms: tuple[str, ...]
    depth: int
    examples: Selected


class Headword(NamedTuple):
    """A word as one part of speech, with all its senses; there is at least one."""

    word: str
    senses: tuple[NumberedSense, ...]

    @property
    def key(self) -> str:
        """``word.pos``, the ids without their numbers."""
        return self.senses[0].id.rpartition(".")[0]

    @property
    def monosemous(self) -> bool:
        """Whether there is nothing to tell apart."""
        return len(self.senses) == 1


def number_senses(entries: Iterable[Entry], rules: Rules, dropped: Counter[str]) -> Iterator[Headword]:
    """The headwords of one page; ``dropped`` counts what is left out by reason."""
    definitions: dict[tuple[str, str], list[Definition]] = {}
    for entry in entries:
        if word := tidy(entry.word):
            definitions.setdefault((word, _part(entry.pos)), []).extend(_defined(entry, dropped))
    for (word, part), found in definitions.items():
        if found:
            prefix = f"{word.replace(' ', '_')}.{part}"
            senses = (_number(f"{prefix}.{n}", word, each, rules, dropped) for n, each in enumerate(found))
            yield Headword(word, tuple(senses))


def _part(title: str) -> str:
    """The title of the section as one word: ``noun``, ``adjective``, ``proper_noun``."""
    return "_".join(tidy(title).replace(".", " ").split()) or "x"


def _defined(entry: Entry, dropped: Counter[str]) -> Iterator[Definition]:
    for definition in entry.definitions:
        if tidy(definition.gloss):
            yield definition
        else:
            dropped[NO_GLOSS] += 1
            if definition.examples:
                dropped[UNDEFINED] += len(definition.examples)


def _number(
    sense_id: str, word: str, definition: Definition, rules: Rules, dropped: Counter[str]
) -> NumberedSense:
    return NumberedSense(
        sense_id,
        tidy(definition.gloss),
        _items(definition.tags),
        _items(definition.synonyms),
        definition.depth,
        select(word, definition.examples, rules, dropped),
    )


def _items(values: Iterable[str]) -> tuple[str, ...]:
    """Values of a list that is written with commas, so they have none themselves."""
    return tuple(dict.fromkeys(filter(None, (tidy(value.replace(",", " ")) for value in values))))
