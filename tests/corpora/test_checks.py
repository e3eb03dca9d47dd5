"""Counting and validating a corpus."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from uncommonsense.corpora import open_corpus, statistics, validate
from uncommonsense.errors import MissingResourceError
from uncommonsense.inventories import open_inventory
from uncommonsense.inventories.table import TableInventory
from uncommonsense.schema import Instance, Sense, Sentence

BANK, RIVER = "bank%1:14:00::", "bank%1:17:01::"


def sentence(number: int, *instances: Instance, tokens: tuple[str, ...] = ("the", "bank")) -> Sentence:
    return Sentence(f"s{number}", tokens, "doc", instances)


def test_statistics() -> None:
    corpus = [
        sentence(1, Instance("a", 1, 2, "bank", "n", (BANK,), "train")),
        sentence(2, Instance("b", 1, 2, "bank", "n", (BANK, RIVER), "dev")),
        sentence(3, Instance("c", 1, 2, "bank", "v", ("bank%2:40:00::",), "dev")),
        sentence(4, Instance("d", 0, 2, "the_bank", "n")),
    ]
    found = statistics(iter(corpus))
    assert (found.sentences, found.tokens, found.multiword, found.several_senses) == (4, 8, 1, 1)
    groups = {group.group: group for group in found.groups}
    assert list(groups) == ["all", "pos n", "pos v", "split dev", "split train"]
    everything = groups["all"]
    assert (everything.instances, everything.labelled, everything.lemmas, everything.senses) == (4, 3, 3, 3)
    assert everything.senses_per_word == 3 / 2
    assert everything.ambiguity == 5 / 3
    assert (groups["split train"].instances, groups["split train"].ambiguity) == (1, 1.0)


def test_statistics_of_nothing() -> None:
    found = statistics([])
    assert (found.sentences, found.groups[0].ambiguity) == (0, 0.0)


def test_a_sound_corpus() -> None:
    report = validate([sentence(1, Instance("a", 1, 2, "bank", "n", (BANK,)))])
    assert (report.ok, report.sentences, report.instances) == (True, 1, 1)


@pytest.mark.parametrize(
    ("bad", "code", "place"),
    [
        (sentence(1, tokens=()), "no-tokens", "s1"),
        (sentence(1, tokens=("a", " ")), "empty-token", "s1 token 1"),
        (sentence(1)._replace(id=""), "empty-id", "a sentence of 'doc'"),
        (sentence(1, Instance("", 0, 1, "the", "x")), "empty-id", "a target in s1"),
        (sentence(1, Instance("a", 1, 3, "bank", "n")), "bad-span", "a: 1 to 3 of 2 tokens"),
        (sentence(1, Instance("a", 1, 1, "bank", "n")), "bad-span", "a: 1 to 1 of 2 tokens"),
        (sentence(1, Instance("a", 1, 2, "", "n")), "no-lemma", "a"),
        (sentence(1, Instance("a", 1, 2, "bank", "noun")), "unknown-pos", "a: 'noun'"),
        (sentence(1, Instance("a", 1, 2, "bench", "n", (BANK,))), "key-lemma", f"a: {BANK} for bench"),
        (sentence(1, Instance("a", 1, 2, "bank", "v", (BANK,))), "key-pos", f"a: {BANK} as v"),
        (
            sentence(1, Instance("a", 1, 2, "x", "n"), Instance("a", 0, 1, "y", "n")),
            "repeated-instance-id",
            "a",
        ),
    ],
)
def test_findings(bad: Sentence, code: str, place: str) -> None:
    (finding,) = validate([bad]).findings
    assert (finding.code, finding.count, finding.places) == (code, 1, (place,))


def test_many_findings_name_the_first_places() -> None:
    report = validate([sentence(n, Instance(f"i{n}", 5, 6, "x", "x")) for n in range(100)])
    (finding,) = report.findings
    assert (finding.count, len(finding.places), finding.places[0]) == (100, 5, "i0: 5 to 6 of 2 tokens")


def test_repeated_ids_in_a_stream_that_is_read_twice() -> None:
    readings = 0

    class Stream:
        def __iter__(self) -> Iterator[Sentence]:
            nonlocal readings
            readings += 1
            return (sentence(n % 90) for n in range(100))

    (finding,) = validate(Stream()).findings
    assert (finding.code, finding.count, readings) == ("repeated-sentence-id", 10, 2)


def test_an_inventory_knows_the_senses() -> None:
    senses = [Sense(BANK, ("bank",), "n", "money"), Sense("bench%1:06:00::", ("bench",), "n", "seat")]
    inventory = TableInventory.from_senses(senses, name="mini")
    corpus = [
        sentence(1, Instance("a", 1, 2, "bank", "n", (BANK,))),
        sentence(2, Instance("b", 1, 2, "bank", "n", (RIVER,))),
        sentence(3, Instance("c", 1, 2, "Bank", "n", ("bench%1:06:00::",))),
    ]
    found = {finding.code: finding.places for finding in validate(corpus, inventory).findings}
    assert found == {
        "unknown-sense": (f"b: {RIVER}",),
        "key-lemma": ("c: bench%1:06:00:: for Bank",),
        "not-a-candidate": ("c: bench%1:06:00:: for Bank (n)",),
    }


@pytest.mark.shared
@pytest.mark.parametrize("spec", ["semcor:{}/semcor3.0", "framework:{}/wsd_evaluation_framework"])
def test_wordnet_knows_every_sense_of_the_real_corpora(shared: Path, spec: str) -> None:
    try:
        wordnet = open_inventory("wordnet")
    except MissingResourceError as error:
        pytest.skip(f"WordNet 3.0 is not here: {error}")
    assert validate(open_corpus(spec.format(shared)), wordnet).findings == ()
