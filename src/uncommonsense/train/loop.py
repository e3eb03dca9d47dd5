"""Training in steps, whatever is trained; an interrupted run goes on bit by bit, inside an epoch too.

    FOLDER/losses.csv               epoch, step, loss, rate, score, seconds: ten rows or so per epoch
    FOLDER/checkpoint.safetensors   all that continuing needs
    FOLDER/best.safetensors         the weights with the best score so far, where there is a development set

All that is drawn at random in a step follows from the seed and the step's number.
"""

from __future__ import annotations

import json
import math
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import asdict, dataclass, field
from pathlib import Path
from types import FrameType
from typing import Any, NamedTuple, Protocol

import torch
from safetensors.torch import save_file

from uncommonsense.errors import UserError
from uncommonsense.train.checkpoint import reading_checkpoint
from uncommonsense.train.files import replacing
from uncommonsense.train.randomness import reseed, seeded
from uncommonsense.train.recipe import LoopRecipe
from uncommonsense.train.schedule import Schedule

__all__ = ["Learner", "Loop", "Position", "Progress", "Row"]

Progress = Callable[[str, float | None, str], AbstractContextManager[Callable[[float], None]]]
Tensors = dict[str, torch.Tensor]

_CHECKPOINT, _BEST, _LOSSES = "checkpoint.safetensors", "best.safetensors", "losses.csv"
_ROWS = 10
"""Of the loss curve, per epoch."""


class Learner(Protocol):
    """What is trained."""

    def batches(self, epoch: int) -> list[Any]:
        """What is learned from, step by step, in the epoch of this number."""

    def step(self, batch: Any, number: int, rate: float) -> tuple[float, float]:
        """Learn from a batch; the sum of its losses and of their weights."""

    def settle(self) -> None:
        """Be ready to be evaluated: an epoch is over."""

    def state(self) -> Tensors:
        """All that continuing needs."""

    def load_state(self, tensors: Tensors) -> None:
        """The inverse of :meth:`state`."""

    def weights(self) -> Tensors:
        """What has been learned."""

    def load_weights(self, tensors: Tensors) -> None:
        """The inverse of :meth:`weights`."""


class Row(NamedTuple):
    """A point of the loss curve."""

    epoch: int
    step: int
    loss: float
    """Mean since the row before, in nats, as the examples were met (with dropout)."""
    rate: float
    score: float | None
    """Of the development set, at the end of an epoch."""
    seconds: float
    """Since the beginning."""


@dataclass
class Position:
    """How far a run has come."""

    epoch: int = 1
    """The one that is under way."""
    batch: int = 0
    """Batches of it that are done."""
    step: int = 0
    """Steps done in all."""
    loss: float = 0.0
    weight: float = 0.0
    seconds: float = 0.0
    best: float | None = None
    best_epoch: int = 0
    curve: list[Row] = field(default_factory=list)

    def outcome(self) -> dict[str, Any]:
        """What a manifest says of the end."""
        return {
            "epochs_run": self.epoch - 1,
            "steps": self.step,
            "first_loss": self.curve[0].loss,
            "final_loss": self.curve[-1].loss,
            "best_score": self.best,
            "best_epoch": self.best_epoch or self.epoch - 1,
            "seconds": round(self.seconds, 3),
        }


