"""``uncommonsense corpus``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result
from typer.testing import CliRunner

from uncommonsense.cli.corpus import app
from uncommonsense.errors import UserError

TABLE = """\
sentence\tlemma\tpos\tsense\tsplit
The [river bank] was wet.\triver bank\tn\tbank.2\ttrain
They [bank] on [] it.\tbank\tv\t\tdev
"""


@pytest.fixture
def spec(tmp_path: Path) -> str:
    path = tmp_path / "mine.tsv"
    path.write_text(TABLE.replace(" []", ""))
    return f"tsv:{path}"


def run(*arguments: str, code: int = 0) -> Result:
    result = CliRunner().invoke(app, arguments, catch_exceptions=False)
    assert result.exit_code == code, result.output
    return result


def as_json(*arguments: str, code: int = 0) -> Any:
    return json.loads(run(*arguments, "--json", code=code).stdout)


def test_stats(spec: str) -> None:
    header, first, *_ = (line.split("\t") for line in run("stats", spec).stdout.splitlines())
    row = dict(zip(header, first, strict=True))
    assert (row["group"], row["sentences"], row["tokens"], row["instances"]) == ("all", "2", "11", "2")
    found = as_json("stats", spec)
    assert (found["corpus"], found["tokens"], found["multiword"]) == (spec, 11, 1)
    assert [group["group"] for group in found["groups"]] == [
        "all",
        "pos n",
        "pos v",
        "split dev",
        "split train",
    ]


def test_head_in_a_pipe_and_as_json(spec: str) -> None:
    lines = [line.split("\t") for line in run("head", spec, "-n", "1").stdout.splitlines()]
    assert lines[1] == ["mine.2.t1", "The [river bank] was wet .", "river_bank", "n", "bank.2", "train"]
    assert len(lines) == 2
    (sentence,) = as_json("head", spec, "-n", "1")
    assert sentence["tokens"][1:3] == ["river", "bank"]
    assert sentence["instances"][0]["senses"] == ["bank.2"]


def test_head_on_a_terminal(spec: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("NO_COLOR", "1")
    shown = run("head", spec).stdout
    assert "bank.2" in shown
    assert "no sense given" in shown


def test_validate(spec: str, tmp_path: Path) -> None:
    assert as_json("validate", spec)["ok"] is True
    bad = tmp_path / "bad.tsv"
    bad.write_text("sentence\tlemma\tpos\tsense\nThe [bank].\tbench\tn\tbank%1:14:00::\n")
    found = as_json("validate", f"tsv:{bad}", code=2)
    assert [finding["code"] for finding in found["findings"]] == ["key-lemma"]
    assert "key-lemma" in run("validate", f"tsv:{bad}", code=2).stdout


def test_validate_against_an_inventory(spec: str, tmp_path: Path) -> None:
    senses = tmp_path / "senses.txt"
    fields = {
        "sense_id": "bank.noun.1",
        "word": "bank",
        "gloss": "x",
        "tags": "noun",
        "depth": "1",
        "synonyms": "",
    }
    senses.write_text("".join(f"{key}:\t{value}\n" for key, value in fields.items()) + "\n")
    found = as_json("validate", spec, "--inventory", f"fews:{senses}", code=2)
    assert [finding["places"] for finding in found["findings"]] == [["mine.2.t1: bank.2"]]


@pytest.mark.parametrize("to", ["parquet", "tsv", "jsonl", "framework"])
def test_convert(spec: str, tmp_path: Path, to: str) -> None:
    out = tmp_path / "out"
    assert as_json("convert", spec, str(out), "--to", to) == {"corpus": f"{to}:{out}", "sentences": 2}
    assert as_json("stats", f"{to}:{out}")["groups"][0] == as_json("stats", spec)["groups"][0]
    with pytest.raises(UserError, match="exists already"):
        run("convert", spec, str(out), "--to", to)
    run("convert", spec, str(out), "--to", to, "--force")


def test_formats() -> None:
    found = as_json("formats")
    assert {"semcor", "framework", "tsv", "parquet"} <= {each["format"] for each in found["formats"]}
    assert "sampler" in found["names"]
    for each in found["formats"]:
        assert each["example"].startswith(each["format"] + ":")
        options = each["example"].partition("?")[2]
        assert {pair.partition("=")[0] for pair in options.split("&") if pair} <= set(each["options"])
    assert "framework\t" in run("formats").stdout


@pytest.mark.parametrize("command", ["stats", "head", "validate", "convert", "formats"])
def test_help_has_an_example(command: str) -> None:
    text = run(command, "--help").stdout
    assert f"uncommonsense corpus {command}" in " ".join(text.replace("│", " ").split())
    assert "--json" in text
