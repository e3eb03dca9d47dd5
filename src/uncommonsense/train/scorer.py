"""A scorer of senses: an encoder tuned so that a word in context points to its sense.

What a sense is like is known before: its definition and its usages as vectors of the encoder as it was, how
often it was seen, its place among the senses of its word. Trained are the upper layers of the encoder, three
linear maps (of words in context, of definitions, of usages) and a handful of weights. A usage is never
compared with itself: it is taken out of the mean of its sense while it is learned from.

    FOLDER/encoder/            the tuned encoder, as save_pretrained writes it
    FOLDER/head.safetensors    the maps and weights
    FOLDER/manifest.json, losses.csv
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from safetensors.torch import load_file, save_file
from torch import nn
from torch.nn import functional

from uncommonsense.encode import _hf
from uncommonsense.errors import UserError
from uncommonsense.train.checkpoint import adam_state, load_adam_state, load_weights, trained_weights
from uncommonsense.train.encoder import TrainableEncoder
from uncommonsense.train.examples import Examples
from uncommonsense.train.files import alone
from uncommonsense.train.loss import candidate_losses
from uncommonsense.train.recipe import LoopRecipe
from uncommonsense.train.runs import Run

__all__ = [
    "ENCODER",
    "KnownSenses",
    "ScorerHead",
    "ScorerRecipe",
    "SenseWeights",
    "open_head",
    "queries_of",
    "train_scorer",
    "weigh_senses",
]

ENCODER, _HEAD = "encoder", "head.safetensors"
_IDENTITY = ("fingerprint_before", "examples_digest", "recipe", "seed", "development")
_SENSES = 65_536
"""Senses whose vectors are mapped at once."""


@dataclass(frozen=True)
class ScorerRecipe(LoopRecipe):
    """How the scorer is trained."""

    learning_rate: float = 1e-4
    """Of the encoder."""
    head_rate: float = 1e-3
    """Of the maps and weights, at its height."""
    epochs: int = 1
    warmup: int = 160
    decay: str = "linear"
    frozen_layers: int = 3
    """The embeddings and so many layers above them stay as they are."""
    pieces: int = 1200
    """Per step; sentences of like length go together."""
    clip: float = 1.0
    weight_decay: float = 0.01
    dropout: bool = True
    layers: str = "mean:4-6"
    pool: str = "mean"

    def __post_init__(self) -> None:
        super().__post_init__()
        self._at_least(1, "pieces")
        self._at_least(0, "frozen_layers", "clip", "weight_decay")
        self._positive("head_rate")


class KnownSenses(NamedTuple):
    """What is known of each sense before training; a row per sense."""

    definition: np.ndarray
    """Its definition, of length 1: ``(senses, dim) float32``."""
    usages: np.ndarray
    """The sum of its usages, each of length 1: ``(senses, dim) float32``."""
    seen: np.ndarray
    """How many these are: ``(senses,) int64``."""
    occurrences: np.ndarray
    """How often it occurs in text that shows its frequency: ``(senses,) int64``."""
    rank: np.ndarray
    """Its place among the senses of its word, from 0: ``(senses,) int64``."""


class SenseWeights(NamedTuple):
    """Senses as the trained scorer sees them: a word's score for one is ``query(word) @ vector + bias``."""

    vector: np.ndarray
    """``(senses, dim) float32``"""
    bias: np.ndarray
    """``(senses,) float32``"""


class ScorerHead(nn.Module):
    """The maps and weights; at the beginning the maps do nothing."""

    def __init__(self, dim: int) -> None:
        super().__init__()
        self.query = nn.Linear(dim, dim)
        self.definition = nn.Linear(dim, dim, bias=False)
        self.usage = nn.Linear(dim, dim, bias=False)
        for part in (self.query, self.definition, self.usage):
            nn.init.eye_(part.weight)
        nn.init.zeros_(self.query.bias)
        self.scale = nn.Parameter(torch.tensor([2.0, 2.5]))
        """Logarithms: of the definition's part and of the usages'."""
        self.prior = nn.Parameter(torch.tensor([0.3, 0.1, 0.0]))
        """Of the logarithm of the count, of minus that of the rank, and of a sense without usages."""

    def asked(self, vectors: torch.Tensor) -> torch.Tensor:
        """Words in context as queries of length 1: ``(n, dim)``."""
        return functional.normalize(self.query(vectors), dim=1)

    def senses(self, definition: torch.Tensor, usages: torch.Tensor) -> torch.Tensor:
        """Senses as vectors, from definitions and sums of usages (zero: none), ``(n, dim)`` each."""
        known = usages.abs().sum(1, keepdim=True) > 0
        defined = functional.normalize(self.definition(definition), dim=1)
        used = functional.normalize(self.usage(functional.normalize(usages, dim=1)), dim=1)
        scale = self.scale.exp()
        return scale[0] * defined + scale[1] * used * known

    def bias(self, count: torch.Tensor, rank: torch.Tensor, seen: torch.Tensor) -> torch.Tensor:
        """What speaks for senses whatever the context: ``(n,)``."""
        features = torch.stack([count.log1p(), -rank.log1p(), (seen == 0).float()], dim=1)
        return features @ self.prior


