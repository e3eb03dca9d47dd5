"""What is answered where a system has no opinion."""

from __future__ import annotations

import numpy as np

from uncommonsense.wsd.choices import Choices

__all__ = ["BACK_OFFS", "first_sense_where_silent", "silent"]

BACK_OFFS = ("first-sense", "none")
"""What systems take for ``back_off``."""


def silent(scores: np.ndarray, choices: Choices) -> np.ndarray:
    """Instances of which no candidate has a score: ``(instances,) bool``."""
    spoken = np.bincount(choices.instance, ~np.isnan(scores), minlength=len(choices.sizes))
    return np.asarray(spoken == 0)


def first_sense_where_silent(scores: np.ndarray, choices: Choices) -> np.ndarray:
    """``scores`` ``(places,)``, with the order of the inventory where an instance has none."""
    return np.where(silent(scores, choices)[choices.instance], -choices.rank.astype(float), scores)
