"""Rows of a table in an SQL dump (MySQL's or phpMyAdmin's ``INSERT INTO``), streamed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from uncommonsense.corpora.textfile import read_lines
from uncommonsense.errors import MalformedInputError

__all__ = ["read_table"]

_CREATE = re.compile(r"\s*CREATE\s+TABLE\s+(?:IF\s+NOT\s+EXISTS\s+)?[`\"]?(\w+)[`\"]?\s*\(", re.IGNORECASE)
_COLUMN = re.compile(r"\s*[`\"](\w+)[`\"]\s")
_INSERT = re.compile(
    r"\s*INSERT\s+(?:IGNORE\s+)?INTO\s+[`\"]?(\w+)[`\"]?\s*(?:\(([^)]*)\))?\s*VALUES\b", re.IGNORECASE
)
_VALUE = r"'(?:[^'\\]++|''|\\.)*+'|[^\s'(),;]++"
_VALUES = re.compile(_VALUE, re.DOTALL)
_ROW = re.compile(rf"\s*\(\s*((?:{_VALUE})(?:\s*,\s*(?:{_VALUE}))*+)\s*\)\s*([,;])", re.DOTALL)
_ESCAPE = re.compile(r"''|\\(.)", re.DOTALL)
_CONTROLS = {"n": "\n", "r": "\r", "t": "\t", "0": "\0", "Z": "\x1a"}
_LONGEST_ROW = 1 << 17
"""In characters: a row that has not ended by then is broken."""

Row = dict[str, str | None]
"""Values by the name of their column; None for NULL."""


def read_table(path: Path, table: str) -> Iterator[tuple[int, Row]]:
    """Yield the rows of a table with the lines on which they begin; a dump without the table is an error."""
    lines = read_lines(path)
    created: list[str] = []
    filled: set[str] = set()
    for number, line in lines:
        if (create := _CREATE.match(line)) and create[1] == table:
            created = _read_columns(line[create.end() :], lines)
        elif insert := _INSERT.match(line):
            filled.add(insert[1])
            if insert[1] == table:
                columns = re.findall(r"\w+", insert[2] or "") or created
                for place, values in _read_rows(path, number, line[insert.end() :], lines):
                    yield place, _row(path, place, columns, values)
    if table not in filled:
        found = f"it fills {', '.join(sorted(filled))}" if filled else "it fills no table"
        raise MalformedInputError(path, None, f"no INSERT INTO `{table}` in this dump: {found}")


def _read_columns(rest: str, lines: Iterator[tuple[int, str]]) -> list[str]:
    """The columns of a CREATE TABLE, one on a line, up to the line that closes it."""
    columns = []
    while not rest.lstrip().startswith(")") and not rest.rstrip().endswith(";"):
        if match := _COLUMN.match(rest):
            columns.append(match[1])
        _, rest = next(lines, (0, ")"))
    return columns


def _read_rows(
    path: Path, number: int, text: str, lines: Iterator[tuple[int, str]]
) -> Iterator[tuple[int, list[str]]]:
    """The first line and the values of each row of an INSERT, up to its semicolon."""
    begin = number
    while True:
        place = 0
        while match := _ROW.match(text, place):
            yield begin, _VALUES.findall(match[1])
            if match[2] == ";":
                return
            begin, place = number, match.end()
        text = text[place:].lstrip()
        following = next(lines, None)
        if following is None or len(text) > _LONGEST_ROW:
            message = "expected rows (value, ...) with commas between them and a semicolon behind the last"
            raise MalformedInputError(path, begin, message)
        number, line = following
        if text:
            text = f"{text}\n{line}"
        else:
            begin, text = number, line


def _row(path: Path, line: int, columns: list[str], values: list[str]) -> Row:
    if len(values) != len(columns):
        raise MalformedInputError(path, line, f"{len(values)} values, expected {len(columns)}: {columns}")
    return dict(zip(columns, map(_value, values), strict=True))


def _value(literal: str) -> str | None:
    if literal.startswith("'"):
        return _ESCAPE.sub(_unescape, literal[1:-1])
    return None if literal.upper() == "NULL" else literal


def _unescape(match: re.Match[str]) -> str:
    return _CONTROLS.get(match[1], match[1]) if match[1] else "'"
