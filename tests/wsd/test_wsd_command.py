"""The commands of ``uncommonsense wsd``, on the sampler that comes with the package."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from uncommonsense.cli.wsd import app
from uncommonsense.errors import UncommonSenseError
from uncommonsense.wsd.keys import read_keys

SAMPLER = ("--corpus", "sampler", "--inventory", "sampler")


def run(*arguments: str) -> tuple[str, str]:
    """Standard output and error of a command that succeeds."""
    result = CliRunner().invoke(app, arguments, catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.stdout, result.stderr


def refused(*arguments: str) -> str:
    """The message of a command that is a user's mistake."""
    with pytest.raises(UncommonSenseError) as caught:
        CliRunner().invoke(app, arguments, catch_exceptions=False)
    assert caught.value.exit_code == 2
    return str(caught.value)


def scores(text: str) -> dict[tuple[str, str, str], float]:
    return {(row["system"], row["slice"], row["metric"]): row["value"] for row in json.loads(text)["scores"]}


@pytest.fixture(scope="module")
def evaluated(tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, object], Path]:
    """Two systems on the sampler with everything, and where their answers are."""
    out = tmp_path_factory.mktemp("evaluated") / "answers.parquet"
    text, _ = run(
        "evaluate", "-s", "first-sense", "-s", "mfs", "--train", "sampler", "--slices", *SAMPLER,
        "--predictions", str(out), "--json",
    )  # fmt: skip
    return json.loads(text), out


def test_evaluation_says_what_it_did(evaluated: tuple[dict[str, object], Path]) -> None:
    about, _ = evaluated
    assert (about["corpus"], about["train"], about["cluster"]) == ("sampler", "sampler", "lemma")
    assert set(about["seconds"]) == {"first-sense", "mfs"}  # type: ignore[call-overload]
    found = scores(json.dumps(about))
    assert found["mfs", "LFS in training", "f1"] == 0
    assert found["mfs", "MFS in training", "f1"] == 1
    assert found["first-sense", "MFS", "f1"] == 1
    assert found["first-sense", "LFS", "f1"] == 0
    (pair,) = about["comparisons"]  # type: ignore[misc]
    assert (pair["first"], pair["second"]) == ("first-sense", "mfs")
    assert pair["wins"] == pair["losses"] == 0  # the sampler lists the senses of a word by frequency


def test_fitting_and_unknown_words_are_announced() -> None:
    _, told = run("evaluate", "-s", "mfs", "--train", "sampler", *SAMPLER)
    assert "sampler has no senses for 389 of 537 targets" in told
    assert "mfs: fitted on" in told
    assert "words of sampler" in told


def test_scores_of_saved_answers_are_the_same(evaluated: tuple[dict[str, object], Path]) -> None:
    about, path = evaluated
    text, _ = run("score", "sampler", str(path), "--json")
    again, first = scores(text), scores(json.dumps(about))
    assert again == {key: value for key, value in first.items() if key in again}


def test_an_evaluation_does_not_train(tmp_path: Path) -> None:
    message = refused("evaluate", "-s", "mfs", *SAMPLER)
    assert "uncommonsense wsd fit mfs --corpus CORPUS --out FOLDER" in message
    assert "--train" in message
    assert "wsd fit" in refused("evaluate", "-s", f"mfs:{tmp_path}", *SAMPLER)


def test_fit_then_evaluate(tmp_path: Path) -> None:
    folder = tmp_path / "mfs"
    fit = ("fit", "mfs", *SAMPLER, "--out", str(folder))
    row = json.loads(run(*fit, "--option", "back_off=none", "--json")[0])
    assert row["system"] == "mfs"
    assert row["instances"] > 1000
    by_name, _ = run("evaluate", "-s", f"mfs:{folder}", *SAMPLER, "--json")
    by_folder, _ = run("evaluate", "--model", str(folder), *SAMPLER, "--json")
    assert scores(by_name) == scores(by_folder)
    assert "saved system already" in refused(*fit)
    run(*fit, "--force")
    assert "has the system 'mfs', not 'lesk'" in refused("evaluate", "-s", f"lesk:{folder}", *SAMPLER)