class Loop:
    """Runs a learner through its epochs.

    ``evaluate`` gives the score of the development set, larger is better; the weights with the best one are
    those that stay. ``run`` names all that decides the outcome: the checkpoint of another run is refused.
    """

    def __init__(
        self,
        learner: Learner,
        recipe: LoopRecipe,
        folder: Path,
        *,
        run: str,
        seed: int = 0,
        evaluate: Callable[[], float] | None = None,
        tell: Callable[[str], None] = lambda _: None,
        checkpoint_minutes: float = 10.0,
    ) -> None:
        self._learner = learner
        self._recipe = recipe
        self._folder = folder
        self._run = run
        self._seed = seed
        self._evaluate = evaluate
        self._tell = tell
        self._pause = checkpoint_minutes * 60
        self._saved = time.monotonic()
        self.position = Position()
        batches = len(learner.batches(1))
        self.schedule = Schedule(recipe, recipe.epochs * batches)
        self._every = max(1, batches // _ROWS)

    @property
    def finished(self) -> bool:
        """Whether the epochs are used up, or the patience."""
        position, recipe = self.position, self._recipe
        done = position.epoch - 1
        waited = done - position.best_epoch if self._evaluate else 0
        return done >= recipe.epochs or 0 < recipe.patience <= waited

    def run(self, progress: Progress | None = None) -> Position:
        """Train until the end; return what came of it."""
        self._restore()
        self._announce()
        left = float(max(0, self.schedule.total - self.position.step))
        show = progress("Training", left, "steps") if progress else nullcontext(lambda _: None)
        with show as advance, _asked_to_stop(self._tell) as asked, seeded(self._seed):
            while not self.finished:
                self._run_epoch(advance, asked)
        if self.position.best_epoch not in (0, self.position.epoch - 1):
            with reading_checkpoint(self._folder / _BEST, self._run) as (weights, _):
                self._learner.load_weights(weights)
        return self.position

    def clean(self) -> None:
        """Remove what only an unfinished run needs."""
        for name in (_CHECKPOINT, _BEST):
            (self._folder / name).unlink(missing_ok=True)

    def _announce(self) -> None:
        schedule, position = self.schedule, self.position
        if position.step:
            self._tell(f"  going on in epoch {position.epoch}, after {position.step:,} steps")
        if schedule.shortened and self._recipe.warmup:
            self._tell(
                f"  a warm-up of {self._recipe.warmup:,} steps is longer than the training "
                f"({schedule.total:,}): it takes {schedule.warmup:,}"
            )
        self._begun = time.monotonic(), position.step

    def _run_epoch(self, advance: Callable[[float], None], asked: Callable[[], bool]) -> None:
        position = self.position
        batches = self._learner.batches(position.epoch)
        for batch in batches[position.batch :]:
            self._step(batch)
            advance(1)
            if position.batch == len(batches):
                break
            if position.batch % self._every == 0:
                self._add_row(None)
            self._save_if_due(asked)
        self._end_epoch()
        self._save_if_due(asked)

    def _step(self, batch: Any) -> None:
        position, began = self.position, time.monotonic()
        position.step += 1
        reseed(self._seed, position.step)
        loss, weight = self._learner.step(batch, position.step, self.schedule.rate(position.step))
        if not math.isfinite(loss):
            raise UserError(
                f"the loss of step {position.step} is {loss}; train with a lower learning rate, "
                "a longer warm-up or clipped gradients"
            )
        position.batch += 1
        position.loss += loss
        position.weight += weight
        position.seconds += time.monotonic() - began

    def _end_epoch(self) -> None:
        position = self.position
        self._learner.settle()
        score = self._evaluate() if self._evaluate else None
        if score is not None and (position.best is None or score > position.best):
            position.best, position.best_epoch = score, position.epoch
            with replacing(self._folder / _BEST) as part:
                save_file(self._learner.weights(), part, {"run": self._run})
        self._add_row(score)
        loss = position.curve[-1].loss
        mark = " (best so far)" if score is not None and position.best_epoch == position.epoch else ""
        scored = f", development {score:.4f}{mark}" if score is not None else ""
        self._tell(f"  epoch {position.epoch} of {self._recipe.epochs}: loss {loss:.4f}{scored}")
        position.epoch, position.batch = position.epoch + 1, 0

    def _add_row(self, score: float | None) -> None:
        position = self.position
        mean = position.loss / position.weight if position.weight else 0.0
        rate = self.schedule.rate(position.step)
        position.curve.append(Row(position.epoch, position.step, mean, rate, score, position.seconds))
        position.loss = position.weight = 0.0
        self._write_losses()
        if len(position.curve) == 1:
            self._estimate()

    def _estimate(self) -> None:
        began, first = self._begun
        speed = (self.position.step - first) / max(time.monotonic() - began, 1e-9)
        hours = (self.schedule.total - self.position.step) / speed / 3600
        left = f"{hours:.1f} hours" if hours >= 1 else f"{hours * 60:.1f} minutes"
        self._tell(f"  {speed:.2g} steps/s of {self.schedule.total:,}: done in {left} at most")

    def _write_losses(self) -> None:
        rows = [("" if value is None else repr(value) for value in row) for row in self.position.curve]
        lines = [",".join(Row._fields), *(",".join(row) for row in rows)]
        with replacing(self._folder / _LOSSES) as part:
            part.write_text("\n".join(lines) + "\n", encoding="utf-8")

    def _save_if_due(self, asked: Callable[[], bool]) -> None:
        stop = asked()
        if stop or time.monotonic() - self._saved >= self._pause:
            about = {"run": self._run, "position": json.dumps(asdict(self.position))}
            with replacing(self._folder / _CHECKPOINT) as part:
                save_file(self._learner.state(), part, about)
            self._saved = time.monotonic()
        if stop:
            raise KeyboardInterrupt

    def _restore(self) -> None:
        file = self._folder / _CHECKPOINT
        if not file.exists():
            return
        with reading_checkpoint(file, self._run) as (tensors, about):
            stored = about["position"]
            rows = [Row(*row) for row in stored.pop("curve")]
            self._learner.load_state(tensors)
            self.position = Position(**stored, curve=rows)


@contextmanager
def _asked_to_stop(tell: Callable[[str], None]) -> Iterator[Callable[[], bool]]:
    """Whether Ctrl-C was pressed: the step under way is finished first, unless it is pressed again."""
    asked: list[int] = []

    def note(number: int, frame: FrameType | None) -> None:
        if asked:
            signal.default_int_handler(number, frame)
        asked.append(number)
        tell("  stopping after this step; Ctrl-C once more stops at once")

    if threading.current_thread() is not threading.main_thread():
        yield lambda: False
        return
    before = signal.signal(signal.SIGINT, note)
    try:
        yield lambda: bool(asked)
    finally:
        signal.signal(signal.SIGINT, before)
