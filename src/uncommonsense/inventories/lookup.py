"""Finding what a person typed: a lemma, an inflected form, a sense id, or a synset's name."""

from __future__ import annotations

import re
from difflib import get_close_matches
from typing import Literal, NamedTuple, Protocol, runtime_checkable

from uncommonsense.errors import UnknownNameError
from uncommonsense.inventories.protocol import POS, Inventory, fold_lemma, fold_pos

__all__ = ["Found", "base_forms", "look_up", "parse_pos"]

_SYNSET = re.compile(r"\.[nvars]\.\d+$")
_NAMES = {"noun": "n", "verb": "v", "adj": "a", "adjective": "a", "adv": "r", "adverb": "r", "prep": "p"}


class Found(NamedTuple):
    """Senses of one lemma, and how they were found."""

    lemma: str
    ids: tuple[str, ...]
    how: Literal["id", "lemma", "form"]


@runtime_checkable
class _Lemmatiser(Protocol):
    """An inventory that knows inflection and names its synsets: WordNet."""

    def morphy(self, form: str, pos: str | None = None) -> list[str]: ...
    def key_of(self, name: str, lemma: str | None = None) -> str: ...


def parse_pos(text: str) -> str:
    """A part of speech from its letter or its name."""
    pos = fold_pos(_NAMES.get(text.lower(), text.lower()))
    if len(pos) != 1 or pos not in POS:
        raise UnknownNameError("part of speech", text, [*POS, *_NAMES])
    return pos


def look_up(inventory: Inventory, query: str, pos: str | None = None) -> list[Found]:
    """The senses that ``query`` means, by lemma; base forms are tried where it is no lemma itself."""
    if query in inventory:
        return [Found(inventory.sense(query).lemmas[0], (query,), "id")]
    if ids := inventory.candidates(query, pos):
        return [Found(fold_lemma(query), ids, "lemma")]
    if isinstance(inventory, _Lemmatiser):
        if _SYNSET.search(query):
            key = inventory.key_of(query)
            return [Found(inventory.sense(key).lemmas[0], (key,), "id")]
        if found := base_forms(inventory, query, pos):
            return found
    raise _unknown(inventory, query, pos)


def base_forms(inventory: Inventory, form: str, pos: str | None = None) -> list[Found]:
    """The senses of the lemmas that ``form`` is an inflected form of; none where Morphy is not known."""
    if not isinstance(inventory, _Lemmatiser):
        return []
    folded = fold_lemma(form)
    pairs = [
        (base, part) for part in pos or "nvar" for base in inventory.morphy(form, part) if base != folded
    ]
    return [Found(base, inventory.candidates(base, part), "form") for base, part in pairs]


def _unknown(inventory: Inventory, query: str, pos: str | None) -> UnknownNameError:
    if pos and (others := inventory.candidates(query)):
        parts = dict.fromkeys(inventory.sense(each).pos for each in others)
        hint = f"as {pos}; it is there as {', '.join(parts)}."
    else:
        close = _close_lemmas(inventory, fold_lemma(query))
        hint = (
            f"(did you mean {' or '.join(map(repr, close))}?)"
            if close
            else "(and nothing is spelled like it)"
        )
    return UnknownNameError(f"word of {inventory.name}", query, (), hint=hint)


def _close_lemmas(inventory: Inventory, query: str) -> list[str]:
    """Lemmas spelled alike, those first that only swap letters or at least begin as the query does.

    Only lemmas of like length that share a first or last letter are compared: the others are many.
    """
    length, first, last = len(query), query[:1], query[-1:]
    alike = (
        lemma
        for lemma in inventory.lemmas()
        if abs(len(lemma) - length) <= 2 and (lemma[:1] == first or lemma[-1:] == last)
    )
    close = get_close_matches(query, alike, n=30, cutoff=0.7)
    return sorted(close, key=lambda lemma: (sorted(lemma) != sorted(query), lemma[:1] != first))[:3]
