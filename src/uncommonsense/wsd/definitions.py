"""Definitions as usages: a word before its own gloss is a usage of the sense that the gloss defines."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from uncommonsense.corpora.tokenize import tokenize
from uncommonsense.inventories.protocol import Inventory
from uncommonsense.schema import Corpus, Instance, Sense, Sentence

__all__ = ["definition_corpus"]


def definition_corpus(
    inventory: Inventory, senses: Iterable[str] | None = None, *, examples: bool = True
) -> Corpus:
    """One sentence per sense, ``word : gloss``, with its examples after it, and the word as the target.

    Without ``senses``, those of the whole inventory.
    """
    chosen = inventory.senses() if senses is None else senses
    sentences = (_sentence(inventory.sense(key), examples=examples) for key in chosen)
    return Corpus.from_sentences(sentences, name=f"{inventory.name} definitions")


def _sentence(sense: Sense, *, examples: bool) -> Sentence:
    lemma, *synonyms = sense.lemmas
    words = lemma.replace("_", " ").split() or [lemma]
    tokens = (*words, *_definition(sense, synonyms, examples=examples))
    target = Instance(sense.id, 0, len(words), lemma.lower().replace(" ", "_"), sense.pos, (sense.id,))
    return Sentence(sense.id, tokens, "definitions", (target,))


def _definition(sense: Sense, synonyms: list[str], *, examples: bool) -> Iterator[str]:
    for synonym in synonyms:
        yield ","
        yield from synonym.replace("_", " ").split()
    yield ":"
    yield from _words(sense.gloss)
    for example in sense.examples if examples else ():
        yield ";"
        yield from _words(example)


def _words(text: str) -> list[str]:
    return [word for word, _, _ in tokenize(text)]
