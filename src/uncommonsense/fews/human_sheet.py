"""Sheets of examples for annotators, and the gold answers, which are kept in another file.

A sheet is a file of JSON lines: a header, then an item per line. It has no gold answers, and nothing in it
hints at them: items have numbers, few-shot and zero-shot ones are mixed, definitions come in random order.
The gold answers of ``SHEET.jsonl`` are in ``SHEET.gold.jsonl``, which annotators do not get; they are not
read from the FEWS folder again, since it may have been built anew by then. Both files, and the answers, carry
the fingerprint of the items.
"""

from __future__ import annotations

import hashlib
import json
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from pathlib import Path
from typing import Any, NamedTuple

from uncommonsense.corpora.choices import pick
from uncommonsense.corpora.staging import staged
from uncommonsense.corpora.textfile import read_lines
from uncommonsense.errors import MalformedInputError, MissingResourceError, UserError
from uncommonsense.fews.layout import EVALUATION, SENSES, lines_of
from uncommonsense.fews.wording import counted
from uncommonsense.inventories.fews import read_fews

__all__ = [
    "SHOTS",
    "Candidate",
    "Item",
    "Key",
    "Sheet",
    "about",
    "gold_file",
    "json_lines",
    "read_gold",
    "read_sheet",
    "sample",
    "take",
    "write_sheet",
]

SHOTS = ("few-shot", "zero-shot")
_TARGET = re.compile(r"<WSD>(.*?)</WSD>")


class Candidate(NamedTuple):
    """A sense that an annotator may choose."""

    sense: str
    gloss: str


class Item(NamedTuple):
    """A question: which of the ``candidates`` the word has in ``text``, where ``<WSD>`` is around it."""

    item: int
    """From 1, in the order of the sheet."""
    word: str
    pos: str
    text: str
    candidates: tuple[Candidate, ...]

    @property
    def pieces(self) -> list[str]:
        """The text as ``[before, target, between, target, ..., after]``."""
        return _TARGET.split(self.text)

    @property
    def senses(self) -> tuple[str, ...]:
        """The ids of the candidates, in the order they are shown."""
        return tuple(each.sense for each in self.candidates)


class Key(NamedTuple):
    """The gold answer of an item: ``id`` is the example's in the corpus, ``split`` few-shot or zero-shot."""

    item: int
    id: str
    split: str
    sense: str


@dataclass(frozen=True)
class Sheet:
    """What annotators get. ``header`` says where the items are from."""

    items: tuple[Item, ...]
    header: Mapping[str, Any] = field(default_factory=dict)

    @cached_property
    def fingerprint(self) -> str:
        """Of the items, in their order; the header has no part in it."""
        lines = "\n".join(_dump(_plain(item)) for item in self.items)
        return hashlib.sha256(lines.encode()).hexdigest()[:16]

    def __getitem__(self, number: int) -> Item:
        """The item of this number, from 1."""
        if not 1 <= number <= len(self.items):
            raise UserError(f"no item {number}: the sheet has the items 1 to {len(self.items)}")
        return self.items[number - 1]

    def __len__(self) -> int:
        return len(self.items)


@cache
def about() -> dict[str, Any]:
    """The licence of sheets, and the figures of the paper."""
    return tomllib.loads(Path(__file__).with_name("human.toml").read_text(encoding="utf-8"))


# Sampling


