"""From a dump to a folder: its files, its bytes, what happens when it is stopped, and what is refused."""

from __future__ import annotations

import bz2
import gzip
import json
import re
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from invented_entries import WORDS, entries, write_dump, write_kaikki
from typer.testing import CliRunner, Result

from uncommonsense.cli.fews import app
from uncommonsense.corpora import load_corpus
from uncommonsense.corpora.fews import read
from uncommonsense.errors import UncommonSenseError, UserError
from uncommonsense.fews import work
from uncommonsense.fews.build import build
from uncommonsense.fews.check import check_folder
from uncommonsense.fews.folder import FewsFolder
from uncommonsense.fews.layout import EVALUATION, EXTENDED, RAW, SENSES, TRAIN, lines_of, pieces_of
from uncommonsense.fews.selection import Rules
from uncommonsense.fews.splits import Size
from uncommonsense.inventories.fews import open_fews

SIZES: dict[str, Any] = {"dev": Size(4), "test": Size(6)}


@pytest.fixture(scope="module")
def dump(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_dump(tmp_path_factory.mktemp("dump") / "enwiktionary-20200101-pages-articles.xml.bz2")


@pytest.fixture(scope="module")
def built(dump: Path) -> Path:
    folder = dump.with_name("fews")
    build(dump, folder, workers=1, **SIZES)
    return folder


def bytes_of(folder: Path) -> dict[str, bytes]:
    return {str(file.relative_to(folder)): file.read_bytes() for file in folder.rglob("*") if file.is_file()}


def examples(folder: Path, *files: str) -> list[tuple[str, str]]:
    """Texts without their marks, and senses."""
    return [
        ("".join(pieces_of(line.text)), line.sense) for file in files for _, line in lines_of(folder / file)
    ]


# What is in the folder


def test_the_layout(built: Path) -> None:
    texts = {TRAIN, EXTENDED, SENSES, *EVALUATION.values(), *RAW.values()}
    named = {name for name in bytes_of(built) if not name.startswith("parquet/")}
    assert named == texts | {"README.md", "LICENSE.txt", "build.json"}
    for name in texts:
        text = (built / name).read_bytes().decode()
        assert text.endswith("\n")
        assert "\r" not in text


def test_each_file_has_what_the_dictionary_says(built: Path) -> None:
    uses = [
        (entry, sense, use) for entry in entries() for sense in entry.definitions for use in sense.examples
    ]
    expected = Counter(
        "monosemous" if entry.pos == "verb" else "quotations" if use.kind == "quotation" else "examples"
        for entry, _, use in uses
    )
    assert {name: len(list(lines_of(built / file))) for name, file in RAW.items()} == expected
    quoted = (built / RAW["quotations"]).read_text(encoding="utf-8").splitlines()
    text = "On day 0 of 0 the <WSD>blick</WSD> number 1 came home with two <WSD>blicks</WSD>."
    assert quoted[0] == f"{text}\tblick.noun.1\t1900, Ann Onym, Book 1"
    assert (built / RAW["examples"]).read_text(encoding="utf-8").splitlines()[0] == (
        "a very small <WSD>blick</WSD> 1\tblick.noun.1"
    )
    block = (built / SENSES).read_text(encoding="utf-8").split("\n\n")[0]
    assert block.splitlines() == [
        "sense_id:\tblick.noun.0",
        "word:\tblick",
        "gloss:\tMeaning 0 of blick.",
        "tags:\tinformal",
        "depth:\t1",
        "synonyms:\t",
    ]


def test_no_quotation_is_lost_or_doubled(built: Path) -> None:
    split = examples(built, TRAIN, *EVALUATION.values())
    assert len(split) == len(set(split))
    assert sorted(split) == sorted(examples(built, RAW["quotations"]))


def test_the_splits(built: Path) -> None:
    senses = {name: [sense for _, sense in examples(built, file)] for name, file in EVALUATION.items()}
    assert {name: len(found) for name, found in senses.items()} == {
        "dev.few-shot": 2, "dev.zero-shot": 2, "test.few-shot": 3, "test.zero-shot": 3,
    }  # fmt: skip
    every = [sense for found in senses.values() for sense in found]
    assert len(every) == len(set(every))
    train = {sense for _, sense in examples(built, TRAIN)}
    extended = {sense for _, sense in examples(built, EXTENDED)}
    zero = {*senses["dev.zero-shot"], *senses["test.zero-shot"]}
    assert zero.isdisjoint(extended)
    assert {*senses["dev.few-shot"], *senses["test.few-shot"]} <= train
    shown = [each for each in examples(built, RAW["examples"]) if each[1] not in zero]
    assert len(shown) < len(examples(built, RAW["examples"]))
    assert examples(built, EXTENDED) == examples(built, TRAIN) + shown
    assert all(
        line.text.count("<WSD>") == 1 for file in EVALUATION.values() for _, line in lines_of(built / file)
    )


def test_an_independent_check_finds_nothing(built: Path) -> None:
    report = check_folder(FewsFolder(built))
    assert [each for each in report.outcomes if each.status != "passed"] == []


def test_our_readers_read_it(built: Path) -> None:
    inventory = open_fews(built)
    sense = inventory.sense("loo_pin.noun.3")
    assert (sense.lemmas, sense.gloss) == (("loo pin",), "Meaning 3 of loo pin.")
    assert len(inventory.candidates("loo_pin", "n")) == 4
    for sentence in read(built, train="ext"):
        for instance in sentence.instances:
            assert set(instance.senses) <= set(inventory.candidates(instance.lemma, instance.pos))


@pytest.mark.parametrize("name", ["train", "train.ext", *EVALUATION])
def test_the_tables_are_the_same_data(built: Path, name: str) -> None:
    table = load_corpus(f"parquet:{built / 'parquet' / name}")
    file = built / (EVALUATION.get(name) or f"train/{name}.txt")
    text = load_corpus(f"fews:{file}")
    assert table.sentences.equals(text.sentences)
    assert table.instances.equals(text.instances)


def test_the_table_of_senses(built: Path) -> None:
    table = pq.read_table(built / "parquet" / "senses.parquet").to_pylist()
    assert [row["sense_id"] for row in table] == list(open_fews(built).senses())
    assert table[0] == {
        "sense_id": "blick.noun.0", "word": "blick", "pos": "noun", "gloss": "Meaning 0 of blick.",
        "tags": ["informal"], "depth": 1, "synonyms": [],
    }  # fmt: skip


@pytest.mark.filterwarnings("default")
def test_other_libraries_read_the_tables(built: Path, tmp_path: Path) -> None:
    """``datasets`` finds the splits in the head of the card."""
    datasets = pytest.importorskip("datasets")
    loaded = datasets.load_dataset(str(built), cache_dir=str(tmp_path))
    assert loaded["dev_zero_shot"].num_rows == 2
    assert loaded["train"][0]["instances"][0]["senses"] == [next(lines_of(built / TRAIN))[1].sense]
    assert (
        datasets.load_dataset(str(built), "senses", cache_dir=str(tmp_path))["senses"].num_rows
        == 4 * len(WORDS) + 3
    )


def test_the_card_says_what_was_done(built: Path, dump: Path) -> None:
    card, licence = ((built / name).read_text(encoding="utf-8") for name in ("README.md", "LICENSE.txt"))
    manifest = json.loads((built / "build.json").read_text(encoding="utf-8"))
    assert manifest["dump"]["file"] == dump.name
    assert manifest["dump"]["date"] == "2020-01-01"
    assert len(manifest["dump"]["sha256"]) == 64
    assert manifest["dump"]["sha256"] in card
    assert manifest["options"]["minimum_words"] == 3
    for file, lines in manifest["files"].items():
        assert f"| {file} | {lines:,} |" in card
        if file != SENSES:
            assert len(list(lines_of(built / file))) == lines
    assert "left out of train.ext" in card
    for text in (card, licence):
        assert "CC BY-SA 3.0" in text
        assert "GFDL" in text
        assert "https://en.wiktionary.org/wiki/WORD" in text


@pytest.mark.parametrize(
    ("name", "latest", "licence", "said"),
    [
        (
            "dump.xml",
            "2023-06-06",
            "3.0",
            "newest text is of 2023-06-06; Wiktionary went over to CC BY-SA 4.0",
        ),
        ("dump-20240101.xml", "2020-01-01", "3.0", "newest text is of 2020-01-01"),
        ("dump.xml", "2023-06-07", "4.0", "Until 2023-06-07 it was under CC BY-SA 3.0"),
        ("dump-20200101.xml", "", "3.0", "newest text is of 2020-01-01"),
        ("dump.xml", "", "4.0", "if that is before 2023-06-07, CC BY-SA 3.0 holds"),
    ],
)
def test_the_licence_is_that_of_the_newest_text(
    tmp_path: Path, name: str, latest: str, licence: str, said: str
) -> None:
    dump = write_dump(tmp_path / name)
    text = dump.read_text(encoding="utf-8")
    timestamp = f"<timestamp>{latest}T00:00:00Z" if latest else "<timestamp>"
    dump.write_text(text.replace("<timestamp>2020-01-01T00:00:00Z", timestamp), encoding="utf-8")
    build(dump, tmp_path / "out", workers=1)
    card, legal = (
        (tmp_path / "out" / file).read_text(encoding="utf-8") for file in ("README.md", "LICENSE.txt")
    )
    assert card.startswith(f"---\nlicense: cc-by-sa-{licence}\n")
    assert said in card
    assert said in legal


# Damage


def damaged(folder: Path, ending: str) -> Path:
    """A dump cut in the middle of a page, in one of the ways that it may be stored."""
    path = folder / f"dump.xml{ending}"
    text = write_dump(folder / "whole.xml", copies=9).read_bytes()
    if ending == ".gz":
        packed = gzip.compress(text)
        path.write_bytes(packed[: len(packed) * 3 // 4])
    elif ending == ".bz2":
        path.write_bytes(bz2.compress(text[: len(text) // 2]) + bz2.compress(text[len(text) // 2 :])[:-30])
    else:
        path.write_bytes(text[: text.rindex(b"</text>")])
    return path


@pytest.mark.parametrize(
    ("ending", "flaw"),
    [
        ("", r"page cut off .* \(1, first at byte \d+\)"),
        (".bz2", r"damaged part of the file \(1, first at byte \d+\)"),
        (".gz", r"damaged part of the file \(1, first at byte \d+ of the unpacked text\)"),
    ],
)
def test_damage_is_told(tmp_path: Path, ending: str, flaw: str) -> None:
    said = f"{flaw}; what is whole was read; the data set is incomplete"
    done = run(damaged(tmp_path, ending), "-o", tmp_path / "out", "--workers", 1, "--json")
    assert done.exit_code == 0, done.output
    assert re.search(f"^warning: {said}$", done.stderr, re.MULTILINE)
    assert any(re.fullmatch(said, each) for each in json.loads(done.stdout)["remarks"])
    assert re.search(f"^{said}$", (tmp_path / "out" / "README.md").read_text(encoding="utf-8"), re.MULTILINE)


def test_every_kind_of_damage_is_counted_with_its_first_place(tmp_path: Path) -> None:
    dump = write_dump(tmp_path / "dump.xml")
    text = dump.read_bytes().replace(b"Meaning 1 of dax", b"Meaning \xff of dax")
    pages = b"<page>" + text.split(b"<page>")[2].replace(b"<title>", b"<tilte>")
    place = text.index(b"</mediawiki>")
    dump.write_bytes(text.replace(b"</mediawiki>", pages * 2 + b"</mediawiki>"))
    warned: list[str] = []
    build(dump, tmp_path / "out", workers=1, warn=warned.append)
    assert len(warned) == 2
    assert f"page without a title or a text (2, first at byte {place}); what is whole" in "\n".join(warned)
    spoiled = text.rindex(b"<page>", 0, text.index(b"\xff"))
    assert f"not UTF-8 (1, first at byte {spoiled}); those bytes were replaced" in "\n".join(warned)


def test_damage_counts_once_if_the_build_was_stopped(
    tmp_path: Path, stop_after: Callable[[int], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("uncommonsense.wiktionary.workers.CHUNK_SIZE", 2000)
    text = write_dump(tmp_path / "dump.xml", copies=3).read_bytes()
    for ending, pack in ((".xml", bytes), (".xml.gz", gzip.compress)):
        dump, out = tmp_path / f"odd{ending}", tmp_path / f"out{ending}"
        dump.write_bytes(pack(text.replace(b"<title>dax</title>", b"")))
        stop_after(5)
        with pytest.raises(StoppedError):
            build(dump, out, workers=1)
        stop_after(0)
        warned: list[str] = []
        build(dump, out, workers=1, warn=warned.append)
        (told,) = warned
        assert told.startswith("page without a title or a text (1, first at byte ")


def test_lines_of_wiktextract_that_are_damaged(tmp_path: Path) -> None:
    source = write_kaikki(tmp_path / "words.jsonl")
    lines = source.read_text(encoding="utf-8").splitlines()
    lines[3] = lines[3][:50]
    source.write_text("\n".join([*lines, lines[-1][:-9], "[]"]), encoding="utf-8")
    warned: list[str] = []
    build(source, tmp_path / "out", warn=warned.append)
    assert warned[0].startswith(
        "line without an entry: not JSON (2, first at line 4); what is whole was read"
    )
    assert f"expected an object (1, first at line {len(lines) + 2})" in warned[1]


def test_what_is_whole_has_no_warning(dump: Path, tmp_path: Path) -> None:
    warned: list[str] = []
    build(dump, tmp_path / "out", workers=1, warn=warned.append, **SIZES)
    assert warned == []


# The same bytes


def test_the_same_seed_gives_the_same_bytes(built: Path, dump: Path, tmp_path: Path) -> None:
    build(dump, tmp_path / "two", workers=2, **SIZES)
    assert bytes_of(tmp_path / "two") == bytes_of(built)
    build(dump, tmp_path / "other", workers=1, seed=1, **SIZES)
    differ = {name for name, text in bytes_of(tmp_path / "other").items() if text != bytes_of(built)[name]}
    assert {TRAIN, EVALUATION["dev.few-shot"], EVALUATION["test.zero-shot"]} <= differ
    assert differ.isdisjoint({SENSES, *RAW.values()})


def test_the_same_words_from_wiktextract(built: Path, tmp_path: Path) -> None:
    source = write_kaikki(tmp_path / "words.jsonl")
    manifest = build(source, tmp_path / "out", **SIZES)
    assert manifest["options"]["source"] == "kaikki"
    assert len(examples(tmp_path / "out", RAW["quotations"])) == len(examples(built, RAW["quotations"]))
    assert open_fews(tmp_path / "out").sense("wug.noun.0").lemmas == ("wug", "wuglet")
    assert check_folder(FewsFolder(tmp_path / "out")).ok


# StoppedError and continued


class StoppedError(Exception):
    pass


@pytest.fixture
def chunked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A dump of many chunks."""
    from uncommonsense.wiktionary import workers

    monkeypatch.setattr(workers, "CHUNK_SIZE", 2000)
    return write_dump(tmp_path / "dump.xml", copies=3)


@pytest.fixture
def stop_after(monkeypatch: pytest.MonkeyPatch) -> Callable[[int], None]:
    """Make builds stop when so many chunks are written; 0: never."""
    add = work.WorkFolder.add

    def stop(number: int) -> None:
        left = iter(range(number))

        def stopping(self: work.WorkFolder, chunk: int, packed: bytes) -> None:
            if number and next(left, None) is None:
                raise StoppedError
            add(self, chunk, packed)

        monkeypatch.setattr(work.WorkFolder, "add", stopping)

    return stop


def test_a_build_that_was_stopped_goes_on(
    chunked: Path, tmp_path: Path, stop_after: Callable[[int], None]
) -> None:
    build(chunked, tmp_path / "whole", workers=1)
    for number in (1, 7):
        stop_after(number)
        with pytest.raises(StoppedError):
            build(chunked, tmp_path / "out", workers=1)
        assert not (tmp_path / "out").exists()
    assert len(list((tmp_path / "out.partial" / "chunks").iterdir())) == 8
    stop_after(0)
    told: list[str] = []
    build(chunked, tmp_path / "out", workers=1, tell=told.append)
    assert "going on" in told[0]
    assert bytes_of(tmp_path / "out") == bytes_of(tmp_path / "whole")
    assert not (tmp_path / "out.partial").exists()


def test_other_options_do_not_go_on(chunked: Path, tmp_path: Path, stop_after: Callable[[int], None]) -> None:
    stop_after(3)
    with pytest.raises(StoppedError):
        build(chunked, tmp_path / "out", workers=1)
    stop_after(0)
    with pytest.raises(UserError, match=r"other options: minimum_words 3 \(now 5\)\. .*--force"):
        build(chunked, tmp_path / "out", workers=1, rules=Rules(5))
    build(chunked, tmp_path / "out", workers=1, rules=Rules(5), force=True)
    build(chunked, tmp_path / "straight", workers=1, rules=Rules(5))
    assert bytes_of(tmp_path / "out") == bytes_of(tmp_path / "straight")


def test_sizes_can_be_corrected_without_parsing_again(
    dump: Path, tmp_path: Path, stop_after: Callable[[int], None]
) -> None:
    with pytest.raises(UserError, match="500 examples for dev"):
        build(dump, tmp_path / "out", workers=1, dev=Size(500))
    stop_after(1)
    next_to_nothing = Size(2)
    build(dump, tmp_path / "out", workers=1, dev=next_to_nothing, test=next_to_nothing)  # no chunk is written


def test_one_build_at_a_time(dump: Path, tmp_path: Path) -> None:
    place = work.WorkFolder(tmp_path / "out")
    with place.opened({}, force=False), pytest.raises(UserError, match="another build is at work"):
        build(dump, tmp_path / "out", workers=1)


# What is there is kept


def test_a_folder_of_somebody_else_is_no_work_folder(dump: Path, tmp_path: Path) -> None:
    (tmp_path / "out.partial").mkdir()
    (tmp_path / "out.partial" / "mine.txt").touch()
    with pytest.raises(UserError, match=r"out\.partial has other things in it"):
        build(dump, tmp_path / "out", workers=1, force=True)
    assert (tmp_path / "out.partial" / "mine.txt").exists()


def test_a_folder_is_replaced_only_on_request(dump: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    build(dump, out, workers=1)
    with pytest.raises(UserError, match=r"exists already.*--force"):
        build(dump, out, workers=1, seed=1)
    before = (out / TRAIN).read_bytes()
    build(dump, out, workers=1, seed=1, force=True)
    assert (out / TRAIN).read_bytes() != before
    for mine in (out / "notes.txt", out / "train" / "mine.txt"):
        mine.write_text("mine")
        with pytest.raises(UserError, match=f"{re.escape(str(mine))} is nothing that this command wrote"):
            build(dump, out, workers=1, force=True)
        assert mine.exists()
        mine.unlink()


def test_a_file_without_a_line_is_neither_written_nor_listed(dump: Path, tmp_path: Path) -> None:
    manifest = build(dump, tmp_path / "out", workers=1, dev=Size(2), test=Size(0))
    assert {"test/test.few-shot.txt", "test/test.zero-shot.txt"}.isdisjoint(manifest["files"])
    assert not (tmp_path / "out" / "test").exists()
    assert all((tmp_path / "out" / file).is_file() for file in manifest["files"])


def test_an_empty_folder_may_be_there(dump: Path, tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    build(dump, tmp_path / "out", workers=1)
    assert (tmp_path / "out" / TRAIN).exists()


def test_a_word_that_comes_twice_counts_once(tmp_path: Path) -> None:
    dump = write_dump(tmp_path / "dump.xml")
    text = dump.read_text(encoding="utf-8")
    page = text[text.index("<page>") : text.index("</page>") + 8]
    dump.write_text(text.replace("</mediawiki>", page + "</mediawiki>"), encoding="utf-8")
    manifest = build(dump, tmp_path / "out", workers=1)
    assert manifest["dropped"]["headword: met before"] == 1
    assert len(list(open_fews(tmp_path / "out").senses())) == 4 * len(WORDS) + 3


# On the command line


def run(*arguments: object) -> Result:
    return CliRunner().invoke(app, ["build", *map(str, arguments)])


def test_the_command(dump: Path, tmp_path: Path) -> None:
    done = run(dump, "--out", tmp_path / "out", "--workers", 1, "--dev", "10%", "--test", 2)
    assert done.exit_code == 0, done.output
    assert f"{tmp_path / 'out' / EVALUATION['dev.few-shot']}\t" in done.stdout
    assert f"Next: uncommonsense fews check {tmp_path / 'out'}" in done.stderr
    done = run(dump, "--out", tmp_path / "json", "--workers", 1, "--json")
    found = json.loads(done.stdout)
    assert found["options"]["seed"] == 0
    assert found["files"][SENSES] == 4 * len(WORDS) + 3
    assert "instead of 10,000 examples" in done.stderr
    done = run(dump, "--out", tmp_path / "my data", "--workers", 1)
    assert f"Next: uncommonsense fews check '{tmp_path / 'my data'}'" in done.stderr


def test_all_parts_of_speech(tmp_path: Path) -> None:
    dump = write_dump(tmp_path / "dump.xml")
    dump.write_text(
        dump.read_text(encoding="utf-8").replace("===Noun===", "===Proper noun==="), encoding="utf-8"
    )
    build(dump, tmp_path / "out", workers=1, all_parts=True)
    assert "dax.proper_noun.1" in open_fews(tmp_path / "out")
    corpus = load_corpus(f"parquet:{tmp_path / 'out' / 'parquet' / 'train'}")
    assert set(corpus.instances["pos"].to_pylist()) == {"x"}
    assert len(load_corpus(f"fews:{tmp_path / 'out'}")) > len(corpus)


def mistakes(dump: Path, folder: Path) -> Iterator[tuple[list[object], str]]:
    text, full = folder / "text.txt", folder / "full"
    text.write_text("Just some text")
    full.mkdir()
    (full / "something").touch()
    yield [folder / "no.xml", "-o", folder / "o"], "no.xml: no such file"
    yield [folder, "-o", folder / "o"], "not a file"
    yield [text, "-o", folder / "o"], "begins with b'Just some text'; expected <mediawiki"
    yield [text, "-o", folder / "o", "--source", "kaikki"], "no wiktextract entry"
    yield [text, "-o", folder / "o", "--source", "dump"], "not a MediaWiki dump"
    yield [dump, "-o", folder / "o", "--source", "kaiki"], "did you mean 'kaikki'"
    yield [dump, "-o", folder / "o", "--edition", "xx"], "unknown Wiktionary edition 'xx'"
    yield [dump, "-o", folder / "o", "--language", "Klingon"], "(--language)"
    yield [dump, "-o", folder / "o", "--dev", "many"], "--dev takes a number"
    yield [dump, "-o", folder / "o", "--test", "40%"], "ask for --dev"
    yield [dump, "-o", full], "exists already; choose another name"
    yield [dump, "-o", full, "--force"], "will not be overwritten"
    yield [dump, "-o", text], "exists already"
    yield [dump, "-o", text, "--force"], "will not be overwritten"
    yield [dump, "-o", text / "below"], "cannot write to"


def test_mistakes_can_be_corrected(dump: Path, tmp_path: Path) -> None:
    for arguments, message in mistakes(dump, tmp_path):
        done = run(*arguments, "--workers", 1)
        assert isinstance(done.exception, UncommonSenseError), (arguments, done.output)
        assert done.exception.exit_code == 2
        assert message in str(done.exception)
        assert not (tmp_path / "o").exists()
    for option in (
        ("--seed", "-1"),
        ("--seed", "x"),
        ("--minimum-words", "0"),
        ("--similarity", "2"),
        ("--workers", "0"),
    ):
        assert run(dump, "-o", tmp_path / "o", *option).exit_code == 2


@pytest.mark.parametrize("method", ["exists", "mkdir"])
def test_a_place_without_permission(
    dump: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, method: str
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, method, refuse)
    with pytest.raises(
        UserError, match=r"cannot write to .*: Permission denied; choose another place with --out"
    ):
        build(dump, tmp_path / "out", workers=1)


# A real dump


@pytest.mark.shared
def test_a_sample_of_the_real_dump(shared: Path, tmp_path: Path) -> None:
    manifest = build(shared / "wiktionary" / "test-pages-articles.xml.bz2", tmp_path / "out", workers=1)
    files = manifest["files"]
    assert files[RAW["quotations"]] > 1500
    assert files[RAW["examples"]] > 1000
    assert files[EVALUATION["dev.zero-shot"]] == files[EVALUATION["test.few-shot"]] > 80
    failed = [
        each.name for each in check_folder(FewsFolder(tmp_path / "out")).outcomes if each.status == "failed"
    ]
    assert set(failed) <= {"forms"}  # old letters: the check does not fold ſ
    free = open_fews(tmp_path / "out").sense("free.adjective.0")
    assert free.gloss
    assert all(line.attribution for _, line in list(lines_of(tmp_path / "out" / RAW["quotations"]))[:20])
