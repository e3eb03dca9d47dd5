"""Human evaluation on an invented FEWS folder: sheets, answers, a session in the terminal, scores."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from running import environment
from uncommonsense.cli.fews import app
from uncommonsense.corpora.fews import read as read_corpus
from uncommonsense.errors import MalformedInputError, MissingResourceError, UnknownNameError, UserError
from uncommonsense.fews.human import (
    Answer,
    Answers,
    Candidate,
    Item,
    Key,
    Score,
    Sheet,
    answer_file,
    gold_file,
    open_answers,
    published,
    read_answers,
    read_gold,
    read_predictions,
    read_sheet,
    record,
    sample,
    score,
    write_sheet,
)

SENSES = {
    "bank.noun": ["A house of money.", "The side of a river.", "A row of keys."],
    "bark.noun": ["The skin of a tree.", "The voice of a dog."],
    "run.verb": ["To go fast on foot.", "To manage.", "To flow.", "To stand for office."],
    "crane.noun": ["A tall bird.", "A machine that lifts."],
    "pitch.noun": ["A throw.", "How high a tone is.", "Thick tar."],
    "lone.noun": ["The only sense there is."],
}
FEW = [
    "They fished from the <WSD>bank</WSD> at dawn.\tbank.noun.1\tA. Writer, 1901",
    "Its <WSD>bark</WSD> peels in spring; no other <WSD>bark</WSD> does.\tbark.noun.0",
    "He sat there <WSD>lone</WSD>.\tlone.noun.0",
    "She <WSD>ran</WSD> twice for mayor.\trun.verb.3",
]
ZERO = [
    "A <WSD>crane</WSD> stood on one leg.\tcrane.noun.0",
    "The hull was black with <WSD>pitch</WSD>.\tpitch.noun.2",
]


@pytest.fixture
def fews(tmp_path: Path) -> Path:
    folder = tmp_path / "mini-fews"
    (folder / "dev").mkdir(parents=True)
    blocks = [
        f"sense_id:\t{word}.{number}\nword:\t{word.split('.')[0]}\ngloss:\t{gloss}\n\n"
        for word, glosses in SENSES.items()
        for number, gloss in enumerate(glosses)
    ]
    (folder / "senses.txt").write_text("".join(blocks), encoding="utf-8")
    (folder / "dev/dev.few-shot.txt").write_text("\n".join(FEW) + "\n", encoding="utf-8")
    (folder / "dev/dev.zero-shot.txt").write_text("\n".join(ZERO) + "\n", encoding="utf-8")
    return folder


@pytest.fixture
def drawn(fews: Path) -> tuple[Sheet, list[Key]]:
    """Two few-shot and two zero-shot items."""
    return sample(fews, number=4)


@pytest.fixture
def sheet_file(drawn: tuple[Sheet, list[Key]], tmp_path: Path) -> Path:
    write_sheet(tmp_path / "sheet.jsonl", *drawn)
    return tmp_path / "sheet.jsonl"


def wrong(item: Item, key: Key, nth: int = 0) -> str:
    """A sense that is not the right one."""
    return sorted(set(item.senses) - {key.sense})[nth]


def token_of(item: Item) -> int:
    """Where the first target is; the invented sentences have no punctuation before it."""
    return len(item.pieces[0].split())


def answers_of(name: str, senses: Sequence[str | None]) -> Answers:
    return Answers(name, {n: Answer(n, sense, 1.0, "") for n, sense in enumerate(senses, 1)})


def value(rows: list[Score], kind: str, name: str, part: str, metric: str = "accuracy") -> float:
    (row,) = [each for each in rows if each[:4] == (kind, name, part, metric)]
    return row.value


# Sheets


def test_a_sheet_is_half_few_shot_and_half_zero_shot(fews: Path) -> None:
    sheet, keys = sample(fews, number=5)
    assert [key.split for key in keys].count("few-shot") == 3
    assert [key.split for key in keys].count("zero-shot") == 2
    assert [item.item for item in sheet.items] == [key.item for key in keys] == [1, 2, 3, 4, 5]


def test_all_senses_of_the_word_are_candidates(drawn: tuple[Sheet, list[Key]]) -> None:
    for item, key in zip(drawn[0].items, drawn[1], strict=True):
        word = key.sense.rpartition(".")[0]
        assert {each.gloss for each in item.candidates} == set(SENSES[word])
        assert f"{item.word}.{item.pos}" == word
        assert item.pieces[1].startswith(item.word[0])


def test_gold_answers_are_those_of_the_folder(drawn: tuple[Sheet, list[Key]]) -> None:
    lines = {f"dev.few-shot.{n}": line for n, line in enumerate(FEW, 1)}
    lines |= {f"dev.zero-shot.{n}": line for n, line in enumerate(ZERO, 1)}
    for key in drawn[1]:
        assert lines[key.id].split("\t")[:2] == [drawn[0][key.item].text, key.sense]


def test_a_word_with_one_sense_is_no_question(fews: Path) -> None:
    assert all(key.id != "dev.few-shot.3" for key in sample(fews, number=5)[1])


def test_a_seed_gives_one_sheet(fews: Path) -> None:
    assert sample(fews, number=4, seed=1) == sample(fews, number=4, seed=1)
    assert len({sample(fews, number=4, seed=seed)[0].fingerprint for seed in range(8)}) > 4


def test_the_order_gives_nothing_away(fews: Path) -> None:
    """Over many seeds the right sense is in every place, and either half comes first."""
    places, first = set(), set()
    for seed in range(60):
        sheet, keys = sample(fews, number=4, seed=seed)
        first.add(keys[0].split)
        places |= {(key.sense, sheet[key.item].senses.index(key.sense)) for key in keys}
    assert first == {"few-shot", "zero-shot"}
    assert {place for sense, place in places if sense == "pitch.noun.2"} == {0, 1, 2}


def test_the_sheet_has_no_gold(drawn: tuple[Sheet, list[Key]], sheet_file: Path) -> None:
    """Two sheets that differ in nothing but the gold answers are the same file."""
    text = sheet_file.read_text(encoding="utf-8")
    assert "shot" not in text
    sheet, keys = drawn
    others = [key._replace(sense=wrong(sheet[key.item], key)) for key in keys]
    write_sheet(sheet_file, sheet, others, overwrite=True)
    assert sheet_file.read_text(encoding="utf-8") == text


def test_the_header_names_source_and_licence(sheet_file: Path) -> None:
    header = json.loads(sheet_file.read_text(encoding="utf-8").splitlines()[0])
    assert "CC BY-SA" in header["licence"]
    assert "Wiktionary" in header["attribution"]
    assert (header["source"], header["split"], header["items"], header["annotators"]) == (
        "mini-fews",
        "dev",
        4,
        3,
    )


def test_sheets_and_gold_answers_are_read_as_written(
    drawn: tuple[Sheet, list[Key]], sheet_file: Path
) -> None:
    sheet, keys = drawn
    assert read_sheet(sheet_file).items == sheet.items
    assert read_gold(gold_file(sheet_file), sheet) == keys


def test_a_sheet_is_not_overwritten_unasked(drawn: tuple[Sheet, list[Key]], sheet_file: Path) -> None:
    with pytest.raises(UserError, match="exists already"):
        write_sheet(sheet_file, *drawn)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda text: text.replace("A tall bird.", "A bird."), "sheet.jsonl:1: the items are not those"),
        (lambda text: text.partition("\n")[2], "sheet.jsonl:1: expected a header with 'sheet'"),
        (lambda text: text.replace('"word": "', '"word": 1, "x": "'), "sheet.jsonl:2: 'word' is 1, expected"),
        (lambda text: text[:-20], "sheet.jsonl:5: not a line of JSON"),
    ],
)
def test_a_changed_sheet_is_refused(sheet_file: Path, change: Callable[[str], str], message: str) -> None:
    sheet_file.write_text(change(sheet_file.read_text(encoding="utf-8")), encoding="utf-8")
    with pytest.raises(MalformedInputError) as caught:
        read_sheet(sheet_file)
    assert message in str(caught.value)


def test_gold_answers_of_another_sheet_are_refused(fews: Path, sheet_file: Path) -> None:
    with pytest.raises(MalformedInputError, match=r"sheet\.gold\.jsonl:1: the gold answers of another"):
        read_gold(gold_file(sheet_file), sample(fews, number=4, seed=9)[0])


def test_a_folder_that_is_too_small(fews: Path) -> None:
    with pytest.raises(UserError, match=r"few-shot\.txt: 3 examples .* wants 5; give a smaller --number"):
        sample(fews, number=10)
    with pytest.raises(UserError, match="expected at least 2"):
        sample(fews, number=1)


def test_a_folder_that_is_none(tmp_path: Path, fews: Path) -> None:
    with pytest.raises(MissingResourceError, match="give a FEWS folder"):
        sample(tmp_path)
    with pytest.raises(UnknownNameError, match="train"):
        sample(fews, split="train")
    with pytest.raises(UserError, match=r"test\.few-shot\.txt: no such file"):
        sample(fews, split="test", number=4)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("A <WSD>bank</WSD>.\tbank.noun.9", "the sense 'bank.noun.9' is not in senses.txt"),
        ("A bank.\tbank.noun.1", "expected <WSD>word</WSD>"),
        ("A <WSD>bank</WSD> and <WSD>bank.\tbank.noun.1", "expected <WSD>word</WSD>"),
    ],
)
def test_a_wrong_line_is_named(fews: Path, line: str, message: str) -> None:
    with (fews / "dev/dev.zero-shot.txt").open("a", encoding="utf-8") as file:
        file.write(line + "\n")
    with pytest.raises(MalformedInputError) as caught:
        sample(fews, number=4)
    assert f"zero-shot.txt:3: {message}" in str(caught.value)


# Answers


def test_an_answer_is_a_line(drawn: tuple[Sheet, list[Key]], tmp_path: Path) -> None:
    sheet, file = drawn[0], tmp_path / "anna.jsonl"
    sense, moment = sheet[2].senses[0], datetime(2024, 5, 1, 12, 30, tzinfo=UTC)
    record(file, sheet, 2, sense, annotator="anna", seconds=3.14159, time=moment)
    header, line = map(json.loads, file.read_text(encoding="utf-8").splitlines())
    assert header == {"answers": sheet.fingerprint, "annotator": "anna"}
    assert line == {"item": 2, "sense": sense, "seconds": 3.1, "time": "2024-05-01T12:30:00+00:00"}


def test_the_last_answer_counts(drawn: tuple[Sheet, list[Key]], tmp_path: Path) -> None:
    sheet, file = drawn[0], tmp_path / "anna.jsonl"
    for sense in (sheet[1].senses[0], None, sheet[1].senses[1]):
        record(file, sheet, 1, sense, annotator="anna", seconds=1)
    assert read_answers(file, sheet).sense(1) == sheet[1].senses[1]
    assert len(file.read_text(encoding="utf-8").splitlines()) == 4


def test_what_remains(drawn: tuple[Sheet, list[Key]]) -> None:
    sheet = drawn[0]
    found = answers_of("anna", [None, sheet[2].senses[0]])
    assert (found.answered, found.skipped, found.remaining(sheet)) == ([2], [1], [3, 4, 1])


def test_an_editor_may_drop_the_last_line_end(drawn: tuple[Sheet, list[Key]], tmp_path: Path) -> None:
    sheet, file = drawn[0], tmp_path / "anna.jsonl"
    record(file, sheet, 1, None, annotator="anna", seconds=1)
    file.write_text(file.read_text(encoding="utf-8").rstrip("\n"), encoding="utf-8")
    record(file, sheet, 2, None, annotator="anna", seconds=1)
    assert read_answers(file, sheet).skipped == [1, 2]


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (['{"item": 9, "sense": null}'], ":2: no item 9: the sheet has the items 1 to 4"),
        (['{"item": "1", "sense": null}'], ":2: 'item' is \"1\", expected a whole number"),
        (['{"item": 1, "sense": "moon.noun.0"}'], ":2: unknown sense 'moon.noun.0' for item 1, expected"),
        (['{"item": 1}'], ":2: unknown sense '' for item 1"),
        (['{"item": 1, "sense": null}', '{"item": 1, "sense": null}'], ":3: a second answer to item 1, the"),
        (['{"item": 1, "sense"'], ":2: not a line of JSON"),
        (["[1]"], ":2: expected a JSON object"),
    ],
)
def test_wrong_answers_are_named(
    drawn: tuple[Sheet, list[Key]], tmp_path: Path, lines: list[str], message: str
) -> None:
    sheet, file = drawn[0], tmp_path / "anna.jsonl"
    header = json.dumps({"answers": sheet.fingerprint, "annotator": "anna"})
    file.write_text("\n".join([header, *lines]), encoding="utf-8")
    with pytest.raises(MalformedInputError) as caught:
        read_answers(file, sheet)
    assert f"anna.jsonl{message}" in str(caught.value)


def test_answers_to_another_sheet_are_refused(fews: Path, tmp_path: Path) -> None:
    first, second = (sample(fews, number=4, seed=seed)[0] for seed in (0, 9))
    record(tmp_path / "anna.jsonl", first, 1, None, annotator="anna", seconds=1)
    with pytest.raises(MalformedInputError, match=r"anna\.jsonl:1: answers to another sheet"):
        record(tmp_path / "anna.jsonl", second, 2, None, annotator="anna", seconds=1)
    with pytest.raises(MalformedInputError, match=r"anna\.jsonl:1: the answers of 'anna', not of 'ben'"):
        open_answers(tmp_path / "anna.jsonl", first, annotator="ben")


def test_a_sheet_is_no_file_of_answers(sheet_file: Path) -> None:
    with pytest.raises(MalformedInputError, match="is this a file of answers"):
        read_answers(sheet_file, read_sheet(sheet_file))


@pytest.mark.parametrize("name", ["gold", "Gold", "", "../anna", "a b", "anna."])
def test_names_that_would_hit_other_files(name: str) -> None:
    with pytest.raises(UserError, match="cannot name an annotator"):
        answer_file(Path("sheet.jsonl"), name)


def test_what_cannot_be_recorded(drawn: tuple[Sheet, list[Key]], tmp_path: Path) -> None:
    with pytest.raises(UserError, match="no candidate of item 1"):
        record(tmp_path / "a.jsonl", drawn[0], 1, "moon.noun.0", annotator="anna", seconds=1)
    with pytest.raises(UserError, match="no item 5"):
        record(tmp_path / "a.jsonl", drawn[0], 5, None, annotator="anna", seconds=1)
    assert not (tmp_path / "a.jsonl").exists()


# The terminal


def session(sheet_file: Path, *replies: str, name: str = "anna") -> Result:
    text = "".join(f"{reply}\n" for reply in replies)
    return CliRunner().invoke(
        app, ["human", "answer", str(sheet_file), "--annotator", name], input=text, catch_exceptions=False
    )


def chosen(sheet_file: Path, name: str = "anna") -> list[str | None]:
    sheet = read_sheet(sheet_file)
    answers = read_answers(answer_file(sheet_file, name), sheet)
    return [answers.sense(item.item) for item in sheet.items]


def test_quit_and_go_on(sheet_file: Path) -> None:
    sheet = read_sheet(sheet_file)
    first = session(sheet_file, "1", "2", "q")
    assert first.exit_code == 0
    assert "1 of 4" in first.stdout
    assert "3 of 4" in first.stdout
    assert "4 of 4" not in first.stdout
    assert "2 of 4 items done" in first.stderr
    second = session(sheet_file, "2", "1")
    assert "2 of 4" not in second.stdout.split("3 of 4")[0]
    assert "4 of 4 items done" in second.stderr
    assert chosen(sheet_file) == [sheet[n].senses[place] for n, place in ((1, 0), (2, 1), (3, 1), (4, 0))]
    assert "of 4:" not in session(sheet_file, "1").stdout


def test_an_item_as_it_is_shown(sheet_file: Path) -> None:
    shown = session(sheet_file, "q").stdout
    item = read_sheet(sheet_file)[1]
    assert f"1 of 4: {item.word}, {item.pos}" in shown
    before, target, after, *_ = item.pieces
    assert f"{before}[{target}]{after}" in shown
    places = [shown.index(f"  {n}  {each.gloss}") for n, each in enumerate(item.candidates, 1)]
    assert all(first < second for first, second in pairwise(places))
    assert not any(sense in shown for sense in item.senses)
    assert "\x1b" not in shown


def test_back_changes_the_answer(sheet_file: Path) -> None:
    done = session(sheet_file, "1", "b", "2", "q")
    assert "(your answer)" in done.stdout
    sheet = read_sheet(sheet_file)
    assert chosen(sheet_file)[:2] == [sheet[1].senses[1], None]
    lines = answer_file(sheet_file, "anna").read_text(encoding="utf-8").splitlines()
    assert [json.loads(line).get("again") for line in lines] == [None, None, True]


def test_back_reaches_an_earlier_session_and_enter_keeps(sheet_file: Path) -> None:
    session(sheet_file, "1", "1", "q")
    done = session(sheet_file, "b", "b", "b", "2", "", "1", "q")
    sheet = read_sheet(sheet_file)
    assert done.stdout.count("1 of 4") == 2
    assert chosen(sheet_file) == [sheet[1].senses[1], sheet[2].senses[0], sheet[3].senses[0], None]


def test_a_skipped_item_is_asked_again_at_the_end(sheet_file: Path) -> None:
    done = session(sheet_file, "s", "1", "1", "q")
    assert "3 of 4 items done, 1 of them skipped" in done.stderr
    sheet = read_sheet(sheet_file)
    again = session(sheet_file, "1", "2").stdout
    assert again.index(f"3 of 4: {sheet[4].word}") < again.index(f"4 of 4: {sheet[1].word}")
    assert chosen(sheet_file)[0] == sheet[1].senses[1]


def test_nonsense_is_asked_again(sheet_file: Path) -> None:
    done = session(sheet_file, "0", "99", "bank", "", "?", "1", "q")
    assert done.stderr.count("is no answer; type a number from 1 to") == 4
    assert done.stdout.count("Which definition fits") == 2
    assert chosen(sheet_file)[0] == read_sheet(sheet_file)[1].senses[0]


def test_the_end_of_the_input_is_quitting(sheet_file: Path) -> None:
    done = session(sheet_file, "1")
    assert done.exit_code == 0
    assert len(read_answers(answer_file(sheet_file, "anna"), read_sheet(sheet_file)).by_item) == 1


def test_nothing_is_written_before_an_answer(sheet_file: Path) -> None:
    assert session(sheet_file, "q").exit_code == 0
    assert not answer_file(sheet_file, "anna").exists()


def test_the_terminal_is_safe_from_the_text(fews: Path, tmp_path: Path) -> None:
    (fews / "dev/dev.zero-shot.txt").write_text("\x1b[2J<WSD>Crane</WSD>.\tcrane.noun.0\n", encoding="utf-8")
    write_sheet(tmp_path / "sheet.jsonl", *sample(fews, number=2))
    shown = session(tmp_path / "sheet.jsonl", "1", "1").stdout
    assert "[Crane]" in shown
    assert "\x1b" not in shown


def test_a_real_pipe(sheet_file: Path) -> None:
    code = "from uncommonsense.cli.fews import app; app()"
    command = [sys.executable, "-c", code, "human", "answer", str(sheet_file), "--annotator", "anna"]
    done = subprocess.run(
        command, input="2\n1\nq\n", capture_output=True, text=True, check=True, env=environment(), timeout=60
    )
    assert "3 of 4" in done.stdout
    assert [sense is not None for sense in chosen(sheet_file)] == [True, True, False, False]
    answers = read_answers(answer_file(sheet_file, "anna"), read_sheet(sheet_file))
    assert all(0 <= each.seconds < 60 for each in answers.by_item.values())


# Scores


@pytest.fixture
def three(drawn: tuple[Sheet, list[Key]]) -> list[Answers]:
    """Anna has all right; Ben the few-shot ones; Cleo as Ben, but skips the first zero-shot item."""
    sheet, keys = drawn
    gold: list[str | None] = [key.sense for key in keys]
    ben = [key.sense if key.split == "few-shot" else wrong(sheet[key.item], key) for key in keys]
    cleo: list[str | None] = list(ben)
    cleo[[key.split for key in keys].index("zero-shot")] = None
    return [answers_of("anna", gold), answers_of("ben", ben), answers_of("cleo", cleo)]


def test_accuracies_by_hand(drawn: tuple[Sheet, list[Key]], three: list[Answers]) -> None:
    rows = score(*drawn, three)
    expected = {"anna": (1, 1, 1), "ben": (1, 0, 1 / 2), "cleo": (1, 0, 1 / 2)}
    for name, values in expected.items():
        found = tuple(value(rows, "annotator", name, part) for part in ("few-shot", "zero-shot", "all"))
        assert found == values
    assert value(rows, "mean", "mean of annotators", "few-shot") == 1
    assert value(rows, "mean", "mean of annotators", "zero-shot") == pytest.approx(1 / 3)
    assert value(rows, "mean", "mean of annotators", "all") == pytest.approx(2 / 3)
    (cleo,) = [row for row in rows if row[:3] == ("annotator", "cleo", "all")]
    assert (cleo.n, cleo.answered) == (4, 3)
    assert cleo.low <= cleo.value <= cleo.high


def test_agreement_by_hand(drawn: tuple[Sheet, list[Key]], three: list[Answers]) -> None:
    """Anna and Ben agree on the two few-shot items of four."""
    sheet = drawn[0]
    rows = score(*drawn, three)
    assert value(rows, "agreement", "anna, ben", "sense", "observed_agreement") == 1 / 2
    chance = sum(1 / len(item.candidates) for item in sheet.items) / 4
    expected = (1 / 2 - chance) / (1 - chance)
    assert value(rows, "agreement", "anna, ben", "choices", "uniform_kappa") == pytest.approx(expected)
    # Senses: both use each of the two few-shot senses once in four, and no other sense in common.
    kappa = (1 / 2 - 2 / 16) / (1 - 2 / 16)
    assert value(rows, "agreement", "anna, ben", "sense", "cohen_kappa") == pytest.approx(kappa)
    # All three: two items of three answers that agree, one of three with 1 pair in 3, one of two that do not.
    everyone = "anna, ben, cleo"
    observed = (1 + 1 + 1 / 3 + 0) / 4
    assert value(rows, "agreement", everyone, "sense", "observed_agreement") == pytest.approx(observed)
    # Eleven answers: 3 + 3 for the few-shot senses, 1 + 2 and 1 + 1 for the zero-shot ones.
    chance = (9 + 9 + 1 + 4 + 1 + 1) / 121
    assert value(rows, "agreement", everyone, "sense", "fleiss_kappa") == pytest.approx(
        (observed - chance) / (1 - chance)
    )
    (row,) = [each for each in rows if each[1:4] == ("ben, cleo", "sense", "observed_agreement")]
    assert (row.value, row.n) == (1, 3)


def test_the_number_of_the_sense_as_label() -> None:
    """Two words, the same numbers: as senses chance is small, as numbers both always say 0 or 1."""
    items = [
        Item(n, word, "noun", "", tuple(Candidate(f"{word}.noun.{i}", "") for i in (0, 1)))
        for n, word in enumerate(["ash", "bay", "cob", "dab"], 1)
    ]
    keys = [Key(n, f"dev.few-shot.{n}", "few-shot", f"{item.word}.noun.0") for n, item in enumerate(items, 1)]
    first = answers_of("anna", [f"{item.word}.noun.{n % 2}" for n, item in enumerate(items)])
    second = answers_of("ben", ["ash.noun.0", "bay.noun.1", "cob.noun.0", "dab.noun.0"])
    rows = score(Sheet(tuple(items)), keys, [first, second])
    assert value(rows, "agreement", "anna, ben", "sense", "cohen_kappa") == pytest.approx(
        (3 / 4 - 3 / 16) / (1 - 3 / 16)
    )
    # Anna says 0 twice and 1 twice, Ben 0 three times: chance 1/2 * 3/4 + 1/2 * 1/4 = 1/2.
    assert value(rows, "agreement", "anna, ben", "number", "cohen_kappa") == pytest.approx(1 / 2)
    assert value(rows, "agreement", "anna, ben", "choices", "uniform_kappa") == pytest.approx(1 / 2)
    # Together they say 0 five times of eight: chance (25 + 9) / 64.
    fleiss = value(rows, "agreement", "anna, ben", "number", "fleiss_kappa")
    assert fleiss == pytest.approx((3 / 4 - 34 / 64) / (1 - 34 / 64))
    assert {row.slice for row in rows if row.kind == "annotator"} == {"few-shot", "all"}


def test_one_annotator_agrees_with_nobody(drawn: tuple[Sheet, list[Key]], three: list[Answers]) -> None:
    assert all(row.kind != "agreement" for row in score(*drawn, three[:1]))


def test_an_annotator_counts_once(drawn: tuple[Sheet, list[Key]], three: list[Answers]) -> None:
    with pytest.raises(UserError, match="two files with answers of 'ben'"):
        score(*drawn, [*three, three[1]])


def test_systems_are_compared_with_people(drawn: tuple[Sheet, list[Key]], three: list[Answers]) -> None:
    sheet, keys = drawn
    right = {key.item: key.sense for key in keys}
    partial = {key.item: key.sense for key in keys[:1]}
    rows = score(sheet, keys, three, systems={"oracle": right, "lazy": partial})
    assert value(rows, "system", "oracle", "all") == 1
    assert value(rows, "system", "lazy", "all") == 1 / 4
    assert value(rows, "difference", "oracle", "all") == pytest.approx(1 - 2 / 3)
    assert value(rows, "difference", "lazy", "all") == pytest.approx(1 / 4 - 2 / 3)
    (lazy,) = [row for row in rows if row[:3] == ("system", "lazy", "all")]
    assert lazy.answered == 1
    (apart,) = [row for row in rows if row[:3] == ("difference", "oracle", "all")]
    assert apart.p == 1 / 2  # two items differ: of the four patterns of signs, two are as extreme


@pytest.mark.parametrize(
    "form", ["{id} {sense}", "{id}\t{sense}", "{id}.t{token} {sense}", "JSON", "instance"]
)
def test_forms_of_predictions(drawn: tuple[Sheet, list[Key]], tmp_path: Path, form: str) -> None:
    sheet, keys = drawn
    names = {"JSON": "id", "instance": "instance"}
    lines = [
        json.dumps({names[form]: key.id, "sense": key.sense, "score": 0.5})
        if form in names
        else form.format(**key._asdict(), token=token_of(sheet[key.item]))
        for key in keys
    ]
    other = lines[0].replace(keys[0].id, "dev.few-shot.9999")
    (tmp_path / "system").write_text("\n".join([*lines, "", other]), encoding="utf-8")
    assert read_predictions(tmp_path / "system", sheet, keys) == {key.item: key.sense for key in keys}


def test_the_first_marked_word_decides(fews: Path, tmp_path: Path) -> None:
    (fews / "dev/dev.few-shot.txt").write_text(FEW[1] + "\n", encoding="utf-8")
    sheet, keys = sample(fews, number=2)
    key = next(key for key in keys if key.split == "few-shot")
    other = wrong(sheet[key.item], key)
    (tmp_path / "key").write_text(f"{key.id}.t8 {other}\n{key.id}.t1 {key.sense}\n", encoding="utf-8")
    assert read_predictions(tmp_path / "key", sheet, keys) == {key.item: key.sense}


def test_ids_are_those_of_the_corpus(drawn: tuple[Sheet, list[Key]], fews: Path, tmp_path: Path) -> None:
    """A prediction for every target of the corpus is taken; a token where no target is, is refused."""
    gold = [f"{each.id} {each.senses[0]}" for line in read_corpus(fews) for each in line.instances]
    (tmp_path / "key").write_text("\n".join(gold), encoding="utf-8")
    assert read_predictions(tmp_path / "key", *drawn) == {key.item: key.sense for key in drawn[1]}
    key, token = drawn[1][0], token_of(drawn[0][1])
    (tmp_path / "key").write_text(f"{key.id}.t{token + 1} {key.sense}\n", encoding="utf-8")
    with pytest.raises(MalformedInputError) as caught:
        read_predictions(tmp_path / "key", *drawn)
    said = f"unknown id '{key.id}.t{token + 1}': no marked word is there, expected {key.id}.t{token}"
    assert f"key:1: {said}" in str(caught.value)


@pytest.mark.parametrize("name", ["anna", "mean of annotators"])
def test_a_system_is_no_annotator(drawn: tuple[Sheet, list[Key]], three: list[Answers], name: str) -> None:
    with pytest.raises(UserError, match=f"a system cannot be named '{name}'"):
        score(*drawn, three, systems={name: {}})


def test_answered_is_empty_where_it_is_no_question(
    drawn: tuple[Sheet, list[Key]], three: list[Answers]
) -> None:
    rows = [*score(*drawn, three), *published()]
    assert {row.answered for row in rows if row.kind in ("agreement", "published")} == {None}
    assert all(row.answered is not None for row in rows if row.kind in ("annotator", "mean"))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{id} moon.noun.0", ":1: unknown sense 'moon.noun.0' for"),
        ("{id} {sense}\n{id} {sense}", ":2: a second sense for"),
        ("elsewhere.1 {sense}", ":1: unknown id 'elsewhere.1'; ids look like 'dev."),
        ("{id} {sense}\ndev.few-shot.x {sense}", ":2: unknown id 'dev.few-shot.x'"),
        ("dev.few-shot.99 {sense}", ": no predictions for this sheet; ids look like 'dev."),
        ("{id}", ": no predictions for this sheet"),
        ('{{"name": 1}}', ":1: expected an object with 'id' and 'sense'"),
    ],
)
def test_wrong_predictions_are_named(
    drawn: tuple[Sheet, list[Key]], tmp_path: Path, text: str, message: str
) -> None:
    (tmp_path / "key").write_text(text.format(**drawn[1][0]._asdict()), encoding="utf-8")
    with pytest.raises(MalformedInputError) as caught:
        read_predictions(tmp_path / "key", *drawn)
    assert f"key{message}" in str(caught.value)


def test_the_papers_figures() -> None:
    rows = published()
    printed = {(row.name, row.slice): round(100 * row.value, 2) for row in rows if row.metric == "accuracy"}
    assert [printed["Human", part] for part in ("few-shot", "zero-shot", "all")] == [80.44, 79.87, 80.11]
    assert [printed["BEM BERT", part] for part in ("few-shot", "zero-shot", "all")] == [80.66, 65.33, 73.0]
    assert [printed[f"annotator {n}", "all"] for n in (1, 2, 3)] == [84.67, 78.67, 77.0]
    assert [row.value for row in rows if row.metric == "kappa"] == [0.802]


def test_the_papers_figures_are_counts_of_examples() -> None:
    """Every printed accuracy is a whole number of right answers, but that of people on zero-shot examples."""
    odd = []
    for row in published():
        if row.metric == "accuracy":
            asked = row.n * (3 if row.name == "Human" else 1)
            right = round(row.value * asked)
            if abs(right / asked - row.value) >= 1e-4:
                odd.append((row.name, row.slice))
    assert odd == [("Human", "zero-shot")]
    assert round(100 * (254 + 236 + 231 - 362) / 450, 2) == 79.78


# Commands


def invoke(*arguments: object) -> Result:
    return CliRunner().invoke(app, ["human", *map(str, arguments)], catch_exceptions=False)


@pytest.fixture
def files(sheet_file: Path, three: list[Answers]) -> list[Path]:
    sheet = read_sheet(sheet_file)
    for each in three:
        for answer in each.by_item.values():
            file = answer_file(sheet_file, each.annotator)
            record(file, sheet, answer.item, answer.sense, annotator=each.annotator, seconds=2.0)
    return [answer_file(sheet_file, each.annotator) for each in three]


def test_sample_command(fews: Path, tmp_path: Path) -> None:
    done = invoke("sample", fews, "--out", tmp_path / "s.jsonl", "-n", 4, "--seed", 5, "--json")
    found: dict[str, Any] = json.loads(done.stdout)
    assert found["items"] == 4
    assert read_sheet(tmp_path / "s.jsonl").fingerprint == found["fingerprint"]
    assert read_sheet(tmp_path / "s.jsonl").items == sample(fews, number=4, seed=5)[0].items
    assert Path(found["gold"]).is_file()


def test_score_command_in_json(sheet_file: Path, files: list[Path], tmp_path: Path) -> None:
    keys = read_gold(gold_file(sheet_file), read_sheet(sheet_file))
    (tmp_path / "half.key").write_text(f"{keys[0].id} {keys[0].sense}\n", encoding="utf-8")
    system = f"half={tmp_path / 'half.key'}"
    done = invoke("score", sheet_file, *files, gold_file(sheet_file), "--system", system, "--json")
    found = json.loads(done.stdout)
    assert {"half: 3 of 4 items without an answer count as wrong"} <= set(done.stderr.splitlines())
    assert found["annotators"][2] == {"annotator": "cleo", "answered": 3, "skipped": 1, "median_seconds": 2.0}
    values = {(row["kind"], row["name"], row["slice"]): row["value"] for row in found["scores"]}
    assert values["annotator", "ben", "all"] == 1 / 2
    assert values["system", "half", "all"] == 1 / 4
    assert any(row["metric"] == "fleiss_kappa" for row in found["scores"])
    assert any(row["value"] == 0.802 for row in found["published"])


def test_score_command_in_a_pipe(sheet_file: Path, files: list[Path]) -> None:
    done = invoke("score", sheet_file, *files[:2])
    header, *lines = done.stdout.splitlines()
    assert header.split("\t") == list(Score._fields)
    assert any(line.startswith("annotator\tben\tall\taccuracy\t0.5\t") for line in lines)
    assert any(line.startswith("published\taverage\tnot stated\tkappa\t0.802") for line in lines)
    assert "2 annotators, the sheet was made for 3" in done.stderr
    place = header.split("\t").index("answered")
    assert {line.split("\t")[place] for line in lines if line.startswith("published")} == {""}
    assert "1 annotator, the sheet was made for 3" in invoke("score", sheet_file, files[0]).stderr


def test_score_command_on_a_terminal(
    sheet_file: Path, files: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in ("output", "fews.human"):
        monkeypatch.setattr(f"uncommonsense.cli.{module}.is_terminal", lambda stderr=False: True)
    monkeypatch.setenv("COLUMNS", "140")
    shown = " ".join(invoke("score", sheet_file, *files).stdout.split())
    assert "annotator anna 100.00 ±0.0 100.00 ±0.0 100.00 ±0.0" in shown
    assert "published Human 80.44 79.87 80.11" in shown
    assert "observed_agreement sense anna, ben 0.500" in shown


@pytest.mark.parametrize(
    ("option", "message"),
    [(["--system", "lesk"], "expected NAME=FILE"), (["--system", "a=x", "--system", "a=y"], "already")],
)
def test_wrong_systems(sheet_file: Path, files: list[Path], option: list[str], message: str) -> None:
    with pytest.raises(UserError, match=message):
        invoke("score", sheet_file, *files, *option)
