"""What disambiguation is learned from: target words, their candidates, and which of those are right."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from uncommonsense.schema import Corpus
from uncommonsense.train.sample import lot

__all__ = ["Examples", "Places"]


class Places(NamedTuple):
    """The candidates of some examples, one after another."""

    where: np.ndarray
    """Where they are among all candidates: ``(places,) int64``."""
    owner: np.ndarray
    """Whose they are, counted among the examples asked for: ``(places,) int64``."""
    rank: np.ndarray
    """Their place among those of their owner, from 0: ``(places,) int64``."""


@dataclass(frozen=True)
class Examples:
    """Instances of a corpus, each with at least one right candidate.

    The candidates of example ``i`` are the places ``offsets[i]`` to ``offsets[i + 1]`` (exclusive).
    """

    corpus: Corpus
    candidates: np.ndarray
    """Numbers of senses: ``(places,) int64``."""
    offsets: np.ndarray
    """``(examples + 1,) int64``"""
    right: np.ndarray
    """Any one of them counts: ``(places,) bool``."""
    weights: np.ndarray
    """How much each counts in the loss: ``(examples,) float32``."""

    @classmethod
    def of(
        cls, corpus: Corpus, senses: Sequence[str], candidates: np.ndarray, offsets: np.ndarray
    ) -> Examples:
        """The instances of ``corpus`` one of whose senses is among their candidates.

        ``candidates`` and ``offsets`` as above, for all instances; ``senses`` are the ids of the numbers.
        """
        lists = corpus.instances["senses"].combine_chunks()
        number = pc.index_in(pc.list_flatten(lists), value_set=pa.array(senses, pa.string()))
        gold = np.asarray(pc.fill_null(number, -1), np.int64)
        width = len(senses) + 1
        owner = np.repeat(np.arange(len(corpus)), np.diff(offsets))
        right = np.isin(
            owner * width + candidates,
            (np.asarray(pc.list_parent_indices(lists), np.int64) * width + gold)[gold >= 0],
        )
        whole = cls(corpus, candidates, offsets, right, np.ones(len(corpus), np.float32))
        return whole.select(np.bincount(owner[right], minlength=len(corpus)) > 0)

    def __len__(self) -> int:
        """How many examples there are."""
        return len(self.offsets) - 1

    @property
    def sizes(self) -> np.ndarray:
        """Candidates of each example: ``(examples,) int64``."""
        return np.diff(self.offsets)

    @property
    def sense(self) -> np.ndarray:
        """The first right candidate of each example: ``(examples,) int64``, a number of a sense."""
        owner = np.repeat(np.arange(len(self)), self.sizes)
        first = np.unique(owner[self.right], return_index=True)[1]
        return np.asarray(self.candidates[self.right][first])

    def places(self, rows: np.ndarray) -> Places:
        """The candidates of the examples ``rows`` ``(n,) int64``, in their order."""
        sizes = self.sizes[rows]
        ends = np.cumsum(sizes)
        rank = np.arange(ends[-1] if len(ends) else 0) - np.repeat(ends - sizes, sizes)
        return Places(
            rank + np.repeat(self.offsets[rows], sizes), np.repeat(np.arange(len(rows)), sizes), rank
        )

    def select(self, mask: np.ndarray) -> Examples:
        """The examples where ``mask`` ``(examples,) bool`` is true."""
        where = self.places(np.flatnonzero(mask)).where
        offsets = np.concatenate(([0], np.cumsum(self.sizes[mask])))
        chosen = self.candidates[where], offsets, self.right[where], self.weights[mask]
        return Examples(self.corpus.select(mask), *chosen)

    def among(self, senses: np.ndarray) -> Examples:
        """With the candidates that are among ``senses`` only."""
        kept = np.isin(self.candidates, senses)
        owner = np.repeat(np.arange(len(self)), self.sizes)[kept]
        offsets = np.concatenate(([0], np.cumsum(np.bincount(owner, minlength=len(self)))))
        return replace(self, candidates=self.candidates[kept], offsets=offsets, right=self.right[kept])

    def numbered(self, candidates: np.ndarray) -> Examples:
        """With other numbers for the candidates: ``(places,) int64``."""
        return replace(self, candidates=candidates)

    def ambiguous(self) -> Examples:
        """Those with a wrong candidate too: of the others there is nothing to learn, their loss is 0."""
        wrong = np.repeat(np.arange(len(self)), self.sizes)[~self.right]
        return self.select(np.bincount(wrong, minlength=len(self)) > 0)

    def shots(self, most: int, *, seed: int = 0) -> Examples:
        """At most so many of each sense, drawn by seed and id: fewer are part of more."""
        ids = self.corpus.instances["id"].to_pylist()
        order = np.array(sorted(range(len(self)), key=lambda row: lot(ids[row], seed)), np.int64)
        drawn = self.sense[order]
        by_sense = np.argsort(drawn, kind="stable")
        _, first, counts = np.unique(drawn[by_sense], return_index=True, return_counts=True)
        mask = np.zeros(len(self), bool)
        mask[order[by_sense]] = np.arange(len(self)) - np.repeat(first, counts) < most
        return self.select(mask)

    def limit(self, most: int, *, seed: int = 0) -> Examples:
        """About so many examples, for a trial: whole sentences, drawn by seed and id."""
        rows, sentence, counts = np.unique(self.corpus.rows, return_inverse=True, return_counts=True)
        ids = self.corpus.sentences["id"].take(rows).to_pylist()
        order = np.array(sorted(range(len(rows)), key=lambda row: lot(ids[row], seed)), np.int64)
        before = np.cumsum(counts[order]) - counts[order]
        return self.select(np.isin(sentence, order[before < most]))

    def balanced(self) -> Examples:
        """With weights by which all senses of a word that occur count the same, and each word as before."""
        word, sense = self.candidates[self.offsets[:-1]], self.sense
        _, of_word, per_word = np.unique(word, return_inverse=True, return_counts=True)
        found, of_sense, per_sense = np.unique(sense, return_inverse=True, return_counts=True)
        word_of_sense = np.zeros(len(found), np.int64)
        word_of_sense[of_sense] = of_word
        senses = np.bincount(word_of_sense)
        weights = per_word[of_word] / (senses[of_word] * per_sense[of_sense])
        return replace(self, weights=weights.astype(np.float32))

    def digest(self, senses: Sequence[str]) -> str:
        """A name for the texts, spans, candidates (``senses`` are theirs by number) and right answers."""
        hashed = hashlib.sha256()
        rows, sentence = np.unique(self.corpus.rows, return_inverse=True)
        tokens = self.corpus.sentences["tokens"].take(rows).to_pylist()
        hashed.update(json.dumps(tokens).encode())
        hashed.update(json.dumps(list(senses)).encode())
        spans = [np.asarray(self.corpus.instances[name], np.int64) for name in ("start", "end")]
        for column in (sentence, *spans, self.candidates, self.offsets, self.right, self.weights):
            hashed.update(np.ascontiguousarray(column).tobytes())
        return hashed.hexdigest()[:32]
