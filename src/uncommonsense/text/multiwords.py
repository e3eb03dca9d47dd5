"""WordNet's entries of several words, found in tagged sentences: *hot dogs*, *took off*, *New York*."""

from __future__ import annotations

import tomllib
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from importlib.resources import files
from typing import NamedTuple

from uncommonsense.inventories.wordnet import WordNet

__all__ = ["Multiword", "Multiwords"]

_LONGEST = 7
"""Words; few entries have more."""

_NOUNS = frozenset({"NOUN", "PROPN", "NUM", "ADJ", "X"})
_VERBS = frozenset({"VERB", "AUX"})


class Multiword(NamedTuple):
    """The words ``start`` to ``end`` (exclusive) of a sentence that are one entry."""

    start: int
    end: int
    lemma: str
    pos: str


class Multiwords:
    """Finds the longest entries from left to right.

    Only the last word of a noun and the first of a verb may be inflected. The words must be neighbours:
    *took his coat off* is not found.
    """

    def __init__(self, wordnet: WordNet, *, loose: Mapping[str, str] | None = None) -> None:
        """``loose``: entries that are not to be found, and their parts of speech; else those of the data."""
        self._wordnet = wordnet
        self._loose = _read_loose() if loose is None else loose

    @cached_property
    def _entries(self) -> dict[tuple[str, str], str]:
        """Entries of several words by spelling and part of speech, without those that are rarely one."""
        wordnet = self._wordnet
        lemmas = list(wordnet.lemmas())
        parts = wordnet.synset_pos[wordnet.sense_synset].tolist()
        pairs = dict.fromkeys(zip(wordnet.sense_lemma.tolist(), parts, strict=True))
        several = ((lemmas[lemma], "nvara"[part]) for lemma, part in pairs if "_" in lemmas[lemma])
        loose = self._loose
        return {(_spelling(lemma), pos): lemma for lemma, pos in several if pos not in loose.get(lemma, "")}

    @cached_property
    def _lengths(self) -> dict[str, set[int]]:
        """How many words the entries have that begin with a word."""
        found: dict[str, set[int]] = defaultdict(set)
        for spelling, _ in self._entries:
            words = spelling.replace("'s_", "_'s_").split("_")
            if len(words) <= _LONGEST:
                found[words[0]].add(len(words))
        return dict(found)

    def find(self, words: Sequence[str], tags: Sequence[str], lemmas: Sequence[str]) -> Iterator[Multiword]:
        """Entries of a sentence, none overlapping another."""
        folded, bases = list(map(_spelling, words)), list(map(_spelling, lemmas))
        at = 0
        while at < len(folded):
            found = self._longest(at, folded, tags, bases)
            if found:
                yield found
            at = found.end if found else at + 1

    def _longest(
        self, at: int, words: Sequence[str], tags: Sequence[str], lemmas: Sequence[str]
    ) -> Multiword | None:
        known = self._lengths
        lengths = known.get(words[at], _NONE) | known.get(lemmas[at], _NONE)
        for length in sorted(lengths, reverse=True):
            end = at + length
            if end > len(words):
                continue
            for pos, spelling in _readings(words[at:end], tags[at:end], lemmas[at:end]):
                if lemma := self._entries.get((spelling, pos)):
                    return Multiword(at, end, lemma, pos)
        return None


_NONE: frozenset[int] = frozenset()


def _read_loose() -> dict[str, str]:
    """Entries whose words mostly do not belong together in running text, and their parts of speech."""
    text = (files("uncommonsense.text") / "data" / "multiwords.toml").read_text(encoding="utf-8")
    found: dict[str, str] = tomllib.loads(text)["loose"]
    return found


def _readings(words: Sequence[str], tags: Sequence[str], lemmas: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Parts of speech that some words may have as one, and the entries they would be of."""
    as_it_is = _join(words)
    if tags[0] in _VERBS:
        yield "v", _join([lemmas[0], *words[1:]])
    if tags[-1] in _NOUNS:
        yield "n", as_it_is
        yield "n", _join([*words[:-1], lemmas[-1]])
    if tags[0] not in _VERBS:
        yield "r", as_it_is
        yield "a", as_it_is


def _join(words: Sequence[str]) -> str:
    return "_".join(words).replace("_'s", "'s")


def _spelling(word: str) -> str:
    """Small letters, a straight apostrophe, no full stops: *St. Patrick* and *St Patrick* are the same."""
    return word.lower().replace("’", "'").replace(".", "")
