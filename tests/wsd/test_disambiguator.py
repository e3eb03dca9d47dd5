"""From raw text to senses, with any system, and the formats they are written in."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from html.parser import HTMLParser
from itertools import islice
from pathlib import Path

import numpy as np
import pytest

from running import borrow_cache, require
from uncommonsense.errors import UnknownNameError, UserError
from uncommonsense.inventories.wordnet import WordNet
from uncommonsense.schema import Corpus
from uncommonsense.testing import HashEncoder, mini_corpus, mini_inventory
from uncommonsense.text.sentences import passages
from uncommonsense.wsd.choices import Choices
from uncommonsense.wsd.disambiguator import Disambiguator, TaggedSentence, open_system
from uncommonsense.wsd.first_sense import FirstSense
from uncommonsense.wsd.render import FORMATS, render
from uncommonsense.wsd.system import System

TEXT = "He sat on the bank.  She took off for\nNew York & ate two “hot dogs”. 😀 Xqzt!"
NASTY = '<script>alert(\'bank\')</script> "bank" & <b onclick="x()">bank</b> bank\tbank.'


class Opinionated(System):
    """Prefers the last sense of nouns and has no opinion of verbs."""

    name = "opinionated"

    def scores(self, corpus: Corpus, choices: Choices) -> np.ndarray:
        nouns = np.array([pos == "n" for pos in corpus.instances["pos"].to_pylist()])
        return np.where(nouns[choices.instance], choices.rank.astype(float), np.nan)


@pytest.fixture(scope="module")
def wordnet() -> WordNet:
    require("wordnet")
    return WordNet()


@pytest.fixture(scope="module")
def first(wordnet: WordNet) -> Disambiguator:
    return Disambiguator(FirstSense(wordnet))


def synsets(sentences: list[TaggedSentence]) -> list[str]:
    return [word.sense.synset if word.sense else "-" for each in sentences for word in each.tagged]


def test_senses_of_a_text(first: Disambiguator) -> None:
    sentences = first.tag(TEXT)
    assert [each.text for each in sentences][:2] == [
        "He sat on the bank.",
        "She took off for\nNew York & ate two “hot dogs”.",
    ]
    assert synsets(sentences)[:4] == ["sit.v.01", "bank.n.01", "depart.v.03", "new_york.n.01"]
    assert "hot dogs" in [word.text for word in sentences[1].tagged]
    for each in sentences:
        assert TEXT[each.start : each.end] == each.text
        for word in (*each.words, *each.tagged):
            assert TEXT[word.start : word.end] == word.text


def test_senses_are_those_of_the_inventory(first: Disambiguator, wordnet: WordNet) -> None:
    [word] = [word for word in first.tag("He sat on the bank.")[0].tagged if word.lemma == "bank"]
    assert (word.pos, word.first, word.last) == ("n", 4, 5)
    assert tuple(sense.key for sense in word.senses) == wordnet.candidates("bank", "n")
    assert word.senses[0].gloss == wordnet.gloss("bank%1:17:01::")
    assert sum(sense.probability for sense in word.senses) == pytest.approx(1)
    shares = [sense.probability for sense in word.senses]
    assert shares == sorted(shares, reverse=True)


def test_any_system(wordnet: WordNet) -> None:
    [sentence] = Disambiguator(Opinionated(wordnet)).tag("He sat on the bank.")
    sit, bank = sentence.tagged
    assert (sit.senses, sit.sense) == ((), None)
    assert [sense.key for sense in bank.senses] == list(wordnet.candidates("bank", "n"))[::-1]


def test_options(wordnet: WordNet) -> None:
    system = FirstSense(wordnet)
    [sentence] = Disambiguator(system, top=2, pos="n").tag("He sat on the bank.")
    assert [len(word.senses) for word in sentence.tagged] == [2]
    few = Disambiguator(system, min_probability=0.15).tag("The bank.")[0].tagged[0].senses
    assert [sense.probability >= 0.15 for sense in few] == [True]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"top": 0}, "top must be at least 1"),
        ({"min_probability": 2.0}, "between 0 and 1"),
        ({"pos": "nz"}, "unknown part of speech 'z'"),
        ({"system": "second-sense"}, "unknown system 'second-sense'"),
        ({"system": "first-sense", "encoder": "minilm"}, "unknown option of first-sense: 'encoder'"),
        ({"inventory": "wordnets"}, "unknown inventory"),
    ],
)
def test_options_that_cannot_be(wordnet: WordNet, options: dict[str, object], message: str) -> None:
    settings = {"system": "first-sense", "inventory": wordnet} | options
    with pytest.raises(UserError, match=message):
        Disambiguator(**settings)  # type: ignore[arg-type]


def test_systems_by_name(wordnet: WordNet) -> None:
    assert Disambiguator("first-sense", inventory=wordnet).system.name == "first-sense"
    assert Disambiguator(inventory=wordnet).tag("A cat sat.")[0].tagged


def test_an_inventory_that_is_not_wordnet() -> None:
    require("wordnet")
    [sentence] = Disambiguator(FirstSense(mini_inventory())).tag("The bat slept near the bank.")
    assert {word.lemma: word.sense and word.sense.key for word in sentence.tagged} == {
        "bat": "bat.n.animal",
        "sleep": None,
        "bank": None,
    }


def test_a_system_with_an_encoder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    require("wordnet")
    monkeypatch.setenv("UNCOMMONSENSE_CACHE", str(borrow_cache(tmp_path / "cache")))
    system = open_system("knn", mini_inventory(), encoder=HashEncoder()).fit(mini_corpus())
    text = "A grey bat slept upside down. He swung my bat and hit the ball."
    found = [word for each in Disambiguator(system, pos="n").tag(text) for word in each.tagged]
    senses = [word.sense.key for word in found if word.lemma == "bat" and word.sense]
    assert senses == ["bat.n.animal", "bat.n.club"]


def test_many_texts(first: Disambiguator) -> None:
    texts = [TEXT, "", "  \n", "A cat.", NASTY, "😀"] * 3
    assert list(first.tag_many(texts)) == [first.tag(text) for text in texts]


def test_an_endless_stream(first: Disambiguator) -> None:
    """Answers come before the stream ends, and it is read a little at a time."""
    taken = 0

    def texts() -> Iterator[str]:
        nonlocal taken
        while True:
            taken += 1
            yield f"The cat number {taken} sat on the bank."

    found = list(islice(first.tag_many(texts()), 1000))
    assert len(found) == 1000
    assert taken < 3000


def test_passages(first: Disambiguator) -> None:
    text = "A cat sat.\r\n\r\n" + TEXT + "\n\n" + "The end.\n" * 30
    found = list(first.tag_passages(passages(text.splitlines(keepends=True))))
    assert [(each.start, each.text) for each in found] == [
        (each.start, each.text) for each in first.tag(text)
    ]
    assert all(text[word.start : word.end] == word.text for each in found for word in each.tagged)


# Formats


def rendered(first: Disambiguator, text: str, form: str) -> str:
    return "".join(render(first.tag(text), form))


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("text", [TEXT, NASTY, "", "😀", "The of.", "a\u2028b\x1b[31m bank\x07"])
def test_every_format_writes_every_text(first: Disambiguator, form: str, text: str) -> None:
    written = rendered(first, text, form)
    assert written == "" or written.endswith("\n")


def test_an_unknown_format(first: Disambiguator) -> None:
    with pytest.raises(UnknownNameError, match="unknown format 'xml'"):
        render([], "xml")


def test_json(first: Disambiguator) -> None:
    sentences = json.loads(rendered(first, TEXT, "json"))
    lines = [json.loads(line) for line in rendered(first, TEXT, "jsonl").splitlines()]
    assert sentences == lines
    assert sentences[0]["senses"][1]["senses"][0]["key"] == "bank%1:17:01::"
    assert [word["tag"] for word in sentences[0]["words"]][:2] == ["PRON", "VERB"]
    assert json.loads(rendered(first, "", "json")) == []


def test_tsv(first: Disambiguator) -> None:
    header, *rows = (line.split("\t") for line in rendered(first, NASTY, "tsv").splitlines())
    assert {len(row) for row in rows} == {len(header)}
    places = [(int(row[1]), int(row[2]), row[3]) for row in rows]
    assert all(NASTY[start:end] == word for start, end, word in places)


def test_conllu(first: Disambiguator) -> None:
    written = rendered(first, TEXT, "conllu")
    for block in written.strip().split("\n\n"):
        comments = [line for line in block.splitlines() if re.match("# (sent_id|text) = ", line)]
        rows = [line.split("\t") for line in block.splitlines()[2:]]
        assert len(comments) == 2
        assert [row[0] for row in rows] == [str(number) for number in range(1, len(rows) + 1)]
        assert {len(row) for row in rows} == {10}
    assert "\ttake\tVERB\t_\t_\t_\t_\t_\tstart_char=25|end_char=29|Sense=take_off%2:38:00::|" in written
    assert "SenseWords=2-3" in written


class Page(HTMLParser):
    """Collects what a browser would show of the page, and what could run."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.buttons: list[str] = []
        self.targets: list[str] = []
        self.ids: list[str] = []
        self.handlers: list[str] = []
        self._in: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = dict(attrs)
        self.tags.add(tag)
        self._in.append(tag)
        self.handlers += [name for name in values if name.startswith("on")]
        if "popover" in values:
            self.ids.append(values["id"] or "")
        if tag == "button":
            self.targets.append(values["popovertarget"] or "")
            assert values["title"]

    def handle_endtag(self, tag: str) -> None:
        while self._in and self._in.pop() != tag:
            pass

    def handle_data(self, data: str) -> None:
        if self._in and self._in[-1] == "button":
            self.buttons.append(data)


def test_a_page_runs_nothing(first: Disambiguator) -> None:
    written = rendered(first, NASTY + " hot dogs", "html")
    page = Page()
    page.feed(written)
    assert "script" not in page.tags
    assert page.handlers == []
    assert "<script" not in written
    assert "&lt;" in written
    assert page.targets == page.ids
    assert len(set(page.ids)) == len(page.ids)
    assert {"bank", "hot dogs"} <= set(page.buttons)
    assert "http://" not in written
    assert "https://" not in written


def test_a_page_keeps_the_text(first: Disambiguator) -> None:
    written = rendered(first, TEXT, "html")
    shown = re.sub(r"<span popover.*?</span></span></span>", "", written)
    text = re.sub(r"<[^>]+>", "", shown[shown.index("</h1>") :])
    assert "She took off for\nNew York &amp; ate two “hot dogs”." in text


def test_text_does_not_move_the_cursor(first: Disambiguator) -> None:
    written = rendered(first, "The \x1b[2Jbank\x07 is\nhere.", "text")
    assert "\x1b" not in written
    assert "\x07" not in written
    assert written.splitlines()[0] == "The [2Jbank is here."
