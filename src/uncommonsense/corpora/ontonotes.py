"""OntoNotes 5.0 in the columns of CoNLL-2012: ``*.gold_conll``, or ``*.gold_skel`` without the words.

A label is ``lemma_pos_sense`` (``look_v_5``): columns 7, 5 and 9, with ``n`` for tags N* and ``v`` for
V*. The sense inventory knows no other parts of speech, so a sense on another tag is left out
unless ``other_tags=yes`` asks for it (as ``x``).
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from uncommonsense.corpora.choices import is_yes, pick
from uncommonsense.errors import MalformedInputError, UserError
from uncommonsense.schema import Instance, Sentence

__all__ = ["read"]

LANGUAGES = ("arabic", "chinese", "english")

_CONLL_2012_TEST = "conll-2012-test"
_SPLITS = {"train": "train", "development": "dev", "test": "test", _CONLL_2012_TEST: _CONLL_2012_TEST}

_INDEX, _WORD, _TAG, _LEMMA, _SENSE = 2, 3, 4, 6, 8
_FEWEST_COLUMNS = 12
_NONE = b"-"
_POS = {b"N": "n", b"V": "v"}
_HASH = ord("#")
_BEGIN = re.compile(r"#begin document \((.+)\);(?:\s+part\s+(\d+))?")
_NUMBERS = [b"%d" % i for i in range(512)]
"""The word numbers of a sentence, written once."""

_ESCAPES = {
    "-LRB-": "(",
    "-RRB-": ")",
    "-LSB-": "[",
    "-RSB-": "]",
    "-LCB-": "{",
    "-RCB-": "}",
    "/.": ".",
    "/?": "?",
    "/-": "-",
}

Rows = list[list[bytes]]
"""The lines of a sentence, split into columns."""


class _Block(NamedTuple):
    """A sentence of a file."""

    document: str
    """Document and part: ``nw/wsj/00/wsj_0001:000``."""
    ordinal: int
    """Its number in the part, from 0."""
    line: int
    """Its first line."""
    rows: Rows


def read(
    path: Path,
    *,
    language: str = "english",
    conll_2012_test: str | bool = "no",
    unescape: str | bool = "yes",
    other_tags: str | bool = "no",
) -> Iterator[Sentence]:
    """Read a file, or every gold file of a folder and its subfolders in sorted order.

    The split comes from the directories ``train``, ``development`` (``dev``) and ``test``.
    ``conll-2012-test`` is left out unless asked for, and is then a split of that name. Where directories
    are named by language only those of ``language`` are read. ``unescape`` turns ``-LRB-`` into
    ``(``, ``/.`` into ``.`` and so on.
    """
    printed, others = is_yes("unescape", unescape), is_yes("other_tags", other_tags)
    skipped = set(LANGUAGES) - {pick("language", language, LANGUAGES)}
    if not is_yes("conll_2012_test", conll_2012_test):
        skipped.add(_CONLL_2012_TEST)
    origins: dict[str, Path] = {}
    for file in _gold_files(path, skipped):
        folder = _split_folder(file, path)
        split = _SPLITS.get(folder, "")
        for block in _read_blocks(file):
            part = f"{folder}/{block.document}" if folder else block.document
            if block.ordinal == 0 and origins.setdefault(part, file) is not file:
                message = f"{block.document} was read before, from {origins[part]}"
                raise MalformedInputError(file, block.line, message)
            name = f"{part}:{block.ordinal}"
            tokens = _tokens(file, block)
            instances = _instances(file, block, name, split, others)
            source = block.document.rpartition(":")[0]
            yield Sentence(name, _unescape(tokens) if printed else tuple(tokens), source, instances)


# -- files


def _gold_files(path: Path, skipped: set[str]) -> Iterator[Path]:
    """The gold files of a folder and below, one per document; a ``_conll`` file goes before a ``_skel``."""
    if path.is_file():
        yield path
        return
    if not path.is_dir():
        raise UserError(f"{path}: no such file or folder; give the folder of OntoNotes in CoNLL format")
    found = False
    for folder, folders, names in os.walk(path):
        folders[:] = sorted(name for name in folders if name not in skipped)
        documents: dict[str, str] = {}
        for name in sorted(names, key=lambda name: (name.endswith("_skel"), name)):
            # Document names hold dots as well: p2.5_a2e_0009.gold_conll.
            document, _, kind = name.rpartition(".")
            if "gold" in kind and kind.endswith(("_conll", "_skel")):
                documents.setdefault(document, name)
        for document in sorted(documents):
            found = True
            yield Path(folder, documents[document])
    if not found:
        raise MalformedInputError(path, None, "no *.gold_conll or *.gold_skel file in this folder or below")


def _split_folder(file: Path, root: Path) -> str:
    """The directory that names the split of a file; empty without one.

    Directories above ``root`` count only in a CoNLL-2012 tree (``train/data/...``): any other ``test``
    there is the user's own.
    """
    parts = file.absolute().parts[:-1]
    inside = len(root.absolute().parts) - 1
    for i in range(len(parts) - 1, -1, -1):
        if parts[i] in _SPLITS and (i >= inside or parts[i + 1] == "data"):
            return parts[i]
    return ""


# -- contents


def _read_blocks(path: Path) -> Iterator[_Block]:
    """Split a file at its blank lines and the lines that begin and end documents."""
    document, index, number = "", 0, 0
    documents: set[str] = set()
    rows: Rows = []
    with path.open("rb") as file:
        for number, line in enumerate(file, 1):
            if line[0] != _HASH and (fields := line.split()):
                rows.append(fields)
                continue
            if rows:
                if not document:
                    raise MalformedInputError(
                        path, number - len(rows), "a token outside of a '#begin document'"
                    )
                yield _Block(document, index, number - len(rows), rows)
                index += 1
                rows = []
            if line.startswith(b"#begin"):
                if document:
                    raise MalformedInputError(path, number, f"no '#end document' for {document}")
                document, index = _begin(path, number, line), 0
                if document in documents:
                    raise MalformedInputError(path, number, f"{document} begins a second time")
                documents.add(document)
            elif line.startswith(b"#end"):
                document = ""
    if document or rows:
        raise MalformedInputError(path, number, "the file ends without '#end document'; is it complete?")
    if not documents:
        raise MalformedInputError(path, 1, "no '#begin document' line: empty, or not in CoNLL-2012 format")


def _begin(path: Path, number: int, line: bytes) -> str:
    """The document and part that a line begins."""
    match = _BEGIN.match(_decode(path, number, line))
    if not match:
        raise MalformedInputError(path, number, "expected '#begin document (NAME); part 000'")
    return f"{match[1]}:{match[2] or '000'}"


def _tokens(path: Path, block: _Block) -> list[str]:
    """The words of a sentence, after a check of its columns."""
    rows = block.rows
    width = len(rows[0])
    if (
        width < _FEWEST_COLUMNS
        or [row[_INDEX] for row in rows] != _NUMBERS[: len(rows)]
        or len(set(map(len, rows))) > 1
    ):
        _check_rows(path, block)
    # Words are decoded in one go: they hold no blanks, and decoding one by one takes three times as long.
    try:
        return b" ".join([row[_WORD] for row in rows]).decode().split(" ")
    except UnicodeDecodeError as error:
        word = error.object.count(b" ", 0, error.start)
        raise _not_utf8(path, block.line + word, error) from error


def _decode(path: Path, line: int, data: bytes) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        raise _not_utf8(path, line, error) from error


def _not_utf8(path: Path, line: int, error: UnicodeDecodeError) -> MalformedInputError:
    return MalformedInputError(
        path, line, f"byte 0x{error.object[error.start]:02x} is not UTF-8; convert the file"
    )


def _check_rows(path: Path, block: _Block) -> None:
    """Raise for the first row that breaks the format."""
    width = max(len(block.rows[0]), _FEWEST_COLUMNS)
    for i, row in enumerate(block.rows):
        if len(row) != width:
            raise MalformedInputError(path, block.line + i, f"{len(row)} columns, expected {width}")
        if row[_INDEX] != b"%d" % i:
            found = row[_INDEX].decode("utf-8", "replace")
            raise MalformedInputError(path, block.line + i, f"word number {found} in column 3, expected {i}")


def _instances(path: Path, block: _Block, name: str, split: str, others: bool) -> tuple[Instance, ...]:
    """The words that have a sense."""
    instances = []
    for place, row in enumerate(block.rows):
        if row[_SENSE] != _NONE and (others or row[_TAG][:1] in _POS):
            lemma, sense = (_decode(path, block.line + place, row[column]) for column in (_LEMMA, _SENSE))
            if row[_LEMMA] == _NONE:
                message = f"the sense {sense} (column 9) lacks its lemma (column 7)"
                raise MalformedInputError(path, block.line + place, message)
            pos = _POS.get(row[_TAG][:1], "x")
            label = f"{lemma}_{pos}_{sense}"
            instances.append(Instance(f"{name}:{place}", place, place + 1, lemma, pos, (label,), split))
    return tuple(instances)


def _unescape(tokens: list[str]) -> tuple[str, ...]:
    """Tokens as they were printed."""
    return tuple([_ESCAPES.get(token, token) for token in tokens])
