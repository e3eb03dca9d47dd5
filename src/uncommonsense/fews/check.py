"""The properties that make a FEWS folder what the paper says it is, each proved or refuted with places.

Each property is a small generator that yields, for every item it looks at, None or a violation.
``lines`` and ``blocks`` find what breaks the format; the others look at what is well-formed.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from itertools import chain
from typing import Literal, NamedTuple

from uncommonsense.fews.folder import FILES, MAIN, Example, FewsFolder, headword, word_of
from uncommonsense.fews.layout import EVALUATION, SENSES
from uncommonsense.fews.published import published
from uncommonsense.fews.selection import is_like
from uncommonsense.fews.statistics import count_splits

__all__ = ["CheckReport", "Outcome", "Size", "Violation", "check_folder"]

Status = Literal["passed", "failed", "not checked"]

_ZERO = tuple(name for name in EVALUATION if name.endswith("zero-shot"))
_FEW = tuple(name for name in EVALUATION if name.endswith("few-shot"))
_MARKUP = re.compile(
    r"\[\[|\]\]|\{\{|\}\}|''|<!--|&(?:nbsp|lt|gt|amp|quot|ndash|mdash|#\d+);"
    r"|</?(?:ref|br|nowiki|sup|sub|small|span|math|div|poem|blockquote|[ibu])\b[^<>]*>",
    re.IGNORECASE,
)


class Violation(NamedTuple):
    """Where a property does not hold (``file:line``), and what is there."""

    place: str
    value: str


class Outcome(NamedTuple):
    """A property, how it fared, and the first of its violations."""

    name: str
    says: str
    status: Status
    checked: int
    violations: int
    first: tuple[Violation, ...] = ()
    reason: str = ""
    """Why it could not be checked."""


class Size(NamedTuple):
    """A quantity of a split, here and in the paper."""

    split: str
    quantity: str
    here: int
    published: int


class CheckReport(NamedTuple):
    """All that a check found."""

    folder: str
    outcomes: tuple[Outcome, ...]
    sizes: tuple[Size, ...]

    @property
    def ok(self) -> bool:
        """No property failed; some may not have been checked."""
        return all(each.status != "failed" for each in self.outcomes)


Findings = Iterator[Violation | None]
Check = Callable[[FewsFolder], Findings]


class _Property(NamedTuple):
    says: str
    needs: tuple[str, ...]
    check: Check


_PROPERTIES: dict[str, _Property] = {}


def _property(name: str, says: str, *needs: str) -> Callable[[Check], Check]:
    """Register a check; ``needs`` are the files without which it cannot be made."""

    def register(check: Check) -> Check:
        _PROPERTIES[name] = _Property(says, needs, check)
        return check

    return register


def check_folder(folder: FewsFolder, *, places: int = 5) -> CheckReport:
    """Check every property to the end, and keep the first ``places`` violations of each."""
    outcomes = tuple(_outcome(folder, name, each, places) for name, each in _PROPERTIES.items())
    return CheckReport(str(folder.path), outcomes, _sizes(folder))


def _outcome(folder: FewsFolder, name: str, wanted: _Property, places: int) -> Outcome:
    missing = [FILES.get(need, SENSES) for need in wanted.needs if not folder.has(need)]
    if missing:
        reason = f"there is no {' and no '.join(missing)}"
        return Outcome(name, wanted.says, "not checked", 0, 0, reason=reason)
    checked, violations, first = 0, 0, []
    for found in wanted.check(folder):
        checked += 1
        if found:
            violations += 1
            first += [found] if violations <= places else []
    if not checked:
        return Outcome(name, wanted.says, "not checked", 0, 0, reason="there is nothing to look at")
    status: Status = "failed" if violations else "passed"
    return Outcome(name, wanted.says, status, checked, violations, tuple(first))


def _sizes(folder: FewsFolder) -> tuple[Size, ...]:
    printed = published().splits
    return tuple(
        Size(split.name, quantity, getattr(split, quantity), int(printed[split.name][quantity]))
        for split in count_splits(folder)
        for quantity in ("examples", "senses", "words")
    )


# Form


@_property(
    "lines", "Every line has a sentence with paired <WSD> marks, a sense word.pos.N, at most an attribution"
)
def _lines(folder: FewsFolder) -> Findings:
    for each in chain.from_iterable(map(folder.lines, FILES)):
        yield Violation(each.place, each.flaw) if each.flaw else None


@_property("blocks", "Every sense has an id, a word and a gloss", "senses")
def _blocks(folder: FewsFolder) -> Findings:
    for block in folder.senses:
        yield Violation(block.place, block.flaw) if block.flaw else None


@_property("ids", "No two senses have the same id", "senses")
def _ids(folder: FewsFolder) -> Findings:
    seen: dict[str, int] = {}
    for block in folder.senses:
        first = seen.setdefault(block.id, block.line)
        doubled = block.id and first != block.line
        yield Violation(block.place, f"{block.id}, also on line {first}") if doubled else None


@_property("numbering", "The senses of a word are numbered without gaps, all from 0 or all from 1", "senses")
def _numbering(folder: FewsFolder) -> Findings:
    numbers: defaultdict[str, set[int]] = defaultdict(set)
    lines: dict[str, int] = {}
    for block in folder.senses:
        if not block.flaw:
            word = word_of(block.id)
            numbers[word].add(int(block.id.rpartition(".")[2]))
            lines.setdefault(word, block.line)
    start = min(1, min((min(each) for each in numbers.values()), default=1))
    for word, found in numbers.items():
        expected = set(range(start, start + len(found)))
        absent = ", ".join(map(str, sorted(expected - found)[:5]))
        yield None if found == expected else Violation(f"{SENSES}:{lines[word]}", f"{word} has no {absent}")


@_property("markup", "No wiki markup is left in examples and glosses")
def _markup(folder: FewsFolder) -> Findings:
    for each in folder.examples(*FILES):
        yield _left_over(each.place, each.text)
    for block in folder.senses:
        yield _left_over(block.place, block.gloss)


def _left_over(place: str, text: str) -> Violation | None:
    match = _MARKUP.search(text)
    if match is None:
        return None
    return Violation(place, f"{match[0]!r} in {text[max(0, match.start() - 20) : match.end() + 20]!r}")


# Senses


@_property("known", "The sense of every example is in senses.txt", "senses")
def _known(folder: FewsFolder) -> Findings:
    for each in folder.examples(*FILES):
        yield None if each.sense in folder.sense_ids else Violation(each.place, each.sense)


@_property("ambiguous", "Every word of the main files has more than one sense", "senses")
def _ambiguous(folder: FewsFolder) -> Findings:
    for each in folder.examples(*MAIN):
        word = word_of(each.sense)
        count = folder.inventory[word]
        found = f"{each.sense}, the only sense" if count else f"{each.sense}, no sense of {word} in {SENSES}"
        yield None if count > 1 else Violation(each.place, found)


@_property("forms", "A target shares at least half of its letters, in order, with the headword")
def _forms(folder: FewsFolder) -> Findings:
    for each in folder.examples(*FILES):
        word = headword(each.sense).lemma.replace("_", " ").casefold()
        for target in each.targets:
            form = " ".join(target.casefold().split())
            alike = is_like(form, word, similarity=0.5)
            yield None if alike else Violation(each.place, f"{target!r} for {each.sense}")


# Splits


@_property("different", "Every evaluation example has a sense that no other evaluation example has")
def _different(folder: FewsFolder) -> Findings:
    seen: dict[str, str] = {}
    for each in folder.examples(*EVALUATION):
        first = seen.setdefault(each.sense, each.place)
        yield Violation(each.place, f"{each.sense}, also at {first}") if first != each.place else None


@_property("single", "Every evaluation example has one target")
def _single(folder: FewsFolder) -> Findings:
    for each in folder.examples(*EVALUATION):
        count = len(each.targets)
        yield Violation(each.place, f"{count} targets") if count > 1 else None


@_property("zero-shot", "No zero-shot sense has an example in the training set or its extension", "train")
def _zero_shot(folder: FewsFolder) -> Findings:
    held = {each.sense: each.place for each in folder.examples(*_ZERO)}
    if held:
        for each in folder.examples("train", "train.ext"):
            tested = held.get(each.sense)
            yield Violation(each.place, f"{each.sense}, zero-shot at {tested}") if tested else None


@_property("few-shot", "Every few-shot sense has an example in the training set", "train")
def _few_shot(folder: FewsFolder) -> Findings:
    trained = {each.sense for each in folder.examples("train")}
    for each in folder.examples(*_FEW):
        yield None if each.sense in trained else Violation(each.place, each.sense)


@_property("once", "No evaluation example is given twice, or is in the training set or its extension")
def _once(folder: FewsFolder) -> Findings:
    trained = {(each.plain, each.sense): each.place for each in folder.examples("train.ext", "train")}
    for each in folder.examples(*EVALUATION):
        first = trained.setdefault((each.plain, each.sense), each.place)
        yield Violation(each.place, f"also at {first}") if first != each.place else None


@_property("extended", "The extended training set has all of the training set", "train", "train.ext")
def _extended(folder: FewsFolder) -> Findings:
    there = Counter((each.text, each.sense) for each in folder.examples("train.ext"))
    for each in folder.examples("train"):
        there[each.text, each.sense] -= 1
        yield Violation(each.place, _shortened(each)) if there[each.text, each.sense] < 0 else None


@_property("illustrations", "What the extension adds are illustrations", "train", "train.ext", "raw.examples")
def _illustrations(folder: FewsFolder) -> Findings:
    yield from _members(folder, folder.illustrations, "raw.examples")


@_property("quotations", "Training and evaluation examples are quotations", "raw.quotations")
def _quotations(folder: FewsFolder) -> Findings:
    yield from _members(folder, folder.examples("train", *EVALUATION), "raw.quotations")


def _members(folder: FewsFolder, examples: Iterator[Example] | list[Example], source: str) -> Findings:
    """Whether examples are in a raw file, marks apart: evaluation examples may have lost some."""
    there = {(each.plain, each.sense) for each in folder.examples(source)}
    for each in examples:
        known = (each.plain, each.sense) in there
        yield None if known else Violation(each.place, f"not in {FILES[source]}: {_shortened(each)}")


def _shortened(example: Example) -> str:
    text = example.plain
    return f"{text[:60].rstrip()}… ({example.sense})" if len(text) > 60 else f"{text} ({example.sense})"
