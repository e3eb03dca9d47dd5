"""Whether a folder holds a resource: its sha256 decide, wherever the files came from."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

from uncommonsense.errors import ChecksumError, ResourceError
from uncommonsense.resources.catalogue import Resource, ResourceFile

__all__ = ["Contents", "Problem", "examine", "missing", "sha256_of", "verify"]

RECEIPT = "receipt.json"


class Problem(NamedTuple):
    """Something wrong with one file."""

    file: str
    message: str


class Contents(NamedTuple):
    """What was found in a folder."""

    variant: str
    """The edition that all files agree on; empty where there is only one."""
    sha256: dict[str, str]
    """Of each file that was hashed, by its path in the folder."""
    problems: tuple[Problem, ...]


def verify(
    resource: Resource, folder: Path, *, remembered: Mapping[str, str] | None = None, thorough: bool = False
) -> Contents:
    """Examine a folder and raise if anything is missing or has other bytes than expected."""
    if not any(folder.iterdir()):
        raise ResourceError(f"nothing of {resource.name} was found")
    if absent := missing(resource, folder):
        raise ResourceError(f"{folder} lacks {', '.join(absent)}")
    contents = examine(resource, folder, remembered=remembered, thorough=thorough)
    if contents.problems:
        raise ChecksumError("; ".join(f"{file}: {message}" for file, message in contents.problems))
    return contents


def missing(resource: Resource, folder: Path, *, remembered: Iterable[str] = ()) -> list[str]:
    """What the resource must have, or had once, and ``folder`` has not; ``.`` if there is no such folder."""
    if not folder.is_dir():
        return ["."]
    required = [file.path for file in resource.files if not file.optional]
    wanted = dict.fromkeys((*required, *resource.check, *remembered))
    return [path for path in wanted if not (folder / path).exists()]


def examine(
    resource: Resource, folder: Path, *, remembered: Mapping[str, str] | None = None, thorough: bool = False
) -> Contents:
    """Hash the files of a resource and compare them with the catalogue.

    ``remembered`` holds the sha256 of earlier times, for files whose sha256 the catalogue does not know.
    With ``thorough`` such files are hashed even if nothing is remembered of them.
    """
    remembered = remembered or {}
    problems = [Problem(path, "missing") for path in missing(resource, folder, remembered=remembered)]
    sha256: dict[str, str] = {}
    editions: dict[str, set[str]] = {}
    for file in _to_hash(resource, folder, remembered, thorough=thorough):
        found = sha256[file.path] = sha256_of(folder / file.path)
        names = {variant.name for variant in file.variants if variant.sha256 == found}
        if expected := _expected(file, remembered):
            if found not in expected:
                size = (folder / file.path).stat().st_size
                alternatives = " or ".join(f"{digest} ({origin})" for digest, origin in expected.items())
                problems.append(Problem(file.path, f"sha256 {found} ({size} bytes), expected {alternatives}"))
            elif "" not in names and names:
                editions[file.path] = names
    return Contents(_common(editions, problems), sha256, tuple(problems))


def _expected(file: ResourceFile, remembered: Mapping[str, str]) -> dict[str, str]:
    """The sha256 that a file may have, and who says so; empty if nobody knows."""
    known = {variant.sha256: variant.name or "index" for variant in file.variants if variant.sha256}
    return known or ({remembered[file.path]: "first use"} if file.path in remembered else {})


def sha256_of(path: Path) -> str:
    """The sha256 of a file, in hexadecimal digits."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _to_hash(
    resource: Resource, folder: Path, remembered: Mapping[str, str], *, thorough: bool
) -> Iterable[ResourceFile]:
    """The files to hash: the listed ones with a known sha256, the remembered ones, or all there are."""
    listed = {file.path: file for file in resource.files}
    chosen = {*resource.pinned, *remembered}
    if thorough:
        names = (path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())
        chosen |= {name for name in names if name != RECEIPT}
    for path in sorted(chosen):
        if (folder / path).is_file():
            yield listed.get(path) or ResourceFile(path, ())


def _common(editions: Mapping[str, set[str]], problems: list[Problem]) -> str:
    """The edition that all files belong to; files of different editions do not fit together."""
    if not editions:
        return ""
    agreed = set.intersection(*editions.values())
    if not agreed:
        found = ", ".join(f"{path} of {' or '.join(sorted(names))}" for path, names in editions.items())
        problems.append(Problem(".", f"files of different editions: {found}"))
    return min(agreed, default="")
