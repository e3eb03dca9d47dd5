"""Entries from wiktextract's JSON lines."""

from __future__ import annotations

import gzip
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from uncommonsense.errors import MalformedInputError
from uncommonsense.wiktionary.entries import Definition, Entry, Example
from uncommonsense.wiktionary.kaikki import read_kaikki

RUN: dict[str, Any] = {
    "word": "run",
    "lang": "English",
    "pos": "verb",
    "forms": [{"form": "ran", "tags": ["past"]}],
    "senses": [
        {
            "glosses": ["To move.", "To move fast."],
            "tags": ["intransitive"],
            "topics": ["sports"],
            "synonyms": [{"word": "race"}],
            "examples": [
                {
                    "text": "He\nran home.",
                    "ref": "1999, A. Author, Book:",
                    "type": "quotation",
                    "bold_text_offsets": [[3, 6]],
                },
                {"text": "She ran; they run, runners.", "type": "example"},
            ],
        },
        {"tags": ["no-gloss"]},
    ],
}


def write(path: Path, *items: Any) -> Path:
    path.write_text("\n".join(item if isinstance(item, str) else json.dumps(item) for item in items), "utf-8")
    return path


def test_an_entry(tmp_path: Path) -> None:
    file = write(tmp_path / "a.jsonl", RUN, RUN | {"lang": "French"}, RUN | {"pos": "intj"})
    quotation = Example("He ran home.", ((3, 6),), "quotation", "1999, A. Author, Book")
    example = Example("She ran; they run, runners.", ((4, 7), (14, 17)), "illustration")
    definition = Definition("To move fast.", ("intransitive", "sports"), ("race",), 2, (quotation, example))
    assert list(read_kaikki(file)) == [("run", (Entry("run", "verb", (definition,)),))]


def test_parts_and_languages(tmp_path: Path) -> None:
    file = write(tmp_path / "a.jsonl", RUN, RUN | {"pos": "intj"}, RUN | {"pos": "adj", "word": "red"})
    parts = {word: [entry.pos for entry in entries] for word, entries in read_kaikki(file, all_parts=True)}
    assert parts == {"run": ["verb", "interjection"], "red": ["adjective"]}
    assert list(read_kaikki(file, language="French")) == []


def test_compressed(tmp_path: Path) -> None:
    file = tmp_path / "a.jsonl.gz"
    file.write_bytes(gzip.compress(json.dumps(RUN).encode()))
    assert [word for word, _ in read_kaikki(file)] == ["run"]


def test_a_bad_line_is_counted_with_its_place(tmp_path: Path) -> None:
    file = write(
        tmp_path / "a.jsonl",
        RUN,
        '{"word": ',
        {"redirect": "x", "title": "y"},
        {"word": "x"},
        RUN | {"word": "b"},
    )
    warnings: Counter[str] = Counter()
    assert [word for word, _ in read_kaikki(file, warnings=warnings)] == ["run", "b"]
    assert [key.partition(": ")[0] for key in warnings] == [f"{file}:2", f"{file}:4"]


@pytest.mark.parametrize("content", ["not JSON at all", '{"a": 1}', "<xml/>\n" * 30])
def test_a_file_of_another_kind_is_an_error(tmp_path: Path, content: str) -> None:
    file = write(tmp_path / "a.jsonl", content)
    with pytest.raises(MalformedInputError, match=r"a\.jsonl:1: no wiktextract entry"):
        list(read_kaikki(file))
