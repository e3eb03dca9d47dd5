"""Tags, lemmas and multiword entries of raw text."""

from __future__ import annotations

import time
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from zlib import crc32

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from safetensors.numpy import save_file

from running import require
from uncommonsense.corpora.conllu_blocks import read_blocks
from uncommonsense.corpora.framework import read as read_framework
from uncommonsense.errors import MalformedInputError
from uncommonsense.inventories.wordnet import WordNet
from uncommonsense.text.lemmas import Lemmatiser
from uncommonsense.text.pipeline import Analysed, Pipeline
from uncommonsense.text.tagger import TAGS, WORDNET_POS, Tagger, load_weights


@cache
def english() -> Pipeline:
    """Made once, also for tests that hypothesis repeats."""
    require("wordnet")
    return Pipeline(WordNet())


@pytest.fixture(scope="module")
def pipeline() -> Pipeline:
    return english()


@pytest.fixture(scope="module")
def wordnet() -> WordNet:
    require("wordnet")
    return WordNet()


def tags(pipeline: Pipeline, text: str) -> str:
    return " ".join(word.tag for sentence in pipeline.analyse(text) for word in sentence.words)


def targets(pipeline: Pipeline, text: str) -> list[str]:
    """``lemma.pos`` of everything that is to be disambiguated."""
    return [f"{each.lemma}.{each.pos}" for sentence in pipeline.analyse(text) for each in sentence.targets]


# Tags


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("He sat on the bank.", "PRON VERB ADP DET NOUN PUNCT"),
        ("They bank on a run.", "PRON VERB ADP DET NOUN PUNCT"),
        ("The old dogs slept quietly.", "DET ADJ NOUN VERB ADV PUNCT"),
        ("She can't leave London.", "PRON AUX PART VERB PROPN PUNCT"),
        ("I have two cats and 30 mice.", "PRON VERB NUM NOUN CCONJ NUM NOUN PUNCT"),
    ],
)
def test_tags(pipeline: Pipeline, text: str, expected: str) -> None:
    assert tags(pipeline, text) == expected


def test_a_curly_apostrophe_is_an_apostrophe(pipeline: Pipeline) -> None:
    assert tags(pipeline, "She can’t go.") == tags(pipeline, "She can't go.")


def test_sentences_do_not_see_each_other(wordnet: WordNet) -> None:
    tagger = Tagger(wordnet)
    sentences = [["They", "can", "fish", "."], [], ["The", "can", "fell", "."], ["fish"]]
    together = tagger.tag(sentences)
    assert together == [tagger.tag([words])[0] for words in sentences]
    assert [len(found) for found in together] == [4, 0, 4, 1]
    assert tagger.tag([]) == []


@given(st.lists(st.text(min_size=1, max_size=12), max_size=12))
def test_any_words_have_tags(words: list[str]) -> None:
    [found] = english().tagger.tag([words])
    assert len(found) == len(words)
    assert set(found) <= set(TAGS)


def test_files_that_are_no_weights(tmp_path: Path) -> None:
    file = tmp_path / "w.safetensors"
    file.write_bytes(b"nothing of the kind")
    with pytest.raises(MalformedInputError, match="not the weights of a tagger"):
        load_weights(file)
    save_file({"words": np.zeros((8, 17), np.int8), "tags": np.zeros((9, 17), np.int8)}, file)
    with pytest.raises(MalformedInputError, match=r"expected int8 \(a power of 2, 17\)"):
        load_weights(file)


def held_out(shared: Path) -> Iterator[list[list[str]]]:
    """The sentences of the treebank that the tagger has not seen, by the rule of ``train_tagger.py``."""
    document = ""
    for block in read_blocks(shared / "ud_ewt_reviews.conllu", columns=10):
        document = block.comments.get("newdoc id", document)
        if crc32(document.encode()) % 10 == 0:
            yield block.words


@pytest.mark.shared
def test_accuracy_on_a_treebank(shared: Path, wordnet: WordNet) -> None:
    """Documents that the tagger has not been trained on."""
    sentences = list(held_out(shared))
    found = Tagger(wordnet).tag([[fields[1] for fields in words] for words in sentences])
    pairs = [
        (fields[3], tag)
        for words, ours in zip(sentences, found, strict=True)
        for fields, tag in zip(words, ours, strict=True)
    ]
    assert len(pairs) > 5000
    assert np.mean([gold == ours for gold, ours in pairs]) > 0.94
    content = [(WORDNET_POS[gold], WORDNET_POS.get(ours)) for gold, ours in pairs if gold in WORDNET_POS]
    assert np.mean([gold == ours for gold, ours in content]) > 0.95


@pytest.mark.shared
def test_targets_of_the_evaluation_framework(shared: Path, pipeline: Pipeline) -> None:
    """Words that others chose and lemmatised by hand: most are found, with lemma and part of speech."""
    right = several = right_several = total = 0
    for sentence in read_framework(shared / "wsd_evaluation_framework", dataset="ALL"):
        [found] = pipeline.tagger.tag([sentence.tokens])
        ours = {each[:2]: each[2:] for each in pipeline.targets(sentence.tokens, found)}
        for each in sentence.instances:
            same = ours.get((each.start, each.end)) == (each.lemma.lower(), each.pos)
            if each.end - each.start > 1:
                several, right_several = several + 1, right_several + same
            else:
                total, right = total + 1, right + same
    assert total + several == 7253
    assert right / total > 0.92
    assert right_several / several > 0.88


