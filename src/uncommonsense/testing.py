"""Fakes for tests of code that uses this package: an encoder without weights, a corpus, an inventory.

>>> from uncommonsense.testing import HashEncoder, mini_corpus
>>> corpus = mini_corpus()
>>> HashEncoder().encode([(["the", "bat", "slept"], (1, 2))]).shape
(1, 256)
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from functools import cached_property

import numpy as np

from uncommonsense.corpora.marked import tokenize_marked
from uncommonsense.encode.encoder import Encoder
from uncommonsense.encode.layers import Layers
from uncommonsense.errors import UserError
from uncommonsense.inventories.protocol import Inventory
from uncommonsense.inventories.table import TableInventory
from uncommonsense.schema import Corpus, Instance, Sense, Sentence

__all__ = ["HashEncoder", "mini_corpus", "mini_inventory"]

_MOST_DIMENSIONS = 512
"""What one BLAKE2b digest has bits for."""


class HashEncoder(Encoder):
    """An :class:`Encoder` whose vectors come from hashes: the same everywhere, at once, without torch.

    A word is a vector of +1 and -1 drawn from the hash of its lower-case form. The vector of a target is
    the sum of its own words and of the ``window`` words on each side: targets in the same company are
    similar, whatever its order.
    """

    def __init__(self, *, dim: int = 256, window: int = 5, name: str = "hash") -> None:
        if dim % 8 or not 8 <= dim <= _MOST_DIMENSIONS:
            raise UserError(f"dim must be a multiple of 8 from 8 to {_MOST_DIMENSIONS}, not {dim}")
        if window < 0:
            raise UserError(f"window must be at least 0, not {window}")
        self.dim = dim
        self.window = window
        self.name = name
        self.layers = Layers((1,))
        self.pool = "mean"
        self.dtype = "fp32"

    @property
    def depth(self) -> int:
        """It has one layer."""
        return 1

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of one vector: ``(dim,)``."""
        return (self.dim,)

    @cached_property
    def fingerprint(self) -> str:
        """Names ``dim`` and ``window``, which decide a vector."""
        return hashlib.sha256(json.dumps(["hash", self.dim, self.window]).encode()).hexdigest()[:32]

    def encode_table(
        self,
        vocabulary: Sequence[str],
        codes: np.ndarray,
        offsets: np.ndarray,
        targets: np.ndarray,
        *,
        advance: Callable[[float], None] = lambda _: None,
    ) -> np.ndarray:
        """Vectors of targets in text given as columns: ``(targets, dim) float32``."""
        words = np.array([self._word(word) for word in vocabulary]).reshape(-1, self.dim)
        out = np.empty((len(targets), self.dim), np.float32)
        for i, (sentence, start, end) in enumerate(targets):
            tokens = codes[offsets[sentence] : offsets[sentence + 1]]
            low, high = max(0, start - self.window), min(len(tokens), end + self.window)
            out[i] = words[tokens[low:high]].sum(axis=0)
        advance(len(targets))
        return out

    def _word(self, word: str) -> np.ndarray:
        """``(dim,) float64``, each +1 or -1."""
        digest = hashlib.blake2b(word.lower().encode(), digest_size=self.dim // 8).digest()
        return np.unpackbits(np.frombuffer(digest, np.uint8)) * 2.0 - 1.0


_SENTENCES = {
    ("bat", "n", "bat.n.animal"): (
        "In the dark cave a [bat] slept upside down.",
        "A brown [bat] slept upside down all day.",
        "One tired [bat] slept upside down above us.",
    ),
    ("bat", "n", "bat.n.club"): (
        "He swung the wooden [bat] and hit the ball.",
        "She swung her [bat] and hit the ball.",
        "They swung a heavy [bat] and hit the ball.",
    ),
    ("draw", "v", "draw.v.picture"): (
        "The children [drew] horses with a soft pencil.",
        "I [draw] faces with a soft pencil every day.",
        "Can you [draw] maps with a soft pencil?",
    ),
    ("draw", "v", "draw.v.pull"): (
        "Two oxen [drew] the cart up the muddy hill.",
        "A tired horse [drew] the cart up the stony lane.",
        "One mule can [draw] the cart up the road.",
    ),
}
"""The last sentence of each sense is in the ``test`` split, the others in ``train``."""

_GLOSSES = {
    "bat.n.animal": "a small animal that flies at night",
    "bat.n.club": "a stick with which a ball is hit",
    "draw.v.picture": "make a picture with lines",
    "draw.v.pull": "make something move behind one",
}


def mini_corpus() -> Corpus:
    """Twelve invented sentences: two senses each of ``bat`` (n) and ``draw`` (v).

    Of each sense two sentences are for ``train`` and one for ``test``; rank with ``Protocol(minimum=2)``.
    """
    return Corpus.from_sentences(_sentences(), name="mini")


def _sentences() -> list[Sentence]:
    sentences = []
    for (lemma, pos, sense), texts in _SENTENCES.items():
        for number, text in enumerate(texts, 1):
            tokens, [(start, end)] = tokenize_marked(text.replace("]", "[").split("["))
            name, split = f"{sense}.{number}", "test" if number == len(texts) else "train"
            target = Instance(f"{name}.t0", start, end, lemma, pos, (sense,), split)
            sentences.append(Sentence(name, tokens, "invented", (target,)))
    return sentences


def mini_inventory() -> Inventory:
    """The four senses of :func:`mini_corpus`."""
    senses = (Sense(sense, (lemma,), pos, _GLOSSES[sense]) for lemma, pos, sense in _SENTENCES)
    return TableInventory.from_senses(senses, name="mini")
