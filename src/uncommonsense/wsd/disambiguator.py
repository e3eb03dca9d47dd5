"""Raw text in, word senses out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import chain, islice
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from uncommonsense.errors import UserError
from uncommonsense.inventories import Inventory, open_inventory
from uncommonsense.inventories.lookup import parse_pos
from uncommonsense.inventories.wordnet import WordNet
from uncommonsense.schema import Corpus, Instance, Sentence
from uncommonsense.text.pipeline import Analysed, Pipeline, Word
from uncommonsense.text.sentences import Passage
from uncommonsense.wsd import default
from uncommonsense.wsd.predictions import Predictions
from uncommonsense.wsd.registry import SYSTEMS, load_system, make_system
from uncommonsense.wsd.system import System

__all__ = ["Disambiguator", "RankedSense", "TaggedSentence", "TaggedWord", "open_system"]

_FALLBACK = "first-sense"
"""What the default is where no system of that name is installed."""

_SENTENCES, _CHARACTERS = 512, 1 << 15
"""How much is disambiguated at a time."""


class RankedSense(NamedTuple):
    """A sense that a word may have, and how probable the system takes it to be."""

    key: str
    synset: str
    """Its synset's name, ``bank.n.01``; empty where the inventory has no synsets."""
    gloss: str
    probability: float


class TaggedWord(NamedTuple):
    """A content word, or several words that are one entry, and its senses."""

    text: str
    start: int
    """In characters, from the beginning of the text."""
    end: int
    first: int
    """Its first word in the sentence."""
    last: int
    """After its last word in the sentence."""
    lemma: str
    pos: str
    senses: tuple[RankedSense, ...]
    """The best first; empty where the system has no answer."""

    @property
    def sense(self) -> RankedSense | None:
        """The best sense."""
        return self.senses[0] if self.senses else None


class TaggedSentence(NamedTuple):
    """A sentence with all its words, and the senses of those that have any."""

    text: str
    start: int
    """In characters, from the beginning of the text."""
    end: int
    words: tuple[Word, ...]
    tagged: tuple[TaggedWord, ...]


