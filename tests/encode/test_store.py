"""Shards on disk: whole or absent, checked, and readable by others. No model is needed here."""

from __future__ import annotations

import json
import os
import platform
import resource
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest
from safetensors import safe_open
from safetensors.numpy import load_file

from uncommonsense.encode.store import KEY_BYTES, Shard, VectorStore, list_stores
from uncommonsense.errors import StoreError

SHAPE = (3,)


def make_rows(count: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Random keys ``(count, 24) uint8`` and vectors ``(count, 3) float32``."""
    random = np.random.default_rng(seed)
    return random.integers(0, 256, (count, KEY_BYTES), np.uint8), random.random((count, *SHAPE), np.float32)


@pytest.fixture
def store(tmp_path: Path) -> VectorStore:
    """An empty store."""
    return VectorStore(tmp_path, "fingerprint", SHAPE)


@pytest.fixture
def shard(store: VectorStore) -> Path:
    """The file of the store's only shard, which has two rows."""
    store.write_shard("one", *make_rows(2))
    return store.folder / "one.safetensors"


@contextmanager
def largest_file(size: int) -> Iterator[None]:
    """Let no file of this process grow beyond ``size`` bytes, as a full disk would."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


# Reading what was written


def test_rows_come_back_in_the_order_of_the_request(store: VectorStore) -> None:
    keys, vectors = make_rows(10)
    store.write_shard("b", keys[:4], vectors[:4])
    store.write_shard("a", keys[4:], vectors[4:])
    order = np.array([7, 0, 3, 9, 4, 0])
    found = store.find(keys[order])
    assert not found.missing.any()
    np.testing.assert_array_equal(found.gather(), vectors[order])


def test_unknown_keys_are_missing_and_cannot_be_gathered(store: VectorStore, shard: Path) -> None:
    known, _ = make_rows(2)
    unknown, _ = make_rows(1, seed=1)
    found = store.find(np.concatenate([unknown, known]))
    assert found.missing.tolist() == [True, False, False]
    with pytest.raises(StoreError, match=r"1 vectors .* run this again"):
        found.gather()


def test_an_empty_store_finds_nothing(store: VectorStore) -> None:
    assert store.find(make_rows(3)[0]).missing.all()
    assert store.find(make_rows(0)[0]).gather().shape == (0, 3)


def test_a_shard_written_by_another_is_seen_without_opening_the_store_anew(store: VectorStore) -> None:
    keys, vectors = make_rows(2)
    assert store.find(keys).missing.all()
    VectorStore(store.folder.parent, "fingerprint", SHAPE).write_shard("one", keys, vectors)
    np.testing.assert_array_equal(store.find(keys).gather(), vectors)


def test_vectors_are_mapped_not_read(shard: Path) -> None:
    base = Shard(shard).vectors
    while not isinstance(base, np.memmap):
        base = base.base
    assert base.filename == shard


def test_the_safetensors_library_reads_a_shard(shard: Path) -> None:
    keys, vectors = make_rows(2)
    tensors = load_file(shard)
    assert sorted(tensors) == ["keys", "vectors"]
    np.testing.assert_array_equal(tensors["keys"], keys)
    np.testing.assert_array_equal(tensors["vectors"], vectors)
    with safe_open(shard, "numpy") as file:
        assert file.metadata().keys() == {"crc32"}


def test_vectors_of_several_layers_keep_their_shape(tmp_path: Path) -> None:
    keys, _ = make_rows(5)
    vectors = np.arange(40, dtype=np.float32).reshape(5, 4, 2)
    store = VectorStore(tmp_path, "stacked", (4, 2))
    store.write_shard("one", keys, vectors)
    np.testing.assert_array_equal(store.find(keys).gather(), vectors)
    with pytest.raises(StoreError, match=r"one\.safetensors holds vectors of shape \(4, 2\), not \(8,\)"):
        VectorStore(tmp_path, "stacked", (8,)).find(keys)


# Damage


def test_every_truncation_is_noticed_before_a_vector_is_read(store: VectorStore, shard: Path) -> None:
    whole = shard.read_bytes()
    for length in range(len(whole)):
        shard.write_bytes(whole[:length])
        with pytest.raises(StoreError, match="is damaged") as caught:
            VectorStore(store.folder.parent, "fingerprint", SHAPE).find(make_rows(2)[0])
        assert str(shard) in str(caught.value)
        assert "delete it: it will be computed again" in str(caught.value)


def test_every_flipped_bit_is_noticed(shard: Path) -> None:
    whole = shard.read_bytes()
    for bit in range(8 * len(whole)):
        changed = bytearray(whole)
        changed[bit // 8] ^= 1 << bit % 8
        shard.write_bytes(changed)
        with pytest.raises(StoreError, match="is damaged") as caught:
            Shard(shard).verify()
        assert str(shard) in str(caught.value)


@pytest.mark.parametrize(
    "header", ["null", "[]", "{}", '{"keys": 1}', '{"vectors": {"data_offsets": [0, 0]}}']
)
def test_a_header_of_something_else_is_noticed(shard: Path, header: str) -> None:
    shard.write_bytes(len(header).to_bytes(8, "little") + header.encode())
    with pytest.raises(StoreError, match="is damaged"):
        Shard(shard)


def test_a_flipped_vector_is_noticed_when_it_is_gathered(store: VectorStore, shard: Path) -> None:
    changed = bytearray(shard.read_bytes())
    changed[-2 * KEY_BYTES - 1] ^= 1
    shard.write_bytes(changed)
    with pytest.raises(StoreError, match="checksum does not match"):
        store.find(make_rows(2)[0]).gather()


def test_a_flipped_key_is_not_answered_with_another_vector(store: VectorStore, shard: Path) -> None:
    changed = bytearray(shard.read_bytes())
    changed[-1] ^= 1
    shard.write_bytes(changed)
    with pytest.raises(StoreError, match="checksum does not match"):
        store.find(make_rows(2)[0][1:]).gather()


def test_a_damaged_shard_can_be_deleted_and_written_again(store: VectorStore, shard: Path) -> None:
    keys, vectors = make_rows(2)
    whole = shard.read_bytes()
    shard.write_bytes(whole[:-1])
    with pytest.raises(StoreError):
        store.find(keys)
    shard.unlink()
    assert store.find(keys).missing.all()
    store.write_shard("one", keys, vectors)
    assert shard.read_bytes() == whole


# Writing that fails


def test_a_full_disk_leaves_no_half_file(store: VectorStore) -> None:
    keys, vectors = make_rows(4096)
    with largest_file(10_000), pytest.raises(StoreError, match="File too large") as caught:
        store.write_shard("one", keys, vectors)
    assert str(store.folder) in str(caught.value)
    assert "free some space or choose another UNCOMMONSENSE_CACHE" in str(caught.value)
    assert list(store.folder.iterdir()) == []
    store.write_shard("one", keys, vectors)
    np.testing.assert_array_equal(store.find(keys).gather(), vectors)


def test_an_interrupted_write_leaves_no_half_file(
    store: VectorStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(_: int) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "fsync", interrupt)
    with pytest.raises(KeyboardInterrupt):
        store.write_shard("one", *make_rows(2))
    assert list(store.folder.iterdir()) == []


def test_a_folder_that_cannot_be_made_is_no_traceback(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("not a folder")
    store = VectorStore(tmp_path / "file", "fingerprint", SHAPE)
    with pytest.raises(StoreError, match="cannot write to"):
        store.describe({"model": "tiny"})
    with pytest.raises(StoreError, match="cannot write to"):
        store.write_shard("one", *make_rows(2))


def test_parts_of_dead_writers_are_swept_and_those_of_living_ones_are_not(
    store: VectorStore, shard: Path
) -> None:
    dead = subprocess.Popen([sys.executable, "-c", ""])
    dead.wait()
    here = platform.node().replace(".", "-")
    living = [
        store.folder / f"two.{here}.{os.getpid()}.0a.part",
        store.folder / f"two.another-machine.{dead.pid}.0a.part",
    ]
    stale = [store.folder / f"{name}.{here}.{dead.pid}.0a.part" for name in ("two", "about")]
    for part in (*living, *stale):
        part.write_bytes(b"half")
    store.sweep()
    assert sorted(store.folder.iterdir()) == sorted([shard, *living])


# What there is


def test_stores_are_listed_with_what_made_them(store: VectorStore, shard: Path) -> None:
    store.describe({"model": "tiny"})
    store.describe({"model": "a later name for the same weights"})
    (store.folder.parent / "something else").mkdir()
    (entry,) = list_stores(store.folder.parent)
    assert json.loads((store.folder / "about.json").read_text()) == {"model": "tiny"}
    assert (entry.path, entry.about, entry.vectors) == (store.folder, {"model": "tiny"}, 2)
    assert (entry.bytes, entry.used) == (shard.stat().st_size, shard.stat().st_mtime)
    entry.verify()
    entry.remove()
    assert list(list_stores(store.folder.parent)) == []


@pytest.mark.parametrize("keep", [0, 100, -1])
def test_a_damaged_store_can_be_listed_named_and_removed(store: VectorStore, shard: Path, keep: int) -> None:
    shard.write_bytes(shard.read_bytes()[:keep])
    (entry,) = list_stores(store.folder.parent)
    assert entry.vectors == 0
    with pytest.raises(StoreError, match=r"one\.safetensors is damaged"):
        entry.verify()
    entry.remove()
    assert not store.folder.exists()
