"""From the hidden rows of a target's pieces to one vector."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from uncommonsense.errors import UnknownNameError

if TYPE_CHECKING:
    import torch

__all__ = ["POOLS", "PieceRows", "piece_rows"]

POOLS = ("mean", "first", "last")


class PieceRows:
    """The rows of a batch's targets in its flattened hidden states, and how to pool them."""

    def __init__(self, rows: torch.Tensor, segments: torch.Tensor | None, counts: torch.Tensor) -> None:
        self.rows = rows
        """``(pieces,) int64`` into the ``(batch * length)`` positions."""
        self._segments = segments
        self._counts = counts

    def pool(self, hidden: torch.Tensor) -> torch.Tensor:
        """Pool ``(pieces, dim)`` hidden rows, already gathered, to ``(targets, dim)`` float32."""
        hidden = hidden.float()
        if self._segments is None:
            return hidden
        sums = hidden.new_zeros(len(self._counts), hidden.shape[1]).index_add_(0, self._segments, hidden)
        return sums / self._counts[:, None]


def piece_rows(start: np.ndarray, length: np.ndarray, pool: str) -> PieceRows:
    """Rows for targets that begin at flat position ``start`` and have ``length`` pieces each."""
    import torch

    if pool not in POOLS:
        raise UnknownNameError("pooling", pool, POOLS)
    if pool != "mean" or not len(length) or length.max() == 1:
        rows = start + length - 1 if pool == "last" else start
        return PieceRows(torch.from_numpy(rows), None, torch.ones(len(rows)))
    ends = np.cumsum(length)
    rows = np.arange(ends[-1]) + np.repeat(start - (ends - length), length)
    segments = np.repeat(np.arange(len(length)), length)
    return PieceRows(torch.from_numpy(rows), torch.from_numpy(segments), torch.from_numpy(length).float())
