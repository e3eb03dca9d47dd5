"""What the bundled corpus promises, and what its reader says about bad files."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

import pytest

from uncommonsense import load_corpus, open_inventory, resources
from uncommonsense.corpora import open_corpus, sampler
from uncommonsense.errors import MalformedInputError, UncommonSenseError, UserError
from uncommonsense.schema import Instance, Sentence

SENTENCES = list(sampler.read())
INSTANCES = [instance for sentence in SENTENCES for instance in sentence.instances]


@pytest.fixture(scope="module")
def wordnet() -> Any:
    """WordNet 3.0, if it has been fetched."""
    try:
        resources.path("wordnet")
    except UncommonSenseError as error:
        pytest.skip(f"no WordNet 3.0: {error}")
    return open_inventory("wordnet")


def senses_by_lemma() -> dict[tuple[str, str], Counter[tuple[str, ...]]]:
    """Lemma and part of speech to sentences per sense."""
    counts: dict[tuple[str, str], Counter[tuple[str, ...]]] = defaultdict(Counter)
    for each in INSTANCES:
        counts[each.lemma, each.pos][each.senses] += 1
    return counts


def letters(text: str) -> str:
    """A text as it is compared: lower case, letters and digits only."""
    return " ".join(re.findall(r"\w+", text.lower()))


# Size and balance


def test_size() -> None:
    assert len(SENTENCES) == len(INSTANCES) == len(load_corpus("sampler")) >= 1200
    assert len({sentence.id for sentence in SENTENCES}) == len(SENTENCES)
    assert len({instance.id for instance in INSTANCES}) == len(SENTENCES)


def test_lemmas_are_nouns_verbs_and_prepositions() -> None:
    parts = Counter(pos for _, pos in senses_by_lemma())
    assert parts.total() >= 24
    assert parts.keys() == {"n", "v", "p"}
    assert min(parts.values()) >= 6


def test_every_lemma_has_three_to_six_senses() -> None:
    assert {
        lemma: len(senses) for lemma, senses in senses_by_lemma().items() if not 3 <= len(senses) <= 6
    } == {}


def test_senses_are_rare_and_common() -> None:
    counts = senses_by_lemma()
    assert {
        lemma: min(senses.values())
        for lemma, senses in counts.items()
        if min(senses.values()) not in range(5, 9)
    } == {}
    assert sum(count >= 30 for senses in counts.values() for count in senses.values()) >= 10


def test_every_sense_can_be_found_and_asked_for() -> None:
    splits = Counter((each.lemma, each.pos, each.senses, each.split) for each in INSTANCES)
    assert {split for _, _, _, split in splits} == {"train", "test"}
    for lemma, pos, senses, _ in splits:
        assert splits[lemma, pos, senses, "train"] >= 5, senses
        assert splits[lemma, pos, senses, "test"] >= 1, senses


def test_no_sense_is_labelled_in_two_ways() -> None:
    keys = Counter(key for senses in senses_by_lemma().values() for group in senses for key in group)
    assert [key for key, count in keys.items() if count > 1] == []


def test_every_lemma_occurs_in_many_registers() -> None:
    registers = defaultdict(set)
    for sentence in SENTENCES:
        registers[sentence.instances[0].lemma, sentence.instances[0].pos].add(sentence.source)
    assert {lemma: found for lemma, found in registers.items() if len(found) < 6} == {}


def test_no_sentence_occurs_twice() -> None:
    texts = Counter(letters(" ".join(sentence.tokens)) for sentence in SENTENCES)
    assert [text for text, count in texts.items() if count > 1] == []


def test_marks_are_not_part_of_the_text() -> None:
    assert [s.id for s in SENTENCES if {"[", "]"} & set("".join(s.tokens))] == []
    assert all(0 <= each.start < each.end <= len(s.tokens) for s in SENTENCES for each in s.instances)


# Labels


def test_wordnet_keys_are_senses_of_their_lemma(wordnet: Any) -> None:
    wrong = {
        key
        for (lemma, pos), senses in senses_by_lemma().items()
        for group in senses
        for key in group
        if pos != "p" and key not in wordnet.candidates(lemma, pos)
    }
    assert wrong == set()


def test_prepositions_have_a_gloss_each() -> None:
    inventory = open_inventory("sampler")
    used = {
        key
        for (_, pos), senses in senses_by_lemma().items()
        if pos == "p"
        for group in senses
        for key in group
    }
    assert used == set(inventory.senses())
    for key in used:
        assert key in inventory.candidates(key.partition(".")[0], "p")
        assert inventory.gloss(key).strip()
    assert len({inventory.gloss(key) for key in used}) == len(used)


def test_prepositions_stand_as_they_are() -> None:
    forms = {(each.lemma, form_of(sentence, each)) for sentence, each in targets("p")}
    assert {(lemma, form) for lemma, form in forms if lemma != form} == set()


def test_targets_are_forms_of_their_lemma(wordnet: Any) -> None:
    forms = {
        (each.lemma, each.pos, form_of(sentence, each)) for sentence, each in targets("n") + targets("v")
    }
    assert len(forms) > 60
    assert {each for each in forms if each[0] not in wordnet.morphy(each[2], each[1])} == set()


def targets(pos: str) -> list[tuple[Sentence, Instance]]:
    """The instances of a part of speech with their sentences."""
    return [(sentence, each) for sentence in SENTENCES for each in sentence.instances if each.pos == pos]


def form_of(sentence: Sentence, instance: Instance) -> str:
    """The target as it stands in the sentence, in lower case."""
    return " ".join(sentence.tokens[instance.start : instance.end]).lower()


# Originality


def test_no_sentence_is_one_of_wordnets(wordnet: Any) -> None:
    own = {letters(" ".join(sentence.tokens)) for sentence in SENTENCES}
    lemmas = {key for (lemma, pos) in senses_by_lemma() for key in wordnet.candidates(lemma, pos)}
    examples = {letters(example) for key in lemmas for example in wordnet.sense(key).examples}
    assert len(examples) > 200
    assert own & examples == set()


@pytest.mark.shared
def test_no_sentence_is_one_of_semcors(shared: Path) -> None:
    own = {letters(" ".join(sentence.tokens)) for sentence in SENTENCES}
    read = 0
    for sentence in open_corpus(f"semcor:{shared / 'semcor3.0'}"):
        read += 1
        assert letters(" ".join(sentence.tokens)) not in own, sentence.id
    assert read > 37_000


# Reading


def write(folder: Path, text: str | bytes, name: str = "bank.n.txt") -> Path:
    """A folder with one file."""
    (folder / name).write_bytes(text if isinstance(text, bytes) else text.encode())
    return folder


def test_another_folder_is_read(tmp_path: Path) -> None:
    lines = [
        "= key%1 key%2",
        *(f"news\tSentence {i} isn't by a [bank]." for i in range(1, 6)),
        "= key%3",
        "talk\tTwo [banks]!",
    ]
    found = list(sampler.read(write(tmp_path, "\n".join(lines) + "\n")))
    assert [sentence.id for sentence in found] == [f"sampler.bank.n.{i:03}" for i in range(1, 7)]
    assert [sentence.instances[0].split for sentence in found] == [
        "train",
        "train",
        "train",
        "test",
        "train",
        "train",
    ]
    assert found[0] == Sentence(
        "sampler.bank.n.001",
        ("Sentence", "1", "is", "n't", "by", "a", "bank", "."),
        "news",
        (Instance("sampler.bank.n.001.t0", 6, 7, "bank", "n", ("key%1", "key%2"), "train"),),
    )
    assert found[5].instances[0].senses == ("key%3",)
    assert len(load_corpus(f"sampler:{tmp_path}")) == 6


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("news\tNo sense for this [bank].\n", 1, "expected '= SENSE...' before"),
        ("= \nnews\tNo key for this [bank].\n", 2, "expected '= SENSE...' before"),
        (
            "= k\nnews\tA [bank].\nnews A [bank] without a tab.\n",
            3,
            "expected 'register TAB sentence with one [target]'",
        ),
        ("= k\nnews\tA bank without a mark.\n", 2, "with one [target]"),
        ("= k\nnews\tA [bank] and a [bank].\n", 2, "with one [target]"),
        ("= k\nnews\tAn empty mark [].\n", 2, "with one [target]"),
        ("= k\n\tNo register for this [bank].\n", 2, "with one [target]"),
        ("= k\nnews\tA [bank].\n\nnews\tA [bank] after an empty line.\n", 3, "with one [target]"),
        (b"= k\nnews\tA caf\xe9 by the [bank].\n", 2, "not UTF-8"),
        ("", 1, "the file is empty"),
    ],
)
def test_a_bad_line_is_named(tmp_path: Path, text: str | bytes, line: int, message: str) -> None:
    with pytest.raises(MalformedInputError) as caught:
        list(sampler.read(write(tmp_path, text)))
    assert str(caught.value).startswith(f"{tmp_path / 'bank.n.txt'}:{line}: ")
    assert message in str(caught.value)


@pytest.mark.parametrize("name", ["bank.txt", "bank.noun.txt", ".n.txt", "notes.md.txt"])
def test_a_file_of_another_name_is_named(tmp_path: Path, name: str) -> None:
    with pytest.raises(MalformedInputError, match=r"must be LEMMA\.POS\.txt") as caught:
        list(sampler.read(write(tmp_path, "= k\nnews\tA [bank].\n", name)))
    assert str(tmp_path / name) in str(caught.value)


def test_a_folder_without_files_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="holds no sampler files"):
        list(sampler.read(tmp_path))
    with pytest.raises(UserError, match="no such file or folder"):
        list(sampler.read(tmp_path / "missing"))
