"""Senses that are not asked for, although they stay in the database."""

from __future__ import annotations

from pathlib import Path

from uncommonsense.corpora.textfile import read_lines
from uncommonsense.errors import MalformedInputError

__all__ = ["read_excluded", "unspecific_senses"]


def read_excluded(path: Path) -> frozenset[str]:
    """Sense labels from a file, one a line; blank lines and lines that begin with ``#`` are passed over."""
    labels = set()
    for number, line in read_lines(path):
        label = line.strip()
        if not label or label.startswith("#"):
            continue
        if len(label.split()) > 1:
            raise MalformedInputError(
                path, number, f"expected one sense label such as 'add_v_6', found {label!r}"
            )
        labels.add(label)
    return frozenset(labels)


def unspecific_senses(folder: Path) -> frozenset[str]:
    """Labels of the senses that a folder of OntoNotes sense groupings names "none of the above"."""
    from uncommonsense.inventories.ontonotes import OntoNotes

    return frozenset(OntoNotes.open(folder).none_of_the_above())
