"""Vectors on disk: content-addressed, sharded, checksummed, memory-mapped.

    ROOT/FINGERPRINT/about.json               what made the vectors (for people)
    ROOT/FINGERPRINT/SHARD.safetensors        keys (n, 24) uint8, vectors (n, *shape) float32

FINGERPRINT names the model, layers, pooling and dtype; a key names a sentence and a span in it. A shard
is written under a temporary name and renamed when complete, so what a reader sees is whole. Nothing in a
shard depends on the corpus it was made for: any corpus finds the vectors of sentences seen before.
"""

from __future__ import annotations

import json
import os
import platform
import secrets
import shutil
import struct
import zlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from uncommonsense.errors import StoreError

__all__ = ["KEY_BYTES", "Located", "Shard", "StoreEntry", "VectorStore", "list_stores"]

KEY_BYTES = 24
_SUFFIX = ".safetensors"
_HOST = platform.node().replace(".", "-") or "localhost"


class Shard:
    """One file of vectors, memory-mapped."""

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            header_size, header = _read_header(path)
            data = np.memmap(path, np.uint8, "r", offset=8 + header_size)
            self._crc = int(header["__metadata__"]["crc32"])
            self.keys = _view(header["keys"], data)
            """``(n, 24) uint8``"""
            self.vectors = _view(header["vectors"], data)
            """``(n, *shape) float32``"""
        except (ValueError, LookupError, TypeError, AttributeError, struct.error) as error:
            raise _damaged(path, error) from error

    def verify(self) -> None:
        """Compare the bytes with the checksum written beside them."""
        if _checksum(self.keys, self.vectors) != self._crc:
            raise _damaged(self.path, "its checksum does not match")


