"""Systems that belong together: the layers of a model, and its inoculated versions.

An inoculated model is recognised by its folder, ``.../MODEL/size-N/seed-S/model``.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from uncommonsense.rank.evaluate import RankingResult

__all__ = ["Variant", "inoculated", "layer_series", "plain_systems", "variant_of"]

_INOCULATED = re.compile(r"(?:^|.*[/\\])([^/\\]+)[/\\]size-(\d+)[/\\]seed-(\d+)(?:[/\\]model)?[/\\]?")
_LAYER = re.compile(r"(.+)@(\d+)")


class Variant(NamedTuple):
    """A model after a little training."""

    base: str
    """The model's name, as part of a path."""
    size: int
    """Examples it was trained on."""
    seed: int


def variant_of(result: RankingResult) -> Variant | None:
    """What the folder of an inoculated model says; None for another model."""
    settings = result.settings or {}
    found = _INOCULATED.fullmatch(settings.get("model", ""))
    if found is None:
        return None
    return Variant(found[1] + _manner(result), int(found[2]), int(found[3]))


def plain_systems(results: Sequence[RankingResult]) -> list[RankingResult]:
    """Systems that are not inoculated."""
    return [result for result in results if variant_of(result) is None]


def inoculated(results: Sequence[RankingResult]) -> dict[str, dict[int, list[RankingResult]]]:
    """Base model -> size -> one result a seed; size 0 is the base model itself, where the run has it."""
    groups: dict[str, dict[int, list[RankingResult]]] = {}
    for result in results:
        if variant := variant_of(result):
            groups.setdefault(variant.base, {}).setdefault(variant.size, []).append(result)
    for result in plain_systems(results):
        if (base := _path_part(result)) in groups:
            groups[base][0] = [result]
    return {base: dict(sorted(sizes.items())) for base, sizes in groups.items()}


def _path_part(result: RankingResult) -> str:
    """A hub id as the name of the folder below which its inoculated versions are, and how it was used."""
    model = (result.settings or {}).get("model", result.system)
    return re.sub(r"[^\w.-]+", "-", model).strip("-.") + _manner(result)


def _manner(result: RankingResult) -> str:
    """What a system's name says beyond its model's: layers, pool, metric."""
    return result.system.removeprefix((result.settings or {}).get("model", result.system))


def layer_series(results: Sequence[RankingResult]) -> dict[str, dict[int, RankingResult]]:
    """Model -> layer -> result, for models of which several single layers were measured."""
    series: dict[str, dict[int, RankingResult]] = {}
    for result in plain_systems(results):
        if found := _LAYER.fullmatch(result.system):
            series.setdefault(found[1], {})[int(found[2])] = result
    return {model: dict(sorted(layers.items())) for model, layers in series.items() if len(layers) > 1}
