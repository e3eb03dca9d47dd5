"""Encoders whose vectors carry gradients, and which read no more at once than they are told to."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from functools import cached_property, partial
from typing import Any, Self

import numpy as np
import torch

from uncommonsense.encode import Encoder
from uncommonsense.encode._hf import Backbone
from uncommonsense.encode.parallel import side_by_side
from uncommonsense.encode.plan import Batch, Plan, make_plan
from uncommonsense.encode.pool import piece_rows
from uncommonsense.errors import UserError
from uncommonsense.schema import Corpus

__all__ = ["LimitedEncoder", "TrainableEncoder"]


class LimitedEncoder(Encoder):
    """An :class:`Encoder` that can be told to read fewer pieces at once than its model could."""

    _length = 0

    def read_at_most(self, length: int) -> Self:
        """Read at most so many pieces at once, special tokens counted."""
        frame = self._tokenizer.frame
        if length <= len(frame.prefix) + len(frame.suffix):
            raise UserError(f"a length of {length} leaves no room between this model's special tokens")
        self._length = length
        self._backbone.limit = min(self._backbone.limit, length)
        return self

    @cached_property
    def fingerprint(self) -> str:
        """That of the encoder, and the length if it is limited."""
        whole = super().fingerprint
        return hashlib.sha256(f"{whole} {self._length}".encode()).hexdigest()[:32] if self._length else whole


class TrainableEncoder(LimitedEncoder):
    """Reads targets as :class:`Encoder` does, through the model's own forward pass."""

    model: Any

    def _set_up(self, model: Any, tokenizer: Any, **options: Any) -> None:
        super()._set_up(model, tokenizer, **options)
        if self.layers.stacked:
            raise UserError(
                f"layers {self.layers} are kept apart; training needs one vector, such as mean:4-6"
            )
        self._backbone = self._source  # the lean pass has no dropout
        self.model = model
        self.tokenizer = tokenizer

    @property
    def dim(self) -> int:
        """Length of a vector."""
        return self._backbone.dim

    def lay_out(self, corpus: Corpus) -> Plan:
        """The pieces of all instances' sentences, and where the targets are."""
        sentences, sentence = np.unique(corpus.rows, return_inverse=True)
        tokens = corpus.sentences["tokens"].take(sentences).to_pylist()
        spans = (np.asarray(corpus.instances[name], np.int64) for name in ("start", "end"))
        targets = np.column_stack([sentence, *spans])
        lengths = np.array([len(words) for words in tokens], np.int64)
        if not np.all((targets[:, 1] < targets[:, 2]) & (targets[:, 2] <= lengths[sentence])):
            raise UserError(f"a span of {corpus.name!r} is not inside its sentence; see 'corpus validate'")
        frame = self._tokenizer.frame
        return make_plan(
            self._pieces.table([word for words in tokens for word in words]),
            np.concatenate(([0], np.cumsum(lengths))),
            targets,
            limit=self._backbone.limit - len(frame.prefix) - len(frame.suffix),
            unknown=self._tokenizer.unknown,
        )

    def lay_out_texts(self, texts: Sequence[str]) -> Plan:
        """The pieces of whole texts, cut off where they are too long; special tokens are part of a target."""
        frame = self._tokenizer.frame
        extra = len(frame.prefix) + len(frame.suffix)
        words = [text.split() for text in texts]
        table = self._pieces.table([word for text in words for word in text])
        start = table.offsets[np.concatenate(([0], np.cumsum([len(text) for text in words], dtype=np.int64)))]
        length = np.minimum(np.diff(start), self._backbone.limit - extra)
        if len(texts) and not (length + extra).min():
            raise UserError("a text without words cannot be read by a model that has no special tokens")
        lead = np.full(len(texts), -len(frame.prefix))
        return Plan(table.ids, start[:-1], length, np.arange(len(texts)), lead, length + extra)

    def forward(self, plan: Plan, targets: np.ndarray) -> torch.Tensor:
        """Vectors of some targets (``(n,) int64`` into the plan's), in their order: ``(n, dim)``."""
        return self._forward(self._backbone, plan, targets)

    def forward_by_length(self, plan: Plan, targets: np.ndarray, budget: int) -> torch.Tensor:
        """As :meth:`forward`, in passes of texts of like length, at most ``budget`` pieces each."""
        units, unit = np.unique(plan.target_unit[targets], return_inverse=True)
        part = Plan(
            plan.pieces,
            plan.unit_start[units],
            plan.unit_length[units],
            unit,
            plan.target_start[targets],
            plan.target_length[targets],
        )
        batches = list(part.batches(budget))
        vectors = torch.cat([self.forward(part, batch.targets) for batch in batches])
        order = np.argsort(np.concatenate([batch.targets for batch in batches]))
        return vectors[torch.from_numpy(order)]

    def vectors(self, plan: Plan, *, advance: Callable[[float], None] = lambda _: None) -> np.ndarray:
        """Vectors of all targets without gradients, by the lean pass on a CPU: ``(targets, dim) float32``."""
        self.model.eval()
        backbone = Backbone(self.model) if self.device.type == "cpu" else self._backbone
        out = np.empty((len(plan.target_unit), self.dim), np.float32)
        batches = list(plan.batches(self.batch_tokens))
        work = partial(self._infer, backbone, plan)
        for batch, found in zip(batches, side_by_side(work, batches), strict=True):
            out[batch.targets] = found
            advance(len(batch.targets))
        return out

    @property
    def device(self) -> torch.device:
        """Where the weights are."""
        device: torch.device = next(iter(self.model.parameters())).device
        return device

    def _infer(self, backbone: Backbone, plan: Plan, batch: Batch) -> np.ndarray:
        with torch.inference_mode():
            return self._forward(backbone, plan, batch.targets).numpy()

    def _forward(self, backbone: Backbone, plan: Plan, targets: np.ndarray) -> torch.Tensor:
        """On whatever device the weights are; the vectors come back from there."""
        units, row = np.unique(plan.target_unit[targets], return_inverse=True)
        ids, *rest = self._assemble(plan, Batch(units, targets))
        mask, segments = (None if each is None else each.to(self.device) for each in rest)
        lead = len(self._tokenizer.frame.prefix)
        start = row * ids.shape[1] + lead + plan.target_start[targets]
        rows = piece_rows(start, plan.target_length[targets], self.pool)
        states = backbone.hidden_rows(
            ids.to(self.device), mask, segments, self.layers.indices, rows.rows.to(self.device)
        )
        weights = self.layers.weights or (1.0,)
        pooled = [weight * rows.pool(state.cpu()) for weight, state in zip(weights, states, strict=True)]
        return torch.stack(pooled).sum(0)
