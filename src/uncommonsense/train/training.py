"""Training a linear layer on the targets' vectors, and the encoder with it; resumable after every epoch.

All that is drawn at random in an epoch (the order of the examples, dropout) follows from the seed and the
number of the epoch. So a checkpoint holds weights, the optimiser's moments and the losses, and a run that
was killed ends with the same weights as one that was not.
"""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save_file
from torch import nn
from torch.nn import functional

from uncommonsense.encode.plan import Plan
from uncommonsense.errors import StoreError, UserError
from uncommonsense.train.encoder import TrainableEncoder
from uncommonsense.train.files import replacing
from uncommonsense.train.recipe import Recipe

__all__ = ["Epoch", "Training"]

_WEIGHT = "weight"
_MOMENTS = ("step", "exp_avg", "exp_avg_sq")
"""AdamW's state of one parameter, as torch names it."""


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
        with _randomness(seed, 0):
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
        with _randomness(self._seed, number):
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
        """Write a checkpoint of the run of this name; parameters that are not trained are left out."""
        tensors = {}
        for name, parameter in self._parameters.items():
            if state := self._optimizer.state.get(parameter):
                tensors[f"{_WEIGHT}.{name}"] = parameter.detach().contiguous()
                tensors |= {f"{moment}.{name}": state[moment].contiguous() for moment in _MOMENTS}
        about = {"run": run, "epochs": json.dumps(self.epochs)}
        with replacing(file) as part:
            save_file(tensors, part, about)

    def restore(self, file: Path, run: str) -> None:
        """Take up a checkpoint; it must be of the run of this name."""
        try:
            with safe_open(file, "pt") as stored:
                about = stored.metadata()
                tensors = {name: stored.get_tensor(name) for name in stored.keys()}  # noqa: SIM118
            epochs = [Epoch(*epoch) for epoch in json.loads(about["epochs"])]
            if about["run"] != run:
                raise UserError(
                    f"{file} is the checkpoint of a run with another model, sample or recipe; "
                    "choose another folder, or delete it"
                )
            self._load(tensors)
        except (SafetensorError, LookupError, TypeError, ValueError) as error:
            raise StoreError(f"{file} is damaged ({error}); delete it, and the run starts anew") from error
        self.epochs = epochs

    def _load(self, tensors: dict[str, torch.Tensor]) -> None:
        for name, parameter in self._parameters.items():
            if f"{_WEIGHT}.{name}" in tensors:
                with torch.no_grad():
                    parameter.copy_(tensors[f"{_WEIGHT}.{name}"])
                self._optimizer.state[parameter] = {
                    moment: tensors[f"{moment}.{name}"] for moment in _MOMENTS
                }


@contextmanager
def _randomness(seed: int, epoch: int) -> Iterator[None]:
    """Seed torch's generator by the seed and the epoch; afterwards it is as it was."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(int(np.random.SeedSequence([seed, epoch]).generate_state(1, np.uint64)[0]))
        yield
