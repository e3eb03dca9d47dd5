"""What two FEWS folders have in common: two builds, or a build and the published data.

Numbers shift when a dictionary changes, so a sense is not matched by its id. Within a word and part of
speech (``adj`` and ``adjective`` are one, and so are capitals and small letters) senses are paired by the
words of their gloss; then, of those that are left, the most similar first, down to a similarity of 0.6: they
have changed their gloss. Examples are paired by word, part of speech and the words of their text: case,
punctuation and marks do not matter.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from typing import NamedTuple, TypeVar

from uncommonsense.fews.folder import Example, FewsFolder, SenseBlock, Word, headword
from uncommonsense.fews.layout import EVALUATION
from uncommonsense.fews.statistics import count_splits

_Item = TypeVar("_Item")

__all__ = ["Count", "Difference", "ExampleChange", "SenseChange", "compare_folders"]

_SIMILAR = 0.6
"""The share of words in common, in order, from which a gloss is the same gloss, changed."""


class Count(NamedTuple):
    """A quantity of a split in both folders."""

    split: str
    quantity: str
    a: int
    b: int


class SenseChange(NamedTuple):
    """A sense in A and in B; what is in one of them only is empty in the other."""

    a: str
    b: str
    gloss_a: str
    gloss_b: str


class ExampleChange(NamedTuple):
    """An example in A and in B; what is in one of them only is empty in the other."""

    text: str
    split_a: str
    split_b: str
    sense_a: str
    sense_b: str
    place_a: str
    place_b: str


class Difference(NamedTuple):
    """All differences between folder A and folder B."""

    a: str
    b: str
    counts: tuple[Count, ...]
    same_senses: int
    """Senses with the same gloss, renumbered ones among them."""
    renumbered_senses: tuple[SenseChange, ...]
    changed_senses: tuple[SenseChange, ...]
    """Senses that have another gloss."""
    added_senses: tuple[SenseChange, ...]
    removed_senses: tuple[SenseChange, ...]
    same_examples: int
    """Examples in the same split with the same sense."""
    moved_examples: tuple[ExampleChange, ...]
    """Examples in another split."""
    relabelled_examples: tuple[ExampleChange, ...]
    """Examples in the same split whose sense in A is not paired with their sense in B."""
    added_examples: tuple[ExampleChange, ...]
    removed_examples: tuple[ExampleChange, ...]


def compare_folders(a: FewsFolder, b: FewsFolder) -> Difference:
    """Compare all senses and examples of two folders."""
    senses = list(_pair_senses(a, b))
    both = [each for each in senses if each.a and each.b]
    changed = [each for each in both if _words(each.gloss_a) != _words(each.gloss_b)]
    partners = {each.a: each.b for each in both}
    examples = list(_pair_examples(a, b, partners))
    kept = [each for each in examples if each.split_a == each.split_b]
    relabelled = [each for each in kept if not _same_sense(each.sense_a, each.sense_b, partners)]
    return Difference(
        a=str(a.path),
        b=str(b.path),
        counts=tuple(_counts(a, b)),
        same_senses=len(both) - len(changed),
        renumbered_senses=tuple(each for each in both if _number(each.a) != _number(each.b)),
        changed_senses=tuple(changed),
        added_senses=tuple(each for each in senses if not each.a),
        removed_senses=tuple(each for each in senses if not each.b),
        same_examples=len(kept) - len(relabelled),
        moved_examples=tuple(each for each in examples if "" != each.split_a != each.split_b != ""),
        relabelled_examples=tuple(relabelled),
        added_examples=tuple(each for each in examples if not each.split_a),
        removed_examples=tuple(each for each in examples if not each.split_b),
    )


def _counts(a: FewsFolder, b: FewsFolder) -> Iterator[Count]:
    for one, other in zip(count_splits(a), count_splits(b), strict=True):
        for quantity in ("examples", "senses", "words"):
            yield Count(one.name, quantity, getattr(one, quantity), getattr(other, quantity))


def _words(text: str) -> str:
    return " ".join(re.findall(r"\w+", text.casefold()))


def _same_sense(a: str, b: str, partners: Mapping[str, str]) -> bool:
    """By their partners; where no senses are known, by their ids."""
    return (partners.get(a) if partners else a) == b


def _pair(
    one: Sequence[_Item], other: Sequence[_Item], likeness: Callable[[_Item, _Item], float]
) -> Iterator[tuple[_Item | None, _Item | None]]:
    """Pair items, the most alike first; those that are like none (0) have no partner."""
    alike = [
        (ratio, i, j) for i, x in enumerate(one) for j, y in enumerate(other) if (ratio := likeness(x, y))
    ]
    left, right = dict(enumerate(one)), dict(enumerate(other))
    for _, i, j in sorted(alike, key=lambda each: (-each[0], *each[1:])):
        if i in left and j in right:
            yield left.pop(i), right.pop(j)
    yield from ((item, None) for item in left.values())
    yield from ((None, item) for item in right.values())


def _number(sense: str) -> str:
    return sense.rpartition(".")[2]


# Senses


def _pair_senses(a: FewsFolder, b: FewsFolder) -> Iterator[SenseChange]:
    one, other = _senses(a), _senses(b)
    for word in [*one, *(word for word in other if word not in one)]:
        yield from _pair_word(one.get(word, []), other.get(word, []))


def _senses(folder: FewsFolder) -> dict[Word, list[SenseBlock]]:
    found: defaultdict[Word, list[SenseBlock]] = defaultdict(list)
    for block in folder.senses:
        if not block.flaw:
            found[headword(block.id)].append(block)
    return found


def _pair_word(one: list[SenseBlock], other: list[SenseBlock]) -> Iterator[SenseChange]:
    glosses: defaultdict[str, list[SenseBlock]] = defaultdict(list)
    for block in other:
        glosses[_words(block.gloss)].append(block)
    left = []
    for block in one:
        if same := glosses[_words(block.gloss)]:
            yield _sense_change(block, same.pop(0))
        else:
            left.append(block)
    unmatched = [block for same in glosses.values() for block in same]
    yield from (_sense_change(*pair) for pair in _pair(left, unmatched, _similarity))


def _similarity(one: SenseBlock, other: SenseBlock) -> float:
    """Of two glosses, by their words; 0 where it is too small."""
    matcher = SequenceMatcher(None, _words(one.gloss).split(), _words(other.gloss).split(), autojunk=False)
    if matcher.real_quick_ratio() < _SIMILAR or matcher.quick_ratio() < _SIMILAR:
        return 0.0
    ratio = matcher.ratio()
    return ratio if ratio >= _SIMILAR else 0.0


def _sense_change(a: SenseBlock | None, b: SenseBlock | None) -> SenseChange:
    return SenseChange(a.id if a else "", b.id if b else "", a.gloss if a else "", b.gloss if b else "")


# Examples

_Placed = tuple[str, Example]
"""A split and an example in it."""


def _pair_examples(a: FewsFolder, b: FewsFolder, partners: Mapping[str, str]) -> Iterator[ExampleChange]:
    """Of examples with the same text, those with the same sense and then those of the same split are one."""

    def likeness(one: _Placed, other: _Placed) -> float:
        return 1 + 2 * _same_sense(one[1].sense, other[1].sense, partners) + (one[0] == other[0])

    one, other = _examples(a), _examples(b)
    for key in [*one, *(key for key in other if key not in one)]:
        yield from (_example_change(*pair) for pair in _pair(one.get(key, []), other.get(key, []), likeness))


def _examples(folder: FewsFolder) -> dict[tuple[Word, str], list[_Placed]]:
    found: defaultdict[tuple[Word, str], list[_Placed]] = defaultdict(list)
    splits = {name: folder.examples(name) for name in ("train", *EVALUATION)}
    for split, examples in {**splits, "illustrations": iter(folder.illustrations)}.items():
        for each in examples:
            found[headword(each.sense), _words(each.plain)].append((split, each))
    return found


def _example_change(a: _Placed | None, b: _Placed | None) -> ExampleChange:
    (split_a, one), (split_b, other) = (each or ("", Example("", 0, "", "")) for each in (a, b))
    return ExampleChange(
        text=(one if a else other).text,
        split_a=split_a,
        split_b=split_b,
        sense_a=one.sense,
        sense_b=other.sense,
        place_a=one.place if a else "",
        place_b=other.place if b else "",
    )
