"""The gloss bi-encoder (BEM): a word in context and its candidates' glosses, compared by dot product.

    FOLDER/context/, gloss/    the encoders (see two_encoders)
    FOLDER/manifest.json       what was trained, on what, how, and what came of it
    FOLDER/losses.csv          the loss curve

A folder with a manifest is finished.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch

from uncommonsense.encode.pool import POOLS
from uncommonsense.errors import UserError
from uncommonsense.train.checkpoint import (
    adam_state,
    load_adam_state,
    load_weights,
    trained_weights,
)
from uncommonsense.train.encoder import TrainableEncoder
from uncommonsense.train.examples import Examples
from uncommonsense.train.files import alone
from uncommonsense.train.loss import candidate_losses
from uncommonsense.train.recipe import LoopRecipe
from uncommonsense.train.runs import Run
from uncommonsense.train.two_encoders import Reading, TwoEncoders

__all__ = ["BiEncoderLearner", "BiEncoderRecipe", "Glosses", "train_biencoder"]

_PRECISIONS = {"fp32": None, "bf16": torch.bfloat16, "fp16": torch.float16}
_BUDGET = {"cpu": 1024, "cuda": 16384}
"""Pieces in one pass."""
_SCALER, _SCALE = "scaler", ("scale", "_growth_tracker")
_IDENTITY = ("fingerprints_before", "examples_digest", "recipe", "seed", "development")


@dataclass(frozen=True)
class BiEncoderRecipe(LoopRecipe):
    """How the bi-encoder is trained; the defaults are those of FEWS, and of BEM's code where it is silent."""

    learning_rate: float = 5e-6
    warmup: int = 10_000
    decay: str = "linear"
    context_batch: int = 4
    """Sentences per step, with all their targets."""
    gloss_batch: int = 256
    """Distinct glosses per pass; the targets of a batch with more are divided over several."""
    accumulate: int = 1
    """Passes per step of the optimiser."""
    clip: float = 1.0
    """Largest norm of the gradient; 0: it is left as it is."""
    weight_decay: float = 0.0
    dropout: bool = True
    tied: bool = False
    """One encoder for both."""
    freeze: str = ""
    """``context`` or ``gloss``: that encoder is not trained, and its vectors are made once."""
    layers: str = "last"
    pool: str = "mean"
    gloss_pool: str = "first"
    context_length: int = 128
    gloss_length: int = 32
    precision: str = "auto"
    """``fp32``, or mixed with ``bf16`` or ``fp16`` on a GPU; ``auto``: the best that the device has."""

    def __post_init__(self) -> None:
        super().__post_init__()
        self._at_least(1, "context_batch", "gloss_batch", "accumulate")
        self._at_least(0, "clip", "weight_decay")
        self._one_of("freeze", ("", "context", "gloss"))
        self._one_of("gloss_pool", POOLS)
        self._one_of("precision", ("auto", *_PRECISIONS))
        if self.tied and self.freeze:
            raise UserError(f"encoders that are tied cannot be frozen one by one (freeze {self.freeze!r})")

    @property
    def reading(self) -> Reading:
        """How the encoders read."""
        return Reading(self.layers, self.pool, self.gloss_pool, self.context_length, self.gloss_length)


@dataclass(frozen=True)
class Glosses:
    """Distinct texts, and which of them defines each sense."""

    texts: Sequence[str]
    of_sense: np.ndarray
    """``(senses,) int64``"""

    @classmethod
    def of(cls, texts: Sequence[str]) -> Glosses:
        """From the text of each sense."""
        distinct = {text: number for number, text in enumerate(dict.fromkeys(texts))}
        return cls(tuple(distinct), np.array([distinct[text] for text in texts], np.int64))


