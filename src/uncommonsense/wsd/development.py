"""A development set: what a system in training is scored on after every epoch."""

from __future__ import annotations

import hashlib
import json
from functools import cached_property

import numpy as np

from uncommonsense.inventories.protocol import Inventory
from uncommonsense.rank.neighbours import dot_products
from uncommonsense.schema import Corpus
from uncommonsense.wsd.choices import Choices, choices_of
from uncommonsense.wsd.predictions import predict
from uncommonsense.wsd.scoring import annotated, judge

__all__ = ["Development", "compare", "corpus_digest"]

_PLACES = 65_536
"""Candidates whose vectors are compared at once."""


class Development:
    """The annotated instances of a corpus, with the candidates of an inventory."""

    def __init__(self, corpus: Corpus, inventory: Inventory) -> None:
        self.corpus = annotated(corpus)
        self.inventory = inventory
        self.choices = choices_of(self.corpus, inventory)

    @cached_property
    def identity(self) -> dict[str, str]:
        """What it is, for manifests."""
        return {
            "corpus": self.corpus.name,
            "inventory": self.inventory.name,
            "digest": corpus_digest(self.corpus),
        }

    def f1(self, scores: np.ndarray) -> float:
        """What the scores ``(places,)`` of all candidates come to."""
        answers = predict("", self.corpus, self.choices, scores)
        return judge(self.corpus, answers).measured("f1").score()


def corpus_digest(corpus: Corpus) -> str:
    """A name for the texts, targets and senses of a corpus."""
    hashed = hashlib.sha256()
    rows = np.unique(corpus.rows)
    hashed.update(json.dumps(corpus.sentences["tokens"].take(rows).to_pylist()).encode())
    hashed.update(json.dumps(corpus.instances.to_pylist()).encode())
    return hashed.hexdigest()[:32]


def compare(vectors: np.ndarray, rows: np.ndarray, choices: Choices) -> np.ndarray:
    """Dot products of instances and their candidates: ``(places,) float64``.

    ``vectors`` are ``(instances, dim)``, ``rows`` ``(senses, dim)`` in the order of ``choices.senses``.
    """
    owner, found = choices.instance, np.empty(len(choices.candidates))
    for first in range(0, len(found), _PLACES):
        places = slice(first, first + _PLACES)
        found[places] = dot_products(vectors[owner[places]], rows[choices.candidates[places]])
    return found
