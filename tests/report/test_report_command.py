"""``uncommonsense report`` as a user runs it."""

from __future__ import annotations

from pathlib import Path

import pytest
import typer
from invented_runs import PAPER_LIKE, invent_run
from typer.testing import CliRunner

from uncommonsense.cli.report import report
from uncommonsense.errors import UserError


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> str:
    place = tmp_path_factory.mktemp("runs") / "paper"
    invent_run(place, PAPER_LIKE, count=100, k=10)
    return str(place)


def run(*arguments: str) -> str:
    app = typer.Typer()
    app.command()(report)
    done = CliRunner().invoke(app, list(arguments), catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done.stdout


def test_text_goes_to_standard_output(folder: str) -> None:
    printed = run(folder)
    assert printed.startswith("ontonotes: mean_precision@10\n")
    assert "Difference to gpt2" in printed
    assert "Difference to roberta-base" in run(folder, "--against", "roberta-base")


@pytest.mark.parametrize(
    ("name", "beginning"),
    [
        ("a.md", "### "),
        ("a.tex", "% \\usepackage{booktabs}"),
        ("a.csv", "table,system,"),
        ("a.html", "<!DOCTYPE html>"),
        ("a.txt", "ontonotes"),
    ],
)
def test_a_files_ending_says_its_format(folder: str, tmp_path: Path, name: str, beginning: str) -> None:
    assert run(folder, "--out", str(tmp_path / "new" / name), "--no-pictures") == ""
    assert (tmp_path / "new" / name).read_text(encoding="utf-8").startswith(beginning)


def test_pictures_go_where_they_are_asked_for(folder: str, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    run(folder, "--format", "csv", "--figures", str(tmp_path))
    assert {"precision.svg", "heatmap.png"} <= {path.name for path in tmp_path.iterdir()}


def test_a_folder_that_is_no_run(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"is no run .* make one with"):
        run(str(tmp_path))
