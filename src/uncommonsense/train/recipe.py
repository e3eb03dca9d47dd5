"""The settings of a training run."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from typing import Any

from uncommonsense.errors import UnknownNameError, UserError

__all__ = ["Recipe"]


@dataclass(frozen=True)
class Recipe:
    """How a model is inoculated; the defaults are those of "BERT Has Uncommon Sense".

    What the paper's text leaves open (batches, patience, the optimiser's constants) is as in its code.
    """

    learning_rate: float = 2e-5
    """Constant: no warm-up, no decay."""
    batch_size: int = 8
    """Examples per step."""
    epochs: int = 40
    """At most."""
    patience: int = 5
    """Stop after so many epochs without a new lowest training loss; 0: never."""
    weight_decay: float = 0.0
    beta1: float = 0.9
    beta2: float = 0.999
    epsilon: float = 1e-8
    dropout: bool = True
    """With the model's own rates; False: none."""
    layers: str = "last"
    """What the target's embedding is made of, as for the encoder; one vector."""
    pool: str = "mean"
    """How its pieces become one vector."""

    def __post_init__(self) -> None:
        for name in ("batch_size", "epochs"):
            self._require(name, getattr(self, name) >= 1, "at least 1")
        for name in ("learning_rate", "epsilon"):
            self._require(name, 0 < getattr(self, name) < math.inf, "greater than 0")
        for name in ("beta1", "beta2"):
            self._require(name, 0 <= getattr(self, name) < 1, "from 0 to less than 1")
        for name in ("patience", "weight_decay"):
            self._require(name, 0 <= getattr(self, name) < math.inf, "at least 0")

    def _require(self, name: str, holds: bool, expected: str) -> None:
        if not holds:
            raise UserError(f"{name} must be {expected}, not {getattr(self, name)}")

    @classmethod
    def of(cls, **settings: Any) -> Recipe:
        """The recipe with these settings changed."""
        legal = [field.name for field in fields(cls)]
        for name in settings:
            if name not in legal:
                raise UnknownNameError("setting of the recipe", name, legal)
        return cls(**settings)
