"""The sampler: a small sense-annotated corpus of English, written for this project.

``text/LEMMA.POS.txt`` holds one lemma: a line ``= SENSE...`` opens a sense (several keys where WordNet
draws the same distinction twice), and each line under it is ``register TAB sentence`` with the target
in square brackets. Every fourth sentence of a sense is in the ``test`` split, the others in ``train``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from uncommonsense.corpora.folders import files_of
from uncommonsense.corpora.textfile import read_lines
from uncommonsense.corpora.tokenize import tokenize
from uncommonsense.errors import MalformedInputError
from uncommonsense.schema import Instance, Sentence

__all__ = ["FOLDER", "read"]

FOLDER = Path(__file__).parent / "text"
_NAME = re.compile(r"(.+)\.([nvarpx])\.txt")
_TARGET = re.compile(r"\[([^\[\]\s]+)\]")
_TEST_EVERY = 4


def read(path: Path | None = None) -> Iterator[Sentence]:
    """Read the shipped corpus, or another folder of files in its format."""
    for file in files_of(path or FOLDER, suffixes=(".txt",), kind="sampler files"):
        yield from _read_lemma(file)


def _read_lemma(file: Path) -> Iterator[Sentence]:
    name = _NAME.fullmatch(file.name)
    if name is None:
        raise MalformedInputError(file, None, "the file's name must be LEMMA.POS.txt, as in bank.n.txt")
    lemma, pos = name.groups()
    senses: tuple[str, ...] = ()
    in_sense = 0
    number = 0
    for line_number, line in read_lines(file):
        if line.startswith("= "):
            senses, in_sense = tuple(line[2:].split()), 0
            continue
        register, _, text = line.partition("\t")
        targets = list(_TARGET.finditer(text))
        if not senses:
            raise MalformedInputError(
                file, line_number, f"expected '= SENSE...' before the first sentence: {line!r}"
            )
        if not register or len(targets) != 1:
            raise MalformedInputError(
                file, line_number, f"expected 'register TAB sentence with one [target]': {line!r}"
            )
        in_sense += 1
        number += 1
        split = "test" if in_sense % _TEST_EVERY == 0 else "train"
        yield _sentence(
            f"sampler.{lemma}.{pos}.{number:03}", text, targets[0], register, (lemma, pos, senses, split)
        )


def _sentence(
    name: str, text: str, target: re.Match[str], register: str, label: tuple[str, str, tuple[str, ...], str]
) -> Sentence:
    before, word, after = text[: target.start()], target[1], text[target.end() :]
    left = [token for token, _, _ in tokenize(before)]
    middle = [token for token, _, _ in tokenize(word)]
    tokens = (*left, *middle, *(token for token, _, _ in tokenize(after)))
    lemma, pos, senses, split = label
    instance = Instance(f"{name}.t0", len(left), len(left) + len(middle), lemma, pos, senses, split)
    return Sentence(name, tokens, register, (instance,))
