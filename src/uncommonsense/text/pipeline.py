"""Raw text in, analysed sentences out: words with their places, tags and lemmas, and what to disambiguate."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from uncommonsense.corpora.tokenize import tokenize
from uncommonsense.inventories.wordnet import WordNet
from uncommonsense.text.lemmas import Lemmatiser
from uncommonsense.text.multiwords import Multiword, Multiwords
from uncommonsense.text.sentences import sentence_spans
from uncommonsense.text.tagger import Tagger

__all__ = ["Analysed", "Pipeline", "Word"]

_BETWEEN = frozenset({"ADV", "PART", "PRON", "DET"})
"""What may stand between an auxiliary and its verb: *is not going*, *are you all going*."""


class Word(NamedTuple):
    """A word, ``text[start:end]`` of the text it is from."""

    text: str
    start: int
    """In characters, from the beginning of the text."""
    end: int
    tag: str
    """Its part of speech, one of ``TAGS``."""
    lemma: str


class Analysed(NamedTuple):
    """A sentence, ``text[start:end]`` of the text it is from."""

    start: int
    end: int
    words: tuple[Word, ...]
    targets: tuple[Multiword, ...]
    """Content words and entries of several words, in order, none overlapping another."""

    @property
    def forms(self) -> tuple[str, ...]:
        """The words as a model should see them: with straight apostrophes."""
        return tuple(_straight(word.text) for word in self.words)


class Pipeline:
    """Finds sentences, words, tags, lemmas, and the words that WordNet has senses of.

    >>> pipeline = Pipeline(WordNet())                                              # doctest: +SKIP
    >>> [target.lemma for target in pipeline.analyse("She ate two hot dogs.")[0].targets]  # doctest: +SKIP
    ['eat', 'hot_dog']
    """

    def __init__(self, wordnet: WordNet, *, tagger: Tagger | None = None) -> None:
        self.tagger = tagger or Tagger(wordnet)
        self._lemmatiser = Lemmatiser(wordnet)
        self._multiwords = Multiwords(wordnet)

    def analyse(self, text: str) -> list[Analysed]:
        """The sentences of a text."""
        return self.analyse_many([text])[0]

    def analyse_many(self, texts: Sequence[str]) -> list[list[Analysed]]:
        """The sentences of each text, tagged together, which is faster where texts are short."""
        spans = [sentence_spans(text) for text in texts]
        tokens = [
            [
                (token, start + first, start + last)
                for token, first, last in tokenize(_straight(text[start:end]))
            ]
            for text, found in zip(texts, spans, strict=True)
            for start, end in found
        ]
        tags = self.tagger.tag([[token for token, _, _ in sentence] for sentence in tokens])
        rest = iter(zip(tokens, tags, strict=True))
        return [
            [self._analysed(text, span, *next(rest)) for span in found]
            for text, found in zip(texts, spans, strict=True)
        ]

    def _analysed(
        self,
        text: str,
        span: tuple[int, int],
        tokens: Sequence[tuple[str, int, int]],
        tags: Sequence[str],
    ) -> Analysed:
        forms = [token for token, _, _ in tokens]
        lemmas = self.lemmas(forms, tags)
        words = tuple(
            Word(text[start:end], start, end, tag, lemma)
            for (_, start, end), tag, lemma in zip(tokens, tags, lemmas, strict=True)
        )
        return Analysed(*span, words, tuple(self.targets(forms, tags, lemmas)))

    def lemmas(self, words: Sequence[str], tags: Sequence[str]) -> list[str]:
        """The lemma of each tagged word."""
        return [self._lemmatiser(word, tag) for word, tag in zip(words, tags, strict=True)]

    def targets(
        self, words: Sequence[str], tags: Sequence[str], lemmas: Sequence[str] | None = None
    ) -> Iterator[Multiword]:
        """The content words and multiword entries of a tagged sentence that WordNet has."""
        lemmas = lemmas or self.lemmas(words, tags)
        at = 0
        for found in self._multiwords.find(words, tags, lemmas):
            yield from self._single(words, tags, at, found.start)
            yield found
            at = found.end
        yield from self._single(words, tags, at, len(words))

    def _single(self, words: Sequence[str], tags: Sequence[str], start: int, end: int) -> Iterator[Multiword]:
        for at in range(start, end):
            entry = self._lemmatiser.entry(words[at], tags[at])
            if entry and not (tags[at] == "AUX" and _helps(entry[0], words, tags, at)):
                yield Multiword(at, at + 1, *entry)


def _helps(lemma: str, words: Sequence[str], tags: Sequence[str], at: int) -> bool:
    """Whether the verb at a place is an auxiliary: all that are tagged so, but *be* before no verb."""
    if lemma != "be":
        return True
    after = at + 1
    while after < len(tags) and tags[after] in _BETWEEN:
        after += 1
    return after < len(tags) and tags[after] in ("VERB", "AUX") and words[after].lower() != "to"


def _straight(text: str) -> str:
    return text.replace("’", "'")
