"""Corpora through the store: nothing is computed twice, and no accident changes a vector.

Shards are made small (_SHARD), so that a corpus of a hundred sentences has many.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
import torch
from families import FAMILIES, TEXT
from filelock import FileLock

import uncommonsense
from uncommonsense.corpora.parquet import write_parquet
from uncommonsense.encode import Encoder, encode_corpus
from uncommonsense.encode import corpus as corpus_module
from uncommonsense.encode._hf import load
from uncommonsense.encode.corpus import encode_text
from uncommonsense.encode.store import VectorStore
from uncommonsense.errors import StoreError, UserError
from uncommonsense.schema import CORPUS_SCHEMA, MISSING_WORD, Corpus, Instance, Sentence, to_batches

SHARD = 8

WORKER = """
import json, os, sys, time
from pathlib import Path

import numpy as np

from uncommonsense import load_corpus
from uncommonsense.encode import Encoder, corpus, encode_corpus

_, model, source, root, accident, out = sys.argv
corpus._SHARD = {shard}
encoder = Encoder(model)
encode, calls = encoder.encode_table, []


def hang(*_, **__):
    print("hanging", flush=True)
    time.sleep(600)


def meet():
    # Both writers are inside a shard of their own before either goes on.
    Path(out).with_suffix(".here").touch()
    for _ in range(3000):
        if len(list(Path(out).parent.glob("*.here"))) == 2:
            return
        time.sleep(0.01)
    sys.exit("the other writer did not come")


def spy(*args, **options):
    calls.append(1)
    if accident == "encoding" and len(calls) == 3:
        hang()
    if accident == "meeting" and len(calls) == 1:
        meet()
    vectors = encode(*args, **options)
    if accident == "writing" and len(calls) == 3:
        os.fsync = hang
    return vectors


encoder.encode_table = spy
vectors = encode_corpus(encoder, load_corpus(f"parquet:{{source}}"), root=Path(root))
np.save(out, vectors.matrix)
print(json.dumps({{"calls": len(calls), "content": vectors.content, "ids": vectors.keys.to_pylist()}}))
"""


# An invented corpus


def make_sentences(count: int, seed: int = 0) -> list[Sentence]:
    """Distinct sentences of invented word order, each with one to three targets."""
    chance = random.Random(seed)
    words = TEXT.split()
    sentences = []
    for number in range(count):
        tokens = (f"{seed}-{number}", *chance.choices(words, k=chance.randint(3, 20)))
        spans = {
            (start := chance.randrange(len(tokens)), min(len(tokens), start + chance.randint(1, 2)))
            for _ in range(3)
        }
        name = f"s{seed}.{number}"
        instances = [Instance(f"{name}.t{i}", *span, "word", "x") for i, span in enumerate(sorted(spans))]
        sentences.append(Sentence(name, tokens, "invented", tuple(instances)))
    return sentences


SENTENCES = make_sentences(100)


def make_corpus(sentences: list[Sentence]) -> Corpus:
    """A corpus with a name that errors may use."""
    return Corpus.from_sentences(sentences, name="invented")


def by_id(vectors: Any) -> dict[str, np.ndarray]:
    """Instance id to vector."""
    return dict(zip(vectors.keys.to_pylist(), vectors.matrix, strict=True))


def files(root: Path) -> dict[str, bytes]:
    """Everything below ``root``."""
    return {
        str(file.relative_to(root)): file.read_bytes() for file in sorted(root.rglob("*")) if file.is_file()
    }


def shards(root: Path) -> list[Path]:
    """The shard files below ``root``."""
    return sorted(root.rglob("*.safetensors"))


@pytest.fixture(autouse=True)
def small_shards(monkeypatch: pytest.MonkeyPatch) -> None:
    """Several shards for a small corpus."""
    monkeypatch.setattr(corpus_module, "_SHARD", SHARD)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tiny BERT."""
    return FAMILIES["bert"].save(tmp_path_factory.mktemp("bert"))


@pytest.fixture
def encoder(folder: Path) -> Encoder:
    """An encoder of the tiny BERT."""
    return Encoder(str(folder))


