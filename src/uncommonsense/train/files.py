"""Files that appear under their name when they are complete, and folders that one run at a time writes to."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock, Timeout

from uncommonsense.errors import UncommonSenseError, UserError

__all__ = ["alone", "replacing", "sweep"]


@contextmanager
def replacing(place: Path) -> Iterator[Path]:
    """Give a temporary path to write a file or folder to; it takes the place of ``place`` at the end."""
    part = place.with_name(f"{place.name}.{os.getpid()}.part")
    try:
        _remove(part)
        yield part
        if part.is_dir():
            _remove(place)
        else:
            with part.open("rb") as written:
                os.fsync(written.fileno())
        part.replace(place)
    except OSError as error:
        raise UncommonSenseError(f"cannot write {place}: {error.strerror or error}") from error
    finally:
        _remove(part)


@contextmanager
def alone(folder: Path) -> Iterator[None]:
    """Let no other run train the same folder meanwhile."""
    lock = FileLock(folder / "lock", timeout=0)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        lock.acquire()
    except Timeout:
        raise UserError(f"another run is training {folder}; wait for it, or choose another folder") from None
    except OSError as error:
        raise UserError(f"cannot write to {folder}: {error.strerror or error}") from error
    try:
        sweep(folder)
        yield
        (folder / "lock").unlink(missing_ok=True)  # it is finished: whoever comes next only reads
    finally:
        lock.release()


def sweep(folder: Path) -> None:
    """Remove what a run that was killed has left half written."""
    for part in folder.glob("*.part"):
        _remove(part)


def _remove(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)
