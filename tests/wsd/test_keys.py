"""Key files and saved answers."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from invented_wsd import asked_text, inventory

from uncommonsense.errors import MalformedInputError, UserError
from uncommonsense.wsd.first_sense import FirstSense
from uncommonsense.wsd.keys import (
    Answers,
    gold_corpus,
    read_answers,
    read_keys,
    write_answers,
    write_keys,
)
from uncommonsense.wsd.lesk import Lesk

NAMES = st.text("abcdefg.%:0123", min_size=1, max_size=12)


def write(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


def test_keys_are_read_with_comments_and_blank_lines(tmp_path: Path) -> None:
    text = "# by hand\n\nd0.s0.t0 a%1:00:00:: b%1:00:00::\nd0.s0.t1\tc%1:00:00::\r\nd0.s0.t2\n"
    assert read_keys(write(tmp_path / "x.key.txt", text)) == {
        "d0.s0.t0": ("a%1:00:00::", "b%1:00:00::"),
        "d0.s0.t1": ("c%1:00:00::",),
        "d0.s0.t2": (),
    }


def test_a_tab_keeps_the_spaces_of_other_senses(tmp_path: Path) -> None:
    found = read_keys(write(tmp_path / "x.txt", "one\tas well.adv.1\nid\tk%1:00:00:: l%1:00:00::\n"))
    assert found == {"one": ("as well.adv.1",), "id": ("k%1:00:00::", "l%1:00:00::")}


def test_a_repeated_instance_is_named_with_its_line(tmp_path: Path) -> None:
    path = write(tmp_path / "x.key.txt", "a k1\nb k2\n\na k3\n")
    with pytest.raises(MalformedInputError, match=r"x\.key\.txt:4: 'a' was in line 1 already"):
        read_keys(path)


@given(st.dictionaries(NAMES, st.lists(NAMES, min_size=1, max_size=3, unique=True).map(tuple), min_size=1))
def test_what_is_written_is_read(keys: dict[str, tuple[str, ...]]) -> None:
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "x.key.txt"
        write_keys(keys, path)
        assert read_keys(path) == keys


@pytest.mark.parametrize("name", ["answers.parquet", "answers.jsonl"])
def test_answers_of_several_systems_come_back(tmp_path: Path, name: str) -> None:
    predictions = [system.predict(asked_text()) for system in (FirstSense(inventory()), Lesk(inventory()))]
    assert write_answers(predictions, tmp_path / name) == [tmp_path / name]
    assert read_answers(tmp_path / name) == [Answers.of(each) for each in predictions]


def test_a_folder_gets_a_key_file_per_system(tmp_path: Path) -> None:
    predictions = [system.predict(asked_text()) for system in (FirstSense(inventory()), Lesk(inventory()))]
    files = write_answers(predictions, tmp_path / "keys")
    assert [file.name for file in files] == ["first-sense.key.txt", "lesk.key.txt"]
    assert read_answers(files[1]) == [Answers.of(predictions[1])]
    with pytest.raises(UserError, match="one system"):
        write_answers(predictions, tmp_path / "both.key.txt")


def test_several_answers_to_one_instance(tmp_path: Path) -> None:
    rows = [{"instance": "a", "sense": "k1"}, {"instance": "a", "sense": "k2"}]
    path = write(tmp_path / "mine.jsonl", "\n".join(map(json.dumps, rows)) + "\n")
    assert read_answers(path) == [Answers("mine", {"a": ("k1", "k2")})]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"instance": "a", "sense": "k"}\n{"instance": "a"', r"x\.jsonl:2: not JSON"),
        ('{"instance": "a", "sense": 3}\n', r"x\.jsonl:1: expected the instance and the sense"),
        ("[1]\n", r"x\.jsonl:1: expected an object"),
        ('{"instance": "a", "sense": "k"}\n' * 2, r"x\.jsonl:2: 'a' has the answer 'k' twice"),
    ],
)
def test_bad_json_lines(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(MalformedInputError, match=message):
        read_answers(write(tmp_path / "x.jsonl", text))


def test_bad_parquet(tmp_path: Path) -> None:
    with pytest.raises(MalformedInputError, match="not a readable Parquet file"):
        read_answers(write(tmp_path / "x.parquet", "nothing"))
    pq.write_table(pa.table({"instance": ["a"]}), tmp_path / "y.parquet")
    with pytest.raises(MalformedInputError, match="'sense' is missing"):
        read_answers(tmp_path / "y.parquet")
    with pytest.raises(UserError, match="no such file"):
        read_answers(tmp_path / "z.parquet")


def test_gold_keys_tell_lemma_and_part_of_speech(tmp_path: Path) -> None:
    text = "d0.s0.t0 art%1:09:00::\nd0.s0.t1 big%5:00:01:large:00 big%3:00:01::\nd0.s1.t0 on_time.adv.2\n"
    corpus = gold_corpus(write(tmp_path / "mine.gold.key.txt", text))
    assert corpus.name == "mine"
    assert corpus.instances["lemma"].to_pylist() == ["art", "big", "on_time"]
    assert corpus.instances["pos"].to_pylist() == ["n", "a", "r"]
    assert corpus.rows.tolist() == [0, 0, 1]


@pytest.mark.shared
def test_the_official_gold_keys(shared: Path) -> None:
    keys = read_keys(shared / "wsd_evaluation_framework" / "ALL" / "ALL.gold.key.txt")
    assert len(keys) == 7253
    assert keys["senseval2.d000.s000.t000"] == ("art%1:09:00::",)
