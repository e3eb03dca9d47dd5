"""A lean forward pass for BERT-shaped encoders (post-norm, absolute positions) on a CPU.

The same arithmetic as the reference implementation with less traffic: one matrix product for queries,
keys and values; no mask where no text is padded; layers above the highest one asked for are not run;
in that highest layer, everything after attention is done for the rows that are kept only.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import torch
from torch.nn import functional

__all__ = ["FusedEncoder", "FusedLayer", "Norm"]


class Norm(NamedTuple):
    """A layer normalisation over the last axis."""

    weight: torch.Tensor
    bias: torch.Tensor
    epsilon: float

    def __call__(self, x: torch.Tensor) -> torch.Tensor:
        return functional.layer_norm(x, self.weight.shape, self.weight, self.bias, self.epsilon)


class FusedLayer(NamedTuple):
    """Weights of one layer; ``qkv`` is (3 * dim, dim), queries first."""

    qkv: torch.Tensor
    qkv_bias: torch.Tensor
    attention_out: torch.Tensor
    attention_out_bias: torch.Tensor
    attention_norm: Norm
    inner: torch.Tensor
    inner_bias: torch.Tensor
    outer: torch.Tensor
    outer_bias: torch.Tensor
    output_norm: Norm
    activation: Callable[[torch.Tensor], torch.Tensor]
    heads: int

    def attend(self, x: torch.Tensor, bias: torch.Tensor | None) -> torch.Tensor:
        """Self-attention of ``(batch, length, dim)``, before the output projection, as ``(batch * length, dim)``."""
        batch, length, dim = x.shape
        projected = functional.linear(x, self.qkv, self.qkv_bias)
        query, key, value = projected.view(batch, length, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        mixed = functional.scaled_dot_product_attention(query, key, value, attn_mask=bias)
        return mixed.transpose(1, 2).reshape(batch * length, dim)

    def finish(self, mixed: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
        """Everything after attention, row by row: ``mixed`` and the layer's input ``x``, both ``(rows, dim)``."""
        attended = functional.linear(mixed, self.attention_out, self.attention_out_bias).add_(x)
        attended = self.attention_norm(attended)
        inner = self.activation(functional.linear(attended, self.inner, self.inner_bias))
        return self.output_norm(functional.linear(inner, self.outer, self.outer_bias).add_(attended))


class FusedEncoder:
    """Embeddings and fused layers."""

    def __init__(self, embed: Callable[..., torch.Tensor], layers: Sequence[FusedLayer]) -> None:
        self._embed = embed
        self._layers = layers

    def hidden_rows(
        self,
        ids: torch.Tensor,
        mask: torch.Tensor | None,
        segments: torch.Tensor | None,
        wanted: Sequence[int],
        rows: torch.Tensor,
    ) -> list[torch.Tensor]:
        """Hidden states ``(rows, dim)`` after each wanted layer (ascending; 0 is the embedding layer).

        ``ids`` and ``segments`` are ``(batch, length)``; ``mask`` likewise, bool, False on padding, None if there is none;
        ``rows`` indexes the ``batch * length`` positions.
        """
        x = self._embed(input_ids=ids, token_type_ids=segments)
        batch, length, dim = x.shape
        bias = None
        if mask is not None:
            bias = torch.zeros(batch, 1, 1, length, dtype=x.dtype).masked_fill_(~mask[:, None, None, :], -torch.inf)
            bias = bias.expand(batch, 1, length, length)
        kept = [x.view(-1, dim)[rows]] if wanted[0] == 0 else []
        top = wanted[-1]
        for number, layer in enumerate(self._layers[:top], 1):
            mixed = layer.attend(x, bias)
            flat = x.view(-1, dim)
            if number == top:
                kept.append(layer.finish(mixed[rows], flat[rows]))
                break
            x = layer.finish(mixed, flat).view(batch, length, dim)
            if number in wanted:
                kept.append(x.view(-1, dim)[rows])
        return kept
