"""Own sentences in tables and JSON lines."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from uncommonsense.corpora.columns import read_jsonl, read_tsv
from uncommonsense.errors import MalformedInputError
from uncommonsense.schema import Instance, Sentence


def table(folder: Path, *rows: str) -> Path:
    """Write rows whose columns are set apart by two blanks or more."""
    path = folder / "mine.tsv"
    path.write_text("".join("\t".join(re.split(r" {2,}", row)) + "\n" for row in rows))
    return path


def test_brackets(tmp_path: Path) -> None:
    path = table(
        tmp_path, "sentence  lemma  pos  sense", "We met in [New York]'s parks.  New York  NOUN  ny.1| ny.2"
    )
    assert list(read_tsv(path)) == [
        Sentence(
            "mine.2",
            ("We", "met", "in", "New", "York", "'s", "parks", "."),
            "mine",
            (Instance("mine.2.t3", 3, 5, "new_york", "n", ("ny.1", "ny.2")),),
        )
    ]


def test_only_what_is_needed(tmp_path: Path) -> None:
    (sentence,) = read_tsv(table(tmp_path, "sentence  lemma", "The [banks].  bank"))
    assert sentence.instances == (Instance("mine.2.t1", 1, 2, "bank", "x"),)


@pytest.mark.parametrize(
    "row",
    [
        {"sentence": "Don't bank on it.", "start": 6, "end": 10},
        {"sentence": "Don't bank on it.", "start": "6", "end": " 10"},
        {"tokens": ["Do", "n't", "bank", "on", "it", "."], "start": 2, "end": 3},
        {"tokens": "Do n't bank on it .", "start": 2, "end": 3},
        {"sentence": "Don't [bank] on it."},
    ],
)
def test_every_way_to_name_a_target(tmp_path: Path, row: dict[str, object]) -> None:
    path = tmp_path / "mine.jsonl"
    optional = {
        "id": "i",
        "sentence_id": "s",
        "split": "dev",
        "source": "letters",
        "sense": ["b.1"],
        "pos": "v",
    }
    path.write_text(json.dumps({**row, "lemma": "bank", **optional}))
    instance = Instance("i", 2, 3, "bank", "v", ("b.1",), "dev")
    assert list(read_jsonl(path)) == [
        Sentence("s", ("Do", "n't", "bank", "on", "it", "."), "letters", (instance,))
    ]


def test_rows_of_one_sentence_and_rows_without_a_target(tmp_path: Path) -> None:
    path = table(
        tmp_path,
        "sentence_id  tokens  start  end  lemma",
        "a  one two  0  1  one",
        "a  one two  1  2  two",
        "b  three",
    )
    path.write_text(path.read_text().replace("three\n", "three\t\t\t\n"))
    first, second = read_tsv(path)
    assert [instance.id for instance in first.instances] == ["a.t0", "a.t1"]
    assert (second.tokens, second.instances) == (("three",), ())


HEADER = "id  sentence  start  end  lemma  pos"


@pytest.mark.parametrize(
    ("rows", "line", "message"),
    [
        (["lemma  pos"], 1, "'sentence' or a column 'tokens'"),
        (["sentence  tokens  lemma"], 1, "one of them"),
        (["sentence  pos"], 1, "column 'lemma' is missing"),
        (["sentence  lemma  lemma"], 1, "'lemma' occurs twice"),
        (["sentence  lemma  word"], 1, "unknown column 'word'"),
        ([HEADER, "i  a b  0  1  a"], 2, "5 columns, but the header names 6"),
        ([HEADER, "i  a b  zero  1  a  n"], 2, "start is 'zero', expected a whole number"),
        ([HEADER, "i  a b  0  1.5  a  n"], 2, "end is '1.5', expected a whole number"),
        ([HEADER, "i  a b  0  4  a  n"], 2, "0 to 4 is outside the 3 characters"),
        ([HEADER, "i  a b  -1  1  a  n"], 2, "-1 to 1 is outside"),
        ([HEADER, "i  a b  1  1  a  n"], 2, "or empty"),
        ([HEADER, "i  a b  1  2  a  n"], 2, "holds no word"),
        (
            [HEADER, "i  a bank  2  5  a  n"],
            2,
            "'ban' (2 to 5) does not end where words do; 'bank' is 2 to 6",
        ),
        ([HEADER, "i  a b  0  1  a  adjunct"], 2, "pos is 'adjunct'"),
        ([HEADER, "i  a b  0  1  a  n", "i  c d  0  1  c  n"], 3, "words differ"),
        ([HEADER, "i  a b  0  1  a  n", "j  a b  0  1  a  n", "i  a b  0  1  a  n"], 4, "'i' occurs twice"),
        (["sentence  lemma", "no brackets  x"], 2, "no [target]"),
        (["sentence  lemma", "[two] [brackets]  x"], 2, "2 [targets]"),
        (["sentence  lemma", "an empty []  x"], 2, "the brackets are empty"),
        (["tokens  lemma", "a b  a"], 2, "start and end are missing"),
        (["tokens  start  end  lemma", "a b  1  3  a"], 2, "outside the 2 tokens"),
        (["sentence_id  tokens  lemma", "a  x  ", "a  y  "], 3, "the words differ"),
        ([HEADER, f"i  a b  {'1' * 5000}  1  a  n"], 2, "expected a whole number of at most 9 digits"),
    ],
)
def test_broken_tables(tmp_path: Path, rows: list[str], line: int, message: str) -> None:
    path = table(tmp_path, *rows)
    with pytest.raises(MalformedInputError, match=re.escape(f"{path}:{line}: ") + ".*" + re.escape(message)):
        list(read_tsv(path))


def test_a_missing_lemma(tmp_path: Path) -> None:
    path = tmp_path / "mine.tsv"
    path.write_text("sentence\tstart\tend\tlemma\na b\t0\t1\t\n")
    with pytest.raises(MalformedInputError, match=r"mine.tsv:2: lemma is empty"):
        list(read_tsv(path))


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{", "not JSON"),
        ("[1]", "expected an object"),
        ('{"sentence": 3, "lemma": "x"}', "sentence is 3, expected text"),
        ('{"tokens": ["a", ""], "start": 0, "end": 1, "lemma": "a"}', "tokens must be"),
        ('{"tokens": [1], "start": 0, "end": 1, "lemma": "a"}', "tokens must be"),
        ('{"tokens": ["a"], "start": true, "end": 1, "lemma": "a"}', "start is True"),
        ('{"tokens": ["a"], "start": 0, "end": 1, "lemma": "a", "sense": 4}', "sense is 4"),
        ('{"tokens": ["a"], "end": 1, "lemma": "a"}', "start is missing"),
        ('{"sentence": "[a]"}', "column 'lemma' is missing"),
        (r'{"sentence": "[a] \ud800", "lemma": "a"}', r"\ud800 is half of a surrogate pair"),
        (r'{"sentence": "[a]", "lemma": "a", "source": "\uDFff!"}', r"\udfff is half of a surrogate pair"),
        (r'{"sentence": "[a]", "lemma": "a", "\ud800": 1}', r"\ud800 is half of a surrogate pair"),
        (
            f'{{"sentence": "a", "start": {"1" * 5000}, "end": 1, "lemma": "a"}}',
            "number in the JSON is too long",
        ),
        ("[" * 100_000, "nested too deeply"),
        ('{"sentence": ' + '{"a":' * 100_000, "nested too deeply"),
        ('{"sentence": ' + "[" * 500 + "]" * 500 + ', "lemma": "a"}', "sentence is [[[[[[[...]]]]]]]"),
    ],
)
def test_broken_json_lines(tmp_path: Path, line: str, message: str) -> None:
    path = tmp_path / "mine.jsonl"
    path.write_text(f'{{"sentence": "[a]", "lemma": "a"}}\n\n{line}\n')
    with pytest.raises(MalformedInputError, match=re.escape(f"{path}:3: ") + ".*" + re.escape(message)):
        list(read_jsonl(path))


def test_both_halves_of_a_surrogate_pair(tmp_path: Path) -> None:
    path = tmp_path / "mine.jsonl"
    path.write_text(r'{"tokens": ["\ud83d\ude00", "\\ud800"], "start": 0, "end": 1, "lemma": "a"}')
    assert next(read_jsonl(path)).tokens == ("\N{GRINNING FACE}", r"\ud800")


@pytest.mark.parametrize(
    ("data", "line", "message"),
    [
        (b"", 1, "empty"),
        (b"sentence\tlemma\n[caf\xe9]\tx\n", 2, "byte 0xe9 at column 5"),
        (b"\x89PNG\r\n\x1a\n\0\0", 1, "not UTF-8"),
        (b"sentence\tlemma\n[a\0]\tx\n", 2, "binary"),
    ],
)
def test_files_that_are_no_text(tmp_path: Path, data: bytes, line: int, message: str) -> None:
    path = tmp_path / "mine.tsv"
    path.write_bytes(data)
    with pytest.raises(MalformedInputError, match=re.escape(f"{path}:{line}: ") + ".*" + re.escape(message)):
        list(read_tsv(path))


def test_a_folder_instead_of_a_file(tmp_path: Path) -> None:
    with pytest.raises(MalformedInputError, match="this is a folder, expected a file"):
        list(read_tsv(tmp_path))


def test_byte_order_mark_and_dos_line_ends(tmp_path: Path) -> None:
    path = tmp_path / "mine.tsv"
    path.write_bytes(b"\xef\xbb\xbfsentence\tlemma\r\n[a] b\ta\r\n")
    assert next(read_tsv(path)).tokens == ("a", "b")
