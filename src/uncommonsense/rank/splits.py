"""A split for corpora that come without one."""

from __future__ import annotations

import hashlib

import numpy as np
import pyarrow as pa

from uncommonsense.errors import UserError
from uncommonsense.schema import Corpus

__all__ = ["split_by_document"]


def split_by_document(corpus: Corpus, share: float, *, seed: int = 0) -> Corpus:
    """Put about ``share`` of the documents (the sentences' sources) into ``test``, the rest into ``train``.

    Whether a document is held out depends on its name and the seed alone, so adding documents moves none.
    """
    if not 0 < share < 1:
        raise UserError(f"the share of documents to hold out must lie between 0 and 1, not {share}")
    sources = corpus.sentences["source"].combine_chunks().dictionary_encode()
    held_out = np.array([_fraction(name, seed) < share for name in sources.dictionary.to_pylist()], bool)
    if held_out.all() or not held_out.any():
        raise UserError(
            f"of the {len(held_out):,} documents of {corpus.name!r}, {held_out.sum():,} would be held out; "
            "both sides need some. Documents are the sentences' sources; try another share or --seed"
        )
    document = np.asarray(sources.indices, np.int64)[corpus.rows]
    split = pa.array(np.where(held_out[document], "test", "train"), pa.string())
    column = corpus.instances.schema.get_field_index("split")
    return Corpus(corpus.sentences, corpus.instances.set_column(column, "split", split), name=corpus.name)


def _fraction(name: str, seed: int) -> float:
    digest = hashlib.blake2b(f"{seed}\x1f{name}".encode(), digest_size=8).digest()
    return int.from_bytes(digest) / 2**64
