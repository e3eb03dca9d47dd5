"""Static word vectors: GloVe and word2vec text files, and the resource ``glove``.

A text file has a word and its numbers per line, separated by spaces, with or without a first line ``words
dimensions``; ``.gz``, ``.bz2`` and ``.xz`` are unpacked on the way. A word may have spaces in it, as some of
GloVe's 840B have: the numbers are the last fields of the line. Of a word that comes twice the first is kept.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterable, Iterator
from itertools import chain, islice
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow.parquet as pq

from uncommonsense import resources
from uncommonsense.corpora.textfile import read_lines
from uncommonsense.errors import MalformedInputError, UserError

__all__ = ["StaticVectors", "glove", "open_vectors", "read_vectors"]

_BLOCK = 8192
"""Lines that are parsed at once."""
_HEADER = re.compile(r"\s*(\d+)\s+(\d+)\s*")
_GLOVE = ("glove_6B_index.parquet", "glove_6B_50d_emb.npy")

Line = tuple[int, str]


class StaticVectors(NamedTuple):
    """Words and their vectors."""

    name: str
    rows: dict[str, int]
    """The row of each word."""
    matrix: np.ndarray
    """``(words, dim) float32``, perhaps mapped from disk."""

    @property
    def dim(self) -> int:
        """Numbers in a vector."""
        return int(self.matrix.shape[1])

    def find(self, words: Iterable[str]) -> np.ndarray:
        """Rows of ``words``, -1 for those that are missing: ``(words,) int64``."""
        return np.array([self.rows.get(word, -1) for word in words], np.int64)


def open_vectors(source: str = "glove", *, limit: int = 0) -> StaticVectors:
    """The vectors of a text file, or of the resource ``glove``; the first ``limit`` words, 0 for all."""
    return glove(limit=limit) if source == "glove" else read_vectors(Path(source), limit=limit)


def glove(*, limit: int = 0) -> StaticVectors:
    """GloVe 6B, 50 dimensions: the resource ``glove``, mapped from disk."""
    folder = resources.path("glove")
    index, numbers = (folder / name for name in _GLOVE)
    words = pq.read_table(index)["index"].to_pylist()
    matrix = np.load(numbers, mmap_mode="r")
    if len(words) != len(matrix):
        raise UserError(f"{numbers} has {len(matrix):,} vectors for the {len(words):,} words of {index}")
    kept = words[: limit or None]
    return StaticVectors("glove-6B-50d", {word: row for row, word in enumerate(kept)}, matrix[: len(kept)])


def read_vectors(path: Path, *, limit: int = 0) -> StaticVectors:
    """The vectors of a GloVe or word2vec text file; the first ``limit`` words, 0 for all."""
    first, lines, promised = _begin(path, (line for line in read_lines(path) if line[1].strip()))
    dim = len(first.replace("\t", " ").rstrip().split(" ")) - 1 if promised is None else promised[1]
    if dim < 2:
        raise MalformedInputError(path, 1, "not word vectors: expected a word and its numbers in each line")
    rows: dict[str, int] = {}
    blocks = []
    found = 0
    wanted = islice(lines, limit or None)
    while block := list(islice(wanted, _BLOCK)):
        kept = []
        for number, text in block:
            word, numbers = _cut(path, number, text, dim)
            if word not in rows:
                rows[word] = len(rows)
                kept.append((number, word, numbers))
        blocks.append(_numbers(path, kept, dim))
        found += len(block)
    if promised and not limit and found < promised[0]:
        raise MalformedInputError(
            path, None, f"{found:,} words, but the first line promises {promised[0]:,}; is it complete?"
        )
    return StaticVectors(path.name.partition(".txt")[0], rows, np.concatenate(blocks))


def _begin(path: Path, lines: Iterator[Line]) -> tuple[str, Iterator[Line], tuple[int, int] | None]:
    """The first line with a vector, all lines with one, and what a header says: words, dimensions."""
    number, text = next(lines, (1, ""))
    promised = None
    if match := _HEADER.fullmatch(text):
        promised = int(match[1]), int(match[2])
        number, text = next(lines, (number + 1, ""))
    if not text:
        raise MalformedInputError(path, number, "no vectors in this file")
    return text, chain([(number, text)], lines), promised


def _cut(path: Path, number: int, text: str, dim: int) -> tuple[str, str]:
    """The word of a line, and its numbers as text."""
    fields = text.replace("\t", " ").rstrip().rsplit(" ", dim)  # a word may be a space of another kind
    if len(fields) <= dim:
        message = f"{len(fields) - 1} numbers after the word, expected {dim} as in the lines before"
        raise MalformedInputError(path, number, message)
    return fields[0], " ".join(fields[1:])


def _numbers(path: Path, lines: list[tuple[int, str, str]], dim: int) -> np.ndarray:
    """``(lines, dim) float32``; a line with something else in it is named."""
    found = _parse(" ".join(numbers for _, _, numbers in lines))
    if len(found) != len(lines) * dim:
        number, word, _ = next(line for line in lines if len(_parse(line[2])) != dim)
        raise MalformedInputError(path, number, f"the vector of {word!r} has something that is no number")
    return found.reshape(-1, dim)


def _parse(text: str) -> np.ndarray:
    """Numbers separated by spaces, ``(n,) float32``; none at all where one of them is no finite number."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", DeprecationWarning)  # numpy before 2.3 warns, later ones raise
            found = np.fromstring(text, np.float32, sep=" ")
    except (DeprecationWarning, ValueError):
        return np.empty(0, np.float32)
    return found if np.isfinite(found).all() else np.empty(0, np.float32)
