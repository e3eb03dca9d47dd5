"""What commands print: tab-separated lines in a pipe, JSON on request."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NoReturn

import pytest

from running import borrow_cache, require, run
from uncommonsense.cli.output import emit, note
from uncommonsense.encode.corpus import encode_corpus
from uncommonsense.testing import HashEncoder, mini_corpus

LINES = [
    ("A small brown [{}] flew out of the cave at dusk.", "animal"),
    ("He swung the wooden [{}] and missed the ball.", "club"),
]


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The user's resources, and the vectors of one encoder."""
    folder = borrow_cache(tmp_path_factory.mktemp("home") / "cache")
    encode_corpus(HashEncoder(), mini_corpus(), root=folder / "vectors")
    return str(folder)


@pytest.fixture(scope="module")
def spec(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A corpus of one lemma, two senses, six usages each; the last of each is for the test."""
    rows = ["sentence\tlemma\tpos\tsense\tsplit"]
    for text, sense in LINES:
        for number in range(6):
            split = "test" if number == 5 else "train"
            rows.append(f"{number} {text.format('bat')}\tbat\tn\tbat.{sense}\t{split}")
    path = tmp_path_factory.mktemp("corpus") / "bats.tsv"
    path.write_text("\n".join(rows) + "\n", encoding="utf-8")
    return f"tsv:{path}"


def reject(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not JSON")


def as_json(*arguments: str, code: int = 0, **changes: str) -> Any:
    done = run(*arguments, "--json", **changes)
    assert done.returncode == code, done.stderr
    return json.loads(done.stdout, parse_constant=reject)


def as_table(*arguments: str, code: int = 0, **changes: str) -> list[dict[str, str]]:
    done = run(*arguments, **changes)
    assert done.returncode == code, done.stderr
    assert "\x1b" not in done.stdout + done.stderr
    header, *rows = (line.split("\t") for line in done.stdout.splitlines())
    return [dict(zip(header, row, strict=True)) for row in rows]


def test_senses(cache: str) -> None:
    rows = as_json("senses", "on", "--inventory", "sampler")
    table = as_table("senses", "on", "--inventory", "sampler")
    assert [row["id"] for row in table] == [row["id"] for row in rows]
    assert rows[0]["lemma"] == "on"
    require("wordnet")
    rows = as_json("senses", "mouse", "--pos", "n", UNCOMMONSENSE_CACHE=cache)
    assert "mouse%1:06:00::" in {row["id"] for row in rows}


def test_baselines(spec: str) -> None:
    found = as_json("rank", spec, "--baselines", "--top", "5")
    assert (found["database"], found["queries"], found["systems"]["random"]) == (10, 2, None)
    assert found["protocol"]["name"] == "published"
    by_slice = {(row["system"], row["slice"]): row for row in found["scores"]}
    chance = by_slice["random", "l < 500, r ≥ 0.25"]
    assert (chance["value"], chance["n"], chance["metric"]) == (pytest.approx(1 / 2), 2, "mean_precision@5")
    assert by_slice["oracle", "all"]["value"] == 1
    empty = by_slice["random", "l ≥ 500, r < 0.25"]
    assert (empty["value"], empty["low"], empty["n"]) == (None, None, 0)


def test_baselines_in_a_pipe(spec: str) -> None:
    rows = as_table("rank", spec, "--baselines", "--top", "5")
    assert list(rows[0]) == ["system", "corpus", "slice", "metric", "value", "low", "high", "n"]
    (chance,) = (row for row in rows if (row["system"], row["slice"]) == ("random", "all"))
    assert (chance["value"], chance["low"], chance["n"]) == ("0.5", "", "2")


def test_edges_are_taken_as_they_are(spec: str) -> None:
    arguments = ("rank", spec, "--baselines", "--frequency-edges", "4.5,5.5", "--prevalence-edges", "0.5")
    asked = [row["slice"] for row in as_table(*arguments) if row["n"] != "0" and row["system"] == "random"]
    assert asked == ["4.5 ≤ l < 5.5, r ≥ 0.5", "all"]


def test_the_stated_protocol_keeps_monosemous_senses() -> None:
    stated = as_json("rank", "sampler", "--baselines", "--protocol", "stated")
    assert stated["protocol"]["candidates"] == "lemma+pos"
    assert stated["queries"] >= as_json("rank", "sampler", "--baselines")["queries"]


def test_a_model(spec: str, cache: str) -> None:
    require("minilm")
    found = as_json("rank", spec, "--top", "5", UNCOMMONSENSE_CACHE=cache)
    assert [row["system"] for row in found["scores"] if row["slice"] == "all"] == [
        "random",
        "minilm",
        "oracle",
    ]
    assert set(found["systems"]["minilm"]) == {"model", "layers", "pool", "metric", "dtype", "fingerprint"}
    chance, model, best = (row["value"] for row in found["scores"] if row["slice"] == "all")
    assert chance < model <= best


def test_a_grid_of_systems_is_resumed(spec: str, cache: str, tmp_path: Path) -> None:
    require("minilm")
    grid = tmp_path / "grid.toml"
    grid.write_text('model = "minilm"\nlayers = ["last", 3]\nmetric = ["cosine", "euclidean"]\n')
    arguments = ("rank", spec, "--top", "5", "--grid", str(grid), "--out", str(tmp_path / "run"))
    found = as_json(*arguments, UNCOMMONSENSE_CACHE=cache)
    systems = ["minilm", "minilm (euclidean)", "minilm@3", "minilm@3 (euclidean)"]
    assert list(found["systems"]) == ["random", *systems, "oracle"]
    written = {file: file.stat().st_mtime_ns for file in (tmp_path / "run" / "systems").iterdir()}
    assert len(written) == 4
    assert as_json(*arguments, UNCOMMONSENSE_CACHE=cache) == found
    assert {file: file.stat().st_mtime_ns for file in written} == written


def test_a_query_of_several_usages() -> None:
    plain = as_json("rank", "sampler", "--baselines", "--top", "10")
    several = as_json("rank", "sampler", "--baselines", "--top", "10", "--query-n", "3")
    assert several["protocol"]["query_size"] == 3
    assert 0 < several["queries"] <= plain["queries"]


def test_like(spec: str, cache: str) -> None:
    require("minilm")
    sentence = "The [bat] hung upside down in the cave."
    rows = as_json("like", sentence, "--corpus", spec, "--top", "4", UNCOMMONSENSE_CACHE=cache)["usages"]
    assert [row["sense"] for row in rows] == ["bat.animal"] * 4
    assert rows[0]["target"] == "bat"
    table = as_table("like", sentence, "--corpus", spec, "--top", "4", UNCOMMONSENSE_CACHE=cache)
    assert [row["instance"] for row in table] == [row["instance"] for row in rows]
    assert list(table[0]) == ["similarity", "sense", "gloss", "source", "instance", "left", "target", "right"]


def test_the_list_of_stores(cache: str) -> None:
    (row,) = (row for row in as_json("cache", "list", UNCOMMONSENSE_CACHE=cache) if row["model"] == "hash")
    assert (row["vectors"], row["layers"], row["name"]) == (12, "1", HashEncoder().fingerprint[:12])
    table = as_table("cache", "list", "--verify", UNCOMMONSENSE_CACHE=cache)
    assert row["name"] in {each["name"] for each in table}


def test_pruning(tmp_path: Path) -> None:
    home = {"UNCOMMONSENSE_CACHE": str(tmp_path)}
    for dim in (8, 16, 24):
        encode_corpus(HashEncoder(dim=dim), mini_corpus(), root=tmp_path / "vectors")
    first = HashEncoder(dim=8).fingerprint
    assert len(as_json("cache", "prune", "--all", "--dry-run", **home)) == 3
    assert as_json("cache", "prune", "--older", "1", **home) == []
    assert len(as_json("cache", "list", **home)) == 3
    assert [row["name"] for row in as_json("cache", "prune", first[:8], **home)] == [first[:12]]
    assert len(as_json("cache", "list", **home)) == 2
    assert len(as_table("cache", "prune", "--all", **home)) == 2
    assert as_json("cache", "list", **home) == []


def test_the_doctor(tmp_path: Path, cache: str) -> None:
    rows = as_json("doctor", "--no-speed", code=1, UNCOMMONSENSE_CACHE=str(tmp_path))
    advice = {row["check"]: row["advice"] for row in rows if row["state"] == "missing"}
    assert advice["minilm"] == "uncommonsense data get minilm"
    assert advice["wordnet"] == "uncommonsense data get wordnet"
    require("minilm", "wordnet")
    table = as_table("doctor", "--no-speed", UNCOMMONSENSE_CACHE=cache)
    assert {row["check"]: row["state"] for row in table}["minilm"] == "ok"


@pytest.mark.parametrize(
    "arguments",
    [
        ("corpus", "stats"),
        ("corpus", "head"),
        ("corpus", "validate"),
    ],
)
def test_corpus_commands(arguments: tuple[str, ...], spec: str) -> None:
    assert as_json(*arguments, spec)


@pytest.mark.parametrize("arguments", [("corpus", "formats"), ("data", "list")])
def test_lists(arguments: tuple[str, ...]) -> None:
    assert as_json(*arguments)
    assert as_table(*arguments)


def test_cells_in_a_pipe(capsys: pytest.CaptureFixture[str]) -> None:
    row = {
        "a": 12345.6,
        "b": 0.123456,
        "c": 1234,
        "d": ["x", "y"],
        "e": "two\nlines\tand a tab",
        "f": None,
        "g": True,
    }
    emit(row, as_json=False)
    assert (
        capsys.readouterr().out
        == "a\tb\tc\td\te\tf\tg\n12346\t0.1235\t1234\tx, y\ttwo lines and a tab\t\tTrue\n"
    )


def test_numbers_that_json_has_no_word_for(capsys: pytest.CaptureFixture[str]) -> None:
    emit([{"a": float("nan"), "b": [float("inf"), 1.5], "c": ("é",)}], as_json=True)
    assert json.loads(capsys.readouterr().out) == [{"a": None, "b": [None, 1.5], "c": ["é"]}]


def test_notes_stay_out_of_the_result(capsys: pytest.CaptureFixture[str]) -> None:
    note("[not] markup, " + "long " * 60)
    shown = capsys.readouterr()
    assert shown.out == ""
    assert shown.err.startswith("[not] markup")
    assert shown.err.count("\n") == 1


def test_an_empty_result_has_its_header(capsys: pytest.CaptureFixture[str]) -> None:
    emit([], as_json=False, columns=["name", "size"])
    assert capsys.readouterr().out == "name\tsize\n"
