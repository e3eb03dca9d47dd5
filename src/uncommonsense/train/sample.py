"""The examples that a model is inoculated with."""

from __future__ import annotations

import hashlib
import json

import numpy as np
import pyarrow.compute as pc

from uncommonsense.errors import UserError
from uncommonsense.schema import Corpus

__all__ = ["PARTS", "SPLIT", "digest_sample", "draw_sample", "labels_of", "lot"]

PARTS = {"n": "nouns", "v": "verbs", "p": "prepositions"}
"""Parts of speech, drawn in equal numbers."""
SPLIT = "train"


def draw_sample(corpus: Corpus, size: int, *, seed: int = 0) -> Corpus:
    """Draw ``size // 3`` single-word nouns, verbs and prepositions each from the training split.

    An instance's place in the draw depends on its id and the seed alone: the sample of a smaller size is
    part of that of a larger one, and the order of the corpus does not matter.
    """
    share = size // len(PARTS)
    if share < 1:
        raise UserError(
            f"size {size} is too small: nouns, verbs and prepositions need one example each, so 3"
        )
    if not corpus.has_words:
        raise UserError(f"corpus {corpus.name!r} holds labels without words, which no model can read")
    pools = {part: _pool(corpus, part) for part in PARTS}
    if any(len(pool) < share for pool in pools.values()):
        raise UserError(_too_few(corpus, size, share, pools))
    ids = corpus.instances["id"].to_pylist()
    mask = np.zeros(len(corpus), bool)
    for pool in pools.values():
        mask[sorted(pool, key=lambda row: lot(ids[row], seed))[:share]] = True
    return corpus.select(mask)


def labels_of(sample: Corpus) -> list[str]:
    """The label of each instance: its first supersense."""
    labels: list[str] = pc.list_element(sample.instances["senses"], 0).to_pylist()
    return labels


def digest_sample(sample: Corpus) -> str:
    """A name for the sample's words, targets and labels, in any order."""
    tokens = sample.sentences["tokens"]
    columns = (sample.instances[name].to_pylist() for name in ("id", "start", "end"))
    rows = zip(*columns, labels_of(sample), sample.rows.tolist(), strict=True)
    examples = sorted([*rest, tokens[row].as_py()] for *rest, row in rows)
    return hashlib.sha256(json.dumps(examples).encode()).hexdigest()[:32]


def _pool(corpus: Corpus, part: str) -> np.ndarray:
    """Rows of the instances that can be drawn: single words of this part of speech with a supersense."""
    table = corpus.instances
    single = pc.equal(pc.subtract(table["end"], table["start"]), 1)
    labelled = pc.greater(pc.list_value_length(table["senses"]), 0)
    wanted = pc.and_(pc.equal(table["pos"], part), pc.equal(table["split"], SPLIT))
    return np.flatnonzero(np.asarray(pc.and_(pc.and_(single, labelled), wanted)))


def lot(name: str, seed: int) -> bytes:
    """What an id draws: the smaller, the sooner it is chosen."""
    return hashlib.blake2b(f"{seed}\x1f{name}".encode(), digest_size=16).digest()


def _too_few(corpus: Corpus, size: int, share: int, pools: dict[str, np.ndarray]) -> str:
    there = ", ".join(f"{len(pool):,} {PARTS[part]}" for part, pool in pools.items())
    splits = sorted(filter(None, pc.unique(corpus.instances["split"]).to_pylist()))
    message = (
        f"size {size} takes {share} nouns, verbs and prepositions each; the {SPLIT} split of {corpus.name!r} "
        f"has {there} (single words with a supersense)"
    )
    if SPLIT not in splits:
        return f"{message}; the corpus has the splits: {', '.join(splits) or 'none'}"
    most = len(PARTS) * min(map(len, pools.values()))
    return f"{message}; the largest size is {most}" if most else message
