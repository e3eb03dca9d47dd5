"""Figures that the paper prints, for runs that measured the same thing."""

from __future__ import annotations

import tomllib
from dataclasses import replace
from functools import cache
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple

from uncommonsense.rank.evaluate import RankingResult
from uncommonsense.rank.protocol import PROTOCOLS, Protocol
from uncommonsense.rank.runs import Run

__all__ = ["Reference", "find_reference", "published_model"]


@cache
def _figures() -> dict[str, Any]:
    return tomllib.loads(Path(__file__).with_name("published.toml").read_text(encoding="utf-8"))


class Reference(NamedTuple):
    """What the paper prints about one corpus. Scores are fractions, by the label of the bucket."""

    corpus: str

    @property
    def _entry(self) -> dict[str, Any]:
        entry: dict[str, Any] = _figures()["corpora"][self.corpus]
        return entry

    @property
    def title(self) -> str:
        """The name of the corpus."""
        return str(self._entry["title"])

    @property
    def source(self) -> str:
        """Whom to cite."""
        return str(_figures()["source"])

    @property
    def queries(self) -> dict[str, int]:
        """Queries in each bucket."""
        return dict(zip(_figures()["columns"], self._entry["queries"], strict=True))

    def base(self, model: str | None, measure: str) -> dict[str, float]:
        """Tables 1a and 1b: a model as it is, ``random`` or ``oracle``; empty if the paper has no figure."""
        return _by_bucket(self._entry["base"].get(measure, {}).get(model, ()))

    def inoculated(self, model: str | None, measure: str) -> dict[str, float]:
        """Tables 1c and 1d: a model's best over the sizes of the fine-tuning sample."""
        return _by_bucket(self._entry["inoculated"].get(measure, {}).get(model, ()))

    def at_size(self, model: str | None, size: int, measure: str) -> dict[str, float]:
        """Appendix B: a model fine-tuned on ``size`` examples."""
        listed = self._entry["sizes"].get(measure, {}).get(model, ())
        by_size = dict(zip(_figures()["sizes"], listed, strict=False))
        return _by_bucket([by_size[size]] if size in by_size else ())


def _by_bucket(percent: Any) -> dict[str, float]:
    return {label: value / 100 for label, value in zip(_figures()["columns"], percent, strict=False)}


def find_reference(run: Run) -> Reference | None:
    """The paper's figures, if the run has its corpus and the rules by which they were made.

    A corpus is recognised by its registered name or by the number of usages in its database.
    """
    if _rules(run.queries.protocol) != _rules(PROTOCOLS["published"]):
        return None
    name = str(run.about["corpus"]).partition("?")[0]
    for corpus, entry in _figures()["corpora"].items():
        if name == corpus or run.queries.database == entry["database"]:
            return Reference(corpus)
    return None


def _rules(protocol: Protocol) -> Protocol:
    """Without what a user must supply: names of splits and senses."""
    return replace(protocol, name="", database=(), queries=(), excluded=frozenset())


def published_model(result: RankingResult) -> str | None:
    """The paper's name of the model, if vectors are made as there: last layer, mean of the pieces."""
    if result.system in ("random", "oracle"):
        return result.system
    settings = result.settings or {}
    as_there = {"layers": "last", "pool": "mean", "metric": "cosine"}
    if any(settings.get(name, value) != value for name, value in as_there.items()):
        return None
    return PurePosixPath(settings["model"]).name
