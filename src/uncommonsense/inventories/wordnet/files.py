"""Reading WordNet's database files, a line at a time (formats: wndb(5WN), senseidx(5WN))."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from uncommonsense.errors import MalformedInputError, MissingResourceError
from uncommonsense.inventories.wordnet.names import FILES, LEXFILES, MARKERS, PARTS, SYMBOLS

__all__ = [
    "Pointer",
    "SenseLine",
    "SynsetLine",
    "find_files",
    "read_exceptions",
    "read_index",
    "read_senses",
    "read_synsets",
    "split_gloss",
]

_MARKER = re.compile(r"\((\w+)\)$")
_MARKER_NUMBER = {marker: number for number, (marker, _) in enumerate(MARKERS, start=1)}
_EXAMPLES = re.compile(r'(?:^|[;:,]|(?<=\))|(?:\bas in )?\be\.g\.,?)\s*"')
_QUOTED = re.compile(r'"([^"]*)(?:"|$)')
_PART_OF_TYPE = {"1": "n", "2": "v", "3": "a", "4": "r", "5": "a"}


Pointer = tuple[int, tuple[str, int], int, int]
"""A relation, its target (part of speech, offset), source word, target word.

Words count from 1; 0 stands for the whole synset.
"""


class SynsetLine(NamedTuple):
    """One line of ``data.*``."""

    offset: int
    pos: int
    lexfile: int
    words: list[str]
    markers: list[int]
    pointers: list[Pointer]
    frames: list[tuple[int, int]]
    """Verb frames: (frame number, word number or 0 for all words)."""
    gloss: str
    examples: list[str]


class SenseLine(NamedTuple):
    """One line of ``index.sense``."""

    line: int
    key: str
    lemma: str
    pos: str
    offset: int
    tag_count: int


def find_files(folder: Path) -> dict[str, Path]:
    """The database files of a folder by name; exception lists may be missing, the others may not."""
    wanted = [f"{kind}.{part}" for kind in ("data", "index") for part in FILES.values()] + ["index.sense"]
    missing = [name for name in wanted if not (folder / name).is_file()]
    if missing:
        raise MissingResourceError(
            f"{folder}: no WordNet database here, {', '.join(missing)} missing; "
            "give the folder that holds data.noun, index.noun and index.sense (often called 'dict')"
        )
    exceptions = [f"{part}.exc" for part in FILES.values() if (folder / f"{part}.exc").is_file()]
    return {name: folder / name for name in wanted + exceptions}


def read_synsets(path: Path) -> Iterator[SynsetLine]:
    """The synsets of a ``data.*`` file, in file order."""
    for number, line in _lines(path):
        try:
            yield _parse_synset(line)
        except (ValueError, IndexError, KeyError) as error:
            raise MalformedInputError(
                path, number, f"not a synset of WordNet 3.0: {_reason(error)}"
            ) from error


def read_index(path: Path) -> Iterator[tuple[str, list[int]]]:
    """Lemmas of an ``index.*`` file and the offsets of their synsets, in sense order."""
    for number, line in _lines(path):
        fields = line.split()
        try:
            count = int(fields[2])
            offsets = [int(offset) for offset in fields[-count:]]
            if len(fields) != 6 + int(fields[3]) + count:
                raise ValueError(f"{len(fields)} fields do not fit {count} senses")
            yield fields[0], offsets
        except (ValueError, IndexError) as error:
            raise MalformedInputError(path, number, f"not an index entry: {_reason(error)}") from error


def read_senses(path: Path) -> Iterator[SenseLine]:
    """The lines of ``index.sense``, without its sense numbers: those follow from the index files."""
    for number, line in _lines(path):
        try:
            key, offset, _, count = line.split()
            lemma, _, rest = key.rpartition("%")
            yield SenseLine(number, key, lemma, _PART_OF_TYPE[rest[:1]], int(offset), int(count))
        except (ValueError, KeyError) as error:
            expected = "sense_key synset_offset sense_number tag_count"
            raise MalformedInputError(path, number, f"{line!r} is not '{expected}'") from error


def read_exceptions(path: Path) -> Iterator[tuple[str, list[str]]]:
    """Irregular forms and their base forms; a form on several lines comes several times."""
    for number, line in _lines(path):
        form, *bases = line.split()
        if not bases:
            raise MalformedInputError(path, number, f"{form!r} has no base form")
        yield form, bases


def split_gloss(text: str) -> tuple[str, list[str]]:
    """A gloss as definition and examples.

    Examples begin at the first quotation that follows a separator outside parentheses; a quotation
    within a clause (``as in "carrot and stick"``) belongs to the definition.
    """
    for match in _EXAMPLES.finditer(text):
        before = text[: match.start()]
        if before.count("(") <= before.count(")"):
            quoted = _QUOTED.findall(text, match.end() - 1)
            return before.strip(" ;:,"), [each.strip() for each in quoted if re.search(r"\w", each)]
    return text.strip(" ;"), []


def _lines(path: Path) -> Iterator[tuple[int, str]]:
    """Lines with their numbers, without the licence that opens each file and without blank lines."""
    with path.open(encoding="utf-8", errors="strict") as file:
        number = 0
        try:
            for number, line in enumerate(file, start=1):
                if not line.startswith("  ") and (text := line.strip()):
                    yield number, text
        except UnicodeDecodeError as error:
            raise MalformedInputError(path, number + 1, f"not UTF-8 text: {error.reason}") from error


def _parse_synset(line: str) -> SynsetLine:
    head, _, gloss = line.partition("|")
    fields = head.split()
    end = 4 + 2 * int(fields[3], 16)
    words, markers = _parse_words(fields[4:end:2])
    first, last = end + 1, end + 1 + 4 * int(fields[end])
    pointers = [_parse_pointer(*fields[at : at + 4]) for at in range(first, last, 4)]
    lexfile = int(fields[1])
    if lexfile >= len(LEXFILES):
        raise ValueError(f"lexicographer file {lexfile} does not exist")
    frames = _parse_frames(fields[last:])
    definition, examples = split_gloss(gloss.strip())
    pos = PARTS.index(fields[2])
    return SynsetLine(int(fields[0]), pos, lexfile, words, markers, pointers, frames, definition, examples)


def _parse_words(fields: list[str]) -> tuple[list[str], list[int]]:
    """Words without the markers of ``data.adj``, and the markers' numbers."""
    words, markers = [], []
    for field in fields:
        match = _MARKER.search(field)
        number = _MARKER_NUMBER.get(match[1], 0) if match else 0
        words.append(field[: match.start()] if match and number else field)
        markers.append(number)
    return words, markers


def _parse_pointer(symbol: str, offset: str, pos: str, words: str) -> Pointer:
    target = ("a" if pos == "s" else pos, int(offset))
    if words == "0000":
        return SYMBOLS[symbol], target, 0, 0
    return SYMBOLS[symbol], target, int(words[:2], 16), int(words[2:], 16)


def _parse_frames(fields: list[str]) -> list[tuple[int, int]]:
    if not fields:
        return []
    if len(fields) != 1 + 3 * int(fields[0]):
        raise ValueError(f"{fields[0]} verb frames do not fit {len(fields) - 1} fields")
    return [(int(fields[at + 1]), int(fields[at + 2], 16)) for at in range(1, len(fields), 3)]


def _reason(error: Exception) -> str:
    if isinstance(error, KeyError):
        return f"unknown symbol {error.args[0]!r}"
    return "too few fields" if isinstance(error, IndexError) else str(error)
