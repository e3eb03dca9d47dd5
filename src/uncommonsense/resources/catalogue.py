"""The catalogue of resources, read from ``index.toml``."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from types import MappingProxyType
from typing import Any

from uncommonsense.errors import UnknownNameError

__all__ = ["Resource", "ResourceFile", "Source", "Variant", "index", "lookup", "parse"]


@dataclass(frozen=True, slots=True)
class Variant:
    """Bytes that a file may have."""

    sha256: str
    """Empty where it is not known yet: it is recorded on first use."""
    size: int | None = None
    name: str = ""
    """The edition that these bytes belong to; empty where all editions share them."""


@dataclass(frozen=True, slots=True)
class ResourceFile:
    """A file of a resource, by its path in the resource's folder."""

    path: str
    variants: tuple[Variant, ...]
    optional: bool = False


@dataclass(frozen=True, slots=True)
class Source:
    """A way to obtain a resource: the name of a strategy and what it needs to know."""

    type: str
    options: Mapping[str, Any]

    def __str__(self) -> str:
        options = self.options
        places = options.get("folders") or [one["url"] for one in options.get("urls", ())]
        more = f"(and {len(places) - 1} more)" if len(places) > 1 else ""
        names = options.get("packages") or [options.get(key, "") for key in ("package", "repo", "path")]
        edition = options.get("version") or options.get("revision", "")
        return " ".join(filter(None, [self.type, *names, *places[:1], edition, more]))


@dataclass(frozen=True, slots=True)
class Resource:
    """Something that can be fetched, with its licence and how to recognise it."""

    name: str
    title: str
    version: str
    kind: str
    """``model``, ``inventory``, ``corpus``, ``vectors`` or ``dump``."""
    licence: str
    citation: str
    homepage: str
    size: int
    """Bytes on disk; rounded where no copy has been measured."""
    files: tuple[ResourceFile, ...] = ()
    """Empty where only ``check`` is known."""
    check: tuple[str, ...] = ()
    """Files or folders that must exist."""
    sources: tuple[Source, ...] = ()
    """In the order in which they are tried."""
    manual: str = ""
    """How to obtain it by hand."""

    @property
    def environment(self) -> str:
        """The environment variable that may hold a path to a copy."""
        return "UNCOMMONSENSE_" + self.name.upper().replace("-", "_")

    @property
    def command(self) -> str:
        """What to type to obtain it."""
        return f"uncommonsense data get {self.name}" + ("" if self.sources else " --from PATH")

    @property
    def pinned(self) -> frozenset[str]:
        """The files whose sha256 is known."""
        return frozenset(file.path for file in self.files if all(one.sha256 for one in file.variants))

    @property
    def moving(self) -> bool:
        """Whether its makers replace it under the same address."""
        return self.version == "latest"


@cache
def index() -> Mapping[str, Resource]:
    """All known resources by name."""
    text = files(__package__).joinpath("index.toml").read_text(encoding="utf-8")
    return MappingProxyType(parse(text))


def lookup(name: str) -> Resource:
    """The resource of that name."""
    known = index()
    if name not in known:
        raise UnknownNameError("resource", name, known)
    return known[name]


def parse(text: str) -> dict[str, Resource]:
    """Read a catalogue in the format of ``index.toml``."""
    return {name: _resource(name, table) for name, table in tomllib.loads(text).items()}


def _resource(name: str, table: dict[str, Any]) -> Resource:
    listed = table.pop("files", {})
    sources = table.pop("sources", [])
    return Resource(
        name=name,
        files=tuple(_file(path, variants) for path, variants in listed.items()),
        check=tuple(table.pop("check", ())),
        sources=tuple(Source(source.pop("type"), source) for source in sources),
        manual=table.pop("manual", "").strip(),
        **table,
    )


def _file(path: str, table: dict[str, Any] | list[dict[str, Any]]) -> ResourceFile:
    tables = table if isinstance(table, list) else [table]
    variants = tuple(Variant(one["sha256"], one.get("size"), one.get("variant", "")) for one in tables)
    return ResourceFile(path, variants, optional=any(one.get("optional", False) for one in tables))
