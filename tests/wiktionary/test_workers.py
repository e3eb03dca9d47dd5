"""Several processes on one dump: the same results in the same order, and no process left behind."""

from __future__ import annotations

import multiprocessing
import os
import signal
import subprocess
import sys
import time
from itertools import islice
from pathlib import Path

import pytest
from invented_dumps import STORAGES, Invented, invent, write

from uncommonsense.errors import UncommonSenseError, UserError
from uncommonsense.wiktionary import workers
from uncommonsense.wiktionary.dump import Page, read_pages, section_pattern
from uncommonsense.wiktionary.scan import Findings
from uncommonsense.wiktionary.workers import map_pages

PAGES = invent(400, size=2000)


@pytest.fixture(autouse=True)
def small_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Chunks of 32 kB of text, so that small dumps have many; only the process that plans them must know."""
    monkeypatch.setattr(workers, "CHUNK_SIZE", 1 << 15)


@pytest.fixture(autouse=True)
def _nobody_is_left() -> object:
    yield
    assert not multiprocessing.active_children()


def titles_of(pages: list[Page]) -> list[str]:
    return [page.title for page in pages]


def sleep_on_the_first(pages: list[Page]) -> list[str]:
    if any(page.title == "word0" for page in pages):
        time.sleep(0.5)
    return titles_of(pages)


def fail_on_word_300(pages: list[Page]) -> int:
    return sum(1 // (page.title != "word300") for page in pages)


def refuse(pages: list[Page]) -> int:
    raise UserError("no such language")


def die_on_word_300(pages: list[Page]) -> int:
    if "word300" in titles_of(pages):
        os.kill(os.getpid(), signal.SIGKILL)
    return len(pages)


def unpicklable(pages: list[Page]) -> object:
    return lambda: pages


@pytest.mark.parametrize("storage", STORAGES)
def test_results_do_not_depend_on_the_number_of_workers(tmp_path: Path, storage: str) -> None:
    path = write(tmp_path, storage, PAGES)
    selection = {"namespaces": {0}, "containing": section_pattern("English")}
    wanted = [page.title for page in PAGES if page.namespace == 0 and "English" in page.text]
    runs = []
    for count in (1, 2, 3):
        findings, told = Findings(), list[int]()
        results = list(
            map_pages(path, titles_of, workers=count, findings=findings, on_bytes=told.append, **selection)
        )
        assert [title for _, titles in results for title in titles] == wanted
        assert (findings.pages, findings.selected) == (len(PAGES), len(wanted))
        assert not findings.warnings
        assert told == sorted(told)
        assert told[-1] == path.stat().st_size
        runs.append(results)
    assert runs[0] == runs[1] == runs[2]
    assert len(runs[0]) > 3


def test_an_index_beside_the_dump_changes_nothing(tmp_path: Path) -> None:
    path = write(tmp_path, "multistream.xml.bz2", PAGES)
    before = list(map_pages(path, titles_of))
    (tmp_path / "enwiktionary-20200101-pages-multistream-index.txt.bz2").write_bytes(b"damaged")
    assert list(map_pages(path, titles_of)) == before


def test_a_slow_chunk_does_not_change_the_order(tmp_path: Path) -> None:
    path = write(tmp_path, "xml", PAGES)
    results = list(map_pages(path, sleep_on_the_first, workers=2))
    assert [title for _, titles in results for title in titles] == [page.title for page in PAGES]


@pytest.mark.parametrize("storage", ["xml", "cut.xml.bz2", "xml.gz"])
def test_work_goes_on_after_an_interruption(tmp_path: Path, storage: str) -> None:
    path = write(tmp_path, storage, PAGES)
    whole = list(map_pages(path, titles_of))
    first = list(islice(map_pages(path, titles_of, workers=2), 4))
    rest = list(map_pages(path, titles_of, workers=2, skip={chunk for chunk, _ in first}))
    assert first + rest == whole


def test_skipped_chunks_are_not_decompressed(tmp_path: Path) -> None:
    path = write(tmp_path, "xml.bz2", PAGES)
    chunks = [chunk for chunk, _ in map_pages(path, titles_of)]
    findings = Findings()
    assert len(list(map_pages(path, titles_of, skip=chunks[:-2], findings=findings))) == 2
    assert findings.pages < len(PAGES) / 2


def test_a_page_over_several_chunks_is_read_once(tmp_path: Path) -> None:
    pages = [*PAGES[:100], Invented("large", "word " * 500_000), *PAGES[100:200]]
    path = write(tmp_path, "xml", pages)
    results = list(map_pages(path, titles_of))
    assert [title for _, titles in results for title in titles] == [page.title for page in pages]
    assert [] in [titles for _, titles in results]


@pytest.mark.parametrize("storage", ["xml.bz2", "xml.gz"])
@pytest.mark.parametrize("count", [1, 2])
def test_an_exception_names_the_page(tmp_path: Path, storage: str, count: int) -> None:
    path = write(tmp_path, storage, PAGES)
    with pytest.raises(
        UncommonSenseError, match=r"pages\.xml\.\w+: page 'word300' at byte \d+: ZeroDivisionError"
    ):
        list(map_pages(path, fail_on_word_300, workers=count))


def test_what_comes_before_an_exception_is_given_first(tmp_path: Path) -> None:
    path = write(tmp_path, "xml", PAGES)
    before = []
    for count in (1, 3):
        results = map_pages(path, fail_on_word_300, workers=count)
        before.append([])
        with pytest.raises(UncommonSenseError, match="word300"):
            before[-1].extend(results)
    assert before[0] == before[1]
    assert 150 < sum(pages for _, pages in before[0]) < 300


@pytest.mark.parametrize("count", [1, 2])
def test_a_users_mistake_stays_one(tmp_path: Path, count: int) -> None:
    with pytest.raises(UserError, match="no such language"):
        list(map_pages(write(tmp_path, "xml", PAGES), refuse, workers=count))


def test_results_that_cannot_be_sent_are_an_error(tmp_path: Path) -> None:
    with pytest.raises(UncommonSenseError, match="pickle"):
        list(map_pages(write(tmp_path, "xml", PAGES), unpicklable, workers=2))


def test_no_workers_are_a_users_mistake(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="0 workers: expected 1 or more"):
        list(map_pages(tmp_path, titles_of, workers=0))


@pytest.mark.parametrize("storage", ["xml", "xml.gz"])
def test_a_killed_worker_is_noticed(tmp_path: Path, storage: str) -> None:
    path = write(tmp_path, storage, PAGES)
    with pytest.raises(UncommonSenseError, match=r"a worker process ended with code -9 in chunk \d+"):
        list(map_pages(path, die_on_word_300, workers=2))


PROGRAM = """
import sys, time
from pathlib import Path
from uncommonsense.wiktionary.workers import map_pages
sys.path.insert(0, sys.argv[2])
from slow import work