@pytest.fixture
def computed(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many sentences each run of the model was given."""
    sizes: list[int] = []
    run = Encoder._run

    def spy(self: Encoder, plan: Any, batch: Any) -> Any:
        sizes.append(len(batch.units))
        return run(self, plan, batch)

    monkeypatch.setattr(Encoder, "_run", spy)
    return sizes


# What decides a vector


def test_the_store_gives_what_the_encoder_gives(encoder: Encoder, tmp_path: Path) -> None:
    corpus = make_corpus(SENTENCES)
    vectors = encode_corpus(encoder, corpus, root=tmp_path)
    targets = [
        (sentence.tokens, (each.start, each.end)) for sentence in SENTENCES for each in sentence.instances
    ]
    assert vectors.keys.to_pylist() == corpus.instances["id"].to_pylist()
    assert vectors.fingerprint == encoder.fingerprint
    assert vectors.matrix.dtype == np.float32
    np.testing.assert_allclose(vectors.matrix, encoder.encode(targets), atol=1e-5)
    np.testing.assert_allclose(vectors.matrix, encode_text(encoder, corpus), atol=1e-5)
    assert len(shards(tmp_path)) >= 100 / SHARD


@pytest.mark.parametrize("batch_tokens", [1, 64, 100_000])
def test_order_batches_and_duplicates_change_nothing(
    encoder: Encoder, folder: Path, tmp_path: Path, batch_tokens: int
) -> None:
    expected = encode_corpus(encoder, make_corpus(SENTENCES), root=tmp_path / "a")
    again = [
        sentence._replace(
            id=f"{sentence.id}.again",
            instances=tuple(each._replace(id=f"{each.id}.again") for each in sentence.instances),
        )
        for sentence in SENTENCES[::3]
    ]
    mixed = random.Random(1).sample([*SENTENCES, *again], k=len(SENTENCES) + len(again))
    other = Encoder(str(folder), batch_tokens=batch_tokens)
    found = encode_corpus(other, make_corpus(mixed), root=tmp_path / "b")
    assert found.content == expected.content
    rows = by_id(found)
    for name, vector in by_id(expected).items():
        np.testing.assert_allclose(rows[name], vector, atol=1e-5)
        if f"{name}.again" in rows:
            np.testing.assert_array_equal(rows[f"{name}.again"], rows[name])
    assert sum(
        len(shard.keys) for shard in VectorStore(tmp_path / "b", other.fingerprint, other.shape).shards
    ) == len(expected.matrix)


def test_content_names_the_texts_the_spans_and_the_encoder(
    encoder: Encoder, folder: Path, tmp_path: Path
) -> None:
    def content(sentences: list[Sentence], using: Encoder = encoder) -> str:
        return encode_corpus(using, make_corpus(sentences), root=tmp_path).content

    first, rest = SENTENCES[0], SENTENCES[1:4]
    start, end = 0, len(first.tokens)
    whole = first._replace(instances=(first.instances[0]._replace(start=start, end=end),))
    shouted = first._replace(tokens=(*first.tokens[:-1], "END"))
    renamed = first._replace(id="another", source="elsewhere")
    expected = content([first, *rest])
    assert content([renamed, *rest]) == expected
    others = {content(rest), content([whole, *rest]), content([shouted, *rest])}
    others.add(content([first, *rest], Encoder(str(folder), pool="first")))
    assert len(others | {expected}) == 5


def test_sentences_that_look_alike_when_joined_are_kept_apart(encoder: Encoder, tmp_path: Path) -> None:
    texts = [
        ("a", "b", "c"),
        ("a\x1fb", "c"),
        ("a", "b\x1fc"),
        ("a\x1fb\x1fc",),
        ('["a\\u001fb", "c"]',),
        ("", "a"),
        ("a", ""),
    ]
    sentences = [
        Sentence(f"s{i}", text, "", (Instance(f"i{i}", 0, 1, "a", "x"),)) for i, text in enumerate(texts)
    ]
    corpus = make_corpus(sentences)
    found = encode_corpus(encoder, corpus, root=tmp_path)
    np.testing.assert_allclose(found.matrix, encode_text(encoder, corpus), atol=1e-5)
    (store,) = tmp_path.iterdir()
    keys = np.concatenate([shard.keys for shard in VectorStore(tmp_path, store.name, encoder.shape).shards])
    assert len({key[:16].tobytes() for key in keys}) == len(texts)


def test_a_slice_of_a_table_is_a_corpus_like_any_other(encoder: Encoder, tmp_path: Path) -> None:
    table = pa.Table.from_batches(to_batches(SENTENCES[:30], rows=7), CORPUS_SCHEMA)
    expected = by_id(encode_corpus(encoder, Corpus.from_table(table), root=tmp_path / "whole"))
    for part in (table.slice(5, 12), table.combine_chunks().slice(5, 12), table.take(list(range(16, 4, -1)))):
        corpus = Corpus.from_table(part)
        chosen = corpus.select(np.arange(len(corpus)) % 2 == 0)
        tail = Corpus(corpus.sentences, corpus.instances.slice(4, 9))
        for each in (corpus, chosen, tail):
            found = by_id(encode_corpus(encoder, each, root=tmp_path / "part"))
            assert found.keys() == set(each.instances["id"].to_pylist())
            for name, vector in found.items():
                np.testing.assert_allclose(vector, expected[name], atol=1e-5)


# Nothing is computed twice


def test_a_second_run_in_another_order_computes_nothing(
    encoder: Encoder, folder: Path, tmp_path: Path, computed: list[int]
) -> None:
    first = encode_corpus(encoder, make_corpus(SENTENCES), root=tmp_path)
    assert sum(computed) == len(SENTENCES)
    before = files(tmp_path)
    computed.clear()
    again = encode_corpus(Encoder(str(folder)), make_corpus(SENTENCES[::-1]), root=tmp_path)
    assert computed == []
    assert files(tmp_path) == before
    assert again.content == first.content
    rows = by_id(first)
    for name, vector in by_id(again).items():
        np.testing.assert_array_equal(vector, rows[name])


def test_a_larger_corpus_computes_what_is_new(encoder: Encoder, tmp_path: Path, computed: list[int]) -> None:
    small, new = SENTENCES[:60], SENTENCES[60:]
    encode_corpus(encoder, make_corpus(small), root=tmp_path)
    before = files(tmp_path)
    computed.clear()
    found = encode_corpus(encoder, make_corpus([*new[:10], *small, *new[10:]]), root=tmp_path)
    assert sum(computed) == len(new)
    assert before.items() < files(tmp_path).items()
    alone = by_id(encode_corpus(encoder, make_corpus(SENTENCES), root=tmp_path / "alone"))
    for name, vector in by_id(found).items():
        np.testing.assert_allclose(vector, alone[name], atol=1e-5)


def test_a_new_target_in_a_known_sentence_is_computed_alone(
    encoder: Encoder, tmp_path: Path, computed: list[int]
) -> None:
    encode_corpus(encoder, make_corpus(SENTENCES), root=tmp_path)
    computed.clear()
    sentence = SENTENCES[7]
    new = Instance("new", 0, len(sentence.tokens), "all", "x")
    changed = [*SENTENCES[:7], sentence._replace(instances=(*sentence.instances, new)), *SENTENCES[8:]]
    encode_corpus(encoder, make_corpus(changed), root=tmp_path)
    assert computed == [1]


def test_progress_counts_every_distinct_target_once(encoder: Encoder, tmp_path: Path) -> None:
    steps: list[float] = []
    totals: list[float | None] = []

    @contextmanager
    def progress(_: str, total: float | None, __: str) -> Iterator[Any]:
        totals.append(total)
        yield steps.append

    corpus = make_corpus(SENTENCES)
    encode_corpus(encoder, corpus, root=tmp_path, progress=progress)
    encode_corpus(encoder, corpus, root=tmp_path, progress=progress)
    assert totals == [len(corpus)]
    assert sum(steps) == len(corpus)


# Which encoder made them


def test_the_same_weights_have_one_fingerprint_wherever_they_lie(
    folder: Path, encoder: Encoder, tmp_path: Path
) -> None:
    copied = shutil.copytree(folder, tmp_path / "another name")
    resaved = tmp_path / "resaved"
    model, tokenizer = load(str(folder))
    model.save_pretrained(resaved)
    tokenizer.save_pretrained(resaved)
    others = [Encoder(str(copied)), Encoder(str(resaved)), Encoder(str(folder), batch_tokens=7)]
    others.append(Encoder.from_model(model, tokenizer, name="in memory"))
    assert {each.fingerprint for each in others} == {encoder.fingerprint}


def test_whatever_changes_vectors_changes_the_fingerprint(folder: Path, encoder: Encoder) -> None:
    options: list[dict[str, Any]] = [
        {"layers": 1},
        {"layers": [1, 2]},
        {"layers": {1: 0.5, 2: 0.5}},
        {"layers": {1: 0.25, 2: 0.75}},
        {"pool": "first"},
        {"pool": "last"},
        {"dtype": "bf16"},
        {"dtype": "int8"},
    ]
    fingerprints = {Encoder(str(folder), **each).fingerprint for each in options}
    assert len(fingerprints | {encoder.fingerprint}) == len(options) + 1


def test_other_weights_have_another_fingerprint(folder: Path, encoder: Encoder) -> None:
    model, tokenizer = load(str(folder))
    with torch.no_grad():
        model.encoder.layer[1].output.dense.bias[3] += 1e-3
    assert Encoder.from_model(model, tokenizer).fingerprint != encoder.fingerprint
    cased, _ = load(str(folder))
    tokenizer.backend_tokenizer.normalizer = None
    assert Encoder.from_model(cased, tokenizer).fingerprint != encoder.fingerprint


def test_encoders_do_not_share_vectors(folder: Path, encoder: Encoder, tmp_path: Path) -> None:
    corpus = make_corpus(SENTENCES[:5])
    mean = encode_corpus(encoder, corpus, root=tmp_path)
    lower = encode_corpus(Encoder(str(folder), layers=1), corpus, root=tmp_path)
    assert len(list(tmp_path.iterdir())) == 2
    assert mean.content != lower.content
    assert not np.allclose(mean.matrix, lower.matrix, atol=1e-3)
    notes = [json.loads((each / "about.json").read_text()) for each in tmp_path.iterdir()]
    assert {note["fingerprint"] for note in notes} == {mean.fingerprint, lower.fingerprint}
    assert {note["model"] for note in notes} == {str(folder)}


# Corpora that cannot be encoded


def test_labels_without_words_are_refused(encoder: Encoder, tmp_path: Path) -> None:
    skeleton = [
        sentence._replace(tokens=(MISSING_WORD,) * len(sentence.tokens)) for sentence in SENTENCES[:3]
    ]
    with pytest.raises(UserError, match="corpus 'invented' holds labels without words"):
        encode_corpus(encoder, make_corpus(skeleton), root=tmp_path)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("sentences", [[], [Sentence("s", ("no", "targets"), "")]])
def test_a_corpus_without_targets_has_no_vectors(
    encoder: Encoder, tmp_path: Path, sentences: list[Sentence]
) -> None:
    found = encode_corpus(encoder, make_corpus(sentences), root=tmp_path)
    assert found.matrix.shape == (0, *encoder.shape)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("span", [(-1, 1), (1, 1), (2, 1), (2, 4), (9, 10)])
def test_a_span_outside_its_sentence_is_named(
    encoder: Encoder, tmp_path: Path, span: tuple[int, int]
) -> None:
    bad = Sentence(
        "s",
        ("one", "two", "three"),
        "",
        (Instance("s.good", 0, 3, "x", "x"), Instance("s.bad", *span, "x", "x")),
    )
    with pytest.raises(UserError, match=r"instance s\.bad: span .* is not inside its sentence of 3 tokens"):
        encode_corpus(encoder, make_corpus([*SENTENCES[:2], bad]), root=tmp_path)


# Damage and accidents


def test_a_damaged_shard_stops_the_run_until_it_is_deleted(encoder: Encoder, tmp_path: Path) -> None:
    corpus = make_corpus(SENTENCES)
    expected = encode_corpus(encoder, corpus, root=tmp_path).matrix
    before = files(tmp_path)
    victim = shards(tmp_path)[1]
    whole = victim.read_bytes()
    flipped = bytearray(whole)
    flipped[len(whole) // 2] ^= 0x10
    for damaged in (whole[: len(whole) // 2], bytes(flipped)):
        victim.write_bytes(damaged)
        with pytest.raises(StoreError, match="delete it: it will be computed again") as caught:
            _ = encode_corpus(encoder, corpus, root=tmp_path).matrix
        assert str(victim) in str(caught.value)
        victim.unlink()
        found = encode_corpus(encoder, corpus, root=tmp_path)
        np.testing.assert_allclose(found.matrix, expected, atol=1e-5)
        assert files(tmp_path).keys() == before.keys()


def test_a_damaged_key_does_not_give_another_words_vector(encoder: Encoder, tmp_path: Path) -> None:
    """The shard of this name exists, but what is asked for is not in it any more."""
    sentence = SENTENCES[0]._replace(instances=SENTENCES[0].instances[:1])
    encode_corpus(encoder, make_corpus([sentence]), root=tmp_path)
    (victim,) = shards(tmp_path)
    changed = bytearray(victim.read_bytes())
    changed[-1] ^= 1
    victim.write_bytes(changed)
    with pytest.raises(StoreError, match="is damaged") as caught:
        encode_corpus(encoder, make_corpus([sentence]), root=tmp_path)
    assert str(victim) in str(caught.value)


def test_a_full_disk_leaves_only_whole_shards_and_the_run_goes_on_later(
    encoder: Encoder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    corpus = make_corpus(SENTENCES)
    flush, flushed = os.fsync, []

    def full(descriptor: int) -> None:
        flushed.append(descriptor)
        if len(flushed) == 4:
            raise OSError(28, "No space left on device")
        flush(descriptor)

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", full)
        with pytest.raises(StoreError, match="No space left on device; free some space or choose another"):
            encode_corpus(encoder, corpus, root=tmp_path / "a")
    kept = {name: data for name, data in files(tmp_path / "a").items() if not name.endswith(".lock")}
    assert len(shards(tmp_path / "a")) == 2
    assert not list(tmp_path.rglob("*.part"))
    encode_corpus(encoder, corpus, root=tmp_path / "a")
    encode_corpus(encoder, corpus, root=tmp_path / "b")
    assert kept.items() < files(tmp_path / "a").items()
    assert files(tmp_path / "a") == files(tmp_path / "b")


def test_a_place_that_cannot_be_written_is_no_traceback(encoder: Encoder, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("not a folder")
    with pytest.raises(
        StoreError, match=r"cannot write to .*; free some space or choose another UNCOMMONSENSE_CACHE"
    ):
        encode_corpus(encoder, make_corpus(SENTENCES[:2]), root=tmp_path / "file")


# Processes that die, and processes at once


class Workshop:
    """Runs of one corpus in processes of their own."""

    def __init__(self, model: Path, place: Path) -> None:
        self.model = model
        self.place = place
        write_parquet(SENTENCES, place / "corpus", name="invented")

    def start(self, root: Path, accident: str = "none", *, out: str = "out") -> subprocess.Popen[str]:
        """A process that encodes the corpus into ``root``, with one thread."""
        source = str(Path(uncommonsense.__file__).parents[1])
        script = textwrap.dedent(WORKER).format(shard=SHARD)
        arguments = [self.model, self.place / "corpus", root, accident, self.place / f"{out}.npy"]
        return subprocess.Popen(
            [sys.executable, "-c", script, *map(str, arguments)],
            env={**os.environ, "PYTHONPATH": source, "OMP_NUM_THREADS": "1"},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    @staticmethod
    def finish(process: subprocess.Popen[str]) -> dict[str, Any]:
        """What a process says when it is done."""
        out, err = process.communicate(timeout=120)
        assert process.returncode == 0, err
        report: dict[str, Any] = json.loads(out.splitlines()[-1])
        return report

    def result(self, out: str = "out") -> np.ndarray:
        """The vectors that a process saved."""
        vectors: np.ndarray = np.load(self.place / f"{out}.npy")
        return vectors


@pytest.fixture(scope="module")
def workshop(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Workshop:
    """Where the processes of this module work."""
    return Workshop(folder, tmp_path_factory.mktemp("workshop"))


@pytest.fixture(scope="module")
def undisturbed(workshop: Workshop) -> tuple[Path, dict[str, Any], np.ndarray]:
    """The store of a run to which nothing happened, what it said, and its vectors."""
    root = workshop.place / "undisturbed"
    report = workshop.finish(workshop.start(root))
    return root, report, workshop.result()


@pytest.mark.parametrize("moment", ["encoding", "writing"])
def test_a_killed_run_goes_on_to_identical_bytes(
    workshop: Workshop, undisturbed: tuple[Path, dict[str, Any], np.ndarray], tmp_path: Path, moment: str
) -> None:
    """Killed with SIGKILL in its third shard: before it writes, and when all is written but the name."""
    process = workshop.start(tmp_path, moment)
    assert process.stdout is not None
    assert process.stdout.readline() == "hanging\n"
    process.kill()
    process.communicate()
    assert process.returncode == -signal.SIGKILL
    survivors = {file: file.stat().st_mtime_ns for file in shards(tmp_path)}
    assert len(survivors) == 2
    assert len(list(tmp_path.rglob("*.part"))) == (moment == "writing")

    root, expected, vectors = undisturbed
    report = workshop.finish(workshop.start(tmp_path))
    assert report["calls"] == expected["calls"] - 2
    assert {file: file.stat().st_mtime_ns for file in survivors} == survivors
    assert files(tmp_path) == files(root)
    assert report["ids"] == expected["ids"]
    assert report["content"] == expected["content"]
    np.testing.assert_array_equal(workshop.result(), vectors)


def test_two_runs_at_once_share_the_work(
    workshop: Workshop, undisturbed: tuple[Path, dict[str, Any], np.ndarray], tmp_path: Path
) -> None:
    processes = [workshop.start(tmp_path, "meeting", out=name) for name in ("first", "second")]
    reports = [workshop.finish(process) for process in processes]
    root, expected, vectors = undisturbed
    assert sum(report["calls"] for report in reports) == len(shards(root)) == expected["calls"]
    assert files(tmp_path) == files(root)
    for name, report in zip(("first", "second"), reports, strict=True):
        assert report["calls"] > 0
        assert (report["ids"], report["content"]) == (expected["ids"], expected["content"])
        np.testing.assert_array_equal(workshop.result(name), vectors)


def test_a_run_does_not_take_the_lock_of_another(encoder: Encoder, tmp_path: Path) -> None:
    store = tmp_path / encoder.fingerprint
    store.mkdir()
    with FileLock(store / "of another run.lock"):
        encode_corpus(encoder, make_corpus(SENTENCES[:20]), root=tmp_path)
        assert [lock.name for lock in store.glob("*.lock")] == ["of another run.lock"]


def test_an_encoder_notices_that_its_weights_were_changed(folder: Path, tmp_path: Path) -> None:
    model, tokenizer = load(str(folder))
    encoder = Encoder.from_model(model, tokenizer)
    encode_corpus(encoder, make_corpus(SENTENCES[:3]), root=tmp_path)
    with torch.no_grad():
        next(model.parameters()).mul_(2)
    with pytest.raises(UserError, match="weights have changed"):
        encode_corpus(encoder, make_corpus(SENTENCES[3:6]), root=tmp_path)
    changed = Encoder.from_model(model, tokenizer)
    assert changed.fingerprint != encoder.fingerprint


def test_a_sentence_that_lacks_some_words_is_refused(encoder: Encoder, tmp_path: Path) -> None:
    partial = Sentence("s", ("the", MISSING_WORD, "sat"), "", (Instance("s.t0", 0, 1, "the", "x"),))
    with pytest.raises(UserError, match=r"labels without words \(1 targets, the first s\.t0\)"):
        encode_corpus(encoder, make_corpus([*SENTENCES[:2], partial]), root=tmp_path)
