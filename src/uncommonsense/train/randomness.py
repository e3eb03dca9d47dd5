"""Random numbers that follow from a seed and a place in the training, and from nothing else."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import torch

__all__ = ["reseed", "seeded"]


@contextmanager
def seeded(seed: int, *place: int) -> Iterator[None]:
    """Seed torch's generator by the seed and the place; afterwards it is as it was."""
    with torch.random.fork_rng(devices=[]):
        reseed(seed, *place)
        yield


def reseed(seed: int, *place: int) -> None:
    """Seed torch's generator by the seed and the place."""
    torch.manual_seed(int(np.random.SeedSequence([seed, *place]).generate_state(1, np.uint64)[0]))
