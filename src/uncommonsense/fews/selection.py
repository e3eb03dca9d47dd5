"""Which examples of a definition are kept, and how their text is written.

A target is a word that was in bold, without punctuation at its ends that the word does not have. It is
dropped when it differs too much from the headword: when their longest common subsequence is shorter than
half of the target. An example is dropped when no target is left, when it is too short to be a context, or
when the sense has the same text already.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import NamedTuple
from unicodedata import category

from uncommonsense.errors import UserError
from uncommonsense.fews.layout import mark
from uncommonsense.wiktionary import Example

__all__ = ["Rules", "Selected", "common_length", "is_like", "select", "tidy"]

NOTHING_MARKED = "example: nothing is marked"
UNLIKE = "example: no marked word is like the headword"
TOO_SHORT = "example: too short"
REPEATED = "example: the sense has this text already"
UNLIKE_TARGET = "target in a kept example: unlike the headword"

_TAG = re.compile(r"</?WSD>")
_INVISIBLE = re.compile(r"[\s\x00-\x1f\x7f-\x9f\ufeff\ud800-\udfff]")
_BLANKS = re.compile(r" +")
_DROPPED_G = re.compile(r"\win['’]$", re.IGNORECASE)
_ABBREVIATION = re.compile(r"(?:\w\.)+\w\.$")
_BRACKETS = {"(": ")", "[": "]"}
_APOSTROPHES = str.maketrans("’ʼ", "''")

Span = tuple[int, int]


class Rules(NamedTuple):
    """When an example is good enough; ``similarity`` is a share of the target's length."""

    minimum_words: int = 3
    similarity: float = 0.5

    def check(self) -> Rules:
        """These rules, if they make sense."""
        if self.minimum_words < 1:
            raise UserError(f"--minimum-words is a number from 1 on, not {self.minimum_words}")
        if not 0 <= self.similarity <= 1:
            raise UserError(f"--similarity is a share from 0 to 1, not {self.similarity}")
        return self


class Selected(NamedTuple):
    """What is kept of a sense's examples: marked texts, those of quotations with their attribution."""

    quotations: tuple[tuple[str, str], ...] = ()
    illustrations: tuple[str, ...] = ()


def select(word: str, examples: Iterable[Example], rules: Rules, dropped: Counter[str]) -> Selected:
    """Keep the good examples of one sense of ``word``; ``dropped`` counts the others by reason.

    A text that is there both as a quotation and as an illustration counts as a quotation.
    """
    quotations, illustrations = [], []
    seen: set[str] = set()
    for example in sorted(examples, key=lambda example: example.kind != "quotation"):
        pieces = _pieces(word, example, rules, dropped)
        text = "".join(pieces)
        if not pieces:
            continue
        if text in seen:
            dropped[REPEATED] += 1
        elif example.kind == "quotation":
            quotations.append((mark(pieces), tidy(example.attribution)))
        else:
            illustrations.append(mark(pieces))
        seen.add(text)
    return Selected(tuple(quotations), tuple(illustrations))


def _pieces(word: str, example: Example, rules: Rules, dropped: Counter[str]) -> list[str]:
    """The text as ``[before, target, between, ..., after]``; empty if the example is dropped."""
    text = _visible(example.text)
    spans = [_trimmed(text, span, word) for span in _spans(text, example.targets)]
    alike = [span for span in spans if is_like(text[slice(*span)], word, rules.similarity)]
    if not alike:
        dropped[UNLIKE if spans else NOTHING_MARKED] += 1
        return []
    if sum(any(map(str.isalnum, part)) for part in text.split()) < rules.minimum_words:
        dropped[TOO_SHORT] += 1
        return []
    if len(alike) < len(spans):
        dropped[UNLIKE_TARGET] += len(spans) - len(alike)
    return _cut(text, alike)


def tidy(text: str) -> str:
    """Text for one column of one line: no tabs, line breaks or control characters, single spaces."""
    return " ".join(_visible(text).split())


def _visible(text: str) -> str:
    """A space for each character that a line cannot hold; offsets stay as they are."""
    return _INVISIBLE.sub(" ", _TAG.sub(lambda match: " " * len(match[0]), text))


def _spans(text: str, targets: Sequence[Span]) -> list[Span]:
    """Targets in order, without blanks at their ends, none empty, none overlapping an earlier one."""
    spans: list[Span] = []
    place = 0
    for start, end in sorted(targets):
        target = text[start:end]
        start += len(target) - len(target.lstrip())
        end = start + len(target.strip())
        if place <= start < end:
            spans.append((start, end))
            place = end
    return spans


def _trimmed(text: str, span: Span, word: str) -> Span:
    """A span without punctuation at its ends, unless it belongs to the word or nothing else is there."""
    start, end = span
    word = word.translate(_APOSTROPHES)
    while start < end and _is_loose(text[start:end], 0, word):
        start += 1
    while start < end and _is_loose(text[start:end], -1, word):
        end -= 1
    return (start, end) if start < end else span


def _is_loose(target: str, place: int, word: str) -> bool:
    """Whether the first (0) or last (-1) character of a target is a blank or punctuation of the sentence."""
    character = target[place].translate(_APOSTROPHES)
    if character == " ":
        return True
    if not category(character).startswith("P") or character == word[place]:
        return False
    if any(pair[place] == character and _is_inside(target, *pair) for pair in _BRACKETS.items()):
        return False
    return place == 0 or not (_DROPPED_G.search(target) or _ABBREVIATION.search(target))


def _is_inside(target: str, opening: str, closing: str) -> bool:
    """Whether brackets enclose a part of the target only, as in "[w]ugs" and "wug(s)"."""
    first, last = target.find(opening), target.find(closing)
    return 0 <= first < last and (first, last) != (0, len(target) - 1)


def _cut(text: str, spans: Sequence[Span]) -> list[str]:
    edges = [0, *(edge for span in spans for edge in span), len(text)]
    pieces = [_BLANKS.sub(" ", text[start:end]) for start, end in pairwise(edges)]
    return [pieces[0].lstrip(), *pieces[1:-1], pieces[-1].rstrip()]


def is_like(target: str, word: str, similarity: float) -> bool:
    """Whether enough of a target's letters are in the headword, in their order and whatever their case."""
    folded = target.casefold()
    return common_length(folded, word.casefold()) >= similarity * len(folded)


def common_length(first: str, second: str) -> int:
    """The length of the longest common subsequence.

    A row of the usual table is one number: bit ``i`` is 0 where the row grows at character ``i`` of
    ``first`` (Crochemore et al. 2001, Hyyrö 2004).
    """
    places: dict[str, int] = {}
    for place, character in enumerate(first):
        places[character] = places.get(character, 0) | 1 << place
    every = (1 << len(first)) - 1
    row = every
    for character in second:
        matched = row & places.get(character, 0)
        row = (row + matched | row - matched) & every
    return len(first) - row.bit_count()
