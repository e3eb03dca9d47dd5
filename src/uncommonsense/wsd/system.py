"""What every word sense disambiguation system can do."""

from __future__ import annotations

from abc import ABC, abstractmethod
from pathlib import Path
from typing import ClassVar, Self

import numpy as np

from uncommonsense.inventories.protocol import Inventory
from uncommonsense.schema import Corpus
from uncommonsense.wsd.choices import Choices, choices_of
from uncommonsense.wsd.predictions import Predictions, predict

__all__ = ["System"]


class System(ABC):
    """Scores the candidate senses of target words.

    A system that learns does so in :meth:`fit` and nowhere else; one that does not returns itself unchanged.
    Use of a system that needs fitting before it is fitted is a ``UserError`` that says how to fit it.
    """

    name: ClassVar[str]
    """What it is called on the command line and in results."""

    def __init__(self, inventory: Inventory) -> None:
        self.inventory = inventory

    def fit(self, corpus: Corpus) -> Self:
        """Learn from the annotated instances of ``corpus``."""
        del corpus
        return self

    @abstractmethod
    def scores(self, corpus: Corpus, choices: Choices) -> np.ndarray:
        """How well each candidate fits, larger is better, NaN for no opinion: ``(places,) float64``."""

    def predict(self, corpus: Corpus) -> Predictions:
        """The scores of all candidates of all instances of ``corpus``."""
        choices = choices_of(corpus, self.inventory)
        return predict(self.name, corpus, choices, self.scores(corpus, choices))

    def save(self, folder: Path) -> None:
        """Write what :meth:`fit` learned: safetensors, Parquet and a ``system.json``."""
        raise NotImplementedError(f"{self.name} has nothing to save")

    @classmethod
    def load(cls, folder: Path, inventory: Inventory) -> Self:
        """The inverse of :meth:`save`."""
        raise NotImplementedError(f"{cls.name} has nothing to load")
