"""How the learning rate goes up and down."""

from __future__ import annotations

from uncommonsense.train.recipe import LoopRecipe

__all__ = ["Schedule"]

_SHARE = 10


class Schedule:
    """The learning rate of every step of a run of ``total`` steps.

    A warm-up that is longer than the run would never reach the rate that was asked for: then a tenth of
    the steps is for it, and ``shortened`` is true.
    """

    def __init__(self, recipe: LoopRecipe, total: int) -> None:
        self.total = total
        self.shortened = recipe.warmup >= total
        self.warmup = total // _SHARE if self.shortened else recipe.warmup
        self._height = recipe.learning_rate
        self._falls = recipe.decay == "linear"

    def rate(self, step: int) -> float:
        """Of the step of this number, counted from 1."""
        if step <= self.warmup:
            return self._height * step / self.warmup
        if not self._falls:
            return self._height
        return self._height * max(0.0, (self.total - step + 1) / (self.total - self.warmup))
