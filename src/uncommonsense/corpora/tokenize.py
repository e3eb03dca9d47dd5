"""A small tokeniser for plain English text, with character offsets."""

from __future__ import annotations

import re

__all__ = ["tokenize"]

_TOKEN = re.compile(
    r"""
      (?:Mr|Mrs|Ms|Dr|Prof|St|Sgt|Lt|Col|Capt|Gen|Rev|Jr|Sr|No|vs|etc)\.   # titles keep their full stop
    | (?:[A-Za-z]\.){2,}                                                    # U.S., a.m.
    | \d+(?:[.,:/]\d+)*                                                     # 1,200  3.5  10:30
    | n't\b | '(?:s|re|ve|ll|d|m)\b                                         # clitics
    | [^\W\d_]+?(?=n't\b)                                                   # do|n't
    | \w+(?:[-’']\w+)*?(?='(?:s|re|ve|ll|d|m)\b)                            # she|'ll
    | \w+(?:[-’'&]\w+)*                                                     # words, hyphenated words
    | \.{2,} | -{2,}
    | \S
    """,
    re.VERBOSE | re.IGNORECASE,
)


def tokenize(text: str) -> list[tuple[str, int, int]]:
    """Split ``text`` into ``(token, start, end)``, offsets in characters, ``text[start:end] == token``."""
    return [(match.group(), match.start(), match.end()) for match in _TOKEN.finditer(text)]
