"""Wiktionary dumps: pages, their wikitext, and the entries, definitions and examples in it."""

from __future__ import annotations

from uncommonsense.wiktionary.entries import Definition, Entry, Example

__all__ = ["Definition", "Entry", "Example"]