class BiEncoderLearner:
    """Both encoders, what they learn from, and the optimiser."""

    def __init__(
        self,
        encoders: TwoEncoders,
        examples: Examples,
        glosses: Glosses,
        recipe: BiEncoderRecipe,
        *,
        seed: int,
    ) -> None:
        self.encoders = encoders
        self._examples = examples
        self._gloss = glosses.of_sense[examples.candidates]
        self._recipe = recipe
        self._seed = seed
        device = encoders.context.device.type
        self._budget = _BUDGET.get(device, _BUDGET["cuda"])
        self.precision = _precision(recipe.precision, device)
        self._scaler = torch.amp.GradScaler(device, enabled=self.precision == "fp16")
        plans = encoders.context.lay_out(examples.corpus), encoders.gloss.lay_out_texts(glosses.texts)
        self._context_plan, self._gloss_plan = plans
        self._frozen = self._encode_frozen()
        self._parameters = encoders.parameters(frozen=recipe.freeze)
        self._optimizer = torch.optim.AdamW(
            self._parameters.values(),
            lr=recipe.learning_rate,
            betas=(recipe.beta1, recipe.beta2),
            eps=recipe.epsilon,
            weight_decay=recipe.weight_decay,
            fused=True,
        )

    def batches(self, epoch: int) -> list[list[np.ndarray]]:
        """Steps, of passes, of examples; sentences in an order of its own for each epoch."""
        rows = self._examples.corpus.rows
        by_sentence = np.argsort(rows, kind="stable")
        sentences = np.split(by_sentence, np.flatnonzero(np.diff(rows[by_sentence])) + 1)
        order = np.random.default_rng([self._seed, epoch]).permutation(len(sentences))
        size, passes = self._recipe.context_batch, []
        for first in range(0, len(order), size):
            members = np.concatenate([sentences[number] for number in order[first : first + size]])
            passes += self._divide(members)
        together = self._recipe.accumulate
        return [passes[first : first + together] for first in range(0, len(passes), together)]

    def step(self, batch: list[np.ndarray], number: int, rate: float) -> tuple[float, float]:
        """Learn from a list of passes."""
        del number
        recipe = self._recipe
        weight = float(sum(self._examples.weights[rows].sum() for rows in batch))
        for encoder in self._trained():
            encoder.model.train(recipe.dropout)
        self._optimizer.zero_grad()
        total = 0.0
        for rows in batch:
            loss = self.loss(rows)
            self._scaler.scale(loss / weight).backward()  # type: ignore[no-untyped-call]
            total += loss.item()
        if recipe.clip:
            self._scaler.unscale_(self._optimizer)
            torch.nn.utils.clip_grad_norm_(self._parameters.values(), recipe.clip)
        for group in self._optimizer.param_groups:
            group["lr"] = rate
        self._scaler.step(self._optimizer)
        self._scaler.update()
        return total, weight

    def loss(self, rows: np.ndarray) -> torch.Tensor:
        """The sum of the weighted losses of some examples; each distinct gloss is read once."""
        places = self._examples.places(rows)
        glosses, of_place = np.unique(self._gloss[places.where], return_inverse=True)
        with self._mixed():
            context = self._vectors("context", rows)
            gloss = self._vectors("gloss", glosses)
        owner = torch.from_numpy(places.owner)
        scores = (context @ gloss.T)[owner, torch.from_numpy(of_place)]
        right = torch.from_numpy(self._examples.right[places.where])
        losses = candidate_losses(scores, owner, torch.from_numpy(places.rank), right)
        return (losses * torch.from_numpy(self._examples.weights[rows])).sum()

    def settle(self) -> None:
        """Leave training mode."""
        for encoder in self._trained():
            encoder.model.eval()

    def state(self) -> dict[str, torch.Tensor]:
        """Weights and moments of what is trained, and the scale of mixed precision."""
        state = self._scaler.state_dict()
        scale = torch.tensor([state.get(name, 0.0) for name in _SCALE], dtype=torch.float64)
        return {**adam_state(self._parameters, self._optimizer), _SCALER: scale}

    def load_state(self, tensors: dict[str, torch.Tensor]) -> None:
        """The inverse of :meth:`state`."""
        load_adam_state(self._parameters, self._optimizer, tensors)
        if state := self._scaler.state_dict():
            scale, tracker = tensors[_SCALER].tolist()
            self._scaler.load_state_dict(state | dict(zip(_SCALE, (scale, int(tracker)), strict=True)))

    def weights(self) -> dict[str, torch.Tensor]:
        """The weights of what is trained."""
        return trained_weights(adam_state(self._parameters, self._optimizer))

    def load_weights(self, tensors: dict[str, torch.Tensor]) -> None:
        """The inverse of :meth:`weights`."""
        load_weights(self._parameters, tensors)

    def _trained(self) -> list[TrainableEncoder]:
        parts = {"context": self.encoders.context, "gloss": self.encoders.gloss}
        return [encoder for part, encoder in parts.items() if part != self._recipe.freeze]

    def _vectors(self, part: str, rows: np.ndarray) -> torch.Tensor:
        """Of examples (``context``) or texts (``gloss``): ``(rows, dim)``."""
        if part == self._recipe.freeze:
            return self._frozen[torch.from_numpy(rows)]
        if part == "context":
            return self.encoders.context.forward_by_length(self._context_plan, rows, self._budget)
        return self.encoders.gloss.forward_by_length(self._gloss_plan, rows, self._budget)

    def _encode_frozen(self) -> torch.Tensor:
        """All vectors of the encoder that is not trained; none where both are."""
        if self._recipe.freeze == "context":
            return torch.from_numpy(self.encoders.context.vectors(self._context_plan))
        if self._recipe.freeze == "gloss":
            return torch.from_numpy(self.encoders.gloss.vectors(self._gloss_plan))
        return torch.empty(0)

    def _divide(self, rows: np.ndarray) -> list[np.ndarray]:
        """Cut a batch so that no part has more than ``gloss_batch`` distinct glosses, an example at least."""
        offsets, parts, seen = self._examples.offsets, [0], set[int]()
        for place, row in enumerate(rows):
            own = set(self._gloss[offsets[row] : offsets[row + 1]].tolist())
            if place > parts[-1] and len(seen | own) > self._recipe.gloss_batch:
                parts.append(place)
                seen = set()
            seen |= own
        return np.split(rows, parts[1:])

    def _mixed(self) -> AbstractContextManager[Any]:
        dtype = _PRECISIONS[self.precision]
        return torch.autocast(self.encoders.context.device.type, dtype) if dtype else nullcontext()


