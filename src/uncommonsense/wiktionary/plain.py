"""From wikitext without templates and links to plain text, with the spans that were in bold."""

from __future__ import annotations

import re
from collections.abc import Iterable
from html import unescape
from typing import NamedTuple

__all__ = ["Plain", "defused", "plain"]

_ON, _OFF = "\ue000", "\ue001"
_MARKS = f"[{_ON}{_OFF}]"
_INVISIBLE = re.compile(
    f"[{_ON}{_OFF}\x00-\x08\x0e-\x1f\x7f\u00ad\u200b\u200e\u200f\u2028-\u202e\u2060\ufeff]"
)
_EXTERNAL = re.compile(r"\[(?:https?:|ftp:|mailto:)?//[^\s\[\]]*([^\[\]]*)\]")
_EXTERNAL_OPEN = re.compile(r"\[(?:https?:|ftp:)//[^\s\[\]]*")
_RAISED = re.compile(r"<(sup|sub)\b[^<>]*>([^<>]*)</\1\s*>", re.IGNORECASE)
_BOLD_TAG = re.compile(r"</?(?:b|strong)\s*>", re.IGNORECASE)
_BREAK = re.compile(r"<(?:br|p|/p|hr|/?div|/?poem|/li)\b[^<>]*>", re.IGNORECASE)
_TAG = re.compile(r"</?[A-Za-z][^<>]*>")
_QUOTES = re.compile(r"('{2,})")
_SWITCH = re.compile(r"__[A-Z]+__")
_ANY_RUN = re.compile(rf"[\[\]{{}}']{_MARKS}*[\[\]{{}}']")
_RUN = re.compile(rf"([\[\]{{}}'])(?:{_MARKS}*\1)+")
_LIKE_TAG = re.compile(rf"<{_MARKS}*/?{_MARKS}*[A-Za-z][^<>]*>")
_LIKE_ENTITY = re.compile(r"&(?=[#\w\ue000\ue001]+;)")
_ANY_MARK = re.compile(f"({_ON}|{_OFF})")
_SUPERSCRIPT = str.maketrans("0123456789+-−=()", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁼⁽⁾")
_SUBSCRIPT = str.maketrans("0123456789+-−=()", "₀₁₂₃₄₅₆₇₈₉₊₋₋₌₍₎")
_DIGITS = re.compile(r"[0-9+\-−=()]+")


class Plain(NamedTuple):
    """Text, and the character spans ``[start, end)`` of it that were in bold."""

    text: str
    bold: tuple[tuple[int, int], ...] = ()


def plain(wikitext: str) -> Plain:
    """Take tags, entities, apostrophe markup, external links and superfluous space out of wikitext."""
    text = wikitext if wikitext.isprintable() else _INVISIBLE.sub("", wikitext)
    if "[" in text:
        text = _EXTERNAL_OPEN.sub("", _EXTERNAL.sub(r"\1", text))
    if "<" in text:
        text = _without_tags(text)
    if "''" in text:
        text = "\n".join(_bold_marks(line) for line in text.split("\n"))
    return _finished(text)


def defused(text: str, spans: Iterable[tuple[int, int]] = ()) -> Plain:
    """Text that should be plain already, without tags, entities and what else reads as markup.

    ``spans`` are its parts in bold; those that overlap an earlier one are left out, tags say nothing.
    """
    marked = _marked(text, spans)
    if "<" in marked:
        marked = _TAG.sub("", _BREAK.sub(" ", _RAISED.sub(_raised, marked)))
    return _finished(marked)


def _marked(text: str, spans: Iterable[tuple[int, int]]) -> str:
    pieces: list[str] = []
    place = 0
    for start, end in sorted(spans):
        if place <= start < end <= len(text):
            pieces += [_INVISIBLE.sub("", text[place:start]), _ON, _INVISIBLE.sub("", text[start:end]), _OFF]
            place = end
    return "".join([*pieces, _INVISIBLE.sub("", text[place:])])


def _finished(text: str) -> Plain:
    """Decode entities, make white space one space, and take out what is left of markup."""
    if "&" in text:
        text = _unescape(text)
    if "__" in text:
        text = _SWITCH.sub("", text)
    return _spans(_without_residue(" ".join(text.split())))


def _without_tags(text: str) -> str:
    text = _RAISED.sub(_raised, text)
    return _TAG.sub("", _BREAK.sub(" ", _BOLD_TAG.sub("'''", text)))


def _raised(match: re.Match[str]) -> str:
    """Digits go up or down as characters; other text, as in 17<sup>th</sup>, stays as it is."""
    content = match[2].strip()
    if not _DIGITS.fullmatch(content):
        return match[2]
    return content.translate(_SUPERSCRIPT if match[1].lower() == "sup" else _SUBSCRIPT)


def _unescape(text: str) -> str:
    """Decode entities, those that were encoded twice too."""
    for _ in range(3):
        decoded = unescape(text)
        if decoded == text:
            break
        text = _INVISIBLE.sub(lambda match: match[0] if match[0] in (_ON, _OFF) else "", decoded)
    return text


def _without_residue(text: str) -> str:
    """Defuse what would still read as markup: stray doubled brackets, quoted tags, quoted entities."""
    if _ANY_RUN.search(text):
        text = _RUN.sub(_single, text)
    if "<" in text and _LIKE_TAG.search(text):
        text = text.replace("<", "‹").replace(">", "›")
    return _LIKE_ENTITY.sub("& ", text) if "&" in text else text


def _single(match: re.Match[str]) -> str:
    marks = "".join(character for character in match[0] if character in (_ON, _OFF))
    return ('"' if match[1] == "'" else match[1]) + marks


def _bold_marks(line: str) -> str:
    """Replace runs of apostrophes by marks where bold begins and ends, as MediaWiki reads them."""
    parts = _QUOTES.split(line)
    texts, runs = parts[0::2], [len(run) for run in parts[1::2]]
    for index, length in enumerate(runs):
        if length == 4 or length > 5:
            runs[index] = 3 if length == 4 else 5
            texts[index] += "'" * (length - runs[index])
    if sum(run != 2 for run in runs) % 2 and sum(run != 3 for run in runs) % 2:
        _split_one(texts, runs)
    marked = [texts[0]]
    bold = False
    for run, text in zip(runs, texts[1:], strict=True):
        if run != 2:
            bold = not bold
            marked.append(_ON if bold else _OFF)
        marked.append(text)
    if bold:
        marked.append(_OFF)
    return "".join(marked)


def _split_one(texts: list[str], runs: list[int]) -> None:
    """Where bold and italic are both unbalanced, read one ``'''`` as an apostrophe and an italic mark."""
    bold = [index for index, run in enumerate(runs) if run == 3]
    if not bold:
        return

    def preference(index: int) -> int:
        before = texts[index][-2:].rjust(2)
        return 2 if before[1] == " " else 0 if before[0] == " " else 1

    chosen = min(bold, key=preference)
    runs[chosen] = 2
    texts[chosen] += "'"


def _spans(marked: str) -> Plain:
    """Take the marks out and say where they were."""
    if _ON not in marked and _OFF not in marked:
        return Plain(marked.strip())
    pieces: list[str] = []
    bold: list[tuple[int, int]] = []
    length = start = 0
    for piece in _ANY_MARK.split(marked):
        if piece == _ON:
            start = length
        elif piece == _OFF:
            bold.append((start, length))
        else:
            kept = piece.lstrip() if not pieces or pieces[-1].endswith(" ") else piece
            if kept:
                pieces.append(kept)
                length += len(kept)
    text = "".join(pieces).rstrip()
    return Plain(text, tuple(span for span in (_trimmed(text, *pair) for pair in bold) if span[0] < span[1]))


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    end = min(end, len(text))
    while start < end and text[start] == " ":
        start += 1
    while start < end and text[end - 1] == " ":
        end -= 1
    return start, end
