"""The numbers of a FEWS folder, against numbers counted by hand and against the paper's own."""

from __future__ import annotations

import csv
import io
import json
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result
from invented_fews import FOLDER, write_folder, write_large
from typer.testing import CliRunner

from uncommonsense.cli.fews import app
from uncommonsense.corpora import open_corpus
from uncommonsense.errors import UnknownNameError, UserError
from uncommonsense.fews.folder import FewsFolder, Word
from uncommonsense.fews.layout import EXTENDED, SENSES, TRAIN
from uncommonsense.fews.published import published, tag_group
from uncommonsense.fews.semcor import SenseCorpus, count_senses
from uncommonsense.fews.statistics import Statistics, count_folder
from uncommonsense.schema import Instance, Sentence


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_folder(tmp_path / "fews")


@pytest.fixture
def found(folder: Path) -> Statistics:
    return count_folder(FewsFolder(folder))


def run(*arguments: str) -> Result:
    result = CliRunner().invoke(app, ["stats", *arguments], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result


def test_table_1(found: Statistics) -> None:
    splits = {split.name: split[1:] for split in found.splits}
    # brim.noun has 4 senses, the other words 2; one training example has two targets
    assert splits["train"] == (6, 40, 7, 5, 4, (4 * 4 + 3 * 2) / 7, (4 + 2 + 2 + 2) / 4)
    assert splits["train.ext"] == (8, 49, 9, 7, 4, (5 * 4 + 4 * 2) / 9, 2.5)
    assert splits["overall"] == (12, 67, 13, 9, 4, (7 * 4 + 6 * 2) / 13, 2.5)
    assert splits["dev"] == (2, 9, 2, 2, 1, 4.0, 4.0)
    assert splits["dev.few-shot"] == (1, 4, 1, 1, 1, 4.0, 4.0)
    assert splits["test"] == (2, 9, 2, 2, 2, 2.0, 2.0)


def test_an_illustration_that_is_also_quoted(tmp_path: Path) -> None:
    again = FOLDER[TRAIN].splitlines(keepends=True)[0]
    folder = FewsFolder(write_folder(tmp_path, {**FOLDER, EXTENDED: FOLDER[EXTENDED] + again}))
    assert len(folder.illustrations) == 3
    assert count_folder(folder).splits[0].examples == 13


def test_table_2(found: Statistics) -> None:
    assert {row.name: row.fews for row in found.evaluation} == {
        "dev": 2, "dev.few-shot": 1, "dev.zero-shot": 1, "test": 2, "test.few-shot": 1, "test.zero-shot": 1,
    }  # fmt: skip
    assert {row.framework for row in found.evaluation} == {None}


def test_more_than_three_examples_are_not_few(tmp_path: Path) -> None:
    more = "".join(f"Number {n} of <WSD>brim</WSD>\tbrim.noun.1\n" for n in range(3))
    found = count_folder(FewsFolder(write_folder(tmp_path, {**FOLDER, TRAIN: FOLDER[TRAIN] + more})))
    assert {row.name: row.fews for row in found.evaluation}["dev.few-shot"] == 0


def test_single_figures(found: Statistics) -> None:
    facts = {fact.key: fact.value for fact in found.facts}
    assert facts == {
        "raw_examples": 13,
        "raw_senses": 10,
        "quotations": pytest.approx(100 * 10 / 12),
        "coverage": pytest.approx(100 * 9 / 10),
        "once": pytest.approx(100 * 4 / 5),
        "mean_frequency": 6 / 5,
        "dev_support": 1,
        "dev_support_max": 1,
        "dev_support_ext": 1,
        "dev_support_ext_max": 1,
        "offensive": pytest.approx(100 / 9),
        "internet": 1,
        "semcor_senses": None,
    }
    assert found.frequencies == {1: 4, 2: 1}
    assert found.ambiguity == {2: 3, 4: 1}


def test_monosemous_examples_that_are_in_the_raw_quotations_count_once(tmp_path: Path) -> None:
    both = FOLDER["raw/quotations.txt"] + FOLDER["raw/monosemous.txt"]
    found = count_folder(FewsFolder(write_folder(tmp_path, {**FOLDER, "raw/quotations.txt": both})))
    assert {fact.key: fact.value for fact in found.facts}["raw_examples"] == 13


def test_tags_and_parts(found: Statistics) -> None:
    tags = {tag.tag: (tag.group, tag.senses) for tag in found.tags}
    assert tags["clothing"] == ("topic", 1)
    assert tags["vulgar"] == ("offensive", 1)
    assert tags["UK"] == ("region", 1)
    assert tags["Internet"] == ("internet", 1)
    assert tags["obsolete"] == ("usage", 1)
    assert tags["transitive"] == ("grammar", 1)
    groups = {group.group: group[1:] for group in found.groups}
    assert groups["usage"] == (3, 2)  # obsolete and poetic are tags of one sense
    assert groups["offensive"] == (1, 1)
    assert [tuple(part) for part in found.parts] == [
        ("noun", 6, 4, 1), ("adj", 3, 2, 1), ("verb", 2, 2, 1), ("adv", 1, 1, 1),
    ]  # fmt: skip


def test_tags_are_ranked(tmp_path: Path) -> None:
    found = count_folder(FewsFolder(write_large(tmp_path, words=10)))
    assert [(tag.tag, tag.senses) for tag in found.tags] == [("law", 110), ("slang", 110)]
    assert found.frequencies == {1: 40, 2: 30, 3: 30}


def test_no_inventory(tmp_path: Path) -> None:
    """Sizes can be counted without senses.txt; what needs it is missing, not zero."""
    found = count_folder(FewsFolder(write_folder(tmp_path, {TRAIN: FOLDER[TRAIN]})))
    assert found.splits[1][:6] == ("train", 6, 40, 7, 5, 4)
    assert found.splits[1].ambiguity is None
    facts = {fact.key: fact.value for fact in found.facts}
    assert facts["coverage"] is facts["offensive"] is facts["dev_support"] is facts["raw_examples"] is None
    assert found.ambiguity == {}


# Words


def annotated(*uses: tuple[str, str, str]) -> list[Sentence]:
    return [
        Sentence(f"s{n}", (lemma,), "semeval2007/d0", (Instance(f"i{n}", 0, 1, lemma, pos, (sense,)),))
        for n, (lemma, pos, sense) in enumerate(uses)
    ]


@pytest.fixture
def semcor() -> SenseCorpus:
    uses = [("brim", "n", "brim%1")] * 5 + [
        ("brim", "n", "brim%2"),
        ("brim", "v", "brim%3"),
        ("dull", "a", "d%1"),
    ]
    return count_senses(annotated(*uses))


def test_words(folder: Path, semcor: SenseCorpus) -> None:
    found = count_folder(FewsFolder(folder), semcor=semcor, words=["brim.noun", "brim", "A.B/C d"])
    assert [tuple(usage) for usage in found.usages] == [
        ("brim.noun", "FEWS train", (2, 1), 4),
        ("brim.noun", "SemCor", (5, 1), None),
        ("brim", "FEWS train", (2, 1, 1), 6),
        ("brim", "SemCor", (5, 1, 1), None),
        ("A.B/C d", "FEWS train", (1,), 2),
        ("A.B/C d", "SemCor", (), None),
    ]


def test_words_that_are_chosen_are_in_both(folder: Path, semcor: SenseCorpus) -> None:
    found = count_folder(FewsFolder(folder), semcor=semcor)
    assert [usage.word for usage in found.usages[::2]] == ["brim (n)", "brim (v)", "dull (a)"]
    assert {fact.key: fact.value for fact in found.facts}["semcor_senses"] == 4


def test_a_word_that_is_not_there(folder: Path) -> None:
    there = {
        "lone": "brim.noun, a.b/c d.adv, brim.verb",
        "brim.adj": "brim.noun, brim.verb",
        "dul": "dull.adj",
    }
    for word, known in there.items():
        with pytest.raises(UserError) as error:
            count_folder(FewsFolder(folder), words=[word])
        assert str(error.value) == f"{TRAIN} has no example of '{word}'; words that it has: {known}"
        count_folder(FewsFolder(folder), words=known.split(", "))


def test_the_framework_needs_semcor(folder: Path) -> None:
    with pytest.raises(UserError, match="relative to SemCor"):
        count_folder(FewsFolder(folder), framework=[])


@pytest.mark.shared
def test_the_papers_table_2(folder: Path, shared: Path) -> None:
    """The framework's column, to the digit, from SemCor and the framework themselves."""
    semcor = count_senses(open_corpus(f"semcor:{shared / 'semcor3.0'}"))
    framework = open_corpus(f"framework:{shared / 'wsd_evaluation_framework'}")
    found = count_folder(FewsFolder(folder), semcor=semcor, framework=framework)
    printed = {name: row["framework"] for name, row in published().evaluation.items()}
    assert {row.name: row.framework for row in found.evaluation} == printed
    assert {fact.key: fact.value for fact in found.facts}["semcor_senses"] == 33_362  # "approximately 33,000"
    assert sum(semcor[Word("dull", "a")].values()) == 13


# What the paper prints


def test_the_papers_figures_agree_with_each_other() -> None:
    """Sums and ratios that the text implies; ambiguity only adds up over targets (see the module)."""
    printed = published()
    splits = printed.splits
    for name in ("examples", "tokens", "annotations"):
        parts = sum(splits[split][name] for split in ("train.ext", "dev", "test"))
        assert splits["overall"][name] == parts
        for split in ("dev", "test"):
            assert splits[split][name] == sum(
                splits[f"{split}.{kind}-shot"][name] for kind in ("few", "zero")
            )
    assert splits["overall"]["senses"] == splits["train.ext"]["senses"] + 10_000  # the zero-shot senses
    mean = splits["train"]["examples"] / splits["train"]["senses"]
    assert round(mean, 2) == printed.facts["mean_frequency"]["value"]

    def off(weight: str) -> float:
        total, *parts = (
            splits[s]["ambiguity"] * splits[s][weight] for s in ("overall", "train.ext", "dev", "test")
        )
        rounding = sum(0.005 * splits[s][weight] for s in ("overall", "train.ext", "dev", "test"))
        return abs(total - sum(parts)) / rounding

    assert off("annotations") < 1 < off("examples")


@pytest.mark.shared
def test_every_figure_is_in_the_paper(shared: Path) -> None:
    paper = shared.parent / "papers" / "fews.txt"
    if not paper.is_file():
        pytest.skip(f"no text of the paper at {paper}")
    text = paper.read_text(encoding="utf-8")
    printed = published()
    for row in printed.splits.values():
        line = "\t".join(f"{value:,}" if isinstance(value, int) else f"{value:.2f}" for value in row.values())
        assert line in text
    for each in printed.evaluation.values():
        assert f"\t{each['fews']:,}\t{each['framework']:,}\n" in text
    written = {"internet": "six keywords"}
    for key, fact in printed.facts.items():
        value = fact["value"]
        assert written.get(key, f"{value:,}" if isinstance(value, int) else str(value)) in text


@pytest.mark.parametrize(
    ("tag", "group"),
    [
        *((tag, "offensive") for tag in ("ethnic slurs", "offensive", "vulgar", "derogatory")),  # the paper's
        ("sometimes  Derogatory", "offensive"),
        ("now chiefly UK", "region"),
        ("usually in the plural", "grammar"),
        ("often", "grammar"),
        ("chiefly law", "topic"),
        ("Internet slang", "internet"),
        ("", "topic"),
    ],
)
def test_groups_of_tags(tag: str, group: str) -> None:
    assert tag_group(tag) == group


# The command


def test_the_command_as_text_markdown_and_json(folder: Path) -> None:
    text = run(str(folder)).stdout
    assert "train                    6          40             7        5        4        3.14" in text
    assert "senses that have examples, of all senses of these words, %  90.00" in text
    assert "| published |" not in text
    markdown = run(str(folder), "--format", "markdown").stdout
    assert "| *published* | 121,459 | 3,259,240 | 131,278 | 71,391 | 35,416 | 5.62 |  |" in markdown
    found: Any = json.loads(run(str(folder), "--json").stdout)
    assert found["splits"][1]["examples"] == 6
    assert found["published"]["splits"]["train"]["examples"] == 87_329
    assert {fact["key"]: fact["place"] for fact in found["facts"]}["coverage"] == "Section 3.2"


def test_the_command_as_csv(folder: Path) -> None:
    rows = list(csv.DictReader(io.StringIO(run(str(folder), "--format", "csv").stdout)))
    known = {(row["table"], row["row"], row["quantity"]): (row["value"], row["published"]) for row in rows}
    assert known["splits", "train", "senses"] == ("5", "52928")
    assert known["evaluation", "dev.few-shot", "framework"] == ("", "67")
    assert known["frequencies", "1", "senses"] == ("4", "")
    assert len(known) == len(rows)


def test_files_and_pictures(folder: Path, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    out = tmp_path / "out"
    run(str(folder), "--out", str(out), "--words", "brim, dull")
    pictures = {
        f"{name}.{kind}" for name in ("frequencies", "ambiguity", "words", "tags") for kind in ("svg", "png")
    }
    tables = {f"statistics.{ending}" for ending in ("txt", "md", "csv", "json")}
    assert {path.name for path in out.iterdir()} == pictures | tables
    assert all((out / name).read_bytes()[:4] == b"\x89PNG" for name in pictures if name.endswith("png"))
    drawn = (out / "words.svg").read_text(encoding="utf-8")
    assert "4 examples, 3 of 6 senses" in drawn
    assert "clothing" in (out / "tags.svg").read_text(encoding="utf-8")
    json.loads((out / "statistics.json").read_text(encoding="utf-8"))


def test_without_matplotlib_the_tables_still_come(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    result = run(str(folder), "--out", str(tmp_path / "out"))
    assert "pip install 'uncommonsense[plots]'" in result.stderr
    assert (tmp_path / "out" / "statistics.md").is_file()


@pytest.mark.parametrize("below", ["", "deeper/still"])
def test_a_place_that_is_a_file_is_refused_first(folder: Path, below: str) -> None:
    out = folder / SENSES / below
    done = CliRunner().invoke(app, ["stats", str(folder), "--out", str(out)])
    assert isinstance(done.exception, UserError)
    assert "senses.txt is a file; --out takes a folder, new or existing" in str(done.exception)
    assert done.stdout == ""


def test_an_unknown_format(folder: Path) -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'markdown'"):
        run(str(folder), "--format", "markdwn")


def test_tables_of_nothing(tmp_path: Path) -> None:
    """Only an evaluation file: no training set, no senses."""
    write_folder(tmp_path, {"dev/dev.zero-shot.txt": FOLDER["dev/dev.zero-shot.txt"]})
    assert "Senses of single words" not in run(str(tmp_path)).stdout
    assert SENSES not in {path.name for path in tmp_path.iterdir()}