class VectorStore:
    """The vectors of one encoder configuration in a folder."""

    def __init__(self, root: Path, fingerprint: str, shape: Sequence[int]) -> None:
        self.folder = root / fingerprint
        self.shape = tuple(shape)
        self._shards: dict[str, Shard] = {}

    @property
    def shards(self) -> list[Shard]:
        """The shards that are complete now, in the order of their names."""
        names = sorted(path.name for path in self.folder.glob(f"*{_SUFFIX}"))
        for name in names:
            if name not in self._shards:
                self._shards[name] = shard = Shard(self.folder / name)
                if shard.vectors.shape[1:] != self.shape:
                    raise StoreError(
                        f"{shard.path} holds vectors of shape {shard.vectors.shape[1:]}, not {self.shape}"
                    )
        return [self._shards[name] for name in names]

    def find(self, keys: np.ndarray) -> Located:
        """Where the vectors of ``keys`` ``(n, 24) uint8`` are."""
        shards = self.shards
        sizes = [len(shard.keys) for shard in shards]
        known = (
            np.concatenate([shard.keys for shard in shards]) if shards else np.empty((0, KEY_BYTES), np.uint8)
        )
        found = pc.index_in(_as_binary(keys), value_set=_as_binary(known))
        position = np.asarray(pc.fill_null(found, -1), np.int64)
        return Located(
            tuple(shards), np.concatenate(([0], np.cumsum(sizes))).astype(np.int64), position, self.shape
        )

    def has_shard(self, name: str) -> bool:
        """Whether the shard of this name is complete."""
        return (self.folder / f"{name}{_SUFFIX}").exists()

    def write_shard(self, name: str, keys: np.ndarray, vectors: np.ndarray) -> None:
        """Write a shard under a temporary name, flush it to the disk, and rename it."""
        self._write(f"{name}{_SUFFIX}", _serialise(keys, vectors))

    def describe(self, about: dict[str, str]) -> None:
        """Leave a note for people about what made the vectors."""
        if not (self.folder / "about.json").exists():
            self._write("about.json", [f"{json.dumps(about, indent=2)}\n".encode()])

    def _write(self, name: str, blocks: Iterable[bytes | memoryview]) -> None:
        file = self.folder / name
        part = file.with_suffix(f".{_HOST}.{os.getpid()}.{secrets.token_hex(4)}.part")
        with self.writing():
            self.folder.mkdir(parents=True, exist_ok=True)
            try:
                with part.open("wb") as stream:
                    for block in blocks:
                        stream.write(block)
                    stream.flush()
                    os.fsync(stream.fileno())
                part.rename(file)
            finally:
                part.unlink(missing_ok=True)

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Say what to do when the disk is full or the folder may not be written to."""
        try:
            yield
        except OSError as error:
            raise StoreError(
                f"cannot write to {self.folder}: {error.strerror or error}; "
                "free some space or choose another UNCOMMONSENSE_CACHE"
            ) from error

    def sweep(self) -> None:
        """Remove what writers of this machine that are dead have left behind."""
        for part in self.folder.glob(f"*.{_HOST}.*.part"):
            writer = part.name.split(".")[-3]
            if not (writer.isdigit() and _is_running(int(writer))):
                part.unlink(missing_ok=True)


class Located(NamedTuple):
    """Rows of a request in a store; -1 where the store has none."""

    shards: tuple[Shard, ...]
    starts: np.ndarray
    """First position of each shard, and the end: ``(shards + 1,) int64``."""
    position: np.ndarray
    """``(n,) int64``"""
    shape: tuple[int, ...]

    @property
    def missing(self) -> np.ndarray:
        """Which rows the store has not: ``(n,) bool``."""
        return self.position < 0

    def require_all(self) -> None:
        """Refuse if the store has not all of them, naming what is damaged."""
        if self.missing.any():
            for shard in self.shards:
                shard.verify()
            raise StoreError(
                f"{self.missing.sum()} vectors have left the store (was it pruned just now?); run this again"
            )

    def gather(self, *, layer: int | None = None, verify: bool = True) -> np.ndarray:
        """Copy the rows into memory: ``(n, *shape) float32``, or of one position on the axis of layers."""
        self.require_all()
        chosen = () if layer is None else (layer,)
        out = np.empty((len(self.position), *self.shape[len(chosen) :]), np.float32)
        owner = np.searchsorted(self.starts, self.position, side="right") - 1
        for number in np.unique(owner):
            shard = self.shards[number]
            if verify:
                shard.verify()
            rows = np.flatnonzero(owner == number)
            out[rows] = shard.vectors[self.position[rows] - self.starts[number], *chosen]
        return out


class StoreEntry(NamedTuple):
    """What one folder of vectors holds."""

    path: Path
    about: dict[str, Any]
    vectors: int
    bytes: int
    used: float
    """When it was last written, in seconds since the epoch."""

    def verify(self) -> None:
        """Compare every shard with its checksum."""
        for file in sorted(self.path.glob(f"*{_SUFFIX}")):
            Shard(file).verify()

    def remove(self) -> None:
        """Delete the folder."""
        shutil.rmtree(self.path)

    @property
    def name(self) -> str:
        """The first characters of the fingerprint, enough to name it."""
        return self.path.name[:12]


def list_stores(root: Path) -> Iterator[StoreEntry]:
    """Every folder of vectors below ``root``."""
    for folder in sorted(root.glob("*")):
        files = sorted(folder.glob(f"*{_SUFFIX}"))
        note = folder / "about.json"
        if not files and not note.exists():
            continue
        about = json.loads(note.read_text(encoding="utf-8")) if note.exists() else {}
        count = sum(map(_count, files))
        stats = [file.stat() for file in files]
        yield StoreEntry(
            folder, about, count, sum(s.st_size for s in stats), max((s.st_mtime for s in stats), default=0.0)
        )


def _count(file: Path) -> int:
    """Vectors in a shard; none in a damaged one, which can still be listed and removed."""
    try:
        return len(Shard(file).keys)
    except StoreError:
        return 0


def _as_binary(keys: np.ndarray) -> pa.Array:
    buffer = pa.py_buffer(np.ascontiguousarray(keys))
    return pa.FixedSizeBinaryArray.from_buffers(pa.binary(KEY_BYTES), len(keys), [None, buffer])


def _checksum(keys: np.ndarray, vectors: np.ndarray) -> int:
    return zlib.crc32(np.ascontiguousarray(vectors).data, zlib.crc32(np.ascontiguousarray(keys).data))


def _serialise(keys: np.ndarray, vectors: np.ndarray) -> Iterator[bytes | memoryview]:
    """The safetensors layout: header length, JSON header padded to 8 bytes, tensors."""
    vectors = np.ascontiguousarray(vectors, np.float32)
    keys = np.ascontiguousarray(keys, np.uint8)
    header = {
        "__metadata__": {"crc32": str(_checksum(keys, vectors))},
        "vectors": {"dtype": "F32", "shape": vectors.shape, "data_offsets": [0, vectors.nbytes]},
        "keys": {
            "dtype": "U8",
            "shape": keys.shape,
            "data_offsets": [vectors.nbytes, vectors.nbytes + keys.nbytes],
        },
    }
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    yield struct.pack("<Q", len(text)) + text
    yield vectors.data
    yield keys.data


def _damaged(path: Path, reason: object) -> StoreError:
    return StoreError(f"{path} is damaged ({reason}); delete it: it will be computed again")


def _read_header(path: Path) -> tuple[int, dict[str, Any]]:
    length = path.stat().st_size
    with path.open("rb") as file:
        (size,) = struct.unpack("<Q", file.read(8))
        if size > length:
            raise ValueError("its header is longer than the file")
        header: dict[str, Any] = json.loads(file.read(size))
    end = max(entry["data_offsets"][1] for name, entry in header.items() if name != "__metadata__")
    if length != 8 + size + end:
        raise ValueError("its size is not what its header says")
    return size, header


def _view(entry: dict[str, Any], data: np.ndarray) -> np.ndarray:
    first, last = entry["data_offsets"]
    dtype = {"F32": np.float32, "U8": np.uint8}[entry["dtype"]]
    return data[first:last].view(dtype).reshape(entry["shape"])


def _is_running(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
