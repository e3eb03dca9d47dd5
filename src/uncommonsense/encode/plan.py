"""What to run through the model: units of text that hold all targets, in batches by token budget."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from uncommonsense.encode.pieces import PieceTable
from uncommonsense.errors import UserError

__all__ = ["Batch", "Plan", "make_plan"]

_GRID = 8
"""Windows start on a grid of 1/8 of the limit, so that neighbouring targets share one."""


class Plan(NamedTuple):
    """Units (stretches of pieces, one forward pass each) and where each target lies in them."""

    pieces: np.ndarray
    """All pieces of all sentences, one after the other: ``(pieces,) int64``."""
    unit_start: np.ndarray
    """Where each unit starts in ``pieces``: ``(units,) int64``."""
    unit_length: np.ndarray
    """``(units,) int64``"""
    target_unit: np.ndarray
    """The unit of each target: ``(targets,) int64``."""
    target_start: np.ndarray
    """First piece of each target, counted from its unit's start: ``(targets,) int64``."""
    target_length: np.ndarray
    """Pieces of each target: ``(targets,) int64``."""

    def batches(self, budget: int) -> Iterator[Batch]:
        """Units by length, at most ``budget`` pieces (padding counted) each, a single unit at least.

        A batch that is half full ends where the length changes, so that most need no padding.
        """
        order = np.argsort(self.unit_length, kind="stable")
        lengths = self.unit_length[order]
        by_unit = np.argsort(self.target_unit, kind="stable")
        bounds = np.searchsorted(self.target_unit[by_unit], np.arange(len(order) + 1))
        first = 0
        while first < len(order):
            last = _batch_end(lengths, first, budget)
            units = order[first:last]
            targets = np.concatenate([by_unit[bounds[unit] : bounds[unit + 1]] for unit in units])
            yield Batch(units, targets)
            first = last


class Batch(NamedTuple):
    """Units that are run together, and the targets in them."""

    units: np.ndarray
    targets: np.ndarray


def _batch_end(lengths: np.ndarray, first: int, budget: int) -> int:
    end = first + 1
    while end < len(lengths) and (end - first + 1) * lengths[end] <= budget:
        if lengths[end] != lengths[end - 1] and (end - first) * lengths[end - 1] >= budget // 2:
            break
        end += 1
    return end


def make_plan(
    words: PieceTable,
    sentence_offsets: np.ndarray,
    targets: np.ndarray,
    *,
    limit: int,
    unknown: int | None,
) -> Plan:
    """Lay out sentences and targets.

    ``words`` holds the pieces of all words of all sentences; ``sentence_offsets`` ``(sentences + 1,)``
    counts words; ``targets`` ``(targets, 3) int64`` is (sentence, first word, end word). A sentence of
    more than ``limit`` pieces is cut into windows around its targets.
    """
    words, sentence_offsets, targets = _give_empty_targets_a_piece(words, sentence_offsets, targets, unknown)
    sentence, first, end = targets.T
    start_of = words.offsets[sentence_offsets]
    target_from = words.offsets[sentence_offsets[sentence] + first]
    target_length = words.offsets[sentence_offsets[sentence] + end] - target_from
    sentence_length = np.diff(start_of)
    if len(targets) and target_length.max() > limit:
        raise UserError(
            f"a target of {target_length.max()} pieces does not fit the {limit} that this model reads "
            "at once; mark a shorter target"
        )
    window = _window_starts(target_from - start_of[sentence], target_length, sentence_length[sentence], limit)
    keys, target_unit = np.unique(np.stack([sentence, window], axis=1), axis=0, return_inverse=True)
    unit_start = start_of[keys[:, 0]] + keys[:, 1]
    unit_length = np.minimum(sentence_length[keys[:, 0]] - keys[:, 1], limit)
    target_unit = target_unit.reshape(-1)
    return Plan(
        words.ids, unit_start, unit_length, target_unit, target_from - unit_start[target_unit], target_length
    )


def _window_starts(
    target_start: np.ndarray, target_length: np.ndarray, sentence_length: np.ndarray, limit: int
) -> np.ndarray:
    """Where the window of each target starts: centred on the target, on a grid; 0 if the sentence fits."""
    step = max(1, limit // _GRID)
    centred = target_start + target_length // 2 - limit // 2
    on_grid = np.round(centred / step).astype(np.int64) * step
    # The grid must not push the target over an edge of its window.
    on_grid = np.clip(on_grid, target_start + target_length - limit, target_start)
    starts: np.ndarray = np.clip(on_grid, 0, np.maximum(sentence_length - limit, 0))
    return starts


def _give_empty_targets_a_piece(
    words: PieceTable, sentence_offsets: np.ndarray, targets: np.ndarray, unknown: int | None
) -> tuple[PieceTable, np.ndarray, np.ndarray]:
    """A target whose words vanish in tokenising (an odd symbol) is read as the unknown token.

    That happens in a copy of the sentence, so that no other target's vector depends on it.
    """
    sentence, first, end = targets.T
    begin = sentence_offsets[sentence] + first
    empty = words.offsets[sentence_offsets[sentence] + end] == words.offsets[begin]
    if not empty.any():
        return words, sentence_offsets, targets
    if unknown is None:
        raise UserError("a target has no pieces in this model's vocabulary, nor has that an unknown token")
    table = PieceTable(np.append(words.ids, unknown), np.append(words.offsets, words.offsets[-1] + 1))
    codes = [np.arange(len(words.lengths))]
    for target in np.flatnonzero(empty):
        copy = np.arange(sentence_offsets[sentence[target]], sentence_offsets[sentence[target] + 1])
        copy[first[target]] = len(words.lengths)
        codes.append(copy)
    ends = np.cumsum([len(copy) for copy in codes])
    changed = targets.copy()
    changed[empty, 0] = len(sentence_offsets) - 1 + np.arange(empty.sum())
    return table.expand(np.concatenate(codes)), np.append(sentence_offsets, ends[1:]), changed
