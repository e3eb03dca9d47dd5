"""Training: it learns, it repeats itself, and no accident changes what comes out."""

from __future__ import annotations

import csv
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
import transformers
from filelock import FileLock
from invented_supersenses import invented_corpus
from safetensors.torch import load_file

from running import environment
from uncommonsense.encode import Encoder
from uncommonsense.encode.corpus import encode_text
from uncommonsense.errors import StoreError, UnknownNameError, UserError
from uncommonsense.schema import Corpus
from uncommonsense.train import Recipe, draw_sample, inoculate, manifests, read_manifest
from uncommonsense.train.encoder import TrainableEncoder
from uncommonsense.train.sample import labels_of
from uncommonsense.train.training import Epoch, Training

Tiny = Callable[[str], str]
QUICK = {"epochs": 4, "learning_rate": 1e-3}


def weights(folder: Path) -> dict[str, torch.Tensor]:
    return load_file(folder / "model" / "model.safetensors")


def same(one: dict[str, torch.Tensor], other: dict[str, torch.Tensor]) -> bool:
    """Bit for bit."""
    return one.keys() == other.keys() and all(torch.equal(one[name], other[name]) for name in one)


def losses(folder: Path) -> list[dict[str, str]]:
    with (folder / "losses.csv").open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


FAMILIES = ["bert", "roberta", "gpt2", "albert", "xlnet", "distilbert", "llama3", "t5"]


@pytest.mark.parametrize("family", FAMILIES)
def test_every_family_learns_and_loads(family: str, tiny: Tiny, corpus: Corpus, tmp_path: Path) -> None:
    folder = inoculate(tiny(family), corpus, size=60, out=tmp_path, epochs=6, learning_rate=3e-3)
    curve = [float(row["loss"]) for row in losses(folder)]
    assert len(curve) == 6
    assert curve[-1] < 0.7 * curve[0]
    plain = transformers.AutoModel.from_pretrained(folder / "model")
    before = transformers.AutoModel.from_pretrained(tiny(family)).state_dict()
    assert any(not torch.equal(before[name], tensor) for name, tensor in plain.state_dict().items())
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder / "model")
    fresh = encode_text(Encoder.from_model(plain, tokenizer), corpus)
    assert np.array_equal(encode_text(Encoder(str(folder / "model")), corpus), fresh)
    manifest = read_manifest(folder)
    assert manifest["fingerprint_before"] == Encoder(tiny(family)).fingerprint
    assert manifest["fingerprint_after"] == Encoder(str(folder / "model")).fingerprint
    assert manifest["fingerprint_after"] != manifest["fingerprint_before"]


def test_a_step_is_what_a_plain_script_does(tiny: Tiny, corpus: Corpus) -> None:
    """One step without dropout against transformers' own forward pass and torch's plain AdamW.

    Epsilon is large: a first step is else the sign of the gradient, also where that is rounding error.
    """
    recipe = Recipe(batch_size=12, dropout=False, learning_rate=1e-2, weight_decay=0.1, epsilon=1e-3)
    sample = draw_sample(corpus, 12)
    encoder = TrainableEncoder(tiny("bert"))
    training = Training(encoder, encoder.lay_out(sample), labels_of(sample), recipe, seed=0)
    model = transformers.AutoModel.from_pretrained(tiny("bert")).eval()
    tokenizer = transformers.AutoTokenizer.from_pretrained(tiny("bert"))
    head = torch.nn.Linear(32, len(set(labels_of(sample))))
    head.load_state_dict(training._head.state_dict())
    parameters = [*model.parameters(), *head.parameters()]
    optimizer = torch.optim.AdamW(parameters, lr=1e-2, eps=1e-3, weight_decay=0.1)
    vectors = []
    tokens = sample.sentences["tokens"].take(sample.rows).to_pylist()
    for words, start in zip(tokens, sample.instances["start"].to_pylist(), strict=True):
        inputs = tokenizer(words, is_split_into_words=True, return_tensors="pt")
        pieces = [i for i, word in enumerate(inputs.word_ids()) if word == start]
        vectors.append(model(**inputs).last_hidden_state[0, pieces].mean(0))
    classes = sorted(set(labels_of(sample)))
    gold = torch.tensor([classes.index(label) for label in labels_of(sample)])
    loss = torch.nn.functional.cross_entropy(head(torch.stack(vectors)), gold)
    loss.backward()
    optimizer.step()
    assert training.run_epoch().loss == pytest.approx(loss.item(), abs=1e-6)
    trained = encoder.model.state_dict()
    for name, tensor in model.state_dict().items():
        torch.testing.assert_close(trained[name], tensor, atol=1e-5, rtol=0)


