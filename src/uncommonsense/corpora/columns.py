"""Your own sentences: a tab-separated table (``tsv:FILE``) or JSON lines (``jsonl:FILE``).

A row is a target word in its sentence. The first line of a table names its columns; in JSON lines each
line is an object with these names. Only a sentence, a way to find the target and its lemma are needed::

    sentence                                lemma   pos   sense
    She sat on the [bank] of the river.     bank    n     bank%1:17:01::

==============  =============================================================================================
``sentence``    running text. The target stands in [square brackets], or ``start`` and ``end`` say where it is
``tokens``      instead of ``sentence``: words separated by spaces (in JSON lines: a list)
``start, end``  in ``sentence``: characters; in ``tokens``: words. Counted from 0, ``end`` is exclusive
``lemma``       the target's dictionary form
``pos``         optional: n v a r p x, or NOUN VERB ADJ ADV ADP
``sense``       optional: the right sense, or several separated by ``|`` (in JSON lines also a list)
``id``          optional: the target's name; otherwise made from the file's name and the line
``sentence_id`` optional: neighbouring rows with the same one are targets in one sentence
``split``       optional: train, dev, test, ...
``source``      optional: the document
==============  =============================================================================================

A row without ``lemma``, ``start`` and ``end`` is a sentence without a target. Offsets that cut a word in
two are an error, as they are nearly always off by one; brackets may stand anywhere. Packed files (``.gz``,
``.bz2``, ``.xz``) are read as they are.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import groupby
from pathlib import Path
from reprlib import repr as shortened
from typing import Any, NamedTuple

from uncommonsense.corpora.jsonarray import parse_line
from uncommonsense.corpora.marked import tokenize_marked
from uncommonsense.corpora.spelling import pos_letter
from uncommonsense.corpora.textfile import read_lines
from uncommonsense.corpora.tokenize import tokenize
from uncommonsense.errors import MalformedInputError
from uncommonsense.schema import Instance, Sentence

__all__ = ["COLUMNS", "read_jsonl", "read_tsv", "split_senses"]

COLUMNS = ("id", "sentence_id", "tokens", "start", "end", "lemma", "pos", "sense", "split", "source")
_LEGAL = {"sentence", *COLUMNS}
_NUMBER = re.compile(r"-?[0-9]{1,9}")
_BRACKETS = re.compile(r"\[([^\[\]]*)\]")


class _Row(NamedTuple):
    """A row and where it stands; cells that are missing or empty are not in ``cells``."""

    path: Path
    line: int
    cells: dict[str, Any]

    def fail(self, message: str) -> MalformedInputError:
        return MalformedInputError(self.path, self.line, message)

    def text(self, column: str, default: str = "") -> str:
        value = self.cells.get(column, default)
        if isinstance(value, str):
            return value
        raise self.fail(f"{column} is {shortened(value)}, expected text")

    def number(self, column: str) -> int:
        value = self.cells.get(column)
        if isinstance(value, str) and _NUMBER.fullmatch(value.strip()):
            return int(value)
        if isinstance(value, int) and not isinstance(value, bool):
            return value
        found = "missing" if value is None else shortened(value)
        raise self.fail(f"{column} is {found}, expected a whole number of at most 9 digits")


def read_tsv(path: Path) -> Iterator[Sentence]:
    """Yield the sentences of a tab-separated table."""
    return _sentences(_table_rows(path))


def read_jsonl(path: Path) -> Iterator[Sentence]:
    """Yield the sentences of a file of JSON lines."""
    return _sentences(_json_rows(path))


def _table_rows(path: Path) -> Iterator[_Row]:
    lines = read_lines(path)
    first, text = next(lines)
    header = [name.strip().lower() for name in text.split("\t")]
    _check_columns(path, first, header)
    for line, text in lines:
        if not text.strip():
            continue
        cells = text.split("\t")
        if len(cells) != len(header):
            raise MalformedInputError(path, line, f"{len(cells)} columns, but the header names {len(header)}")
        yield _Row(path, line, {name: cell for name, cell in zip(header, cells, strict=True) if cell.strip()})


def _json_rows(path: Path) -> Iterator[_Row]:
    for line, text in read_lines(path):
        if not text.strip():
            continue
        record = parse_line(path, line, text)
        if not isinstance(record, dict):
            raise MalformedInputError(path, line, 'expected an object: {"sentence": ..., "lemma": ...}')
        _check_columns(path, line, list(record))
        yield _Row(path, line, {name: value for name, value in record.items() if value not in (None, "", [])})


def _check_columns(path: Path, line: int, names: list[str]) -> None:
    if unknown := [name for name in names if name not in _LEGAL]:
        raise MalformedInputError(
            path, line, f"unknown column {unknown[0]!r}; known: {', '.join(sorted(_LEGAL))}"
        )
    if repeated := [name for name in names if names.count(name) > 1]:
        raise MalformedInputError(path, line, f"column {repeated[0]!r} occurs twice")
    if ("sentence" in names) == ("tokens" in names):
        raise MalformedInputError(
            path, line, "expected a column 'sentence' or a column 'tokens' (one of them)"
        )
    if "lemma" not in names:
        raise MalformedInputError(path, line, "column 'lemma' is missing")


def _sentences(rows: Iterable[_Row]) -> Iterator[Sentence]:
    seen: set[str] = set()
    for identifier, group in groupby(rows, key=_sentence_id):
        sentence: Sentence | None = None
        for row in group:
            tokens, span = _place(row)
            instances = (_instance(row, identifier, span),) if span else ()
            if sentence and sentence.tokens != tokens:
                raise row.fail(f"sentence_id {identifier!r} is that of the row above, but the words differ")
            _check_new(
                row, seen, [instance.id for instance in instances] + ([] if sentence else [identifier + "\n"])
            )
            before = sentence.instances if sentence else ()
            sentence = Sentence(identifier, tokens, row.text("source", row.path.stem), before + instances)
        if sentence:
            yield sentence


def _sentence_id(row: _Row) -> str:
    return row.text("sentence_id") or row.text("id") or f"{row.path.stem}.{row.line}"


def _check_new(row: _Row, seen: set[str], names: list[str]) -> None:
    """Refuse repeated ids; those of sentences end in a line feed, so that they may equal those of targets."""
    for name in names:
        if name in seen:
            kind = "sentence_id" if name.endswith("\n") else "id"
            raise row.fail(f"{kind} {name.strip()!r} occurs twice")
        seen.add(name)


def _instance(row: _Row, sentence: str, span: tuple[int, int]) -> Instance:
    lemma = row.text("lemma").strip().lower().replace(" ", "_")
    if not lemma:
        raise row.fail("lemma is empty")
    pos = pos_letter(row.text("pos", "x").strip())
    if pos is None:
        raise row.fail(f"pos is {row.text('pos')!r}, expected n, v, a, r, p, x or NOUN, VERB, ADJ, ADV, ADP")
    identifier = row.text("id") or f"{sentence}.t{span[0]}"
    return Instance(identifier, *span, lemma, pos, _senses(row), row.text("split"))


def split_senses(text: str) -> list[str]:
    """The senses of a cell: what stands between the ``|``, without blanks around it."""
    return [sense.strip() for sense in text.split("|") if sense.strip()]


def _senses(row: _Row) -> tuple[str, ...]:
    value = row.cells.get("sense", "")
    senses = split_senses(value) if isinstance(value, str) else value
    if not isinstance(senses, list) or not all(isinstance(sense, str) and sense for sense in senses):
        raise row.fail(f"sense is {shortened(value)}, expected text or a list of texts")
    return tuple(senses)


def _place(row: _Row) -> tuple[tuple[str, ...], tuple[int, int] | None]:
    """The tokens of a row's sentence and the target's span; no span where the row names no target."""
    offsets = None
    if "start" in row.cells or "end" in row.cells:
        offsets = row.number("start"), row.number("end")
    if "tokens" in row.cells:
        return _place_in_tokens(row, offsets)
    text = row.text("sentence")
    if not text.strip():
        raise row.fail("the sentence is empty")
    if offsets:
        return _place_in_text(row, text, *offsets)
    if "lemma" not in row.cells:
        return tuple(token for token, _, _ in tokenize(text)), None
    return _place_by_brackets(row, text)


def _place_in_tokens(
    row: _Row, offsets: tuple[int, int] | None
) -> tuple[tuple[str, ...], tuple[int, int] | None]:
    value = row.cells["tokens"]
    tokens = value.split() if isinstance(value, str) else value
    if not isinstance(tokens, list) or not all(isinstance(token, str) and token for token in tokens):
        raise row.fail("tokens must be words separated by spaces, or a list of texts that are not empty")
    if offsets is None and "lemma" in row.cells:
        raise row.fail("start and end are missing: with tokens, they say which words are the target")
    if offsets and not 0 <= offsets[0] < offsets[1] <= len(tokens):
        raise row.fail(f"target {offsets[0]} to {offsets[1]} is outside the {len(tokens)} tokens, or empty")
    return tuple(tokens), offsets


def _place_in_text(row: _Row, text: str, start: int, end: int) -> tuple[tuple[str, ...], tuple[int, int]]:
    if not 0 <= start < end <= len(text):
        raise row.fail(
            f"target {start} to {end} is outside the {len(text)} characters of the sentence, or empty"
        )
    pieces = tokenize(text)
    inside = [number for number, (_, first, last) in enumerate(pieces) if first < end and last > start]
    if not inside:
        raise row.fail(f"target {start} to {end} holds no word")
    first, last = pieces[inside[0]][1], pieces[inside[-1]][2]
    if (first, last) != (start, end):
        message = f"target {text[start:end]!r} ({start} to {end}) does not end where words do"
        raise row.fail(f"{message}; {text[first:last]!r} is {first} to {last}")
    return tuple(token for token, _, _ in pieces), (inside[0], inside[-1] + 1)


def _place_by_brackets(row: _Row, text: str) -> tuple[tuple[str, ...], tuple[int, int]]:
    pieces = _BRACKETS.split(text)
    if len(pieces) != 3:
        found = "no [target]" if len(pieces) == 1 else f"{len(pieces) // 2} [targets]"
        raise row.fail(f"{found} in the sentence: put one in [square brackets], or give start and end")
    tokens, [span] = tokenize_marked(pieces)
    if span[0] == span[1]:
        raise row.fail("the brackets are empty")
    return tokens, span