def train_biencoder(
    model: str,
    examples: Examples,
    senses: Sequence[str],
    glosses: Sequence[str],
    *,
    folder: Path,
    about: Mapping[str, Any],
    recipe: BiEncoderRecipe | None = None,
    seed: int = 0,
    evaluate: Callable[[TwoEncoders], float] | None = None,
    device: str | None = None,
    tell: Callable[[str], None] = lambda _: None,
    **options: Any,
) -> None:
    """Train a bi-encoder that starts from ``model`` into ``folder``; what is finished is not trained again.

    ``senses`` are the ids and ``glosses`` the texts of the senses that ``examples`` number. ``about`` goes
    into the manifest; its ``development`` names the development set. ``evaluate`` scores the encoders.
    ``options`` are those of :class:`Run`: ``progress``, ``checkpoint_minutes``.
    """
    recipe = recipe or BiEncoderRecipe()
    _require_examples(examples)
    encoders = TwoEncoders.open(model, recipe.reading, tied=recipe.tied)
    meanings = [f"{sense}\t{gloss}" for sense, gloss in zip(senses, glosses, strict=True)]
    about = {
        "model": model,
        "fingerprints_before": encoders.fingerprints,
        **about,
        "examples": len(examples),
        "sentences": len(np.unique(examples.corpus.rows)),
        "seed": seed,
        "recipe": asdict(recipe),
        "examples_digest": examples.digest(meanings),
    }
    run = Run(folder, about, _IDENTITY, seed, tell=tell, **options)
    with alone(folder):
        if not run.finished:
            encoders.move(device or ("cuda" if torch.cuda.is_available() else "cpu"))
            learner = BiEncoderLearner(encoders, examples, Glosses.of(glosses), recipe, seed=seed)
            tell(_announcement(about, learner, folder))
            judge = (lambda: evaluate(encoders)) if evaluate else None
            run.train(learner, recipe, evaluate=judge, save=lambda: _save(learner, folder))


def _save(learner: BiEncoderLearner, folder: Path) -> dict[str, str]:
    learner.encoders.save(folder)
    return {"device": learner.encoders.context.device.type, "precision": learner.precision}


def _require_examples(examples: Examples) -> None:
    if not len(examples):
        raise UserError(
            "there is nothing to train the bi-encoder on: no word of the corpus has several candidates and a "
            "right one in the inventory; is it the inventory of this corpus?"
        )
    if not examples.corpus.has_words:
        raise UserError(
            f"corpus {examples.corpus.name!r} holds labels without words, which no model can read"
        )


def _announcement(about: Mapping[str, Any], learner: BiEncoderLearner, folder: Path) -> str:
    frozen = f", {about['recipe']['freeze']} frozen" if about["recipe"]["freeze"] else ""
    kind = "tied" if learner.encoders.tied else "two encoders"
    return (
        f"Training a bi-encoder from {about['model']} ({kind}{frozen}, {learner.precision}) on "
        f"{about['examples']:,} examples in {about['sentences']:,} sentences into {folder}"
    )


def _precision(wanted: str, device: str) -> str:
    if wanted == "auto":
        if device != "cuda":
            return "fp32"
        return "bf16" if torch.cuda.is_bf16_supported() else "fp16"
    if wanted != "fp32" and device == "cpu":
        raise UserError(f"mixed precision ({wanted}) needs a GPU; train with precision fp32 here")
    return wanted
