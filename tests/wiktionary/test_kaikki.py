"""Entries from wiktextract's JSON lines."""

from __future__ import annotations

import gzip
import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from uncommonsense.errors import MalformedInputError
from uncommonsense.wiktionary.entries import Definition, Entry, Example
from uncommonsense.wiktionary.kaikki import read_kaikki
from uncommonsense.wiktionary.plain import defused

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


@pytest.mark.parametrize(
    ("text", "offsets", "shown", "marked"),
    [
        ("Muddy &amp; <b>run</b> down.", None, "Muddy & run down.", ["run"]),
        ("Muddy &amp; <b>run</b> down.", [[15, 18]], "Muddy & run down.", ["run"]),
        (
            "H<sub>2</sub>O\u200b  has<br/>ran  &lt;b&gt; ''on''.",
            [[25, 28]],
            'H₂O has ran ‹b› "on".',
            ["ran"],
        ),
        (
            "He ran and ran.",
            [[3, 6], [4, 8], [11, 14], [14, 99], ["a", 2]],
            "He ran and ran.",
            ["ran", "ran"],
        ),
        ("He ran.", [], "He ran.", []),
    ],
)
def test_markup_in_a_text_is_defused(
    tmp_path: Path, text: str, offsets: Any, shown: str, marked: list[str]
) -> None:
    example = {"text": text, "ref": "1999, A &amp; <i>B</i>:"} | (
        {} if offsets is None else {"bold_text_offsets": offsets}
    )
    sense = {
        "glosses": ["To <b>go</b> &amp; come."],
        "examples": [example],
        "synonyms": [{"word": "<i>go</i>"}],
    }
    ((_, (entry,)),) = read_kaikki(write(tmp_path / "a.jsonl", RUN | {"senses": [sense]}))
    (definition,) = entry.definitions
    (found,) = definition.examples
    assert (definition.gloss, definition.synonyms) == ("To go & come.", ("go",))
    assert (found.text, found.attribution) == (shown, "1999, A & B")
    assert [found.text[start:end] for start, end in found.targets] == marked


@given(
    st.lists(
        st.sampled_from(["run", " ", "&", "amp;", "<b>", "</b>", "<", ">", "'", "[", "{", "\ue000"])
    ).map("".join),
    st.lists(st.tuples(st.integers(0, 40), st.integers(0, 40)), max_size=4),
)
def test_defused_text_has_no_markup_and_its_spans_lie_in_it(text: str, spans: list[tuple[int, int]]) -> None:
    shown = defused(text, spans)
    assert not re.search(r"\{\{|\[\[|''|</?[A-Za-z][^<>]*>|&#?\w+;|[\ue000\ue001]", shown.text)
    assert all(0 <= start < end <= len(shown.text) for start, end in shown.bold)
    assert all(shown.text[start:end].strip() == shown.text[start:end] for start, end in shown.bold)


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
