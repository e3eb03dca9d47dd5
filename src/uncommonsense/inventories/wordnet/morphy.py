"""WordNet's Morphy: from an inflected form to the base forms that the database knows (morphy(7WN))."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from itertools import product

__all__ = ["Morphy"]

_RULES: Mapping[str, tuple[tuple[str, str], ...]] = {
    "n": (
        ("s", ""),
        ("ses", "s"),
        ("xes", "x"),
        ("zes", "z"),
        ("ches", "ch"),
        ("shes", "sh"),
        ("men", "man"),
        ("ies", "y"),
    ),
    "v": (
        ("s", ""),
        ("ies", "y"),
        ("es", "e"),
        ("es", ""),
        ("ed", "e"),
        ("ed", ""),
        ("ing", "e"),
        ("ing", ""),
    ),
    "a": (("er", ""), ("est", ""), ("er", "e"), ("est", "e")),
    "r": (),
}
"""Detachment rules: (ending, what replaces it), in the order in which they are tried."""

_MAX_PARTS = 6
"""Longer collocations are only looked up in the exception lists: their parts have too many combinations."""


class Morphy:
    """Base forms by exception list, detachment rule, and, for collocations, word by word.

    ``defined(lemma, pos)`` says whether the database has a lemma; ``exceptions[pos]`` maps irregular
    forms to base forms.
    """

    def __init__(
        self, defined: Callable[[str, str], bool], exceptions: Mapping[str, Mapping[str, tuple[str, ...]]]
    ) -> None:
        self._defined = defined
        self._exceptions = exceptions

    def bases(self, form: str, pos: str) -> list[str]:
        """Base forms in the database, the form itself first where it is one; ``form`` is folded.

        WordNet's own function gives the first that differs from the form; here all of them come.
        """
        found = dict.fromkeys([form, *self._simple_bases(form, pos)])
        defined = [base for base in found if self._defined(base, pos)]
        if defined == [] and re.search("[_-]", form):
            defined = [
                base for base in dict.fromkeys(self._collocations(form, pos)) if self._defined(base, pos)
            ]
        return defined

    def _simple_bases(self, word: str, pos: str) -> Iterator[str]:
        """What the exception list says, else what the rules make of the word; not yet looked up."""
        if word in self._exceptions.get(pos, {}):
            yield from self._exceptions[pos][word]
            return
        stem, end = word, ""
        if pos == "n":
            if word.endswith("ful"):
                stem, end = word[:-3], "ful"
            elif word.endswith("ss") or len(word) <= 2:
                return
        for ending, replacement in _RULES[pos]:
            if stem.endswith(ending):
                yield stem[: len(stem) - len(ending)] + replacement + end

    def _collocations(self, form: str, pos: str) -> Iterator[str]:
        """Every combination of the parts of a collocation and their base forms.

        The last part of a verb may be its noun object; the other parts inflect as ``pos`` does.
        """
        pieces = re.split("([_-])", form)
        words, joints = pieces[::2], [*pieces[1::2], ""]
        if len(words) > _MAX_PARTS:
            return
        choices = [[word, *self.bases(word, pos)] for word in words]
        if pos == "v":
            choices[-1] += self.bases(words[-1], "n")
        for parts in product(*map(dict.fromkeys, choices)):
            yield "".join(part + joint for part, joint in zip(parts, joints, strict=True))
