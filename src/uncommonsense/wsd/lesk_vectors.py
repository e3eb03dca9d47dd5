"""Lesk with word vectors: the definition whose mean word vector is nearest to that of the context.

After Basile et al. (2014), as the FEWS paper has it: context and definition are the sums of the vectors of
their content words (see :mod:`uncommonsense.wsd.words`), each as often as it occurs, compared by cosine.
Words that the vectors do not have are left out, and counted in ``coverage``.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np

from uncommonsense.inventories.protocol import Inventory
from uncommonsense.schema import Corpus
from uncommonsense.wsd.back_off import first_sense_where_silent
from uncommonsense.wsd.choices import Choices
from uncommonsense.wsd.static_vectors import StaticVectors, open_vectors
from uncommonsense.wsd.system import System
from uncommonsense.wsd.words import content_words, inverse_frequencies

__all__ = ["LeskVectors"]


class LeskVectors(System):
    """Cosine between the word vectors of context and definition (Lesk with embeddings)."""

    name = "lesk-vectors"

    def __init__(
        self, inventory: Inventory, *, vectors: str = "glove", limit: int = 0, idf: bool = False
    ) -> None:
        """``vectors`` is a GloVe or word2vec text file or ``glove``; of it the first ``limit`` words."""
        super().__init__(inventory)
        self.source = vectors
        self.limit = limit
        self.idf = idf
        self.coverage = (0, 0)
        """Words of the last contexts and definitions that have a vector, and all of them."""

    @cached_property
    def vectors(self) -> StaticVectors:
        """Read when they are first needed."""
        return open_vectors(self.source, limit=self.limit)

    def scores(self, corpus: Corpus, choices: Choices) -> np.ndarray:
        """Cosines; NaN for a definition without a word that has a vector, first sense for such a context."""
        self.coverage = (0, 0)
        definitions = _unit(
            self._sums([content_words(self.inventory.gloss(each)) for each in choices.senses])
        )
        contexts = self._contexts(corpus)
        pairs = contexts[choices.instance], definitions[choices.candidates]
        scores = np.einsum("ij,ij->i", *pairs)
        scores[~pairs[0].any(axis=1) | ~pairs[1].any(axis=1)] = np.nan
        return first_sense_where_silent(scores, choices)

    def _contexts(self, corpus: Corpus) -> np.ndarray:
        """Unit vectors of the sentences around each instance, the target apart: ``(instances, dim)``."""
        sentences = [list(map(content_words, tokens)) for tokens in corpus.sentences["tokens"].to_pylist()]
        whole = self._sums([[word for token in tokens for word in token] for tokens in sentences])
        spans = (corpus.instances[name].to_pylist() for name in ("start", "end"))
        targets = [
            [word for token in sentences[row][start:end] for word in token]
            for row, start, end in zip(corpus.rows.tolist(), *spans, strict=True)
        ]
        counted = self.coverage
        around = whole[corpus.rows] - self._sums(targets)
        self.coverage = counted
        return _unit(around)

    def _sums(self, texts: list[list[str]]) -> np.ndarray:
        """The sum of the vectors of each text's words: ``(texts, dim) float64``."""
        words = [word for text in texts for word in text]
        rows = self.vectors.find(words)
        owner = np.repeat(np.arange(len(texts)), [len(text) for text in texts])[rows >= 0]
        self.coverage = (self.coverage[0] + len(owner), self.coverage[1] + len(words))
        used, place = np.unique(rows[rows >= 0], return_inverse=True)
        matrix = np.asarray(self.vectors.matrix[used], np.float64)
        if self.idf:
            named = {row: word for word, row in zip(words, rows.tolist(), strict=True)}
            matrix *= np.array([self._weights.get(named[row], self._rarest) for row in used.tolist()])[
                :, None
            ]
        sums = np.zeros((len(texts), self.vectors.dim))
        np.add.at(sums, owner, matrix[place])
        return sums

    @cached_property
    def _weights(self) -> dict[str, float]:
        return inverse_frequencies(self.inventory, content_words)

    @cached_property
    def _rarest(self) -> float:
        return max(self._weights.values(), default=1.0)


def _unit(sums: np.ndarray) -> np.ndarray:
    """Rows of length 1, or 0 where there is nothing: what differs from 0 by rounding is nothing."""
    lengths = np.linalg.norm(sums, axis=1, keepdims=True)
    return np.asarray(np.divide(sums, lengths, out=np.zeros_like(sums), where=lengths > 1e-6))
