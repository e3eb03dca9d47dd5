"""Evaluation examples: who is drawn, how many, and what is left."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from uncommonsense.errors import UserError
from uncommonsense.fews.splits import HeldOut, Lottery, Size, Sizes, fit_sizes, parse_size

Senses = dict[str, list[str]]

SENSES = st.dictionaries(
    st.integers(0, 99).map("word.noun.{}".format),
    st.lists(st.integers(0, 50).map("text {}".format), unique=True, max_size=5),
    max_size=40,
)
SIZES = st.none() | st.integers(0, 12).map(Size) | st.floats(0, 0.2).map(lambda share: Size(share, True))


def lottery(senses: Senses, seed: int = 0) -> Lottery:
    drum = Lottery(seed)
    for sense, quotations in senses.items():
        drum.enter(sense, quotations)
    return drum


@given(SENSES, SIZES, SIZES, st.integers(0, 3))
def test_the_draw_keeps_its_promises(senses: Senses, dev: Size | None, test: Size | None, seed: int) -> None:
    drum = lottery(senses, seed)
    try:
        sizes, _ = fit_sizes(drum, dev, test)
    except UserError:
        assert dev or test  # what nobody asked for always fits
        return
    held = drum.draw(sizes)
    found = {split: [sense for sense, each in held.items() if each.split == split] for split in (
        "dev.few-shot", "dev.zero-shot", "test.few-shot", "test.zero-shot",
    )}  # fmt: skip
    for name, size in sizes._asdict().items():
        assert len(found[f"{name}.zero-shot"]) == size // 2
        assert len(found[f"{name}.few-shot"]) == size - size // 2
    for sense, (split, place) in held.items():  # one of each sense, so none is in two sets
        assert 0 <= place < len(senses[sense])
        assert (len(senses[sense]) == 1) == split.endswith("zero-shot")


@given(SENSES, st.integers(0, 3), st.randoms())
def test_the_order_does_not_matter(senses: Senses, seed: int, random: object) -> None:
    def texts(order: Senses) -> dict[str, tuple[str, str]]:
        drum = lottery(order, seed)
        held = drum.draw(fit_sizes(drum, None, None)[0])
        return {sense: (split, order[sense][place]) for sense, (split, place) in held.items()}

    names = list(senses)
    random.shuffle(names)  # type: ignore[attr-defined]
    assert texts({name: senses[name][::-1] for name in names}) == texts(senses)


def test_seeds_draw_anew_and_every_sense_has_a_chance() -> None:
    senses = {f"w.noun.{n}": [f"t{k}" for k in range(1 + n % 2)] for n in range(40)}
    draws = [lottery(senses, seed).draw(Sizes(2, 2)) for seed in range(200)]
    assert len({frozenset(draw) for draw in draws}) > 190
    drawn = [sense for draw in draws for sense in draw]
    assert set(drawn) == set(senses)
    assert max(map(drawn.count, senses)) < 4 * min(map(drawn.count, senses))
    assert {draw[sense].quotation for draw in draws for sense in draw if sense == "w.noun.1"} == {0, 1}


def test_examples_are_drawn_not_senses() -> None:
    """A sense with nine quotations is nine times in the drum, as when examples are taken at random."""
    senses = {f"w.noun.{n}": [f"t{k}" for k in range(9 if n < 20 else 2)] for n in range(40)} | {
        "w.verb.0": ["t"]
    }
    firsts = [
        next(sense for sense, held in lottery(senses, seed).draw(Sizes(1, 0)).items() if "few" in held.split)
        for seed in range(300)
    ]
    share = sum(int(sense.rpartition(".")[2]) < 20 for sense in firsts) / len(firsts)
    assert 0.75 < share < 0.88  # 9 / 11


def test_a_large_dictionary_has_ten_thousand() -> None:
    senses = {f"w.noun.{n}": [f"t{k}" for k in range(1 + n % 5)] for n in range(60_000)}
    assert fit_sizes(lottery(senses), None, None) == ((10_000, 10_000), "")
    assert fit_sizes(lottery(senses), Size(0.01, True), Size(6)) == ((1800, 6), "")


def test_a_small_dictionary_has_a_tenth_and_says_so() -> None:
    senses = {f"w.noun.{n}": [f"t{k}" for k in range(1 + n % 2)] for n in range(400)}
    sizes, remark = fit_sizes(lottery(senses), None, None)
    assert sizes == (60, 60)
    assert "dev of 60 and test of 60 instead of 10,000" in remark
    assert "600 quotations" in remark
    assert fit_sizes(lottery(senses), Size(300), None)[0] == (300, 60)
    assert fit_sizes(lottery(senses), Size(390), None)[0] == (390, 10)  # what is left


def test_too_much_is_refused_with_what_is_possible() -> None:
    senses = {f"w.noun.{n}": [f"t{k}" for k in range(1 + n % 2)] for n in range(400)}
    message = "10,000 examples for dev and 10 examples for test: more than the dump has"
    with pytest.raises(UserError, match=message) as error:
        fit_sizes(lottery(senses), Size(10_000), Size(10))
    assert "200 senses with one (zero-shot), 200 with several (few-shot)" in str(error.value)
    largest = re.search(r"--dev (\d+) --test (\d+)", str(error.value))
    assert largest
    dev, test = (Size(int(number)) for number in largest.groups())
    assert fit_sizes(lottery(senses), dev, test)[0] == (200, 200)
    with pytest.raises(UserError):
        fit_sizes(lottery(senses), Size(202), Size(200))


@pytest.mark.parametrize(
    ("several", "single", "advice"),
    [
        (1, 1, "--dev 2 --test 0"),
        (3, 4, "--dev 4 --test 2"),
        (1, 0, "--dev 1 --test 0"),
        (2, 0, "--dev 1 --test 1"),
    ],
)
def test_the_advice_is_possible(several: int, single: int, advice: str) -> None:
    senses = {f"w.noun.{n}": ["a", "b"] for n in range(several)}
    drum = lottery(senses | {f"w.verb.{n}": ["a"] for n in range(single)})
    with pytest.raises(UserError, match=f"so ask for {advice}, for example, or leave both out"):
        fit_sizes(drum, Size(9), Size(1))
    dev, test = (Size(int(number)) for number in advice.split()[1::2])
    assert drum.draw(fit_sizes(drum, dev, test)[0])


def test_three_quotations_are_not_enough_for_two_sets() -> None:
    drum = lottery({"a.noun.0": ["x", "y"], "a.noun.1": ["z"]})
    with pytest.raises(UserError) as error:
        fit_sizes(drum, Size(1), Size(1))
    assert "1 example for dev and 1 example for test: more" in str(error.value)
    assert "3 quotations of polysemous words; 1 sense with one (zero-shot), 1 with" in str(error.value)
    assert "--dev 2 --test 0" in str(error.value)


def test_without_a_sense_of_several_quotations_there_is_no_set() -> None:
    with pytest.raises(UserError, match="there can be no dev and no test: leave both options out"):
        fit_sizes(lottery({"a.noun.0": ["x"], "a.noun.1": ["z"]}), Size(1), Size(0))


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("10000", Size(10_000)),
        ("10,000", Size(10_000)),
        ("0", Size(0)),
        ("10%", Size(0.1, True)),
        (" 2.5% ", Size(0.025, True)),
    ],
)
def test_sizes_are_numbers_or_shares(text: str, size: Size) -> None:
    assert parse_size(text, "--dev") == size


@pytest.mark.parametrize("text", ["", "ten", "-1", "1.5", "60%", "-1%", "5%%", "% 5", "nan%", "inf"])
def test_other_sizes_are_refused(text: str) -> None:
    with pytest.raises(UserError, match="--dev takes a number of examples or a share"):
        parse_size(text, "--dev")


def test_held_out_names_the_set() -> None:
    drum = lottery({"a.noun.0": ["x", "y"], "a.noun.1": ["z"]})
    assert drum.draw(Sizes(2, 0)).keys() == {"a.noun.0", "a.noun.1"}
    assert drum.draw(Sizes(0, 2))["a.noun.1"] == HeldOut("test.zero-shot", 0)
