"""Which examples are kept, how they are written, and how senses are numbered."""

from __future__ import annotations

from collections import Counter
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from invented_entries import example

from uncommonsense.corpora.fews import read
from uncommonsense.errors import UserError
from uncommonsense.fews.layout import Line
from uncommonsense.fews.numbering import number_senses
from uncommonsense.fews.selection import Rules, common_length, select, tidy
from uncommonsense.wiktionary import Definition, Entry, Example

RULES = Rules()


def longest(first: str, second: str) -> int:
    """The textbook's recursion."""

    @cache
    def of(a: int, b: int) -> int:
        if a == len(first) or b == len(second):
            return 0
        if first[a] == second[b]:
            return 1 + of(a + 1, b + 1)
        return max(of(a + 1, b), of(a, b + 1))

    return of(0, 0)


@given(st.text("abcd", max_size=12), st.text("abcd", max_size=12))
def test_the_longest_common_subsequence(first: str, second: str) -> None:
    assert common_length(first, second) == longest(first, second) == common_length(second, first)


@pytest.mark.parametrize(
    ("word", "text", "kept"),
    [
        ("wug", "Two *wugs* came home", "Two <WSD>wugs</WSD> came home"),
        ("wug", "*WUGGED* he was again", "<WSD>WUGGED</WSD> he was again"),
        ("swap", "He *ſwapped* his horse", "He <WSD>ſwapped</WSD> his horse"),
        ("go", "He *gooo* away now", "He <WSD>gooo</WSD> away now"),  # 2 of 4 letters: just enough
        ("go", "He *goooo* away now", None),
        ("go", "He *went* away now", None),
        ("look up", "*Look* it *up* now", "<WSD>Look</WSD> it <WSD>up</WSD> now"),
        ("wug", "a *wug* is no *bird* now", "a <WSD>wug</WSD> is no bird now"),
        ("wug", "nothing is marked here", None),
        ("wug", "two *wugs*", None),
        ("wug", "two *wugs* — !", None),
    ],
)
def test_targets_are_like_the_headword(word: str, text: str, kept: str | None) -> None:
    found = select(word, [example(text, attribution="1990, X")], RULES, Counter())
    assert found.quotations == (((kept, "1990, X"),) if kept else ())
    assert found.illustrations == ()


@pytest.mark.parametrize(
    ("word", "bold", "marked"),
    [
        ("wug", "wugs.", "<WSD>wugs</WSD>."),
        ("wug", "“Wug,”", "“<WSD>Wug</WSD>,”"),
        ("wug", "'wug'", "'<WSD>wug</WSD>'"),
        ("wug", "(wug)", "(<WSD>wug</WSD>)"),
        ("wug", "wug(s)", "<WSD>wug(s)</WSD>"),
        ("wug", "[W]ug!", "<WSD>[W]ug</WSD>!"),
        ("wug", "-wug – ", "-<WSD>wug</WSD> – "),
        ("meet", "meetin'", "<WSD>meetin'</WSD>"),
        ("PM", "P.M.", "<WSD>P.M.</WSD>"),
        ("etc.", "etc.", "<WSD>etc.</WSD>"),
        ("o'", "o’,", "<WSD>o’</WSD>,"),
        ("'tis", "’tis", "<WSD>’tis</WSD>"),
        ("-ness", "-ness-", "<WSD>-ness</WSD>-"),
        ("!", "!", "<WSD>!</WSD>"),
    ],
)
def test_punctuation_of_the_sentence_is_no_part_of_a_target(word: str, bold: str, marked: str) -> None:
    found = select(word, [example(f"Here the *{bold}* of old")], RULES, Counter())
    (text,) = [*found.illustrations, *(text for text, _ in found.quotations)]
    assert text == " ".join(f"Here the {marked} of old".split())


def test_every_drop_has_a_reason() -> None:
    dropped: Counter[str] = Counter()
    examples = [
        example("the *wug* is a bird"),
        example("the wug is a *wug*"),
        example("the wug is a bird"),
        example("the *bird* flies away"),
        example("a *wug*"),
        example("my *wug* and your *bird*"),
        example("the *wug* is a bird"),
    ]
    assert len(select("wug", examples, RULES, dropped).quotations) == 3
    assert dropped == {
        "example: nothing is marked": 1,
        "example: no marked word is like the headword": 1,
        "example: too short": 1,
        "example: the sense has this text already": 1,
        "target in a kept example: unlike the headword": 1,
    }


