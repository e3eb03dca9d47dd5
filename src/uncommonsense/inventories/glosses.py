"""What a sense id means, whichever of the inventories at hand it belongs to."""

from __future__ import annotations

from collections.abc import Callable

from uncommonsense.errors import MissingResourceError
from uncommonsense.inventories import Inventory, open_inventory

__all__ = ["gloss_finder"]


def gloss_finder(*specs: str) -> Callable[[str], str]:
    """A function from sense ids to glosses; the empty string where no inventory knows the id.

    ``specs`` are inventories to ask first; WordNet (if it has been fetched) and the sampler's
    prepositions are always asked.
    """
    inventories: list[Inventory] = []
    for spec in (*specs, "wordnet", "sampler"):
        try:
            inventories.append(open_inventory(spec))
        except MissingResourceError:
            if spec in specs:
                raise
    return lambda sense: next((source.gloss(sense) for source in inventories if sense in source), "")