def test_the_same_seed_gives_the_same_weights(tiny: Tiny, corpus: Corpus, tmp_path: Path) -> None:
    state = torch.random.get_rng_state()
    one = inoculate(tiny("bert"), corpus, size=30, out=tmp_path / "one", **QUICK)
    torch.rand(7)
    again = inoculate(tiny("bert"), corpus, size=30, out=tmp_path / "again", **QUICK)
    other = inoculate(tiny("bert"), corpus, size=30, out=tmp_path / "one", seed=1, **QUICK)
    assert same(weights(one), weights(again))
    assert not same(weights(one), weights(other))
    torch.random.set_rng_state(state)


def test_the_callers_random_numbers_are_left_alone(tiny: Tiny, corpus: Corpus, tmp_path: Path) -> None:
    torch.manual_seed(5)
    expected = torch.rand(3)
    torch.manual_seed(5)
    inoculate(tiny("bert"), corpus, size=9, out=tmp_path, epochs=1)
    assert torch.equal(torch.rand(3), expected)


def test_dropout_is_on_and_can_be_turned_off(tiny: Tiny, corpus: Corpus, tmp_path: Path) -> None:
    first = {}
    for dropout in (True, False):
        options = {"epochs": 1, "batch_size": 30, "dropout": dropout}
        folder = inoculate(tiny("bert"), corpus, size=30, out=tmp_path / str(dropout), **options)
        first[dropout] = read_manifest(folder)["first_loss"]
    assert first[True] != first[False]


# Interruption

KILLED = """
import os, sys
from pathlib import Path
sys.path[:0] = {paths!r}
import torch
torch.set_num_threads(1)
from invented_supersenses import invented_corpus
from uncommonsense.train import inoculate, training
from uncommonsense.train.training import Training

step, save = Training._step, Training.save
steps = []

def die(*_):
    os.kill(os.getpid(), 9)

def spy(self, batch):
    steps.append(1)
    if {accident!r} == "step" and len(steps) == {steps}:
        die()
    return step(self, batch)

def spy_save(self, file, run):
    save(self, file, run)
    if {accident!r} == "saved" and len(self.epochs) == 2:
        die()

def half(tensors, file, about):
    file.write_bytes(b"half")
    if len(steps) > 4:
        die()
    write(tensors, file, about)

write = training.save_file
if {accident!r} == "writing":
    training.save_file = half
Training._step, Training.save = spy, spy_save
if {accident!r} == "finishing":
    from uncommonsense.encode import _hf
    _hf.save = die
inoculate({model!r}, invented_corpus(), size=30, out={out!r}, epochs=4, learning_rate=1e-3)
"""


@pytest.mark.parametrize("accident", ["step", "writing", "saved", "finishing"])
def test_a_killed_run_ends_with_the_same_weights(
    accident: str, tiny: Tiny, corpus: Corpus, tmp_path: Path
) -> None:
    whole = inoculate(tiny("bert"), corpus, size=30, out=tmp_path / "whole", **QUICK)
    out = tmp_path / "killed"
    code = KILLED.format(
        paths=[str(Path(__file__).parent)], accident=accident, steps=11, model=tiny("bert"), out=str(out)
    )
    done = subprocess.run([sys.executable, "-c", code], env=environment(), check=False, capture_output=True)
    assert done.returncode == -9, done.stderr.decode()
    assert list(manifests(out)) == []
    heard: list[str] = []
    folder = inoculate(tiny("bert"), corpus, size=30, out=out, tell=heard.append, **QUICK)
    assert heard[0].startswith("Going on")
    assert same(weights(folder), weights(whole))
    assert [row["loss"] for row in losses(folder)] == [row["loss"] for row in losses(whole)]
    assert sorted(path.name for path in folder.iterdir()) == ["losses.csv", "manifest.json", "model"]