class ScorerLearner:
    """The encoder and the head, what they learn from, and the optimiser."""

    def __init__(
        self,
        encoder: TrainableEncoder,
        examples: Examples,
        own: np.ndarray,
        counted: np.ndarray,
        known: KnownSenses,
        recipe: ScorerRecipe,
        *,
        seed: int,
    ) -> None:
        self.encoder = encoder
        self._examples = examples
        self._own = own
        self._counted = counted
        self._known = known
        self._recipe = recipe
        self._seed = seed
        self.head = ScorerHead(encoder.dim)
        self._plan = encoder.lay_out(examples.corpus)
        tuned = _freeze(encoder.model, recipe.frozen_layers)
        self._parameters = {
            **{f"encoder.{name}": each for name, each in tuned.items()},
            **{f"head.{name}": each for name, each in self.head.named_parameters()},
        }
        self._optimizer = torch.optim.AdamW(
            [
                {"params": list(tuned.values()), "weight_decay": recipe.weight_decay},
                {"params": list(self.head.parameters()), "weight_decay": 0.0},
            ],
            lr=recipe.learning_rate,
            betas=(recipe.beta1, recipe.beta2),
            eps=recipe.epsilon,
            fused=True,
        )

    def batches(self, epoch: int) -> list[np.ndarray]:
        """Examples of sentences of like length, in an order of its own for each epoch."""
        rng = np.random.default_rng([self._seed, epoch])
        unit = self._plan.target_unit
        by_unit = np.argsort(unit, kind="stable")
        groups = np.split(by_unit, np.flatnonzero(np.diff(unit[by_unit])) + 1)
        lengths = self._plan.unit_length[[unit[group[0]] for group in groups]]
        order = np.argsort(lengths + rng.random(len(lengths)) * 4)
        batches, first = [], 0
        for place in range(1, len(order) + 1):
            widest = lengths[order[min(place, len(order) - 1)]] + 2
            if place == len(order) or widest * (place + 1 - first) > self._recipe.pieces:
                batches.append(np.concatenate([groups[number] for number in order[first:place]]))
                first = place
        return [batches[number] for number in rng.permutation(len(batches))]

    def step(self, batch: np.ndarray, number: int, rate: float) -> tuple[float, float]:
        """Learn from some examples."""
        del number
        recipe = self._recipe
        self.encoder.model.train(recipe.dropout)
        weights = torch.from_numpy(self._examples.weights[batch])
        losses = self.losses(batch) * weights
        self._optimizer.zero_grad()
        (losses.sum() / weights.sum()).backward()  # type: ignore[no-untyped-call]
        if recipe.clip:
            torch.nn.utils.clip_grad_norm_(self._parameters.values(), recipe.clip)
        tuned, head = self._optimizer.param_groups
        tuned["lr"], head["lr"] = rate, rate * recipe.head_rate / recipe.learning_rate
        self._optimizer.step()
        return losses.sum().item(), weights.sum().item()

    def losses(self, batch: np.ndarray) -> torch.Tensor:
        """The loss of each of some examples; each is left out of what is known of its senses."""
        places = self._examples.places(batch)
        sense, right = self._examples.candidates[places.where], self._examples.right[places.where]
        itself = right & (self._known.seen[sense] > 0)
        usages, seen = self._known.usages[sense], self._known.seen[sense] - itself
        usages[itself] -= self._own[batch[places.owner[itself]]]
        usages[seen == 0] = 0
        count = self._known.occurrences[sense] - (itself & self._counted[batch][places.owner])
        queries = self.head.asked(self.encoder.forward(self._plan, batch))
        owner = torch.from_numpy(places.owner)
        vectors = self.head.senses(_tensor(self._known.definition[sense]), _tensor(usages))
        bias = self.head.bias(_tensor(count), _tensor(self._known.rank[sense]), _tensor(seen))
        scores = (queries[owner] * vectors).sum(1) + bias
        return candidate_losses(scores, owner, torch.from_numpy(places.rank), torch.from_numpy(right))

    def settle(self) -> None:
        """Leave training mode."""
        self.encoder.model.eval()

    def state(self) -> dict[str, torch.Tensor]:
        """Weights and moments."""
        return adam_state(self._parameters, self._optimizer)

    def load_state(self, tensors: dict[str, torch.Tensor]) -> None:
        """The inverse of :meth:`state`."""
        load_adam_state(self._parameters, self._optimizer, tensors)

    def weights(self) -> dict[str, torch.Tensor]:
        """The weights of what is trained."""
        return trained_weights(self.state())

    def load_weights(self, tensors: dict[str, torch.Tensor]) -> None:
        """The inverse of :meth:`weights`."""
        load_weights(self._parameters, tensors)

    def save(self, folder: Path) -> dict[str, Any]:
        """Write encoder and head."""
        _hf.save(self.encoder.model, self.encoder.tokenizer, folder / ENCODER)
        save_file(dict(self.head.state_dict()), folder / _HEAD)
        return {"head": {"scale": self.head.scale.exp().tolist(), "prior": self.head.prior.tolist()}}


