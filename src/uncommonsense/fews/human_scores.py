"""How well annotators and systems answer a sheet, and how far annotators agree.

An item without an answer counts as wrong, for annotators as for systems; for agreement it is missing.
Intervals are bootstrapped over items.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from uncommonsense.corpora.marked import tokenize_marked
from uncommonsense.corpora.textfile import read_lines
from uncommonsense.errors import MalformedInputError, UserError
from uncommonsense.fews.folder import MAIN
from uncommonsense.fews.human_answers import Answers
from uncommonsense.fews.human_sheet import SHOTS, Item, Key, Sheet, about, json_lines
from uncommonsense.metrics.agreement import (
    agreement_interval,
    cohen_kappa,
    fleiss_kappa,
    krippendorff_alpha,
    mean_cohen_kappa,
    number_labels,
    observed_agreement,
    uniform_kappa,
)
from uncommonsense.metrics.intervals import cluster_bootstrap
from uncommonsense.metrics.measures import PerQuery
from uncommonsense.metrics.significance import permutation_test

__all__ = ["MEAN", "Score", "published", "read_predictions", "score"]

MEAN = "mean of annotators"
_NAN = float("nan")
_ID = re.compile(rf"(?P<example>(?:{'|'.join(map(re.escape, MAIN))})\.\d+)(?:\.t(?P<token>\d+))?")
"""``dev.few-shot.12`` or ``dev.few-shot.12.t3``."""


class Score(NamedTuple):
    """One figure; shares are fractions of 1."""

    kind: str
    """``annotator``, ``mean``, ``system``, ``difference``, ``agreement`` or ``published``."""
    name: str
    """Of an annotator or a system; of an agreement, the annotators."""
    slice: str
    """``few-shot``, ``zero-shot`` or ``all``; of an agreement, what counts as a label."""
    metric: str
    value: float
    low: float = _NAN
    high: float = _NAN
    n: int = 0
    """Items in the slice; of an agreement, those with two answers or more."""
    answered: int | None = None
    """Items in the slice with an answer; None where that is not a question, or not known."""
    p: float = _NAN
    """Of a difference: how often chance gives one as large."""


def score(
    sheet: Sheet,
    keys: Sequence[Key],
    answers: Sequence[Answers],
    *,
    systems: Mapping[str, Mapping[int, str]] | None = None,
    resamples: int = 1000,
    seed: int = 0,
) -> list[Score]:
    """Accuracies of annotators, their mean and ``systems`` (sense by item), and agreement of annotators.

    A difference is a system minus the annotators' mean.
    """
    _distinct([each.annotator for each in answers], systems or {})
    draws = {"resamples": resamples, "seed": seed}
    people = [_answered(sheet, keys, each.sense) for each in answers]
    rows: list[Score] = []
    for each, column in zip(answers, people, strict=True):
        rows += _accuracies("annotator", each.annotator, column, keys, draws)
    mean = _mean(people) if people else None
    if mean is not None:
        rows += _accuracies("mean", MEAN, mean, keys, draws)
    for name, predicted in (systems or {}).items():
        column = _answered(sheet, keys, predicted.get)
        rows += _accuracies("system", name, column, keys, draws)
        if mean is not None:
            rows += _differences(name, mean, column, keys, draws)
    return [*rows, *_agreements(sheet, answers, draws)]


def _distinct(names: Sequence[str], systems: Iterable[str]) -> None:
    for name in names:
        if names.count(name) > 1:
            raise UserError(f"two files with answers of {name!r}; give each annotator's file once")
    for name in systems:
        if name in (*names, MEAN):
            raise UserError(f"a system cannot be named {name!r}, which is a row of the annotators; rename it")


# Accuracy


class _Column(NamedTuple):
    """What one annotator or system makes of the items; both ``(items,)``."""

    right: np.ndarray
    """1.0 or 0.0; of a mean, between them."""
    answered: np.ndarray


def _answered(sheet: Sheet, keys: Sequence[Key], answer: Callable[[int], str | None]) -> _Column:
    senses = [answer(item.item) for item in sheet.items]
    right = [sense == key.sense for sense, key in zip(senses, keys, strict=True)]
    return _Column(np.array(right, float), np.array([sense is not None for sense in senses]))


def _mean(columns: Sequence[_Column]) -> _Column:
    """The mean of several; answered is what any of them answered."""
    right, answered = (np.stack(each, axis=1) for each in zip(*columns, strict=True))
    return _Column(right.mean(axis=1), answered.max(axis=1))


def _slices(keys: Sequence[Key]) -> dict[str, np.ndarray]:
    """Which items are of each slice that has any: ``(items,) bool``."""
    splits = np.array([key.split for key in keys])
    masks = {name: splits == name for name in SHOTS} | {"all": np.ones(len(keys), bool)}
    return {name: mask for name, mask in masks.items() if mask.any()}


def _accuracies(
    kind: str, name: str, column: _Column, keys: Sequence[Key], draws: dict[str, int]
) -> Iterator[Score]:
    for label, mask in _slices(keys).items():
        n = int(mask.sum())
        found = cluster_bootstrap(column.right[mask], np.arange(n), **draws)
        yield Score(kind, name, label, "accuracy", *found, n, int(column.answered[mask].sum()))


def _differences(
    name: str, people: _Column, system: _Column, keys: Sequence[Key], draws: dict[str, int]
) -> Iterator[Score]:
    apart = system._replace(right=system.right - people.right)
    for row in _accuracies("difference", name, apart, keys, draws):
        mask = _slices(keys)[row.slice]
        first, second = (PerQuery.of(each.right[mask]) for each in (system, people))
        yield row._replace(p=permutation_test(first, second, np.arange(row.n), seed=draws["seed"]).p)


# Agreement


def _agreements(sheet: Sheet, answers: Sequence[Answers], draws: dict[str, int]) -> Iterator[Score]:
    """Of each pair of annotators, then of all."""
    if len(answers) < 2:
        return
    senses = [[each.sense(item.item) for each in answers] for item in sheet.items]
    labels = {
        "sense": number_labels(senses),
        "number": number_labels([[each and each.rpartition(".")[2] for each in row] for row in senses]),
    }
    names = [each.annotator for each in answers]
    choices = np.array([len(item.candidates) for item in sheet.items])
    for pair in combinations(range(len(names)), 2) if len(names) > 2 else ():
        chosen = {label: table[:, pair] for label, table in labels.items()}
        whose = ", ".join(names[each] for each in pair)
        yield from _agreement(whose, chosen, choices, (cohen_kappa,), draws)
    cohen = cohen_kappa if len(names) == 2 else mean_cohen_kappa
    kappas = (cohen, fleiss_kappa, krippendorff_alpha)
    yield from _agreement(", ".join(names), labels, choices, kappas, draws)


def _agreement(
    names: str,
    labels: dict[str, np.ndarray],
    choices: np.ndarray,
    kappas: Sequence[Callable[..., float]],
    draws: dict[str, int],
) -> Iterator[Score]:
    """Of one set of annotators; ``labels`` are ``(items, annotators)``, ``choices`` are ``(items,)``."""
    senses = labels["sense"]
    n = int(((senses >= 0).sum(axis=1) > 1).sum())

    def of(label: str, measure: Callable[..., float], *columns: np.ndarray) -> Score:
        found = agreement_interval(measure, *columns, **draws)
        return Score("agreement", names, label, measure.__name__, *found, n)

    yield of("sense", observed_agreement, senses)
    yield of("choices", uniform_kappa, senses, choices)
    for label, table in labels.items():
        for measure in kappas:
            yield of(label, measure, table)


# Systems and the paper


def read_predictions(path: Path, sheet: Sheet, keys: Sequence[Key]) -> dict[int, str]:
    """The senses that a system predicts for the items of a sheet, by item.

    The file has lines ``id sense`` (a key file) or JSON objects with ``id`` (or ``instance``) and ``sense``.
    Ids are those of the corpus: of the example (``dev.few-shot.12``), or of a word in it
    (``dev.few-shot.12.t3``); if several words are marked, the first decides. Examples that are not on the
    sheet are passed over; an id that no example has, or no marked word of one on the sheet, is an error.
    """
    by_id = {key.id: key.item for key in keys}
    first: dict[int, tuple[int, str]] = {}
    seen: dict[str, int] = {}
    for line, name, sense in _predictions(path):
        if seen.setdefault(name, line) != line:
            raise MalformedInputError(
                path, line, f"a second sense for {name!r}, the first is on line {seen[name]}"
            )
        example, token = _example(path, line, name, keys[0].id)
        if example not in by_id:
            continue
        item = by_id[example]
        _marked(path, line, sheet[item], example, token)
        if not sense:
            continue
        if sense not in sheet[item].senses:
            expected = ", ".join(sheet[item].senses)
            raise MalformedInputError(
                path, line, f"unknown sense {sense!r} for {name!r}, expected one of {expected}"
            )
        first[item] = min(first.get(item, (token or 0, sense)), (token or 0, sense))
    if not first:
        raise MalformedInputError(path, None, f"no predictions for this sheet; ids look like {keys[0].id!r}")
    return {item: sense for item, (_, sense) in first.items()}


def _predictions(path: Path) -> Iterator[tuple[int, str, str]]:
    """Line number, id and sense; the sense is empty where there is none."""
    opening = next((text for _, text in read_lines(path) if text.strip()), "")
    if opening.lstrip().startswith("{"):
        for line, row in json_lines(path):
            name = row.get("id", row.get("instance"))
            if not isinstance(name, str):
                raise MalformedInputError(path, line, "expected an object with 'id' and 'sense'")
            yield line, name, str(row.get("sense") or "")
        return
    for line, text in read_lines(path):
        if text.strip():
            name, *rest = text.split(maxsplit=1)
            yield line, name, "".join(rest).strip()


def _example(path: Path, line: int, name: str, like: str) -> tuple[str, int | None]:
    """The example of an id, and the token where its target is, if the id has one."""
    match = _ID.fullmatch(name)
    if match is None:
        message = f"unknown id {name!r}; ids look like {like!r} or '{like}.t3', t3 for the word at token 3"
        raise MalformedInputError(path, line, message)
    return match["example"], int(match["token"]) if match["token"] else None


def _marked(path: Path, line: int, item: Item, example: str, token: int | None) -> None:
    """Refuse a token at which no marked word of the item begins."""
    starts = [start for start, _ in tokenize_marked(item.pieces)[1]]
    if token is not None and token not in starts:
        legal = " or ".join(f"{example}.t{start}" for start in starts)
        message = f"unknown id '{example}.t{token}': no marked word is there, expected {legal}"
        raise MalformedInputError(path, line, message)


def published() -> list[Score]:
    """The figures of the paper: other annotators and systems, on another 300 examples of ``dev``."""
    printed: dict[str, Any] = about()["published"]
    rows = [
        Score("published", name, label, "accuracy", value / 100, n=300 if label == "all" else 150)
        for name, values in printed["accuracy"].items()
        for label, value in zip(printed["columns"], values, strict=True)
    ]
    people = [
        Score("published", f"annotator {number}", "all", "accuracy", value / 100, n=300)
        for number, value in enumerate(printed["annotators"], 1)
    ]
    return [*people, *rows, Score("published", "average", "not stated", "kappa", printed["kappa"], n=300)]
