"""The parts of a page: the section of a language, its parts of speech, the lines of their lists."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

__all__ = ["Line", "language_section", "list_lines", "part_sections"]

# Patterns begin with the end of the line before: a search for that is several times faster than for "^".
_HEADING = re.compile(r"\n==+([^\n]+?)==+[ \t]*(?=\n|$)")
_NEXT_LANGUAGE = re.compile(r"\n==[^=\n][^\n]*==[ \t]*(?:<!--[^\n]*)?(?=\n|$)")
_MARKER = re.compile(r"[#*:;]+")
_NUMBER = re.compile(r"\s+(?:\d+|[IVX]+)$")


class Line(NamedTuple):
    """A line of a list: its marker (``#``, ``#*:``) and the rest, more than one line if a template is."""

    marker: str
    body: str


@lru_cache(maxsize=64)
def _language_heading(language: str) -> re.Pattern[str]:
    title = rf"(?:\[\[)?{re.escape(language)}(?:\]\])?"
    return re.compile(rf"\n==[ \t]*{title}[ \t]*==[ \t]*(?:<!--[^\n]*)?(?=\n|$)")


def language_section(text: str, language: str) -> str | None:
    """What a page says of its title as a word of one language, or None."""
    text = "\n" + text.replace("\r\n", "\n")
    heading = _language_heading(language).search(text)
    if heading is None:
        return None
    following = _NEXT_LANGUAGE.search(text, heading.end())
    return text[heading.end() : following.start() if following else len(text)]


def part_sections(section: str) -> Iterator[tuple[str, str]]:
    """Yield the title (lower case, without its number) and the text of each section to the next title."""
    headings = list(_HEADING.finditer(section))
    ends = [*(heading.start() for heading in headings[1:]), len(section)]
    for heading, end in zip(headings, ends, strict=False):
        title = heading[1].strip("=[] ").rpartition("|")[2]
        yield _NUMBER.sub("", title).lower(), section[heading.end() : end]


def list_lines(body: str, warnings: Counter[str]) -> Iterator[Line]:
    """Yield the lines that begin with ``#``; a template left open takes in the lines that follow.

    It takes no line that begins with ``#``, so that a forgotten brace costs one line and not a page.
    """
    marker, held, opened = "", [""], 0
    for line in body.split("\n"):
        if line.startswith("#"):
            if marker:
                yield _line(marker, held, opened, warnings)
            marker = _marker(line)
            held = [line[len(marker) :]]
            opened = line.count("{{") - line.count("}}")
        elif marker and opened > 0:
            held.append(line)
            opened += line.count("{{") - line.count("}}")
    if marker:
        yield _line(marker, held, opened, warnings)


def _marker(line: str) -> str:
    match = _MARKER.match(line)
    return match[0] if match else ""


def _line(marker: str, held: list[str], opened: int, warnings: Counter[str]) -> Line:
    """A line to its end; one whose template never closes keeps only what was on the line itself."""
    if opened > 0:
        warnings["template not closed before the next line of the list"] += 1
        held = held[:1]
    return Line(marker, "\n".join(held))
