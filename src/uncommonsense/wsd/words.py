"""The content words of a text, for counting what a context and a definition have in common.

A word is a run of two letters or more, lower case; ``well-known`` is two words, numbers are none. The stop
words of ``words.toml`` are left out. What is left is compared as ``form`` (as it stands), ``stem`` (without
the commonest endings, so that plurals and tenses fall together), or ``lemma`` (WordNet's shortest base form,
where the inventory is WordNet).
"""

from __future__ import annotations

import math
import re
import tomllib
from collections import Counter
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path
from typing import Protocol, runtime_checkable

from uncommonsense.errors import UnknownNameError, UserError
from uncommonsense.inventories.protocol import Inventory

__all__ = ["NORMAL_FORMS", "STOP_WORDS", "content_words", "inverse_frequencies", "normaliser", "stem"]

NORMAL_FORMS = ("form", "lemma", "stem")

STOP_WORDS = frozenset(
    tomllib.loads(Path(__file__).with_name("words.toml").read_text(encoding="utf-8"))["stop_words"].split()
)
"""Function words, the commonest verbs, and what dictionaries say all the time."""

_WORD = re.compile(r"[^\W\d_]{2,}")
_VOWEL = re.compile(r"[aeiouy]")


@runtime_checkable
class _Lemmatiser(Protocol):
    def morphy(self, form: str, pos: str | None = None) -> list[str]: ...


def content_words(text: str) -> list[str]:
    """The words of ``text`` that are not stop words, lower case, in order, with repetitions."""
    return [word for word in _WORD.findall(text.lower()) if word not in STOP_WORDS]


def normaliser(kind: str, inventory: Inventory) -> Callable[[Iterable[str]], set[str]]:
    """A function from words to the distinct forms under which they are compared."""
    if kind not in NORMAL_FORMS:
        raise UnknownNameError("kind of words", kind, NORMAL_FORMS)
    if kind == "form":
        return set
    if kind == "stem":
        return lambda words: {stem(word) for word in words}
    if not isinstance(inventory, _Lemmatiser):
        raise UserError(f"{inventory.name} knows no base forms; compare stems or forms instead of lemmas")
    morphy = inventory.morphy

    @cache
    def lemma(word: str) -> str:
        return min([word, *morphy(word)], key=len)

    return lambda words: {lemma(word) for word in words}


def inverse_frequencies(inventory: Inventory, words: Callable[[str], Iterable[str]]) -> dict[str, float]:
    """``log(N / n)`` of each word that is in n of the inventory's N distinct definitions."""
    glosses = dict.fromkeys(map(inventory.gloss, inventory.senses()))
    found = Counter(word for gloss in glosses for word in set(words(gloss)))
    return {word: math.log(len(glosses) / count) for word, count in found.items()}


@cache
def stem(word: str) -> str:
    """``word`` (lower case) without plural, -ed, -ing, -ly and a final e; short words stay as they are."""
    return _without_tense(_without_plural(word)).removesuffix("e") if len(word) > 3 else word


def _without_plural(word: str) -> str:
    if word.endswith("ies"):
        return word[:-3] + "y"
    if word.endswith(("sses", "shes", "ches", "xes", "zes")):
        return word[:-2]
    return word[:-1] if word.endswith("s") and not word.endswith(("ss", "us", "is")) else word


def _without_tense(word: str) -> str:
    for ending in ("ing", "ed", "ly"):
        rest = word.removesuffix(ending)
        if rest != word and len(rest) > 2 and _VOWEL.search(rest):
            doubled = ending != "ly" and rest[-1] == rest[-2] and rest[-1] not in "lsz"
            return rest[:-1] if doubled else rest
    return word
