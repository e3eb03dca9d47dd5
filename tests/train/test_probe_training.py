"""The probe: the cheap way gives what the dense one does, and no accident changes what comes out."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from safetensors.torch import load_file

from uncommonsense.errors import StoreError, UserError
from uncommonsense.schema import Corpus, Instance, Sentence
from uncommonsense.train.examples import Examples
from uncommonsense.train.loop import Loop
from uncommonsense.train.loss import candidate_losses
from uncommonsense.train.probe import ProbeLearner, ProbeRecipe, train_probe
from uncommonsense.train.recipe import LoopRecipe
from uncommonsense.train.schedule import Schedule

ABOUT: dict[str, Any] = {"vectors": "v", "development": None, "corpus": "invented"}


def task(
    words: int = 12, count: int = 240, dim: int = 8, *, seed: int = 0, extra: bool = False
) -> tuple[np.ndarray, Examples, list[str]]:
    """Vectors around a centre of their sense; with ``extra`` some have a second right sense."""
    random = np.random.default_rng(seed)
    sizes = random.integers(2, 6, words)
    starts = np.cumsum(sizes) - sizes
    word = random.integers(0, words, count)
    sense = starts[word] + random.integers(0, sizes[word])
    vectors = random.normal(size=(sizes.sum(), dim))[sense] + 0.5 * random.normal(size=(count, dim))
    candidates = np.concatenate([starts[each] + np.arange(sizes[each]) for each in word])
    offsets = np.concatenate(([0], np.cumsum(sizes[word])))
    names = [f"sense-{number}" for number in range(sizes.sum())]
    second = starts[word] if extra else sense
    sentences = (
        Sentence(
            f"s{i}",
            ("a",),
            "",
            (Instance(f"i{i}", 0, 1, f"w{word[i]}", "n", _names(names, sense[i], second[i])),),
        )
        for i in range(count)
    )
    corpus = Corpus.from_sentences(sentences, name="invented")
    return vectors.astype(np.float32), Examples.of(corpus, names, candidates, offsets), names


def _names(names: list[str], *numbers: int) -> tuple[str, ...]:
    return tuple(dict.fromkeys(names[number] for number in numbers))


def dense(
    vectors: np.ndarray, examples: Examples, senses: int
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Vectors with a one, the mask of all senses, the right ones: what a plain script would work with."""
    owner = np.repeat(np.arange(len(examples)), examples.sizes)
    mask = torch.full((len(examples), senses), -torch.inf)
    mask[owner, examples.candidates] = 0
    right = torch.zeros(len(examples), senses, dtype=torch.bool)
    right[owner[examples.right], examples.candidates[examples.right]] = True
    ones = np.ones((len(vectors), 1), np.float32)
    return torch.from_numpy(np.concatenate([vectors, ones], axis=1)), mask, right


@pytest.mark.parametrize("extra", [False, True])
def test_sparse_steps_are_dense_masked_ones(extra: bool) -> None:
    """A full softmax over all senses, non-candidates masked, and torch's own Adam on the whole matrix."""
    vectors, examples, names = task(extra=extra)
    taught = examples.ambiguous().corpus.instances["id"].to_pylist()
    mask = np.isin(examples.corpus.instances["id"].to_pylist(), taught)
    vectors, examples = vectors[mask], examples.select(mask)
    recipe = ProbeRecipe(learning_rate=1e-2, batch_size=5, epochs=3)
    learner = ProbeLearner(vectors, examples, len(names), recipe, seed=1)
    matrix = torch.nn.Parameter(torch.from_numpy(learner.matrix.copy()))
    adam = torch.optim.Adam([matrix], lr=1e-2)
    inputs, mask, right = dense(vectors, examples, len(names))
    number = 0
    for epoch in (1, 2, 3):
        for batch in learner.batches(epoch):
            number += 1
            summed, weight = learner.step(batch, number, 1e-2)
            logits = (inputs[batch] @ matrix.T + mask[batch]).log_softmax(1)
            loss = -logits.masked_fill(~right[batch], -torch.inf).logsumexp(1).mean()
            adam.zero_grad()
            loss.backward()
            adam.step()
            assert summed / weight == pytest.approx(loss.item(), abs=2e-5)
        learner.settle()
        torch.testing.assert_close(torch.from_numpy(learner.matrix), matrix.detach(), atol=2e-5, rtol=1e-4)


