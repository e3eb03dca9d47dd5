"""Grid files: what they stand for, and what is said when they are wrong."""

from __future__ import annotations

from pathlib import Path

import pytest

from uncommonsense.errors import UncommonSenseError
from uncommonsense.experiments.grid import read_grid
from uncommonsense.experiments.ranking import Cell


def grid(folder: Path, text: str) -> Path:
    """A grid file with this text."""
    file = folder / "grid.toml"
    file.write_text(text, encoding="utf-8")
    return file


def test_all_combinations_each_once(tmp_path: Path) -> None:
    file = grid(
        tmp_path,
        """
        model = ["minilm", "gpt2"]
        layers = ["last", 3]

        [[also]]
        model = "gpt2"
        layers = ["last", "all"]
        metric = "euclidean"

        [[also]]
        model = "minilm"
        """,
    )
    assert read_grid(file) == [
        Cell("minilm", "last"),
        Cell("minilm", "3"),
        Cell("gpt2", "last"),
        Cell("gpt2", "3"),
        Cell("gpt2", "last", metric="euclidean"),
        Cell("gpt2", "all", metric="euclidean"),
    ]


def test_a_pattern_stands_for_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for seed in (1, 0):
        (tmp_path / f"tuned/seed-{seed}/model").mkdir(parents=True)
    cells = read_grid(grid(tmp_path, 'model = "tuned/seed-*/model"'))
    assert [cell.model for cell in cells] == [f"tuned/seed-{seed}/model" for seed in (0, 1)]


def test_systems_have_names_of_their_own() -> None:
    cells = [Cell("m"), Cell("m", "3"), Cell("m", pool="first"), Cell("m", "3", "last", "dot")]
    assert [cell.system for cell in cells] == ["m", "m@3", "m (first)", "m@3 (last, dot)"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("model = ", "not TOML"),
        ("", "no model"),
        ('layers = "last"', "without 'model'"),
        ('model = "minilm"\nlayer = "last"', "'layer' is unknown"),
        ('model = "minilm"\nmetric = "manhattan"', "expected cosine or dot or euclidean"),
        ("model = [3]", "expected a text"),
        ('model = "none/*"', "no folder matches"),
        ('model = "minilm"\nalso = "gpt2"', "write [[also]]"),
    ],
)
def test_a_wrong_file_is_explained(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(UncommonSenseError) as caught:
        read_grid(grid(tmp_path, text))
    assert said in str(caught.value)
    assert "grid.toml" in str(caught.value)


def test_a_missing_file(tmp_path: Path) -> None:
    with pytest.raises(UncommonSenseError, match="no such grid file"):
        read_grid(tmp_path / "none.toml")
