"""The first sense: whatever the inventory lists first."""

from __future__ import annotations

import numpy as np

from uncommonsense.schema import Corpus
from uncommonsense.wsd.choices import Choices
from uncommonsense.wsd.system import System

__all__ = ["FirstSense"]


class FirstSense(System):
    """The first sense of the inventory; WordNet lists the sense first that its makers met most often."""

    name = "first-sense"

    def scores(self, corpus: Corpus, choices: Choices) -> np.ndarray:
        """1, 1/2, 1/3, ... in the order of the inventory."""
        return np.asarray(1 / (1.0 + choices.rank))
