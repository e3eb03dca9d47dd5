"""Training and evaluation: which quotation of which sense is held out.

Quotations are taken in the order of a hash of seed, sense and text, so the choice depends on nothing else.
Each sense is evaluated at most once. Half of an evaluation set are senses with a single quotation, of which
training then has none (zero-shot), the other half senses whose other quotations stay in training (few-shot).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from hashlib import blake2b
from heapq import nsmallest
from itertools import islice
from typing import NamedTuple

from uncommonsense.errors import UserError
from uncommonsense.fews.wording import counted

__all__ = ["DEFAULT_SIZE", "HeldOut", "Lottery", "Size", "Sizes", "fit_sizes", "parse_size"]

DEFAULT_SIZE = 10_000
_DEFAULT_SHARE = 0.1


class Size(NamedTuple):
    """How big an evaluation set shall be: a number of examples, or a share of the quotations."""

    amount: float
    is_share: bool = False

    def of(self, quotations: int) -> int:
        """The number of examples."""
        return int(self.amount * quotations) if self.is_share else int(self.amount)

    def __str__(self) -> str:
        return f"{self.amount:.4%}".rstrip("0%").rstrip(".") + "%" if self.is_share else str(int(self.amount))


class Sizes(NamedTuple):
    """Examples in the evaluation sets."""

    dev: int
    test: int


class HeldOut(NamedTuple):
    """The quotation of a sense that is evaluated: the name of the set, and its place among the sense's."""

    split: str
    quotation: int


def parse_size(text: str, option: str) -> Size:
    """``10000`` or ``5%``."""
    number, percent, rest = text.strip().partition("%")
    try:
        size = Size(float(number) / 100, True) if percent else Size(int(number.replace(",", "")))
    except ValueError:
        size = Size(-1)
    if rest or size.amount < 0 or (percent and not size.amount <= 0.5):
        raise UserError(
            f"{option} takes a number of examples or a share up to 50%, like 10000 or 5%, not {text!r}"
        )
    return size


class Lottery:
    """Draws evaluation examples. Senses enter one by one; of each only a number and a place are kept."""

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self.quotations = 0
        self._single: list[tuple[int, str, int]] = []
        self._several: list[tuple[int, str, int]] = []

    @property
    def zero_shot(self) -> int:
        """How many senses could be zero-shot."""
        return len(self._single)

    @property
    def few_shot(self) -> int:
        """How many senses could be few-shot."""
        return len(self._several)

    def enter(self, sense: str, quotations: Sequence[str]) -> None:
        """A sense of a polysemous word with its marked quotations."""
        if not quotations:
            return
        self.quotations += len(quotations)
        first, place = min((self._order(sense, text), place) for place, text in enumerate(quotations))
        (self._several if len(quotations) > 1 else self._single).append((first, sense, place))

    def draw(self, sizes: Sizes) -> dict[str, HeldOut]:
        """The quotations that are held out, by sense."""
        drawn: dict[str, HeldOut] = {}
        for kind, candidates in (("few-shot", self._several), ("zero-shot", self._single)):
            shares = {f"{split}.{kind}": _half(size, kind) for split, size in sizes._asdict().items()}
            _deal(nsmallest(sum(shares.values()), candidates), shares, drawn)
        return drawn

    def _order(self, sense: str, text: str) -> int:
        name = f"{self.seed}\t{sense}\t{text}".encode()
        return int.from_bytes(blake2b(name, digest_size=8).digest())


def _deal(
    candidates: Iterable[tuple[int, str, int]], shares: Mapping[str, int], drawn: dict[str, HeldOut]
) -> None:
    rest = iter(candidates)
    for split, number in shares.items():
        drawn.update((sense, HeldOut(split, place)) for _, sense, place in islice(rest, number))


def _half(size: int, kind: str) -> int:
    """Zero-shot takes half of a set; few-shot the rest, one more where the number is odd."""
    return size // 2 if kind == "zero-shot" else size - size // 2


def fit_sizes(lottery: Lottery, dev: Size | None, test: Size | None) -> tuple[Sizes, str]:
    """The sizes that were asked for, if there is enough for them, and a remark if they are not the usual.

    Where none is asked for (None) it is 10,000; in a small dump a tenth of the quotations, or what there is.
    """
    asked = {"dev": dev, "test": test}
    sizes = {name: size.of(lottery.quotations) for name, size in asked.items() if size}
    there = {"few-shot": lottery.few_shot, "zero-shot": lottery.zero_shot}
    left = min(n - sum(_half(size, kind) for size in sizes.values()) for kind, n in there.items())
    if left < 0:
        raise UserError(_too_small(lottery, sizes))
    missing = [name for name, size in asked.items() if size is None]
    usual = min(DEFAULT_SIZE, int(_DEFAULT_SHARE * lottery.quotations))
    for name in missing:
        sizes[name] = min(usual // 2, left // len(missing)) * 2
    remark = "" if all(sizes[name] == DEFAULT_SIZE for name in missing) else _scaled(lottery, sizes, missing)
    return Sizes(**sizes), remark


def _available(lottery: Lottery) -> str:
    quotations, single = counted(lottery.quotations, "quotation"), counted(lottery.zero_shot, "sense")
    several = f"{lottery.few_shot:,} with several (few-shot)"
    return f"{quotations} of polysemous words; {single} with one (zero-shot), {several}"


def _too_small(lottery: Lottery, sizes: Mapping[str, int]) -> str:
    asked = " and ".join(f"{counted(size, 'example')} for {name}" for name, size in sizes.items())
    largest = _largest(lottery)
    if any(largest):
        way = f"so ask for --dev {largest.dev} --test {largest.test}, for example, or leave both out"
    else:
        way = "and no sense has several, so there can be no dev and no test: leave both options out"
    return (
        f"{asked}: more than the dump has, {_available(lottery)}. Half of a set is of each kind, "
        f"few-shot has one more in an odd set; {way}"
    )


def _largest(lottery: Lottery) -> Sizes:
    """The largest sets of about the same size: pairs of both kinds, or without any a few-shot example."""
    pairs = min(lottery.zero_shot, lottery.few_shot)
    if not pairs:
        return Sizes(min(lottery.few_shot, 1), int(lottery.few_shot > 1))
    return Sizes((pairs + 1) // 2 * 2, pairs // 2 * 2)


def _scaled(lottery: Lottery, sizes: Mapping[str, int], names: Sequence[str]) -> str:
    now = " and ".join(f"{name} of {sizes[name]:,}" for name in names)
    return f"{now} instead of {DEFAULT_SIZE:,} examples, since the dump has only {_available(lottery)}"
