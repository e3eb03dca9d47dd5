"""Sentences in CoNLL-U and the formats that add columns to it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from uncommonsense.corpora.textfile import read_lines
from uncommonsense.errors import MalformedInputError

__all__ = ["Block", "read_blocks"]

_COMMENT = re.compile(r"#\s*([^=]+?)\s*=\s*(.*)")
_SKIPPED_ID = re.compile(r"\d+[-.]\d+")


class Block(NamedTuple):
    """A sentence: its comments (``# name = value``) and the columns of each word."""

    line: int
    """The first line of the block."""
    comments: dict[str, str]
    words: list[list[str]]
    lines: list[int]
    """The line of each word."""


def read_blocks(path: Path, *, columns: int) -> Iterator[Block]:
    """Yield the sentences of a file with so many tab-separated columns.

    Words are numbered from 1; multiword tokens (``3-4``) and empty nodes (``3.1``) are left out.
    """
    block: Block | None = None
    for number, line in read_lines(path):
        if not line.strip():
            if block:
                yield _checked(path, block)
            block = None
            continue
        block = block or Block(number, {}, [], [])
        if line.startswith("#"):
            if match := _COMMENT.match(line):
                block.comments[match[1]] = match[2].strip()
            continue
        _add_word(path, number, line, columns, block)
    if block:
        yield _checked(path, block)


def _add_word(path: Path, number: int, line: str, columns: int, block: Block) -> None:
    fields = line.split("\t")
    if len(fields) != columns:
        message = f"{len(fields)} columns, expected {columns} separated by tabs; is the line complete?"
        raise MalformedInputError(path, number, message)
    if _SKIPPED_ID.fullmatch(fields[0]):
        return
    if fields[0] != str(len(block.words) + 1):
        message = f"word number {fields[0]!r} in column 1, expected {len(block.words) + 1}"
        raise MalformedInputError(path, number, message)
    block.words.append(fields)
    block.lines.append(number)


def _checked(path: Path, block: Block) -> Block:
    if not block.words:
        raise MalformedInputError(path, block.line, "comments without a sentence; is the file complete?")
    return block