def test_one_right_candidate_is_plain_cross_entropy() -> None:
    scores = torch.tensor([1.0, 2.0, 0.5, -1.0, 3.0])
    owner, rank = torch.tensor([0, 0, 1, 1, 1]), torch.tensor([0, 1, 0, 1, 2])
    losses = candidate_losses(scores, owner, rank, torch.tensor([True, False, False, False, True]))
    expected = [
        torch.nn.functional.cross_entropy(scores[:2], torch.tensor(0)),
        torch.nn.functional.cross_entropy(scores[2:], torch.tensor(2)),
    ]
    torch.testing.assert_close(losses, torch.stack(expected))


def test_a_hopeless_right_candidate_still_has_a_gradient() -> None:
    scores = torch.tensor([500.0, 0.0], requires_grad=True)
    places = torch.tensor([0, 0]), torch.tensor([0, 1])
    candidate_losses(scores, *places, torch.tensor([False, True])).sum().backward()
    assert scores.grad is not None
    assert scores.grad.tolist() == [1.0, -1.0]


def test_it_learns(tmp_path: Path) -> None:
    vectors, examples, names = task(count=600)
    held_out = np.arange(len(examples)) >= 400
    recipe = ProbeRecipe(learning_rate=5e-3, batch_size=16, epochs=20)
    matrix = train_probe(
        vectors[~held_out], examples.select(~held_out), names, folder=tmp_path, recipe=recipe, about=ABOUT
    )
    rest, (inputs, mask, right) = examples.select(held_out), dense(vectors, examples, len(names))
    best = (inputs[held_out] @ torch.from_numpy(matrix).T + mask[held_out]).argmax(1)
    accuracy = right[held_out][torch.arange(len(rest)), best].float().mean().item()
    assert accuracy > 2 * float((1 / rest.sizes).mean())
    curve = rows(tmp_path)
    assert float(curve[-1]["loss"]) < 0.5 * float(curve[0]["loss"])


def rows(folder: Path) -> list[dict[str, str]]:
    with (folder / "losses.csv").open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


class StoppedError(Exception):
    """Stands for whatever ends a run."""


