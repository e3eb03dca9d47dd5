"""From words to the subword pieces of a model's vocabulary.

Text arrives split into words, and every family of tokenisers treats a pre-split word on its own, so a
word's pieces depend on nothing but the word: each distinct word is tokenised once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple, Protocol

import numpy as np

__all__ = ["Frame", "PieceTable", "Pieces", "Tokenizer"]


class Frame(NamedTuple):
    """The special tokens that a model wants around a text, and its segment ids (None: it has none)."""

    prefix: tuple[int, ...]
    suffix: tuple[int, ...]
    segments: tuple[tuple[int, ...], int, tuple[int, ...]] | None
    """Segment ids of the prefix, of the text (one for all of it) and of the suffix."""


class Tokenizer(Protocol):
    """What the encoder needs of a tokeniser."""

    frame: Frame
    pad: int
    unknown: int | None

    def encode_words(self, words: Sequence[str]) -> list[list[int]]:
        """The pieces of each word, as it stands inside a sentence (after a space)."""


class PieceTable(NamedTuple):
    """Pieces of a list of words: word ``i`` has ``ids[offsets[i]:offsets[i + 1]]``."""

    ids: np.ndarray
    """``(pieces,) int64``"""
    offsets: np.ndarray
    """``(words + 1,) int64``"""

    @property
    def lengths(self) -> np.ndarray:
        """Pieces per word: ``(words,) int64``."""
        return np.diff(self.offsets)

    def expand(self, codes: np.ndarray) -> PieceTable:
        """The table of the word sequence ``codes`` (``(n,)`` indices into this table)."""
        lengths = self.lengths[codes]
        offsets = np.concatenate(([0], np.cumsum(lengths)))
        positions = np.arange(offsets[-1]) - np.repeat(offsets[:-1] - self.offsets[codes], lengths)
        return PieceTable(self.ids[positions], offsets)


class Pieces:
    """Tokenises words and remembers them."""

    def __init__(self, encode_words: Callable[[Sequence[str]], list[list[int]]]) -> None:
        self._encode_words = encode_words
        self._known: dict[str, list[int]] = {}

    def table(self, words: Sequence[str]) -> PieceTable:
        """The pieces of each of ``words``."""
        new = [word for word in dict.fromkeys(words) if word not in self._known]
        if new:
            self._known.update(zip(new, self._encode_words(new), strict=True))
        pieces = [self._known[word] for word in words]
        lengths = np.fromiter(map(len, pieces), np.int64, len(pieces))
        flat = np.fromiter((piece for word in pieces for piece in word), np.int64, int(lengths.sum()))
        return PieceTable(flat, np.concatenate(([0], np.cumsum(lengths))))
