"""Vectors of every target word of a corpus, kept in a store."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext, suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from filelock import FileLock, Timeout

from uncommonsense import resources
from uncommonsense.encode.encoder import Encoder
from uncommonsense.encode.store import KEY_BYTES, Located, VectorStore
from uncommonsense.errors import UserError
from uncommonsense.schema import MISSING_WORD, Corpus

__all__ = ["Vectors", "encode_corpus", "encode_text", "vector_root"]

Progress = Callable[[str, float | None, str], AbstractContextManager[Callable[[float], None]]]

_SEPARATOR = "\x1f"
_SHARD = 1024
"""Sentences per shard."""


@dataclass(frozen=True)
class Vectors:
    """One row per key, read from the store when it is asked for."""

    keys: pa.ChunkedArray
    """Instance ids."""
    fingerprint: str
    """Of the encoder that made them."""
    content: str
    """Of the encoder and the texts and spans, in any order."""
    found: Located

    @cached_property
    def matrix(self) -> np.ndarray:
        """All of them: ``(n, *shape) float32``."""
        return self.found.gather()

    def layer(self, position: int) -> np.ndarray:
        """Those of one layer, where layers are kept apart: ``(n, dim) float32``; counted along their axis."""
        return self.found.gather(layer=position)


def vector_root() -> Path:
    """Where vectors are kept by default."""
    return resources.cache_dir() / "vectors"


def encode_corpus(
    encoder: Encoder, corpus: Corpus, *, root: Path | None = None, progress: Progress | None = None
) -> Vectors:
    """Encode what the store below ``root`` does not hold yet, then read all of it from there.

    A run that is killed goes on where it stopped; two runs at once share the work.
    """
    text = _Text(corpus)
    store = VectorStore(root or vector_root(), encoder.fingerprint, encoder.shape)
    missing = store.find(text.keys).missing
    if missing.any():
        with store.writing():
            store.describe(encoder.describe())
            store.sweep()
            _fill(encoder, text, missing, store, progress)
    found = store.find(text.keys)
    found.require_all()
    return Vectors(corpus.instances["id"], encoder.fingerprint, text.content(encoder.fingerprint), found)


def encode_text(encoder: Encoder, corpus: Corpus) -> np.ndarray:
    """Vectors of all instances of ``corpus``, without a store: ``(instances, *shape) float32``."""
    text = _Text(corpus)
    return encoder.encode_table(text.vocabulary, text.codes, text.offsets, text.targets)


class _Text:
    """A corpus as the encoder wants it: words coded by a vocabulary, sentences and targets by number."""

    def __init__(self, corpus: Corpus) -> None:
        tokens = corpus.sentences["tokens"].combine_chunks()
        self.offsets = np.asarray(tokens.offsets, np.int64)
        self.offsets = self.offsets - self.offsets[0]
        encoded = pc.list_flatten(tokens).dictionary_encode()
        self.vocabulary: list[str] = encoded.dictionary.to_pylist()
        self.codes = np.asarray(encoded.indices, np.int64)
        start = np.asarray(corpus.instances["start"], np.int64)
        end = np.asarray(corpus.instances["end"], np.int64)
        _require_words(corpus, encoded, self.offsets)
        sentence_keys = self._hash_sentences(tokens)
        self.targets = np.stack([_first_of_equals(sentence_keys)[corpus.rows], start, end], axis=1)
        """``(targets, 3)``: sentence (the first of those with the same words), start, end."""
        _check_spans(corpus, self.targets, np.diff(self.offsets))
        self.keys = np.empty((len(self.targets), KEY_BYTES), np.uint8)
        """``(targets, 24)``: 16 bytes for the sentence, 4 each for start and end."""
        self.keys[:, :16] = sentence_keys[corpus.rows]
        self.keys[:, 16:20] = start.astype(">u4").view(np.uint8).reshape(-1, 4)
        self.keys[:, 20:] = end.astype(">u4").view(np.uint8).reshape(-1, 4)

    def content(self, fingerprint: str) -> str:
        """A name for these vectors that does not depend on the order of the corpus, nor on repetitions."""
        ordered = np.unique(_as_strings(self.keys))
        return hashlib.sha256(fingerprint.encode() + ordered.tobytes()).hexdigest()[:32]

    @staticmethod
    def _hash_sentences(tokens: pa.ListArray) -> np.ndarray:
        joined = pc.binary_join(tokens, _SEPARATOR)
        digests = [hashlib.blake2b(text.as_buffer(), digest_size=16).digest() for text in joined]
        separators = np.asarray(pc.count_substring(joined, _SEPARATOR))
        within_tokens = separators >= np.maximum(pc.list_value_length(tokens), 1)
        for row in np.flatnonzero(within_tokens):
            text = json.dumps(tokens[int(row)].as_py()).encode()
            digests[row] = hashlib.blake2b(text, digest_size=16, person=b"tokens").digest()
        return np.frombuffer(b"".join(digests), np.uint8).reshape(-1, 16)


def _require_words(corpus: Corpus, words: pa.DictionaryArray, offsets: np.ndarray) -> None:
    """Refuse sentences with targets whose words a release leaves out: no model can read them."""
    code = pc.index(words.dictionary, MISSING_WORD).as_py()
    if code < 0:
        return
    before = np.concatenate(([0], np.cumsum(np.asarray(words.indices) == code)))
    wordless = before[offsets[1:]] > before[offsets[:-1]]
    bad = np.flatnonzero(wordless[corpus.rows])
    if len(bad):
        first = corpus.instances["id"][int(bad[0])].as_py()
        raise UserError(
            f"corpus {corpus.name!r} holds labels without words ({len(bad):,} targets, the first {first}), "
            "which no model can read; use the release with words"
        )


def _check_spans(corpus: Corpus, targets: np.ndarray, lengths: np.ndarray) -> None:
    sentence, start, end = targets.T
    bad = np.flatnonzero((start < 0) | (end <= start) | (end > lengths[sentence]))
    if len(bad):
        row = corpus.instances.slice(int(bad[0]), 1).to_pylist()[0]
        raise UserError(
            f"instance {row['id']}: span ({row['start']}, {row['end']}) is not inside its sentence of "
            f"{lengths[sentence[bad[0]]]} tokens; see 'uncommonsense corpus validate'"
        )


def _fill(
    encoder: Encoder, text: _Text, missing: np.ndarray, store: VectorStore, progress: Progress | None
) -> None:
    """Encode the missing targets shard by shard; shards that another run is busy with come last."""
    wanted = np.flatnonzero(missing)
    shards = list(_shards(text, wanted))
    show = (
        progress(f"Encoding with {encoder.name}", float(len(wanted)), "words")
        if progress
        else nullcontext(lambda _: None)
    )
    with show as advance:
        for patience in (0.0, -1.0):
            waiting = []
            for name, members in shards:
                try:
                    with FileLock(store.folder / f"{name}.lock", timeout=patience):
                        if not store.has_shard(name):
                            store.write_shard(
                                name, text.keys[members], _encode(encoder, text, members, advance)
                            )
                except Timeout:
                    waiting.append((name, members))
            shards = waiting
    for lock in store.folder.glob("*.lock"):
        with suppress(Timeout), FileLock(lock, timeout=0):  # not one that another run holds
            lock.unlink(missing_ok=True)


def _encode(
    encoder: Encoder, text: _Text, members: np.ndarray, advance: Callable[[float], None]
) -> np.ndarray:
    targets = text.targets[members]
    sentences, renumbered = np.unique(targets[:, 0], return_inverse=True)
    lengths = (text.offsets[1:] - text.offsets[:-1])[sentences]
    offsets = np.concatenate(([0], np.cumsum(lengths)))
    where = np.arange(offsets[-1]) + np.repeat(text.offsets[sentences] - offsets[:-1], lengths)
    codes, local = np.unique(text.codes[where], return_inverse=True)
    vocabulary = [text.vocabulary[code] for code in codes]
    local_targets = np.column_stack([renumbered, targets[:, 1:]])
    return encoder.encode_table(vocabulary, local, offsets, local_targets, advance=advance)


def _shards(text: _Text, wanted: np.ndarray) -> Iterator[tuple[str, np.ndarray]]:
    """Cut the distinct wanted targets into shards of so many sentences, each named by its keys.

    Shards are written whole, so those that a run left out are the same when it is taken up again.
    """
    _, first = np.unique(_as_strings(text.keys[wanted]), return_index=True)
    distinct = wanted[first]
    distinct = distinct[np.lexsort((distinct, text.targets[distinct, 0]))]
    sentences = np.flatnonzero(np.diff(text.targets[distinct, 0], prepend=-1))
    for members in np.split(distinct, sentences[_SHARD::_SHARD]):
        yield hashlib.blake2b(text.keys[members].tobytes(), digest_size=16).hexdigest(), members


def _first_of_equals(keys: np.ndarray) -> np.ndarray:
    """For each row of ``keys``, the first row that is equal: ``(n,) int64``."""
    _, first, inverse = np.unique(_as_strings(keys), return_index=True, return_inverse=True)
    return first[inverse.reshape(-1)]


def _as_strings(rows: np.ndarray) -> np.ndarray:
    """Rows of bytes as fixed-width strings, which sort and compare as a whole: ``(n,)``."""
    return np.ascontiguousarray(rows).view(f"S{rows.shape[1]}").reshape(-1)
