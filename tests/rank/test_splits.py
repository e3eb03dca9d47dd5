"""Documents held out of a corpus without splits."""

from __future__ import annotations

import numpy as np
import pytest

from uncommonsense.errors import UserError
from uncommonsense.rank.splits import split_by_document
from uncommonsense.schema import Corpus, Instance, Sentence


def documents(count: int) -> Corpus:
    """Two sentences in each document."""
    sentences = [
        Sentence(f"{n}", ("a", "bat"), f"d{n // 2}", (Instance(f"{n}.1", 1, 2, "bat", "n", ("bat.1",)),))
        for n in range(2 * count)
    ]
    return Corpus.from_sentences(sentences, name="bats")


def held_out(corpus: Corpus) -> set[str]:
    """Sources of the instances in ``test``."""
    sources = np.array(corpus.sentences["source"].to_pylist())[corpus.rows]
    return set(sources[np.array(corpus.instances["split"].to_pylist()) == "test"])


def test_documents_are_held_out_whole_and_by_their_name() -> None:
    small, large = (split_by_document(documents(count), 0.25, seed=3) for count in (100, 400))
    assert held_out(small) == held_out(large) & {f"d{n}" for n in range(100)}
    assert 70 <= len(held_out(large)) <= 130
    rest = set(np.array(large.instances["split"].to_pylist()))
    assert rest == {"train", "test"}
    assert held_out(split_by_document(documents(100), 0.25, seed=4)) != held_out(small)


@pytest.mark.parametrize("share", [0.0, 1.0, -1.0, 2.0])
def test_a_share_is_a_share(share: float) -> None:
    with pytest.raises(UserError, match="between 0 and 1"):
        split_by_document(documents(3), share)


def test_one_document_cannot_be_split() -> None:
    with pytest.raises(UserError, match=r"of the 1 documents of 'bats', [01] would be held out"):
        split_by_document(documents(1), 0.2)
