"""How fast neighbours are found, against the bare matrix products, the usual way and faiss.

Prints ratios from one run. ``python bench/rank.py --scale 0.1``
Vectors are invented: 230,000 of the database and 50,000 queries of 5,000 lemmas with Zipf's frequencies.
"""

from __future__ import annotations

import argparse
import importlib.util
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator

import numpy as np

from uncommonsense.rank import Protocol, Selection, rank_neighbours

DIM, K = 768, 50


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--scale", type=float, default=1.0, help="share of the vectors and of the lemmas")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--memory", choices=("hold", "rank"), help="only print this process' peak")
    arguments = parser.parse_args()
    if not arguments.memory:  # before this process grows: a child's peak starts from its parent's
        peaks = [peak(arguments.scale, task) for task in ("rank", "hold")]
    vectors, selection = problem(arguments.scale)
    if arguments.memory:
        if arguments.memory == "rank":
            rank_neighbours(vectors, selection, K)
        print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
        return
    describe(selection)
    speed(vectors, selection, arguments.rounds)
    exactness(vectors, selection)
    print(f"  peak memory, over holding the vectors    {peaks[0] / peaks[1]:10.2f}")


def problem(scale: float) -> tuple[np.ndarray, Selection]:
    """Invented vectors ``(instances, DIM)`` around their lemma's; one in a hundred is a copy of another."""
    rng = np.random.default_rng(0)
    lemmas, database, queries = (int(scale * size) for size in (5_000, 230_000, 50_000))
    share = np.minimum(1 / np.arange(1, lemmas + 1), 0.4)
    pools = np.concatenate([np.arange(lemmas), rng.choice(lemmas, database - lemmas, p=share / share.sum())])
    asked = rng.choice(pools, queries)
    lemma = np.concatenate([pools, asked])
    vectors = rng.standard_normal((database + queries, DIM), np.float32)
    centres = rng.standard_normal((lemmas, DIM), np.float32)
    for first in range(0, len(vectors), 4096):
        vectors[first : first + 4096] += centres[lemma[first : first + 4096]]
    copies = rng.choice(database, database // 50).reshape(2, -1)
    vectors[copies[0]] = vectors[copies[1]]
    none = np.zeros(queries, np.int64)
    rows = np.arange(database), np.arange(database, database + queries)
    return vectors, Selection(*rows, pools, asked, lemma, none, none, none, none, asked, Protocol())


def describe(selection: Selection) -> None:
    sizes = np.bincount(selection.pool_of_database)
    print(f"{len(selection.database):,} vectors of {DIM}, {len(selection.queries):,} queries, {K} neighbours")
    print(f"  pools: {len(sizes):,} of {sizes.min()} to {sizes.max():,}, median {np.median(sizes):.0f}")


def speed(vectors: np.ndarray, selection: Selection, rounds: int) -> None:
    """Compare with each way in turn; faiss last, as its threads go on spinning and slow down others."""
    groups = list(pools(selection))  # no peer is charged for this

    def ours() -> object:
        return rank_neighbours(vectors, selection, K)

    mine, theirs = interleaved(ours, lambda: bare(vectors, groups), rounds)
    seconds = statistics.median(mine)
    print(f"  seconds                                  {seconds:10.2f}   ({listed(mine)})")
    slower = seconds / statistics.median(theirs)
    print(f"  of the bare products and partial sort    {slower:10.2f}   ({listed(theirs)} s)")
    part = np.arange(0, len(selection.queries), max(len(selection.queries) // 200, 1))
    usual = timed(lambda: plain(vectors, selection, part)) * len(selection.queries) / len(part)
    print(f"  times the usual way (a sort a query)     {usual / seconds:10.1f}   ({usual:.1f} s)")
    if importlib.util.find_spec("faiss") is None:
        print("  faiss is not installed")
        return
    mine, theirs = interleaved(ours, lambda: faiss_per_lemma(vectors, groups), rounds)
    faster = statistics.median(theirs) / statistics.median(mine)
    print(f"  times faiss, an exact index per lemma    {faster:10.2f}   ({listed(theirs)} s)")


def interleaved(
    ours: Callable[[], object], theirs: Callable[[], object], rounds: int
) -> tuple[list[float], list[float]]:
    """Seconds of both, in turns, so that noise hits both."""
    pairs = [(timed(ours), timed(theirs)) for _ in range(rounds)]
    return [mine for mine, _ in pairs], [other for _, other in pairs]


def exactness(vectors: np.ndarray, selection: Selection) -> None:
    """Compare with the plain computation in double precision, and with other blocks and threads."""
    found, similarity = rank_neighbours(vectors, selection, K)
    part = np.arange(0, len(selection.queries), max(len(selection.queries) // 1000, 1))
    expected = plain(vectors, selection, part)
    same = [
        found[query][: len(places)].tolist() == places.tolist()
        and similarity[query][: len(values)].tolist() == values.tolist()
        for query, (places, values) in zip(part, expected, strict=True)
    ]
    print(f"  queries as by the plain computation      {np.mean(same):10.2%}   ({len(part):,} queries)")
    other = rank_neighbours(vectors, selection, K, threads=1, tile=777_777)
    equal = np.array_equal(found, other[0]) and np.array_equal(similarity, other[1], equal_nan=True)
    print(f"  same with one thread and other blocks    {equal!s:>10}")


def pools(selection: Selection) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Rows of the queries and of the candidates of each lemma."""
    for lemma in np.unique(selection.pool_of_query):
        yield (
            selection.queries[selection.pool_of_query == lemma],
            selection.database[selection.pool_of_database == lemma],
        )


def bare(vectors: np.ndarray, groups: list[tuple[np.ndarray, np.ndarray]]) -> None:
    """Products of raw rows, and a partial sort of each row; in blocks, as memory would not hold more."""
    for queries, pool in groups:
        candidates = vectors[pool]
        for first in range(0, len(queries), 512):
            products = vectors[queries[first : first + 512]] @ candidates.T
            if len(pool) > K:
                np.argpartition(products, len(pool) - K, axis=1)[:, -K:]


def plain(vectors: np.ndarray, selection: Selection, part: np.ndarray) -> list[tuple[np.ndarray, np.ndarray]]:
    """A query at a time: cosine with every candidate in double precision, rounded, and a full sort."""
    answers = []
    for query in part:
        pool = np.flatnonzero(selection.pool_of_database == selection.pool_of_query[query])
        candidates = vectors[selection.database[pool]].astype(np.float64)
        target = vectors[selection.queries[query]].astype(np.float64)
        cosine = candidates @ target / (np.linalg.norm(candidates, axis=1) * np.linalg.norm(target))
        rounded = cosine.astype(np.float32)
        order = np.argsort(-rounded, kind="stable")[:K]
        answers.append((pool[order], rounded[order]))
    return answers


def faiss_per_lemma(vectors: np.ndarray, groups: list[tuple[np.ndarray, np.ndarray]]) -> None:
    import faiss

    for queries, pool in groups:
        candidates, targets = vectors[pool], vectors[queries]
        faiss.normalize_L2(candidates)
        faiss.normalize_L2(targets)
        index = faiss.IndexFlatIP(DIM)
        index.add(candidates)
        index.search(targets, K)


def peak(scale: float, task: str) -> int:
    """Peak resident memory of a fresh process, KiB."""
    command = [sys.executable, __file__, "--scale", str(scale), "--memory", task]
    return int(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def listed(seconds: list[float]) -> str:
    return ", ".join(f"{each:.2f}" for each in seconds)


def timed(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


if __name__ == "__main__":
    main()
