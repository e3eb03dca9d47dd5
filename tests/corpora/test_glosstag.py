"""The gloss corpus: words, collocations, hyphens, tags."""

from __future__ import annotations

import bz2
import gzip
import json
import lzma
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from uncommonsense.corpora.glosstag import read
from uncommonsense.errors import MalformedInputError, UnknownNameError
from uncommonsense.schema import Instance

RECORD: dict[str, Any] = {
    "id": "00000001-n-1",
    "type": "def",
    "text": "wind-driven mill, turned and left off",
    "tokens": [
        {"form": "", "senses": ["wind_mill%1:06:00::"], "tag": "auto", "kind": ["glob", "a"]},
        {"form": "wind", "sep": "-", "kind": ["cf", "a"]},
        {"form": "mill", "sep": "", "kind": ["cf", "a", "b"], "senses": ["mill%1:06:00::"], "tag": "man"},
        {"form": "", "kind": ["mwf"]},
        {"form": ","},
        {"form": "", "senses": ["turn_off%2:30:00::"], "tag": "un", "kind": ["glob", "c"]},
        {"form": "turned", "kind": ["cf", "c"]},
        {"form": "and", "senses": ["purposefully_ignored%0:00:00::"], "tag": "man"},
        {
            "form": "left",
            "senses": ["purposefully_ignored%0:00:00::", "left%3:00:00::", "left%5:00:00:port:00"],
            "tag": "man",
        },
        {"form": "off", "sep": "", "kind": ["cf", "c"]},
    ],
}


def write(path: Path, *records: object) -> Path:
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return path


def test_words_collocations_and_keys(tmp_path: Path) -> None:
    (sentence,) = read(write(tmp_path / "g.jsonl", RECORD))
    assert sentence.tokens == ("wind", "-", "mill", ",", "turned", "and", "left", "off")
    assert (sentence.id, sentence.source) == ("00000001-n-1", "def")
    assert sentence.instances == (
        Instance("00000001-n-1.t0", 0, 3, "wind_mill", "n", ("wind_mill%1:06:00::",)),
        Instance("00000001-n-1.t2", 2, 3, "mill", "n", ("mill%1:06:00::",)),
        Instance("00000001-n-1.t5", 4, 5, "turn_off", "v", ("turn_off%2:30:00::",)),
        Instance("00000001-n-1.t8", 6, 7, "left", "a", ("left%3:00:00::", "left%5:00:00:port:00")),
    )


@pytest.mark.parametrize(("tags", "lemmas"), [("man", ["mill", "left"]), ("auto", ["wind_mill"])])
def test_tags_of_one_origin(tmp_path: Path, tags: str, lemmas: list[str]) -> None:
    (sentence,) = read(write(tmp_path / "g.jsonl", RECORD), tags=tags)
    assert [instance.lemma for instance in sentence.instances] == lemmas


def test_unknown_tags(tmp_path: Path) -> None:
    with pytest.raises(UnknownNameError, match=r"'hand'\. Known: all, auto, man"):
        list(read(write(tmp_path / "g.jsonl", RECORD), tags="hand"))


@pytest.mark.parametrize(
    ("suffix", "pack"), [("gz", gzip.compress), ("bz2", bz2.compress), ("xz", lzma.compress)]
)
def test_packed_files_whole_and_cut_off(tmp_path: Path, suffix: str, pack: Callable[[bytes], bytes]) -> None:
    data = pack("".join(json.dumps({**RECORD, "id": str(n)}) + "\n" for n in range(50)).encode())
    path = tmp_path / f"g.jsonl.{suffix}"
    path.write_bytes(data)
    assert len(list(read(path))) == 50
    path.write_bytes(data[:-20])
    with pytest.raises(MalformedInputError, match=re.escape(str(path)) + r":\d+: cannot read on"):
        list(read(path))
    path.write_bytes(b"this is not packed")
    with pytest.raises(MalformedInputError, match=re.escape(str(path)) + ":1: cannot read on"):
        list(read(path))


@pytest.mark.parametrize(
    ("record", "message"),
    [
        ({**RECORD, "tokens": [{"form": 3}]}, "must be strings"),
        ({**RECORD, "tokens": [{"fork": "x"}]}, "no 'form' in it"),
        ({"id": "1", "type": "ex"}, "no 'tokens' in it"),
        (["x"], "not a record"),
        ({**RECORD, "tokens": [{"form": "x", "tag": "man", "senses": ["x"]}]}, "'x' is not a sense key"),
        ({**RECORD, "tokens": [{"form": "x", "tag": "man"}]}, "no 'senses' in it"),
        ({**RECORD, "tokens": RECORD["tokens"][:1]}, "without words"),
        (RECORD, "'00000001-n-1' occurs twice"),
    ],
)
def test_broken_records(tmp_path: Path, record: object, message: str) -> None:
    path = write(tmp_path / "g.jsonl", RECORD, record)
    with pytest.raises(MalformedInputError, match=re.escape(f"{path}:2: ") + ".*" + re.escape(message)):
        list(read(path))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"id": ', "not JSON"),
        ('{"id": ' + "[" * 100_000, "the JSON is nested too deeply"),
        (json.dumps({**RECORD, "id": "\ud800"}), r"\ud800 is half of a surrogate pair"),
        (f'{{"id": {"1" * 5000}}}', "a number in the JSON is too long"),
    ],
)
def test_bad_json(tmp_path: Path, text: str, message: str) -> None:
    path = write(tmp_path / "g.jsonl", RECORD)
    path.write_text(path.read_text() + text)
    with pytest.raises(MalformedInputError, match=re.escape(f"{path}:2: {message}")):
        list(read(path))


@pytest.mark.shared
def test_counts_of_the_real_corpus(shared: Path) -> None:
    """All 501,358 tagged entries come back, but for those that carry nothing but purposefully_ignored."""
    path = shared / "glosstag.jsonl.xz"
    with lzma.open(path, "rt", encoding="utf-8") as stream:
        ignored = sum(line.count('"senses": ["purposefully_ignored%0:00:00::"]') for line in stream)
    sentences = targets = 0
    for sentence in read(path):
        sentences += 1
        targets += len(sentence.instances)
        assert all(0 <= each.start < each.end <= len(sentence.tokens) for each in sentence.instances)
    assert (sentences, targets + ignored) == (165_994, 501_358)
