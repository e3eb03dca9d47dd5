"""The paper's analysis of FEWS (Tables 1 and 2, Figures 2, 3 and 4) for any folder in its layout.

A word is a headword with its part of speech (``like.verb``); tokens are what white space separates.
Ambiguity is the number of senses that the target's word has in ``senses.txt``, averaged over targets:
averaged over examples or words, Table 1's figures for parts and whole would contradict each other.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from itertools import chain
from statistics import fmean
from typing import NamedTuple

from uncommonsense.errors import UserError
from uncommonsense.fews.folder import Example, FewsFolder, word_of
from uncommonsense.fews.layout import EVALUATION
from uncommonsense.fews.published import published, tag_group
from uncommonsense.fews.semcor import FEW, SenseCorpus, Usage, framework_rows, usages_of
from uncommonsense.schema import Sentence

__all__ = [
    "Evaluated",
    "Fact",
    "Part",
    "Split",
    "Statistics",
    "Tag",
    "TagGroup",
    "count_folder",
    "count_splits",
]


class Split(NamedTuple):
    """A row of Table 1, and the mean number of senses over words instead of targets."""

    name: str
    examples: int
    tokens: int
    annotations: int
    senses: int
    words: int
    ambiguity: float | None
    senses_per_word: float | None


class Evaluated(NamedTuple):
    """A row of Table 2: distinct senses of an evaluation set."""

    name: str
    fews: int
    framework: int | None


class Fact(NamedTuple):
    """A number, beside the paper's where it prints one. Shares are in per cent."""

    key: str
    says: str
    value: float | None
    published: float | str | None
    place: str


class Tag(NamedTuple):
    """A tag, its group, and how many senses with examples have it."""

    tag: str
    group: str
    senses: int


class TagGroup(NamedTuple):
    """A group of tags, how many there are, and how many senses with examples have one of them."""

    group: str
    tags: int
    senses: int


class Part(NamedTuple):
    """A part of speech as the sense ids spell it."""

    pos: str
    examples: int
    senses: int
    words: int


class Statistics(NamedTuple):
    """Everything that is counted."""

    folder: str
    splits: tuple[Split, ...]
    evaluation: tuple[Evaluated, ...]
    facts: tuple[Fact, ...]
    frequencies: dict[int, int]
    """Training examples of a sense -> how many senses."""
    ambiguity: dict[int, int]
    """Senses of a word -> how many words with examples."""
    tags: tuple[Tag, ...]
    """The most common first."""
    groups: tuple[TagGroup, ...]
    parts: tuple[Part, ...]
    usages: tuple[Usage, ...]


def count_folder(
    folder: FewsFolder,
    *,
    semcor: SenseCorpus | None = None,
    framework: Iterable[Sentence] | None = None,
    words: Sequence[str] = (),
) -> Statistics:
    """Count a folder; ``words`` (``like`` or ``like.verb``) are those whose senses are shown one by one."""
    if framework is not None and semcor is None:
        raise UserError("few-shot and zero-shot senses of the framework are relative to SemCor: give it too")
    rows = framework_rows(framework, semcor) if framework is not None and semcor is not None else {}
    trained = Counter(each.sense for each in folder.examples("train"))
    used = {each.sense for each in _everything(folder)}
    tags, groups = _tags(folder, used)
    return Statistics(
        folder=str(folder.path),
        splits=tuple(count_splits(folder)),
        evaluation=tuple(
            Evaluated(name, count, rows.get(name)) for name, count in _evaluation(folder, trained).items()
        ),
        facts=tuple(_facts(folder, trained, used, groups, semcor)),
        frequencies=dict(sorted(Counter(trained.values()).items())),
        ambiguity=_ambiguity(folder, used),
        tags=tuple(tags),
        groups=tuple(groups),
        parts=tuple(_parts(folder)),
        usages=tuple(usages_of(folder, trained, semcor, words)),
    )


def _ambiguity(folder: FewsFolder, used: set[str]) -> dict[int, int]:
    sizes = Counter(folder.inventory[word] for word in set(map(word_of, used)) if word in folder.inventory)
    return dict(sorted(sizes.items()))


# Table 1


def count_splits(folder: FewsFolder) -> list[Split]:
    """Table 1; splits that are not there have nothing in them."""
    splits = {
        "overall": _everything(folder),
        "train": folder.examples("train"),
        "train.ext": folder.examples("train.ext"),
    }
    for name in ("dev", "test"):
        parts = [f"{name}.few-shot", f"{name}.zero-shot"]
        splits |= {name: folder.examples(*parts)} | {part: folder.examples(part) for part in parts}
    return [_split(name, list(examples), folder) for name, examples in splits.items()]


def _everything(folder: FewsFolder) -> Iterable[Example]:
    return chain(folder.examples("train", *EVALUATION), folder.illustrations)


