"""A function applied to all pages of a dump, by several processes that share one file.

The dump is cut into chunks that depend on the file alone. Where reading may begin anywhere (plain and bzip2
files), each process reads its own chunks; else this process reads and the others work on the pages.
"""

from __future__ import annotations

import multiprocessing
import re
import signal
import traceback
from collections import deque
from collections.abc import Callable, Collection, Container, Iterator
from contextlib import suppress
from dataclasses import dataclass
from itertools import groupby
from multiprocessing.connection import Connection, wait
from multiprocessing.reduction import ForkingPickler
from pathlib import Path
from typing import Any, Generic, NamedTuple, TypeVar, cast

from uncommonsense.errors import UncommonSenseError, UserError
from uncommonsense.wiktionary.dump import Page, Selection, read_part, select
from uncommonsense.wiktionary.pieces import PIECE, Storage, Told, storage_of
from uncommonsense.wiktionary.scan import Findings

__all__ = ["map_pages"]

T = TypeVar("T")

CHUNK_SIZE = 16 * PIECE
"""Bytes of text in a chunk; about a quarter as many where the file is bzip2. Chunk ids depend on it."""
_AHEAD = 3
"""Chunks per worker that may be done before the next in order is."""


def map_pages(
    path: Path,
    function: Callable[[list[Page]], T],
    *,
    workers: int = 1,
    namespaces: Collection[int] | None = None,
    containing: re.Pattern[bytes] | None = None,
    on_bytes: Told | None = None,
    skip: Container[int] = (),
    findings: Findings | None = None,
) -> Iterator[tuple[int, T]]:
    """Apply a function to the selected pages of each chunk; gives chunk ids and results in the dump's order.

    Ids and results do not depend on ``workers``. Chunks in ``skip`` are passed over: not even decompressed in
    plain and bzip2 files. A chunk may have no pages. With several workers the function must be importable
    and its result picklable. ``on_bytes`` and ``findings`` as in ``read_pages``, for what was yielded.
    """
    if workers < 1:
        raise UserError(f"{workers} workers: expected 1 or more")
    selection = select(path, namespaces, containing)
    seen = Findings() if findings is None else findings
    told = on_bytes or (lambda _: None)
    work = _Work(path, selection, function)
    jobs = (job for job in _plan(path, selection, seen, told) if job.chunk not in skip)
    outcomes = map(work, jobs) if workers == 1 else _share(work, jobs, workers)
    for outcome in outcomes:
        seen.add(outcome.findings)
        if outcome.end is not None:
            told(outcome.end)
        yield outcome.chunk, outcome.result
    told(path.stat().st_size)


class _Job(NamedTuple):
    """A chunk to work on: its pages, or the bytes ``[start, end)`` in which they begin."""

    chunk: int
    start: int = 0
    end: int | None = None
    pages: list[Page] | None = None


class _Outcome(NamedTuple, Generic[T]):
    chunk: int
    end: int | None
    result: T
    findings: Findings


class _Failure(NamedTuple):
    """An exception of another process; few exceptions survive the way as they are."""

    message: str
    is_users: bool
    trace: str


@dataclass(frozen=True)
class _Work(Generic[T]):
    """What is done with each chunk."""

    path: Path
    selection: Selection
    function: Callable[[list[Page]], T]

    def __call__(self, job: _Job) -> _Outcome[T]:
        findings = Findings()
        pages = job.pages
        if pages is None:
            pages = list(read_part(self.path, job.start, job.end, self.selection, findings))
        try:
            return _Outcome(job.chunk, job.end, self.function(pages), findings)
        except Exception as error:
            kind = UserError if isinstance(error, UserError) else UncommonSenseError
            raise kind(f"{self.path}: {self._culprit(pages)}: {type(error).__name__}: {error}") from error

    def _culprit(self, pages: list[Page]) -> str:
        """The page on which the function fails."""
        for page in pages:
            try:
                self.function([page])
            except Exception:
                return f"page {page.title!r} at byte {page.offset}"
        return f"pages {pages[0].title!r} to {pages[-1].title!r}" if pages else "no pages"


