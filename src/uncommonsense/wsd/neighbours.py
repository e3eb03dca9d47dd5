"""Disambiguation by similar usages: k nearest neighbours, and the centroid of each sense."""

from __future__ import annotations

from abc import abstractmethod
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from uncommonsense.encode import Encoder, encode_corpus
from uncommonsense.encode.corpus import Progress
from uncommonsense.encode.layers import one_vector
from uncommonsense.errors import UnknownNameError, UserError
from uncommonsense.inventories.protocol import Inventory
from uncommonsense.rank.neighbours import dot_products, normalised, rank_neighbours
from uncommonsense.rank.protocol import Protocol
from uncommonsense.rank.selection import Selection
from uncommonsense.schema import Corpus
from uncommonsense.wsd.back_off import BACK_OFFS, first_sense_where_silent
from uncommonsense.wsd.choices import Choices
from uncommonsense.wsd.definitions import definition_corpus
from uncommonsense.wsd.saved import read_about, require_inventory, write_about
from uncommonsense.wsd.system import System
from uncommonsense.wsd.vectors import Usages, encode_usages, word_of

__all__ = ["Centroids", "Neighbours"]

_PLACES = 65_536
"""Candidates whose vectors are compared at once."""


class _BySimilarity(System):
    """What systems that compare vectors share: an encoder, known usages, the back-off."""

    def __init__(
        self,
        inventory: Inventory,
        *,
        model: str = "minilm",
        layers: str = "last",
        definitions: bool = False,
        back_off: str = "first-sense",
        encoder: Encoder | None = None,
        progress: Progress | None = None,
    ) -> None:
        super().__init__(inventory)
        if back_off not in BACK_OFFS:
            raise UnknownNameError(f"back-off of {self.name}", back_off, BACK_OFFS)
        self.encoder = encoder or Encoder(model, layers=one_vector(layers))
        self.definitions = definitions
        self.back_off = back_off
        self.progress = progress
        self.usages: Usages | None = None
        self.corpus = ""

    @property
    def options(self) -> dict[str, Any]:
        """What the system was made with, as the constructor takes it."""
        return {
            "model": self.encoder.name,
            "layers": str(self.encoder.layers),
            "definitions": self.definitions,
            "back_off": self.back_off,
        }

    def fit(self, corpus: Corpus) -> Self:
        """Keep the vectors of the annotated words of ``corpus``."""
        self.usages = encode_usages(self.encoder, corpus, progress=self.progress)
        self.corpus = corpus.name
        return self

    def scores(self, corpus: Corpus, choices: Choices) -> np.ndarray:
        """Similarities; the inventory's order where no candidate has one: ``(places,) float64``."""
        vectors = encode_corpus(self.encoder, corpus, progress=self.progress).matrix
        found = self.similarities(vectors, word_of(corpus), choices, self._known(choices))
        return first_sense_where_silent(found, choices) if self.back_off == "first-sense" else found

    def _known(self, choices: Choices) -> Usages:
        """Usages of the candidates' words; with ``definitions`` those too, as usages of their own senses."""
        if self.usages is None:
            raise UserError(f"{self.name} has learned nothing yet; fit it on a corpus, or load a saved one")
        if not self.definitions:
            return self.usages
        defined = definition_corpus(self.inventory, choices.senses)
        return self.usages.and_also(encode_usages(self.encoder, defined, progress=self.progress))

    @abstractmethod
    def similarities(
        self, vectors: np.ndarray, words: pa.Array, choices: Choices, usages: Usages
    ) -> np.ndarray:
        """Of ``vectors`` ``(instances, dim)`` to their candidates, NaN where unknown: ``(places,)``."""

    def save(self, folder: Path) -> None:
        """Write the usages, vectors in half precision, and ``system.json``."""
        if self.usages is None:
            raise UserError(f"{self.name} has learned nothing yet: there is nothing to save")
        write_about(
            folder,
            self.name,
            inventory=self.inventory.name,
            corpus=self.corpus,
            options=self.options,
            fingerprint=self.encoder.fingerprint,
        )
        self.usages.write(folder)

    @classmethod
    def load(cls, folder: Path, inventory: Inventory) -> Self:
        """The inverse of :meth:`save`."""
        about = read_about(folder)
        require_inventory(folder, about, inventory)
        system = cls(inventory, **about["options"])
        if system.encoder.fingerprint != about["fingerprint"]:
            raise UserError(
                f"{folder} was fitted with other weights than those of {about['options']['model']!r}; "
                "give it the model of then, or fit it again"
            )
        system.usages, system.corpus = Usages.read(folder), about.get("corpus", "")
        return system


