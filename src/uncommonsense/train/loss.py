"""Cross-entropy over candidates, of which each example has its own number."""

from __future__ import annotations

import torch

__all__ = ["candidate_losses"]


def candidate_losses(
    scores: torch.Tensor, owner: torch.Tensor, rank: torch.Tensor, right: torch.Tensor
) -> torch.Tensor:
    """Minus the log probability that a right candidate is chosen: ``(examples,)``.

    All arguments are ``(places,)``: scores, whose candidates they are, their place among those of their
    owner, and whether they are right.
    """
    shape = int(owner.max()) + 1, int(rank.max()) + 1
    table = scores.new_full(shape, -torch.inf).index_put((owner, rank), scores)
    wrong = torch.ones(shape, dtype=torch.bool).index_put((owner, rank), ~right)
    return table.logsumexp(1) - table.masked_fill(wrong, -torch.inf).logsumexp(1)
