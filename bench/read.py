"""How fast corpora are read, and how memory grows with their size.

``python bench/read.py``; needs SemCor below ../shared/data or UNCOMMONSENSE_SHARED, else reads the sampler.
Each measurement runs in a new process; memory is the peak above that of a process that has read one sentence.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

PROGRAM = """
import itertools, resource, sys, time
from uncommonsense import open_corpus
spec, times = sys.argv[1], int(sys.argv[2])
source = open_corpus(spec)
next(iter(source.sentences()))
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
start = time.perf_counter()
count = sum(1 for _ in range(times) for _ in source.sentences())
seconds = time.perf_counter() - start
after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
print(count, seconds, (after - before) / 1024)
"""


def main() -> None:
    spec = corpus_spec()
    print(f"\nReading {spec.rpartition('/')[2]} as a stream")
    for times in (1, 3):
        count, seconds, grown = measure(spec, times)
        print(f"  {times} x: {count:,.0f} sentences, {seconds:5.1f} s, {grown:5.1f} MiB more at the peak")


def corpus_spec() -> str:
    shared = Path(os.environ.get("UNCOMMONSENSE_SHARED") or Path(__file__).parents[2] / "shared" / "data")
    return f"semcor:{shared / 'semcor3.0'}" if (shared / "semcor3.0").exists() else "sampler"


def measure(spec: str, times: int) -> tuple[float, float, float]:
    command = [sys.executable, "-c", PROGRAM, spec, str(times)]
    output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    count, seconds, grown = map(float, output.split())
    return count, seconds, grown


if __name__ == "__main__":
    main()
