"""The Princeton WordNet Gloss Corpus as JSON lines: the glosses and examples of WordNet with sense tags.

A line is ``{"id", "type": "def" or "ex", "tokens": [{"form", "senses", "tag", "sep", "kind", ...}], ...}``,
in a file that may be packed (``.xz``, ``.gz``, ``.bz2``). ``tag`` says who chose the senses: ``man``, a
person, ``auto``, a program, or ``un``, which the release leaves open.

- A collocation is an entry without a form and with ``kind: ["glob", X]``; the words with
  ``kind: ["cf", X, ...]`` belong to it. Its span is their first unbroken run: *take* in "take and maintain
  control".
- ``sep`` is what follows a word in place of a space: a hyphen becomes a token of its own.
- ``purposefully_ignored`` marks words that the annotators passed over; it is no sense and is dropped.

Ids are the corpus's own (``02433381-v-1``), ``02433381-v-1.t5`` for the fifth entry (from 0) of ``tokens``.
The offsets in them are those of Princeton's WordNet 3.0 files. ``source`` is ``def`` or ``ex``.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from uncommonsense.corpora.choices import pick
from uncommonsense.corpora.folders import files_of
from uncommonsense.corpora.jsonarray import parse_line
from uncommonsense.corpora.spelling import pos_of_key
from uncommonsense.corpora.textfile import read_lines
from uncommonsense.errors import MalformedInputError
from uncommonsense.schema import Instance, Sentence

__all__ = ["read"]

_TAGS = {"man": ("man",), "auto": ("auto",), "all": ("man", "auto", "un")}
_SUFFIXES = (".jsonl", ".jsonl.xz", ".jsonl.gz", ".jsonl.bz2")
_IGNORED = "purposefully_ignored%0:00:00::"


def read(path: Path, *, tags: str = "all") -> Iterator[Sentence]:
    """Yield glosses and examples, with the targets of the ``tags`` that are asked for."""
    chosen = _TAGS[pick("tags", tags, _TAGS)]
    seen: set[str] = set()
    for file in files_of(path, suffixes=_SUFFIXES, kind="gloss corpus as JSON lines"):
        for line, text in read_lines(file):
            sentence = _parse(file, line, text, chosen)
            if sentence.id in seen:
                raise MalformedInputError(file, line, f"id {sentence.id!r} occurs twice")
            seen.add(sentence.id)
            yield sentence


def _parse(path: Path, line: int, text: str, tags: tuple[str, ...]) -> Sentence:
    record = parse_line(path, line, text)
    try:
        return _sentence(record, tags)
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        message = f"not a record of the gloss corpus: {_reason(error)}"
        raise MalformedInputError(path, line, message) from error


def _reason(error: Exception) -> str:
    return f"no {error} in it" if isinstance(error, KeyError) else str(error)


class _Place(NamedTuple):
    """Where an entry's form begins and ends among the tokens, and where the next entry begins."""

    start: int
    end: int
    after: int


def _sentence(record: dict[str, Any], tags: tuple[str, ...]) -> Sentence:
    entries = record["tokens"]
    tokens: list[str] = []
    places: list[_Place] = []
    for entry in entries:
        start = len(tokens)
        tokens += filter(None, [entry["form"]])
        end = len(tokens)
        tokens += filter(None, [entry.get("sep", "").strip()])
        places.append(_Place(start, end, len(tokens)))
    if not all(isinstance(text, str) for text in (record["id"], record["type"], *tokens)):
        raise TypeError("id, type and forms must be strings")
    instances = tuple(
        _instance(f"{record['id']}.t{number}", _span(entries, places, number), senses)
        for number, entry in enumerate(entries)
        if entry.get("tag") in tags and (senses := tuple(key for key in entry["senses"] if key != _IGNORED))
    )
    return Sentence(record["id"], tuple(tokens), record["type"], instances)


def _span(entries: list[dict[str, Any]], places: list[_Place], number: int) -> tuple[int, int]:
    """The token span of an entry; for a collocation, of the first unbroken run of its words."""
    kind, *letters = entries[number].get("kind", [""])
    if kind != "glob":
        return places[number][:2]
    words = [place for entry, place in zip(entries, places, strict=True) if _is_word_of(entry, letters[0])]
    if not words:
        raise ValueError(f"entry {number} is a collocation without words")
    last = words[0]
    for word in words[1:]:
        if word.start != last.after:
            break
        last = word
    return words[0].start, last.end


def _is_word_of(entry: dict[str, Any], letter: str) -> bool:
    kind, *letters = entry.get("kind", [""])
    return kind == "cf" and letter in letters


def _instance(identifier: str, span: tuple[int, int], senses: tuple[str, ...]) -> Instance:
    pos = pos_of_key(senses[0])
    if pos is None or span[0] == span[1]:
        raise ValueError(f"{senses[0]!r} is not a sense key" if pos is None else "a tagged entry has no form")
    return Instance(identifier, *span, senses[0].split("%")[0], pos, senses)
