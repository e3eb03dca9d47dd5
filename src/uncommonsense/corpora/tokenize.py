"""A small tokeniser for plain English text, with character offsets."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

__all__ = ["join", "join_around", "tokenize"]

_PICTURE = r"[\u2190-\u21ff\u2300-\u27bf\u2b00-\u2bff\U0001f000-\U0001faff]"
_DRESSED = rf"{_PICTURE}[\ufe0f\U0001f3fb-\U0001f3ff]*"
_EMOJI = rf"""
    [\U0001f1e6-\U0001f1ff]{{2}}                      # flags are pairs of letters
    | \U0001f3f4[\U000e0020-\U000e007f]+              # or tags
    | [0-9\#*]\ufe0f?\u20e3                           # keycaps
    | {_DRESSED}(?:\u200d{_DRESSED})*                 # colours of skin and hair, families
"""

_TOKEN = re.compile(
    rf"""
      (?:https?://|www\.)[^\s<>"]*[^\s<>".,;:!?'’”)\]}}]                     # addresses
    | {_EMOJI}
    | (?:Mr|Mrs|Ms|Dr|Prof|St|Sgt|Lt|Col|Capt|Gen|Rev|Jr|Sr|vs|etc)\.      # titles keep their full stop
    | No\.(?=\s*\d)
    | (?:[A-Za-z]\.){{2,}}                                                  # U.S., a.m.
    | \d+(?:[.,:/]\d+)*                                                     # 1,200  3.5  10:30
    | n't\b | '(?:s|re|ve|ll|d|m)\b                                         # clitics
    | [^\W\d_]+?(?=n't\b)                                                   # do|n't
    | \w+(?:[-’']\w+)*?(?='(?:s|re|ve|ll|d|m)\b)                            # she|'ll
    | \w+(?:[-’'&]\w+)*                                                     # words, hyphenated words
    | \.{{2,}} | -{{2,}}
    | \S
    """,
    re.VERBOSE | re.IGNORECASE,
)


def tokenize(text: str) -> list[tuple[str, int, int]]:
    """Split ``text`` into ``(token, start, end)``, offsets in characters, ``text[start:end] == token``."""
    return [(match.group(), match.start(), match.end()) for match in _TOKEN.finditer(text)]


_GLUED_LEFT = re.compile(r"[.,;:!?%)\]}…]+|n't|'(?:s|re|ve|ll|d|m)?|''", re.IGNORECASE)
_GLUED_RIGHT = re.compile(r"[$£€#(\[{]|``?")


def join(tokens: Iterable[str]) -> str:
    """Tokens as readable text: the spacing of ordinary English, for display only."""
    return "".join(_spaced(tokens))


def join_around(tokens: Sequence[str], start: int, end: int) -> tuple[str, str, str]:
    """As :func:`join`, in three parts: before, in and after ``tokens[start:end]``.

    The last part keeps its leading space, if it has one.
    """
    parts = list(_spaced(tokens))
    left, middle, right = ("".join(part) for part in (parts[:start], parts[start:end], parts[end:]))
    return left.strip(), middle.strip(), right.rstrip()


def _spaced(tokens: Iterable[str]) -> Iterator[str]:
    """Each token with the space before it; a straight double quote opens and closes in turn."""
    glue, quoted = True, False
    for token in tokens:
        opens = bool(_GLUED_RIGHT.fullmatch(token))
        closes = bool(_GLUED_LEFT.fullmatch(token))
        if token == '"':
            opens, closes, quoted = not quoted, quoted, not quoted
        yield token if glue or closes else f" {token}"
        glue = opens
