"""The rules of an evaluation by ranking, each a setting; the paper's two readings by name."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

__all__ = ["PROTOCOLS", "Protocol"]


@dataclass(frozen=True, kw_only=True)
class Protocol:
    """Which queries are asked, among which candidates, and how they are put into buckets."""

    name: str = "custom"
    database: tuple[str, ...] = ("train",)
    """Splits that neighbours come from (D)."""
    queries: tuple[str, ...] = ("dev", "test")
    """Splits that queries come from (Q)."""
    candidates: Literal["lemma", "lemma+pos"] = "lemma"
    """What a candidate shares with the query."""
    frequency: Literal["sense", "lemma"] = "sense"
    """Whose frequency in D the first axis of the buckets is."""
    frequency_edges: tuple[float, ...] = (500,)
    prevalence_edges: tuple[float, ...] = (0.25,)
    monosemous: Literal["drop", "keep"] = "drop"
    """What happens to senses that are the only one of their lemma and part of speech in D."""
    minimum: int = 5
    """Occurrences in D that a sense needs to be asked for."""
    excluded: frozenset[str] = frozenset()
    """Senses that are not asked for but stay in D, such as "none of the above"."""


PROTOCOLS = {
    "published": Protocol(name="published"),
    "stated": Protocol(name="stated", candidates="lemma+pos", frequency="lemma", monosemous="keep"),
}
"""``published`` is how the paper's numbers were made; ``stated`` is what its text says."""