def _plan(path: Path, selection: Selection, findings: Findings, told: Told) -> Iterator[_Job]:
    """The chunks of a dump, numbered in order."""
    storage = storage_of(path)
    length = CHUNK_SIZE // 4 if storage is Storage.BZIP2 else CHUNK_SIZE
    if storage.splits:
        size = path.stat().st_size
        for chunk, start in enumerate(range(0, size, length)):
            yield _Job(chunk, start, min(start + length, size))
    else:
        pages = read_part(path, 0, None, selection, findings, on_bytes=told)
        for chunk, group in groupby(pages, lambda page: page.offset // length):
            yield _Job(chunk, pages=list(group))


def _share(work: _Work[T], jobs: Iterator[_Job], workers: int) -> Iterator[_Outcome[T]]:
    """Do the jobs in other processes, a few ahead, and give their outcomes in order."""
    crew = _Crew(work, workers)
    try:
        crew.give(jobs)
        while crew.order:
            crew.receive(waiting=crew.order[0] not in crew.done)
            crew.give(jobs)
            if crew.order[0] in crew.done:
                yield _succeeded(crew.done.pop(crew.order.popleft()))
    finally:
        crew.stop()


def _succeeded(outcome: _Outcome[T] | _Failure) -> _Outcome[T]:
    if not isinstance(outcome, _Failure):
        return outcome
    error = UserError(outcome.message) if outcome.is_users else UncommonSenseError(outcome.message)
    error.add_note(outcome.trace)
    raise error


class _Crew(Generic[T]):
    """Worker processes; ``order`` has the chunks under way or done, ``done`` the outcomes not yet taken."""

    def __init__(self, work: _Work[T], workers: int) -> None:
        self.order: deque[int] = deque()
        self.done: dict[int, _Outcome[T] | _Failure] = {}
        self._workers = [_Worker(work) for _ in range(workers)]
        self._idle = deque(self._workers)
        self._busy: dict[Connection, _Worker] = {}

    def give(self, jobs: Iterator[_Job]) -> None:
        """Give each idle worker a job, but let none run far ahead of the outcome that is next in order."""
        while self._idle and len(self.order) < _AHEAD * len(self._workers) and (job := next(jobs, None)):
            worker = self._idle.popleft()
            worker.give(job)
            self._busy[worker.connection] = worker
            self.order.append(job.chunk)

    def receive(self, *, waiting: bool) -> None:
        """Take in the outcomes that are ready, waiting for one if so told."""
        for connection in wait(list(self._busy), timeout=None if waiting else 0):
            worker = self._busy.pop(cast("Connection", connection))
            self.done[worker.chunk] = worker.outcome()
            self._idle.append(worker)

    def stop(self) -> None:
        for worker in self._workers:
            worker.connection.close()
            worker.process.terminate()
        for worker in self._workers:
            worker.process.join()


class _Worker:
    """A process that has one job at a time, so that neither side waits for the other to read."""

    def __init__(self, work: _Work[Any]) -> None:
        # A fresh interpreter inherits no locks, nor this end of the pipe: it sees when this process is gone.
        context = multiprocessing.get_context("spawn")
        self.connection, theirs = context.Pipe()
        self.process = context.Process(target=_serve, args=(theirs, work), daemon=True)
        self.process.start()
        theirs.close()
        self._path = work.path
        self.chunk = -1

    def give(self, job: _Job) -> None:
        self.chunk = job.chunk
        try:
            self.connection.send(job)
        except OSError:
            raise self._death() from None

    def outcome(self) -> _Outcome[Any] | _Failure:
        try:
            return cast("_Outcome[Any] | _Failure", self.connection.recv())
        except (EOFError, OSError):
            raise self._death() from None

    def _death(self) -> UncommonSenseError:
        self.process.join(1)
        return UncommonSenseError(
            f"{self._path}: a worker process ended with code {self.process.exitcode} in chunk {self.chunk}; "
            "if memory ran out, use fewer workers"
        )


def _serve(connection: Connection, work: _Work[Any]) -> None:
    """Do jobs until there are no more, or nobody is there to give them."""
    # Whoever gives the jobs is interrupted too, and ends this process.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with suppress(EOFError, OSError):
        while True:
            connection.send_bytes(_answer(work, connection.recv()))


def _answer(work: _Work[Any], job: _Job) -> memoryview:
    try:
        return ForkingPickler.dumps(work(job))
    except Exception as error:
        failure = _Failure(str(error), isinstance(error, UserError), traceback.format_exc())
        return ForkingPickler.dumps(failure)
