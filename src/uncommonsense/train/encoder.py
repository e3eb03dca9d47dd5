"""An encoder whose vectors carry gradients."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from uncommonsense.encode import Encoder
from uncommonsense.encode.plan import Batch, Plan, make_plan
from uncommonsense.encode.pool import piece_rows
from uncommonsense.errors import UserError
from uncommonsense.schema import Corpus

__all__ = ["TrainableEncoder"]


class TrainableEncoder(Encoder):
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

    def forward(self, plan: Plan, targets: np.ndarray) -> torch.Tensor:
        """Vectors of some targets (``(n,) int64`` into the plan's), in their order: ``(n, dim)``."""
        units, row = np.unique(plan.target_unit[targets], return_inverse=True)
        ids, mask, segments = self._assemble(plan, Batch(units, targets))
        lead = len(self._tokenizer.frame.prefix)
        start = row * ids.shape[1] + lead + plan.target_start[targets]
        rows = piece_rows(start, plan.target_length[targets], self.pool)
        states = self._backbone.hidden_rows(ids, mask, segments, self.layers.indices, rows.rows)
        weights = self.layers.weights or (1.0,)
        pooled = [weight * rows.pool(state) for weight, state in zip(weights, states, strict=True)]
        return torch.stack(pooled).sum(0)
