"""What is written replaces what was there as a whole, and never what somebody else put there."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier

import pytest
from typer.testing import CliRunner

from uncommonsense.cli.corpus import app
from uncommonsense.corpora.staging import staged
from uncommonsense.errors import UserError

OURS = [
    ("data-00000.parquet", "data-00001.parquet"),
    ("mini.data.xml", "mini.gold.key.txt"),
    ("mini.data.xml",),
]
FOREIGN = [
    ("mine.txt",),
    ("mine.xml",),
    ("mine.parquet",),
    ("data-00000.parquet", "mine.txt"),
    ("data-00000.parquet", "mini.data.xml"),
    ("mini.gold.key.txt",),
    ("mini.data.xml", "other.gold.key.txt"),
    ("mini.data.xml", "other.data.xml"),
]


def fill(folder: Path, *names: str, text: str = "old") -> Path:
    folder.mkdir()
    for name in names:
        (folder / name).write_text(text)
    return folder


def names(folder: Path) -> list[str]:
    return [entry.name for entry in folder.iterdir()]


def contents(folder: Path) -> dict[str, str]:
    return {file.name: file.read_text() for file in folder.iterdir()}


def replace(target: Path, text: str = "new") -> None:
    with staged(target, overwrite=True) as temporary:
        fill(temporary, "data-00000.parquet", text=text)


@pytest.mark.parametrize("files", OURS)
def test_a_folder_of_ours_is_replaced(tmp_path: Path, files: tuple[str, ...]) -> None:
    target = fill(tmp_path / "out", *files)
    replace(target)
    assert contents(target) == {"data-00000.parquet": "new"}
    assert names(tmp_path) == ["out"]


@pytest.mark.parametrize("files", FOREIGN)
def test_a_folder_of_anybody_else_is_not(tmp_path: Path, files: tuple[str, ...]) -> None:
    target = fill(tmp_path / "essays", *files)
    with pytest.raises(UserError, match="essays is a folder with other things in it"):
        replace(target)
    assert contents(target) == dict.fromkeys(files, "old")
    assert names(tmp_path) == ["essays"]


def test_a_folder_in_the_folder(tmp_path: Path) -> None:
    target = fill(tmp_path / "out", "data-00000.parquet")
    (target / "data-00001.parquet").mkdir()
    with pytest.raises(UserError, match="other things in it"):
        replace(target)


def test_the_command_leaves_essays_alone(tmp_path: Path) -> None:
    essays = fill(tmp_path / "essays", "mine.txt")
    result = CliRunner().invoke(app, ["convert", "sampler", str(essays), "--force"])
    assert isinstance(result.exception, UserError)
    assert contents(essays) == {"mine.txt": "old"}


@pytest.mark.parametrize(("overwrite", "message"), [(False, "exists already"), (True, "other things in it")])
def test_what_appears_meanwhile_is_not_lost(tmp_path: Path, overwrite: bool, message: str) -> None:
    target = tmp_path / "out"

    def convert() -> None:
        with staged(target, overwrite=overwrite) as temporary:
            fill(temporary, "data-00000.parquet")
            fill(target, "mine.txt")

    with pytest.raises(UserError, match=message):
        convert()
    assert contents(target) == {"mine.txt": "old"}
    assert names(tmp_path) == ["out"]


def test_the_old_folder_comes_back_if_the_new_one_cannot_take_its_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = fill(tmp_path / "out", "data-00000.parquet")
    rename = os.rename

    def failing(source: Path, destination: Path) -> None:
        if Path(source).suffix == ".tmp":
            raise OSError("the disk is gone")
        rename(source, destination)

    monkeypatch.setattr(os, "rename", failing)
    monkeypatch.setattr(os, "replace", failing)
    with pytest.raises(OSError, match="the disk is gone"):
        replace(target)
    assert contents(target) == {"data-00000.parquet": "old"}
    assert names(tmp_path) == ["out"]


def test_a_file_and_a_folder_take_each_others_place(tmp_path: Path) -> None:
    target = tmp_path / "out"
    target.write_text("old")
    replace(target)
    assert contents(target) == {"data-00000.parquet": "new"}
    with staged(target, overwrite=True) as temporary:
        temporary.write_text("newer")
    assert target.read_text() == "newer"
    assert names(tmp_path) == ["out"]


def test_a_link_to_a_folder_is_replaced_and_the_folder_kept(tmp_path: Path) -> None:
    folder = fill(tmp_path / "folder", "data-00000.parquet")
    (tmp_path / "out").symlink_to(folder)
    replace(tmp_path / "out")
    assert contents(tmp_path / "out") == {"data-00000.parquet": "new"}
    assert contents(folder) == {"data-00000.parquet": "old"}


def test_threads_with_one_target_do_not_collide(tmp_path: Path) -> None:
    target = tmp_path / "out"
    together = Barrier(4, timeout=30)

    def write(number: int) -> None:
        with staged(target, overwrite=True) as temporary:
            together.wait()
            fill(temporary, "data-00000.parquet", text=str(number))
            together.wait()

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(write, range(4)))
    assert contents(target)["data-00000.parquet"] in "0123"
    assert names(tmp_path) == ["out"]


def test_bytes_are_on_the_disk_before_the_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    flushed: list[bool] = []
    monkeypatch.setattr(os, "fsync", lambda _: flushed.append((tmp_path / "out").exists()))
    replace(tmp_path / "out")
    assert flushed == [False]
