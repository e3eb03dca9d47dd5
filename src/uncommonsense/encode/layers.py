"""Which hidden layers a vector is made of, as a value with one spelling.

====================  =========================================================  ===============
spelling              meaning                                                    vector shape
====================  =========================================================  ===============
``last``, ``-1``      the last layer                                             ``(dim,)``
``7``                 layer 7; layer 0 is the embedding layer                    ``(dim,)``
``4,5,6``, ``4-6``    these layers, kept apart                                   ``(3, dim)``
``all``               every layer, kept apart                                    ``(layers, dim)``
``mean``              the mean over every layer                                  ``(dim,)``
``mean:4-6``          the mean over these layers                                 ``(dim,)``
``sum:4=0.2,5=0.8``   the weighted sum                                           ``(dim,)``
====================  =========================================================  ===============
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from numbers import Integral

from uncommonsense.errors import UserError

__all__ = ["Layers", "one_vector"]

_DEEPER_THAN_ANY = 10_000

_NUMBER = r"[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?"


@dataclass(frozen=True)
class Layers:
    """Resolved layers of one model: ``indices`` ascending, ``weights`` when they are summed into one."""

    indices: tuple[int, ...]
    weights: tuple[float, ...] | None = None

    @classmethod
    def parse(cls, spec: str | int | Sequence[int] | Mapping[int, float] | Layers, *, depth: int) -> Layers:
        """Resolve a spelling for a model with ``depth`` layers above the embeddings."""
        if isinstance(spec, Layers):
            return cls(tuple(_resolve(index, depth) for index in spec.indices), spec.weights)
        if isinstance(spec, Mapping):
            return cls._weighted(((int(index), float(weight)) for index, weight in spec.items()), depth)
        if isinstance(spec, int | Integral):
            return cls((_resolve(int(spec), depth),))
        if not isinstance(spec, str):
            return cls(_indices(",".join(map(str, spec)), depth))
        return cls._parse_text(spec.strip().lower(), depth)

    @classmethod
    def _parse_text(cls, text: str, depth: int) -> Layers:
        kind, _, rest = text.partition(":")
        if kind == "mean":
            indices = _indices(rest or "all", depth)
            return cls(indices, tuple(1 / len(indices) for _ in indices))
        if kind == "sum":
            matches = [re.fullmatch(rf"\s*(-?\d+)\s*=\s*({_NUMBER})\s*", part) for part in rest.split(",")]
            if not all(matches):
                raise _unreadable(text)
            return cls._weighted(((int(match[1]), float(match[2])) for match in matches if match), depth)
        return cls(_indices(text, depth))

    @classmethod
    def _weighted(cls, pairs: Iterable[tuple[int, float]], depth: int) -> Layers:
        weights: dict[int, float] = {}
        for index, weight in pairs:
            if (layer := _resolve(index, depth)) in weights:
                raise UserError(f"layer {layer} has two weights; give each layer once")
            if not math.isfinite(weight):
                raise UserError(f"the weight of layer {layer} is {weight}, not a finite number")
            weights[layer] = weight
        if not weights:
            raise _unreadable("sum:")
        return cls(tuple(sorted(weights)), tuple(weight for _, weight in sorted(weights.items())))

    def __str__(self) -> str:
        if self.weights is None:
            return ",".join(map(str, self.indices))
        return "sum:" + ",".join(f"{i}={w!r}" for i, w in zip(self.indices, self.weights, strict=True))

    @property
    def stacked(self) -> bool:
        """Whether a vector has an axis of layers: several layers that are not summed."""
        return self.weights is None and len(self.indices) > 1


def one_vector(spec: str) -> str:
    """``spec``, unless it keeps several layers apart: refused before a model is loaded."""
    if Layers.parse(spec, depth=_DEEPER_THAN_ANY).stacked:
        raise UserError(f"similarity needs one vector a word; write mean:{spec} or choose one layer")
    return spec


def _indices(text: str, depth: int) -> tuple[int, ...]:
    if text == "last":
        return (depth,)
    if text == "all":
        return tuple(range(depth + 1))
    found: set[int] = set()
    for part in text.split(","):
        match = re.fullmatch(r"\s*(-?\d+)(?:\s*-\s*(-?\d+))?\s*", part)
        if match is None:
            raise _unreadable(text)
        first = _resolve(int(match[1]), depth)
        last = _resolve(int(match[2]), depth) if match[2] else first
        if last < first:
            raise UserError(f"layers {part.strip()!r} run backwards; write the lower layer first")
        found.update(range(first, last + 1))
    return tuple(sorted(found))


def _resolve(index: int, depth: int) -> int:
    if not -depth - 1 <= index <= depth:
        raise UserError(
            f"layer {index} does not exist: this model has layers 0 (embeddings) to {depth}, "
            f"or counted from the end, -1 to {-depth - 1}"
        )
    return index % (depth + 1)


def _unreadable(text: str) -> UserError:
    known = "last, 7, 4-6, 4,5,6, all, mean, mean:4-6 or sum:4=0.2,5=0.8"
    return UserError(f"cannot read layers {text!r}; write {known}")
