"""Get, find and check resources."""

from __future__ import annotations

import logging
import os
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from pathlib import Path

from uncommonsense.errors import (
    ChecksumError,
    MissingResourceError,
    OfflineError,
    ResourceError,
    UnknownNameError,
)
from uncommonsense.resources.catalogue import Resource, Source, index, lookup
from uncommonsense.resources.sources import STRATEGIES, Job
from uncommonsense.resources.store import Receipt, exclusive, home, install, read_receipt, workspace, writing
from uncommonsense.resources.transfer import Progress, silent
from uncommonsense.resources.verification import Contents, examine, missing, verify

__all__ = ["Finding", "Status", "check", "get", "path", "register", "status"]

log = logging.getLogger("uncommonsense.resources")


@dataclass(frozen=True, slots=True)
class Status:
    """Whether a resource is here, and what is known of this copy."""

    name: str
    state: str
    """``present``, ``absent``, or ``broken`` if files of it have gone."""
    path: str = ""
    source: str = ""
    """What it came from: the kind of source and its details."""
    variant: str = ""
    trust: str = ""
    """``index``: all sha256 are published; ``first use``: some recorded here; ``given``: none is known."""
    date: str = ""


@dataclass(frozen=True, slots=True)
class Finding:
    """The outcome of a check: one for a sound resource, one per bad file of another."""

    name: str
    state: str
    """``ok``, ``damaged`` or ``missing``."""
    file: str
    message: str


def path(name: str) -> Path:
    """The folder of a resource that is here already; never fetches."""
    resource = lookup(name)
    if given := _from_environment(resource):
        return given
    receipt = read_receipt(resource)
    if receipt is None:
        raise MissingResourceError(_how_to_get(resource, f"the resource {name!r} is not here"))
    folder = _folder(resource, receipt)
    if not folder.is_dir():
        raise MissingResourceError(_how_to_get(resource, f"{folder} has gone"))
    if gone := missing(resource, folder, remembered=receipt.files):
        raise MissingResourceError(_how_to_get(resource, f"{folder} lacks {', '.join(gone[:5])}"))
    return folder


def get(name: str, *, source: str | None = None, progress: Progress | None = None) -> Path:
    """Fetch a resource unless it is here, verify its files and return its folder.

    ``source`` names the kind of source to use (``npm``, ``https``, ...) and fetches anew; without it all are
    tried in order. Files that were damaged since the last time are fetched again.
    """
    resource = lookup(name)
    sources = _choose(resource, source)
    if source is None and (given := _given(resource)):
        return register(name, given, progress=progress) if given.is_file() else path(name)
    with writing(resource):
        if source is None and (folder := _sound(resource)):
            return folder  # without the lock, so that a cache that others prepared may be read-only
        with exclusive(name, progress or silent):
            if source is None and (folder := _sound(resource)):
                return folder
            return _fetch(resource, sources, progress or silent)


def register(name: str, path: str | Path, *, progress: Progress | None = None) -> Path:
    """Use a user's copy: a folder in place, an archive unpacked to the cache, a single file copied to it."""
    resource = lookup(name)
    with writing(resource), exclusive(name, progress or silent):
        return _fetch(resource, [_path_source(resource, Path(path))], progress or silent)


def status(name: str) -> Status:
    """Whether a resource is here; files are hashed only in a folder that the environment names."""
    resource = lookup(name)
    receipt = read_receipt(resource)
    given = _given(resource)
    if receipt is None and given is None:
        return Status(name, "absent")
    known = (
        receipt if receipt and not given else Receipt(name, "", "path", f"path {given}", "", trust="given")
    )
    try:
        return Status(name, "present", str(path(name)), known.detail, known.variant, known.trust, known.date)
    except (MissingResourceError, ResourceError):
        return Status(name, "broken", str(given or _folder(resource, known)), known.detail)


def check(names: Iterable[str] | None = None) -> list[Finding]:
    """Hash resources again: those named, or all that are here."""
    chosen = [name for name in index() if status(name).state != "absent"] if names is None else list(names)
    return [finding for name in chosen for finding in _check(lookup(name))]


def _check(resource: Resource) -> list[Finding]:
    receipt = read_receipt(resource)
    given = _given(resource)
    if given and given.is_dir():
        folder, remembered = given, {}
    elif receipt:
        folder, remembered = _folder(resource, receipt), receipt.files
    else:
        return [Finding(resource.name, "missing", str(given or ""), f"not here; run: {resource.command}")]
    contents = examine(resource, folder, remembered=remembered)
    if contents.problems:
        return [
            Finding(resource.name, "damaged", str(folder / one.file), one.message)
            for one in contents.problems
        ]
    edition = f", {contents.variant} edition" if contents.variant else ""
    return [Finding(resource.name, "ok", str(folder), f"files hashed: {len(contents.sha256)}{edition}")]


