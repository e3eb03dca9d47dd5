"""A linear layer over frozen vectors: a softmax over all senses, with those that are no candidates masked.

    FOLDER/probe.safetensors   a row per sense: weights, then the bias
    FOLDER/manifest.json       what was trained, on what, how, and what came of it
    FOLDER/losses.csv          the loss curve

A masked sense has no part in the softmax nor in its gradient. So only the candidates' rows are multiplied:
some dozens, where the whole softmax has tens of thousands.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from safetensors.torch import load_file, save_file

from uncommonsense.errors import UserError
from uncommonsense.train.examples import Examples
from uncommonsense.train.files import alone, replacing
from uncommonsense.train.loss import candidate_losses
from uncommonsense.train.randomness import seeded
from uncommonsense.train.recipe import LoopRecipe
from uncommonsense.train.rows import RowAdam
from uncommonsense.train.runs import Run

__all__ = ["PROBE", "ProbeLearner", "ProbeRecipe", "train_probe"]

PROBE = "probe.safetensors"
_MATRIX = "matrix"
_IDENTITY = ("vectors", "examples_digest", "recipe", "seed", "development")


@dataclass(frozen=True)
class ProbeRecipe(LoopRecipe):
    """How the probe is trained; the defaults are those of FEWS, the optimiser Adam."""

    learning_rate: float = 1e-4
    batch_size: int = 128
    """Examples per step."""
    epochs: int = 100
    patience: int = 10

    def __post_init__(self) -> None:
        super().__post_init__()
        self._at_least(1, "batch_size")
        self._require("warmup", self.warmup == 0, "0 for the probe")
        self._require("decay", self.decay == "constant", "constant for the probe")


class ProbeLearner:
    """Rows of weights, one per sense, and their optimiser."""

    def __init__(
        self, vectors: np.ndarray, examples: Examples, senses: int, recipe: ProbeRecipe, *, seed: int
    ) -> None:
        self._vectors = with_one(vectors)
        self._examples = examples
        self._recipe = recipe
        self._seed = seed
        bound = vectors.shape[1] ** -0.5
        with seeded(seed, 0):
            matrix = torch.empty(senses, vectors.shape[1] + 1).uniform_(-bound, bound)
        self._adam = RowAdam(matrix, recipe, recipe.epochs * len(self.batches(1)))
        self._step = 0

    @property
    def matrix(self) -> np.ndarray:
        """Weights and bias of each sense: ``(senses, dim + 1) float32``."""
        return self._adam.matrix.numpy()

    def batches(self, epoch: int) -> list[np.ndarray]:
        """Rows of the examples, in an order of its own for each epoch."""
        size = self._recipe.batch_size
        order = np.random.default_rng([self._seed, epoch]).permutation(len(self._examples))
        return [order[first : first + size] for first in range(0, len(order), size)]

    def step(self, batch: np.ndarray, number: int, rate: float) -> tuple[float, float]:
        """Learn from the examples ``batch`` ``(n,) int64``."""
        del rate  # constant, and known to the optimiser
        examples, places = self._examples, self._examples.places(batch)
        owner, rank = torch.from_numpy(places.owner), torch.from_numpy(places.rank)
        candidates = torch.from_numpy(examples.candidates[places.where])
        rows, of_place = torch.unique(candidates, return_inverse=True)
        self._adam.catch_up(rows, number - 1)
        vectors = self._vectors[torch.from_numpy(batch)][owner]
        scores = torch.einsum("pd,pd->p", vectors, self._adam.matrix[rows][of_place]).requires_grad_()
        losses = candidate_losses(scores, owner, rank, torch.from_numpy(examples.right[places.where]))
        weights = torch.from_numpy(examples.weights[batch])
        loss, total = (losses * weights).sum(), weights.sum()
        (slope,) = torch.autograd.grad(loss / total, scores)
        gradient = torch.zeros(len(rows), vectors.shape[1])
        self._adam.step(rows, gradient.index_add_(0, of_place, vectors * slope[:, None]), number)
        self._step = number
        return loss.item(), total.item()

    def settle(self) -> None:
        """Bring all rows up to date."""
        self._adam.catch_up(torch.arange(len(self._adam.matrix)), self._step)

    def state(self) -> dict[str, torch.Tensor]:
        """Weights, moments, and when each row had its last step."""
        adam, step = self._adam, torch.tensor([self._step])
        moments = {"mean": adam.mean, "square": adam.square, "last": adam.last, "step": step}
        return {_MATRIX: adam.matrix, **moments}

    def load_state(self, tensors: dict[str, torch.Tensor]) -> None:
        """The inverse of :meth:`state`."""
        for name, tensor in self.state().items():
            tensor.copy_(tensors[name])
        self._step = int(tensors["step"])

    def weights(self) -> dict[str, torch.Tensor]:
        """The matrix."""
        return {_MATRIX: self._adam.matrix}

    def load_weights(self, tensors: dict[str, torch.Tensor]) -> None:
        """The inverse of :meth:`weights`."""
        self._adam.matrix.copy_(tensors[_MATRIX])


def train_probe(
    vectors: np.ndarray,
    examples: Examples,
    senses: Sequence[str],
    *,
    folder: Path,
    about: Mapping[str, Any],
    recipe: ProbeRecipe | None = None,
    seed: int = 0,
    evaluate: Callable[[np.ndarray], float] | None = None,
    tell: Callable[[str], None] = lambda _: None,
    **options: Any,
) -> np.ndarray:
    """Train a probe on ``vectors`` ``(examples, dim)``; return its ``(senses, dim + 1) float32``.

    ``about`` goes into the manifest; its ``vectors`` and ``development`` name the vectors and the
    development set. ``evaluate`` is given the matrix. What is finished in ``folder`` is not trained again.
    ``options`` are those of :class:`Run`: ``progress``, ``checkpoint_minutes``.
    """
    recipe = recipe or ProbeRecipe()
    _require_examples(examples)
    about = {
        **about,
        "examples": len(examples),
        "senses": len(senses),
        "seed": seed,
        "recipe": asdict(recipe),
        "examples_digest": examples.digest(senses),
    }
    run = Run(folder, about, _IDENTITY, seed, tell=tell, **options)
    with alone(folder):
        if not run.finished:
            tell(f"Training a probe of {len(senses):,} senses on {len(examples):,} examples into {folder}")
            learner = ProbeLearner(vectors, examples, len(senses), recipe, seed=seed)
            judge = (lambda: evaluate(learner.matrix)) if evaluate else None
            run.train(learner, recipe, evaluate=judge, save=lambda: _save(learner, folder))
    return np.asarray(load_file(folder / PROBE)[_MATRIX].numpy())


def _require_examples(examples: Examples) -> None:
    if not len(examples):
        raise UserError(
            "there is nothing to train the probe on: no word of the corpus occurs with two senses of the "
            "inventory; is it the inventory of this corpus?"
        )


def _save(learner: ProbeLearner, folder: Path) -> dict[str, Any]:
    with replacing(folder / PROBE) as part:
        save_file(learner.weights(), part)
    return {}


def with_one(vectors: np.ndarray) -> torch.Tensor:
    """Vectors with a last component of 1, which the bias is multiplied with: ``(n, dim + 1)``."""
    return torch.from_numpy(np.concatenate([vectors, np.ones((len(vectors), 1), np.float32)], axis=1))
