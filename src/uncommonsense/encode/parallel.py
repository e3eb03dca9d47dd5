"""Batches side by side, one thread each."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

__all__ = ["side_by_side"]

Item = TypeVar("Item")
Result = TypeVar("Result")


def side_by_side(work: Callable[[Item], Result], items: Sequence[Item]) -> Iterator[Result]:
    """``work`` of every item, in their order, as many at once as torch may use threads.

    A thread that has a batch to itself never waits for the others, while threads that share one meet at
    every operation. Fewer items than threads share all threads, one item after the other.
    """
    import torch

    threads = torch.get_num_threads()
    if threads == 1 or len(items) < threads:
        yield from map(work, items)
        return
    executor = ThreadPoolExecutor(threads, initializer=torch.set_num_threads, initargs=(1,))
    try:
        yield from executor.map(work, items)
    finally:
        executor.shutdown(cancel_futures=True)
        torch.set_num_threads(threads)