@pytest.mark.parametrize("steps", [7, 31, 47, 48])
def test_an_interrupted_run_goes_on_bit_by_bit(
    steps: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    vectors, examples, names = task()
    recipe = ProbeRecipe(learning_rate=1e-2, batch_size=10, epochs=4)

    def train(folder: Path) -> np.ndarray:
        return train_probe(
            vectors, examples, names, folder=folder, recipe=recipe, about=ABOUT,
            evaluate=lambda matrix: float(np.sin(matrix.sum())), checkpoint_minutes=0,
        )  # fmt: skip

    whole = train(tmp_path / "whole")
    original = ProbeLearner.step

    def step(self: ProbeLearner, batch: Any, number: int, rate: float) -> tuple[float, float]:
        if number > steps:
            raise StoppedError
        return original(self, batch, number, rate)

    with monkeypatch.context() as patch:
        patch.setattr(ProbeLearner, "step", step)
        with pytest.raises(StoppedError):
            train(tmp_path / "half")
    assert not (tmp_path / "half" / "manifest.json").exists()
    assert np.array_equal(train(tmp_path / "half"), whole)
    for column in ("step", "loss", "score"):
        assert [row[column] for row in rows(tmp_path / "half")] == [
            row[column] for row in rows(tmp_path / "whole")
        ]
    names_left = {path.name for path in (tmp_path / "half").iterdir()}
    assert names_left == {"losses.csv", "manifest.json", "probe.safetensors"}


def test_the_best_epoch_is_kept_and_patience_ends_the_run(tmp_path: Path) -> None:
    vectors, examples, names = task()
    recipe = ProbeRecipe(learning_rate=1e-2, batch_size=50, epochs=30, patience=3)
    seen: list[np.ndarray] = []
    scores = [0.1, 0.7, 0.7, 0.2, 0.6, 0.9]

    def evaluate(matrix: np.ndarray) -> float:
        seen.append(matrix.copy())
        return scores[len(seen) - 1]

    heard: list[str] = []
    matrix = train_probe(
        vectors,
        examples,
        names,
        folder=tmp_path,
        recipe=recipe,
        about=ABOUT,
        evaluate=evaluate,
        tell=heard.append,
    )
    assert len(seen) == 5  # the third is no better than the second, nor are the two after it
    assert np.array_equal(matrix, seen[1])
    assert np.array_equal(load_file(tmp_path / "probe.safetensors")["matrix"].numpy(), seen[1])
    manifest = json.loads((tmp_path / "manifest.json").read_text(encoding="utf-8"))
    assert (manifest["best_score"], manifest["best_epoch"], manifest["epochs_run"]) == (0.7, 2, 5)
    assert any("steps/s" in line and "at most" in line for line in heard)
    assert any("development 0.7000 (best so far)" in line for line in heard)


def test_a_finished_probe_is_not_trained_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    vectors, examples, names = task()
    recipe = ProbeRecipe(epochs=1)
    first = train_probe(vectors, examples, names, folder=tmp_path, recipe=recipe, about=ABOUT)
    monkeypatch.setattr(Loop, "run", None)
    again = train_probe(vectors, examples, names, folder=tmp_path, recipe=recipe, about=ABOUT)
    assert np.array_equal(first, again)
    with pytest.raises(UserError, match=r"trained otherwise \(epochs differ\)"):
        train_probe(vectors, examples, names, folder=tmp_path, recipe=ProbeRecipe(epochs=2), about=ABOUT)


def test_a_damaged_checkpoint(tmp_path: Path) -> None:
    vectors, examples, names = task()
    (tmp_path / "checkpoint.safetensors").write_bytes(b"half")
    with pytest.raises(StoreError, match=r"checkpoint\.safetensors is damaged"):
        train_probe(vectors, examples, names, folder=tmp_path, about=ABOUT)


def test_nothing_to_learn(tmp_path: Path) -> None:
    vectors, examples, names = task()
    none = examples.select(np.zeros(len(examples), bool))
    with pytest.raises(UserError, match="nothing to train the probe on"):
        train_probe(vectors[:0], none, names, folder=tmp_path, about=ABOUT)


# Examples


@given(most=st.integers(1, 6), seed=st.integers(0, 3))
@settings(max_examples=20, deadline=None)
def test_shots(most: int, seed: int) -> None:
    _, examples, _ = task()
    drawn = examples.shots(most, seed=seed)
    had, has = (np.bincount(each.sense, minlength=60) for each in (examples, drawn))
    assert np.array_equal(has, np.minimum(had, most))
    more = examples.shots(most + 1, seed=seed)
    assert set(drawn.corpus.instances["id"].to_pylist()) <= set(more.corpus.instances["id"].to_pylist())


def test_balanced_senses_of_a_word_weigh_the_same() -> None:
    _, examples, _ = task()
    balanced = examples.balanced()
    per_sense = np.bincount(balanced.sense, balanced.weights)
    word = np.array([int(lemma[1:]) for lemma in balanced.corpus.instances["lemma"].to_pylist()])
    for number in np.unique(word):
        of_word = per_sense[np.unique(balanced.sense[word == number])]
        assert np.allclose(of_word, of_word[0])
        assert of_word.sum() == pytest.approx((word == number).sum(), rel=1e-5)


def test_only_instances_with_a_right_candidate_are_examples() -> None:
    senses = (("a",), (), ("z",), ("z", "b"))
    sentences = [
        Sentence(f"s{i}", ("x",), "", (Instance(f"i{i}", 0, 1, "x", "n", each),))
        for i, each in enumerate(senses)
    ]
    corpus = Corpus.from_sentences(sentences)
    examples = Examples.of(corpus, ["a", "b"], np.array([0, 1] * 4), np.arange(0, 9, 2))
    assert examples.corpus.instances["id"].to_pylist() == ["i0", "i3"]
    assert examples.right.tolist() == [True, False, False, True]


def test_a_limit_takes_whole_sentences() -> None:
    _, examples, _ = task()
    assert len(examples.limit(50)) == 50
    assert len(examples.limit(10_000)) == len(examples)


# The learning rate


def test_the_rate_rises_and_falls() -> None:
    recipe = LoopRecipe(learning_rate=2.0, warmup=4, decay="linear")
    schedule = Schedule(recipe, 10)
    assert [schedule.rate(step) for step in (1, 2, 4)] == [0.5, 1.0, 2.0]
    assert [schedule.rate(step) for step in (5, 8, 10, 11, 12)] == pytest.approx([2.0, 1.0, 1 / 3, 0.0, 0.0])
    assert Schedule(LoopRecipe(learning_rate=2.0, warmup=4), 10).rate(10) == 2.0


def test_a_warm_up_longer_than_the_training_is_shortened() -> None:
    schedule = Schedule(LoopRecipe(learning_rate=1.0, warmup=10_000, decay="linear"), 100)
    assert (schedule.shortened, schedule.warmup, schedule.rate(10)) == (True, 10, 1.0)


@pytest.mark.parametrize(
    "setting", [{"warmup": 5}, {"decay": "linear"}, {"batch_size": 0}, {"learning_rate": 0}]
)
def test_settings_that_make_no_sense(setting: dict[str, Any]) -> None:
    with pytest.raises(UserError, match=next(iter(setting))):
        ProbeRecipe.of(**setting)
