"""The cache on disk: one folder and one receipt per resource, written as a whole or not at all.

CACHE/NAME-VERSION/   the files and receipt.json; or only a receipt that names a folder elsewhere
CACHE/partial/NAME/   a download under way, by whoever holds the lock
CACHE/locks/NAME.lock
"""

from __future__ import annotations

import errno
import json
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path

from filelock import FileLock, Timeout
from platformdirs import user_cache_dir

from uncommonsense.errors import ResourceError
from uncommonsense.resources.catalogue import Resource
from uncommonsense.resources.transfer import Progress
from uncommonsense.resources.verification import RECEIPT

__all__ = ["Receipt", "cache_dir", "exclusive", "home", "install", "read_receipt", "workspace", "writing"]

_SPACE = (errno.ENOSPC, errno.EDQUOT)


@dataclass(frozen=True, slots=True)
class Receipt:
    """What is in the cache, where it came from, and the sha256 it had then."""

    name: str
    version: str
    source: str
    detail: str
    date: str
    variant: str = ""
    folder: str = ""
    """Where the files are, if not beside the receipt."""
    origin: str = ""
    """The user's file that was copied or unpacked."""
    trust: str = "index"
    """``index``: all sha256 are published; ``first use``: some recorded here; ``given``: none is known."""
    files: dict[str, str] = field(default_factory=dict)
    downloads: dict[str, str] = field(default_factory=dict)


def cache_dir() -> Path:
    """The folder that downloads are kept in: UNCOMMONSENSE_CACHE, or the platform's cache folder."""
    return (
        Path(os.environ.get("UNCOMMONSENSE_CACHE") or user_cache_dir("uncommonsense")).expanduser().absolute()
    )


def home(resource: Resource) -> Path:
    """Where the cache keeps a resource."""
    return cache_dir() / f"{resource.name}-{resource.version}"


def read_receipt(resource: Resource) -> Receipt | None:
    """The receipt of a resource, or nothing if there is none that can be read."""
    try:
        return Receipt(**json.loads((home(resource) / RECEIPT).read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError):
        return None


@contextmanager
def writing(resource: Resource) -> Iterator[None]:
    """Turn the system's refusals into errors that say what to do."""
    try:
        yield
    except OSError as error:
        reason, place = error.strerror or str(error), cache_dir()
        if error.filename and not Path(os.fsdecode(error.filename)).absolute().is_relative_to(place):
            raise ResourceError(f"{os.fsdecode(error.filename)}: {reason}") from error
        needs = (
            f"; {resource.name} needs about {resource.size / 1e6:,.0f} MB" if error.errno in _SPACE else ""
        )
        hint = "set UNCOMMONSENSE_CACHE to a folder with room that you may write to"
        raise ResourceError(f"cannot write to the cache {place}: {reason}{needs}; {hint}") from error


@contextmanager
def exclusive(name: str, progress: Progress) -> Iterator[None]:
    """Hold the lock of a resource; wait for whoever has it."""
    lock = _lock(name)
    try:
        lock.acquire(timeout=0)
    except Timeout:
        with progress(f"waiting for another process that is fetching {name}", None, "processes"):
            lock.acquire()
    try:
        yield
    finally:
        lock.release()


@contextmanager
def workspace(name: str) -> Iterator[Path]:
    """An empty temporary folder in the cache, removed at the end; for the holder of the lock only."""
    folder = cache_dir() / "partial" / name
    _sweep(besides=folder)
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def install(folder: Path, resource: Resource, receipt: Receipt) -> None:
    """Put a finished folder in its place, in one step, replacing what was there."""
    (folder / RECEIPT).write_text(json.dumps(asdict(receipt), indent=2) + "\n", encoding="utf-8")
    for path in (*folder.rglob("*"), folder):
        _flush(path)
    place = home(resource)
    if place.exists():
        place.rename(folder.with_name("replaced"))
    folder.rename(place)
    _flush(place.parent)


def _lock(name: str) -> FileLock:
    folder = cache_dir() / "locks"
    folder.mkdir(parents=True, exist_ok=True)
    return FileLock(folder / f"{name}.lock")


def _sweep(besides: Path) -> None:
    """Remove what processes left that died: temporary folders whose lock nobody holds."""
    for stale in set(besides.parent.glob("*")) - {besides}:
        with suppress(Timeout), _lock(stale.name).acquire(timeout=0):
            shutil.rmtree(stale, ignore_errors=True)


def _flush(path: Path) -> None:
    """Have a file or folder written to the disk itself, so that a power cut cannot leave it empty."""
    if path.is_dir() and os.name == "nt":
        return  # Windows cannot open folders
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
