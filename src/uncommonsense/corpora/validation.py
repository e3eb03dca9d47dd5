"""Checks on a corpus that reading it does not make, each with a code and the places where it failed first."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass

import numpy as np

from uncommonsense.corpora.spelling import pos_of_key
from uncommonsense.inventories.protocol import POS, Inventory, fold_lemma, fold_pos
from uncommonsense.schema import Instance, Sentence

__all__ = ["CHECKS", "Finding", "Report", "validate"]

_PLACES = 5
"""How many places a finding names."""

CHECKS = {
    "repeated-sentence-id": "two sentences have the same id",
    "repeated-instance-id": "two targets have the same id",
    "empty-id": "a sentence or target has no id",
    "no-tokens": "a sentence has no tokens",
    "empty-token": "a token is empty or blank",
    "bad-span": "a target's span is empty or outside its sentence",
    "no-lemma": "a target has no lemma",
    "unknown-pos": f"a part of speech is none of {' '.join(POS)}",
    "key-lemma": "the lemma of a sense key is not that of its target",
    "key-pos": "the part of speech of a sense key is not that of its target",
    "unknown-sense": "a sense is not in the inventory",
    "not-a-candidate": "the inventory does not list a sense for its target's lemma and part of speech",
}
"""Code -> what it means."""


@dataclass(frozen=True)
class Finding:
    """Something that is wrong, and where."""

    code: str
    meaning: str
    count: int
    places: tuple[str, ...]
    """The first few: ids, with the value that was found."""


@dataclass(frozen=True)
class Report:
    """What a validation found."""

    sentences: int
    instances: int
    findings: tuple[Finding, ...]

    @property
    def ok(self) -> bool:
        """Whether nothing was found."""
        return not self.findings

    def as_dict(self) -> dict[str, object]:
        """Plain values, as JSON wants them."""
        return asdict(self)


Fault = tuple[str, str]
"""A code and a place."""


def validate(source: Iterable[Sentence], inventory: Inventory | None = None) -> Report:
    """Check a corpus; ``source`` can be read twice, which happens only if an id seems to be repeated."""
    counts: dict[str, int] = {}
    places: dict[str, list[str]] = {}
    instances = 0
    sentences, targets = _Repeats(lambda each: [each.id]), _Repeats(_instance_ids)

    def note(fault: Fault) -> None:
        code, place = fault
        counts[code] = counts.get(code, 0) + 1
        if len(first := places.setdefault(code, [])) < _PLACES:
            first.append(place)

    for sentence in source:
        instances += len(sentence.instances)
        sentences.add(sentence)
        targets.add(sentence)
        for fault in _faults(sentence, inventory):
            note(fault)
    for code, repeats in (("repeated-sentence-id", sentences), ("repeated-instance-id", targets)):
        for place in repeats.find(source):
            note((code, place))
    found = (
        Finding(code, CHECKS[code], counts[code], tuple(places[code])) for code in CHECKS if code in counts
    )
    return Report(len(sentences), instances, tuple(found))


def _faults(sentence: Sentence, inventory: Inventory | None) -> Iterator[Fault]:
    if not sentence.id:
        yield "empty-id", f"a sentence of {sentence.source!r}"
    if not sentence.tokens:
        yield "no-tokens", sentence.id
    for number, token in enumerate(sentence.tokens):
        if not token.strip():
            yield "empty-token", f"{sentence.id} token {number}"
    for instance in sentence.instances:
        yield from _instance_faults(instance, len(sentence.tokens), sentence.id)
        for sense in instance.senses:
            yield from _sense_faults(instance, sense, inventory)


def _instance_faults(instance: Instance, length: int, sentence: str) -> Iterator[Fault]:
    if not instance.id:
        yield "empty-id", f"a target in {sentence}"
    if not 0 <= instance.start < instance.end <= length:
        yield "bad-span", f"{instance.id}: {instance.start} to {instance.end} of {length} tokens"
    if not instance.lemma:
        yield "no-lemma", instance.id
    if len(instance.pos) != 1 or instance.pos not in POS:
        yield "unknown-pos", f"{instance.id}: {instance.pos!r}"


def _sense_faults(instance: Instance, sense: str, inventory: Inventory | None) -> Iterator[Fault]:
    pos = pos_of_key(sense)
    if pos is not None:
        if pos != fold_pos(instance.pos):
            yield "key-pos", f"{instance.id}: {sense} as {instance.pos}"
        if sense.partition("%")[0] != fold_lemma(instance.lemma):
            yield "key-lemma", f"{instance.id}: {sense} for {instance.lemma}"
    if inventory is None:
        return
    if sense not in inventory:
        yield "unknown-sense", f"{instance.id}: {sense}"
    elif sense not in inventory.candidates(instance.lemma, instance.pos):
        yield "not-a-candidate", f"{instance.id}: {sense} for {instance.lemma} ({instance.pos})"


def _instance_ids(sentence: Sentence) -> list[str]:
    return [instance.id for instance in sentence.instances]


class _Repeats:
    """Finds repeated ids with eight bytes for each: first by hash, then by name in a second reading."""

    def __init__(self, ids: Callable[[Sentence], list[str]]) -> None:
        self.ids = ids
        self.hashes = array("q")

    def __len__(self) -> int:
        return len(self.hashes)

    def add(self, sentence: Sentence) -> None:
        self.hashes.extend(map(hash, self.ids(sentence)))

    def find(self, source: Iterable[Sentence]) -> Iterator[str]:
        """Yield an id each time it comes again."""
        values, counts = np.unique(np.frombuffer(self.hashes, np.int64), return_counts=True)
        suspects = set(values[counts > 1].tolist())
        if not suspects:
            return
        seen: set[str] = set()
        for sentence in source:
            for name in self.ids(sentence):
                if hash(name) in suspects:
                    if name in seen:
                        yield name
                    seen.add(name)