def train_scorer(
    model: str,
    examples: Examples,
    own: np.ndarray,
    counted: np.ndarray,
    known: KnownSenses,
    senses: Sequence[str],
    *,
    folder: Path,
    about: Mapping[str, Any],
    recipe: ScorerRecipe | None = None,
    seed: int = 0,
    evaluate: Callable[[TrainableEncoder, ScorerHead], float] | None = None,
    tell: Callable[[str], None] = lambda _: None,
    **options: Any,
) -> None:
    """Train a scorer that starts from ``model`` into ``folder``; what is finished is not trained again.

    ``own`` ``(examples, dim)`` are the examples' vectors as they are in the sums of ``known``, ``counted``
    ``(examples,) bool`` says which are in its occurrences. ``senses`` are the ids of the rows of ``known``.
    """
    recipe = recipe or ScorerRecipe()
    if not len(examples):
        raise UserError("there is nothing to train on: no word has several candidates and a right one")
    encoder = TrainableEncoder(model, layers=recipe.layers, pool=recipe.pool)
    about = {
        "model": model,
        "fingerprint_before": encoder.fingerprint,
        **about,
        "examples": len(examples),
        "seed": seed,
        "recipe": asdict(recipe),
        "examples_digest": examples.digest(senses),
    }
    run = Run(folder, about, _IDENTITY, seed, tell=tell, **options)
    with alone(folder):
        if not run.finished:
            learner = ScorerLearner(encoder, examples, own, counted, known, recipe, seed=seed)
            tell(f"Training a scorer of senses from {model} on {len(examples):,} examples into {folder}")
            judge = (lambda: evaluate(encoder, learner.head)) if evaluate else None
            run.train(learner, recipe, evaluate=judge, save=lambda: learner.save(folder))


def open_head(folder: Path) -> ScorerHead:
    """The maps and weights of a trained scorer."""
    tensors = load_file(folder / _HEAD)
    head = ScorerHead(len(tensors["query.bias"]))
    head.load_state_dict(tensors)
    return head.eval()


@torch.inference_mode()
def weigh_senses(head: ScorerHead, known: KnownSenses) -> SenseWeights:
    """Senses as the head sees them."""
    vectors = []
    for first in range(0, len(known.seen), _SENSES):
        part = slice(first, first + _SENSES)
        vectors.append(head.senses(_tensor(known.definition[part]), _tensor(known.usages[part])).numpy())
    bias = head.bias(_tensor(known.occurrences), _tensor(known.rank), _tensor(known.seen))
    return SenseWeights(np.concatenate(vectors), bias.numpy())


@torch.inference_mode()
def queries_of(head: ScorerHead, vectors: np.ndarray) -> np.ndarray:
    """Words in context ``(n, dim)`` as the head asks about them: ``(n, dim) float32``."""
    return np.asarray(head.asked(torch.from_numpy(vectors)).numpy())


def _tensor(array: np.ndarray) -> torch.Tensor:
    return torch.from_numpy(np.ascontiguousarray(array, np.float32))


def _freeze(model: Any, layers: int) -> dict[str, nn.Parameter]:
    """Let the embeddings and the lowest ``layers`` be; return the parameters that are left, by name."""
    stack = max((part for part in model.modules() if isinstance(part, nn.ModuleList)), key=len)
    fixed = {id(each) for part in stack[:layers] for each in part.parameters()}
    fixed |= {id(each) for each in model.get_input_embeddings().parameters()}
    if layers:
        fixed |= {id(each) for name, each in model.named_parameters() if "embeddings" in name}
    for each in model.parameters():
        each.requires_grad_(id(each) not in fixed)
    return {name: each for name, each in model.named_parameters() if each.requires_grad}
