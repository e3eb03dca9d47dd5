"""The bi-encoder: a step is what a plain script does, frozen is frozen, and accidents change nothing."""

from __future__ import annotations

import csv
import json
import os
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import invented_senses
import numpy as np
import pytest
import torch
import transformers
from safetensors.torch import load_file

from uncommonsense.encode import Encoder
from uncommonsense.encode.corpus import encode_text
from uncommonsense.errors import UserError
from uncommonsense.schema import Corpus
from uncommonsense.train.biencoder import BiEncoderLearner, BiEncoderRecipe, Glosses, train_biencoder
from uncommonsense.train.encoder import TrainableEncoder
from uncommonsense.train.examples import Examples
from uncommonsense.train.loop import Loop
from uncommonsense.train.two_encoders import (
    Reading,
    TwoEncoders,
    encode_texts,
    open_context_encoder,
    open_gloss_encoder,
)

Tiny = Callable[[str], str]
QUICK: dict[str, Any] = {"learning_rate": 1e-3, "epochs": 2, "warmup": 3, "context_batch": 16}
ABOUT: dict[str, Any] = {"development": None, "corpus": "invented"}


def task(split: str = "train") -> tuple[Examples, list[str], list[str]]:
    """Examples, ids of senses, glosses."""
    corpus, inventory = invented_senses.corpus(split), invented_senses.inventory()
    offered = [inventory.candidates(lemma, "n") for lemma in corpus.instances["lemma"].to_pylist()]
    senses = list(inventory.senses())
    candidates = np.array([senses.index(sense) for each in offered for sense in each])
    offsets = np.concatenate(([0], np.cumsum([len(each) for each in offered])))
    examples = Examples.of(corpus, senses, candidates, offsets).ambiguous()
    return examples, senses, [inventory.gloss(sense) for sense in senses]


def train(model: str, folder: Path, *, few: int = 0, **changes: Any) -> Path:
    examples, senses, glosses = task()
    own = {
        name: changes.pop(name)
        for name in ("evaluate", "tell", "checkpoint_minutes", "seed")
        if name in changes
    }
    train_biencoder(
        model,
        examples.limit(few) if few else examples,
        senses,
        glosses,
        folder=folder,
        recipe=BiEncoderRecipe.of(**{**QUICK, **changes}),
        about=ABOUT,
        **own,
    )
    return folder


def learner(model: str, **changes: Any) -> BiEncoderLearner:
    examples, _, glosses = task()
    recipe = BiEncoderRecipe.of(**{**QUICK, "dropout": False, **changes})
    encoders = TwoEncoders.open(model, recipe.reading, tied=recipe.tied)
    return BiEncoderLearner(encoders, examples, Glosses.of(glosses), recipe, seed=0)


def weights(folder: Path, part: str) -> dict[str, torch.Tensor]:
    return load_file(folder / part / "model.safetensors")


def same(one: dict[str, torch.Tensor], other: dict[str, torch.Tensor]) -> bool:
    """Bit for bit."""
    return one.keys() == other.keys() and all(torch.equal(one[name], other[name]) for name in one)


def rows(folder: Path) -> list[dict[str, str]]:
    with (folder / "losses.csv").open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


def right_share(folder: Path, split: str, recipe: BiEncoderRecipe) -> float:
    """The share of the words of a split whose right sense has the largest dot product."""
    examples, _, glosses = task(split)
    contexts = encode_text(open_context_encoder(folder, recipe.reading), examples.corpus)
    texts = encode_texts(open_gloss_encoder(folder, recipe.reading), glosses)
    right = 0
    for row in range(len(examples)):
        places = slice(examples.offsets[row], examples.offsets[row + 1])
        right += int(examples.right[places][(texts[examples.candidates[places]] @ contexts[row]).argmax()])
    return right / len(examples)


# Learning


@pytest.mark.parametrize("changes", [{}, {"tied": True, "gloss_pool": "mean"}, {"freeze": "gloss"}])
def test_it_learns(changes: dict[str, Any], tiny: Tiny, tmp_path: Path) -> None:
    """Held out are contexts of the words it has seen, and all of a word that it has not.

    Glosses that a random model encoded and that stay so say nothing of a word that was not seen.
    """
    settings = {"epochs": 10, "context_batch": 8, "warmup": 10, "dropout": False, **changes}
    folder = train(tiny("bert"), tmp_path, **settings)
    curve = [float(row["loss"]) for row in rows(folder)]
    assert np.mean(curve[-5:]) < 0.6 * np.mean(curve[:5])
    asked = "train" if "freeze" in changes else "dev"
    assert right_share(folder, asked, BiEncoderRecipe.of(**changes)) > 0.65


