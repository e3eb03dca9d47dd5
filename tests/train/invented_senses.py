"""Ambiguous words whose senses follow from the words beside them; the tiny models know these words."""

from __future__ import annotations

from itertools import product
from pathlib import Path

from uncommonsense.inventories.table import TableInventory
from uncommonsense.schema import Corpus, Instance, Sense, Sentence

TOPICS = {
    "water": ("river", "sand", "tide", "beach", "fog", "birds"),
    "work": ("company", "account", "clerk", "board", "machines", "engines"),
}
"""The company a sense keeps, which is also what its gloss is about."""
AMBIGUOUS = ("bank", "plant", "spring", "light")
OPENINGS = ("the", "a", "his", "another")
SINGLE = "lamp"
"""A word with one sense."""
UNSEEN = "judge"
"""A word that is not in the training split."""


def senses() -> list[Sense]:
    """Two of each ambiguous word and of the unseen one, one of the single one."""
    made = [
        Sense(
            f"{word}.noun.{number}", (word,), "n", f"it is of the {' and the '.join(_turned(company, place))}"
        )
        for place, word in enumerate((*AMBIGUOUS, UNSEEN))
        for number, company in enumerate(TOPICS.values(), 1)
    ]
    return [*made, Sense(f"{SINGLE}.noun.1", (SINGLE,), "n", "it gives light in the evening")]


def _turned(company: tuple[str, ...], places: int) -> tuple[str, ...]:
    """Four of the company; each word begins with another one, so that no two glosses are alike."""
    return (company[places:] + company[:places])[:4]


def inventory() -> TableInventory:
    """Of :func:`senses`."""
    return TableInventory.from_senses(senses(), name="invented")


def sentences() -> list[Sentence]:
    """Sentences with two targets each: an ambiguous word and the lamp; every sixth pair is of ``dev``."""
    made = []
    for word, opening in product((*AMBIGUOUS, UNSEEN), OPENINGS):
        for number, (topic, company) in enumerate(TOPICS.items(), 1):
            for place, first in enumerate(company):
                second = company[(place + 1 + OPENINGS.index(opening)) % len(company)]
                name = f"{word}.{topic}.{opening}.{place}"
                tokens = (opening, first, "and", second, "of", word, "lamp", "on")
                split = "dev" if word == UNSEEN or place == 5 else "train"
                made.append(
                    Sentence(
                        name,
                        tokens,
                        "invented",
                        (
                            Instance(f"{name}.t5", 5, 6, word, "n", (f"{word}.noun.{number}",), split),
                            Instance(f"{name}.t6", 6, 7, SINGLE, "n", (f"{SINGLE}.noun.1",), split),
                        ),
                    )
                )
    return made


def corpus(split: str) -> Corpus:
    """One of the splits."""
    chosen = [sentence for sentence in sentences() if sentence.instances[0].split == split]
    return Corpus.from_sentences(chosen, name=f"invented {split}")


def write_fews(folder: Path) -> Path:
    """The same as a folder of FEWS, without the lamps."""
    blocks = [f"sense_id:\t{each.id}\nword:\t{each.lemmas[0]}\ngloss:\t{each.gloss}\n" for each in senses()]
    files = {"train": folder / "train" / "train.txt", "dev": folder / "dev" / "dev.few-shot.txt"}
    lines: dict[str, list[str]] = {"train": [], "dev": []}
    for sentence in sentences():
        target = sentence.instances[0]
        words = [
            f"<WSD>{word}</WSD>" if i == target.start else word for i, word in enumerate(sentence.tokens)
        ]
        lines[target.split].append(f"{' '.join(words)}\t{target.senses[0]}")
    for split, file in files.items():
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("\n".join(lines[split]) + "\n", encoding="utf-8")
    (folder / "senses.txt").write_text("\n".join(blocks), encoding="utf-8")
    return folder
