"""Each property of FEWS, broken on purpose, is found where it was broken."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result
from invented_fews import FOLDER, edit, write_folder, write_large
from typer.testing import CliRunner

from uncommonsense.cli.fews import app
from uncommonsense.errors import UserError
from uncommonsense.fews.check import Outcome, check_folder
from uncommonsense.fews.folder import FewsFolder
from uncommonsense.fews.layout import EVALUATION, EXTENDED, RAW, SENSES, TRAIN

DEV_FEW, DEV_ZERO, TEST_FEW, TEST_ZERO = EVALUATION.values()


def outcomes(folder: Path) -> dict[str, Outcome]:
    return {each.name: each for each in check_folder(FewsFolder(folder)).outcomes}


def run(*arguments: str, code: int = 0) -> Result:
    result = CliRunner().invoke(app, ["check", *arguments], catch_exceptions=False)
    assert result.exit_code == code, result.output
    return result


def last_line(text: str) -> int:
    return text.count("\n") + 1


def test_a_folder_with_every_property(tmp_path: Path) -> None:
    found = outcomes(write_folder(tmp_path))
    assert {each.status for each in found.values()} == {"passed"}
    assert found["lines"].checked == sum(text.count("\n") for name, text in FOLDER.items() if name != SENSES)
    assert found["blocks"].checked == FOLDER[SENSES].count("sense_id")


def test_a_large_folder(tmp_path: Path) -> None:
    found = outcomes(write_large(tmp_path, words=200))
    assert {name for name, each in found.items() if each.status != "passed"} == {
        "quotations",
        "illustrations",
    }
    assert found["zero-shot"].checked == 2 * 200 * 19


BROKEN = [
    # file, line that is added at its end, property that breaks, what is said of it
    (TRAIN, "no target\tbrim.noun.1", "lines", "no <WSD>target</WSD>"),
    (TRAIN, "<WSD>brim", "lines", "1 columns"),
    (TRAIN, "<WSD>brim</WSD>\tbrim.noun.1\tA\tB", "lines", "4 columns"),
    (RAW["monosemous"], "a <WSD>brim\tbrim.noun.1", "lines", "do not pair up"),
    (TRAIN, "a <WSD>brim <WSD>brim</WSD></WSD>\tbrim.noun.1", "lines", "do not pair up"),
    (TRAIN, "a <WSD> </WSD>\tbrim.noun.1", "lines", "empty"),
    (TRAIN, "a <WSD>brim</WSD>\tbrim", "lines", "'brim' is not word.pos.N"),
    (DEV_FEW, "a <WSD>brim</WSD>\tbrim.noun.9", "known", "brim.noun.9"),
    (TEST_ZERO, "Other <WSD>brim</WSD>\tbrim.noun.1", "different", f"brim.noun.1, also at {DEV_FEW}:1"),
    (DEV_FEW, "<WSD>Dull</WSD> and <WSD>dull</WSD>\tdull.adj.2", "single", "2 targets"),
    (TRAIN, "The <WSD>brim</WSD> again\tbrim.noun.3", "zero-shot", f"brim.noun.3, zero-shot at {DEV_ZERO}:1"),
    (EXTENDED, "The <WSD>brim</WSD> again\tbrim.noun.3", "zero-shot", "brim.noun.3"),
    (TEST_FEW, "A <WSD>dull</WSD> day\tdull.adj.2", "few-shot", "dull.adj.2"),
    (TEST_FEW, "The <WSD>brim</WSD> of my  cup was cracked\tbrim.noun.1", "once", f"also at {TRAIN}:1"),
    (TEST_FEW, "No <WSD>brim</WSD> is whole\tbrim.noun.1", "once", f"also at {DEV_FEW}:1"),
    (TRAIN, "New <WSD>brim</WSD> here\tbrim.noun.1", "extended", "New brim here (brim.noun.1)"),
    (EXTENDED, "New <WSD>brim</WSD> here\tbrim.noun.1", "illustrations", f"not in {RAW['examples']}"),
    (TRAIN, "The lecture was <WSD>dull</WSD>.\tdull.adj.2", "quotations", f"not in {RAW['quotations']}"),
    (TRAIN, "the <WSD>edges</WSD> of it\tbrim.noun.1", "forms", "'edges' for brim.noun.1"),
    (TRAIN, "all <WSD>lone</WSD> here\tlone.noun.1", "ambiguous", "lone.noun.1, the only sense"),
    (TRAIN, "no <WSD>ghost</WSD> here\tghost.noun.1", "ambiguous", "no sense of ghost.noun in senses.txt"),
    (TRAIN, "a ''new'' <WSD>brim</WSD>\tbrim.noun.1", "markup", '"\'\'"'),
    (TRAIN, "a [[new|one]] <WSD>brim</WSD>\tbrim.noun.1", "markup", "'[['"),
    (RAW["examples"], "a {{gloss|x}} <WSD>brim</WSD>\tbrim.noun.1", "markup", "'{{'"),
    (TRAIN, "a<ref name=x/> <WSD>brim</WSD>\tbrim.noun.1", "markup", "<ref name=x/>"),
    (SENSES, "sense_id:\tbrim.noun.1\nword:\tbrim\ngloss:\tAgain.\n", "ids", "brim.noun.1, also on line 1"),
    (SENSES, "sense_id:\tdull.adv.2\nword:\tdull\ngloss:\tDully.\n", "numbering", "dull.adv has no 1"),
    (SENSES, "sense_id:\tdull.adj.3\nword:\tdull\n", "blocks", "no gloss"),
    (SENSES, "gloss:\tx\nword:\tdull\n", "blocks", "no sense_id"),
    (SENSES, "sense_id:\tdull\nword:\tdull\ngloss:\tx\n", "blocks", "'dull' is not word.pos.N"),
    (SENSES, "nonsense\n", "blocks", "no known field: 'nonsense'"),
    (SENSES, "sense_id:\tdull.adj.3\nword:\tdull\ngloss:\t[[x]]\n", "markup", "'[['"),
]  # fmt: skip


@pytest.mark.parametrize(("file", "line", "name", "said"), BROKEN)
def test_a_broken_property(file: str, line: str, name: str, said: str, tmp_path: Path) -> None:
    edit(write_folder(tmp_path), file, lambda text: f"{text}{line}\n")
    found = outcomes(tmp_path)[name]
    assert (found.status, found.violations) == ("failed", 1)
    (violation,) = found.first
    assert violation.place == f"{file}:{last_line(FOLDER[file])}"
    assert said in violation.value


def test_bytes_that_are_no_text(tmp_path: Path) -> None:
    file = write_folder(tmp_path) / TRAIN
    file.write_bytes(file.read_bytes() + b"a <WSD>brim\xff</WSD>\tbrim.noun.1\n")
    (violation,) = outcomes(tmp_path)["lines"].first
    assert violation == (f"{TRAIN}:7", "not UTF-8 text")


def test_every_violation_is_counted_and_the_first_are_shown(tmp_path: Path) -> None:
    edit(write_folder(tmp_path), TRAIN, lambda text: text + "x\n" * 30)
    report = check_folder(FewsFolder(tmp_path), places=2)
    lines = report.outcomes[0]
    assert (lines.violations, lines.checked) == (30, 31 + 30)
    assert [violation.place for violation in lines.first] == [f"{TRAIN}:7", f"{TRAIN}:8"]
    assert not report.ok


def test_peculiarities_are_no_problems(tmp_path: Path) -> None:
    """Windows line ends, blank lines, spaces, a byte order mark, empty and missing fields, numbers from 0."""
    files = dict(FOLDER)
    for name in (TRAIN, EXTENDED, *EVALUATION.values()):
        files[name] = "\ufeff\n" + re.sub(r"\t(\S.*)\n", r" \t \1 \t \t\r\n\r\n", FOLDER[name])
    renumbered = re.sub(r"(sense_id:\t.*)\.(\d+)", lambda m: f"{m[1]}.{int(m[2]) - 1}", FOLDER[SENSES])
    files = {
        name: re.sub(r"\.(\d+)(\s)", lambda m: f".{int(m[1]) - 1}{m[2]}", text)
        for name, text in files.items()
    }
    files[SENSES] = re.sub(r"tags:\t\n|depth:.*\n", "", renumbered).replace(":\t", ": ").replace("\n", "\r\n")
    found = outcomes(write_folder(tmp_path, files))
    assert {each.status for each in found.values()} == {"passed"}, found


def test_unknown_parts_of_speech_and_upper_case(tmp_path: Path) -> None:
    block = "sense_id:\tNASA X.proper noun.{0}\nword:\tNASA X\ngloss:\tAgency {0}.\n\n".replace(
        " noun", "_noun"
    )
    write_folder(
        tmp_path,
        {
            TRAIN: "At <WSD>NASA X</WSD> now\tNASA X.proper_noun.0\n",
            SENSES: block.format(0) + block.format(1),
        },
    )
    found = outcomes(tmp_path)
    assert {name for name, each in found.items() if each.status == "passed"} >= {
        "lines",
        "forms",
        "known",
        "ids",
    }
    assert not [each for each in found.values() if each.status == "failed"]


@pytest.mark.parametrize(
    ("file", "names"),
    [
        (RAW["examples"], {"illustrations"}),
        (RAW["quotations"], {"quotations"}),
        (EXTENDED, {"extended", "illustrations"}),
        (SENSES, {"blocks", "ids", "numbering", "known", "ambiguous"}),
    ],
)
def test_what_a_missing_file_makes_impossible(file: str, names: set[str], tmp_path: Path) -> None:
    write_folder(tmp_path, {name: text for name, text in FOLDER.items() if name != file})
    found = outcomes(tmp_path)
    assert {name for name, each in found.items() if each.status == "not checked"} == names
    assert all(file in found[name].reason for name in names)
    assert not [each for each in found.values() if each.status == "failed"]


def test_empty_evaluation_files(tmp_path: Path) -> None:
    write_folder(tmp_path, {**FOLDER, **dict.fromkeys(EVALUATION.values(), "")})
    found = outcomes(tmp_path)
    assert found["different"].status == found["zero-shot"].status == "not checked"
    assert found["different"].reason == "there is nothing to look at"


def test_no_fews_folder(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"not a FEWS folder; expected train/train\.txt"):
        FewsFolder(tmp_path)


# Forms


@pytest.mark.parametrize(
    ("target", "alike"), [("BRIMS", True), ("briſms", True), ("brxx", True), ("brxxx", False), ("m", True)]
)
def test_half_of_the_letters(target: str, alike: bool, tmp_path: Path) -> None:
    edit(write_folder(tmp_path), TRAIN, lambda text: f"{text}a <WSD>{target}</WSD> here\tbrim.noun.1\n")
    assert (outcomes(tmp_path)["forms"].status == "passed") is alike


def test_words_of_several_words(tmp_path: Path) -> None:
    write_folder(tmp_path, {TRAIN: "to <WSD>run  out</WSD> of\trun_out.verb.0\n"})
    assert outcomes(tmp_path)["forms"].status == "passed"


# The command


def test_the_command(tmp_path: Path) -> None:
    write_folder(tmp_path)
    table, sizes = run(str(tmp_path)).stdout.split("\n\n")
    rows = [line.split("\t") for line in table.splitlines()]
    assert rows[0] == ["status", "property", "says", "checked", "violations", "first"]
    assert {row[0] for row in rows[1:]} == {"passed"}
    assert "train\texamples\t6\t87329" in sizes.splitlines()


def test_the_command_on_broken_data(tmp_path: Path) -> None:
    edit(write_folder(tmp_path), TRAIN, lambda text: text + "x\n" * 9)
    result = run(str(tmp_path), code=2)
    assert re.search(rf"^failed\tlines\t.*\t9\t{TRAIN}:7 1 columns", result.stdout, re.MULTILINE)
    found: Any = json.loads(run(str(tmp_path), "--json", "--places", "7", code=2).stdout)
    assert not found["ok"]
    lines = found["properties"][0]
    assert (lines["status"], lines["violations"], len(lines["first"])) == ("failed", 9, 7)
    assert lines["first"][0]["place"] == f"{TRAIN}:7"
    assert {"split": "overall", "quantity": "senses", "here": 9, "published": 71391} in found["sizes"]
