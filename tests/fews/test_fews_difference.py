"""What has changed between two FEWS folders."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from invented_fews import FOLDER, edit, write_folder
from typer.testing import CliRunner

from uncommonsense.cli.fews import app
from uncommonsense.fews.difference import Difference, compare_folders
from uncommonsense.fews.folder import FewsFolder
from uncommonsense.fews.layout import EVALUATION, EXTENDED, SENSES, TRAIN

LISTS = [
    name
    for name in Difference._fields
    if name.endswith(("_senses", "_examples")) and not name.startswith("same")
]


@pytest.fixture
def pair(tmp_path: Path) -> tuple[Path, Path]:
    return write_folder(tmp_path / "a"), write_folder(tmp_path / "b")


def compare(pair: tuple[Path, Path]) -> Difference:
    return compare_folders(*map(FewsFolder, pair))


def changes(found: Difference) -> dict[str, int]:
    """The kinds of change that there are."""
    return {name: len(getattr(found, name)) for name in LISTS if getattr(found, name)}


def test_nothing_has_changed(pair: tuple[Path, Path]) -> None:
    found = compare(pair)
    assert changes(found) == {}
    assert (found.same_senses, found.same_examples) == (11, 12)
    assert all(count.a == count.b for count in found.counts)


def test_a_sense_in_between_shifts_numbers_only(pair: tuple[Path, Path]) -> None:
    new = "sense_id:\tbrim.noun.1\nword:\tbrim\ngloss:\tBrand new.\n\n"

    def shift(text: str) -> str:
        return re.sub(r"(brim\.noun)\.(\d)", lambda m: f"{m[1]}.{int(m[2]) + 1}", text)

    for name in FOLDER:
        edit(pair[1], name, shift)
    edit(pair[1], SENSES, lambda text: new + text)
    found = compare(pair)
    assert changes(found) == {"renumbered_senses": 4, "added_senses": 1}
    assert found.added_senses == (("", "brim.noun.1", "", "Brand new."),)
    assert ("brim.noun.2", "brim.noun.3") in {each[:2] for each in found.renumbered_senses}
    assert found.same_examples == 12


def test_glosses(pair: tuple[Path, Path]) -> None:
    edit(
        pair[1],
        SENSES,
        lambda text: text.replace("The projecting edge of a hat.", "The projecting edge of any hat."),
    )
    edit(pair[1], SENSES, lambda text: text.replace("gloss:\tThe sea.", "gloss:\tHeat, as of animals."))
    edit(pair[1], SENSES, lambda text: text.replace("Boring.", "BORING"))
    found = compare(pair)
    changed = (
        "brim.noun.2",
        "brim.noun.2",
        "The projecting edge of a hat.",
        "The projecting edge of any hat.",
    )
    assert found.changed_senses == (changed,)
    assert found.removed_senses == (("brim.noun.3", "", "The sea.", ""),)
    assert found.added_senses == (("", "brim.noun.3", "", "Heat, as of animals."),)
    assert found.same_senses == 9
    # The zero-shot example has the same number in both, but not the same sense
    assert [(each.sense_a, each.split_a) for each in found.relabelled_examples] == [
        ("brim.noun.3", "dev.zero-shot")
    ]


def test_examples(pair: tuple[Path, Path]) -> None:
    first, *rest = FOLDER[TRAIN].splitlines(keepends=True)
    new = "Brand new <WSD>brim</WSD>\tbrim.noun.2\n"
    edit(pair[1], TRAIN, lambda _: "".join(rest[1:]) + new)
    edit(pair[1], EXTENDED, lambda _: "".join(rest[1:]) + new)
    edit(pair[1], EVALUATION["test.few-shot"], lambda text: text + first)
    found = compare(pair)
    assert changes(found) == {"moved_examples": 1, "added_examples": 1, "removed_examples": 3}
    (moved,) = found.moved_examples
    assert (moved.split_a, moved.split_b) == ("train", "test.few-shot")
    assert (moved.place_a, moved.place_b) == (f"{TRAIN}:1", "test/test.few-shot.txt:2")
    assert found.added_examples[0].text == "Brand new <WSD>brim</WSD>"
    # What is taken from the training set is taken from the extended one, so its illustrations are gone too
    assert {each.split_a for each in found.removed_examples} == {"train", "illustrations"}
    assert ("train", "examples", 6, 5) in found.counts


def test_another_label(pair: tuple[Path, Path]) -> None:
    for name in (TRAIN, EXTENDED):
        edit(pair[1], name, lambda text: text.replace("cracked\tbrim.noun.1", "cracked\tbrim.noun.2"))
    found = compare(pair)
    assert changes(found) == {"relabelled_examples": 1}
    assert found.relabelled_examples[0][3:5] == ("brim.noun.1", "brim.noun.2")


def test_other_spellings_are_the_same(pair: tuple[Path, Path]) -> None:
    """The published ids are in lower case, numbered from 0, with whole names of parts of speech."""
    for name in FOLDER:
        edit(
            pair[1], name, lambda text: text.replace(".adj.", ".adjective.").replace("c d.adv", "c_d.adverb")
        )
        edit(
            pair[1],
            name,
            lambda text: text.replace("Two <WSD>brims</WSD>, one", "“Two <WSD>brims</WSD> — one"),
        )
    found = compare(pair)
    assert changes(found) == {}
    assert (found.same_senses, found.same_examples) == (11, 12)


def test_one_text_for_two_senses(pair: tuple[Path, Path]) -> None:
    """They change places between splits: that is two moves, not two other labels."""
    lines = [f"One <WSD>brim</WSD> for two\tbrim.noun.{sense}\n" for sense in (1, 2)]
    for folder, (trained, tested) in zip(pair, (lines, lines[::-1]), strict=True):
        for name in (TRAIN, EXTENDED):
            edit(folder, name, lambda text, line=trained: text + line)
        edit(folder, EVALUATION["dev.few-shot"], lambda text, line=tested: text + line)
    assert changes(compare(pair)) == {"moved_examples": 2}


def test_the_same_text_twice(pair: tuple[Path, Path]) -> None:
    doubled = FOLDER[TRAIN].splitlines(keepends=True)[0]
    for name in (TRAIN, EXTENDED):
        edit(pair[1], name, lambda text: doubled + text)
    assert changes(compare(pair)) == {"added_examples": 1}
    assert changes(compare(pair[::-1])) == {"removed_examples": 1}  # type: ignore[arg-type]


def test_folders_without_senses(tmp_path: Path) -> None:
    pair = (
        write_folder(tmp_path / "a", {TRAIN: FOLDER[TRAIN]}),
        write_folder(tmp_path / "b", {TRAIN: FOLDER[TRAIN]}),
    )
    found = compare(pair)
    assert changes(found) == {}
    assert found.same_examples == 6


def test_the_command(pair: tuple[Path, Path]) -> None:
    edit(pair[1], SENSES, lambda text: text.replace("Boring.", "Bright."))
    arguments = ["diff", *map(str, pair)]
    text = CliRunner().invoke(app, arguments, catch_exceptions=False).stdout
    assert "removed_senses\t1\tsenses in A only" in text
    assert "b\tgloss_b\ndull.adj.2\tBright.\n" in text
    assert "same_senses\t10\t" in text
    found: Any = json.loads(CliRunner().invoke(app, [*arguments, "--json"], catch_exceptions=False).stdout)
    assert found["added_senses"] == [{"a": "", "b": "dull.adj.2", "gloss_a": "", "gloss_b": "Bright."}]
    assert found["counts"][0] == {"split": "overall", "quantity": "examples", "a": 12, "b": 12}
    none = CliRunner().invoke(app, [*arguments, "--samples", "0"], catch_exceptions=False).stdout
    assert "Bright." not in none
