"""``uncommonsense inoculate``."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict
from inspect import signature
from pathlib import Path

import pytest
import typer
from invented_supersenses import write_streusle
from typer.testing import CliRunner

from uncommonsense.cli.inoculate import inoculate
from uncommonsense.encode import Encoder
from uncommonsense.errors import UserError
from uncommonsense.train import Recipe

app = typer.Typer()
app.command()(inoculate)

Tiny = Callable[[str], str]


def invoke(*arguments: str) -> str:
    result = CliRunner().invoke(app, arguments)
    if result.exception:
        raise result.exception
    return result.stdout


@pytest.fixture
def spec(tmp_path: Path) -> str:
    return f"streusle:{write_streusle(tmp_path / 'streusle')}"


def test_a_table_of_sizes_and_seeds(spec: str, tiny: Tiny, tmp_path: Path) -> None:
    options = (
        "--corpus",
        spec,
        "--sizes",
        "9,30",
        "--seed",
        "0,1",
        "--epochs",
        "2",
        "--out",
        str(tmp_path / "out"),
    )
    header, *lines = (line.split("\t") for line in invoke(tiny("bert"), *options).splitlines())
    rows = [dict(zip(header, line, strict=True)) for line in lines]
    assert [(row["size"], row["seed"], row["epochs"]) for row in rows] == [
        ("9", "0", "2"), ("9", "1", "2"), ("30", "0", "2"), ("30", "1", "2"),
    ]  # fmt: skip
    for row in rows:
        assert Encoder(str(Path(row["folder"]) / "model")).depth == 3
        assert json.loads((Path(row["folder"]) / "manifest.json").read_text())["corpus"] == spec
    again = json.loads(invoke(tiny("bert"), *options, "--json"))
    assert [row["folder"] for row in again] == [row["folder"] for row in rows]
    assert {"size", "seed", "examples", "epochs", "first_loss", "last_loss", "minutes", "folder"} == set(
        again[0]
    )


def test_the_defaults_are_the_recipe() -> None:
    defaults = {name: each.default for name, each in signature(inoculate).parameters.items()}
    for name, value in asdict(Recipe()).items():
        assert defaults[name] == value


@pytest.mark.parametrize(
    ("option", "value", "message"),
    [
        ("--sizes", "100,many", "--sizes takes whole numbers separated by commas, not '100,many'"),
        ("--sizes", "2,30", "size 2 is too small"),
        ("--sizes", "30,9000", "the largest size is 300"),
        ("--seed", "-1", "--seed takes numbers from 0 on"),
        ("--epochs", "0", "epochs must be at least 1, not 0"),
    ],
)
def test_mistakes_are_found_before_anything_is_trained(
    option: str, value: str, message: str, spec: str, tiny: Tiny, tmp_path: Path
) -> None:
    with pytest.raises(UserError, match=message):
        invoke(tiny("bert"), "--corpus", spec, "--out", str(tmp_path / "out"), option, value)
    assert not (tmp_path / "out").exists()
