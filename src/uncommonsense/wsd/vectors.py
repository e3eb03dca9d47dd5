"""Usages with known senses as vectors: what systems by similarity learn from."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from safetensors.numpy import load_file, save_file

from uncommonsense.encode import Encoder, encode_corpus
from uncommonsense.encode.corpus import Progress
from uncommonsense.errors import UserError
from uncommonsense.schema import Corpus

__all__ = ["Usages", "encode_usages", "word_of"]

_LABELS, _VECTORS = "usages.parquet", "usages.safetensors"


class Usages(NamedTuple):
    """A row per usage and right sense."""

    word: pa.Array
    """Lemma and part of speech, as :func:`word_of` spells them: strings."""
    sense: pa.Array
    """Sense ids: strings."""
    vectors: np.ndarray
    """``(usages, dim) float32``"""

    def and_also(self, others: Usages) -> Usages:
        """These and others."""
        return Usages(
            pa.concat_arrays([self.word, others.word]),
            pa.concat_arrays([self.sense, others.sense]),
            np.concatenate([self.vectors, others.vectors]),
        )

    def write(self, folder: Path) -> None:
        """Keep them in ``folder``, the vectors in half precision."""
        labels = pa.table({"word": self.word, "sense": self.sense})
        pq.write_table(labels, folder / _LABELS, compression="zstd")
        save_file({"vectors": self.vectors.astype(np.float16)}, folder / _VECTORS)

    @classmethod
    def read(cls, folder: Path) -> Usages:
        """The inverse of :meth:`write`, but for the precision."""
        try:
            labels = pq.read_table(folder / _LABELS)
            vectors = load_file(folder / _VECTORS)["vectors"].astype(np.float32)
        except FileNotFoundError as error:
            raise UserError(f"{error.filename or folder}: no such file; fit the system again") from None
        return cls(labels["word"].combine_chunks(), labels["sense"].combine_chunks(), vectors)


def encode_usages(encoder: Encoder, corpus: Corpus, *, progress: Progress | None = None) -> Usages:
    """The annotated words of ``corpus``; a word with several right senses is a usage of each."""
    lists = corpus.instances["senses"].combine_chunks()
    parents = pc.list_parent_indices(lists)
    labelled = corpus.select(np.asarray(pc.greater(pc.list_value_length(lists), 0)))
    rows = np.unique(np.asarray(parents), return_inverse=True)[1]
    vectors = encode_corpus(encoder, labelled, progress=progress).matrix[rows]
    return Usages(word_of(corpus).take(parents), pc.list_flatten(lists), vectors)


def word_of(corpus: Corpus) -> pa.Array:
    """Lemma and part of speech of every instance as one string, ``mouse.n``; satellites are adjectives."""
    pos = pc.replace_substring(corpus.instances["pos"], "s", "a")
    lemma = pc.utf8_lower(corpus.instances["lemma"])
    return pc.binary_join_element_wise(lemma, pos, ".").combine_chunks()
