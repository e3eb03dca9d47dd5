"""The rules of an evaluation by ranking, each a setting; the paper's two readings by name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal

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
    query_size: int = 1
    """Usages a query is the mean of: its own, and others of its sense in Q, drawn by ``query_seed``."""
    query_seed: int = 0

    def as_json(self) -> dict[str, Any]:
        """The rules as plain JSON values."""
        return asdict(self) | {"excluded": sorted(self.excluded)}

    @classmethod
    def from_json(cls, rules: Mapping[str, Any]) -> Protocol:
        """The inverse of :meth:`as_json`."""
        values: dict[str, Any] = {k: tuple(v) if isinstance(v, list | tuple) else v for k, v in rules.items()}
        return cls(**{**values, "excluded": frozenset(values["excluded"])})


PROTOCOLS = {
    "published": Protocol(name="published"),
    "stated": Protocol(name="stated", candidates="lemma+pos", frequency="lemma", monosemous="keep"),
}
"""``published`` is how the paper's numbers were made; ``stated`` is what its text says."""
