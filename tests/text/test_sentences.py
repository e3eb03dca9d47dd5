"""Sentences and passages of raw text, and words that are cut or kept whole."""

from __future__ import annotations

import io
import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from uncommonsense.corpora.tokenize import tokenize
from uncommonsense.errors import MalformedInputError
from uncommonsense.text.sentences import passages, read_text, sentence_spans


def split(text: str) -> list[str]:
    return [text[start:end] for start, end in sentence_spans(text)]


def words(text: str) -> list[str]:
    return [token for token, _, _ in tokenize(text)]


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("Mr. A. Jones met Dr. Low. They spoke.", ["Mr. A. Jones met Dr. Low.", "They spoke."]),
        ("A heading\n\nIt rained.\r\n\r\nThen sun.", ["A heading", "It rained.", "Then sun."]),
        ("one line\nand the next", ["one line\nand the next"]),
        ("To buy:\n- eggs\n- milk\n2. bread\n", ["To buy:", "- eggs", "- milk", "2. bread"]),
        ("So good 😀 We loved it", ["So good 😀", "We loved it"]),
        ("so good 😀 and cheap", ["so good 😀 and cheap"]),
        ("See https://example.org/a.b?c=1. Then go.", ["See https://example.org/a.b?c=1.", "Then go."]),
        (
            "It cost 3.50 or so... maybe. “Really?” Yes.",
            ["It cost 3.50 or so... maybe.", "“Really?”", "Yes."],
        ),
        ("彼は来た。私は行く。", ["彼は来た。", "私は行く。"]),
        ("page one\fpage two", ["page one", "page two"]),
        (" \n\t\r\n ", []),
        ("", []),
    ],
)
def test_sentences(text: str, sentences: list[str]) -> None:
    assert split(text) == sentences


@given(st.text(alphabet="aB .!?\"'’…\n\r5I-*😀。\f", max_size=80))
def test_only_white_space_lies_between_sentences(text: str) -> None:
    spans = sentence_spans(text)
    assert spans == sorted(spans)
    inside = {at for start, end in spans for at in range(start, end)}
    assert all(text[at].isspace() for at in range(len(text)) if at not in inside)
    assert sum(end - start for start, end in spans) == len(inside)


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("👨‍👩‍👧!", ["👨‍👩‍👧", "!"]),
        ("👍🏽👍🏽", ["👍🏽", "👍🏽"]),
        ("🇩🇪🇫🇷 1️⃣ ❤️", ["🇩🇪", "🇫🇷", "1️⃣", "❤️"]),
        (
            "see www.example.org/x, or https://a.b/c).",
            ["see", "www.example.org/x", ",", "or", "https://a.b/c", ")", "."],
        ),
        ("I said no. See No. 5.", ["I", "said", "no", ".", "See", "No.", "5", "."]),
    ],
)
def test_words_that_stay_whole(text: str, tokens: list[str]) -> None:
    assert words(text) == tokens


def test_passages_are_the_text() -> None:
    text = "One. Two.\n\n\nThree\nfour.\n \nFive"
    found = list(passages(text.splitlines(keepends=True)))
    assert [passage.text for passage in found] == ["One. Two.\n\n", "Three\nfour.\n \n", "Five"]
    assert all(text[start : start + len(part)] == part for part, start in found)


def test_a_long_paragraph_is_cut_between_sentences() -> None:
    lines = [f"This is the river number {number}, and\nit flows on.\n" for number in range(4000)]
    found = list(passages(lines))
    assert len(found) > 2
    assert "".join(passage.text for passage in found) == "".join(lines)
    assert all(passage.text.startswith("This is") for passage in found)


def test_memory_stays_flat() -> None:
    stream = io.BytesIO(b"The river flows on and on. " * 200_000)  # one line
    tracemalloc.start()
    sizes = [len(passage.text) for passage in passages(read_text(stream, "x"))]
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert sum(sizes) >= 27 * 200_000 - 1
    assert peak < 3_000_000


@given(st.text(max_size=40))
def test_text_is_read_as_it_is(text: str) -> None:
    text = text.replace("\0", "").removeprefix("\ufeff")
    assert "".join(read_text(io.BytesIO(b"\xef\xbb\xbf" + text.encode()), "x")) == text


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"Fine.\nCaf\xe9 au lait.\n", r"^notes:2: not UTF-8 text: byte 0xe9 at column 4"),
        (b"cut off \xf0\x9f", r"^notes:1: not UTF-8 text: byte 0xf0"),
        (b"\x89PNG\r\n\x1a\n\0\0", r"^notes:1: not UTF-8"),
        (b"PK\x03\x04\0\0", r"^notes:1: a zero byte: this is a binary file"),
        ("\ufeffHi".encode("utf-16-le"), r"^notes:1: not UTF-8"),
        ("Hi".encode("utf-16-le"), r"^notes:1: a zero byte: .*UTF-16"),
    ],
)
def test_bytes_that_are_not_text(content: bytes, message: str) -> None:
    with pytest.raises(MalformedInputError, match=message):
        list(read_text(io.BytesIO(content), "notes"))
