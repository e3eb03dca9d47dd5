"""Disambiguation by similar usages."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from uncommonsense.encode.corpus import encode_text
from uncommonsense.errors import UserError
from uncommonsense.schema import Corpus
from uncommonsense.testing import HashEncoder, mini_corpus, mini_inventory
from uncommonsense.wsd.choices import Choices, choices_of
from uncommonsense.wsd.definitions import definition_corpus
from uncommonsense.wsd.neighbours import Centroids, Neighbours
from uncommonsense.wsd.registry import make_system

INVENTORY = mini_inventory()


pytestmark = pytest.mark.usefixtures("own_cache")


@pytest.fixture
def halves() -> tuple[Corpus, Corpus]:
    """Usages to learn from, and others to ask about."""
    corpus = mini_corpus()
    asked = np.arange(len(corpus)) % 3 == 0
    return corpus.select(~asked), corpus.select(asked)


def accuracy(answers: list[str | None], corpus: Corpus) -> float:
    gold = corpus.instances["senses"].to_pylist()
    return float(np.mean([answer in right for answer, right in zip(answers, gold, strict=True)]))


def by_hand(known: Corpus, asked: Corpus, choices: Choices, k: int) -> list[float]:
    """The summed cosines of each candidate among the k nearest usages of its word."""
    learned, wanted = (encode_text(HashEncoder(), each).astype(float) for each in (known, asked))
    learned /= np.linalg.norm(learned, axis=1, keepdims=True)
    wanted /= np.linalg.norm(wanted, axis=1, keepdims=True)
    rows, queries = known.instances.to_pylist(), asked.instances.to_pylist()
    scores = []
    for number, query in enumerate(queries):
        pool = [
            i for i, row in enumerate(rows) if (row["lemma"], row["pos"]) == (query["lemma"], query["pos"])
        ]
        nearest = sorted(pool, key=lambda i: (-np.float32(learned[i] @ wanted[number]), i))[:k]
        for place in range(*choices.offsets[number : number + 2]):
            sense = choices.senses[choices.candidates[place]]
            scores.append(sum(learned[i] @ wanted[number] for i in nearest if rows[i]["senses"][0] == sense))
    return scores


def test_the_scores_of_neighbours(halves: tuple[Corpus, Corpus]) -> None:
    known, asked = halves
    system = Neighbours(INVENTORY, encoder=HashEncoder(), k=2).fit(known)
    choices = choices_of(asked, INVENTORY)
    assert system.scores(asked, choices) == pytest.approx(by_hand(known, asked, choices, 2), abs=1e-6)


@pytest.mark.parametrize("system", [Neighbours, Centroids])
def test_most_answers_are_right(system: type[Neighbours | Centroids], halves: tuple[Corpus, Corpus]) -> None:
    known, asked = halves
    predictions = system(INVENTORY, encoder=HashEncoder()).fit(known).predict(asked)
    first = make_system("first-sense", INVENTORY).predict(asked)
    assert accuracy(predictions.answers(), asked) > accuracy(first.answers(), asked)


def test_unseen_words_get_the_first_sense_or_no_answer(halves: tuple[Corpus, Corpus]) -> None:
    known, asked = halves
    lemma = asked.instances["lemma"][0].as_py()
    others = known.select(np.asarray(known.instances["lemma"].to_pylist()) != lemma)
    about = asked.select(np.asarray(asked.instances["lemma"].to_pylist()) == lemma)
    options = {"encoder": HashEncoder()}
    backed = Neighbours(INVENTORY, **options).fit(others).predict(about)  # type: ignore[arg-type]
    assert set(backed.answers()) == {INVENTORY.candidates(lemma, about.instances["pos"][0].as_py())[0]}
    silent = Centroids(INVENTORY, back_off="none", **options).fit(others).predict(about)  # type: ignore[arg-type]
    assert set(silent.answers()) == {None}


def test_definitions_are_usages_too(halves: tuple[Corpus, Corpus]) -> None:
    _, asked = halves
    nothing = asked.select(np.zeros(len(asked), bool))
    system = Centroids(INVENTORY, encoder=HashEncoder(), definitions=True, back_off="none").fit(nothing)
    assert None not in system.predict(asked).answers()


def test_a_definition_begins_with_its_word() -> None:
    corpus = definition_corpus(INVENTORY)
    assert len(corpus) == len(INVENTORY)
    row, sentence = corpus.instances.to_pylist()[0], corpus.sentences.to_pylist()[0]
    assert row["start"] == 0
    assert sentence["tokens"][row["end"]] in (":", ",")
    assert row["senses"] == [row["id"]]


def test_unfitted_systems_say_so(halves: tuple[Corpus, Corpus]) -> None:
    with pytest.raises(UserError, match="knn has learned nothing yet"):
        Neighbours(INVENTORY, encoder=HashEncoder()).predict(halves[1])


def test_what_is_saved_is_loaded(
    halves: tuple[Corpus, Corpus], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("uncommonsense.wsd.neighbours.Encoder", lambda *_, **__: HashEncoder())
    known, asked = halves
    system = Neighbours(INVENTORY, k=3, layers="mean:1-2").fit(known)
    system.save(tmp_path / "knn")
    loaded = Neighbours.load(tmp_path / "knn", INVENTORY)
    assert loaded.k == 3
    assert loaded.predict(asked).answers() == system.predict(asked).answers()
    monkeypatch.setattr("uncommonsense.wsd.neighbours.Encoder", lambda *_, **__: HashEncoder(dim=64))
    with pytest.raises(UserError, match="other weights"):
        Neighbours.load(tmp_path / "knn", INVENTORY)