@pytest.mark.parametrize("family", ["roberta", "gpt2", "xlnet", "distilbert", "t5"])
def test_every_family_can_be_trained(family: str, tiny: Tiny, tmp_path: Path) -> None:
    pool = "last" if family in ("gpt2", "xlnet", "t5") else "first"
    folder = train(tiny(family), tmp_path, few=48, epochs=1, gloss_pool=pool)
    for part in ("context", "gloss"):
        before = transformers.AutoModel.from_pretrained(tiny(family)).state_dict()
        after = transformers.AutoModel.from_pretrained(folder / part).state_dict()
        assert any(not torch.equal(before[name], tensor) for name, tensor in after.items())


# One step


def plain_loss(
    context: Any, gloss: Any, tokenizer: Any, examples: Examples, glosses: list[str], batch: np.ndarray
) -> torch.Tensor:
    """With transformers alone, example by example, every gloss as often as it is needed."""
    tokens = examples.corpus.sentences["tokens"].take(examples.corpus.rows).to_pylist()
    starts = examples.corpus.instances["start"].to_pylist()
    losses = []
    for row in batch:
        inputs = tokenizer(tokens[row], is_split_into_words=True, return_tensors="pt")
        pieces = [i for i, word in enumerate(inputs.word_ids()) if word == starts[row]]
        target = context(**inputs).last_hidden_state[0, pieces].mean(0)
        places = slice(examples.offsets[row], examples.offsets[row + 1])
        texts = [glosses[number] for number in examples.candidates[places]]
        read = [tokenizer(text, return_tensors="pt", truncation=True, max_length=32) for text in texts]
        vectors = torch.stack([gloss(**each).last_hidden_state[0, 0] for each in read])
        gold = torch.from_numpy(examples.right[places].argmax(keepdims=True))
        losses.append(torch.nn.functional.cross_entropy((vectors @ target)[None], gold))
    return torch.stack(losses).mean()


