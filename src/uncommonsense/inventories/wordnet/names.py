"""The closed vocabularies of WordNet's files, from ``names.toml``."""

from __future__ import annotations

import tomllib
from pathlib import Path

__all__ = ["FILES", "LEXFILES", "MARKERS", "PARTS", "RELATIONS", "SYMBOLS"]

_TABLE = tomllib.loads(Path(__file__).with_name("names.toml").read_text("utf-8"))

FILES = {"n": "noun", "v": "verb", "a": "adj", "r": "adv"}
"""The ending of the database files of each part of speech."""

PARTS = "nvars"
"""The letters of ``ss_type``; a synset's part of speech is stored as its position here."""

LEXFILES: tuple[str, ...] = tuple(_TABLE["lexfiles"])
"""The 45 lexicographer files, by number."""

SYMBOLS: dict[str, int] = {symbol: number for number, symbol in enumerate(_TABLE["relations"])}
"""The number of each pointer symbol."""

RELATIONS: tuple[str, ...] = tuple(_TABLE["relations"].values())
"""The name of each relation, by number."""

MARKERS: tuple[tuple[str, str], ...] = tuple(_TABLE["markers"].items())
"""Syntactic markers of adjectives and their names; stored as position + 1, 0 for none."""
