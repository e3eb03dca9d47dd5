"""FEWS: quotations and examples of Wiktionary with the target words marked.

A line is ``sentence with <WSD>target</WSD> TAB word.pos.N``, and in the raw quotations a third column, the
attribution, which is left out here. Where several words are marked, each is a target with the line's sense.

``fews:DIR`` reads ``train``, ``dev`` and ``test`` of the released layout (``train=ext`` takes the extended
training set instead); ``fews:FILE`` reads one file. The split is the file's name: ``train``,
``dev.few-shot``, ...
Ids are ``train.12`` for line 12 and ``train.12.t3`` for the target at token 3 (from 0).

The data come from a wiki. A line that cannot be read is left out, with a warning that says where the first of
them is; a file that begins with nothing else is an error.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator
from pathlib import Path

from uncommonsense.corpora.choices import pick
from uncommonsense.corpora.marked import tokenize_marked
from uncommonsense.corpora.spelling import pos_letter
from uncommonsense.corpora.textfile import read_lines
from uncommonsense.errors import MalformedInputError, UserError
from uncommonsense.schema import Instance, Sentence

__all__ = ["read"]

_log = logging.getLogger(__name__)
_PATIENCE = 20
"""Unreadable lines at the beginning of a file after which it is taken for something else."""
_TARGET = re.compile(r"<WSD>(.*?)</WSD>")
_TRAINING = {"base": "train/train.txt", "ext": "train/train.ext.txt"}
_EVALUATION = (
    "dev/dev.few-shot.txt",
    "dev/dev.zero-shot.txt",
    "test/test.few-shot.txt",
    "test/test.zero-shot.txt",
)


def read(path: Path, *, train: str = "base") -> Iterator[Sentence]:
    """Yield the examples of a FEWS folder or file; ``train`` is ``base`` or ``ext``."""
    training = _TRAINING[pick("train", train, _TRAINING)]
    for file in _files(path, training) if path.is_dir() else [path]:
        yield from _read_file(file)


def _read_file(file: Path) -> Iterator[Sentence]:
    split = file.name.removesuffix(".txt")
    read, flaws = 0, list[MalformedInputError]()
    for line, text in read_lines(file):
        if not text.strip():
            continue
        try:
            example = _example(file, line, text, split)
        except MalformedInputError as error:
            flaws.append(error)
            if not read and len(flaws) == _PATIENCE:
                break
        else:
            read += 1
            yield example
    if flaws and not read:
        raise flaws[0]
    if flaws:
        _log.warning("%s; lines left out of this file: %d", flaws[0], len(flaws))


def _files(folder: Path, training: str) -> list[Path]:
    files = [file for name in (training, *_EVALUATION) if (file := folder / name).is_file()]
    if not files:
        raise UserError(f"{folder}: not a FEWS folder; expected {training}, {_EVALUATION[0]}, ... in it")
    return files


def _example(path: Path, line: int, text: str, split: str) -> Sentence:
    columns = text.split("\t")
    if not 2 <= len(columns) <= 3:
        message = (
            f"{len(columns)} columns; expected the sentence, a tab and the sense (and perhaps an attribution)"
        )
        raise MalformedInputError(path, line, message)
    sense = columns[1].strip()
    lemma, pos = _lemma_and_pos(path, line, sense)
    tokens, spans = tokenize_marked(_pieces(path, line, columns[0]))
    identifier = f"{split}.{line}"
    instances = []
    for start, end in spans:
        if start < end:
            instances.append(Instance(f"{identifier}.t{start}", start, end, lemma, pos, (sense,), split))
    if not instances:
        raise MalformedInputError(path, line, "the marked target is empty")
    return Sentence(identifier, tokens, split, tuple(instances))


def _pieces(path: Path, line: int, sentence: str) -> list[str]:
    pieces = _TARGET.split(sentence)
    if len(pieces) == 1:
        raise MalformedInputError(path, line, "no target: expected <WSD>word</WSD> in the sentence")
    if any("<WSD>" in piece or "</WSD>" in piece for piece in pieces):
        raise MalformedInputError(path, line, "<WSD> and </WSD> do not pair up")
    return pieces


def _lemma_and_pos(path: Path, line: int, sense: str) -> tuple[str, str]:
    """Take ``word.pos.N`` apart; the word itself may have full stops in it."""
    match sense.rsplit(".", 2):
        case [word, name, number] if word and name and number.isdigit():
            return word.lower().replace(" ", "_"), pos_letter(name) or "x"
    raise MalformedInputError(
        path, line, f"{sense!r} is not a sense of FEWS; expected something like word.noun.2"
    )
