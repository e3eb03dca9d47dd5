"""A part-of-speech tagger for English: a linear model over hashed features of words and their neighbours.

It runs twice. The second time it also sees the tags that the first gave to the neighbours on both sides.
The weights are bytes in a file of a megabyte or two beside this module; ``scripts/train_tagger.py`` makes it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from importlib.resources import as_file, files
from itertools import chain
from pathlib import Path
from typing import NamedTuple
from zlib import crc32

import numpy as np

from uncommonsense.errors import MalformedInputError
from uncommonsense.inventories.wordnet import WordNet

__all__ = ["TAGS", "WORDNET_POS", "Features", "Tagger", "Weights", "load_weights"]

TAGS = (
    "ADJ",
    "ADP",
    "ADV",
    "AUX",
    "CCONJ",
    "DET",
    "INTJ",
    "NOUN",
    "NUM",
    "PART",
    "PRON",
    "PROPN",
    "PUNCT",
    "SCONJ",
    "SYM",
    "VERB",
    "X",
)
"""The parts of speech of Universal Dependencies."""

WORDNET_POS = {"NOUN": "n", "PROPN": "n", "VERB": "v", "AUX": "v", "ADJ": "a", "ADV": "r"}
"""WordNet's part of speech for the tags of content words."""

_WORD, _SUFFIX1, _SUFFIX2, _SUFFIX3, _SUFFIX4, _PREFIX, _SHAPE, _PARTS = range(8)
"""Columns of what is known of a word by itself."""
_ATOMS = 8
_TAG = _ATOMS
"""The column of the tag from the first run."""

_Template = tuple[tuple[int, int], ...]
"""Which columns of which neighbours make up a feature: (distance, column) pairs."""


def _alone(distance: int, *columns: int) -> list[_Template]:
    return [((distance, column),) for column in columns]


_OF_WORDS: list[_Template] = [
    *_alone(0, _WORD, _SUFFIX1, _SUFFIX2, _SUFFIX3, _SUFFIX4, _PREFIX, _SHAPE, _PARTS),
    *_alone(-1, _WORD, _SUFFIX3, _SHAPE, _PARTS),
    *_alone(1, _WORD, _SUFFIX3, _SHAPE, _PARTS),
    *_alone(-2, _WORD, _PARTS),
    *_alone(2, _WORD, _PARTS),
    ((-1, _WORD), (0, _WORD)),
    ((0, _WORD), (1, _WORD)),
    ((-1, _WORD), (1, _WORD)),
    ((-2, _WORD), (-1, _WORD)),
    ((-1, _WORD), (0, _PARTS)),
    ((0, _PARTS), (1, _WORD)),
    ((-1, _WORD), (0, _SUFFIX3)),
    ((0, _SUFFIX3), (1, _WORD)),
    ((-1, _PARTS), (0, _PARTS)),
    ((0, _PARTS), (1, _PARTS)),
    ((-1, _PARTS), (0, _PARTS), (1, _PARTS)),
    ((0, _SHAPE), (0, _PARTS)),
    ((0, _SUFFIX2), (0, _PARTS)),
]
_OF_TAGS: list[_Template] = [
    *_alone(-1, _TAG),
    *_alone(1, _TAG),
    ((-2, _TAG), (-1, _TAG)),
    ((-1, _TAG), (1, _TAG)),
    ((1, _TAG), (2, _TAG)),
    ((-1, _TAG), (0, _WORD)),
    ((0, _WORD), (1, _TAG)),
    ((-1, _TAG), (0, _PARTS), (1, _TAG)),
    ((-2, _TAG), (-1, _TAG), (0, _PARTS)),
    ((-1, _TAG), (0, _SUFFIX2)),
    ((0, _SUFFIX2), (1, _TAG)),
]
_REACH = 2
"""How far away a neighbour may be; so many boundaries lie between sentences."""

_KNOWN_WORDS = 1 << 18
"""Words whose columns are remembered before all are forgotten."""

_MIX = np.array([0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9], np.uint64)


