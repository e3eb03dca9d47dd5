"""The command that disambiguates text: what it reads, what it writes, and what it says when it cannot."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
import typer
from click.testing import Result
from typer.testing import CliRunner

from running import require
from uncommonsense.cli.disambiguate import disambiguate
from uncommonsense.errors import MalformedInputError, UnknownNameError, UserError

app = typer.Typer()
app.command()(disambiguate)


@pytest.fixture(autouse=True)
def wordnet() -> None:
    require("wordnet")


def invoke(*arguments: str, given: bytes | None = None) -> Result:
    done = CliRunner().invoke(app, ["--system", "first-sense", *arguments], input=given)
    if done.exception and not isinstance(done.exception, SystemExit):
        raise done.exception
    return done


def rows(*arguments: str, given: bytes | None = None) -> list[dict[str, str]]:
    done = invoke(*arguments, "--format", "tsv", given=given)
    assert done.exit_code == 0, done.output
    names, *lines = (line.split("\t") for line in done.stdout.splitlines())
    return [dict(zip(names, line, strict=True)) for line in lines]


def found(*arguments: str, given: bytes | None = None) -> list[str]:
    return [row["synset"] for row in rows(*arguments, given=given)]


def test_text_on_the_command_line() -> None:
    done = invoke("He sat on the bank.", "--top", "2")
    lines = done.stdout.splitlines()
    assert lines[0] == "He sat on the bank."
    assert lines[1].split()[:4] == ["sat", "sit.v", "sit.v.01", "0.19"]
    assert lines[3].split()[:3] == ["bank", "bank.n", "bank.n.01"]
    assert "sloping land" in lines[3]
    assert "1 sentences, 6 words, 2 senses; system first-sense, inventory wordnet" in done.stderr


def test_options() -> None:
    assert found("He sat on the bank.", "--pos", "n") == ["bank.n.01"]
    assert len(rows("The bank.", "--top", "3")) == 3
    assert found("The bank.", "--min-probability", "0.9") == [""]


@pytest.mark.parametrize("name", ["letter.txt", "letter", "sub.dir/letter.md"])
def test_a_file(tmp_path: Path, name: str) -> None:
    file = tmp_path / name
    file.parent.mkdir(exist_ok=True)
    file.write_bytes("\ufeffThe bank.\r\n\r\n\r\nThe café.\r\n".encode())
    found_rows = rows(str(file))
    assert [row["synset"] for row in found_rows] == ["bank.n.01", "cafe.n.01"]
    text = file.read_bytes().decode("utf-8-sig")
    assert [text[int(row["start"]) : int(row["end"])] for row in found_rows] == ["bank", "café"]


def test_a_packed_file(tmp_path: Path) -> None:
    file = tmp_path / "letter.txt.gz"
    file.write_bytes(gzip.compress(b"The bank."))
    assert found(str(file)) == ["bank.n.01"]


def test_standard_input() -> None:
    assert found("-", given=b"The bank.\n\n\n\nThe cat.\n") == ["bank.n.01", "cat.n.01"]


@pytest.mark.parametrize(
    ("given", "synsets"),
    [
        ("", []),
        ("\n \r\n\t\n", []),
        ("😀 👨‍👩‍👧 ❤️", []),
        ("the of and", []),
        ("xqzt blorp", []),
        ("Кот спит. 猫。 قط", []),
        ("<p>The bank.</p>", ["bank.n.01"]),
        ("The\x00bank".replace("\x00", "\x01"), ["bank.n.01"]),
    ],
)
def test_unusual_text(given: str, synsets: list[str]) -> None:
    nouns = found("-", "--pos", "n", given=given.encode())
    assert [each for each in nouns if each.startswith("bank")] == synsets


def test_a_very_long_sentence() -> None:
    given = b"the bank " * 5000 + b"ends"
    assert found("-", "--pos", "n", given=given).count("bank.n.01") == 5000


@pytest.mark.parametrize("form", ["text", "json", "jsonl", "tsv", "conllu", "html"])
def test_formats_follow_the_name_of_the_file(tmp_path: Path, form: str) -> None:
    out = tmp_path / f"senses.{'txt' if form == 'text' else form}"
    done = invoke("The <script>bank</script>.", "--out", str(out))
    assert done.exit_code == 0
    assert done.stdout == ""
    assert out.read_text(encoding="utf-8") == invoke("The <script>bank</script>.", "--format", form).stdout
    assert list(tmp_path.iterdir()) == [out]


def test_json_of_nothing() -> None:
    assert json.loads(invoke("-", "--format", "json", given=b"").stdout) == []


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        (["missing.txt"], UserError, r"missing\.txt: no such file; .* send them to -"),
        (["some/where"], UserError, "no such file"),
        (["The bank.", "--format", "xml"], UnknownNameError, "unknown format 'xml'"),
        (["The bank.", "--pos", "q"], UnknownNameError, "unknown part of speech"),
        (["The bank.", "--system", "best"], UnknownNameError, "unknown system 'best'"),
        (["The bank.", "--inventory", "best"], UnknownNameError, "unknown inventory"),
        (["The bank.", "--out", "no/such/folder.html"], UserError, "in a folder that exists"),
        (["."], UserError, "this is a folder"),
    ],
)
def test_mistakes(arguments: list[str], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        invoke(*arguments)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"Fine.\nCaf\xe9.\n", r"letter\.txt:2: not UTF-8 text: byte 0xe9 at column 4"),
        (b"ELF\0\0\0", r"letter\.txt:1: a zero byte: this is a binary file"),
    ],
)
def test_files_that_are_not_text(tmp_path: Path, content: bytes, message: str) -> None:
    file = tmp_path / "letter.txt"
    file.write_bytes(content)
    with pytest.raises(MalformedInputError, match=message):
        invoke(str(file), "--out", str(tmp_path / "senses.html"))
    assert sorted(each.name for each in tmp_path.iterdir()) == ["letter.txt"]


def test_input_that_is_not_text() -> None:
    with pytest.raises(MalformedInputError, match=r"standard input:1: not UTF-8"):
        invoke("-", given=b"\xff\xfe\x00")
