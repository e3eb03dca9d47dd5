"""How large a corpus is and how ambiguous its words are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field

from uncommonsense.schema import Instance, Sentence

__all__ = ["Group", "Statistics", "statistics"]


@dataclass(frozen=True)
class Group:
    """Counts of targets: all, a part of speech, or a split. A word is a lemma with a part of speech."""

    group: str
    """``all``, ``pos n``, ``split train``, ..."""
    instances: int
    labelled: int
    """Instances with at least one sense."""
    lemmas: int
    """Distinct words."""
    senses: int
    """Distinct senses."""
    senses_per_word: float
    """The mean number of distinct senses that a labelled word has in the corpus."""
    ambiguity: float
    """The same mean over labelled instances, so that frequent words count as often as they occur."""


@dataclass(frozen=True)
class Statistics:
    """Counts of a whole corpus."""

    sentences: int
    tokens: int
    multiword: int
    """Instances of more than one token."""
    several_senses: int
    """Instances with more than one right sense."""
    groups: tuple[Group, ...]
    """``all`` first, then parts of speech, then splits."""

    def as_dict(self) -> dict[str, object]:
        """Plain values, as JSON wants them."""
        return asdict(self)


@dataclass
class _Counter:
    """Counts while they grow; memory is bounded by the number of distinct words and senses."""

    instances: int = 0
    labelled: Counter[tuple[str, str]] = field(default_factory=Counter)
    lemmas: set[tuple[str, str]] = field(default_factory=set)
    senses: dict[tuple[str, str], set[str]] = field(default_factory=dict)

    def add(self, instance: Instance) -> None:
        word = instance.lemma, instance.pos
        self.instances += 1
        self.lemmas.add(word)
        if instance.senses:
            self.labelled[word] += 1
            self.senses.setdefault(word, set()).update(instance.senses)

    def close(self, name: str) -> Group:
        labelled = self.labelled.total()
        sizes = {word: len(senses) for word, senses in self.senses.items()}
        weighted = sum(sizes[word] * count for word, count in self.labelled.items())
        return Group(
            group=name,
            instances=self.instances,
            labelled=labelled,
            lemmas=len(self.lemmas),
            senses=len(set().union(*self.senses.values())),
            senses_per_word=sum(sizes.values()) / len(sizes) if sizes else 0.0,
            ambiguity=weighted / labelled if labelled else 0.0,
        )


def statistics(sentences: Iterable[Sentence]) -> Statistics:
    """Count a corpus in one pass."""
    counters: dict[str, _Counter] = {"all": _Counter()}
    number = tokens = multiword = several = 0
    for sentence in sentences:
        number += 1
        tokens += len(sentence.tokens)
        for instance in sentence.instances:
            multiword += instance.end - instance.start > 1
            several += len(instance.senses) > 1
            for name in ("all", f"pos {instance.pos}", f"split {instance.split}" if instance.split else ""):
                if name:
                    counters.setdefault(name, _Counter()).add(instance)
    groups = tuple(counters[name].close(name) for name in sorted(counters))
    return Statistics(number, tokens, multiword, several, groups)
