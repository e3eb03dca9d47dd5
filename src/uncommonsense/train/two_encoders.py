"""A context encoder and a gloss encoder, which meet in a dot product.

FOLDER/context/, FOLDER/gloss/   as ``save_pretrained`` writes them
FOLDER/encoder/                  instead, where one does the work of both
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple, Self

import numpy as np
from torch import nn

from uncommonsense.encode import _hf
from uncommonsense.errors import MissingResourceError
from uncommonsense.schema import Corpus
from uncommonsense.train.encoder import LimitedEncoder, TrainableEncoder
from uncommonsense.train.files import replacing

__all__ = ["Reading", "TwoEncoders", "is_trained", "open_context_encoder", "open_gloss_encoder"]

_CONTEXT, _GLOSS, _BOTH = "context", "gloss", "encoder"


class Reading(NamedTuple):
    """How the two encoders read."""

    layers: str = "last"
    pool: str = "mean"
    """Of the target's pieces."""
    gloss_pool: str = "first"
    """Of a gloss, special tokens counted: ``first``, which is ``[CLS]`` in BERT; ``mean`` or ``last``."""
    context_length: int = 128
    """Pieces, special tokens counted; a longer sentence is read in a window around its target."""
    gloss_length: int = 32
    """Pieces, special tokens counted; a longer gloss is cut off."""


class TwoEncoders:
    """Both encoders, in training."""

    def __init__(self, context: TrainableEncoder, gloss: TrainableEncoder) -> None:
        self.context = context
        self.gloss = gloss

    @classmethod
    def open(cls, model: str, reading: Reading, *, tied: bool = False) -> Self:
        """Both from ``model``: a model's name, or the folder of two encoders that were trained before."""
        context = TrainableEncoder(_place(model, _CONTEXT), layers=reading.layers, pool=reading.pool)
        if tied:
            options = {"layers": reading.layers, "pool": reading.gloss_pool}
            gloss = TrainableEncoder.__new__(TrainableEncoder)
            gloss._set_up(context.model, context.tokenizer, dtype="fp32", batch_tokens=512, **options)
        else:
            gloss = TrainableEncoder(_place(model, _GLOSS), layers=reading.layers, pool=reading.gloss_pool)
        context.name = gloss.name = model
        return cls(context.read_at_most(reading.context_length), gloss.read_at_most(reading.gloss_length))

    @property
    def tied(self) -> bool:
        """Whether one model does the work of both."""
        return self.context.model is self.gloss.model

    @property
    def fingerprints(self) -> list[str]:
        """Of the context encoder and the gloss encoder."""
        return [self.context.fingerprint, self.gloss.fingerprint]

    def parameters(self, *, frozen: str = "") -> dict[str, nn.Parameter]:
        """By name, without those of the encoder that is ``frozen``; those of tied encoders once."""
        parts = {_BOTH: self.context} if self.tied else {_CONTEXT: self.context, _GLOSS: self.gloss}
        return {
            f"{part}.{name}": parameter
            for part, encoder in parts.items()
            if part != frozen
            for name, parameter in encoder.model.named_parameters()
        }

    def move(self, device: str) -> None:
        """Put the weights on a device."""
        for encoder in (self.context, self.gloss):
            encoder.model.to(device)

    def context_vectors(self, corpus: Corpus) -> np.ndarray:
        """Of all instances, without gradients: ``(instances, dim) float32``."""
        return self.context.vectors(self.context.lay_out(corpus))

    def gloss_vectors(self, texts: Sequence[str]) -> np.ndarray:
        """Of glosses, without gradients: ``(texts, dim) float32``."""
        return encode_texts(self.gloss, texts)

    def save(self, folder: Path) -> None:
        """Write both as folders that transformers loads."""
        parts = {_BOTH: self.context} if self.tied else {_CONTEXT: self.context, _GLOSS: self.gloss}
        for name, encoder in parts.items():
            with replacing(folder / name) as part:
                _hf.save(encoder.model, encoder.tokenizer, part)


def open_context_encoder(folder: Path, reading: Reading) -> LimitedEncoder:
    """The context encoder that was saved in ``folder``, for vectors without gradients."""
    _require(folder)
    encoder = LimitedEncoder(_place(str(folder), _CONTEXT), layers=reading.layers, pool=reading.pool)
    return encoder.read_at_most(reading.context_length)


def open_gloss_encoder(folder: Path, reading: Reading) -> TrainableEncoder:
    """The gloss encoder that was saved in ``folder``."""
    _require(folder)
    encoder = TrainableEncoder(_place(str(folder), _GLOSS), layers=reading.layers, pool=reading.gloss_pool)
    return encoder.read_at_most(reading.gloss_length)


def encode_texts(
    encoder: TrainableEncoder, texts: Sequence[str], *, advance: Callable[[float], None] = lambda _: None
) -> np.ndarray:
    """Vectors of whole texts, without gradients: ``(texts, dim) float32``."""
    return encoder.vectors(encoder.lay_out_texts(texts), advance=advance)


def is_trained(folder: Path) -> bool:
    """Whether two encoders were saved there."""
    return any((folder / name / "config.json").is_file() for name in (_CONTEXT, _BOTH))


def _require(folder: Path) -> None:
    if not is_trained(folder):
        raise MissingResourceError(
            f"{folder} holds no trained bi-encoder; train one: "
            f"uncommonsense wsd train biencoder --corpus semcor --out {folder}"
        )


def _place(model: str, part: str) -> str:
    """The folder of one encoder, or the model's name where both start from it."""
    folder = Path(model).expanduser()
    for name in (part, _BOTH):
        if (folder / name / "config.json").is_file():
            return str(folder / name)
    return model
