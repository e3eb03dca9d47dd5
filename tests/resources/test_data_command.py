"""``uncommonsense data``."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from invented import Site, make_resource
from typer.testing import CliRunner, Result

from uncommonsense.cli.data import app
from uncommonsense.errors import MissingResourceError, UserError
from uncommonsense.resources.catalogue import Resource

WORDS = b"one\ntwo\nthree\n"


@pytest.fixture(autouse=True)
def words(site: Site, catalogue: Callable[..., Resource]) -> Resource:
    source = {"type": "https", "urls": [{"url": site.serve("/words.txt", WORDS), "sha256": ""}]}
    return catalogue(make_resource({"words.txt": WORDS}, source), make_resource(name="other", manual="Ask."))


def run(*arguments: str) -> Result:
    return CliRunner().invoke(app, arguments)


def table(result: Result) -> list[dict[str, str]]:
    head, *lines = result.stdout.splitlines()
    return [dict(zip(head.split("\t"), line.split("\t"), strict=True)) for line in lines]


@pytest.mark.parametrize("command", ["list", "get", "path", "check"])
def test_every_command_has_help_with_an_example(command: str) -> None:
    result = run(command, "--help")
    assert result.exit_code == 0
    assert f"uncommonsense data {command}" in " ".join(result.stdout.split())
    assert "--json" in result.stdout


def test_list() -> None:
    rows = table(run("list"))
    assert [(row["name"], row["state"], row["licence"]) for row in rows] == [
        ("words", "absent", "CC0"),
        ("other", "absent", "CC0"),
    ]
    run("get", "words")
    first, second = json.loads(run("list", "--json").stdout)
    assert (first["state"], first["sources"], first["citation"]) == ("present", ["path", "https"], "Nobody")
    assert second["manual"] == "Ask."


def test_get(cache: Path, site: Site) -> None:
    result = run("get", "words")
    assert result.exit_code == 0
    source = f"https {site.address}/words.txt"
    assert table(result) == [
        {"name": "words", "path": str(cache / "words-1.0"), "source": source, "variant": "", "trust": "index"}
    ]
    assert json.loads(run("get", "words", "--json").stdout)[0]["state"] == "present"
    assert len(site.requests) == 1
    run("get", "words", "--source", "https")
    assert len(site.requests) == 2


def test_get_from_a_path(tmp_path: Path, site: Site) -> None:
    (tmp_path / "words.txt").write_bytes(WORDS)
    result = run("get", "words", "--from", str(tmp_path))
    assert table(result)[0]["path"] == str(tmp_path)
    assert not site.requests


@pytest.mark.parametrize("extra", [["other"], ["--source", "https"]])
def test_a_path_is_for_one_resource(tmp_path: Path, extra: list[str]) -> None:
    result = run("get", "words", "--from", str(tmp_path), *extra)
    assert isinstance(result.exception, UserError)


def test_path_prints_just_the_path(cache: Path) -> None:
    assert isinstance(run("path", "words").exception, MissingResourceError)
    run("get", "words")
    assert run("path", "words").stdout == f"{cache / 'words-1.0'}\n"
    assert json.loads(run("path", "words", "--json").stdout) == {
        "name": "words",
        "path": str(cache / "words-1.0"),
    }


def test_check(cache: Path) -> None:
    run("get", "words")
    assert table(run("check"))[0]["state"] == "ok"
    (cache / "words-1.0" / "words.txt").write_bytes(b"other")
    result = run("check", "words", "--json")
    assert result.exit_code == 1
    assert json.loads(result.stdout)[0]["state"] == "damaged"
    assert "uncommonsense data get words" in result.stderr
    assert run("check", "other").exit_code == 1
