"""The scorer of senses: it learns, leaves a usage out of its own sense, goes on after an interruption."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import invented_senses
import numpy as np
import pyarrow as pa
import pytest
import torch

from uncommonsense.errors import UserError
from uncommonsense.schema import Corpus
from uncommonsense.train.scorer import KnownSenses, ScorerHead, ScorerRecipe, SenseWeights, weigh_senses
from uncommonsense.wsd.development import Development
from uncommonsense.wsd.scorer import SenseScorer, SenseTable

RECIPE: dict[str, Any] = {
    "layers": "last",
    "learning_rate": 1e-3,
    "epochs": 3,
    "warmup": 2,
    "pieces": 200,
    "frozen_layers": 0,
    "dropout": False,
}


pytestmark = pytest.mark.usefixtures("own_cache")


def scorer(model: str, out: Path, **options: Any) -> SenseScorer:
    return SenseScorer(
        invented_senses.inventory(), **{"model": model, "recipe": RECIPE, "out": out, **options}
    )


def test_it_learns_and_is_loaded_as_it_was(
    tiny_bert: str, training: Corpus, development: Development, tmp_path: Path
) -> None:
    told: list[str] = []
    options = {"development": development, "recipe": {**RECIPE, "epochs": 10}}
    system = scorer(tiny_bert, tmp_path / "a", report=told.append, **options).fit(training)
    ambiguous = np.isin(development.corpus.instances["lemma"].to_pylist(), invented_senses.AMBIGUOUS)
    known = Development(development.corpus.select(ambiguous), system.inventory)
    scores = system.scores(known.corpus, known.choices)
    assert known.f1(scores) > 0.7  # chance is a half
    assert any("Training a scorer of senses" in line for line in told)
    system.save(tmp_path / "copy")
    loaded = SenseScorer.load(tmp_path / "copy", invented_senses.inventory())
    assert np.array_equal(loaded.scores(known.corpus, known.choices), scores)
    again: list[str] = []
    scorer(tiny_bert, tmp_path / "a", report=again.append, **options).fit(training)
    assert any("is there already" in line for line in again)


def test_other_text_gives_usages_and_no_frequency(tiny_bert: str, training: Corpus, tmp_path: Path) -> None:
    half = np.arange(len(training)) % 2 == 0
    system = scorer(tiny_bert, tmp_path, also=training.select(~half))
    text = Corpus.concatenate([training.select(half), training.select(~half)])
    ids = list(system.inventory.senses())
    vectors, known = system._known(text, int(half.sum()), ids, ScorerRecipe.of(**RECIPE))
    assert known.seen.sum() == len(training)
    assert known.occurrences.sum() == half.sum()
    first = ids.index("bank.noun.1")
    mine = [
        row for row, senses in enumerate(text.instances["senses"].to_pylist()) if senses == ["bank.noun.1"]
    ]
    assert known.usages[first] == pytest.approx(vectors[mine].sum(axis=0), abs=1e-5)
    assert known.rank[[first, ids.index("bank.noun.2")]].tolist() == [0, 1]


def test_a_usage_is_not_compared_with_itself(tiny_bert: str, training: Corpus, tmp_path: Path) -> None:
    """The loss of an example is as if it had never been among the usages of its sense."""
    from uncommonsense.train.encoder import TrainableEncoder
    from uncommonsense.train.scorer import ScorerLearner

    recipe = ScorerRecipe.of(**RECIPE)
    system = scorer(tiny_bert, tmp_path)
    ids = list(system.inventory.senses())
    vectors, known = system._known(training, len(training), ids, recipe)
    examples, rows = system._examples(training, ids)
    counted = np.ones(len(examples), bool)
    encoder = TrainableEncoder(tiny_bert, layers="last")
    learner = ScorerLearner(encoder, examples, vectors[rows], counted, known, recipe, seed=0)
    own = int(examples.sense[3])
    without = known._replace(
        usages=known.usages.copy(), seen=known.seen.copy(), occurrences=known.occurrences.copy()
    )
    without.usages[own] -= vectors[rows[3]]
    without.seen[own] -= 1
    without.occurrences[own] -= 1
    weights = weigh_senses(learner.head, without)
    encoder.model.eval()
    with torch.inference_mode():
        query = learner.head.asked(encoder.forward(learner._plan, np.array([3]))).numpy()[0]
        (loss,) = learner.losses(np.array([3])).tolist()
    places = examples.places(np.array([3])).where
    logits = weights.vector[examples.candidates[places]] @ query + weights.bias[examples.candidates[places]]
    right = logits[examples.right[places]]
    assert loss == pytest.approx(float(np.log(np.exp(logits).sum()) - right[0]), abs=1e-4)


def test_an_interrupted_training_ends_with_the_same_weights(
    tiny_bert: str, training: Corpus, tmp_path: Path
) -> None:
    scorer(tiny_bert, tmp_path / "whole").fit(training)

    class Stop(Exception):  # noqa: N818
        pass

    def stop(line: str) -> None:
        if line.strip().startswith("epoch 2"):
            raise Stop

    from uncommonsense.train import scorer as module

    original = module.Run
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "Run", lambda *a, **k: original(*a, **{**k, "checkpoint_minutes": 0.0}))
        cut = scorer(tiny_bert, tmp_path / "cut", report=stop)
        with pytest.raises(Stop):
            cut.fit(training)
    assert (tmp_path / "cut" / "checkpoint.safetensors").exists()
    scorer(tiny_bert, tmp_path / "cut").fit(training)
    for name in ("head.safetensors", "senses.safetensors", "encoder/model.safetensors"):
        assert (tmp_path / "cut" / name).read_bytes() == (tmp_path / "whole" / name).read_bytes()


def test_eight_bits_are_enough() -> None:
    rng = np.random.default_rng(0)
    weights = SenseWeights(rng.standard_normal((5, 64)).astype(np.float32), rng.random(5).astype(np.float32))
    table = SenseTable.of(pa.array(list("abcde")), weights)
    vectors, bias = table.rows(("c", "nowhere"))
    assert np.abs(vectors[0] - weights.vector[2]).max() <= np.abs(weights.vector[2]).max() / 127
    assert bias[0] == weights.bias[2]
    assert np.isnan(bias[1])


def test_senses_without_usages_are_their_definitions() -> None:
    head = ScorerHead(8)
    definition = np.eye(8, dtype=np.float32)[:2]
    usages = np.zeros((2, 8), np.float32)
    usages[1, 5] = 3
    known = KnownSenses(definition, usages, np.array([0, 3]), np.array([0, 2]), np.array([0, 1]))
    found = weigh_senses(head, known)
    scale = np.exp([2.0, 2.5])
    assert found.vector[0] == pytest.approx(scale[0] * definition[0], abs=1e-5)
    assert found.vector[1, 5] == pytest.approx(scale[1], abs=1e-4)


def test_what_is_missing_is_named(tiny_bert: str, training: Corpus, tmp_path: Path) -> None:
    with pytest.raises(UserError, match="out=FOLDER"):
        SenseScorer(invented_senses.inventory(), model=tiny_bert).fit(training)
    with pytest.raises(UserError, match="not trained yet"):
        scorer(tiny_bert, tmp_path).predict(training)
    with pytest.raises(UserError, match="no saved system"):
        SenseScorer.load(tmp_path, invented_senses.inventory())
