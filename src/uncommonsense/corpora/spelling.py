"""Spellings that the formats share: parts of speech, WordNet sense keys, multi-word forms."""

from __future__ import annotations

import re

__all__ = ["pos_letter", "pos_of_key", "split_form"]

_LETTERS = {
    **dict.fromkeys(("n", "noun", "propn"), "n"),
    **dict.fromkeys(("v", "verb"), "v"),
    **dict.fromkeys(("a", "s", "adj", "adjective"), "a"),
    **dict.fromkeys(("r", "adv", "adverb"), "r"),
    **dict.fromkeys(("p", "adp", "prep", "preposition", "adposition"), "p"),
    "x": "x",
}
_SENSE_KEY = re.compile(r"[^%]+%([1-5]):\d\d:\d\d:(?:[^:%]+:\d\d|:)")


def pos_letter(name: str) -> str | None:
    """The letter of a part of speech spelt ``NOUN``, ``noun``, ``n``, ...; None for an unknown one."""
    return _LETTERS.get(name.lower())


def pos_of_key(sense: str) -> str | None:
    """The part of speech in a WordNet sense key (``lemma%ss_type:...``); None if it is not such a key."""
    match = _SENSE_KEY.fullmatch(sense)
    return "nvara"[int(match[1]) - 1] if match else None


def split_form(form: str) -> tuple[str, ...]:
    """The words of a form that are joined by underscores or spaces; the form itself if it is one word."""
    if "_" in form or " " in form:
        return tuple(form.replace("_", " ").split()) or (form,)
    return (form,)