# Lemmas


@pytest.mark.parametrize(
    ("form", "tag", "lemma"),
    [
        ("found", "VERB", "find"),
        ("saw", "VERB", "see"),
        ("saw", "NOUN", "saw"),
        ("leaves", "NOUN", "leaf"),
        ("leaves", "VERB", "leave"),
        ("mice", "NOUN", "mouse"),
        ("better", "ADJ", "good"),
        ("'s", "AUX", "be"),
        ("'s", "PART", "'s"),
        ("wo", "AUX", "will"),
        ("n’t", "PART", "not"),
        ("The", "DET", "the"),
        ("Texas", "PROPN", "texas"),
        ("Xqzt", "PROPN", "Xqzt"),
        ("Blorped", "VERB", "blorped"),
        ("", "NOUN", ""),
    ],
)
def test_lemmas(wordnet: WordNet, form: str, tag: str, lemma: str) -> None:
    assert Lemmatiser(wordnet)(form, tag) == lemma


@pytest.mark.parametrize(
    ("form", "tag", "entry"),
    [
        ("change-ringing", "NOUN", ("change_ringing", "n")),
        ("Americans", "PROPN", ("american", "n")),
        ("stone", "ADJ", ("stone", "a")),
        ("cardboards", "ADJ", ("cardboard", "n")),
        ("the", "DET", None),
        ("blorped", "VERB", None),
        ("b", "NOUN", None),
        ("not", "PART", ("not", "r")),
        ("to", "PART", None),
    ],
)
def test_entries(wordnet: WordNet, form: str, tag: str, entry: tuple[str, str] | None) -> None:
    assert Lemmatiser(wordnet).entry(form, tag) == entry


@pytest.mark.shared
def test_lemmas_of_a_treebank(shared: Path, wordnet: WordNet) -> None:
    lemmatiser = Lemmatiser(wordnet)
    rows = [
        fields
        for block in read_blocks(shared / "ud_ewt_reviews.conllu", columns=10)
        for fields in block.words
        if fields[3] in WORDNET_POS
    ]
    right = [lemmatiser(fields[1], fields[3]).lower() == fields[2].lower() for fields in rows]
    assert len(right) > 25_000
    assert np.mean(right) > 0.98


# Several words


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("She ate two hot dogs.", "hot_dog.n"),
        ("The plane took off late.", "take_off.v"),
        ("He lives in New York City now.", "new_york_city.n"),
        ("We love NEW YORK.", "new_york.n"),
        ("Of course we came.", "of_course.r"),
        ("It was St. Patrick's Day.", "st_patrick's_day.n"),
        ("He kept us at arm’s length.", "at_arm's_length.r"),
    ],
)
def test_entries_of_several_words(pipeline: Pipeline, text: str, found: str) -> None:
    assert found in targets(pipeline, text)


@pytest.mark.parametrize("text", ["He went to the sea.", "She sat, in this house."])
def test_words_that_only_stand_together(pipeline: Pipeline, text: str) -> None:
    assert not [each for each in targets(pipeline, text) if "_" in each]


def test_particles_at_a_distance_are_not_found(pipeline: Pipeline) -> None:
    assert "take_off.v" not in targets(pipeline, "He took his wet coat off.")


# The whole


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("He sat on the bank.", ["sit.v", "bank.n"]),
        ("She is tall.", ["be.v", "tall.a"]),
        ("She is running.", ["run.v"]),
        ("They have not slept.", ["not.r", "sleep.v"]),
        ("The of and to, with!", []),
        ("xqzt blorp", []),
        ("😀 🎉", []),
        ("", []),
    ],
)
def test_targets(pipeline: Pipeline, text: str, found: list[str]) -> None:
    assert targets(pipeline, text) == found


def check(text: str, sentences: list[Analysed]) -> None:
    places = [place for each in sentences for word in each.words for place in (word.start, word.end)]
    assert places == sorted(places)
    for each in sentences:
        assert all(text[word.start : word.end] == word.text for word in each.words)
        assert (each.words[0].start, each.words[-1].end) == (each.start, each.end)
        ends = [end for target in each.targets for end in target[:2]]
        assert ends == sorted(ends)
        assert all(0 <= target.start < target.end <= len(each.words) for target in each.targets)


@given(st.text(alphabet="aAbt .!?'’\n\r-*😀\u200dé中ا<>&1\t", max_size=60))
def test_every_word_is_where_it_says(text: str) -> None:
    check(text, english().analyse(text))


def test_a_very_long_sentence(pipeline: Pipeline) -> None:
    text = "the big river " * 5_000 + "flows."
    started = time.process_time()
    [sentence] = pipeline.analyse(text)
    assert time.process_time() - started < 10
    assert len(sentence.words) == 15_002
    check(text, [sentence])


def test_mixed_scripts(pipeline: Pipeline) -> None:
    text = "The word кот means “cat” – 猫 in Japanese, and قط in Arabic 😀."
    sentences = pipeline.analyse(text)
    check(text, sentences)
    assert {"cat.n", "word.n", "mean.v"} <= set(targets(pipeline, text))
