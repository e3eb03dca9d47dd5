"""The bi-encoder as a system: unseen words, other inventories, stages, and glosses that are encoded once."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import invented_senses
import numpy as np
import pyarrow as pa
import pytest
from safetensors.numpy import load_file
from typer.testing import CliRunner

from uncommonsense.errors import MissingResourceError, StoreError, UnknownNameError, UserError
from uncommonsense.inventories.table import TableInventory
from uncommonsense.schema import Corpus
from uncommonsense.wsd.biencoder import BiEncoder, Stage, starting_recipe, train_stages
from uncommonsense.wsd.development import Development
from uncommonsense.wsd.glosses import GlossVectors

RECIPE: dict[str, Any] = {"learning_rate": 1e-3, "epochs": 1, "warmup": 2, "context_batch": 16}


pytestmark = pytest.mark.usefixtures("own_cache")


@pytest.fixture(scope="module")
def trained(
    tiny_bert: str, training: Corpus, development: Development, tmp_path_factory: pytest.TempPathFactory
) -> Path:
    """A bi-encoder that was trained until it knew something."""
    folder = tmp_path_factory.mktemp("trained") / "bem"
    recipe = {**RECIPE, "epochs": 10, "context_batch": 8, "warmup": 10, "dropout": False}
    system = BiEncoder(
        invented_senses.inventory(), model=tiny_bert, recipe=recipe, out=folder, development=development
    )
    system.fit(training)
    return folder


def make(model: str, **options: Any) -> BiEncoder:
    return BiEncoder(invented_senses.inventory(), **{"model": model, "recipe": RECIPE, **options})


def test_it_knows_words_that_it_never_saw(trained: Path, development: Development) -> None:
    system = BiEncoder.load(trained, invented_senses.inventory())
    scores = system.scores(development.corpus, development.choices)
    manifest = json.loads((trained / "manifest.json").read_text(encoding="utf-8"))
    assert development.f1(scores) == pytest.approx(manifest["best_score"], abs=0.01)
    unseen = np.array(development.corpus.instances["lemma"].to_pylist()) == invented_senses.UNSEEN
    known = Development(development.corpus.select(unseen), system.inventory)
    assert known.f1(system.scores(known.corpus, known.choices)) > 0.65


def test_another_inventory_at_predict_time(trained: Path, development: Development) -> None:
    """The same glosses under other names, in another order, with one sense more."""
    senses = [sense._replace(id=f"other-{sense.id}") for sense in reversed(invented_senses.senses())]
    other = TableInventory.from_senses(
        [*senses, senses[-1]._replace(id="new", lemmas=("lamp",))], name="other"
    )
    here = BiEncoder.load(trained, invented_senses.inventory()).predict(development.corpus).answers()
    there = BiEncoder.load(trained, other).predict(development.corpus).answers()
    lemma = development.corpus.instances["lemma"].to_pylist()
    pairs = [(a, b) for a, b, word in zip(here, there, lemma, strict=True) if word != "lamp"]
    assert all(b == f"other-{a}" for a, b in pairs)


def test_no_gloss_is_encoded_twice(
    trained: Path, development: Development, monkeypatch: pytest.MonkeyPatch
) -> None:
    system = BiEncoder.load(trained, invented_senses.inventory())
    encoded: list[str] = []
    original = BiEncoder._encode_glosses

    def spy(self: BiEncoder, texts: Any) -> np.ndarray:
        encoded.extend(texts)
        return original(self, texts)

    monkeypatch.setattr(BiEncoder, "_encode_glosses", spy)
    system.predict(development.corpus)
    assert encoded == []
    changed = [sense._replace(gloss=f"{sense.gloss} again") for sense in invented_senses.senses()]
    other = TableInventory.from_senses(changed, name="other")
    for _ in range(2):
        BiEncoder.load(trained, other).predict(development.corpus)
    assert len(encoded) == len(set(encoded)) == len(changed)


@pytest.mark.parametrize(("keep", "count"), [("needed", 8), ("inventory", 11), ("none", 0)])
def test_which_glosses_are_kept(
    keep: str, count: int, tiny_bert: str, training: Corpus, tmp_path: Path
) -> None:
    make(tiny_bert, out=tmp_path / "out", keep=keep, limit=60, half=True).fit(training)
    file = tmp_path / "out" / "glosses.safetensors"
    assert file.exists() is bool(count)
    if count:
        vectors = load_file(file)["vectors"]
        assert (vectors.dtype, vectors.shape) == (np.float16, (count, 32))


def test_save_and_load(tiny_bert: str, training: Corpus, development: Development, tmp_path: Path) -> None:
    heard: list[str] = []
    system = make(tiny_bert, limit=40, report=heard.append).fit(training)
    assert any("no folder is given" in line for line in heard)
    system.save(tmp_path / "saved")
    loaded = BiEncoder.load(tmp_path / "saved", system.inventory)
    args = development.corpus, development.choices
    assert np.array_equal(system.scores(*args), loaded.scores(*args))


def test_stages(tiny_bert: str, training: Corpus, development: Development, tmp_path: Path) -> None:
    inventory = invented_senses.inventory()
    renamed = [sense._replace(id=f"x-{sense.id}") for sense in invented_senses.senses()]
    other = TableInventory.from_senses(renamed, name="other")
    rows = training.instances.to_pylist()
    for row in rows:
        row["senses"] = [f"x-{sense}" for sense in row["senses"]]
    second = Corpus(training.sentences, pa.Table.from_pylist(rows, training.instances.schema), name="second")
    stages = [Stage("one", training, inventory), Stage("two:a b", second, other, None)]
    system = train_stages(stages, out=tmp_path, model=tiny_bert, recipe=RECIPE, limit=48)
    assert sorted(path.name for path in tmp_path.iterdir() if path.name != "cache") == [
        "1-one", "2-two-a-b", "system.json",
    ]  # fmt: skip
    manifests = [
        json.loads((tmp_path / each / "manifest.json").read_text()) for each in ("1-one", "2-two-a-b")
    ]
    assert [each["inventory"] for each in manifests] == ["invented", "other"]
    assert manifests[1]["model"] == str(tmp_path / "1-one")
    assert manifests[0]["fingerprints_before"] != manifests[1]["fingerprints_before"]
    loaded = BiEncoder.load(tmp_path, inventory)
    first = BiEncoder.load(tmp_path / "1-one", inventory)
    args = development.corpus, development.choices
    assert np.array_equal(
        loaded.scores(*args), BiEncoder.load(tmp_path / "2-two-a-b", inventory).scores(*args)
    )
    assert not np.array_equal(loaded.scores(*args), first.scores(*args))
    assert system.inventory is other


def test_what_is_left_open_follows_the_model(trained: Path, tmp_path: Path) -> None:
    heard: list[str] = []
    assert starting_recipe("minilm", {}, heard.append).gloss_pool == "mean"
    assert "gloss_pool is mean" in heard[0]
    assert starting_recipe("minilm", {"gloss_pool": "first"}).gloss_pool == "first"
    assert starting_recipe("bert-base-uncased", {}).gloss_pool == "first"
    (tmp_path / "manifest.json").write_text(json.dumps({"recipe": {"gloss_pool": "last", "tied": True}}))
    recipe = starting_recipe(str(tmp_path), {"epochs": 3})
    assert (recipe.gloss_pool, recipe.tied, recipe.epochs) == ("last", True, 3)
    assert starting_recipe(str(trained), {}).gloss_length == 32


def test_gloss_vectors(tmp_path: Path) -> None:
    def encode(texts: Any) -> np.ndarray:
        return np.array([[len(text), 1.0] for text in texts], np.float32).reshape(-1, 2)

    file = tmp_path / "glosses.safetensors"
    assert GlossVectors(file).of(["a", "bcd", "a"], encode).tolist() == [[1, 1], [3, 1], [1, 1]]
    again = GlossVectors.open(file)
    assert again.of(["bcd", "ef"], encode).tolist() == [[3, 1], [2, 1]]
    assert len(GlossVectors.open(file)) == 3
    assert GlossVectors.open(tmp_path / "none").of([], encode).shape == (0, 2)
    file.write_bytes(b"half")
    with pytest.raises(StoreError, match="damaged"):
        GlossVectors.open(file)


def test_mistakes(tiny_bert: str, training: Corpus, tmp_path: Path) -> None:
    with pytest.raises(UserError, match="uncommonsense wsd train biencoder"):
        make(tiny_bert).predict(training)
    with pytest.raises(UserError, match="nothing to save"):
        make(tiny_bert).save(tmp_path)
    with pytest.raises(MissingResourceError, match="wsd train biencoder --corpus semcor --out"):
        BiEncoder.load(tmp_path / "nothing", invented_senses.inventory())
    (tmp_path / "system.json").write_text(
        json.dumps({"system": "biencoder", "reading": {}, "half": False}), encoding="utf-8"
    )
    with pytest.raises(MissingResourceError, match="holds no trained bi-encoder"):
        BiEncoder.load(tmp_path, invented_senses.inventory())
    with pytest.raises(UnknownNameError, match="choice of glosses"):
        make(tiny_bert, keep="all")


def test_the_command(tmp_path: Path, tiny_bert: str) -> None:
    from uncommonsense.cli.wsd.train import app

    fews = f"fews:{invented_senses.write_fews(tmp_path / 'fews')}"
    arguments = ["biencoder", "--stages", f"{fews},{fews}", "--dev", fews, "--model", tiny_bert]
    arguments += ["--out", str(tmp_path / "out"), "--epochs", "1", "--limit", "40", "--shots", "4"]
    done = CliRunner().invoke(app, [*arguments, "--balanced", "--json"])
    assert done.exit_code == 0, done.output
    first, second = json.loads(done.stdout[done.stdout.index("[") :])
    assert first["examples"] == second["examples"] <= 32
    assert (tmp_path / "out" / "2-fews" / "manifest.json").is_file()
    BiEncoder.load(tmp_path / "out", invented_senses.inventory())
    both = CliRunner().invoke(app, [*arguments, "--corpus", fews])
    assert isinstance(both.exception, UserError)
    three = CliRunner().invoke(app, [*arguments, "--dev", fews, "--dev", fews])
    assert "--dev is given 3 times for 2 stages" in str(three.exception)
