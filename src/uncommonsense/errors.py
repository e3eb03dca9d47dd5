"""Everything this package raises on purpose.

    UncommonSenseError            exit code 1: the tool or its surroundings failed
    ├── ResourceError             a resource could not be fetched or is damaged
    │   ├── ChecksumError         the bytes are not the expected ones
    │   └── OfflineError          no source of a resource could be reached
    ├── StoreError                a vector store is damaged or was made by something else
    └── UserError                 exit code 2: the request can be corrected by whoever made it
        ├── MalformedInputError   a file breaks its format, at a stated place
        ├── UnknownNameError      a name is not among the legal ones
        └── MissingResourceError  something must be fetched or supplied first

A message says what was found, where, what was expected, and what to do.
"""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from pathlib import Path

__all__ = [
    "ChecksumError",
    "MalformedInputError",
    "MissingResourceError",
    "OfflineError",
    "ResourceError",
    "StoreError",
    "UncommonSenseError",
    "UnknownNameError",
    "UserError",
]


class UncommonSenseError(Exception):
    """The root of the tree; ``exit_code`` is what the command line returns."""

    exit_code = 1


class ResourceError(UncommonSenseError):
    """A resource could not be fetched, or what lies in the cache is damaged."""


class ChecksumError(ResourceError):
    """The bytes that arrived are not the ones the index promises."""


class OfflineError(ResourceError):
    """No source of a resource could be reached."""


class StoreError(UncommonSenseError):
    """A vector store is damaged, or was written for other inputs."""


class UserError(UncommonSenseError):
    """The request cannot be served as it stands; the message says how to correct it."""

    exit_code = 2


class MalformedInputError(UserError):
    """A file breaks its format. ``str()`` begins with ``file:line:``, as compilers print it."""

    def __init__(self, path: str | Path, line: int | None, message: str) -> None:
        place = f"{path}:{line}" if line is not None else str(path)
        super().__init__(f"{place}: {message}")
        self.path = Path(path)
        self.line = line


class UnknownNameError(UserError):
    """A name is not among the legal ones; the message lists them, the closest first."""

    def __init__(self, kind: str, name: str, legal: Iterable[str], *, hint: str = "") -> None:
        known = sorted(legal)
        close = get_close_matches(name, known, n=3, cutoff=0.6)
        message = f"unknown {kind} {name!r}"
        if close:
            message += f"; did you mean {' or '.join(map(repr, close))}?"
        if known and len(known) <= 40:
            message += f"{'' if close else '.'} Known: {', '.join(known)}."
        stop = "" if message[-1] in ".?" or not hint[:1].isupper() else "."
        super().__init__(f"{message}{stop} {hint}".rstrip())
        self.name = name


class MissingResourceError(UserError):
    """Something must be fetched or supplied before this can run."""
