"""What the paper prints about FEWS, and the groups of tags: data, from the files beside this one."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple

__all__ = ["Published", "published", "tag_group"]


class Published(NamedTuple):
    """The paper's figures; what it does not print is not there."""

    source: str
    splits: dict[str, dict[str, float]]
    """Split, then column of Table 1."""
    evaluation: dict[str, dict[str, int]]
    """Evaluation set, then ``fews`` or ``framework``: Table 2."""
    facts: dict[str, dict[str, Any]]
    """Key, then ``value`` and ``place``."""


@cache
def published() -> Published:
    """Read the figures once."""
    data = _read("published.toml")
    return Published(data["source"], _table(data["splits"]), _table(data["evaluation"]), data["facts"])


@cache
def tag_group(tag: str) -> str:
    """``grammar``, ``usage``, ``offensive``, ``region`` or ``internet``; a tag of no group is a ``topic``.

    >>> tag_group("chiefly US"), tag_group("nautical")
    ('region', 'topic')
    """
    groups, qualifiers = _tags()
    words = tag.lower().split()
    while " ".join(words) not in groups and words and words[0] in qualifiers:
        words = words[1:]
    return groups.get(" ".join(words), "topic")


@cache
def _tags() -> tuple[dict[str, str], frozenset[str]]:
    """Tag to group, and the words that may stand before a tag."""
    data = _read("tags.toml")
    qualifiers = frozenset(data.pop("qualifiers"))
    return {tag: group for group, tags in data.items() for tag in tags}, qualifiers


def _read(name: str) -> dict[str, Any]:
    return tomllib.loads(files("uncommonsense.fews").joinpath(name).read_text(encoding="utf-8"))


def _table(data: dict[str, Any]) -> dict[str, dict[str, Any]]:
    columns = data["columns"]
    return {name: dict(zip(columns, row, strict=True)) for name, row in data.items() if name != "columns"}