def _fetch(resource: Resource, sources: list[Source], progress: Progress) -> Path:
    """Try the sources in order; the first whose files are right is installed."""
    if not sources:
        raise MissingResourceError(_how_to_get(resource, f"{resource.title} cannot be downloaded"))
    failures: list[tuple[Source, ResourceError]] = []
    for source in sources:
        with workspace(resource.name) as folder:
            try:
                return _try(resource, source, folder, progress)
            except ResourceError as error:
                failures.append((source, error))
    raise _failure(resource, failures)


def _try(resource: Resource, source: Source, space: Path, progress: Progress) -> Path:
    """Fetch from one source; nothing is installed unless all of it is right."""
    job = Job(resource, source.options, space / "files", space / "scratch", progress)
    job.folder.mkdir()
    job.scratch.mkdir()
    folder = STRATEGIES[source.type](job)
    ours = folder == job.folder
    contents = verify(resource, folder, remembered=_remembered(resource) if ours else {}, thorough=ours)
    receipt = Receipt(
        name=resource.name,
        version=resource.version,
        source=source.type,
        detail=str(source),
        date=datetime.now(UTC).isoformat(timespec="seconds"),
        variant=contents.variant,
        folder="" if ours else str(folder),
        origin=source.options.get("path", "") if ours else "",
        trust=_trust(resource, contents),
        files=contents.sha256,
        downloads=job.downloads,
    )
    install(job.folder, resource, receipt)
    if receipt.trust == "first use":
        log.warning(
            "%s has no published sha256: that of this copy is recorded and checked from now on", resource.name
        )
    return _folder(resource, receipt)


def _remembered(resource: Resource) -> dict[str, str]:
    """The sha256 that the last download set, for files of which the catalogue knows none."""
    receipt = read_receipt(resource)
    if receipt is None or resource.moving:
        return {}
    return {path: digest for path, digest in receipt.files.items() if path not in resource.pinned}


def _trust(resource: Resource, contents: Contents) -> str:
    if not contents.sha256:
        return "given"
    return "index" if contents.sha256.keys() <= resource.pinned else "first use"


def _failure(resource: Resource, failures: list[tuple[Source, ResourceError]]) -> ResourceError:
    """One error for all sources, of the most telling class."""
    classes = {type(error) for _, error in failures}
    kind = next((one for one in (ChecksumError, OfflineError) if one in classes), ResourceError)
    lines = [f"could not get {resource.name!r}:", *(f"  {source}: {error}" for source, error in failures)]
    if failures[-1][0].type != "path":
        lines.append("Check the connection, or choose a source with --source.")
    lines.append(
        f"To use a copy of your own: uncommonsense data get {resource.name} --from PATH ({resource.homepage})"
    )
    return kind("\n".join([*lines, *filter(None, [resource.manual])]))


def _choose(resource: Resource, source: str | None) -> list[Source]:
    if source == "path":
        given = _given(resource)
        if given is None:
            raise MissingResourceError(
                f"use --from PATH, or set {resource.environment}, to say where {resource.name} is"
            )
        return [_path_source(resource, given)]
    chosen = [one for one in resource.sources if source in (None, one.type)]
    if source and not chosen:
        raise UnknownNameError(
            f"source of {resource.name}", source, {one.type for one in resource.sources} | {"path"}
        )
    return chosen


def _path_source(resource: Resource, given: Path) -> Source:
    """A source for a user's copy, which may be laid out as any of the resource's archives is."""
    options = [one.options for one in resource.sources]
    return Source(
        "path",
        {
            "path": str(given.expanduser().absolute()),
            "roots": [*(root for one in options for root in one.get("roots", ())), ""],
            "nested": [name for one in options for name in one.get("nested", ())],
            "keep": next((one["keep"] for one in options if "keep" in one), [""]),
        },
    )


def _given(resource: Resource) -> Path | None:
    """What the resource's environment variable names; nothing if it is not set."""
    given = os.environ.get(resource.environment)
    return Path(given).expanduser().absolute() if given else None


def _from_environment(resource: Resource) -> Path | None:
    """The verified folder that the environment names, or the copy of the file that it names."""
    given = _given(resource)
    if given is None or given.is_dir():
        return given and _verified(resource.name, given)
    receipt = read_receipt(resource)
    if receipt and receipt.origin == str(given):
        return home(resource)
    repair = (
        f"run: uncommonsense data get {resource.name}"
        if given.is_file()
        else "which does not exist; correct or unset it"
    )
    raise MissingResourceError(f"{resource.environment} is set to {given}; {repair}")


@cache
def _verified(name: str, folder: Path) -> Path:
    """Verify a user's folder, once per process."""
    verify(lookup(name), folder)
    return folder


def _sound(resource: Resource) -> Path | None:
    """The folder of a resource whose files still have the sha256 they had."""
    receipt = read_receipt(resource)
    if receipt is None:
        return None
    folder = _folder(resource, receipt)
    return None if examine(resource, folder, remembered=receipt.files).problems else folder


def _folder(resource: Resource, receipt: Receipt) -> Path:
    return Path(receipt.folder) if receipt.folder else home(resource)


def _how_to_get(resource: Resource, problem: str) -> str:
    by_hand = resource.manual if not resource.sources else ""
    return f"{problem}; run: {resource.command}\n{by_hand}".rstrip()
