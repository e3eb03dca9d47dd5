"""Adam for a matrix of which a step touches a few rows."""

from __future__ import annotations

import numpy as np
import torch

from uncommonsense.train.recipe import LoopRecipe

__all__ = ["RowAdam"]


class RowAdam:
    """Adam at the price of the rows that have a gradient.

    A row without a gradient is still moved by its momentum, step after step. With moments that only shrink
    these moves are a geometric series: their sum is added when the row is next needed. The result is that of
    Adam on the whole matrix, but for epsilon, which is held as it was at the row's last gradient. The
    learning rate must be constant.
    """

    def __init__(self, matrix: torch.Tensor, recipe: LoopRecipe, steps: int) -> None:
        self.matrix = matrix
        """``(rows, dim) float32``, changed in place."""
        self.mean = torch.zeros_like(matrix)
        self.square = torch.zeros_like(matrix)
        self.last = torch.zeros(len(matrix), dtype=torch.int64)
        """The step after which each row is up to date; 0: it has never had a gradient."""
        self._recipe = recipe
        self._shrinkage = recipe.beta1 / recipe.beta2**0.5
        self._tail = torch.from_numpy(_tails(recipe, steps))

    def step(self, rows: torch.Tensor, gradient: torch.Tensor, number: int) -> None:
        """Take the step of this number with the gradient ``(n, dim)`` of some distinct rows ``(n,)``."""
        self.catch_up(rows, number - 1)
        recipe = self._recipe
        mean = self.mean[rows].lerp_(gradient, 1 - recipe.beta1)
        square = self.square[rows].mul_(recipe.beta2).addcmul_(gradient, gradient, value=1 - recipe.beta2)
        self.mean[rows], self.square[rows], self.last[rows] = mean, square, number
        rate = recipe.learning_rate / (1 - recipe.beta1**number)
        scale = square.sqrt().div_((1 - recipe.beta2**number) ** 0.5).add_(recipe.epsilon)
        self.matrix[rows] = self.matrix[rows].addcdiv_(mean, scale, value=-rate)

    def catch_up(self, rows: torch.Tensor, number: int) -> None:
        """Bring some rows to where they are after the step of this number."""
        last = self.last[rows]
        behind = (last > 0) & (last < number)
        if not behind.any():
            return
        rows, last = rows[behind], last[behind]
        missed = (number - last).double()
        moves = self._tail[last] - self._shrinkage**missed * self._tail[number]
        recipe = self._recipe
        mean, square = self.mean[rows], self.square[rows]
        correction = (1 - recipe.beta2 ** last.double()).sqrt().float()[:, None]
        scale = square.sqrt().add_(recipe.epsilon * correction)
        change = mean.div(scale).mul_((recipe.learning_rate * moves).float()[:, None])
        self.matrix[rows] -= change
        self.mean[rows] = mean * (recipe.beta1**missed).float()[:, None]
        self.square[rows] = square * (recipe.beta2**missed).float()[:, None]
        self.last[rows] = number


def _tails(recipe: LoopRecipe, steps: int) -> np.ndarray:
    """For each step, by how much its moments would move a weight ever after, in units of mean / root square.

    ``(steps + 1,) float64``
    """
    shrinkage = recipe.beta1 / recipe.beta2**0.5
    after = np.arange(1, steps + 2)
    size = np.sqrt(1 - recipe.beta2**after) / (1 - recipe.beta1**after)
    tails = np.empty(steps + 1)
    tails[steps] = shrinkage * size[steps] / (1 - shrinkage)
    for step in range(steps - 1, -1, -1):
        tails[step] = shrinkage * (size[step] + tails[step + 1])
    return tails
