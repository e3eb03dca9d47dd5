"""Disambiguated text for people and programs. Every format is written sentence by sentence."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from html import escape
from itertools import count
from pathlib import Path
from typing import Any

from uncommonsense.errors import UnknownNameError
from uncommonsense.wsd.disambiguator import RankedSense, TaggedSentence, TaggedWord

__all__ = ["FORMATS", "render", "to_conllu", "to_html", "to_json", "to_jsonl", "to_text", "to_tsv"]

Sentences = Iterable[TaggedSentence]


def render(sentences: Sentences, form: str) -> Iterator[str]:
    """Pieces of the whole output in a format of ``FORMATS``."""
    if form not in FORMATS:
        raise UnknownNameError("format", form, FORMATS)
    return FORMATS[form](sentences)


# Text

_WIDTHS = (16, 18, 26)
"""Columns for the word, its lemma and its sense; what is longer takes more room."""


def to_text(sentences: Sentences) -> Iterator[str]:
    """Each sentence, and below it a line for each word: lemma, sense, probability, gloss; then runners-up."""
    for number, sentence in enumerate(sentences):
        lines = [_line(sentence.text), *(line for word in sentence.tagged for line in _text_lines(word))]
        yield ("\n" if number else "") + "\n".join(lines) + "\n"


def _text_lines(word: TaggedWord) -> Iterator[str]:
    head = [_line(word.text), f"{word.lemma}.{word.pos}"]
    for sense in word.senses:
        cells = zip([*head, sense.synset or sense.key], _WIDTHS, strict=True)
        columns = " ".join(f"{cell:<{width}}" for cell, width in cells)
        yield f"  {columns} {sense.probability:.2f}  {_line(sense.gloss)}"
        head = ["", ""]
    if not word.senses:
        yield f"  {head[0]:<{_WIDTHS[0]}} {head[1]:<{_WIDTHS[1]}} -"


def _line(text: str) -> str:
    """On one line, and without characters that move the cursor of a terminal."""
    return "".join(each for each in " ".join(text.split()) if each.isprintable() or each == "\u200d")


# JSON


def to_json(sentences: Sentences) -> Iterator[str]:
    """One array with an object for each sentence."""
    first = True
    for sentence in sentences:
        yield ("[\n" if first else ",\n") + _dumped(sentence)
        first = False
    yield "[]\n" if first else "\n]\n"


def to_jsonl(sentences: Sentences) -> Iterator[str]:
    """A line with an object for each sentence."""
    for sentence in sentences:
        yield _dumped(sentence) + "\n"


def _dumped(sentence: TaggedSentence) -> str:
    return json.dumps(_object(sentence), ensure_ascii=False)


def _object(sentence: TaggedSentence) -> dict[str, Any]:
    return {
        "text": sentence.text,
        "start": sentence.start,
        "end": sentence.end,
        "words": [word._asdict() for word in sentence.words],
        "senses": [
            word._asdict() | {"senses": [_rounded(sense) for sense in word.senses]}
            for word in sentence.tagged
        ],
    }


def _rounded(sense: RankedSense) -> dict[str, Any]:
    return sense._asdict() | {"probability": round(sense.probability, 6)}


# Tables

_PLACE = ("sentence", "start", "end", "word", "lemma", "pos")
_SENSE = ("rank", "sense", "synset", "probability", "gloss")


def to_tsv(sentences: Sentences) -> Iterator[str]:
    """A line for each sense of each word, tab-separated, below the names of the columns."""
    yield "\t".join((*_PLACE, *_SENSE)) + "\n"
    for number, sentence in enumerate(sentences, 1):
        for word in sentence.tagged:
            place = [str(number), str(word.start), str(word.end), _line(word.text), word.lemma, word.pos]
            for rank, (key, synset, gloss, share) in enumerate(word.senses, 1):
                row = [*place, str(rank), key, synset, f"{share:.6f}", _line(gloss)]
                yield "\t".join(row) + "\n"
            if not word.senses:
                yield "\t".join([*place, *[""] * len(_SENSE)]) + "\n"


def to_conllu(sentences: Sentences) -> Iterator[str]:
    """CoNLL-U; the sense is in the last column of a word, or of the first of several that are one entry."""
    for number, sentence in enumerate(sentences, 1):
        yield f"# sent_id = {number}\n# text = {_line(sentence.text)}\n"
        senses = {word.first: word for word in sentence.tagged if word.sense}
        begins = [*(word.start for word in sentence.words[1:]), sentence.end + 1]
        for at, (word, following) in enumerate(zip(sentence.words, begins, strict=True)):
            misc = {"SpaceAfter": "No"} if following == word.end else {}
            misc |= {"start_char": str(word.start), "end_char": str(word.end)}
            misc |= _misc(senses[at]) if at in senses else {}
            column = "|".join(f"{key}={value}" for key, value in misc.items())
            yield f"{at + 1}\t{word.text}\t{word.lemma}\t{word.tag}" + "\t_" * 5 + f"\t{column}\n"
        yield "\n"


def _misc(word: TaggedWord) -> dict[str, str]:
    sense = word.senses[0]
    found = {"Sense": sense.key, "SenseProbability": f"{sense.probability:.4f}"}
    if word.last - word.first > 1:
        found["SenseWords"] = f"{word.first + 1}-{word.last}"
    return {key: value.replace("|", "/") for key, value in found.items()}


# A page


def to_html(sentences: Sentences) -> Iterator[str]:
    """A page that needs nothing else; a word shows its gloss under the pointer, and all when it is chosen."""
    style = Path(__file__).with_name("render.css").read_text(encoding="utf-8")
    yield f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>Word senses</title>
<style>
{style}</style>
</head>
<body>
<main>
<h1>Word senses</h1>
<p class="help">Choose an underlined word to see what it means here, and what else it might.</p>
"""
    numbers = count(1)
    for sentence in sentences:
        yield f'<p dir="auto">{"".join(_html_parts(sentence, numbers))}</p>\n'
    yield "</main>\n</body>\n</html>\n"


def _html_parts(sentence: TaggedSentence, numbers: Iterator[int]) -> Iterator[str]:
    at = sentence.start
    for word in sentence.tagged:
        yield escape(sentence.text[at - sentence.start : word.start - sentence.start])
        yield _html_word(word, f"s{next(numbers)}") if word.senses else escape(word.text)
        at = word.end
    yield escape(sentence.text[at - sentence.start :])


def _html_word(word: TaggedWord, name: str) -> str:
    hint = escape(f"{word.senses[0].synset or word.senses[0].key}: {word.senses[0].gloss}")
    rows = "".join(
        f"<span role='listitem'><b>{escape(sense.synset or sense.key)}</b> {sense.probability:.0%} "
        f"{escape(sense.gloss)} <code>{escape(sense.key)}</code></span>"
        for sense in word.senses
    )
    label = escape(f"{word.lemma.replace('_', ' ')}, {word.pos}")
    return (
        f'<button type="button" popovertarget="{name}" title="{hint}">{escape(word.text)}</button>'
        f'<span popover id="{name}" role="dialog" aria-label="{label}"><i>{label}</i>'
        f'<span role="list">{rows}</span></span>'
    )


FORMATS: dict[str, Callable[[Sentences], Iterator[str]]] = {
    "text": to_text,
    "json": to_json,
    "jsonl": to_jsonl,
    "tsv": to_tsv,
    "conllu": to_conllu,
    "html": to_html,
}
"""What the command line offers."""
