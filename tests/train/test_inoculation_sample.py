"""Which examples are drawn."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pyarrow.compute as pc
import pytest
from invented_supersenses import sentences

from uncommonsense.errors import UserError
from uncommonsense.schema import Corpus, Instance, Sentence
from uncommonsense.train import draw_sample, read_corpus
from uncommonsense.train.sample import digest_sample, labels_of


def ids(sample: Corpus) -> set[str]:
    return set(sample.instances["id"].to_pylist())


@pytest.mark.parametrize(("size", "each"), [(3, 1), (5, 1), (100, 33), (300, 100)])
def test_equal_numbers_of_each_part_of_speech(corpus: Corpus, size: int, each: int) -> None:
    sample = draw_sample(corpus, size)
    assert Counter(sample.instances["pos"].to_pylist()) == {"n": each, "v": each, "p": each}
    assert set(sample.instances["split"].to_pylist()) == {"train"}
    assert len(ids(sample)) == 3 * each


def test_samples_of_a_seed_are_nested_and_those_of_others_differ(corpus: Corpus) -> None:
    assert ids(draw_sample(corpus, 30, seed=1)) < ids(draw_sample(corpus, 90, seed=1))
    assert ids(draw_sample(corpus, 90, seed=1)) == ids(draw_sample(corpus, 90, seed=1))
    assert ids(draw_sample(corpus, 90, seed=1)) != ids(draw_sample(corpus, 90, seed=2))


def test_the_order_of_the_corpus_does_not_matter(corpus: Corpus) -> None:
    turned = Corpus.from_sentences(sentences()[::-1])
    assert ids(draw_sample(turned, 30)) == ids(draw_sample(corpus, 30))
    assert digest_sample(draw_sample(turned, 30)) == digest_sample(draw_sample(corpus, 30))


def test_every_instance_is_as_likely_as_another(corpus: Corpus) -> None:
    """Over 300 seeds, 10 of 100 nouns each: drawn 30 times each, give or take four deviations (5.2)."""
    drawn = Counter(name for seed in range(300) for name in ids(draw_sample(corpus, 30, seed=seed)))
    counts = np.array(list(drawn.values()))
    assert len(counts) == 300
    assert abs(counts - 30).max() < 22
    assert 4 < counts.std() < 6.5


def test_multiword_and_unlabelled_targets_are_not_drawn() -> None:
    text = [
        Sentence(
            f"s{i}", ("a", "b", "c"), "", (Instance(f"{pos}{i}", 0, 1 + (i == 0), "a", pos, label, "train"),)
        )
        for pos in "nvp"
        for i, label in enumerate([(f"{pos}.X",), (f"{pos}.Y", f"{pos}.Z"), ()])
    ]
    corpus = Corpus.from_sentences(each._replace(id=f"{each.id}{each.instances[0].pos}") for each in text)
    sample = draw_sample(corpus, 3)
    assert ids(sample) == {"n1", "v1", "p1"}
    assert set(labels_of(sample)) == {"n.Y", "v.Y", "p.Y"}  # the first supersense only
    with pytest.raises(UserError, match="size 6 takes 2 nouns, verbs and prepositions each"):
        draw_sample(corpus, 6)


def test_too_few_of_a_part_of_speech(corpus: Corpus) -> None:
    few = corpus.select(~np.asarray(pc.equal(corpus.instances["lemma"], "on")))
    with pytest.raises(UserError) as caught:
        draw_sample(few, 300)
    assert "100 nouns, 100 verbs, 75 prepositions" in str(caught.value)
    assert "the largest size is 225" in str(caught.value)
    assert len(draw_sample(few, 225)) == 225


def test_a_corpus_without_a_training_split(corpus: Corpus) -> None:
    development = corpus.select(np.asarray(pc.equal(corpus.instances["split"], "dev")))
    with pytest.raises(UserError, match=r"0 nouns, 0 verbs, 0 prepositions .* has the splits: dev"):
        draw_sample(development, 30)


@pytest.mark.parametrize("size", [-1, 0, 2])
def test_sizes_below_three(corpus: Corpus, size: int) -> None:
    with pytest.raises(UserError, match=f"size {size} is too small"):
        draw_sample(corpus, size)


@pytest.mark.shared
def test_streusle(shared: Path) -> None:
    corpus = read_corpus(f"streusle:{shared / 'streusle'}")
    sample = draw_sample(corpus, 2500)
    assert Counter(sample.instances["pos"].to_pylist()) == {"n": 833, "v": 833, "p": 833}
    assert {label.split(".")[0] for label in labels_of(sample)} <= {"n", "v", "p", "??"}