def test_a_finished_folder_is_not_trained_again(
    tiny: Tiny, corpus: Corpus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = inoculate(tiny("bert"), corpus, size=30, out=tmp_path, **QUICK)
    stamp = (folder / "model" / "model.safetensors").stat().st_mtime_ns
    monkeypatch.setattr(Training, "run_epoch", None)
    heard: list[str] = []
    assert inoculate(tiny("bert"), corpus, size=30, out=tmp_path, tell=heard.append, **QUICK) == folder
    assert heard == [f"{folder} is there already, trained with the same settings"]
    assert (folder / "model" / "model.safetensors").stat().st_mtime_ns == stamp


def test_a_folder_with_other_settings_is_not_taken_for_this_one(
    tiny: Tiny, corpus: Corpus, tmp_path: Path
) -> None:
    inoculate(tiny("bert"), corpus, size=30, out=tmp_path, **QUICK)
    with pytest.raises(UserError, match=r"trained otherwise \(epochs, beta1 differ\)"):
        inoculate(tiny("bert"), corpus, size=30, out=tmp_path, **{**QUICK, "epochs": 5, "beta1": 0.8})
    half = corpus.select(np.arange(len(corpus)) < len(corpus) // 2)
    with pytest.raises(UserError, match=r"\(sample_digest differ\)"):
        inoculate(tiny("bert"), half, size=30, out=tmp_path, **QUICK)


class InterruptedRunError(Exception):
    """Stands for whatever ends a run."""


def interrupted(tiny: Tiny, corpus: Corpus, out: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The checkpoint of a run that was stopped in its second epoch."""

    def run_epoch(self: Training, *_: Any) -> Epoch:
        if self.epochs:
            raise InterruptedRunError
        return original(self)

    original = Training.run_epoch
    with monkeypatch.context() as patch:
        patch.setattr(Training, "run_epoch", run_epoch)
        with pytest.raises(InterruptedRunError):
            inoculate(tiny("bert"), corpus, size=30, out=out, **QUICK)
    (checkpoint,) = out.rglob("checkpoint.safetensors")
    return checkpoint


def test_a_checkpoint_of_another_run(
    tiny: Tiny, corpus: Corpus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    interrupted(tiny, corpus, tmp_path, monkeypatch)
    with pytest.raises(UserError, match="of a run with another model, sample or recipe"):
        inoculate(tiny("bert"), corpus, size=30, out=tmp_path, **{**QUICK, "epochs": 5})


def test_a_damaged_checkpoint(
    tiny: Tiny, corpus: Corpus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    checkpoint = interrupted(tiny, corpus, tmp_path, monkeypatch)
    checkpoint.write_bytes(checkpoint.read_bytes()[:-100])
    with pytest.raises(StoreError, match=r"checkpoint\.safetensors is damaged .* delete it"):
        inoculate(tiny("bert"), corpus, size=30, out=tmp_path, **QUICK)


def test_two_runs_at_once(tiny: Tiny, corpus: Corpus, tmp_path: Path) -> None:
    folder = tmp_path / "bert" / "size-30" / "seed-0"
    folder.mkdir(parents=True)
    with FileLock(folder / "lock"), pytest.raises(UserError, match="another run is training"):
        inoculate(tiny("bert"), corpus, size=30, out=tmp_path, **QUICK)


# Stopping


def stopped(recipe: Recipe, curve: list[float], tiny: Tiny) -> bool:
    sample = draw_sample(invented_corpus(), 3)
    encoder = TrainableEncoder(tiny("bert"))
    training = Training(encoder, encoder.lay_out(sample), labels_of(sample), recipe, seed=0)
    training.epochs = [Epoch(i, loss, 0.0) for i, loss in enumerate(curve, 1)]
    return training.finished


@pytest.mark.parametrize(
    ("patience", "curve", "expected"),
    [
        (5, [], False),
        (5, [3, 2, 1] * 3, True),  # an equal loss is no progress
        (5, [3, 1, 2, 2, 2, 2], False),
        (5, [3, 1, 2, 2, 2, 2, 2], True),
        (5, [3, 1, 2, 2, 2, 2, 0.9], False),
        (1, [3, 2, 2.5], True),
        (0, [1, 2, 3, 4, 5, 6, 7, 8, 9], False),
        (0, [1] * 40, True),
    ],
)
def test_patience(patience: int, curve: list[float], expected: bool, tiny: Tiny) -> None:
    assert stopped(Recipe(patience=patience), curve, tiny) is expected


def test_a_run_that_learns_nothing_stops_early(tiny: Tiny, corpus: Corpus, tmp_path: Path) -> None:
    options = {"learning_rate": 1e-30, "dropout": False, "batch_size": 30}
    folder = inoculate(tiny("bert"), corpus, size=30, out=tmp_path, patience=2, **options)
    assert read_manifest(folder)["epochs_run"] < 20


# What is written and said


def test_the_manifest(tiny: Tiny, corpus: Corpus, tmp_path: Path) -> None:
    folder = inoculate(tiny("bert"), corpus, size=31, out=tmp_path, seed=3, **QUICK)
    assert folder == tmp_path / "bert" / "size-31" / "seed-3"
    manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    sample = draw_sample(corpus, 31, seed=3)
    assert manifest["sample"] == sample.instances["id"].to_pylist()
    assert sum(manifest["supersenses"].values()) == manifest["examples"] == 30
    assert (manifest["size"], manifest["seed"], manifest["corpus"]) == (31, 3, "invented")
    assert manifest["recipe"] == {
        "learning_rate": 1e-3, "batch_size": 8, "epochs": 4, "patience": 5, "weight_decay": 0.0,
        "beta1": 0.9, "beta2": 0.999, "epsilon": 1e-8, "dropout": True, "layers": "last", "pool": "mean",
    }  # fmt: skip
    curve = losses(folder)
    assert manifest["epochs_run"] == len(curve) == 4
    assert [float(curve[i]["loss"]) for i in (0, -1)] == [manifest["first_loss"], manifest["final_loss"]]
    assert manifest["packages"]["torch"] == torch.__version__
    assert manifest["date"].endswith("+00:00")
    assert list(manifests(tmp_path)) == [(folder, manifest)]


def test_training_is_announced_and_counted(tiny: Tiny, corpus: Corpus, tmp_path: Path) -> None:
    class Bar:
        def __init__(self, *arguments: Any) -> None:
            self.arguments, self.done = arguments, 0.0
            bars.append(self)

        def __enter__(self) -> Callable[[float], None]:
            def advance(n: float) -> None:
                self.done += n

            return advance

        def __exit__(self, *_: object) -> None:
            pass

    bars: list[Bar] = []
    heard: list[str] = []
    options: dict[str, Any] = {"progress": Bar, "tell": heard.append, **QUICK}
    folder = inoculate(tiny("bert"), corpus, size=30, out=tmp_path, **options)
    assert bars[0].arguments[1:] == (120.0, "examples")
    assert bars[0].done == 120
    assert "on 30 examples" in heard[0]
    assert str(folder) in heard[0]
    assert "minutes at most" in heard[1]
    assert "4 epochs, loss" in heard[2]


# Mistakes


def test_mistakes(tiny: Tiny, corpus: Corpus, tmp_path: Path) -> None:
    model, empty = tiny("bert"), tmp_path / "empty"
    empty.mkdir()
    with pytest.raises(UnknownNameError, match="unknown corpus 'strusle'; did you mean 'streusle'"):
        inoculate(model, "strusle", size=30, out=tmp_path / "out")
    with pytest.raises(UnknownNameError, match="unknown setting of the recipe 'lr'"):
        inoculate(model, corpus, size=30, out=tmp_path / "out", lr=1)
    with pytest.raises(UserError, match="layers 1,2 are kept apart"):
        inoculate(model, corpus, size=30, out=tmp_path / "out", layers="1,2")
    with pytest.raises(UnknownNameError, match="unknown pooling 'max'"):
        inoculate(model, corpus, size=30, out=tmp_path / "out", pool="max")
    with pytest.raises(UserError, match=r"is no model: expected a folder with config\.json"):
        inoculate(str(empty), corpus, size=30, out=tmp_path / "out")
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    "setting",
    [{"learning_rate": 0}, {"batch_size": 0}, {"epochs": 0}, {"beta2": 1}, {"patience": -1}, {"epsilon": -1}],
)
def test_settings_out_of_range(setting: dict[str, float]) -> None:
    with pytest.raises(UserError, match=f"{next(iter(setting))} must be"):
        Recipe.of(**setting)


def test_a_loss_that_explodes(tiny: Tiny, corpus: Corpus, tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"the loss of epoch . is .*; train with a lower learning rate"):
        inoculate(tiny("bert"), corpus, size=30, out=tmp_path, learning_rate=1e30)


def test_a_folder_that_cannot_be_written(tiny: Tiny, corpus: Corpus, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(UserError, match=r"cannot write to .*file"):
        inoculate(tiny("bert"), corpus, size=30, out=tmp_path / "file", **QUICK)
