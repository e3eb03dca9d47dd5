"""How fast Wiktionary dumps are read, beside other programs, and how memory grows with their size.

``python bench/wiktionary.py [--megabytes 200]``; needs the Wiktionary sample below ../shared/data or
UNCOMMONSENSE_SHARED. A dump of the wanted size is made by repeating the sample's pages. Each measurement runs
in a new process; memory is the peak of that process and of its largest worker. mwxml + mwparserfromhell, if
installed, take the same pages of one copy of the sample; their time is extrapolated copy for copy.
"""

from __future__ import annotations

import argparse
import bz2
import importlib.util
import os
import subprocess
import sys
import tempfile
from pathlib import Path

PREFACE = """
import re, resource, sys, time
from pathlib import Path

def peak():
    status = Path("/proc/self/status")
    if status.exists():  # the other count begins with the memory of whoever started this process
        return int(re.search(r"VmHWM:\\s*(\\d+)", status.read_text())[1])
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

def report(pages, start):
    seconds = time.perf_counter() - start
    own, workers = map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    processor = own.ru_utime + own.ru_stime + workers.ru_utime + workers.ru_stime
    print(pages, seconds, processor, (peak() + workers.ru_maxrss) / 1024)
"""
READ = (
    PREFACE
    + """
from uncommonsense.wiktionary.dump import read_pages
start = time.perf_counter()
report(sum(1 for _ in read_pages(Path(sys.argv[1]))), start)
"""
)
PARSE = (
    PREFACE
    + """
from uncommonsense.wiktionary.dump import section_pattern
from uncommonsense.wiktionary.scan import Findings
from uncommonsense.wiktionary.workers import map_pages
sys.path.insert(0, sys.argv[3])
from wiktionary import count_definitions

if __name__ == "__main__":
    start, findings = time.perf_counter(), Findings()
    english = {"namespaces": {0}, "containing": section_pattern("English")}
    for _ in map_pages(
        Path(sys.argv[1]), count_definitions, workers=int(sys.argv[2]), findings=findings, **english
    ):
        pass
    report(findings.pages, start)
"""
)
MWXML = (
    PREFACE
    + """
import bz2, mwparserfromhell, mwxml
start = time.perf_counter()
count = 0
for page in mwxml.Dump.from_file(bz2.open(sys.argv[1], "rt", encoding="utf-8")):
    count += 1
    for revision in page:
        if page.namespace == 0 and "==English==" in revision.text:
            mwparserfromhell.parse(revision.text).strip_code()
report(count, start)
"""
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--megabytes", type=int, default=200, help="size of the dump, not compressed")
    megabytes = parser.parse_args().megabytes
    shared = Path(os.environ.get("UNCOMMONSENSE_SHARED") or Path(__file__).parents[2] / "shared" / "data")
    sample = shared / "wiktionary" / "test-pages-articles.xml.bz2"
    if not sample.exists():
        print("\nReading a Wiktionary dump: skipped, no sample in ../shared/data")
        return
    with tempfile.TemporaryDirectory() as folder:
        small, large = (make_dump(sample, Path(folder), size) for size in (max(megabytes // 4, 1), megabytes))
        print(f"\nReading a Wiktionary dump of {megabytes} MB (bzip2, one stream)")
        pages, seconds = compare(small, large, megabytes)
        compare_peer(make_dump(sample, Path(folder), 1), pages, seconds)


def compare(small: Path, large: Path, megabytes: int) -> tuple[float, float]:
    """Print a line for each way of reading; gives the pages, and the seconds with one worker."""
    here = str(Path(__file__).parent)
    pages, alone = show("pages alone", READ, large, small=small)
    _, one = show("pages, English entries, 1 worker", PARSE, large, "1", here, small=small)
    _, two = show("pages, English entries, 2 workers", PARSE, large, "2", here, small=small)
    print(f"  {megabytes / alone:.1f} MB/s alone; 2 workers are {one / two:.2f} x as fast as 1")
    return pages, one


def compare_peer(sample: Path, pages: float, seconds: float) -> None:
    if not all(map(importlib.util.find_spec, ("mwxml", "mwparserfromhell"))):
        print("  mwxml + mwparserfromhell: not installed")
        return
    read, theirs = show("mwxml + mwparserfromhell, the sample once", MWXML, sample)
    whole = theirs / read * pages
    print(f"  extrapolated to all pages {whole:,.0f} s: {whole / seconds:.1f} x ours with 1 worker")


def show(
    label: str, program: str, path: Path, *arguments: str, small: Path | None = None
) -> tuple[float, float]:
    """Print what a program needs, and how much memory for the small dump; gives its pages and seconds."""
    pages, seconds, processor, memory = measure(program, path, *arguments)
    growth = f" ({measure(program, small, *arguments)[-1]:.0f} for a quarter)" if small else ""
    times = f"{seconds:6.1f} s {processor:6.1f} s of CPU"
    print(f"  {label:42} {pages:9,.0f} pages {times} {memory:4.0f} MiB{growth}")
    return pages, seconds


def measure(program: str, path: Path, *arguments: str) -> tuple[float, ...]:
    """Pages, seconds, seconds of CPU, and the peak of memory in MiB of the process and its largest worker."""
    script = path.with_suffix(".py")
    script.write_text(program, encoding="utf-8")
    command = [sys.executable, str(script), str(path), *arguments]
    output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return tuple(map(float, output.split()))


def make_dump(sample: Path, folder: Path, megabytes: int) -> Path:
    """The sample with its pages repeated to a size, as one bzip2 stream."""
    xml = bz2.decompress(sample.read_bytes())
    first, last = xml.index(b"<page>"), xml.rindex(b"</mediawiki>")
    path = folder / f"{megabytes}.xml.bz2"
    with bz2.open(path, "wb") as file:
        file.write(xml[:first])
        for _ in range(max(megabytes * 1_000_000 // len(xml), 1)):
            file.write(xml[first:last])
        file.write(xml[last:])
    return path


def count_definitions(pages: list[tuple[str, int, str, bool, int]]) -> int:
    """What the workers do; they import it from here."""
    from uncommonsense.wiktionary.page import read_page

    parsed = (read_page(title, text) for title, _, text, _, _ in pages)
    return sum(len(entry.definitions) for page in parsed for entry in page.entries)


if __name__ == "__main__":
    main()
