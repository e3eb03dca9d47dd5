"""The most frequent sense of a training corpus."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Self

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from uncommonsense.errors import UnknownNameError, UserError
from uncommonsense.inventories.protocol import Inventory
from uncommonsense.schema import Corpus
from uncommonsense.wsd.back_off import BACK_OFFS, first_sense_where_silent
from uncommonsense.wsd.choices import Choices
from uncommonsense.wsd.saved import read_about, require_inventory, write_about
from uncommonsense.wsd.system import System

__all__ = ["MostFrequentSense", "count_senses"]

_FILE = "counts.parquet"


def count_senses(corpus: Corpus) -> Counter[str]:
    """How often each sense is right in ``corpus``; a word with several right senses counts for each."""
    return Counter(pc.list_flatten(corpus.instances["senses"]).to_pylist())


class MostFrequentSense(System):
    """The sense seen most often in training; among equals the first of the inventory.

    A word of which no sense was seen gets the inventory's first sense, or with ``back_off`` ``none`` no
    answer, as in the tables of FEWS.
    """

    name = "mfs"
    quick_to_fit = True
    """Counting takes no longer than reading the corpus, so an evaluation may do it when told on what."""

    def __init__(self, inventory: Inventory, *, back_off: str = "first-sense") -> None:
        super().__init__(inventory)
        if back_off not in BACK_OFFS:
            raise UnknownNameError("back-off of mfs", back_off, BACK_OFFS)
        self.back_off = back_off
        self.counts: Counter[str] | None = None
        self.corpus = ""

    def fit(self, corpus: Corpus) -> Self:
        """Count the senses of ``corpus``."""
        self.counts, self.corpus = count_senses(corpus), corpus.name
        if not self.counts:
            raise UserError(f"corpus {corpus.name!r} has no annotated senses to count")
        return self

    def scores(self, corpus: Corpus, choices: Choices) -> np.ndarray:
        """Occurrences in training; NaN for a sense that was not seen."""
        if self.counts is None:
            raise UserError("mfs has counted nothing yet; fit it on a corpus, or load a saved one")
        counts = np.array([self.counts[sense] or np.nan for sense in choices.senses], np.float64)
        scores = counts[choices.candidates]
        return first_sense_where_silent(scores, choices) if self.back_off == "first-sense" else scores

    def save(self, folder: Path) -> None:
        """Write ``counts.parquet`` (sense, count) and ``system.json``."""
        if self.counts is None:
            raise UserError("mfs has counted nothing yet: there is nothing to save")
        write_about(
            folder,
            self.name,
            inventory=self.inventory.name,
            corpus=self.corpus,
            options={"back_off": self.back_off},
        )
        columns = {"sense": list(self.counts), "count": list(self.counts.values())}
        pq.write_table(pa.table(columns), folder / _FILE, compression="zstd")

    @classmethod
    def load(cls, folder: Path, inventory: Inventory) -> Self:
        """The inverse of :meth:`save`."""
        about = read_about(folder)
        require_inventory(folder, about, inventory)
        system = cls(inventory, **about.get("options", {}))
        if not (folder / _FILE).is_file():
            raise UserError(f"{folder / _FILE}: no such file; the saved system is incomplete, fit it again")
        table = pq.read_table(folder / _FILE)
        pairs = zip(table["sense"].to_pylist(), table["count"].to_pylist(), strict=True)
        system.counts, system.corpus = Counter(dict(pairs)), about.get("corpus", "")
        return system
