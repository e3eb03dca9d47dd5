"""Word vectors as a plain, unbatched script with transformers computes them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import torch


class PlainText(NamedTuple):
    """One text on its own: ``states`` ``(layers + 1, pieces, dim)`` and the word of each piece."""

    ids: list[int]
    words: list[int | None]
    states: torch.Tensor

    def rows(self, span: tuple[int, int]) -> list[int]:
        """The pieces of a target."""
        return [row for row, word in enumerate(self.words) if word is not None and span[0] <= word < span[1]]

    def vectors(self, span: tuple[int, int], pool: str = "mean") -> torch.Tensor:
        """A target's vector after every layer: ``(layers + 1, dim)``."""
        return pool_rows(self.states[:, self.rows(span)], pool)


def pool_rows(rows: torch.Tensor, pool: str) -> torch.Tensor:
    """``(layers + 1, pieces, dim)`` to ``(layers + 1, dim)``."""
    return {"mean": rows.mean(1), "first": rows[:, 0], "last": rows[:, -1]}[pool]


def tokenize(subject: Any, tokens: Sequence[str]) -> Any:
    """What transformers itself makes of split words."""
    lead = subject.family.plain_lead
    return subject.plain_tokenizer(
        [lead + token for token in tokens], is_split_into_words=True, return_tensors="pt"
    )


def read(subject: Any, tokens: Sequence[str]) -> PlainText:
    """Run one text through the model."""
    inputs = tokenize(subject, tokens)
    return PlainText(
        inputs["input_ids"][0].tolist(), inputs.word_ids(), hidden_states(subject.model, **inputs)
    )


def hidden_states(model: Any, **inputs: torch.Tensor) -> torch.Tensor:
    """Hidden states ``(layers + 1, pieces, dim)`` of a batch of one."""
    reader = model.get_encoder() if model.config.is_encoder_decoder else model
    with torch.no_grad():
        return torch.stack(reader(**inputs, output_hidden_states=True).hidden_states)[:, 0]