def sample(
    folder: str | Path, *, split: str = "dev", number: int = 300, seed: int = 0, annotators: int = 3
) -> tuple[Sheet, list[Key]]:
    """Draw ``number`` examples of a FEWS folder, half of them few-shot, half zero-shot, and shuffle.

    The same folder and seed give the same sheet on any machine. Candidates are all senses of the word and
    part of speech; examples of words with a single sense are not drawn. ``annotators`` is how many should
    answer.
    """
    pick("split", split, {name.partition(".")[0] for name in EVALUATION})
    if number < len(SHOTS):
        raise UserError(f"a sheet of {number} items: expected at least {len(SHOTS)}, half of them zero-shot")
    candidates = _candidates(Path(folder) / SENSES)
    sizes = (number - number // 2, number // 2)
    drawn = [
        each
        for shot, size in zip(SHOTS, sizes, strict=True)
        for each in _draw(Path(folder), f"{split}.{shot}", size, candidates, seed)
    ]
    drawn.sort(key=lambda each: _random(seed, "order", each.id))
    items = tuple(_ask(number, each, candidates, seed) for number, each in enumerate(drawn, 1))
    keys = [Key(number, each.id, each.id.split(".")[1], each.sense) for number, each in enumerate(drawn, 1)]
    source = {"source": Path(folder).resolve().name, "split": split, "seed": seed, "annotators": annotators}
    return Sheet(items, source | about()["sheet"]), keys


class _Example(NamedTuple):
    id: str
    text: str
    sense: str


def _candidates(file: Path) -> dict[str, list[Candidate]]:
    """The senses of each ``word.pos``, in the order of the dictionary."""
    if not file.is_file():
        raise MissingResourceError(f"{file}: no such file; give a FEWS folder")
    found: dict[str, list[Candidate]] = {}
    for sense in read_fews(file):
        found.setdefault(_word(sense.id), []).append(Candidate(sense.id, sense.gloss))
    return found


def _draw(
    folder: Path, name: str, size: int, candidates: Mapping[str, Sequence[Candidate]], seed: int
) -> list[_Example]:
    """``size`` examples of one file, drawn by ``seed``."""
    examples = []
    for line, (text, sense, _) in lines_of(folder / EVALUATION[name]):
        choices = candidates.get(_word(sense), ())
        if not any(sense == each.sense for each in choices):
            message = f"the sense {sense!r} is not in {SENSES}"
            raise MalformedInputError(folder / EVALUATION[name], line, message)
        if "<WSD>" not in text or "WSD>" in "".join(_TARGET.split(text)):
            message = "expected <WSD>word</WSD> in the sentence"
            raise MalformedInputError(folder / EVALUATION[name], line, message)
        if len(choices) > 1:
            examples.append(_Example(f"{name}.{line}", text, sense))
    if len(examples) < size:
        raise UserError(
            f"{folder / EVALUATION[name]}: {counted(len(examples), 'example')} of words with several senses, "
            f"but the sheet wants {size}; give a smaller --number"
        )
    return sorted(examples, key=lambda each: _random(seed, "draw", each.id))[:size]


def _ask(number: int, example: _Example, candidates: Mapping[str, Sequence[Candidate]], seed: int) -> Item:
    word, _, pos = _word(example.sense).rpartition(".")
    choices = sorted(
        candidates[f"{word}.{pos}"], key=lambda each: _random(seed, "candidates", example.id, each.sense)
    )
    return Item(number, word.replace("_", " "), pos, example.text, tuple(choices))


def _word(sense: str) -> str:
    """``word.pos`` of ``word.pos.N``."""
    return sense.rpartition(".")[0]


def _random(seed: int, *names: str) -> bytes:
    """A key to sort by, random but the same on every machine."""
    return hashlib.sha256("\0".join((str(seed), *names)).encode()).digest()


# Files


def gold_file(sheet: Path) -> Path:
    """Where the gold answers of a sheet are."""
    return sheet.with_name(f"{sheet.stem}.gold.jsonl")


def write_sheet(path: Path, sheet: Sheet, keys: Iterable[Key], *, overwrite: bool = False) -> Path:
    """Write the sheet, and the gold answers beside it; returns where those are."""
    gold = gold_file(path)
    header = {"sheet": sheet.fingerprint, "items": len(sheet)} | dict(sheet.header)
    with staged(path, overwrite=overwrite) as draft, staged(gold, overwrite=overwrite) as gold_draft:
        _write(gold_draft, {"gold": sheet.fingerprint}, (key._asdict() for key in keys))
        _write(draft, header, map(_plain, sheet.items))
    return gold


def read_sheet(path: Path) -> Sheet:
    """Read a sheet and check that nobody changed its items."""
    rows = json_lines(path)
    header = _header(path, rows, "sheet")
    sheet = Sheet(tuple(_item(path, line, row) for line, row in rows), header)
    if sheet.fingerprint != header["sheet"] or any(n != each.item for n, each in enumerate(sheet.items, 1)):
        raise MalformedInputError(
            path, 1, "the items are not those the sheet was made with; take a fresh copy"
        )
    return sheet


def read_gold(path: Path, sheet: Sheet) -> list[Key]:
    """The gold answers of a sheet, one for each item, in their order."""
    rows = json_lines(path)
    if _header(path, rows, "gold")["gold"] != sheet.fingerprint:
        raise MalformedInputError(path, 1, "the gold answers of another sheet")
    keys: list[Key] = []
    for line, row in rows:
        text = (take(path, line, row, name, str) for name in Key._fields[1:])
        key = Key(take(path, line, row, "item", int), *text)
        if key.item != len(keys) + 1 or key.item > len(sheet) or key.sense not in sheet[key.item].senses:
            raise MalformedInputError(path, line, f"{key.sense!r} is no sense of item {len(keys) + 1}")
        keys.append(key)
    if len(keys) != len(sheet):
        raise MalformedInputError(path, None, f"{len(keys)} gold answers, expected {len(sheet)}")
    return keys


def json_lines(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """The objects of a file of JSON lines, with their line numbers."""
    for line, text in read_lines(path):
        if not text.strip():
            continue
        try:
            row = json.loads(text)
        except json.JSONDecodeError as error:
            raise MalformedInputError(path, line, f"not a line of JSON: {error.msg}") from error
        if not isinstance(row, dict):
            raise MalformedInputError(path, line, f"expected a JSON object, found {text[:40]!r}")
        yield line, row


def take(path: Path, line: int, row: Any, name: str, kind: type) -> Any:
    """A field of an object on a line, which must be there and of this kind."""
    value = row.get(name) if isinstance(row, dict) else None
    if not isinstance(value, kind) or isinstance(value, bool):
        expected = {str: "a text", int: "a whole number", list: "a list"}[kind]
        raise MalformedInputError(path, line, f"{name!r} is {json.dumps(value)}, expected {expected}")
    return value


def _header(path: Path, rows: Iterator[tuple[int, dict[str, Any]]], kind: str) -> dict[str, Any]:
    line, header = next(rows, (1, {}))
    if kind not in header:
        raise MalformedInputError(path, line, f"expected a header with {kind!r}; is this the right file?")
    return header


def _item(path: Path, line: int, row: Mapping[str, Any]) -> Item:
    word, pos, text = (take(path, line, row, name, str) for name in ("word", "pos", "text"))
    candidates = tuple(
        Candidate(*(take(path, line, each, name, str) for name in Candidate._fields))
        for each in take(path, line, row, "candidates", list)
    )
    return Item(take(path, line, row, "item", int), word, pos, text, candidates)


def _plain(item: Item) -> dict[str, Any]:
    return item._asdict() | {"candidates": [each._asdict() for each in item.candidates]}


def _dump(row: Mapping[str, Any]) -> str:
    return json.dumps(row, ensure_ascii=False)


def _write(path: Path, header: Mapping[str, Any], rows: Iterable[Mapping[str, Any]]) -> None:
    with path.open("w", encoding="utf-8", newline="\n") as file:
        file.writelines(_dump(row) + "\n" for row in (header, *rows))
