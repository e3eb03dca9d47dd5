"""Searching by example on the command line: filters, marks, and text of one's own."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import Any

import pytest
import typer
from click.testing import Result
from typer.testing import CliRunner

from running import borrow_cache, require
from uncommonsense.cli.index import index
from uncommonsense.cli.like import like
from uncommonsense.corpora import load_corpus, write_parquet
from uncommonsense.corpora.sampler import read as read_sampler
from uncommonsense.encode.store import list_stores
from uncommonsense.errors import UnknownNameError, UserError
from uncommonsense.testing import HashEncoder

app = typer.Typer()
app.command()(like)
app.command()(index)

ROWS = [
    ("A brown [bat] slept upside down all day.", "animal", "zoo"),
    ("One tired [bat] slept upside down above us.", "animal", "park"),
    ("She swung her [bat] and hit the ball.", "club", "zoo"),
    ("They swung a heavy [bat] and hit the ball.", "club", "match"),
]


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The user's resources, vectors of their own, and an encoder that needs no weights."""
    folder = borrow_cache(tmp_path / "cache")
    monkeypatch.setenv("UNCOMMONSENSE_CACHE", str(folder))
    monkeypatch.setattr("uncommonsense.encode.Encoder", lambda *_, **__: HashEncoder())
    return folder


@pytest.fixture
def spec(tmp_path: Path) -> str:
    rows = (f"u{n}\t{text}\tbat\tn\t{sense}\t{source}" for n, (text, sense, source) in enumerate(ROWS))
    path = tmp_path / "bats.tsv"
    path.write_text("\n".join(["id\tsentence\tlemma\tpos\tsense\tsource", *rows]), encoding="utf-8")
    return f"tsv:{path}"


@pytest.fixture
def letters(tmp_path: Path) -> Path:
    require("wordnet")
    folder = tmp_path / "letters"
    (folder / "old").mkdir(parents=True)
    (folder / "may.txt").write_text(
        "We saw the bank of the river. The bank lent us money.\n", encoding="utf-8"
    )
    (folder / "old" / "june.txt").write_text("The leaves fell.\n\nShe leaves on Monday.\n", encoding="utf-8")
    (folder / "empty.txt").touch()
    return folder


def invoke(*arguments: str, answers: str = "") -> Result:
    done = CliRunner().invoke(app, list(arguments), input=answers)
    if done.exception and not isinstance(done.exception, SystemExit):
        raise done.exception
    assert done.exit_code == 0, done.output
    return done


def as_json(*arguments: str) -> Any:
    return json.loads(invoke(*arguments, "--json").stdout)


def instances(*arguments: str) -> list[str]:
    header, *rows = (line.split("\t") for line in invoke("like", *arguments).stdout.splitlines())
    return [row[header.index("instance")] for row in rows]


def test_filters(spec: str) -> None:
    ask = ("The [bat] slept upside down.", "--corpus", spec)
    assert set(instances(*ask)[:2]) == {"u0", "u1"}
    assert set(instances(*ask, "--sense", "club")) == {"u2", "u3"}
    assert set(instances(*ask, "--not-sense", "club")) == {"u0", "u1"}
    assert set(instances(*ask, "--source", "zo", "--source", "match")) == {"u0", "u2", "u3"}
    assert instances(*ask, "--sense", "animal", "--source", "park") == ["u1"]


def test_filters_that_leave_nothing(spec: str) -> None:
    done = invoke("like", "A [bat].", "--corpus", spec, "--sense", "club", "--source", "park")
    assert done.stdout.splitlines() == ["similarity\tsense\tgloss\tsource\tinstance\tleft\ttarget\tright"]
    assert "no usage passes all the filters" in done.stderr
    with pytest.raises(UnknownNameError, match="did you mean 'club'"):
        invoke("like", "A [bat].", "--corpus", spec, "--sense", "clubs")


def test_marks(spec: str) -> None:
    ask = ("A [bat].", "--corpus", spec, "--top", "2")
    assert set(instances(*ask, "--yes", "u0", "--no", "u2")) == {"u0", "u1"}
    assert set(instances(*ask, "--yes", "u2", "--no", "u0")) == {"u2", "u3"}
    assert set(instances(*ask, "--yes", "u2", "--sense", "animal")) == {"u0", "u1"}
    with pytest.raises(UserError, match="marked yes and no"):
        invoke("like", *ask, "--yes", "u0", "--no", "u0")
    with pytest.raises(UnknownNameError, match="unknown usage"):
        invoke("like", *ask, "--yes", "u9")


def test_json_says_what_was_asked(spec: str) -> None:
    found = as_json("like", "A [bat] slept.", "-c", spec, "-n", "2", "--yes", "u0", "--not-sense", "club")
    assert found["query"] == [{"tokens": ["A", "bat", "slept", "."], "start": 1, "end": 2, "target": "bat"}]
    assert (found["corpus"], found["lemmas"], found["top"], found["candidates"]) == (spec, ["bat"], 2, 2)
    assert found["filters"] == {"senses": [], "not_senses": ["club"], "sources": []}
    assert found["marks"] == {"yes": ["u0"], "no": [], "weights": {"query": 1, "yes": 0.75, "no": 0.25}}
    assert found["encoder"]["fingerprint"] == HashEncoder().fingerprint
    first, second = found["usages"]
    assert {key: first[key] for key in ("number", "instance", "mark", "sense", "senses", "pos")} == {
        "number": 1,
        "instance": "u0",
        "mark": "yes",
        "sense": "animal",
        "senses": ["animal"],
        "pos": "n",
    }
    assert (second["mark"], second["target"], second["right"]) == (None, "bat", "slept upside down above us.")


