"""Invented FEWS folders: a small one with every property, and a large one with realistic proportions."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from uncommonsense.fews.layout import EVALUATION, EXTENDED, RAW, SENSES, TRAIN

__all__ = ["FOLDER", "edit", "write_folder", "write_large"]

_SENSES = [
    ("brim.noun.1", "brim", "The rim of a cup.", "countable"),
    ("brim.noun.2", "brim", "The projecting edge of a hat.", "clothing"),
    ("brim.noun.3", "brim", "The sea.", "obsolete, poetic"),
    ("brim.noun.4", "brim", "A rude word for a hat.", "vulgar, slang"),
    ("brim.verb.1", "brim", "To be full.", "intransitive"),
    ("brim.verb.2", "brim", "To fill to the top.", "transitive"),
    ("dull.adj.1", "dull", "Not sharp.", ""),
    ("dull.adj.2", "dull", "Boring.", "UK, Internet"),
    ("a.b/c d.adv.1", "a.b/c d", "Like one thing.", ""),
    ("a.b/c d.adv.2", "a.b/c d", "Like another thing.", ""),
    ("lone.noun.1", "lone", "The only meaning.", ""),
]

_QUOTED = {
    TRAIN: [
        ("The <WSD>brim</WSD> of my cup was cracked", "brim.noun.1"),
        ("She tilted the <WSD>brim</WSD> over her eyes", "brim.noun.2"),
        ("Two <WSD>brims</WSD>, one <WSD>brim</WSD> of straw", "brim.noun.2"),
        ("The glass <WSD>brimmed</WSD> with wine", "brim.verb.1"),
        ("He was more <WSD>dull</WSD> than a spoon", "dull.adj.1"),
        ("They went <WSD>A.B/C d</WSD> all the way home", "a.b/c d.adv.1"),
    ],
    EVALUATION["dev.few-shot"]: [("No <WSD>brim</WSD> is whole", "brim.noun.1")],
    EVALUATION["dev.zero-shot"]: [("Over the <WSD>brim</WSD> he sailed", "brim.noun.3")],
    EVALUATION["test.few-shot"]: [("A <WSD>dull</WSD> knife cuts badly", "dull.adj.1")],
    EVALUATION["test.zero-shot"]: [("He <WSD>brimmed</WSD> the jug", "brim.verb.2")],
}
_SHOWN = [
    ("a <WSD>brim</WSD>, you know what", "brim.noun.4"),
    ("The lecture was <WSD>dull</WSD>.", "dull.adj.2"),
]


def _block(sense: str, word: str, gloss: str, tags: str) -> str:
    return f"sense_id:\t{sense}\nword:\t{word}\ngloss:\t{gloss}\ntags:\t{tags}\ndepth:\t1\nsynonyms:\t\n\n"


def _text(pairs: list[tuple[str, str]], *, attribution: str = "") -> str:
    return "".join("\t".join(filter(None, (*pair, attribution))) + "\n" for pair in pairs)


FOLDER: dict[str, str] = {
    **{file: _text(pairs) for file, pairs in _QUOTED.items()},
    EXTENDED: _text(_QUOTED[TRAIN] + _SHOWN),
    RAW["quotations"]: _text(
        [pair for pairs in _QUOTED.values() for pair in pairs], attribution="Anon, 1900"
    ),
    RAW["examples"]: _text(_SHOWN),
    RAW["monosemous"]: _text([("All that is <WSD>lone</WSD> here", "lone.noun.1")]),
    SENSES: "".join(_block(*sense) for sense in _SENSES),
}
"""The text of each file of a folder that has every property."""


def write_folder(folder: Path, files: dict[str, str] | None = None) -> Path:
    """Write these files; without them, a folder that has every property."""
    for name, text in (files or FOLDER).items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text.encode())
    return folder


def edit(folder: Path, name: str, change: Callable[[str], str]) -> None:
    """Change the text of one file."""
    file = folder / name
    file.write_bytes(change(file.read_bytes().decode()).encode())


def write_large(folder: Path, *, words: int) -> Path:
    """Twelve senses a word: ten with one to three training examples, one zero-shot, one without any."""
    files: dict[str, list[str]] = {name: [] for name in FOLDER}
    for number in range(words):
        word = f"word{number}"
        for sense in range(12):
            name = f"{word}.noun.{sense}"
            files[SENSES].append(
                _block(name, word, f"Meaning {sense} of {word} in a sentence.", "law, slang")
            )
            line = f"Here is example {{}} of <WSD>{word}</WSD> in meaning {sense}\t{name}\n"
            examples = [line.format(each) for each in range(1 + sense % 3 if sense < 10 else 0)]
            files[TRAIN] += examples
            files[EXTENDED] += examples
        split = "dev" if number % 2 else "test"
        files[EVALUATION[f"{split}.few-shot"]].append(f"One <WSD>{word}</WSD> seen\t{word}.noun.0\n")
        files[EVALUATION[f"{split}.zero-shot"]].append(f"One <WSD>{word}</WSD> unseen\t{word}.noun.10\n")
    return write_folder(folder, {name: "".join(lines) for name, lines in files.items() if lines})
