"""FEWS beside SemCor and the WSD Evaluation Framework: Table 2 and Figure 2."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from difflib import get_close_matches
from itertools import chain
from typing import NamedTuple

from uncommonsense.corpora.spelling import pos_letter
from uncommonsense.errors import UserError
from uncommonsense.fews.folder import FewsFolder, Word, headword, word_of
from uncommonsense.fews.layout import TRAIN
from uncommonsense.schema import Sentence

__all__ = ["FEW", "SenseCorpus", "Usage", "count_senses", "framework_rows", "usages_of"]

FEW = 3
"""A sense is few-shot in Table 2 if it has as many training examples or fewer, but one at least."""

_DEVELOPMENT = "semeval2007"
"""The data set that systems are tuned on."""

SenseCorpus = Mapping[Word, Mapping[str, int]]
"""Word, then sense, then how often it occurs."""


class Usage(NamedTuple):
    """A word in a corpus: how often each of its senses occurs, the most frequent first."""

    word: str
    corpus: str
    counts: tuple[int, ...]
    inventory: int | None
    """How many senses the word has in all, where that is known."""


def count_senses(sentences: Iterable[Sentence]) -> SenseCorpus:
    """How often each sense of each word occurs in a corpus; a target with several senses counts for each."""
    found: defaultdict[Word, Counter[str]] = defaultdict(Counter)
    for sentence in sentences:
        for each in sentence.instances:
            found[Word(each.lemma.lower(), each.pos)].update(each.senses)
    return found


def framework_rows(sentences: Iterable[Sentence], semcor: SenseCorpus) -> dict[str, int]:
    """Every gold sense counts; the row ``test`` has the development set in it, as the printed one has."""
    trained: Counter[str] = Counter()
    for counts in semcor.values():
        trained.update(counts)
    found: dict[str, set[str]] = {"dev": set(), "test": set()}
    for sentence in sentences:
        senses = {sense for each in sentence.instances for sense in each.senses}
        found["test"] |= senses
        if sentence.source.partition("/")[0].lower() == _DEVELOPMENT:
            found["dev"] |= senses
    rows = {}
    for name, gold in found.items():
        rows[name] = len(gold)
        rows[f"{name}.few-shot"] = sum(1 <= trained[sense] <= FEW for sense in gold)
        rows[f"{name}.zero-shot"] = sum(not trained[sense] for sense in gold)
    return rows


def usages_of(
    folder: FewsFolder, trained: Counter[str], semcor: SenseCorpus | None, words: Sequence[str]
) -> list[Usage]:
    """The training set, and SemCor below it, for each word; five words with many senses if none is named."""
    fews: defaultdict[Word, Counter[str]] = defaultdict(Counter)
    for sense, count in trained.items():
        fews[headword(sense)][sense] = count
    sizes: Counter[Word] = Counter()
    for word, size in folder.inventory.items():
        sizes[headword(f"{word}.0")] += size
    usages = []
    for name, chosen in _choose(words, fews, semcor).items():
        total = sum(sizes[word] for word in chosen) or None
        usages.append(Usage(name, "FEWS train", _counts(chosen, fews), total))
        if semcor is not None:
            usages.append(Usage(name, "SemCor", _counts(chosen, semcor), None))
    return usages


def _counts(words: Iterable[Word], corpus: SenseCorpus) -> tuple[int, ...]:
    counts = chain.from_iterable(corpus.get(word, {}).values() for word in words)
    return tuple(sorted(counts, reverse=True))


def _choose(names: Sequence[str], fews: SenseCorpus, semcor: SenseCorpus | None) -> dict[str, list[Word]]:
    if names:
        return {name: _named(name, fews) for name in names}
    shared = [word for word in fews if semcor is None or word in semcor]
    ranked = sorted(shared, key=lambda word: (-len(fews[word]), word))[:5]
    return {f"{word.lemma} ({word.pos})": [word] for word in ranked}


def _named(name: str, fews: SenseCorpus) -> list[Word]:
    """``like.verb`` is one word, ``like`` one for each part of speech."""
    plain = name.lower().replace(" ", "_")
    lemma, _, pos = plain.rpartition(".")
    found = [word for word in fews if word.lemma == plain or word == (lemma, pos_letter(pos))]
    if not found:
        raise UserError(f"{TRAIN} has no example of {name!r}; {_words_like(lemma or plain, fews)}")
    return found


def _words_like(lemma: str, fews: SenseCorpus) -> str:
    """Words that there are: the same with other parts of speech, else those spelt alike, else the richest."""
    others = sorted(word for word in fews if word.lemma == lemma)
    if not others:
        alike = get_close_matches(lemma, {word.lemma for word in fews}, n=3)
        others = sorted(word for word in fews if word.lemma in alike)
    others = others or sorted(fews, key=lambda word: (-len(fews[word]), word))
    names = ", ".join(word_of(next(iter(fews[word]))) for word in others[:3])
    return f"words that it has: {names}" if names else "it has none of any word"
