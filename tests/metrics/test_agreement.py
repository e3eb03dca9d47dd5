"""Agreement of raters: textbook examples, another library, and what must hold for any answers."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from nltk.metrics.agreement import AnnotationTask

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

# Fleiss (1971), Table 1: 30 patients, 6 psychiatrists, how many gave each of 5 diagnoses.
DIAGNOSES = """
    00060 03003 01401 00006 03030 20400 00402 20310 20040 00006
    10050 11040 03300 10050 02031 00501 30012 51000 02040 10203
    00006 01050 02013 20040 10041 05010 40002 02040 10500 00006
"""
# The worked example of most introductions to Fleiss' kappa: 10 subjects, 14 raters, 5 labels.
SUBJECTS = [
    (0, 0, 0, 0, 14),
    (0, 2, 6, 4, 2),
    (0, 0, 3, 5, 6),
    (0, 3, 9, 2, 0),
    (2, 2, 8, 1, 1),
    (7, 7, 0, 0, 0),
    (3, 2, 6, 3, 0),
    (2, 5, 3, 2, 2),
    (6, 5, 2, 1, 0),
    (0, 2, 2, 3, 7),
]
# Krippendorff (2011), "Computing Krippendorff's Alpha-Reliability": 4 observers, 12 units, answers missing.
OBSERVERS = ["123321412...", "1233224125.3", ".3332342251.", "12332441251."]

answers_of_three = st.lists(st.tuples(*[st.integers(-1, 3)] * 3), min_size=2, max_size=30).map(np.array)


def from_counts(table: list[tuple[int, ...]]) -> np.ndarray:
    """Answers of raters without names, from how many gave each label."""
    return np.array([np.repeat(np.arange(len(row)), row) for row in table])


def random_answers(seed: int, raters: int, labels: int) -> np.ndarray:
    """Raters who know the right label most of the time."""
    rng = np.random.default_rng(seed)
    right = rng.integers(labels, size=(60, 1))
    return np.where(rng.random((60, raters)) < 0.6, right, rng.integers(labels, size=(60, raters)))


def task(answers: np.ndarray) -> AnnotationTask:
    return AnnotationTask(
        [
            (f"r{rater}", f"i{item}", int(label))
            for (item, rater), label in np.ndenumerate(answers)
            if label >= 0
        ]
    )


def test_fleiss_table_of_1971() -> None:
    table = [tuple(map(int, row)) for row in DIAGNOSES.split()]
    assert fleiss_kappa(from_counts(table)) == pytest.approx(0.430, abs=5e-4)


def test_fleiss_of_the_worked_example() -> None:
    answers = from_counts(SUBJECTS)
    assert observed_agreement(answers) == pytest.approx(0.378, abs=5e-4)
    assert fleiss_kappa(answers) == pytest.approx(0.210, abs=5e-4)


def test_cohen_of_two_readers() -> None:
    """20 times both say yes, 15 times both say no: 0.7 observed, 0.5 by chance."""
    answers = np.repeat([(1, 1), (1, 0), (0, 1), (0, 0)], (20, 5, 10, 15), axis=0)
    assert cohen_kappa(answers) == pytest.approx(0.4)


def test_krippendorffs_own_example() -> None:
    columns = [[None if each == "." else each for each in row] for row in OBSERVERS]
    answers = number_labels(zip(*columns, strict=True))
    assert krippendorff_alpha(answers) == pytest.approx(0.743, abs=5e-4)


def test_uniform_chance_is_that_of_each_item() -> None:
    """Items of 2 and of 4 choices: chance is (1/2 + 1/4) / 2 = 3/8, and they agree on one of two."""
    answers, choices = np.array([(0, 0), (1, 2)]), np.array([2, 4])
    assert uniform_kappa(answers, choices) == pytest.approx((1 / 2 - 3 / 8) / (1 - 3 / 8))


def test_labels_become_numbers() -> None:
    assert number_labels([("a", "b", None), ("b", "c", "a")]).tolist() == [[0, 1, -1], [1, 2, 0]]


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(("raters", "labels"), [(2, 2), (3, 4), (5, 3)])
def test_nltk_agrees(seed: int, raters: int, labels: int) -> None:
    answers = random_answers(seed, raters, labels)
    theirs = task(answers)
    used = len(np.unique(answers))
    assert observed_agreement(answers) == pytest.approx(theirs.avg_Ao())
    assert fleiss_kappa(answers) == pytest.approx(theirs.pi())
    assert mean_cohen_kappa(answers) == pytest.approx(theirs.kappa())
    assert krippendorff_alpha(answers) == pytest.approx(theirs.alpha())
    assert uniform_kappa(answers, np.full(len(answers), used)) == pytest.approx(theirs.S())
    for first, second in combinations(range(raters), 2):
        pair = cohen_kappa(answers[:, [first, second]])
        assert pair == pytest.approx(theirs.kappa_pairwise(f"r{first}", f"r{second}"))


@pytest.mark.parametrize("seed", range(4))
def test_nltk_agrees_where_answers_are_missing(seed: int) -> None:
    answers = random_answers(seed, 4, 3)
    answers[np.random.default_rng(seed).random(answers.shape) < 0.3] = -1
    assert krippendorff_alpha(answers) == pytest.approx(task(answers).alpha())


def test_missing_answers_leave_the_rest() -> None:
    answers = np.array([(0, 0, 0), (0, 1, 1), (1, 1, -1), (2, -1, -1), (-1, -1, -1)])
    assert observed_agreement(answers) == pytest.approx((1 + 1 / 3 + 1) / 3)
    chance = (4 / 8) ** 2 + (4 / 8) ** 2  # of eight answers to the first three items
    assert fleiss_kappa(answers) == pytest.approx((7 / 9 - chance) / (1 - chance))
    assert cohen_kappa(answers[:, :2]) == pytest.approx(cohen_kappa(answers[:3, :2]))


@given(answers_of_three)
def test_names_of_labels_and_order_of_raters_do_not_matter(answers: np.ndarray) -> None:
    renamed = np.where(answers >= 0, 3 - answers, -1)[:, [2, 0, 1]]
    choices = np.full(len(answers), 4)
    for measure in (observed_agreement, fleiss_kappa, krippendorff_alpha, mean_cohen_kappa):
        assert measure(renamed) == pytest.approx(measure(answers), nan_ok=True)
    assert uniform_kappa(renamed, choices) == pytest.approx(uniform_kappa(answers, choices), nan_ok=True)


@given(answers_of_three)
def test_agreement_is_at_most_one(answers: np.ndarray) -> None:
    values = [each(answers) for each in (fleiss_kappa, krippendorff_alpha, mean_cohen_kappa)]
    assert all(np.isnan(value) or value <= 1 + 1e-12 for value in values)


@pytest.mark.parametrize("answers", [[(0, 0), (0, 0)], [(0, -1), (-1, 1)]])
def test_what_is_not_defined_is_nan(answers: list[tuple[int, int]]) -> None:
    """One label for everything, or nobody to agree with."""
    for measure in (cohen_kappa, mean_cohen_kappa, fleiss_kappa, krippendorff_alpha):
        assert np.isnan(measure(np.array(answers)))
    assert np.isnan(uniform_kappa(np.array([(0, -1)]), np.array([3])))


def test_intervals_are_seeded_and_hold_the_value() -> None:
    answers = random_answers(1, 3, 3)
    first = agreement_interval(fleiss_kappa, answers, resamples=200)
    assert first == agreement_interval(fleiss_kappa, answers, resamples=200)
    assert first != agreement_interval(fleiss_kappa, answers, resamples=200, seed=1)
    assert first.value == fleiss_kappa(answers)
    assert first.low < first.value < first.high


def test_intervals_resample_items_with_all_their_columns() -> None:
    """Items of one choice, on which all agree, and of many, on which nobody does: chance moves along."""
    answers = np.array([(0, 0), (1, 2)] * 20)
    choices = np.array([1, 10**9] * 20)
    found = agreement_interval(uniform_kappa, answers, choices, resamples=50)
    assert found == pytest.approx((0, 0, 0), abs=1e-6)


def test_an_interval_narrows_with_more_items() -> None:
    few, many = (random_answers(2, 3, 3)[:size] for size in (15, 60))
    widths = [
        found.high - found.low for found in (agreement_interval(fleiss_kappa, each) for each in (few, many))
    ]
    assert widths[1] < widths[0]


def test_one_item_has_no_interval() -> None:
    assert np.isnan(agreement_interval(observed_agreement, np.array([(0, 1)])).low)
