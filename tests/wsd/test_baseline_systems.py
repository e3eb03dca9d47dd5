"""First sense, most frequent sense, Lesk and Lesk with vectors; their figures on the official data."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from invented_wsd import asked_text, corpus_of, inventory, training_text

from running import require
from uncommonsense.corpora import load_corpus
from uncommonsense.errors import MalformedInputError, UnknownNameError, UserError
from uncommonsense.inventories import open_inventory
from uncommonsense.schema import Corpus
from uncommonsense.wsd.first_sense import FirstSense
from uncommonsense.wsd.lesk import Lesk, LeskExamples, LeskExtended
from uncommonsense.wsd.lesk_vectors import LeskVectors
from uncommonsense.wsd.most_frequent import MostFrequentSense
from uncommonsense.wsd.registry import (
    SYSTEMS,
    describe,
    load_system,
    make_system,
    parse_options,
    system_class,
)
from uncommonsense.wsd.saved import read_about, save_system
from uncommonsense.wsd.scoring import score
from uncommonsense.wsd.slices import plain_slices, training_slices
from uncommonsense.wsd.static_vectors import open_vectors, read_vectors
from uncommonsense.wsd.words import STOP_WORDS, content_words, stem

FIRST = ["pitch%1:01:00::", "pitch%1:01:00::", "pitch%2:01:00::", "row%1:01:00::", "tuba%1:01:00::"]


def answers(system: object, corpus: Corpus | None = None) -> list[str | None]:
    return system.predict(corpus or asked_text()).answers()  # type: ignore[attr-defined]


# Systems


def test_first_sense() -> None:
    assert answers(FirstSense(inventory())) == FIRST
    unknown = corpus_of((("A [zebra].", "zebra", "n", ("zebra",)),), name="x")
    assert answers(FirstSense(inventory()), unknown) == [None]


def test_most_frequent_sense() -> None:
    """The field is seen twice; the senses of row equally often; pitch (v) and tuba not at all."""
    system = MostFrequentSense(inventory()).fit(training_text())
    field = "pitch%1:02:00::"
    assert answers(system) == [field, field, "pitch%2:01:00::", "row%1:01:00::", "tuba%1:01:00::"]
    silent = MostFrequentSense(inventory(), back_off="none").fit(training_text())
    assert answers(silent) == [field, field, None, "row%1:01:00::", None]


def test_mfs_needs_a_corpus() -> None:
    with pytest.raises(UserError, match="fit it on a corpus"):
        answers(MostFrequentSense(inventory()))
    with pytest.raises(UserError, match="no annotated senses"):
        MostFrequentSense(inventory()).fit(corpus_of((("A [row].", "row", "n", ()),), name="bare"))
    with pytest.raises(UnknownNameError, match="first-sense, none"):
        MostFrequentSense(inventory(), back_off="random")


def test_mfs_is_saved(tmp_path: Path) -> None:
    system = MostFrequentSense(inventory(), back_off="none").fit(training_text())
    folder = tmp_path / "mfs"
    save_system(system, folder)
    about = read_about(folder)
    assert (about["system"], about["corpus"], about["inventory"]) == ("mfs", "training", "invented")
    assert about["versions"]["uncommonsense"]
    loaded = load_system(folder, inventory())
    assert answers(loaded) == answers(system)
    with pytest.raises(UserError, match="saved system already"):
        save_system(system, folder)
    save_system(MostFrequentSense(inventory()).fit(training_text()), folder, overwrite=True)
    assert None not in answers(load_system(folder, inventory()))
    with pytest.raises(UserError, match="fitted for the inventory 'invented'"):
        load_system(folder, open_inventory("sampler"))


def test_damaged_folders(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="wsd fit NAME"):
        load_system(tmp_path, inventory())
    (tmp_path / "system.json").write_text('{\n"system": "mfs",', encoding="utf-8")
    with pytest.raises(MalformedInputError, match=r"system\.json:2: not JSON"):
        load_system(tmp_path, inventory())
    (tmp_path / "system.json").write_text('{"system": "mfs"}', encoding="utf-8")
    with pytest.raises(UserError, match=r"counts\.parquet: no such file"):
        load_system(tmp_path, inventory())
    (tmp_path / "notes.txt").write_text("mine", encoding="utf-8")
    (tmp_path / "system.json").unlink()
    with pytest.raises(UserError, match="will not be overwritten"):
        save_system(MostFrequentSense(inventory()).fit(training_text()), tmp_path, overwrite=True)


def test_lesk_counts_words_in_common() -> None:
    """`games` and `played`; `black` and `sticky`; `noisy`; nothing for a tuba, which has one sense."""
    found = ["pitch%1:02:00::", "pitch%1:03:00::", "pitch%2:01:00::", "row%1:02:00::", "tuba%1:01:00::"]
    system = Lesk(inventory())
    assert answers(system) == found
    predictions = system.predict(asked_text())
    assert predictions.scores[:3].tolist() == [0, 2, 0]
    assert predictions.scores[3:6].tolist() == [0, 0, 2]


def test_lesk_knows_ties_examples_and_windows() -> None:
    text = corpus_of(
        (
            ("A [row] about money?", "row", "n", ("row%1:02:00::",)),
            ("Noisy people stood near us in the [row].", "row", "n", ("row%1:02:00::",)),
            ("The [row] [was] long.".replace("[was]", "was"), "row", "n", ("row%1:01:00::",)),
        ),
        name="rows",
    )
    first, second = "row%1:01:00::", "row%1:02:00::"
    assert answers(Lesk(inventory()), text) == [first, second, first]
    assert answers(LeskExamples(inventory()), text) == [second, second, first]
    assert answers(Lesk(inventory(), window=2), text) == [first, first, first]
    with pytest.raises(UserError, match="window must be at least 0"):
        Lesk(inventory(), window=-1)


def test_lesk_leaves_the_target_out() -> None:
    """`field` in the definition of the second sense is no evidence for `field` itself."""
    system = Lesk(inventory())
    text = corpus_of((("A [field] is a field.", "pitch", "n", ("pitch%1:01:00::",)),), name="x")
    assert answers(system, text) == ["pitch%1:01:00::"]


def test_idf_prefers_rare_words() -> None:
    system = Lesk(inventory(), idf=True)
    predictions = system.predict(asked_text())
    games = np.log(7 / 1)  # in one of seven definitions
    assert predictions.scores[1] == pytest.approx(2 * games)


def test_words() -> None:
    assert content_words("The well-known dogs' 3 owners didn't run_away!") == [
        "known", "dogs", "owners", "run",
    ]  # fmt: skip
    assert stem("ponies") == stem("pony")
    for forms in (("play", "plays", "played", "playing"), ("make", "makes", "making"), ("stop", "stopped")):
        assert len(set(map(stem, forms))) == 1, forms
    assert stem("glass") == "glass"
    assert stem("bus") == "bus"
    assert {"the", "of", "would"} < STOP_WORDS
    with pytest.raises(UnknownNameError, match="form, lemma, stem"):
        Lesk(inventory(), words="letters")
    with pytest.raises(UserError, match="knows no base forms"):
        Lesk(inventory(), words="lemma")


# Vectors

GLOVE = "field 1 0 0\nsound 0 1 0\nboat 0 0 1\nsticky 0 0 2\ngames 1 0.1 0\nlow 0 1 0\n. . . 0.5 0.5 0.5\n"


def write(path: Path, text: str) -> Path:
    if path.suffix == ".gz":
        path.write_bytes(gzip.compress(text.encode()))
    else:
        path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize("name", ["g.txt", "g.txt.gz"])
@pytest.mark.parametrize("header", ["", "7 3\n"])
def test_vectors_of_text_files(tmp_path: Path, name: str, header: str) -> None:
    vectors = read_vectors(write(tmp_path / name, header + GLOVE))
    assert (len(vectors.rows), vectors.dim, vectors.name) == (7, 3, "g")
    assert vectors.matrix.dtype == np.float32
    assert vectors.matrix[vectors.rows["games"]] == pytest.approx([1, 0.1, 0])
    assert vectors.matrix[vectors.rows[". . ."]].tolist() == [0.5, 0.5, 0.5]
    assert vectors.find(["sound", "zebra"]).tolist() == [1, -1]
    assert list(read_vectors(tmp_path / name, limit=2).rows) == ["field", "sound"]


def test_a_word_that_comes_twice_keeps_its_first_vector(tmp_path: Path) -> None:
    vectors = read_vectors(write(tmp_path / "g.txt", "a 1 2\nb 3 4\nb 0 0\na 5 6\nc 7 8\n"))
    assert vectors.matrix.tolist() == [[1, 2], [3, 4], [7, 8]]
    assert vectors.rows == {"a": 0, "b": 1, "c": 2}


def test_a_space_of_another_kind_may_be_a_word(tmp_path: Path) -> None:
    vectors = read_vectors(write(tmp_path / "g.txt", "a 1 2 \n\u00a0 3 4 \n"))
    assert vectors.rows == {"a": 0, "\u00a0": 1}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a 1 2 3\nb 1 2\n", r"g\.txt:2: 2 numbers after the word, expected 3"),
        ("a 1 2 3\nb 1 2 3\nc 1 x 3\n", r"g\.txt:3: the vector of 'c' has something that is no number"),
        ("a 1 2 3\nb 1 nan 3\n", r"g\.txt:2: the vector of 'b'"),
        ("just words\n", r"g\.txt:1: not word vectors"),
        ("9 3\na 1 2 3\n", r"g\.txt: 1 words, but the first line promises 9"),
        ("9 3\n", r"g\.txt:2: no vectors"),
        ("", r"g\.txt:1: the file is empty"),
    ],
)
def test_malformed_vectors(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(MalformedInputError, match=message):
        read_vectors(write(tmp_path / "g.txt", text))


def test_the_resource_glove(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pq.write_table(pa.table({"index": ["the", "cat"]}), tmp_path / "glove_6B_index.parquet")
    np.save(tmp_path / "glove_6B_50d_emb.npy", np.ones((2, 50), np.float32))
    monkeypatch.setattr("uncommonsense.resources.path", lambda _: tmp_path)
    vectors = open_vectors()
    assert (vectors.dim, vectors.rows) == (50, {"the": 0, "cat": 1})
    np.save(tmp_path / "glove_6B_50d_emb.npy", np.ones((3, 50), np.float32))
    with pytest.raises(UserError, match="3 vectors for the 2 words"):
        open_vectors()


def test_lesk_with_vectors(tmp_path: Path) -> None:
    path = write(tmp_path / "g.txt", GLOVE)
    system = LeskVectors(inventory(), vectors=str(path))
    found = ["pitch%1:02:00::", "pitch%1:03:00::", "pitch%2:01:00::", "row%1:01:00::", "tuba%1:01:00::"]
    assert answers(system) == found
    known, all_words = system.coverage
    assert 0 < known < all_words
    weighted = LeskVectors(inventory(), vectors=str(path), idf=True)
    assert answers(weighted) == found


def test_cosines_are_those_of_the_sums(tmp_path: Path) -> None:
    path = write(tmp_path / "g.txt", GLOVE)
    text = corpus_of((("Low games on a [pitch].", "pitch", "n", ("pitch%1:02:00::",)),), name="x")
    scores = LeskVectors(inventory(), vectors=str(path)).predict(text).scores
    context = np.array([1, 1.1, 0])
    definition = np.array([2, 0.1, 0])  # field, games; `played` has no vector
    expected = context @ definition / np.linalg.norm(context) / np.linalg.norm(definition)
    assert scores[1] == pytest.approx(expected)
    assert scores[2] == pytest.approx(0)  # sticky


# The registry


def test_every_system_has_its_name_and_a_description() -> None:
    for name in SYSTEMS:
        assert system_class(name).name == name
        assert describe(name).description


def test_what_systems_need() -> None:
    assert not describe("lesk").learns
    assert describe("mfs").learns
    assert describe("mfs").quick_to_fit
    assert describe("lesk").options == {"words": "stem", "window": 0, "idf": False}


def test_options() -> None:
    assert parse_options("lesk", ["idf=yes", "window=3", "words=form"]) == {
        "idf": True, "window": 3, "words": "form",
    }  # fmt: skip
    assert make_system("lesk", inventory(), window=3).window == 3  # type: ignore[attr-defined]
    for texts, message in (
        (["window=many"], "whole number"),
        (["idf=perhaps"], "true or false"),
        (["depth=3"], "'depth'"),
        (["window"], "key=value"),
    ):
        with pytest.raises(UserError, match=message):
            parse_options("lesk", texts)
    with pytest.raises(UnknownNameError, match="takes none"):
        make_system("first-sense", inventory(), depth=3)
    with pytest.raises(UnknownNameError, match="did you mean 'lesk'"):
        make_system("lesc", inventory())


# Official data


@pytest.fixture(scope="module")
def framework(shared: Path) -> Corpus:
    require("wordnet")
    return load_corpus(f"framework:{shared / 'wsd_evaluation_framework'}")


@pytest.fixture(scope="module")
def semcor(shared: Path) -> Corpus:
    return load_corpus(f"semcor:{shared / 'semcor3.0'}")


COLUMNS = ("semeval2007", "senseval2", "senseval3", "semeval2013", "semeval2015", "all")


def per_cent(system: object, gold: Corpus, slices: Callable[[Corpus], list[object]]) -> dict[str, float]:
    predictions = system.predict(gold)  # type: ignore[attr-defined]
    rows = score(gold, predictions, slices=slices(gold), resamples=10).to_pylist()  # type: ignore[arg-type]
    return {row["slice"]: 100 * row["value"] for row in rows if row["metric"] == "f1"}


@pytest.mark.shared
def test_first_sense_on_the_framework(framework: Corpus) -> None:
    """The published figures; the last one is what the Java scorer says of these answers."""
    found = per_cent(FirstSense(open_inventory("wordnet")), framework, plain_slices)
    assert [round(found[name], 1) for name in COLUMNS] == [55.2, 66.8, 66.2, 63.0, 67.8, 65.2]
    assert found["all"] == pytest.approx(65.18681924720805, abs=1e-10)


@pytest.mark.shared
def test_most_frequent_sense_on_the_framework(framework: Corpus, semcor: Corpus) -> None:
    """Published: 54.5 / 65.6 / 66.0 / 63.8 / 67.1, ALL 65.5.

    The five do not add up to the sixth: weighted by size they give 64.8. ALL is met; three of the others
    are about a point higher here, for a reason that is not known.
    """
    found = per_cent(MostFrequentSense(open_inventory("wordnet")).fit(semcor), framework, plain_slices)
    published = np.array([54.5, 65.6, 66.0, 63.8, 67.1, 65.5])
    ours = np.array([found[name] for name in COLUMNS])
    assert np.abs(ours - published).max() < 1.3
    assert found["all"] == pytest.approx(65.44877981524886, abs=1e-10)  # the Java scorer's figure
    parts = [found[name] for name in ("nouns", "verbs", "adjectives", "adverbs")]
    assert parts == pytest.approx([67.7, 49.8, 73.1, 80.5], abs=1.0)


@pytest.mark.shared
def test_table_6_of_the_first_sense(framework: Corpus, semcor: Corpus) -> None:
    """Published: 100.0, 0.0, 84.9 and 53.9; which senses count as unseen there is not known."""
    wordnet = open_inventory("wordnet")
    found = per_cent(
        FirstSense(wordnet), framework, lambda gold: training_slices(gold, semcor, wordnet)  # type: ignore[arg-type, return-value]
    )  # fmt: skip
    assert found["MFS"] == 100
    assert found["LFS"] == 0
    assert round(found["zero-shot words"], 1) == 84.9
    assert found["zero-shot senses"] == pytest.approx(53.9, abs=3.5)


@pytest.mark.shared
@pytest.mark.parametrize("system", [Lesk, LeskExamples, LeskExtended])
def test_lesk_on_one_data_set(framework: Corpus, system: type[Lesk]) -> None:
    """Overlaps are few, so that Lesk stays near the first sense, and differs from it."""
    part = framework.select(
        np.array([each.startswith("semeval2007") for each in framework.instances["id"].to_pylist()])
    )
    wordnet = open_inventory("wordnet")
    found = system(wordnet).predict(part)
    (row, *_) = score(part, found, resamples=10).to_pylist()
    assert 0.48 < row["value"] < 0.56
    assert found.answers() != FirstSense(wordnet).predict(part).answers()
