"""The public fakes."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from uncommonsense.corpora import validate
from uncommonsense.encode import Encoder, encode_corpus
from uncommonsense.encode.corpus import encode_text
from uncommonsense.errors import UnknownNameError, UserError
from uncommonsense.inventories import Inventory
from uncommonsense.rank import Protocol, baselines, evaluate, select
from uncommonsense.schema import Instance, Sentence
from uncommonsense.testing import HashEncoder, mini_corpus, mini_inventory


def corpus_sentences() -> Iterator[Sentence]:
    corpus = mini_corpus()
    targets = corpus.instances.drop_columns("sentence_id").to_pylist()
    for row, target in zip(corpus.sentences.to_pylist(), targets, strict=True):
        yield Sentence(row["id"], tuple(row["tokens"]), row["source"], (Instance(**target),))


def test_vectors_are_the_same_everywhere() -> None:
    """Numbers written down, so that a change of machine, library or code shows."""
    vector = HashEncoder(dim=16).encode([(["the", "Bat", "slept"], (1, 2))])[0]
    assert vector.dtype == np.float32
    assert vector.tolist() == [-3, -3, -3, -3, -1, 3, 1, 1, -1, -1, -1, 1, -1, -1, 1, -3]


def test_similar_contexts_are_similar() -> None:
    encoder = HashEncoder()
    targets = [("a bat slept upside down", 1), ("one bat slept upside down", 1), ("he swung the bat", 3)]
    first, second, third = encoder.encode([(text.split(), (i, i + 1)) for text, i in targets])
    first, second, third = (vector / np.linalg.norm(vector) for vector in (first, second, third))
    assert first @ second > 0.6 > 0.4 > first @ third


def test_only_the_window_counts() -> None:
    encoder = HashEncoder(window=1)
    left, right = encoder.encode([(["x", "a", "bat", "b", "y"], (2, 3)), (["a", "bat", "b"], (1, 2))])
    assert (left == right).all()
    wide = encoder.encode([(["a", "b", "c", "d"], (1, 3))])[0]
    assert (wide == encoder.encode([(["d", "c", "b", "a"], (1, 3))])[0]).all()


def test_it_stands_in_for_an_encoder(tmp_path: Path) -> None:
    encoder, corpus = HashEncoder(), mini_corpus()
    assert isinstance(encoder, Encoder)
    assert (encoder.shape, encoder.depth, encoder.name) == ((256,), 1, "hash")
    assert encoder.describe()["fingerprint"] == encoder.fingerprint
    stored = encode_corpus(encoder, corpus, root=tmp_path)
    assert (stored.matrix == encode_text(encoder, corpus)).all()
    assert (encode_corpus(encoder, corpus, root=tmp_path).matrix == stored.matrix).all()
    assert [path.name for path in tmp_path.iterdir()] == [encoder.fingerprint]


def test_its_settings_are_in_its_fingerprint() -> None:
    names = {HashEncoder(dim=dim, window=window).fingerprint for dim in (8, 16) for window in (0, 5)}
    assert len(names) == 4
    assert HashEncoder().fingerprint == HashEncoder().fingerprint


@pytest.mark.parametrize("wrong", [{"dim": 0}, {"dim": 12}, {"dim": 1024}, {"window": -1}])
def test_impossible_settings(wrong: dict[str, int]) -> None:
    with pytest.raises(UserError, match="must be"):
        HashEncoder(**wrong)


def test_spans_are_checked() -> None:
    with pytest.raises(UserError, match="not inside"):
        HashEncoder().encode([(["a"], (0, 2))])


def test_the_corpus_is_sound_and_its_senses_are_known() -> None:
    corpus = mini_corpus()
    assert len(corpus) == corpus.sentences.num_rows == 12
    assert sorted(set(corpus.instances["split"].to_pylist())) == ["test", "train"]
    report = validate(corpus_sentences(), mini_inventory())
    assert (report.ok, report.instances) == (True, 12), report.findings


def test_the_inventory_keeps_the_protocol() -> None:
    inventory = mini_inventory()
    assert isinstance(inventory, Inventory)
    assert (len(inventory), inventory.name, list(inventory.lemmas())) == (4, "mini", ["bat", "draw"])
    assert inventory.candidates("Bat", "n") == ("bat.n.animal", "bat.n.club")
    assert inventory.candidates("bat", "v") == ()
    assert "hit" in inventory.gloss("bat.n.club")
    with pytest.raises(UnknownNameError):
        inventory.sense("bat.n.vampire")


def test_the_encoder_solves_the_corpus() -> None:
    corpus = mini_corpus()
    selection = select(corpus, Protocol(minimum=2))
    assert len(selection.queries) == 4
    result = evaluate("hash", corpus, encode_text(HashEncoder(), corpus), selection, k=4)
    chance, best = baselines(corpus, selection, k=4)
    assert (result.precision == best.precision).all()
    assert (chance.precision.mean(axis=1) < best.precision.mean(axis=1)).all()


def test_nothing_needs_torch() -> None:
    code = (
        "import sys; from uncommonsense.testing import *; "
        "from uncommonsense.encode.corpus import encode_text; "
        "encode_text(HashEncoder(), mini_corpus()); sys.exit('torch' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
