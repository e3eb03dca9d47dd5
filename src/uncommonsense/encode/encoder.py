"""Target words in, vectors out."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property, partial
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from uncommonsense.encode.layers import Layers
from uncommonsense.encode.parallel import side_by_side
from uncommonsense.encode.pieces import Pieces, PieceTable
from uncommonsense.encode.plan import Batch, Plan, make_plan
from uncommonsense.encode.pool import POOLS, piece_rows
from uncommonsense.errors import UnknownNameError, UserError

if TYPE_CHECKING:
    import torch

    from uncommonsense.encode._hf import Backbone, WordTokenizer

__all__ = ["DEFAULT_MODEL", "DTYPES", "Encoder", "Target"]

DEFAULT_MODEL = "minilm"
DTYPES = ("fp32", "bf16", "int8")

Target = tuple[Sequence[str], tuple[int, int]]
"""A tokenised sentence and the span of the target in it, end exclusive."""

_CHUNK = 8192
"""Sentences that are planned and sorted together."""


class Encoder:
    """Contextual vectors of target words from any transformers encoder or decoder.

    ``model`` is a hub id, a folder, or a built-in alias (``minilm``, ``smollm2``); ``layers`` as in
    :mod:`uncommonsense.encode.layers`; ``pool`` says how the pieces of a word become one vector: ``mean``,
    ``first`` or ``last``. ``dtype`` ``bf16`` and ``int8`` trade accuracy for speed; results are float32.

    >>> encoder = Encoder("minilm")                                       # doctest: +SKIP
    >>> encoder.encode([(["He", "sat", "on", "the", "bank", "."], (4, 5))]).shape     # doctest: +SKIP
    (1, 384)
    """

    def __init__(
        self,
        model: str = DEFAULT_MODEL,
        *,
        layers: str | int | Sequence[int] | Mapping[int, float] | Layers = "last",
        pool: str = "mean",
        dtype: str = "fp32",
        batch_tokens: int = 512,
        revision: str | None = None,
        trust_remote_code: bool = False,
    ) -> None:
        from uncommonsense.encode.models import load_model

        loaded, tokenizer = load_model(model, revision=revision, trust_remote_code=trust_remote_code)
        self._set_up(loaded, tokenizer, layers=layers, pool=pool, dtype=dtype, batch_tokens=batch_tokens)
        self.name = model

    @classmethod
    def from_model(
        cls,
        model: Any,
        tokenizer: Any,
        *,
        layers: str | int | Sequence[int] | Mapping[int, float] | Layers = "last",
        pool: str = "mean",
        dtype: str = "fp32",
        batch_tokens: int = 512,
        name: str = "",
    ) -> Encoder:
        """Wrap a transformers model and tokeniser that are already in memory.

        The model is put into evaluation mode. Its weights must stay as they are: after training it
        further, make another encoder.
        """
        encoder = cls.__new__(cls)
        encoder._set_up(model, tokenizer, layers=layers, pool=pool, dtype=dtype, batch_tokens=batch_tokens)
        encoder.name = name or type(model).__name__
        return encoder

    def _set_up(
        self, model: Any, tokenizer: Any, *, layers: Any, pool: str, dtype: str, batch_tokens: int
    ) -> None:
        from uncommonsense.encode._hf import Backbone, WordTokenizer
        from uncommonsense.encode.precision import keep_freed_memory, lower_precision

        if pool not in POOLS:
            raise UnknownNameError("pooling", pool, POOLS)
        if dtype not in DTYPES:
            raise UnknownNameError("dtype", dtype, DTYPES)
        if batch_tokens < 1:
            raise UserError(f"batch_tokens must be at least 1, not {batch_tokens}")
        keep_freed_memory()
        self._tokenizer: WordTokenizer = WordTokenizer(tokenizer)
        self._backbone: Backbone = Backbone(lower_precision(model.eval(), dtype))
        self._source = Backbone(model, fused=False)
        self._version = self._source.version()
        self._pieces = Pieces(self._tokenizer.encode_words)
        self.layers = Layers.parse(layers, depth=self._backbone.depth)
        self.pool = pool
        self.dtype = dtype
        self.batch_tokens = batch_tokens
        self.name = ""

    @property
    def depth(self) -> int:
        """Layers above the embedding layer."""
        return self._backbone.depth

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of one vector: ``(dim,)``, or ``(layers, dim)`` when layers are kept apart."""
        dim = self._backbone.dim
        return (len(self.layers.indices), dim) if self.layers.stacked else (dim,)

    @cached_property
    def fingerprint(self) -> str:
        """Names everything that decides a vector but the text: weights, tokeniser, layers, pooling, dtype."""
        parts = [self._source.identity(), self._tokenizer.identity(), str(self.layers), self.pool, self.dtype]
        return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:32]

    def describe(self) -> dict[str, str]:
        """What made the vectors, for receipts and manifests."""
        return {
            "model": self.name,
            "layers": str(self.layers),
            "pool": self.pool,
            "dtype": self.dtype,
            "fingerprint": self.fingerprint,
        }

    def encode(self, targets: Sequence[Target]) -> np.ndarray:
        """Vectors of the targets, in their order: ``(targets, *shape) float32``.

        A sentence that carries several targets is encoded once.
        """
        sentences: dict[tuple[str, ...], int] = {}
        rows = np.empty((len(targets), 3), np.int64)
        for i, (tokens, (start, end)) in enumerate(targets):
            if not 0 <= start < end <= len(tokens):
                raise UserError(
                    f"span ({start}, {end}) is not inside a sentence of {len(tokens)} tokens: {tokens}"
                )
            rows[i] = sentences.setdefault(tuple(tokens), len(sentences)), start, end
        words = [word for tokens in sentences for word in tokens]
        offsets = np.concatenate(([0], np.cumsum([len(tokens) for tokens in sentences]))).astype(np.int64)
        vocabulary = list(dict.fromkeys(words))
        code = {word: i for i, word in enumerate(vocabulary)}
        return self.encode_table(
            vocabulary, np.array([code[word] for word in words], np.int64), offsets, rows
        )

    def encode_table(
        self,
        vocabulary: Sequence[str],
        codes: np.ndarray,
        offsets: np.ndarray,
        targets: np.ndarray,
        *,
        advance: Callable[[float], None] = lambda _: None,
    ) -> np.ndarray:
        """As :meth:`encode`, for text in columns.

        Sentence ``i`` has the words ``vocabulary[codes[offsets[i]:offsets[i + 1]]]``; ``targets``
        ``(targets, 3) int64`` is (sentence, first word, end word). ``advance(n)`` hears of ``n`` more done.
        """
        if self._source.version() != self._version:
            raise UserError("the model's weights have changed since this encoder was made; make another one")
        out = np.empty((len(targets), *self.shape), np.float32)
        table = self._pieces.table(vocabulary)
        order = np.argsort(targets[:, 0], kind="stable")
        bounds = np.searchsorted(targets[order, 0], np.arange(0, len(offsets) - 1 + _CHUNK, _CHUNK))
        for number, (low, high) in enumerate(pairwise(bounds)):
            first = number * _CHUNK
            local = offsets[first : first + _CHUNK + 1]
            words = table.expand(codes[local[0] : local[-1]])
            members = order[low:high]
            for batch, vectors in self._encode_chunk(
                words, local - local[0], targets[members] - (first, 0, 0)
            ):
                out[members[batch.targets]] = vectors
                advance(len(batch.targets))
        return out

    def _encode_chunk(
        self, words: PieceTable, offsets: np.ndarray, targets: np.ndarray
    ) -> Iterator[tuple[Batch, np.ndarray]]:
        frame = self._tokenizer.frame
        limit = self._backbone.limit - len(frame.prefix) - len(frame.suffix)
        plan = make_plan(words, offsets, targets, limit=limit, unknown=self._tokenizer.unknown)
        batches = list(plan.batches(self.batch_tokens))
        yield from zip(batches, side_by_side(partial(self._run, plan), batches), strict=True)

    def _run(self, plan: Plan, batch: Batch) -> np.ndarray:
        """Vectors of one batch's targets: ``(targets in batch, *shape)``."""
        import torch

        ids, mask, segments = self._assemble(plan, batch)
        width = ids.shape[1]
        lead = len(self._tokenizer.frame.prefix)
        position = np.empty(len(plan.unit_start), np.int64)
        position[batch.units] = np.arange(len(batch.units)) * width + lead
        start = position[plan.target_unit[batch.targets]] + plan.target_start[batch.targets]
        rows = piece_rows(start, plan.target_length[batch.targets], self.pool)
        with torch.inference_mode():
            states = self._backbone.hidden_rows(ids, mask, segments, self.layers.indices, rows.rows)
            return self._combine([rows.pool(state) for state in states])

    def _assemble(
        self, plan: Plan, batch: Batch
    ) -> tuple[torch.Tensor, torch.Tensor | None, torch.Tensor | None]:
        """Input ids, mask (None when nothing is padded) and segment ids (None when the model has none)."""
        import torch

        frame, pad = self._tokenizer.frame, self._tokenizer.pad
        extra = len(frame.prefix) + len(frame.suffix)
        lengths = plan.unit_length[batch.units]
        ids = np.full((len(batch.units), lengths.max() + extra), pad, np.int64)
        segments = np.zeros_like(ids) if frame.segments else None
        lead = len(frame.prefix)
        for row, (start, length) in enumerate(zip(plan.unit_start[batch.units], lengths, strict=True)):
            ids[row, :lead] = frame.prefix
            ids[row, lead : lead + length] = plan.pieces[start : start + length]
            ids[row, lead + length : length + extra] = frame.suffix
            if segments is not None and frame.segments is not None:
                segments[row, :lead], segments[row, lead:] = frame.segments[0], frame.segments[1]
                segments[row, lead + length : length + extra] = frame.segments[2]
        padded = lengths.min() != lengths.max()
        mask = torch.from_numpy(np.arange(ids.shape[1]) < (lengths + extra)[:, None]) if padded else None
        return torch.from_numpy(ids), mask, torch.from_numpy(segments) if segments is not None else None

    def _combine(self, pooled: list[torch.Tensor]) -> np.ndarray:
        if self.layers.weights is not None:
            total = sum(weight * state for weight, state in zip(self.layers.weights, pooled, strict=True))
            return total.numpy()  # type: ignore[union-attr]
        if self.layers.stacked:
            return np.stack([state.numpy() for state in pooled], axis=1)
        return pooled[0].numpy()
