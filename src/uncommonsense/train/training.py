"""Training a linear layer on the targets' vectors, and the encoder with it; resumable after every epoch.

All that is drawn at random in an epoch (the order of the examples, dropout) follows from the seed and the
number of the epoch. So a checkpoint holds weights, the optimiser's moments and the losses, and a run that
was killed ends with the same weights as one that was not.
"""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch
from safetensors.torch import save_file
from torch import nn
from torch.nn import functional

from uncommonsense.encode.plan import Plan
from uncommonsense.errors import UserError
from uncommonsense.train.checkpoint import adam_state, load_adam_state, reading_checkpoint
from uncommonsense.train.encoder import TrainableEncoder
from uncommonsense.train.files import replacing
from uncommonsense.train.randomness import seeded
from uncommonsense.train.recipe import Recipe

__all__ = ["Epoch", "Training"]


class Epoch(NamedTuple):
    """What came of one pass over the examples."""

    epoch: int
    """From 1."""
    loss: float
    """Mean cross-entropy of the examples, in nats, as they were met (with dropout)."""
    seconds: float


class Training:
    """The state of a run: model, linear layer, optimiser, losses so far."""

    def __init__(
        self, encoder: TrainableEncoder, plan: Plan, labels: Sequence[str], recipe: Recipe, *, seed: int
    ) -> None:
        classes, codes = np.unique(np.array(labels), return_inverse=True)
        self._encoder = encoder
        self._plan = plan
        self._labels = torch.from_numpy(codes.astype(np.int64))
        self._recipe = recipe
        self._seed = seed
        with seeded(seed, 0):
            self._head = nn.Linear(encoder.dim, len(classes))
        self._parameters = {
            f"{part}.{name}": parameter
            for part, module in (("encoder", encoder.model), ("head", self._head))
            for name, parameter in module.named_parameters()
        }
        self._optimizer = torch.optim.AdamW(
            self._parameters.values(),
            lr=recipe.learning_rate,
            betas=(recipe.beta1, recipe.beta2),
            eps=recipe.epsilon,
            weight_decay=recipe.weight_decay,
            fused=True,
        )
        self.epochs: list[Epoch] = []

    @property
    def finished(self) -> bool:
        """Whether the epochs are used up, or the patience."""
        losses = [epoch.loss for epoch in self.epochs]
        if len(losses) >= self._recipe.epochs:
            return True
        waited = len(losses) - 1 - losses.index(min(losses)) if losses else 0
        return 0 < self._recipe.patience <= waited

    def run_epoch(self, advance: Callable[[float], None] = lambda _: None) -> Epoch:
        """See every example once; ``advance(n)`` hears of ``n`` more done."""
        number, size = len(self.epochs) + 1, self._recipe.batch_size
        order = np.random.default_rng([self._seed, number]).permutation(len(self._labels))
        total, began = 0.0, time.monotonic()
        self._encoder.model.train(self._recipe.dropout)
        with seeded(self._seed, number):
            for first in range(0, len(order), size):
                batch = order[first : first + size]
                total += self._step(batch) * len(batch)
                advance(len(batch))
        self._encoder.model.eval()
        epoch = Epoch(number, total / len(order), time.monotonic() - began)
        if not math.isfinite(epoch.loss):
            raise UserError(f"the loss of epoch {number} is {epoch.loss}; train with a lower learning rate")
        self.epochs.append(epoch)
        return epoch

    def _step(self, batch: np.ndarray) -> float:
        logits = self._head(self._encoder.forward(self._plan, batch))
        loss = functional.cross_entropy(logits, self._labels[torch.from_numpy(batch)])
        self._optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        self._optimizer.step()
        return loss.item()

    def save(self, file: Path, run: str) -> None:
        """Write a checkpoint of the run of this name."""
        tensors = adam_state(self._parameters, self._optimizer)
        about = {"run": run, "epochs": json.dumps(self.epochs)}
        with replacing(file) as part:
            save_file(tensors, part, about)

    def restore(self, file: Path, run: str) -> None:
        """Take up a checkpoint; it must be of the run of this name."""
        with reading_checkpoint(file, run) as (tensors, about):
            epochs = [Epoch(*epoch) for epoch in about["epochs"]]
            load_adam_state(self._parameters, self._optimizer, tensors)
        self.epochs = epochs
