"""Which senses a target word may have, for all targets of a corpus at once."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from uncommonsense.inventories.protocol import Inventory
from uncommonsense.schema import Corpus

__all__ = ["Choices", "choices_of"]


class Choices(NamedTuple):
    """The candidate senses of every instance, one after another in the order of the inventory.

    Those of instance ``i`` are the places ``offsets[i]`` to ``offsets[i + 1]`` (exclusive) of ``candidates``.
    An instance whose lemma is unknown to the inventory has none.
    """

    senses: tuple[str, ...]
    """Distinct sense ids."""
    candidates: np.ndarray
    """Numbers of senses: ``(places,) int64``."""
    offsets: np.ndarray
    """``(instances + 1,) int64``"""

    @property
    def sizes(self) -> np.ndarray:
        """How many candidates each instance has: ``(instances,) int64``."""
        return np.diff(self.offsets)

    @property
    def instance(self) -> np.ndarray:
        """The instance that each place belongs to: ``(places,) int64``."""
        return np.repeat(np.arange(len(self.offsets) - 1), self.sizes)

    @property
    def rank(self) -> np.ndarray:
        """The place of each candidate among those of its instance, from 0: ``(places,) int64``."""
        return np.asarray(np.arange(len(self.candidates)) - np.repeat(self.offsets[:-1], self.sizes))

    def number(self) -> dict[str, int]:
        """The number of each sense id."""
        return {sense: number for number, sense in enumerate(self.senses)}


def choices_of(corpus: Corpus, inventory: Inventory) -> Choices:
    """What ``inventory`` offers for the lemma and part of speech of each instance."""
    words = list(zip(corpus.instances["lemma"].to_pylist(), corpus.instances["pos"].to_pylist(), strict=True))
    offered = {word: inventory.candidates(*word) for word in dict.fromkeys(words)}
    senses = tuple(dict.fromkeys(sense for candidates in offered.values() for sense in candidates))
    number = {sense: position for position, sense in enumerate(senses)}
    numbered = {word: [number[sense] for sense in candidates] for word, candidates in offered.items()}
    flat = [sense for word in words for sense in numbered[word]]
    sizes = np.fromiter((len(numbered[word]) for word in words), np.int64, len(words))
    return Choices(senses, np.array(flat, np.int64), np.concatenate([[0], np.cumsum(sizes)]))
