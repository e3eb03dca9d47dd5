"""Entries from the JSON lines that wiktextract writes (kaikki.org), as a second source.

Tags and entities that are left in its texts are taken out. An example carries its targets as
``bold_text_offsets``. Older files lack them: there the target is the headword, or an inflected form that
the entry lists, wherever it stands as a whole word.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import groupby
from pathlib import Path
from typing import Any

from uncommonsense.corpora.textfile import read_lines
from uncommonsense.errors import MalformedInputError
from uncommonsense.wiktionary.entries import Definition, Entry, Example, Kind
from uncommonsense.wiktionary.plain import defused

__all__ = ["read_kaikki"]

_PARTS = {"noun": "noun", "verb": "verb", "adj": "adjective", "adv": "adverb"}
_OTHER_PARTS = {"name": "proper noun", "intj": "interjection", "prep": "preposition", "pron": "pronoun"}
_OTHER_PARTS |= {
    "conj": "conjunction",
    "det": "determiner",
    "num": "numeral",
    "prep_phrase": "prepositional phrase",
}
_FIELDS = {"word", "lang", "pos", "senses"}
_REDIRECT = "a redirect"
_TRIED = 20
"""A file whose first lines, this many, hold no entry is no wiktextract file."""


def read_kaikki(
    path: Path, *, language: str = "English", all_parts: bool = False, warnings: Counter[str] | None = None
) -> Iterator[tuple[str, tuple[Entry, ...]]]:
    """Yield each word of a language with its entries, in the order of the file.

    A line that is no entry is passed over and counted in ``warnings`` under ``file:line: reason``; a file
    that does not begin with any entry is an error.
    """
    noted: Counter[str] = Counter() if warnings is None else warnings
    objects = _wanted(path, language, noted)
    for word, group in groupby(objects, key=lambda item: str(item["word"])):
        found = (_entry(item, all_parts=all_parts) for item in group)
        if entries := tuple(entry for entry in found if entry is not None):
            yield word, entries


def _wanted(path: Path, language: str, noted: Counter[str]) -> Iterator[Mapping[str, Any]]:
    good = 0
    for number, line in read_lines(path):
        if not line.strip():
            continue
        item, reason = _parsed(line)
        if item is not None:
            good += 1
            if item["lang"] == language:
                yield item
        elif reason != _REDIRECT:
            noted[f"{path}:{number}: {reason}"] += 1
            if not good and number >= _TRIED:
                break
    if not good:
        raise MalformedInputError(
            path,
            1,
            "no wiktextract entry in the first lines; expected JSON lines with "
            f"{', '.join(sorted(_FIELDS))}, as kaikki.org offers them for download",
        )


def _parsed(line: str) -> tuple[Mapping[str, Any] | None, str]:
    """The object on a line, or None and what is wrong with it."""
    try:
        item = json.loads(line)
    except (ValueError, RecursionError) as error:
        return None, f"not JSON: {error}"
    if not isinstance(item, dict):
        return None, f"a JSON {type(item).__name__}, expected an object"
    if "redirect" in item:
        return None, _REDIRECT
    missing = sorted(_FIELDS - item.keys())
    if missing:
        return None, f"no field {', '.join(map(repr, missing))}"
    if not isinstance(item["word"], str) or not isinstance(item["senses"], list):
        return None, "'word' is not text or 'senses' is not a list"
    return item, ""


def _entry(item: Mapping[str, Any], *, all_parts: bool) -> Entry | None:
    part = str(item["pos"])
    name = _PARTS.get(part) or (_OTHER_PARTS.get(part, part.replace("_", " ")) if all_parts else None)
    if name is None:
        return None
    forms = {str(item["word"]), *(_texts(item.get("forms"), "form"))}
    senses = [sense for sense in item["senses"] if isinstance(sense, dict)]
    definitions = tuple(found for found in (_definition(sense, forms) for sense in senses) if found.gloss)
    return Entry(str(item["word"]), name, definitions) if definitions else None


def _definition(sense: Mapping[str, Any], forms: set[str]) -> Definition:
    """A sense; its gloss is the last of ``glosses``, of which those before belong to the senses above it."""
    glosses = _strings(sense.get("glosses"))
    tags = dict.fromkeys([*_strings(sense.get("tags")), *_strings(sense.get("topics"))])
    synonyms = dict.fromkeys(defused(term).text for term in _texts(sense.get("synonyms"), "word"))
    examples = [_example(item, forms) for item in sense.get("examples") or () if isinstance(item, dict)]
    return Definition(
        defused(glosses[-1]).text if glosses else "",
        tuple(tags),
        tuple(synonyms),
        max(1, len(glosses)),
        tuple(example for example in examples if example.text),
    )


def _example(item: Mapping[str, Any], forms: set[str]) -> Example:
    raw = item.get("text")
    text = raw if isinstance(raw, str) else ""
    offsets = item.get("bold_text_offsets")
    shown = defused(text, _offsets(offsets))
    spans = shown.bold if offsets is not None else _occurrences(shown.text, forms)
    reference = item.get("ref")
    attribution = defused(reference).text.rstrip(":") if isinstance(reference, str) else ""
    quoted = item.get("type") in ("quotation", "quote") or bool(attribution)
    kind: Kind = "quotation" if quoted else "illustration"
    return Example(shown.text, spans, kind, attribution)


def _offsets(offsets: Any) -> list[tuple[int, int]]:
    pairs = [pair for pair in offsets if isinstance(pair, list | tuple) and len(pair) == 2] if offsets else []
    return [(start, end) for start, end in pairs if isinstance(start, int) and isinstance(end, int)]


def _occurrences(text: str, forms: set[str]) -> tuple[tuple[int, int], ...]:
    """Where a form of the headword stands as a whole word, capitals aside."""
    words = "|".join(
        re.escape(form) for form in sorted(forms, key=lambda form: (-len(form), form)) if form.strip()
    )
    if not words:
        return ()
    found = re.finditer(rf"(?<!\w)(?:{words})(?!\w)", text, re.IGNORECASE)
    return tuple(match.span() for match in found)


def _strings(values: Any) -> list[str]:
    return [value for value in values if isinstance(value, str)] if isinstance(values, list) else []


def _texts(values: Any, key: str) -> list[str]:
    """One field of each object in a list, where it is text."""
    items = [item for item in values if isinstance(item, dict)] if isinstance(values, list) else []
    return _strings([item.get(key) for item in items])