def _split(name: str, examples: Sequence[Example], folder: FewsFolder) -> Split:
    targets = [(word_of(each.sense), len(each.targets)) for each in examples]
    words = {word for word, _ in targets}
    annotations = sum(count for _, count in targets)
    known = folder.inventory
    weighted = sum(known[word] * count for word, count in targets)
    return Split(
        name=name,
        examples=len(examples),
        tokens=sum(len(each.plain.split()) for each in examples),
        annotations=annotations,
        senses=len({each.sense for each in examples}),
        words=len(words),
        ambiguity=weighted / annotations if known and annotations else None,
        senses_per_word=fmean(known[word] for word in words) if known and words else None,
    )


# Table 2


def _evaluation(folder: FewsFolder, trained: Counter[str]) -> dict[str, int]:
    rows = {}
    for name in ("dev", "test"):
        few = {each.sense for each in folder.examples(f"{name}.few-shot")}
        zero = {each.sense for each in folder.examples(f"{name}.zero-shot")}
        rows[name] = len(few | zero)
        rows[f"{name}.few-shot"] = sum(1 <= trained[sense] <= FEW for sense in few)
        rows[f"{name}.zero-shot"] = len(zero)
    return rows


# Single numbers


def _facts(
    folder: FewsFolder,
    trained: Counter[str],
    used: set[str],
    groups: Sequence[TagGroup],
    semcor: SenseCorpus | None,
) -> list[Fact]:
    raw = list(folder.examples("raw.quotations", "raw.examples"))
    quoted = len(list(folder.examples("raw.quotations")))
    apart = _apart(folder, raw)
    available = sum(folder.inventory[word] for word in set(map(word_of, used)))
    extended = Counter(each.sense for each in folder.examples("train.ext"))
    tested = {each.sense for each in folder.examples("dev.few-shot")}
    support, more = ([counts[sense] for sense in tested] for counts in (trained, extended))
    tagged = {group.group: group for group in groups}
    offensive, internet = (tagged.get(name, TagGroup(name, 0, 0)) for name in ("offensive", "internet"))
    known = bool(folder.inventory)
    return [
        _fact("raw_examples", len(raw) + len(apart) or None),
        _fact("raw_senses", len({each.sense for each in raw + apart}) or None),
        _fact("quotations", _share(quoted, len(raw))),
        _fact("coverage", _share(len(used & folder.sense_ids), available)),
        _fact("once", _share(_singles(trained), len(trained))),
        _fact("mean_frequency", _mean(trained.values())),
        _fact("dev_support", _mean(support if trained else ())),
        _fact("dev_support_max", max(support, default=None) if trained else None),
        _fact("dev_support_ext", _mean(more if extended else ())),
        _fact("dev_support_ext_max", max(more, default=None) if extended else None),
        _fact("offensive", _share(offensive.senses, len(used)) if known else None),
        _fact("internet", internet.tags if known else None),
        _fact("semcor_senses", _distinct(semcor) if semcor is not None else None),
    ]


def _apart(folder: FewsFolder, raw: Iterable[Example]) -> list[Example]:
    """Monosemous examples that the other raw files do not have too."""
    there = {(each.plain, each.sense) for each in raw}
    return [each for each in folder.examples("raw.monosemous") if (each.plain, each.sense) not in there]


def _fact(key: str, value: float | None) -> Fact:
    printed = published().facts[key]
    return Fact(key, printed["says"], value, printed["value"], printed["place"])


def _share(part: int, whole: int) -> float | None:
    return 100 * part / whole if whole else None


def _mean(values: Iterable[int]) -> float | None:
    found = list(values)
    return fmean(found) if found else None


def _singles(counts: Counter[str]) -> int:
    return sum(count == 1 for count in counts.values())


def _distinct(corpus: SenseCorpus) -> int:
    return len(set(chain.from_iterable(corpus.values())))


# Tags and parts of speech


def _tags(folder: FewsFolder, used: set[str]) -> tuple[list[Tag], list[TagGroup]]:
    """The tags of senses with examples, the most common first, and their groups."""
    counts: Counter[str] = Counter()
    having: Counter[str] = Counter()
    for block in folder.senses:
        if block.id in used:
            counts.update(set(block.tags))
            having.update(set(map(tag_group, block.tags)))
    tags = [Tag(tag, tag_group(tag), count) for tag, count in counts.items()]
    sizes = Counter(tag.group for tag in tags)
    groups = [TagGroup(group, sizes[group], senses) for group, senses in having.most_common()]
    return sorted(tags, key=lambda tag: (-tag.senses, tag.tag)), groups


def _parts(folder: FewsFolder) -> list[Part]:
    groups: defaultdict[str, list[str]] = defaultdict(list)
    for each in _everything(folder):
        groups[word_of(each.sense).rpartition(".")[2]].append(each.sense)
    parts = [
        Part(pos, len(senses), len(set(senses)), len(set(map(word_of, senses))))
        for pos, senses in groups.items()
    ]
    return sorted(parts, key=lambda part: (-part.examples, part.pos))
