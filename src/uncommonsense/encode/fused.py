"""A lean forward pass for BERT-shaped encoders (post-norm, absolute positions) on a CPU.

The same arithmetic as the reference implementation with less traffic: one matrix product for queries,
keys and values; no mask where no text is padded; layers above the highest one asked for are not run;
in that highest layer, everything after attention is done for the rows that are kept only.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

import torch
from torch import nn
from torch.nn import functional

from uncommonsense.encode.precision import Int8Linear

__all__ = ["FusedEncoder", "FusedLayer", "stack_linears"]

Map = Callable[[torch.Tensor], torch.Tensor]
"""Works on the last axis."""


def stack_linears(linears: Sequence[Any]) -> Map:
    """One map whose output is the outputs of all, one after the other."""
    if all(type(linear) is nn.Linear for linear in linears):
        weight = torch.cat([linear.weight.detach() for linear in linears])
        return partial(
            functional.linear, weight=weight, bias=torch.cat([linear.bias.detach() for linear in linears])
        )
    if all(isinstance(linear, Int8Linear) for linear in linears):
        return Int8Linear.stack(linears)
    # Something else has taken their place, an adapter for example.
    return lambda x: torch.cat([linear(x) for linear in linears], dim=-1)


class FusedLayer(NamedTuple):
    """The maps of one layer; ``qkv`` is (dim) to (3 * dim), queries first."""

    qkv: Map
    attention_out: Map
    attention_norm: Map
    inner: Map
    activation: Map
    outer: Map
    output_norm: Map
    heads: int

    def attend(self, x: torch.Tensor, bias: torch.Tensor | None) -> torch.Tensor:
        """Self-attention of ``(batch, length, dim)``, not yet projected: ``(batch * length, dim)``."""
        batch, length, dim = x.shape
        query, key, value = self.qkv(x).view(batch, length, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        mixed = functional.scaled_dot_product_attention(query, key, value, attn_mask=bias)
        return mixed.transpose(1, 2).reshape(batch * length, dim)

    def finish(self, mixed: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
        """Everything after attention, row by row: ``mixed`` and the layer's input, both ``(rows, dim)``."""
        attended = self.attention_norm(self.attention_out(mixed).add_(x))
        inner = self.activation(self.inner(attended))
        return self.output_norm(self.outer(inner).add_(attended))


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

        ``ids`` and ``segments`` are ``(batch, length)``; ``mask`` likewise, bool, False on padding, None if
        there is none; ``rows`` indexes the ``batch * length`` positions.
        """
        x = self._embed(input_ids=ids, token_type_ids=segments)
        batch, length, dim = x.shape
        bias = None
        if mask is not None:
            bias = torch.zeros(batch, length, dtype=x.dtype).masked_fill_(~mask, -torch.inf)
            bias = bias[:, None, None].expand(batch, 1, length, length)
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
