"""Lesk: the sense whose definition has most words in common with the context.

The simplified algorithm of Kilgarriff and Rosenzweig (2000): the context is the sentence without the target
word, the definition is a bag of distinct words, and every word that occurs in both counts 1, or with ``idf``
the logarithm of (definitions / definitions that have it). What a word is says :mod:`uncommonsense.wsd.words`.
Equals, and words with no overlap at all, go to the first sense of the inventory.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache, cached_property

import numpy as np

from uncommonsense.errors import UserError
from uncommonsense.inventories.protocol import Inventory
from uncommonsense.schema import Corpus
from uncommonsense.wsd.choices import Choices
from uncommonsense.wsd.system import System
from uncommonsense.wsd.words import content_words, inverse_frequencies, normaliser

__all__ = ["Lesk", "LeskExamples", "LeskExtended"]

_NEAR = frozenset(("hypernym", "hyponym", "instance_hypernym", "instance_hyponym", "similar_to", "also_see"))


class Lesk(System):
    """Most words in common between context and definition (simplified Lesk, definitions only)."""

    name = "lesk"

    def __init__(
        self, inventory: Inventory, *, words: str = "stem", window: int = 0, idf: bool = False
    ) -> None:
        """``words``: ``stem``, ``lemma`` or ``form``; ``window``: tokens on each side, 0 for the sentence."""
        super().__init__(inventory)
        if window < 0:
            raise UserError(f"window must be at least 0, not {window}")
        self.window = window
        self.idf = idf
        self._normal = normaliser(words, inventory)

    def scores(self, corpus: Corpus, choices: Choices) -> np.ndarray:
        """Words in common, or the sum of their weights; 0 where there is nothing to choose."""
        doubtful = choices.sizes[choices.instance] > 1
        senses = choices.candidates[doubtful].tolist()
        definitions = {each: self._definition(choices.senses[each]) for each in set(senses)}
        contexts = list(self._contexts(corpus))
        pairs = zip(choices.instance[doubtful].tolist(), senses, strict=True)
        common = (contexts[instance] & definitions[sense] for instance, sense in pairs)
        weights = self._weights if self.idf else {}
        counts = (sum(weights.get(word, 0.0) for word in each) if self.idf else len(each) for each in common)
        scores = np.zeros(len(choices.candidates))
        scores[doubtful] = np.fromiter(counts, np.float64, len(senses))
        return scores

    def texts(self, sense: str) -> Iterator[str]:
        """What is compared with the context."""
        yield self.inventory.gloss(sense)

    def _definition(self, sense: str) -> set[str]:
        return self._normal(content_words(" ".join(self.texts(sense))))

    def _contexts(self, corpus: Corpus) -> Iterator[set[str]]:
        """The words around each instance, without those of the target and its lemma."""

        @cache
        def normal(token: str) -> set[str]:
            return self._normal(content_words(token))

        sentences = corpus.sentences["tokens"].to_pylist()
        columns = (corpus.instances[name].to_pylist() for name in ("start", "end", "lemma"))
        for row, start, end, lemma in zip(corpus.rows.tolist(), *columns, strict=True):
            tokens = sentences[row]
            low, high = (max(0, start - self.window), end + self.window) if self.window else (0, len(tokens))
            own = normal(lemma.replace("_", " ")).union(*map(normal, tokens[start:end]))
            yield set().union(*map(normal, tokens[low:start] + tokens[end:high])) - own

    @cached_property
    def _weights(self) -> dict[str, float]:
        return inverse_frequencies(self.inventory, lambda text: self._normal(content_words(text)))


class LeskExamples(Lesk):
    """Lesk with the examples of a sense beside its definition."""

    name = "lesk-examples"

    def texts(self, sense: str) -> Iterator[str]:
        """Definition and examples."""
        found = self.inventory.sense(sense)
        yield found.gloss
        yield from found.examples


class LeskExtended(Lesk):
    """Lesk with examples, synonyms, and the definitions of more general, more specific and similar senses."""

    name = "lesk-extended"

    def texts(self, sense: str) -> Iterator[str]:
        """Definition, examples and synonyms; definitions of related senses."""
        found = self.inventory.sense(sense)
        yield found.gloss
        yield from found.examples
        yield " ".join(found.lemmas[1:])
        yield from (self.inventory.gloss(target) for relation, target in found.relations if relation in _NEAR)
