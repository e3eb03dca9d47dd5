"""A FEWS folder as it is: examples and senses with their places and flaws. Nothing is refused.

Blank lines, Windows line ends, spaces around columns and fields, missing optional columns and files, and
parts of speech that nobody has heard of are all read. A line or block that breaks the format is kept apart.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import cached_property, lru_cache
from pathlib import Path
from typing import NamedTuple

from uncommonsense.corpora.spelling import pos_letter
from uncommonsense.errors import UserError
from uncommonsense.fews.layout import EVALUATION, EXTENDED, RAW, SENSES, TRAIN

__all__ = ["FILES", "MAIN", "Example", "FewsFolder", "SenseBlock", "Word", "headword", "word_of"]

MAIN = {"train": TRAIN, "train.ext": EXTENDED, **EVALUATION}
"""The files that models are trained and tested on, by name."""

FILES = MAIN | {f"raw.{name}": file for name, file in RAW.items()}
"""Every file of examples, by name."""

_MARK = re.compile(r"</?WSD>")
_TARGET = re.compile(r"<WSD>(.*?)</WSD>")
_SENSE = re.compile(r"(\S.*)\.([^.\s]+)\.(\d+)")
_FIELD = re.compile(r"\s*(sense_id|word|gloss|tags|depth|synonyms)\s*:(.*)")


class Example(NamedTuple):
    """A line of a file: ``flaw`` says what is wrong with it and is empty when nothing is."""

    file: str
    line: int
    text: str
    sense: str
    attribution: str = ""
    flaw: str = ""

    @property
    def place(self) -> str:
        """``file:line``."""
        return f"{self.file}:{self.line}"

    @property
    def targets(self) -> list[str]:
        """The marked words."""
        return _TARGET.findall(self.text)

    @property
    def plain(self) -> str:
        """The text without marks, single spaces between its words."""
        return " ".join(_MARK.sub("", self.text).split())


class SenseBlock(NamedTuple):
    """A sense of ``senses.txt``; ``line`` is that of its id, or of its first field if it has none."""

    line: int
    id: str
    word: str = ""
    gloss: str = ""
    tags: tuple[str, ...] = ()
    depth: str = ""
    synonyms: tuple[str, ...] = ()
    flaw: str = ""

    @property
    def place(self) -> str:
        """``file:line``."""
        return f"{SENSES}:{self.line}"


class Word(NamedTuple):
    """A headword and its part of speech in the letters of WordNet (``x`` for any other)."""

    lemma: str
    pos: str


def word_of(sense: str) -> str:
    """``like.verb`` for ``like.verb.2``: the senses of a word compete."""
    return sense.rpartition(".")[0]


def headword(sense: str) -> Word:
    """The word of a sense as other corpora spell it; the word itself may have full stops in it."""
    word, _, pos = word_of(sense).rpartition(".")
    return Word(word.lower().replace(" ", "_"), pos_letter(pos) or "x")


class FewsFolder:
    """What is in a folder. Files are read when they are asked for, and then kept."""

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self._read: dict[str, list[Example]] = {}
        if not any(self.has(name) for name in MAIN):
            raise UserError(f"{self.path}: not a FEWS folder; expected {TRAIN}, {SENSES}, ... in it")

    def has(self, name: str) -> bool:
        """Whether a file is there: ``train``, ``dev.few-shot``, ``raw.examples``, ``senses``, ..."""
        return (self.path / (SENSES if name == "senses" else FILES[name])).is_file()

    def lines(self, name: str) -> list[Example]:
        """Every line of a file that is not blank, flawed or not; none if the file is not there."""
        if name not in self._read:
            file = FILES[name]
            numbered = _lines(self.path / file) if self.has(name) else ()
            self._read[name] = [_example(file, *each) for each in numbered if each[1].strip()]
        return self._read[name]

    def examples(self, *names: str) -> Iterator[Example]:
        """The examples of these files that have no flaw."""
        return (each for name in names for each in self.lines(name) if not each.flaw)

    @cached_property
    def senses(self) -> list[SenseBlock]:
        """The blocks of ``senses.txt``, flawed or not; none if it is not there."""
        return list(_blocks(_lines(self.path / SENSES))) if self.has("senses") else []

    @cached_property
    def inventory(self) -> Counter[str]:
        """How many senses each word (``like.verb``) has in ``senses.txt``."""
        return Counter(map(word_of, self.sense_ids))

    @cached_property
    def sense_ids(self) -> set[str]:
        """The ids in ``senses.txt``."""
        return {block.id for block in self.senses if block.id}

    @cached_property
    def illustrations(self) -> list[Example]:
        """What the extended training set has beyond the training set."""
        quoted = Counter((each.text, each.sense) for each in self.examples("train"))
        added = []
        for each in self.examples("train.ext"):
            if quoted[each.text, each.sense]:
                quoted[each.text, each.sense] -= 1
            else:
                added.append(each)
        return added


def _lines(path: Path) -> Iterator[tuple[int, str, bool]]:
    """Number, text, and whether the text is UTF-8; what is not is replaced."""
    with path.open("rb") as file:
        for number, raw in enumerate(file, start=1):
            encoding = "utf-8-sig" if number == 1 else "utf-8"
            try:
                yield number, raw.decode(encoding).rstrip("\r\n"), True
            except UnicodeDecodeError:
                yield number, raw.decode(encoding, errors="replace").rstrip("\r\n"), False


# Examples


def _example(file: str, number: int, line: str, readable: bool) -> Example:
    columns = [column.strip() for column in line.rstrip().split("\t")]
    text, sense, attribution = (*columns, "", "")[:3]
    flaw = _flaw(columns, text, sense) if readable else "not UTF-8 text"
    return Example(file, number, text, sense, attribution, flaw)


def _flaw(columns: list[str], text: str, sense: str) -> str:
    marks = _MARK.findall(text)
    if not 2 <= len(columns) <= 3:
        return f"{len(columns)} columns, expected the sentence, the sense and perhaps an attribution"
    if not _SENSE.fullmatch(sense):
        return f"{sense!r} is not word.pos.N"
    if not marks:
        return "no <WSD>target</WSD>"
    if marks != ["<WSD>", "</WSD>"] * (len(marks) // 2):
        return "<WSD> and </WSD> do not pair up"
    return "" if all(target.strip() for target in _TARGET.findall(text)) else "a marked target is empty"


# Senses


def _blocks(lines: Iterable[tuple[int, str, bool]]) -> Iterator[SenseBlock]:
    fields: dict[str, str] = {}
    begun, flaw = 0, ""
    for number, line, readable in lines:
        match = _FIELD.fullmatch(line)
        if fields and (not line.strip() or (match and match[1] == "sense_id")):
            yield _block(begun, fields, flaw)
            fields, flaw = {}, ""
        if not line.strip():
            continue
        if not fields or (match and match[1] == "sense_id"):
            begun = number
        if not match:
            flaw = flaw or f"line {number} begins with no known field: {line.strip()[:40]!r}"
            fields.setdefault("sense_id", "")
            continue
        if fields.get(match[1]):
            flaw = flaw or f"a second {match[1]!r} on line {number}"
        fields[match[1]] = match[2].strip()
        flaw = flaw or ("" if readable else f"line {number} is not UTF-8 text")
    if fields:
        yield _block(begun, fields, flaw)


def _block(line: int, fields: dict[str, str], flaw: str) -> SenseBlock:
    missing = [name for name in ("sense_id", "word", "gloss") if not fields.get(name)]
    sense = fields.get("sense_id", "")
    if not flaw and missing:
        flaw = f"no {' and no '.join(missing)}"
    if not flaw and not _SENSE.fullmatch(sense):
        flaw = f"{sense!r} is not word.pos.N"
    return SenseBlock(
        line=line,
        id=sense,
        word=fields.get("word", ""),
        gloss=fields.get("gloss", ""),
        tags=_items(fields.get("tags", "")),
        depth=fields.get("depth", ""),
        synonyms=_items(fields.get("synonyms", "")),
        flaw=flaw,
    )


@lru_cache(4096)
def _items(value: str) -> tuple[str, ...]:
    return tuple(filter(None, (item.strip() for item in value.split(","))))