def test_a_session(spec: str) -> None:
    """Marks are read by number, kept, shown, replaced by later ones; mistakes are explained."""
    arguments = ("like", "A [bat].", "--corpus", spec, "--interactive")
    before = instances("A [bat].", "--corpus", spec)
    number = before.index("u3") + 1
    done = invoke(*arguments, answers=f"+9\nwhat\n+{number}\n-1\n\n")
    rounds = re.split("Mark results.*? to end: ", done.stdout)
    shown = [[line for line in each.splitlines() if " bat " in line] for each in rounds]
    assert [len(each) for each in shown] == [4, 0, 0, 4, 4, 0]
    assert "there is no result 9; the numbers go from 1 to 4" in done.stderr
    assert "cannot read 'what'" in done.stderr
    assert shown[0][0].startswith("1  ")
    assert [line[1] for line in shown[3]] == ["+", " ", " ", " "]
    assert "heavy bat" in shown[3][0]
    assert any("heavy bat" in line and line[1] == "-" for line in shown[4])
    assert "to search like this again: --no u3" in done.stderr


def test_a_session_that_ends_at_once(spec: str) -> None:
    done = invoke("like", "A [bat].", "--corpus", spec, "-i")
    assert done.stdout.count("Mark results") == 1
    assert "again" not in done.stderr
    with pytest.raises(UserError, match="--yes and --no"):
        invoke("like", "A [bat].", "--corpus", spec, "-i", "--json")


def test_only_the_usages_asked_for_are_encoded(spec: str, cache: Path) -> None:
    instances("A [bat].", "--corpus", spec, "--sense", "club")
    (store,) = list_stores(cache / "vectors")
    assert store.vectors == 2


def test_index_and_search(letters: Path) -> None:
    out = letters.with_name("letters.parquet")
    made = as_json("index", str(letters))
    assert made == {
        "corpus": f"parquet:{out}",
        "files": 3,
        "read": 3,
        "sentences": 4,
        "words": 23,
        "targets": made["targets"],
        "encoded": made["encoded"],
    }
    assert made["encoded"] < made["targets"] == len(load_corpus(made["corpus"]))
    found = as_json("like", "The [bank] of a river.", "--corpus", made["corpus"])
    assert [row["instance"] for row in found["usages"]] == ["may.txt:1.1.t3", "may.txt:1.2.t1"]
    assert found["usages"][0]["source"] == "may.txt"
    found = as_json("like", "He [saw] a leaf.", "--corpus", made["corpus"])
    assert [(row["instance"], row["target"]) for row in found["usages"]] == [("may.txt:1.1.t1", "saw")]
    assert found["lemmas"] == ["saw", "see"]
    found = as_json("like", "A [leaf].", "--corpus", made["corpus"], "--source", "old/")
    assert [row["target"] for row in found["usages"]] == ["leaves", "leaves"]


def test_nothing_is_done_twice(letters: Path) -> None:
    first = as_json("index", str(letters))
    data = next(letters.with_name("letters.parquet").glob("*.parquet"))
    written = data.stat().st_mtime_ns
    again = as_json("index", str(letters))
    assert again == first | {"read": 0, "encoded": 0}
    os.utime(letters / "may.txt", ns=(1, 1))
    assert as_json("index", str(letters))["read"] == 0
    assert data.stat().st_mtime_ns == written


def test_changes_are_noticed(letters: Path) -> None:
    first = as_json("index", str(letters))
    (letters / "may.txt").write_text("We saw the bank of the river. No more.\n", encoding="utf-8")
    second = as_json("index", str(letters))
    assert (second["read"], second["sentences"]) == (3, 4)
    assert 0 < second["encoded"] < first["encoded"]
    (letters / "old" / "june.txt").unlink()
    assert as_json("index", str(letters))["files"] == 2
    assert set(load_corpus(first["corpus"]).sentences["source"].to_pylist()) == {"may.txt"}


def test_without_vectors(letters: Path, cache: Path, tmp_path: Path) -> None:
    out = tmp_path / "elsewhere" / "out"
    made = as_json("index", str(letters), "--out", str(out), "--text-only")
    assert (made["corpus"], made["encoded"]) == (f"parquet:{out}", 0)
    assert not (cache / "vectors").exists()
    assert len(as_json("like", "The [bank].", "--corpus", made["corpus"])["usages"]) == 2


def test_a_corpus_of_other_making_is_not_overwritten(letters: Path, tmp_path: Path) -> None:
    out = tmp_path / "precious.parquet"
    write_parquet(read_sampler(None), out, name="sampler", spec="sampler")
    before = sorted((file.name, file.read_bytes()) for file in out.iterdir())
    with pytest.raises(UserError, match="exists already"):
        invoke("index", str(letters), "--out", str(out))
    assert sorted((file.name, file.read_bytes()) for file in out.iterdir()) == before


def test_a_damaged_manifest_is_made_anew(letters: Path) -> None:
    first = as_json("index", str(letters))
    (letters.with_name("letters.parquet") / ".manifest.json").write_text("{", encoding="utf-8")
    assert as_json("index", str(letters)) == first | {"encoded": 0}


def test_text_that_cannot_be_read(letters: Path) -> None:
    (letters / "zero.txt").write_bytes(b"One.\n\xff\n")
    with pytest.raises(UserError, match=r"zero\.txt:2: not UTF-8"):
        invoke("index", str(letters))
    assert not letters.with_name("letters.parquet").exists()


def test_text_without_a_word(tmp_path: Path) -> None:
    require("wordnet")
    (tmp_path / "blank").mkdir()
    (tmp_path / "blank" / "a.txt").write_text(" \n\n", encoding="utf-8")
    with pytest.raises(UserError, match="no text"):
        invoke("index", str(tmp_path / "blank"))
