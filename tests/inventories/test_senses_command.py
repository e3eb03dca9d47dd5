"""``uncommonsense senses``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

from uncommonsense.cli.senses import senses
from uncommonsense.errors import UnknownNameError
from uncommonsense.inventories.lookup import look_up, parse_pos
from uncommonsense.inventories.wordnet import WordNet

app = typer.Typer()
app.command()(senses)


def run(*arguments: str) -> Any:
    result = CliRunner().invoke(app, arguments)
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


@pytest.fixture
def spec(database: Path) -> str:
    return f"--inventory=wordnet:{database}"


def test_a_pipe_gets_tab_separated_lines(spec: str) -> None:
    result = run("spoon", spec)
    header, *rows = [line.split("\t") for line in result.stdout.splitlines()]
    assert header == ["lemma", "pos", "number", "id", "name", "count", "gloss"]
    assert rows[0][:6] == ["spoon", "n", "1", "spoon%1:06:00::", "spoon.n.01", "7"]
    assert [row[3] for row in rows] == ["spoon%1:06:00::", "spoon%1:06:01::", "spoon%2:35:00::"]


def test_json_holds_everything(spec: str) -> None:
    (row,) = json.loads(run("spoon.n.01", spec, "--json", "--relations").stdout)
    assert row["id"] == "spoon%1:06:00::"
    assert row["examples"] == ["pass me a spoon", "she lost her spoon"]
    assert row["hypernyms"] == ["thing.n.01"]
    assert ["derivation", "spoon%2:35:00::"] in row["relations"]


def test_pipes_get_relations_and_examples_when_asked(spec: str) -> None:
    header, row = run("spoon%1:06:00::", spec, "--all", "--relations").stdout.splitlines()
    values = dict(zip(header.split("\t"), row.split("\t"), strict=True))
    assert values["examples"] == "pass me a spoon | she lost her spoon"
    assert values["hypernyms"] == "thing.n.01"
    assert "derivation=spoon%2:35:00::" in values["relations"]


def test_part_of_speech(spec: str) -> None:
    assert "spoon%1" not in run("spoon", spec, "--pos", "verb").stdout
    with pytest.raises(UnknownNameError, match="as r; it is there as n, v"):
        run("spoon", spec, "-p", "r")
    with pytest.raises(UnknownNameError, match="part of speech 'vreb'; did you mean 'verb'"):
        run("spoon", spec, "-p", "vreb")


def test_an_inflected_form_says_so(spec: str) -> None:
    result = run("spoons", spec, "--pos", "n")
    assert "spoon%1:06:00::" in result.stdout
    assert "'spoons' is no lemma here; it is a form of spoon" in result.stderr


def test_unknown_words_get_suggestions(spec: str) -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'spoon'") as caught:
        run("spono", spec)
    assert caught.value.exit_code == 2
    with pytest.raises(UnknownNameError, match="nothing is spelled like it"):
        run("xyz", spec)


def test_people_get_a_page(spec: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "100")
    text = run("spoon", spec, "--relations").stdout
    for expected in (
        "noun, 2 senses",
        "verb, 1 sense",
        "spoon.n.01",
        "▇ 7",
        "“pass me a spoon”",
        "thing.n.01",
    ):
        assert expected in text.replace("▇" * 12, "▇"), expected


def test_other_inventories(tmp_path: Path) -> None:
    (tmp_path / "senses.txt").write_text("sense_id:\ton.p.1\nword:\ton\ngloss:\tabove and touching\n")
    assert "on\tp\t1\ton.p.1\t\t\tabove and touching" in run("on", f"--inventory=fews:{tmp_path}").stdout


def test_base_forms_of_several_parts_of_speech(small: WordNet) -> None:
    assert [(each.lemma, each.how) for each in look_up(small, "spoons")] == [
        ("spoon", "form"),
        ("spoon", "form"),
    ]
    assert [each.how for each in look_up(small, "spoon")] == ["lemma"]


def test_parts_of_speech() -> None:
    assert [parse_pos(each) for each in ("N", "adj", "s", "adverb", "prep")] == ["n", "a", "a", "r", "p"]


def test_help_needs_no_inventory() -> None:
    assert "synset" in run("--help").stdout


def test_lemmas_are_shown_without_exception_lists(database: Path, spec: str) -> None:
    for file in database.glob("*.exc"):
        file.unlink()
    assert "spoon%1:06:00::" in run("spoon", spec).stdout