class Disambiguator:
    """Finds sentences, words, lemmas and senses in English text.

    ``system`` is the name of a system, the folder of one that was fitted and saved, or a :class:`System`;
    ``encoder`` goes to systems that take one. ``inventory`` is a specification such as ``wordnet`` or an
    inventory; a system brings its own. Of each word the ``top`` senses (all, if None) with at least
    ``min_probability`` are kept; only words of the parts of speech in ``pos`` are looked at.

    >>> disambiguator = Disambiguator("first-sense")                     # doctest: +SKIP
    >>> [word.sense.synset for word in disambiguator.tag("They sat on the bank.")[0].tagged]  # doctest: +SKIP
    ['sit.v.01', 'bank.n.01']
    """

    def __init__(
        self,
        system: str | Path | System = default.NAME,
        *,
        encoder: Any = None,
        inventory: str | Inventory = "wordnet",
        top: int | None = None,
        pos: str = "nvar",
        min_probability: float = 0.0,
    ) -> None:
        if top is not None and top < 1:
            raise UserError(f"top must be at least 1, not {top}")
        if not 0 <= min_probability <= 1:
            raise UserError(f"min_probability must be between 0 and 1, not {min_probability}")
        self.system = (
            system if isinstance(system, System) else open_system(system, inventory, encoder=encoder)
        )
        self.inventory = self.system.inventory
        self.top = top
        self.pos = frozenset(map(parse_pos, pos))
        self.min_probability = min_probability
        self.pipeline = Pipeline(self.inventory if isinstance(self.inventory, WordNet) else WordNet())
        self._describe = lru_cache(1 << 16)(self._description)

    def tag(self, text: str) -> list[TaggedSentence]:
        """The sentences of a text."""
        return self.disambiguate([(text, sentence) for sentence in self.pipeline.analyse(text)])

    def tag_many(self, texts: Iterable[str]) -> Iterator[list[TaggedSentence]]:
        """The sentences of each text of a stream; few texts are in memory at a time."""
        for batch in _batches(texts):
            analysed = self.pipeline.analyse_many(batch)
            pairs = [(text, each) for text, found in zip(batch, analysed, strict=True) for each in found]
            tagged = iter(self.disambiguate(pairs))
            yield from (list(islice(tagged, len(found))) for found in analysed)

    def tag_passages(self, passages: Iterable[Passage]) -> Iterator[TaggedSentence]:
        """The sentences of a long text in passages; their places are those in the long text."""
        starts: list[int] = []

        def texts() -> Iterator[str]:
            for passage in passages:
                starts.append(passage.start)
                yield passage.text

        for sentences in self.tag_many(texts()):
            start = starts.pop(0)
            yield from (_moved(sentence, start) for sentence in sentences)

    def disambiguate(self, sentences: Sequence[tuple[str, Analysed]]) -> list[TaggedSentence]:
        """The senses of sentences that have been analysed; each comes with the text it is from."""
        batches = (sentences[at : at + _SENTENCES] for at in range(0, len(sentences), _SENTENCES))
        return list(chain.from_iterable(map(self._disambiguate, batches)))

    def _disambiguate(self, sentences: Sequence[tuple[str, Analysed]]) -> list[TaggedSentence]:
        chosen = [[each for each in sentence.targets if each.pos in self.pos] for _, sentence in sentences]
        corpus = Corpus.from_sentences(
            Sentence(
                f"s{number}",
                sentence.forms,
                "text",
                tuple(
                    Instance(f"s{number}.t{nth}", each.start, each.end, each.lemma, each.pos)
                    for nth, each in enumerate(targets)
                ),
            )
            for number, ((_, sentence), targets) in enumerate(zip(sentences, chosen, strict=True))
        )
        ranked = iter(self._ranked(self.system.predict(corpus)) if len(corpus) else ())
        return [
            TaggedSentence(
                text[sentence.start : sentence.end],
                sentence.start,
                sentence.end,
                sentence.words,
                tuple(
                    _tagged(text, sentence.words, *target, senses)
                    for target, senses in zip(targets, islice(ranked, len(targets)), strict=True)
                ),
            )
            for (text, sentence), targets in zip(sentences, chosen, strict=True)
        ]

    def _ranked(self, predictions: Predictions) -> list[tuple[RankedSense, ...]]:
        """The senses of each instance, the best first; among equals in the order of the inventory."""
        choices = predictions.choices
        probabilities = predictions.probabilities()
        keep = ~np.isnan(predictions.scores) & (probabilities >= self.min_probability)
        order = np.lexsort((choices.rank, -np.nan_to_num(predictions.scores), choices.instance))
        senses: list[list[RankedSense]] = [[] for _ in choices.sizes]
        owners, numbers = choices.instance[order].tolist(), choices.candidates[order].tolist()
        for owner, number, share, kept in zip(
            owners, numbers, probabilities[order].tolist(), keep[order].tolist(), strict=True
        ):
            if kept and (self.top is None or len(senses[owner]) < self.top):
                key = choices.senses[number]
                senses[owner].append(RankedSense(key, *self._describe(key), share))
        return list(map(tuple, senses))

    def _description(self, key: str) -> tuple[str, str]:
        name = self.inventory.name_of(key) if isinstance(self.inventory, WordNet) else ""
        return name, self.inventory.gloss(key)


def open_system(system: str | Path, inventory: str | Inventory = "wordnet", *, encoder: Any = None) -> System:
    """The system of a name, or of a folder that one was saved in."""
    senses = open_inventory(inventory) if isinstance(inventory, str) else inventory
    if isinstance(system, Path) or (system not in SYSTEMS and Path(system).is_dir()):
        return load_system(Path(system), senses)
    if system == default.NAME:
        if senses.name == "wordnet" and default.is_built():
            return load_system(default.default_folder(), senses)
        system = _FALLBACK
    return make_system(system, senses, **({} if encoder is None else {"encoder": encoder}))


def _batches(texts: Iterable[str]) -> Iterator[list[str]]:
    """Lists of texts with about as many characters each; a text is never cut."""
    batch: list[str] = []
    size = 0
    for text in texts:
        batch.append(text)
        size += len(text) + 1
        if size > _CHARACTERS or len(batch) == _SENTENCES:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def _tagged(
    text: str,
    words: Sequence[Word],
    first: int,
    last: int,
    lemma: str,
    pos: str,
    senses: tuple[RankedSense, ...],
) -> TaggedWord:
    start, end = words[first].start, words[last - 1].end
    return TaggedWord(text[start:end], start, end, first, last, lemma, pos, senses)


def _moved(sentence: TaggedSentence, by: int) -> TaggedSentence:
    """The same sentence, so many characters further on."""
    return sentence._replace(
        start=sentence.start + by,
        end=sentence.end + by,
        words=tuple(word._replace(start=word.start + by, end=word.end + by) for word in sentence.words),
        tagged=tuple(word._replace(start=word.start + by, end=word.end + by) for word in sentence.tagged),
    )