def test_rules_can_be_set() -> None:
    short, unlike = example("a *wug*"), example("he *went* away")
    assert select("wug", [short], Rules(minimum_words=2), Counter()).quotations
    assert select("go", [unlike], Rules(similarity=0), Counter()).quotations
    assert not select("wug", [example("many *wugs* came")], Rules(similarity=1), Counter()).quotations
    for rules, message in (
        (Rules(0), "--minimum-words"),
        (Rules(1, 1.5), "--similarity"),
        (Rules(1, -1), "0 to 1"),
    ):
        with pytest.raises(UserError, match=message):
            rules.check()


def test_a_text_is_a_quotation_if_it_is_quoted_anywhere() -> None:
    shown, quoted = (example("The *wug* sings well", kind=kind) for kind in ("illustration", "quotation"))
    found = select("wug", [shown, quoted], RULES, Counter())
    assert (len(found.quotations), found.illustrations) == (1, ())


def test_text_is_cleaned() -> None:
    text = "\ufeff A </WSD>\twug\n \u2028sings <WSD>\x00 well"
    place = text.index("\twug")
    found = select("wug", [Example(text, ((place, place + 5),), "quotation", "a\tb\nc")], RULES, Counter())
    assert found.quotations == (("A <WSD>wug</WSD> sings well", "a b c"),)
    assert tidy(" a\t\x07b\n ") == "a b"


@given(
    st.text(st.sampled_from("wug <>/WSD\t\n\x00\x85\u2028."), max_size=60),
    st.lists(st.tuples(st.integers(0, 60), st.integers(0, 60)), max_size=4),
)
def test_what_is_kept_can_be_read(
    tmp_path_factory: pytest.TempPathFactory, text: str, spans: list[tuple[int, int]]
) -> None:
    found = select("wug", [Example(text, tuple(spans), "quotation")], Rules(1, 0.5), Counter())
    for marked, _ in found.quotations:
        file: Path = tmp_path_factory.mktemp("line") / "train.txt"
        file.write_text(f"{Line(marked, 'wug.noun.0')}\n", encoding="utf-8", newline="")
        (sentence,) = read(file)
        assert len(sentence.instances) == marked.count("<WSD>") > 0
        assert "".join(sentence.tokens) == "".join(tidy(text).split())


def numbered(*found: Entry) -> dict[str, str]:
    return {sense.id: sense.gloss for word in number_senses(found, RULES, Counter()) for sense in word.senses}


def test_numbers_count_on_through_all_sections() -> None:
    one, two, three = (Definition(gloss) for gloss in ("one", "two", "three"))
    found = numbered(
        Entry("wug", "noun", (one, two)), Entry("wug", "verb", (two,)), Entry("wug", "noun", (three,))
    )
    assert found == {"wug.noun.0": "one", "wug.noun.1": "two", "wug.noun.2": "three", "wug.verb.0": "two"}


@pytest.mark.parametrize(
    ("word", "pos", "sense_id"),
    [
        ("loo pin", "adjective", "loo_pin.adjective.0"),
        ("e.g.", "adverb", "e.g..adverb.0"),
        ("Wug", "proper noun", "Wug.proper_noun.0"),
        ("hey", "interjection", "hey.interjection.0"),
    ],
)
def test_ids(word: str, pos: str, sense_id: str) -> None:
    assert list(numbered(Entry(word, pos, (Definition("x"),)))) == [sense_id]


def test_senses_without_a_gloss_are_dropped() -> None:
    dropped: Counter[str] = Counter()
    entry = Entry(
        "wug", "noun", (Definition(" \t", examples=(example("the *wug* sings"),)), Definition("a\nb"))
    )
    (word,) = number_senses([entry], RULES, dropped)
    assert [(sense.id, sense.gloss) for sense in word.senses] == [("wug.noun.0", "a b")]
    assert word.monosemous
    assert dropped == {"definition: no gloss": 1, "example: its definition has no gloss": 1}
    assert list(number_senses([Entry("wug", "noun", (Definition(""),))], RULES, dropped)) == []


def test_lists_can_be_written_with_commas() -> None:
    entry = Entry("wug", "noun", (Definition("x", ("UK", "now, rare", "UK", ""), ("so far, so good",)),))
    ((sense,),) = [word.senses for word in number_senses([entry], RULES, Counter())]
    assert (sense.tags, sense.synonyms) == (("UK", "now rare"), ("so far so good",))
