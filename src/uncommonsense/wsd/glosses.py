"""Vectors of glosses, each made once and kept beside the system that uses them."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from pathlib import Path

import numpy as np

from uncommonsense.errors import StoreError, UncommonSenseError
from uncommonsense.inventories.protocol import Inventory

__all__ = ["GLOSSES", "GlossVectors", "gloss_texts"]

GLOSSES = "glosses.safetensors"
_DIGEST = 16


def gloss_texts(inventory: Inventory, senses: Iterable[str]) -> list[str]:
    """The definition of each sense."""
    return [inventory.gloss(sense) for sense in senses]


class GlossVectors:
    """Vectors by the text of the gloss, whichever inventory it comes from.

    With a ``file``, what is new is added to it, if it can be written. ``dtype`` is how they are stored there.
    """

    def __init__(self, file: Path | None = None, *, dtype: str = "float32") -> None:
        self.file = file
        self.dtype = dtype
        self._row: dict[bytes, int] = {}
        self._matrix = np.empty((0, 0))

    @classmethod
    def open(cls, file: Path, *, dtype: str = "float32") -> GlossVectors:
        """Those that a file has; none where there is no file."""
        from safetensors import SafetensorError
        from safetensors.numpy import load_file

        glosses = cls(file, dtype=dtype)
        if file.exists():
            try:
                tensors = load_file(file)
                keys, glosses._matrix = tensors["keys"], tensors["vectors"]
            except (SafetensorError, KeyError) as error:
                raise StoreError(f"{file} is damaged ({error}); delete it, and it is made anew") from error
            glosses._row = {key.tobytes(): row for row, key in enumerate(keys)}
        return glosses

    def __len__(self) -> int:
        """How many glosses have a vector."""
        return len(self._row)

    def of(self, texts: Sequence[str], encode: Callable[[Sequence[str]], np.ndarray]) -> np.ndarray:
        """Vectors of ``texts``: ``(texts, dim) float32``; ``encode`` makes those that are new."""
        keys = [_key(text) for text in texts]
        new = {key: text for key, text in zip(keys, texts, strict=True) if key not in self._row}
        if new or not len(self):
            self._add(list(new), encode(list(new.values())))
        rows = np.array([self._row[key] for key in keys], np.int64)
        return self._matrix[rows].astype(np.float32)

    def save(self, file: Path) -> None:
        """Write all of them."""
        from safetensors.numpy import save_file

        from uncommonsense.train.files import replacing

        keys = np.frombuffer(b"".join(self._row), np.uint8).reshape(-1, _DIGEST)
        with replacing(file) as part:
            save_file({"keys": keys, "vectors": self._matrix}, part)

    def _add(self, keys: Sequence[bytes], vectors: np.ndarray) -> None:
        stored = vectors.astype(self.dtype)
        self._matrix = np.concatenate([self._matrix, stored]) if len(self) else stored
        self._row |= {key: len(self._row) + place for place, key in enumerate(keys)}
        if self.file is not None:
            with suppress(UncommonSenseError):  # a folder that cannot be written: they stay in memory
                self.save(self.file)


def _key(text: str) -> bytes:
    return hashlib.blake2b(text.encode(), digest_size=_DIGEST).digest()
