"""Agreement between raters who label the same items.

``answers`` is ``(items, raters) int``: a label as a number, negative where a rater gave none;
:func:`number_labels` makes it. Every measure is ``(observed - chance) / (1 - chance)``, where ``observed`` is
the share of agreeing pairs of answers; they differ in what they call chance.

    cohen_kappa          two raters; chance from how often each of them uses each label
    mean_cohen_kappa     its mean over all pairs of raters (Light's kappa)
    fleiss_kappa         any number of raters; chance from how often all of them together use each label
    krippendorff_alpha   the same, for nominal labels, corrected for a small number of answers
    uniform_kappa        chance is 1 / number of choices of the item (Brennan and Prediger; "free-marginal")

Which labels? In word sense disambiguation every item has its own choices. If the label is the **sense**,
hardly any label is used for two items, so chance is near 0 and kappas are near the observed agreement,
however few the choices. If it is the **number** of the sense in its dictionary entry, a taste for first
senses is taken for chance, and third senses of different words for one thing. ``uniform_kappa`` asks for
neither: it knows how many choices each item had, and takes a guess to fall on each of them alike.

A measure is NaN where it is not defined: no item with two answers, or chance agreement that is certain.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from itertools import combinations

import numpy as np

from uncommonsense.metrics.intervals import Interval

__all__ = [
    "agreement_interval",
    "cohen_kappa",
    "fleiss_kappa",
    "krippendorff_alpha",
    "mean_cohen_kappa",
    "number_labels",
    "observed_agreement",
    "uniform_kappa",
]


def number_labels(labels: Iterable[Sequence[Hashable | None]]) -> np.ndarray:
    """Labels as numbers from 0 in the order they occur, -1 for None: ``(items, raters) int64``."""
    numbers: dict[Hashable, int] = {}
    rows = [
        [-1 if each is None else numbers.setdefault(each, len(numbers)) for each in row] for row in labels
    ]
    return np.array(rows, np.int64)


def observed_agreement(answers: np.ndarray) -> float:
    """The share of agreeing pairs of answers to an item, averaged over items with two answers or more."""
    agreeing, answered = _agreeing(answers)
    kept = answered > 1
    if not kept.any():
        return float("nan")
    return float((2 * agreeing[kept] / (answered * (answered - 1))[kept]).mean())


def cohen_kappa(answers: np.ndarray) -> float:
    """Cohen's kappa (1960) of two raters, ``(items, 2)``, on the items that both answered."""
    both = answers[(answers >= 0).all(axis=1)]
    if not len(both):
        return float("nan")
    size = int(both.max()) + 1
    first, second = (np.bincount(column, minlength=size) / len(both) for column in both.T)
    return _corrected(float((both[:, 0] == both[:, 1]).mean()), float(first @ second))


def mean_cohen_kappa(answers: np.ndarray) -> float:
    """The mean of Cohen's kappa over all pairs of raters for which it is defined."""
    pairs = combinations(range(answers.shape[1]), 2)
    kappas = [each for pair in pairs if not np.isnan(each := cohen_kappa(answers[:, pair]))]
    return float(np.mean(kappas)) if kappas else float("nan")


def fleiss_kappa(answers: np.ndarray) -> float:
    """Fleiss' kappa (1971).

    It wants as many answers to each item. Where some are missing, an item's agreement is that of the answers
    it has, each item counts the same, and chance is from all answers to items with two or more; items with
    fewer are left out.
    """
    kept = answers[_agreeing(answers)[1] > 1]
    shares = _uses(kept) / max(1, (kept >= 0).sum())
    return _corrected(observed_agreement(kept), float(shares @ shares))


def krippendorff_alpha(answers: np.ndarray) -> float:
    """Krippendorff's alpha for nominal labels, which allows missing answers.

    An item counts as much as it has answers; those with fewer than two are left out.
    """
    agreeing, answered = _agreeing(answers)
    kept = answered > 1
    uses, total = _uses(answers[kept]), int(answered[kept].sum())
    if not total:
        return float("nan")
    observed = (2 * agreeing[kept] / (answered[kept] - 1)).sum() / total
    return _corrected(float(observed), float((uses @ (uses - 1)) / (total * (total - 1))))


def uniform_kappa(answers: np.ndarray, choices: np.ndarray) -> float:
    """Agreement beyond that of raters who choose blindly among the ``choices`` ``(items,)`` of each item.

    With as many choices everywhere it is Bennett's S, for several raters Randolph's free-marginal kappa.
    Items with fewer than two answers are left out.
    """
    kept = _agreeing(answers)[1] > 1
    if not kept.any():
        return float("nan")
    return _corrected(observed_agreement(answers[kept]), float((1 / choices[kept]).mean()))


def agreement_interval(
    measure: Callable[..., float],
    *columns: np.ndarray,
    level: float = 0.95,
    resamples: int = 1000,
    seed: int = 0,
) -> Interval:
    """A measure of ``columns`` (arrays with a row per item) and its percentile interval over resampled items.

    Resamples for which the measure is not defined are left out; bounds of fewer than two items are NaN.
    """
    items = len(columns[0])
    value = measure(*columns)
    if items < 2 or np.isnan(value):
        return Interval(value, np.nan, np.nan)
    rng = np.random.default_rng(seed)
    draws = rng.integers(items, size=(resamples, items))
    found = np.array([measure(*(column[draw] for column in columns)) for draw in draws])
    defined = found[~np.isnan(found)]
    low, high = np.quantile(defined if len(defined) else [np.nan], [(1 - level) / 2, (1 + level) / 2])
    return Interval(value, float(low), float(high))


def _agreeing(answers: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """How many pairs of answers agree, and how many answers there are: both ``(items,) int``."""
    pairs = np.zeros(len(answers), np.int64)
    for first, second in combinations(answers.T, 2):
        pairs += (first == second) & (first >= 0)
    return pairs, (answers >= 0).sum(axis=1)


def _uses(answers: np.ndarray) -> np.ndarray:
    """How often each label is used: ``(labels,) int64``."""
    return np.bincount(answers[answers >= 0])


def _corrected(observed: float, chance: float) -> float:
    return (observed - chance) / (1 - chance) if chance < 1 else float("nan")