class Features:
    """Numbers of the hashed features of words in their sentences.

    ``parts(word)`` says which of ``n v a r`` a form may be, such as ``nv`` for *walks*.
    """

    def __init__(self, parts: Callable[[str], str], bits: int) -> None:
        self._parts = parts
        self._bits = bits
        self._forget()

    def _forget(self) -> None:
        self._rows: dict[str, int] = {"": 0}
        self._atoms = np.zeros((1024, _ATOMS), np.uint64)

    def place(self, sentences: Iterable[Sequence[str]]) -> tuple[np.ndarray, np.ndarray]:
        """What is known of each word, with boundaries between sentences, and where the words are.

        ``(places, columns) uint64`` and ``(words,) int64``.
        """
        if len(self._rows) > _KNOWN_WORDS:
            self._forget()
        boundary = [0] * _REACH
        rows = [*boundary, *chain.from_iterable((*map(self._row, words), *boundary) for words in sentences)]
        known = np.array(rows)
        return self._atoms[known], np.flatnonzero(known)

    def of_words(self, atoms: np.ndarray, places: np.ndarray) -> np.ndarray:
        """Features of the words at ``places``: ``(words, features) int64``."""
        return self._combine(_OF_WORDS, atoms, places, 0)

    def of_tags(self, atoms: np.ndarray, places: np.ndarray, tags: np.ndarray) -> np.ndarray:
        """Features of the tags ``(words,)`` around the words at ``places``: ``(words, features) int64``."""
        column = np.zeros((len(atoms), 1), np.uint64)
        column[places, 0] = tags + 1
        return self._combine(_OF_TAGS, np.hstack([atoms, column]), places, len(_OF_WORDS))

    def _combine(
        self, templates: list[_Template], atoms: np.ndarray, places: np.ndarray, first: int
    ) -> np.ndarray:
        features = np.empty((len(places), len(templates)), np.int64)
        shift = np.uint64(64 - self._bits)
        for number, template in enumerate(templates):
            mixed = np.full(len(places), crc32(bytes([first + number])), np.uint64)
            for (distance, column), factor in zip(template, _MIX, strict=False):
                mixed = (mixed ^ atoms[places + distance, column]) * factor
                mixed ^= mixed >> np.uint64(29)
            features[:, number] = (mixed * _MIX[0]) >> shift
        return features

    def _row(self, word: str) -> int:
        row = self._rows.get(word)
        if row is None:
            row = self._rows[word] = len(self._rows)
            if row == len(self._atoms):
                self._atoms = np.concatenate([self._atoms, np.zeros_like(self._atoms)])
            self._atoms[row] = [crc32(atom.encode("utf-8", "replace")) for atom in self._describe(word)]
        return row

    def _describe(self, word: str) -> tuple[str, ...]:
        """The columns of a word."""
        word = _QUOTES.sub('"', word.replace("’", "'"))
        folded = _DIGITS.sub("0", word.lower())
        return (
            folded[:40],
            folded[-1:],
            folded[-2:],
            folded[-3:],
            folded[-4:],
            folded[:3],
            _shape(word),
            self._parts(word),
        )


_QUOTES = re.compile("``|''|[“”«»„]")
_DIGITS = re.compile(r"\d+")
_SHAPES = (
    (re.compile(r"[^\W\d_]"), lambda match: "X" if match[0].isupper() else "x"),
    (re.compile(r"\d"), "0"),
    (re.compile(r"(.)\1+"), r"\1\1"),
)


def _shape(word: str) -> str:
    """``Xxx`` for *Anna*, ``00`` for *1912*: letters and digits by kind, runs of one kind as two."""
    for pattern, replacement in _SHAPES:
        word = pattern.sub(replacement, word[:24])
    return word[:8]


class Weights(NamedTuple):
    """What the tagger has learned."""

    words: np.ndarray
    """For the first run: ``(2 ** bits, tags) int8``."""
    tags: np.ndarray
    """For the second run, over the same features and those of tags: ``(2 ** bits, tags) int8``."""


def load_weights(file: Path) -> Weights:
    """The weights of a file that ``scripts/train_tagger.py`` wrote."""
    from safetensors import SafetensorError
    from safetensors.numpy import load_file

    try:
        weights = Weights(**load_file(file))
    except (SafetensorError, TypeError, OSError) as error:
        raise MalformedInputError(file, None, f"not the weights of a tagger: {error}") from error
    for each in weights:
        buckets = len(each)
        if each.dtype != np.int8 or each.shape != (buckets, len(TAGS)) or buckets & (buckets - 1):
            message = f"weights are {each.dtype} {each.shape}, expected int8 (a power of 2, {len(TAGS)})"
            raise MalformedInputError(file, None, message)
    return weights


class Tagger:
    """Parts of speech of the words of tokenised sentences.

    >>> Tagger(WordNet()).tag([["They", "can", "fish", "."]])     # doctest: +SKIP
    [('PRON', 'AUX', 'VERB', 'PUNCT')]
    """

    def __init__(self, wordnet: WordNet, *, weights: Weights | None = None) -> None:
        if weights is None:
            with as_file(files("uncommonsense.text") / "data" / "tagger.safetensors") as file:
                weights = load_weights(file)
        self._weights = weights
        self.features = Features(lambda word: parts_of(wordnet, word), len(weights.words).bit_length() - 1)

    def tag(self, sentences: Sequence[Sequence[str]]) -> list[tuple[str, ...]]:
        """One of ``TAGS`` for each word of each sentence."""
        atoms, places = self.features.place(sentences)
        words = self.features.of_words(atoms, places)
        first = _total(self._weights.words, words).argmax(axis=1)
        around = self.features.of_tags(atoms, places, first)
        second = _total(self._weights.tags, words) + _total(self._weights.tags, around)
        names = iter([TAGS[tag] for tag in second.argmax(axis=1).tolist()])
        return [tuple(next(names) for _ in words) for words in sentences]


def parts_of(wordnet: WordNet, word: str) -> str:
    """Which of ``n v a r`` WordNet knows a form as."""
    if not word[:1].isalpha():
        return ""
    return "".join(pos for pos in "nvar" if wordnet.morphy(word, pos))


def _total(weights: np.ndarray, features: np.ndarray) -> np.ndarray:
    """The sum of the weights of each word's features: ``(words, tags) int32``."""
    total = np.zeros((len(features), weights.shape[1]), np.int32)
    for column in features.T:
        total += weights[column]
    return total