@pytest.mark.parametrize("accumulate", [1, 2])
def test_a_step_is_what_a_plain_script_does(accumulate: int, tiny: Tiny) -> None:
    """Gloss by gloss, without sharing any; epsilon is large, else a first step is the sign of noise."""
    changes = {"epsilon": 1e-3, "learning_rate": 1e-2, "context_batch": 8 // accumulate, "clip": 0.5}
    made = learner(tiny("bert"), accumulate=accumulate, **changes)
    examples, _, glosses = task()
    batch = made.batches(1)[0]
    assert len(batch) == accumulate
    context, gloss = (transformers.AutoModel.from_pretrained(tiny("bert")).eval() for _ in range(2))
    tokenizer = transformers.AutoTokenizer.from_pretrained(tiny("bert"))
    parameters = [*context.parameters(), *gloss.parameters()]
    optimizer = torch.optim.AdamW(parameters, lr=1e-2, eps=1e-3, weight_decay=0.0)
    loss = plain_loss(context, gloss, tokenizer, examples, glosses, np.concatenate(batch))
    loss.backward()
    torch.nn.utils.clip_grad_norm_(parameters, 0.5)
    optimizer.step()
    summed, weight = made.step(batch, 1, 1e-2)
    assert summed / weight == pytest.approx(loss.item(), abs=1e-5)
    for ours, theirs in ((made.encoders.context, context), (made.encoders.gloss, gloss)):
        trained = ours.model.state_dict()
        for name, tensor in theirs.state_dict().items():
            torch.testing.assert_close(trained[name], tensor, atol=2e-5, rtol=0)


def test_each_gloss_is_read_once_in_a_pass(tiny: Tiny, monkeypatch: pytest.MonkeyPatch) -> None:
    made = learner(tiny("bert"))
    read: list[int] = []
    original = TrainableEncoder.forward_by_length

    def spy(self: TrainableEncoder, plan: Any, targets: np.ndarray, budget: int) -> torch.Tensor:
        if self is made.encoders.gloss:
            read.extend(targets.tolist())
        return original(self, plan, targets, budget)

    monkeypatch.setattr(TrainableEncoder, "forward_by_length", spy)
    rows = np.concatenate(made.batches(1)[0])
    shared = made.loss(rows).item()
    assert len(read) == len(set(read)) < 2 * len(rows)
    alone = sum(made.loss(rows[[place]]).item() for place in range(len(rows)))
    assert shared == pytest.approx(alone, rel=1e-5)


def test_passes_of_many_glosses_are_divided(tiny: Tiny) -> None:
    made = learner(tiny("bert"), gloss_batch=3, context_batch=16)
    examples, _, _ = task()
    passes = [rows for step in made.batches(1) for rows in step]
    assert sorted(np.concatenate(passes).tolist()) == list(range(len(examples)))
    assert max(len(np.unique(examples.candidates[examples.places(rows).where])) for rows in passes) <= 3
    assert len(passes) > len(examples) / 16


def test_weights_of_examples_are_those_of_their_losses(tiny: Tiny) -> None:
    made = learner(tiny("bert"))
    rows = np.array([0, 50])
    first, second = (made.loss(rows[[place]]).item() for place in (0, 1))
    made._examples.weights[rows] = 3.0, 0.5
    assert made.loss(rows).item() == pytest.approx(3 * first + 0.5 * second, rel=1e-5)


# Reading


def test_glosses_are_read_as_transformers_reads_them(tiny: Tiny) -> None:
    texts = [
        "the old bank of the river",
        "café",
        "steep , steep " * 40,
        "A plant grows by the window; another",
    ]
    model = transformers.AutoModel.from_pretrained(tiny("bert")).eval()
    tokenizer = transformers.AutoTokenizer.from_pretrained(tiny("bert"))
    for pool in ("first", "mean", "last"):
        encoder = TrainableEncoder(tiny("bert"), pool=pool).read_at_most(32)
        found = encode_texts(encoder, texts)
        for text, vector in zip(texts, found, strict=True):
            inputs = tokenizer(text, return_tensors="pt", truncation=True, max_length=32)
            states = model(**inputs).last_hidden_state[0].detach()
            expected = {"first": states[0], "mean": states.mean(0), "last": states[-1]}[pool]
            np.testing.assert_allclose(vector, expected.numpy(), atol=1e-5)


def test_a_limited_encoder_has_a_fingerprint_of_its_own(tiny: Tiny) -> None:
    whole = Encoder(tiny("bert"))
    assert TrainableEncoder(tiny("bert")).fingerprint == whole.fingerprint
    assert TrainableEncoder(tiny("bert")).read_at_most(16).fingerprint != whole.fingerprint
    with pytest.raises(UserError, match="leaves no room"):
        TrainableEncoder(tiny("bert")).read_at_most(2)


def test_both_encoders_of_a_tied_pair_are_one(tiny: Tiny, tmp_path: Path) -> None:
    folder = train(tiny("bert"), tmp_path, few=32, epochs=1, tied=True)
    assert {path.name for path in folder.iterdir()} == {"encoder", "losses.csv", "manifest.json"}
    encoders = TwoEncoders.open(str(folder), Reading(), tied=True)
    assert encoders.context.model is encoders.gloss.model
    parted = TwoEncoders.open(str(folder), Reading())
    assert parted.context.model is not parted.gloss.model


@pytest.mark.parametrize(("frozen", "other"), [("context", "gloss"), ("gloss", "context")])
def test_what_is_frozen_does_not_change(frozen: str, other: str, tiny: Tiny, tmp_path: Path) -> None:
    folder = train(tiny("bert"), tmp_path, few=48, epochs=1, freeze=frozen)
    before = load_file(Path(tiny("bert")) / "model.safetensors")
    assert same(weights(folder, frozen), before)
    assert not same(weights(folder, other), before)


def test_two_encoders_part_ways(tiny: Tiny, tmp_path: Path) -> None:
    folder = train(tiny("bert"), tmp_path, few=32, epochs=1)
    assert not same(weights(folder, "context"), weights(folder, "gloss"))


# Interruption


class StoppedError(Exception):
    """Stands for whatever ends a run."""


@pytest.mark.parametrize("steps", [2, 4, 7])
@pytest.mark.parametrize("changes", [{}, {"freeze": "gloss"}])
def test_an_interrupted_run_goes_on_bit_by_bit(
    steps: int, changes: dict[str, Any], tiny: Tiny, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Four steps an epoch, with dropout: stopped inside the first, at its end, inside the second."""
    options = {"few": 64, "checkpoint_minutes": 0, "evaluate": lambda _: 0.5, **changes}
    whole = train(tiny("bert"), tmp_path / "whole", **options)
    original = BiEncoderLearner.step

    def step(self: BiEncoderLearner, batch: Any, number: int, rate: float) -> tuple[float, float]:
        if number > steps:
            raise StoppedError
        return original(self, batch, number, rate)

    with monkeypatch.context() as patch:
        patch.setattr(BiEncoderLearner, "step", step)
        with pytest.raises(StoppedError):
            train(tiny("bert"), tmp_path / "half", **options)
    heard: list[str] = []
    half = train(tiny("bert"), tmp_path / "half", tell=heard.append, **options)
    assert f"after {steps} steps" in heard[1]
    for part in ("context", "gloss"):
        assert same(weights(half, part), weights(whole, part))
    for column in ("epoch", "step", "loss", "rate", "score"):
        assert [row[column] for row in rows(half)] == [row[column] for row in rows(whole)]
    assert {path.name for path in half.iterdir()} == {"context", "gloss", "losses.csv", "manifest.json"}


def test_ctrl_c_finishes_the_step_and_saves(
    tiny: Tiny, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    original = BiEncoderLearner.step

    def step(self: BiEncoderLearner, batch: Any, number: int, rate: float) -> tuple[float, float]:
        if number == 2:
            os.kill(os.getpid(), signal.SIGINT)
        return original(self, batch, number, rate)

    heard: list[str] = []
    with monkeypatch.context() as patch:
        patch.setattr(BiEncoderLearner, "step", step)
        with pytest.raises(KeyboardInterrupt):
            train(tiny("bert"), tmp_path / "half", few=64, tell=heard.append)
    assert any("stopping after this step" in line for line in heard)
    heard.clear()
    half = train(tiny("bert"), tmp_path / "half", few=64, tell=heard.append)
    assert "after 2 steps" in heard[1]
    assert same(weights(half, "gloss"), weights(train(tiny("bert"), tmp_path / "whole", few=64), "gloss"))


def test_another_recipe_does_not_take_up_the_checkpoint(
    tiny: Tiny, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(Loop, "_end_epoch", lambda _: (_ for _ in ()).throw(StoppedError))
        with pytest.raises(StoppedError):
            train(tiny("bert"), tmp_path, few=64, checkpoint_minutes=0)
    with pytest.raises(UserError, match="checkpoint of a run with another model"):
        train(tiny("bert"), tmp_path, few=64, clip=2.0)


def test_seeds(tiny: Tiny, tmp_path: Path) -> None:
    one, again, other = (
        train(tiny("bert"), tmp_path / name, few=32, epochs=1, seed=seed)
        for name, seed in (("one", 3), ("again", 3), ("other", 4))
    )
    assert same(weights(one, "context"), weights(again, "context"))
    assert not same(weights(one, "context"), weights(other, "context"))


# What is written and said; mistakes


def test_the_manifest(tiny: Tiny, tmp_path: Path) -> None:
    heard: list[str] = []
    folder = train(tiny("bert"), tmp_path, few=32, evaluate=lambda _: 0.25, tell=heard.append)
    manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    assert manifest["model"] == tiny("bert")
    assert len(manifest["fingerprints_before"]) == 2
    assert (manifest["examples"], manifest["sentences"], manifest["epochs_run"]) == (32, 32, 2)
    assert (manifest["best_score"], manifest["best_epoch"], manifest["steps"]) == (0.25, 1, 4)
    assert (manifest["device"], manifest["precision"]) == ("cpu", "fp32")
    assert manifest["recipe"]["gloss_length"] == 32
    assert manifest["packages"]["torch"] == torch.__version__
    assert "two encoders, fp32) on 32 examples in 32 sentences" in heard[0]
    assert float(rows(folder)[-1]["score"]) == 0.25


def test_a_short_training_shortens_the_warm_up_and_says_so(tiny: Tiny, tmp_path: Path) -> None:
    heard: list[str] = []
    train(tiny("bert"), tmp_path, few=32, epochs=1, warmup=10_000, tell=heard.append)
    assert any("warm-up of 10,000 steps is longer than the training (2)" in line for line in heard)


def test_a_finished_folder_is_not_trained_again(
    tiny: Tiny, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    train(tiny("bert"), tmp_path, few=32, epochs=1)
    monkeypatch.setattr(Loop, "run", None)
    train(tiny("bert"), tmp_path, few=32, epochs=1)
    with pytest.raises(UserError, match=r"trained otherwise \(tied differ\)"):
        train(tiny("bert"), tmp_path, few=32, epochs=1, tied=True)


def test_mistakes(tiny: Tiny, tmp_path: Path) -> None:
    with pytest.raises(UserError, match="tied cannot be frozen"):
        BiEncoderRecipe(tied=True, freeze="gloss")
    with pytest.raises(UserError, match="unknown value of freeze 'both'"):
        BiEncoderRecipe(freeze="both")
    with pytest.raises(UserError, match=r"mixed precision \(bf16\) needs a GPU"):
        train(tiny("bert"), tmp_path, few=32, precision="bf16")
    examples, senses, glosses = task()
    none = examples.select(np.zeros(len(examples), bool))
    with pytest.raises(UserError, match="nothing to train the bi-encoder on"):
        train_biencoder(tiny("bert"), none, senses, glosses, folder=tmp_path, about=ABOUT)


def test_a_loss_that_explodes(tiny: Tiny, tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"the loss of step . is .*; train with a lower learning rate"):
        train(tiny("bert"), tmp_path, learning_rate=1e30, clip=0.0)


def test_the_corpus_is_as_the_tests_take_it_to_be() -> None:
    examples, _, _ = task()
    assert isinstance(examples.corpus, Corpus)
    assert len(examples) == 160
