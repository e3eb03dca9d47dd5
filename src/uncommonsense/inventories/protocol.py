"""What every sense inventory can answer."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol, runtime_checkable

from uncommonsense.schema import Sense

__all__ = ["POS", "Inventory", "fold_lemma", "fold_pos"]

POS = "nvarpx"
"""Parts of speech in the order of ``candidates``: noun, verb, adjective, adverb, adposition, other."""


@runtime_checkable
class Inventory(Protocol):
    """Senses by id and by lemma.

    A lemma is looked up whatever its case, with spaces or underscores. ``pos`` is a letter of ``POS``
    (``s``, WordNet's adjective satellite, counts as ``a``); without it all parts of speech answer, in
    the order of ``POS``.
    """

    @property
    def name(self) -> str:
        """What the inventory is called in results."""
        ...

    def __len__(self) -> int:
        """How many senses there are."""
        ...

    def __contains__(self, sense_id: object) -> bool:
        """Whether there is a sense of this id."""
        ...

    def sense(self, sense_id: str) -> Sense:
        """The sense of this id; its own lemma is the first of ``lemmas``."""
        ...

    def candidates(self, lemma: str, pos: str | None = None) -> tuple[str, ...]:
        """Ids of the lemma's senses in the order of the source; empty for an unknown lemma."""
        ...

    def gloss(self, sense_id: str) -> str:
        """The definition of a sense, without examples."""
        ...

    def lemmas(self) -> Iterator[str]:
        """Every lemma once, as ``candidates`` knows it."""
        ...

    def senses(self) -> Iterator[str]:
        """Every sense id once."""
        ...


def fold_lemma(lemma: str) -> str:
    """The spelling under which a lemma is looked up: lower case, underscores for spaces."""
    return lemma.lower().replace(" ", "_")


def fold_pos(pos: str) -> str:
    """``a`` for the adjective satellites' ``s``, else the letter itself."""
    return "a" if pos == "s" else pos