if __name__ == "__main__":
    for chunk, pid in map_pages(Path(sys.argv[1]), work, workers=2):
        print(pid, flush=True)
"""
SLOW = """
import os, time
calls = []
def work(pages):
    calls.append(1)
    if len(calls) > 2:
        time.sleep(3)
    return os.getpid()
"""


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="looks for processes in /proc")
@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_workers_end_with_the_program(tmp_path: Path, how: signal.Signals) -> None:
    path = tmp_path / "plain.xml"
    path.write_bytes(STORAGES["xml"]([Invented("w", "x" * (17 << 20))] * 7))
    (tmp_path / "slow.py").write_text(SLOW)
    (tmp_path / "program.py").write_text(PROGRAM)
    command = [sys.executable, str(tmp_path / "program.py"), str(path), str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as program:
        assert program.stdout
        pids = {int(program.stdout.readline()) for _ in range(2)}
        program.send_signal(how)
        program.communicate(timeout=30)
    deadline = time.monotonic() + 20
    while any(Path(f"/proc/{pid}").exists() for pid in pids) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert not any(Path(f"/proc/{pid}").exists() for pid in pids)


@pytest.mark.shared
def test_the_real_sample_in_chunks(shared: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workers, "CHUNK_SIZE", 1 << 20)
    path = shared / "wiktionary" / "test-pages-articles.xml.bz2"
    results = list(map_pages(path, titles_of, workers=2))
    assert [title for _, titles in results for title in titles] == [page.title for page in read_pages(path)]
    assert len(results) == 9
