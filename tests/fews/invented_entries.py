"""An invented dictionary, as entries, as a dump in XML and as lines of wiktextract."""

from __future__ import annotations

import bz2
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

from uncommonsense.wiktionary import Definition, Entry, Example

__all__ = ["WORDS", "entries", "example", "write_dump", "write_kaikki"]

WORDS = (
    "blick",
    "dax",
    "fep",
    "gorp",
    "loo pin",
    "miv",
    "nerk",
    "plim",
    "quib",
    "trob",
    "vash",
    "wug",
    "zibble",
)
_VERBS = {"dax", "trob", "wug"}


def example(text: str, *, kind: str = "quotation", attribution: str = "") -> Example:
    """An example whose targets are in asterisks: ``The *wug* sings``."""
    pieces = text.split("*")
    targets, place = [], 0
    for number, piece in enumerate(pieces):
        if number % 2:
            targets.append((place, place + len(piece)))
        place += len(piece)
    quoted = "quotation" if kind == "quotation" else "illustration"
    return Example("".join(pieces), tuple(targets), quoted, attribution)  # type: ignore[arg-type]


def entries() -> Iterator[Entry]:
    """Nouns with four senses each, some also verbs with one; sense n of word m has (m + n) % 4 quotations."""
    for number, word in enumerate(WORDS):
        yield Entry(word, "noun", tuple(_definition(word, number + sense, sense) for sense in range(4)))
        if word in _VERBS:
            yield Entry(word, "verb", (_definition(word, 2, 0),))


def _definition(word: str, number: int, sense: int) -> Definition:
    quotations = [
        example(
            f"On day {each} the *{word}* number {number} came home with two *{word}s*.",
            attribution=f"19{each}0, Ann Onym, Book {sense}",
        )
        for each in range(number % 4)
    ]
    shown = [example(f"a very small *{word}* {sense}", kind="illustration")] if sense % 2 else []
    return Definition(f"Meaning {sense} of {word}.", ("informal",), (f"{word}let",), 1, (*quotations, *shown))


def write_dump(path: Path, *, copies: int = 1) -> Path:
    """The dictionary as a dump; each copy has its words under other titles, and a page on French."""
    pages = [_page(f"{title}{'x' * copy}", text) for copy in range(copies) for title, text in _texts(copy)]
    head = "<sitename>Wiktionary</sitename><dbname>enwiktionary</dbname>"
    text = f"<mediawiki><siteinfo>{head}</siteinfo>\n{''.join(pages)}</mediawiki>\n"
    path.write_bytes(bz2.compress(text.encode()) if path.suffix == ".bz2" else text.encode())
    return path


def _page(title: str, text: str) -> str:
    revision = f"<revision><timestamp>2020-01-01T00:00:00Z</timestamp><text>{escape(text)}</text></revision>"
    return f"<page><title>{escape(title)}</title><ns>0</ns><id>1</id>{revision}</page>\n"


def _texts(copy: int) -> Iterator[tuple[str, str]]:
    pages: dict[str, list[str]] = {}
    for entry in entries():
        lines = [
            f"==={entry.pos.title()}===",
            "{{head|en}}",
            *(_wikitext(each) for each in entry.definitions),
        ]
        pages.setdefault(entry.word, ["==English=="]).extend(lines)
    for word, lines in pages.items():
        yield word, "\n".join(lines).replace("day", f"day {copy} of")
    yield "autre", "==French==\n===Noun===\n# [[other]]\n#* '''autre''' chose et encore\n"


def _wikitext(definition: Definition) -> str:
    lines = [f"# {{{{lb|en|informal}}}} {definition.gloss}"]
    for each in definition.examples:
        marked = _marked(each, "'''")
        if each.kind == "quotation":
            lines += [f"#* '''{each.attribution[:4]}''', {each.attribution[6:]}", f"#*: {marked}"]
        else:
            lines.append(f"#: {{{{ux|en|{marked}}}}}")
    return "\n".join(lines)


def _marked(each: Example, mark: str) -> str:
    text = each.text
    for start, end in reversed(each.targets):
        text = f"{text[:start]}{mark}{text[start:end]}{mark}{text[end:]}"
    return text


def write_kaikki(path: Path) -> Path:
    """The dictionary as JSON lines."""
    path.write_text("".join(json.dumps(_line(entry)) + "\n" for entry in entries()), encoding="utf-8")
    return path


def _line(entry: Entry) -> dict[str, Any]:
    senses = [
        {
            "glosses": [each.gloss],
            "tags": list(each.tags),
            "synonyms": [{"word": word} for word in each.synonyms],
            "examples": [
                {
                    "text": use.text,
                    "bold_text_offsets": [list(span) for span in use.targets],
                    "type": "quotation" if use.kind == "quotation" else "example",
                    "ref": use.attribution,
                }
                for use in each.examples
            ],
        }
        for each in entry.definitions
    ]
    return {"word": entry.word, "lang": "English", "pos": entry.pos, "senses": senses}
