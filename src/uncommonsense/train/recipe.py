"""The settings of a training run."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from typing import Any, Self

from uncommonsense.errors import UnknownNameError, UserError

__all__ = ["LoopRecipe", "Recipe", "Settings"]


@dataclass(frozen=True)
class Settings:
    """What the recipes of all kinds of training share: settings by name, refused where they make no sense."""

    @classmethod
    def of(cls, **settings: Any) -> Self:
        """The recipe with these settings changed."""
        legal = [field.name for field in fields(cls)]
        for name in settings:
            if name not in legal:
                raise UnknownNameError("setting of the recipe", name, legal)
        return cls(**settings)

    def _at_least(self, least: float, *names: str) -> None:
        for name in names:
            self._require(name, least <= getattr(self, name) < math.inf, f"at least {least:g}")

    def _positive(self, *names: str) -> None:
        for name in names:
            self._require(name, 0 < getattr(self, name) < math.inf, "greater than 0")

    def _below_one(self, *names: str) -> None:
        for name in names:
            self._require(name, 0 <= getattr(self, name) < 1, "from 0 to less than 1")

    def _require(self, name: str, holds: bool, expected: str) -> None:
        if not holds:
            raise UserError(f"{name} must be {expected}, not {getattr(self, name)}")

    def _one_of(self, name: str, legal: tuple[str, ...]) -> None:
        if getattr(self, name) not in legal:
            raise UnknownNameError(f"value of {name}", getattr(self, name), legal)


@dataclass(frozen=True)
class Recipe(Settings):
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
        self._at_least(1, "batch_size", "epochs")
        self._positive("learning_rate", "epsilon")
        self._below_one("beta1", "beta2")
        self._at_least(0, "patience", "weight_decay")


@dataclass(frozen=True)
class LoopRecipe(Settings):
    """What training in steps needs, whatever is trained."""

    learning_rate: float = 1e-4
    """At its height."""
    epochs: int = 20
    """At most."""
    patience: int = 5
    """Stop after so many epochs without a new best score of the development set; 0: never."""
    warmup: int = 0
    """Steps in which the learning rate rises from 0."""
    decay: str = "constant"
    """What it does then: ``constant``, or ``linear``, down to 0 at the end of the last epoch."""
    beta1: float = 0.9
    beta2: float = 0.999
    epsilon: float = 1e-8

    def __post_init__(self) -> None:
        self._at_least(1, "epochs")
        self._positive("learning_rate", "epsilon")
        self._below_one("beta1", "beta2")
        self._at_least(0, "patience", "warmup")
        self._one_of("decay", ("constant", "linear"))
