"""Parts of a corpus that are scored apart.

Without training data: data sets that were read together (``senseval2.d000...``), splits, parts of speech.
With it, relative to how often senses occur there:

    MFS, LFS               the first sense of the inventory is right, or is not. So Table 6 of the FEWS paper
                           was made: its row "WordNet S1" has 100 and 0
    MFS in training, ...   the most frequent sense of training is right, or is not: so the paper's text has it
    zero-shot words        lemma and part of speech do not occur in training
    zero-shot senses       none of the right senses occurs in training
    l < 10, r ≥ 0.25, ...  l: occurrences of the right sense in training; r: its share of its lemma and part
                           of speech there, as in ranking. Of several right senses the most frequent counts
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise, product

import numpy as np
import pyarrow.compute as pc

from uncommonsense.inventories.protocol import Inventory
from uncommonsense.rank.selection import Bucket
from uncommonsense.schema import Corpus
from uncommonsense.wsd.first_sense import FirstSense
from uncommonsense.wsd.most_frequent import MostFrequentSense, count_senses
from uncommonsense.wsd.system import System

__all__ = ["FREQUENCY_EDGES", "PARTS", "PREVALENCE_EDGES", "plain_slices", "training_slices"]

FREQUENCY_EDGES = (1.0, 10.0, 100.0)
PREVALENCE_EDGES = (0.25,)

PARTS = {
    "n": "nouns",
    "v": "verbs",
    "a": "adjectives",
    "r": "adverbs",
    "p": "adpositions",
    "x": "other words",
}
_MERGED = re.compile(r"([^.]+)\.d\d+\.s\d+\.\w+")


def plain_slices(gold: Corpus) -> list[Bucket]:
    """Data sets; splits, and with ``dev.few-shot`` and ``dev.zero-shot`` also ``dev``; parts of speech."""
    merged = [_MERGED.fullmatch(each) for each in gold.instances["id"].to_pylist()]
    datasets = _apart([match[1] if match else "" for match in merged])
    splits = gold.instances["split"].to_pylist()
    several = Counter(name.partition(".")[0] for name in set(splits))
    wider = [name.partition(".")[0] for name in splits]
    wider = [name if several[name] > 1 else "" for name in wider]
    parts = _apart([PARTS.get(each, PARTS["x"]) for each in gold.instances["pos"].to_pylist()])
    order = list(PARTS.values())
    parts.sort(key=lambda bucket: order.index(bucket.label))
    return [*datasets, *_apart(wider), *_apart(splits), *parts]


def _apart(labels: Sequence[str]) -> list[Bucket]:
    column = np.array(labels)
    return [Bucket(name, column == name) for name in sorted(set(labels) - {""})]


def training_slices(
    gold: Corpus,
    training: Corpus,
    inventory: Inventory,
    *,
    frequency_edges: Sequence[float] = FREQUENCY_EDGES,
    prevalence_edges: Sequence[float] = PREVALENCE_EDGES,
) -> list[Bucket]:
    """Table 6's slices and the bands of frequency and prevalence; those without instances are left out."""
    counts, words = count_senses(training), Counter(_words(training))
    frequency, prevalence = _bands(gold, counts, words)
    known = np.array([words[word] > 0 for word in _words(gold)])
    first = _is_right(gold, FirstSense(inventory))
    frequent = _is_right(gold, MostFrequentSense(inventory).fit(training))
    found = [
        Bucket("MFS", first),
        Bucket("LFS", ~first),
        Bucket("MFS in training", frequent),
        Bucket("LFS in training", ~frequent),
        Bucket("zero-shot words", ~known),
        Bucket("zero-shot senses", frequency == 0),
    ]
    ranges = product(_ranges(frequency, frequency_edges, "l"), _ranges(prevalence, prevalence_edges, "r"))
    found += [Bucket(f"{a.label}, {b.label}", a.members & b.members) for a, b in ranges]
    return [bucket for bucket in found if bucket.members.any()]


def _words(corpus: Corpus) -> list[tuple[str, str]]:
    lemmas, parts = (corpus.instances[name] for name in ("lemma", "pos"))
    return list(zip(pc.utf8_lower(lemmas).to_pylist(), parts.to_pylist(), strict=True))


def _bands(
    gold: Corpus, counts: Counter[str], words: Counter[tuple[str, str]]
) -> tuple[np.ndarray, np.ndarray]:
    """Frequency and prevalence of each instance's most frequent right sense: both ``(instances,)``."""
    senses = gold.instances["senses"].to_pylist()
    frequency = np.array([max(counts[sense] for sense in right) for right in senses], np.float64)
    totals = np.array([words[word] for word in _words(gold)], np.float64)
    return frequency, frequency / np.maximum(totals, 1)


def _is_right(gold: Corpus, system: System) -> np.ndarray:
    pairs = zip(system.predict(gold).answers(), gold.instances["senses"].to_pylist(), strict=True)
    return np.array([answer in right for answer, right in pairs], bool)


def _ranges(values: np.ndarray, edges: Sequence[float], symbol: str) -> list[Bucket]:
    """As in ranking: lower ends included."""
    found = []
    for low, high in pairwise([-np.inf, *edges, np.inf]):
        if low == -np.inf:
            label = f"{symbol} < {high:g}" if high < np.inf else f"any {symbol}"
        else:
            label = f"{low:g} ≤ {symbol} < {high:g}" if high < np.inf else f"{symbol} ≥ {low:g}"
        found.append(Bucket(label, (values >= low) & (values < high)))
    return found