def test_key_files_go_round(tmp_path: Path) -> None:
    path = tmp_path / "first.key.txt"
    run("evaluate", "-s", "first-sense", *SAMPLER, "--predictions", str(path))
    assert len(read_keys(path)) > 100
    text, _ = run("score", str(path), str(path), "--json")
    assert scores(text)["first", "all", "f1"] == 1


def test_remarks_about_missing_and_unknown_answers(tmp_path: Path) -> None:
    gold, mine = tmp_path / "x.gold.key.txt", tmp_path / "mine.key.txt"
    gold.write_text("a k%1:00:00::\nb l%1:00:00::\n", encoding="utf-8")
    mine.write_text("a k%1:00:00::\nz k%1:00:00::\n", encoding="utf-8")
    text, told = run("score", str(gold), str(mine), str(gold))
    rows = list(csv.DictReader(io.StringIO(text), delimiter="\t"))
    assert {(row["system"], row["metric"]): row["value"] for row in rows if row["slice"] == "all"} == {
        ("mine", "f1"): "0.6667", ("mine", "precision"): "1", ("mine", "recall"): "0.5",
        ("x", "f1"): "1", ("x", "precision"): "1", ("x", "recall"): "1",
    }  # fmt: skip
    assert "mine: 1 answers to unknown instances are left out" in told
    assert "mine: 1 unanswered; precision 100.0, recall 50.0" in told
    assert "McNemar p = 1" in told


def test_systems_are_listed() -> None:
    text, _ = run("systems", "--json")
    known = {each["name"]: each for each in json.loads(text)}
    assert known["mfs"]["learns"]
    assert not known["lesk"]["learns"]
    assert "wsd fit, or --train" in run("systems")[0]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("evaluate", *SAMPLER), "name a system"),
        (("evaluate", "-s", "msf", *SAMPLER), "did you mean 'mfs'"),
        (("evaluate", "-s", "lesk", "-o", "widow=3", *SAMPLER), "did you mean 'window'"),
        (("evaluate", "-s", "lesk", "--cluster", "word", *SAMPLER), "lemma, sentence"),
        (("evaluate", "-s", "lesk", "--slices", *SAMPLER), "--train"),
        (("evaluate", "-s", "lesk", "--split", "tset", *SAMPLER), "no split 'tset'"),
        (("score", "sampler", "nowhere.key.txt"), "nowhere.key.txt: no such file"),
        (("score", "sampler", __file__, "--frequency-edges", "9,1"), "was in line"),
        (("fit", "lesk", *SAMPLER, "--out", "x"), "learns nothing"),
        (("table", "nowhere.json"), "nowhere.json: no such file"),
        (("table", __file__), "test_wsd_command.py:1: not JSON"),
    ],
)
def test_mistakes(arguments: tuple[str, ...], message: str) -> None:
    assert message in refused(*arguments)


# Tables


def saved(path: Path, system: str, values: dict[str, float], *, train: str = "") -> Path:
    rows = [
        {"system": system, "corpus": "c", "slice": name, "metric": metric, "value": value,
         "low": value - 0.02, "high": value + 0.02, "n": 9}
        for name, value in values.items() for metric in ("f1", "precision", "recall")
    ]  # fmt: skip
    path.write_text(json.dumps({"corpus": "c", "train": train, "scores": rows}), encoding="utf-8")
    return path


def test_table_5_has_ours_and_theirs(tmp_path: Path) -> None:
    path = saved(tmp_path / "s.json", "mine", {"all": 0.5, "senseval2": 0.25})
    text, _ = run("table", str(path))
    assert "Table 5" in text
    assert "Table 3" not in text
    (mine,) = [line.split() for line in text.splitlines() if line.startswith("mine")]
    assert mine == ["mine", "25.0", "±2.0", "50.0", "±2.0"]
    (bem,) = [line.split() for line in text.splitlines() if "BEM BERT" in line]
    assert bem[2:] == ["74.5", "79.4", "77.4", "79.7", "81.7", "81.4", "68.5", "83.0", "87.9", "79.0"]


