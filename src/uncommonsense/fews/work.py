"""The work folder of a build: chunks of parsed pages, so that a run that was stopped goes on where it was.

DIR.partial/options.json             what the chunks depend on; other options cannot use them
DIR.partial/chunks/0000012.jsonl.gz  written at once or not at all
DIR.partial/parsed                   there when no chunk is missing
DIR.partial/result/                  becomes DIR
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from uncommonsense.corpora.staging import staged
from uncommonsense.errors import UserError
from uncommonsense.fews.digest import Tally, read_chunk
from uncommonsense.fews.layout import CARD, LICENCE, MANIFEST, PARQUET
from uncommonsense.fews.numbering import Headword
from uncommonsense.fews.writing import FILES

__all__ = ["WorkFolder", "require_free"]

_OURS = {*FILES, CARD, LICENCE, MANIFEST}
_PARTIAL = {"chunks", "lock", "options.json", "result", "replaced"}
REPEATED_WORD = "headword: met before"


class WorkFolder:
    """The folder beside ``out`` in which it is built."""

    def __init__(self, out: Path) -> None:
        self.out = out
        self.path = out.with_name(f"{out.name}.partial")
        self.result = self.path / "result"
        self._chunks = self.path / "chunks"

    @contextmanager
    def opened(self, options: Mapping[str, Any], *, force: bool) -> Iterator[WorkFolder]:
        """Make the folder, or go on with the one that is there; no other build may use it meanwhile."""
        with self._lock():
            self._claim(json.loads(json.dumps(options)), force=force)
            try:
                yield self
            finally:
                if not self.chunks():  # there is nothing to go on with
                    self.discard()

    def _lock(self) -> AbstractContextManager[object]:
        """Hold the folder, which is made if it is not there."""
        with _writing(self.path):
            if self.path.exists() and not {entry.name for entry in self.path.glob("[!.]*")} <= _PARTIAL:
                raise UserError(f"{self.path} has other things in it; move it away, or choose another --out")
            self._chunks.mkdir(parents=True, exist_ok=True)
            return FileLock(self.path / "lock").acquire(timeout=0)

    def _claim(self, options: dict[str, Any], *, force: bool) -> None:
        file = self.path / "options.json"
        if file.exists():
            before = json.loads(file.read_text(encoding="utf-8"))
            if before == options:
                return
            if not force:
                raise UserError(_differ(self.path, before, options))
            shutil.rmtree(self._chunks)
            self._chunks.mkdir()
        with staged(file, overwrite=True) as temporary:
            temporary.write_text(json.dumps(options, indent=2), encoding="utf-8")

    def chunks(self) -> dict[int, Path]:
        """The complete chunks by number, in order."""
        return {
            int(file.name.partition(".")[0]): file for file in sorted(self._chunks.glob("[0-9]*.jsonl.gz"))
        }

    def add(self, number: int, packed: bytes) -> None:
        """Write a chunk."""
        with staged(self._chunks / f"{number:012d}.jsonl.gz", overwrite=True) as temporary:
            temporary.write_bytes(packed)

    def headwords(self, tally: Tally | None = None) -> Iterator[Headword]:
        """All headwords in the order of the dump, each once; ``tally`` gets what the chunks met."""
        total, seen = tally or Tally(), set[str]()
        for chunk in self.chunks().values():
            for found in read_chunk(chunk):
                if isinstance(found, Tally):
                    total.add(found)
                elif found.key in seen:
                    total.dropped[REPEATED_WORD] += 1
                else:
                    seen.add(found.key)
                    yield found

    @contextmanager
    def publishing(self) -> Iterator[Path]:
        """Give the folder to write the result to; afterwards it is ``out``, and the work folder is gone."""
        shutil.rmtree(self.result, ignore_errors=True)
        self.result.mkdir()
        yield self.result
        _flush(self.result)
        if self.out.exists():
            replaced = self.path / "replaced"
            shutil.rmtree(replaced, ignore_errors=True)
            self.out.rename(replaced)
        self.result.rename(self.out)
        self.discard()

    def discard(self) -> None:
        """Remove the work folder."""
        shutil.rmtree(self.path, ignore_errors=True)


@contextmanager
def _writing(place: Path) -> Iterator[None]:
    """Say what can be done where a place cannot be written to."""
    try:
        yield
    except Timeout:
        message = f"another build is at work in {place}; wait for it, or choose another place with --out"
        raise UserError(message) from None
    except OSError as error:
        reason = error.strerror or error
        raise UserError(f"cannot write to {place}: {reason}; choose another place with --out") from error


def _flush(folder: Path) -> None:
    """Bring what was written to the disk, lest the new name outlive a power cut and the bytes do not."""
    for file in folder.rglob("*"):
        if file.is_file():
            with file.open("r+b") as stream:
                os.fsync(stream.fileno())


def _differ(path: Path, before: Mapping[str, Any], now: Mapping[str, Any]) -> str:
    names = [name for name in now if before.get(name) != now[name]]
    changes = ", ".join(f"{name} {before.get(name)!r} (now {now[name]!r})" for name in names)
    return (
        f"{path} is an unfinished build with other options: {changes}. "
        "Finish it with those, choose another --out, or start afresh with --force"
    )


def require_free(out: Path, *, force: bool) -> None:
    """Refuse a place that holds something, unless it is a build that may be replaced."""
    with _writing(out):
        if not out.exists():
            return
        if out.is_dir() and not any(out.iterdir()):
            return
        foreign = _foreign(out)
    if force and not foreign:
        return
    if force:
        raise UserError(f"{foreign}; it will not be overwritten: move it away, or choose another --out")
    raise UserError(f"{out} exists already; choose another name with --out, or replace it with --force")


def _foreign(out: Path) -> str:
    """Why a place may not be replaced; empty if it is a build and nothing else."""
    if not (out / MANIFEST).is_file():
        return f"{out} is not a folder that this command wrote"
    files = (file.relative_to(out) for file in out.rglob("*") if not file.is_dir())
    others = sorted(file for file in files if file.as_posix() not in _OURS and file.parts[0] != PARQUET)
    return f"{out / others[0]} is nothing that this command wrote" if others else ""