class Neighbours(_BySimilarity):
    """The sense whose usages among the ``k`` nearest are the most similar to the target, in sum."""

    name: ClassVar[str] = "knn"

    def __init__(
        self,
        inventory: Inventory,
        *,
        k: int = 10,
        model: str = "minilm",
        layers: str = "last",
        definitions: bool = False,
        back_off: str = "first-sense",
        encoder: Encoder | None = None,
        progress: Progress | None = None,
    ) -> None:
        super().__init__(
            inventory,
            model=model,
            layers=layers,
            definitions=definitions,
            back_off=back_off,
            encoder=encoder,
            progress=progress,
        )
        self.k = k

    @property
    def options(self) -> dict[str, Any]:
        """What the system was made with, as the constructor takes it."""
        return {**super().options, "k": self.k}

    def similarities(
        self, vectors: np.ndarray, words: pa.Array, choices: Choices, usages: Usages
    ) -> np.ndarray:
        """The sum of the similarities of a candidate's usages among the nearest."""
        together = np.concatenate([usages.vectors, vectors])
        found, similarity = rank_neighbours(together, _by_word(usages.word, words), self.k)
        number = np.append(_numbers(usages.sense, choices.senses), -1)  # the last is for no neighbour
        sums = _sums_at(choices, number[found], similarity)
        known = (found[:, 0] >= 0)[choices.instance]
        return np.where(known, sums, np.nan)


class Centroids(_BySimilarity):
    """The sense whose mean usage is the most similar to the target."""

    name: ClassVar[str] = "centroid"

    def similarities(
        self, vectors: np.ndarray, words: pa.Array, choices: Choices, usages: Usages
    ) -> np.ndarray:
        """The cosine of target and centroid."""
        del words
        number = _numbers(usages.sense, choices.senses)
        centroids, counts = _centroids(usages.vectors, number, len(choices.senses))
        asked, found = normalised(vectors), np.empty(len(choices.candidates))
        for first in range(0, len(found), _PLACES):
            places = slice(first, first + _PLACES)
            targets = asked[choices.instance[places]]
            found[places] = dot_products(targets, centroids[choices.candidates[places]])
        return np.where(counts[choices.candidates] > 0, found, np.nan)


def _by_word(known: pa.Array, asked: pa.Array) -> Selection:
    """Usages that follow each other as rows: those that are known, then those that are asked about."""
    code = np.asarray(pa.concat_arrays([known, asked]).dictionary_encode().indices, np.int64)
    rows = np.arange(len(code))
    size, none = len(known), np.zeros(len(asked), np.int64)
    return Selection(
        database=rows[:size],
        queries=rows[size:],
        pool_of_database=code[:size],
        pool_of_query=code[size:],
        sense=np.zeros(len(code), np.int64),
        relevant=none,
        candidates=none,
        frequency=none,
        prevalence=none,
        lemma=none,
        protocol=Protocol(),
    )


def _numbers(senses: pa.Array, known: tuple[str, ...]) -> np.ndarray:
    """The place of each of ``senses`` in ``known``, -1 where it is not there: ``(senses,) int64``."""
    found = pc.index_in(senses, value_set=pa.array(known, pa.string()))
    return np.asarray(pc.fill_null(found, -1), np.int64)


def _sums_at(choices: Choices, sense: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """The sum of ``weight`` of the neighbours ``(instances, k)`` with a candidate's sense: ``(places,)``."""
    instance = np.repeat(np.arange(len(sense)), sense.shape[1])
    sense, weight = sense.ravel(), weight.ravel()
    keys = choices.instance * len(choices.senses) + choices.candidates
    order = np.argsort(keys)
    wanted = instance * len(choices.senses) + sense
    place = np.searchsorted(keys[order], wanted).clip(max=max(len(keys) - 1, 0))
    sums = np.zeros(len(keys))
    if len(keys):
        voted = (sense >= 0) & (keys[order][place] == wanted)
        np.add.at(sums, order[place[voted]], weight[voted])
    return sums


def _centroids(vectors: np.ndarray, sense: np.ndarray, count: int) -> tuple[np.ndarray, np.ndarray]:
    """The mean direction of each sense's usages, of length 1: ``(count, dim)``; and how many there are."""
    known = np.flatnonzero(sense >= 0)
    sums = np.zeros((count, vectors.shape[1]))
    for first in range(0, len(known), _PLACES):
        rows = known[first : first + _PLACES]
        np.add.at(sums, sense[rows], normalised(vectors[rows]))
    return normalised(sums), np.bincount(sense[known], minlength=count)