def test_tables_of_fews(tmp_path: Path) -> None:
    base = saved(tmp_path / "a.json", "mfs", {"all": 0.5, "dev.zero-shot": 0.0}, train="fews")
    extended = saved(tmp_path / "b.json", "mfs", {"all": 0.4, "dev.zero-shot": 0.1}, train="fews?train=ext")
    text, _ = run("table", str(base), str(extended), "--format", "csv")
    rows = list(csv.DictReader(io.StringIO(text)))
    ours = {(row["table"], row["system"]): row["value"] for row in rows if row["source"] == "here"}
    assert ours == {
        ("table3", "mfs, fews"): "0.0000",
        ("table3", "mfs, fews?train=ext"): "10.0000",
        ("table7", "mfs, fews?train=ext"): "10.0000",
    }
    assert any(row["system"] == "Human" and row["value"] == "80.11" for row in rows)


@pytest.mark.parametrize(("form", "sign"), [("markdown", "| mine |"), ("latex", r"\begin{tabular}")])
def test_other_formats(tmp_path: Path, form: str, sign: str) -> None:
    path = saved(tmp_path / "s.json", "mine", {"MFS": 0.5})
    assert sign in run("table", str(path), "--format", form)[0]


def test_tables_need_their_slices(tmp_path: Path) -> None:
    path = saved(tmp_path / "s.json", "mine", {"all": 0.5})
    assert "none of the slices" in refused("table", str(path))
    path.write_text('{"corpus": "c"}', encoding="utf-8")
    assert "these are not scores" in refused("table", str(path))
    assert "markdown" in refused("table", str(path), "--format", "word")


# A folder in the layout of FEWS


@pytest.fixture
def fews(tmp_path: Path) -> str:
    """Two words; one sense of each is in training, the other is in the zero-shot set."""
    senses = {
        "perch.noun.0": "a branch on which a bird sits",
        "perch.noun.1": "a fish that lives in rivers",
        "stoop.noun.0": "a way of bending the back",
        "stoop.noun.1": "the steps before the door of a house",
    }
    blocks = [
        f"sense_id:\t{key}\nword:\t{key.partition('.')[0]}\ngloss:\t{gloss}\ntags:\t\ndepth:\t1\nsynonyms:\t\n"
        for key, gloss in senses.items()
    ]
    files = {
        "senses.txt": "\n".join(blocks),
        "train/train.txt": "We cooked the <WSD>perch</WSD>.\tperch.noun.1\n"
        "She sat on the <WSD>stoop</WSD>.\tstoop.noun.1\n",
        "dev/dev.few-shot.txt": "A big <WSD>perch</WSD> was caught in the river.\tperch.noun.1\n"
        "They met at the <WSD>stoop</WSD>.\tstoop.noun.1\n",
        "dev/dev.zero-shot.txt": "The bird left its <WSD>perch</WSD>.\tperch.noun.0\n"
        "He walks with a <WSD>stoop</WSD>.\tstoop.noun.0\n",
    }
    for name, text in files.items():
        path = tmp_path / "fews" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return f"fews:{tmp_path / 'fews'}"


def test_table_3(fews: str, tmp_path: Path) -> None:
    """Without a back-off MFS never finds a sense that is not in training; Lesk may."""
    text, _ = run(
        "evaluate", "-s", "mfs", "-s", "lesk", "--option", "back_off=none", "--train", fews,
        "--corpus", fews, "--inventory", fews, "--json",
    )  # fmt: skip
    found = scores(text)
    assert found["mfs", "dev.few-shot", "recall"] == 1
    assert found["mfs", "dev.zero-shot", "recall"] == 0
    assert found["mfs", "dev", "recall"] == 0.5
    assert found["lesk", "dev.few-shot", "recall"] == 0.5
    assert found["lesk", "dev.zero-shot", "recall"] == 1
    path = tmp_path / "scores.json"
    path.write_text(text, encoding="utf-8")
    table, _ = run("table", str(path))
    assert "Table 3" in table
    assert "Table 5" not in table
