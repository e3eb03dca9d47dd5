"""Headwords and the choice of evaluation examples, written as the files of a FEWS folder."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import IO, Self

from uncommonsense.fews.layout import (
    EVALUATION,
    EXTENDED,
    RAW,
    SENSES,
    TRAIN,
    Line,
    lines_of,
    mark,
    pieces_of,
    sense_block,
)
from uncommonsense.fews.numbering import Headword, NumberedSense
from uncommonsense.fews.splits import HeldOut
from uncommonsense.schema import Sense

__all__ = ["FILES", "write_text"]

FILES = (TRAIN, EXTENDED, *EVALUATION.values(), *RAW.values(), SENSES)


def write_text(
    folder: Path, headwords: Iterable[Headword], held_out: Mapping[str, HeldOut], dropped: Counter[str]
) -> dict[str, int]:
    """Write the files into ``folder``; return how many examples, or senses, each has.

    A file that would be empty is neither written nor named. ``dropped`` counts the illustrations of zero-shot
    senses.
    """
    with _Files(folder) as files:
        for headword in headwords:
            for sense in headword.senses:
                files.write(SENSES, _block(headword.word, sense))
                for file, line in _placed(headword, sense, held_out.get(sense.id)):
                    files.write(file, f"{line}\n")
        files.close()
        for line in _extended(folder, held_out, dropped):
            files.write(EXTENDED, f"{line}\n")
    return {file: files.written[file] for file in FILES if files.written[file]}


class _Files:
    """Text files in a folder, opened when something is written to them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.written: Counter[str] = Counter()
        self._open: dict[str, IO[str]] = {}
        self._stack = ExitStack()

    def write(self, name: str, text: str) -> None:
        """Add a line or a block to a file."""
        if name not in self._open:
            path = self.folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            self._open[name] = self._stack.enter_context(path.open("w", encoding="utf-8", newline="\n"))
        self._open[name].write(text)
        self.written[name] += 1

    def close(self) -> None:
        """Bring what was written to the files."""
        self._stack.close()
        self._open.clear()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _block(word: str, sense: NumberedSense) -> str:
    known = Sense(sense.id, (word, *sense.synonyms), "", sense.gloss, tags=sense.tags)
    return sense_block(sense.id, known, depth=sense.depth)


def _placed(headword: Headword, sense: NumberedSense, held_out: HeldOut | None) -> Iterator[tuple[str, Line]]:
    """The lines of a sense's examples with the files they go to, all but the extended training set."""
    quotations = [Line(text, sense.id, attribution) for text, attribution in sense.examples.quotations]
    illustrations = [Line(text, sense.id) for text in sense.examples.illustrations]
    if headword.monosemous:
        yield from ((RAW["monosemous"], line) for line in (*quotations, *illustrations))
        return
    yield from ((RAW["quotations"], line) for line in quotations)
    yield from ((RAW["examples"], line) for line in illustrations)
    for place, line in enumerate(quotations):
        if held_out and place == held_out.quotation:
            yield EVALUATION[held_out.split], Line(_mark_first(line.text), sense.id)
        else:
            yield TRAIN, Line(line.text, sense.id)


def _mark_first(text: str) -> str:
    """The text with its first target only: an evaluation example is one question."""
    before, target, *rest = pieces_of(text)
    return mark([before, target, "".join(rest)])


def _extended(folder: Path, held_out: Mapping[str, HeldOut], dropped: Counter[str]) -> Iterator[Line]:
    """The training set, then the illustrations but those of zero-shot senses."""
    hidden = {sense for sense, held in held_out.items() if held.split.endswith("zero-shot")}
    for file in (TRAIN, RAW["examples"]):
        for _, line in lines_of(folder / file) if (folder / file).exists() else ():
            if line.sense in hidden:
                dropped["illustration: its sense is zero-shot, left out of train.ext"] += 1
            else:
                yield line
