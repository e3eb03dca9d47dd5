"""The probe as a system: what it learns, what it has no opinion on, and its folder."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import invented_senses
import numpy as np
import pyarrow.parquet as pq
import pytest
from safetensors.numpy import load_file
from typer.testing import CliRunner

from uncommonsense.errors import MissingResourceError, StoreError, UnknownNameError, UserError
from uncommonsense.schema import Corpus
from uncommonsense.testing import HashEncoder
from uncommonsense.wsd.choices import choices_of
from uncommonsense.wsd.development import Development
from uncommonsense.wsd.probe import Probe

RECIPE = {"learning_rate": 5e-3, "batch_size": 16, "epochs": 15}


pytestmark = pytest.mark.usefixtures("own_cache")


def probe(**options: Any) -> Probe:
    options = {"encoder": HashEncoder(), "recipe": RECIPE, **options}
    return Probe(invented_senses.inventory(), **options)


def lemmas(corpus: Corpus) -> np.ndarray:
    return np.array(corpus.instances["lemma"].to_pylist())


def test_it_tells_seen_words_apart_and_is_silent_about_others(
    training: Corpus, development: Development
) -> None:
    system = probe().fit(training)
    answers = np.array([answer or "" for answer in system.predict(development.corpus).answers()])
    lemma = lemmas(development.corpus)
    gold = np.array([senses[0] for senses in development.corpus.instances["senses"].to_pylist()])
    assert (answers[lemma == invented_senses.UNSEEN] == "").all()
    assert (answers[lemma == invented_senses.SINGLE] == "lamp.noun.1").all()
    ambiguous = np.isin(lemma, invented_senses.AMBIGUOUS)
    assert (answers == gold)[ambiguous].mean() > 0.9
    assert len(system.senses) == 2 * len(invented_senses.AMBIGUOUS) + 1


def test_back_off(training: Corpus, development: Development) -> None:
    system = probe(back_off="first-sense").fit(training)
    answers = np.array(system.predict(development.corpus).answers())
    unseen = lemmas(development.corpus) == invented_senses.UNSEEN
    assert (answers[unseen] == f"{invented_senses.UNSEEN}.noun.1").all()


def test_senses_that_were_not_seen(training: Corpus) -> None:
    """Of ``seen`` senses only those have a row; ``inventory`` gives one to each candidate of a seen word."""
    first = np.array([senses[0].endswith(".1") for senses in training.instances["senses"].to_pylist()])
    known = first | (lemmas(training) == "bank")
    seen = probe().fit(training.select(known))
    assert len(seen.senses) == 6  # two of bank, one of three words, the lamp
    every = probe(senses="inventory").fit(training.select(known))
    assert len(every.senses) == 9
    choices = choices_of(training, seen.inventory)
    silent = {
        choices.senses[number] for number in choices.candidates[np.isnan(seen.scores(training, choices))]
    }
    assert silent == {"plant.noun.2", "spring.noun.2", "light.noun.2"}


def test_layers_that_are_kept_apart_follow_each_other(
    training: Corpus, monkeypatch: pytest.MonkeyPatch
) -> None:
    system = probe()
    flat = system._vectors(training)
    stacked = flat.reshape(len(flat), 4, -1)
    monkeypatch.setattr(
        "uncommonsense.wsd.probe.encode_corpus", lambda *_, **__: type("V", (), {"matrix": stacked})
    )
    assert np.array_equal(system._vectors(training), flat)


def test_shots_and_limit(training: Corpus) -> None:
    examples, senses = probe(shots=3)._examples(training)
    assert np.unique(examples.sense, return_counts=True)[1].tolist() == [3] * 8
    assert len(senses) == 9
    examples, _ = probe(limit=20)._examples(training)
    assert 5 <= len(examples) <= 10  # ten sentences; the lamps have no choice


def test_save_and_load(training: Corpus, development: Development, tmp_path: Path, tiny_bert: str) -> None:
    system = probe(encoder=tiny_bert, layers="1", out=tmp_path / "probe", back_off="first-sense").fit(
        training
    )
    loaded = Probe.load(tmp_path / "probe", system.inventory)
    args = development.corpus, development.choices
    assert np.array_equal(system.scores(*args), loaded.scores(*args))
    system.save(tmp_path / "copy")
    assert np.array_equal(Probe.load(tmp_path / "copy", system.inventory).scores(*args), loaded.scores(*args))
    about = json.loads((tmp_path / "probe" / "system.json").read_text(encoding="utf-8"))
    assert (about["system"], about["options"]["layers"], about["inventory"]) == ("probe", "1", "invented")
    about["fingerprint"] = "other"
    (tmp_path / "copy" / "system.json").write_text(json.dumps(about), encoding="utf-8")
    with pytest.raises(StoreError, match="vectors of another model"):
        Probe.load(tmp_path / "copy", system.inventory)


def test_vectors_are_not_encoded_again(training: Corpus, monkeypatch: pytest.MonkeyPatch) -> None:
    probe(recipe={"epochs": 1}).fit(training)
    monkeypatch.setattr(HashEncoder, "encode_table", None)
    probe(recipe={"epochs": 2}).fit(training)


def test_it_says_what_it_does(training: Corpus, development: Development, tmp_path: Path) -> None:
    heard: list[str] = []
    probe(out=tmp_path / "out", development=development, report=heard.append).fit(training)
    assert heard[0] == "320 words of 'invented train' give 160 examples with a choice"
    assert "a probe of 9 senses on 160 examples" in heard[1]
    manifest = json.loads((tmp_path / "out" / "manifest.json").read_text(encoding="utf-8"))
    assert manifest["development"]["corpus"] == "invented dev"
    assert manifest["best_score"] == development_f1(tmp_path / "out", development)
    assert len(manifest["corpus_digest"]) == 32


def development_f1(folder: Path, development: Development) -> float:
    """Of the saved rows, computed anew; the encoder of the tests has no folder to be loaded from."""
    system = probe()
    system.matrix = load_file(folder / "probe.safetensors")["matrix"]
    system.senses = tuple(pq.read_table(folder / "senses.parquet")["sense"].to_pylist())
    return development.f1(system.scores(development.corpus, development.choices))


def test_mistakes(training: Corpus, tmp_path: Path) -> None:
    with pytest.raises(UserError, match="uncommonsense wsd train probe"):
        probe().predict(training)
    with pytest.raises(UserError, match="nothing to save"):
        probe().save(tmp_path)
    with pytest.raises(MissingResourceError, match="wsd train probe --corpus semcor --out"):
        Probe.load(tmp_path / "nothing", invented_senses.inventory())
    with pytest.raises(UnknownNameError, match="back-off"):
        probe(back_off="mfs")
    with pytest.raises(UnknownNameError, match="setting of the recipe 'lr'"):
        probe(recipe={"lr": 1}).fit(training)


def test_the_command(tmp_path: Path, tiny_bert: str) -> None:
    from uncommonsense.cli.wsd.train import app

    fews = f"fews:{invented_senses.write_fews(tmp_path / 'fews')}"
    arguments = [
        "probe",
        "--corpus",
        fews,
        "--dev",
        fews,
        "--model",
        tiny_bert,
        "--out",
        str(tmp_path / "out"),
    ]
    done = CliRunner().invoke(app, [*arguments, "--epochs", "3", "--json"])
    assert done.exit_code == 0, done.output
    (row,) = json.loads(done.stdout[done.stdout.index("[") :])
    assert (row["examples"], row["epochs"]) == (160, 3)
    assert row["dev_f1"] is not None
    assert (tmp_path / "out" / "system.json").is_file()
