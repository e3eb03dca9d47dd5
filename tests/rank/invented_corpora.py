"""Random small corpora: labels and splits in every combination that the protocols tell apart."""

from __future__ import annotations

from hypothesis import strategies as st

from uncommonsense.schema import Corpus, Instance, Sentence

__all__ = ["Target", "as_corpus", "targets"]

Target = tuple[str, str, tuple[str, ...], str]
"""Lemma, part of speech, senses, split."""

SPLITS = ("train", "train", "train", "dev", "test", "dev.few-shot", "test.zero-shot", "other", "")


def targets() -> st.SearchStrategy[list[Target]]:
    """Few lemmas and labels, so that senses repeat; labels shared by words; some without a label."""
    label = st.sampled_from(("1", "2", "3", "nota"))
    senses = st.lists(label, max_size=2).map(tuple)
    word = st.tuples(st.sampled_from(("pull", "bank")), st.sampled_from("nv"))
    one = st.tuples(word, senses, st.sampled_from(SPLITS))
    copies = st.tuples(one, st.integers(1, 6)).map(lambda pair: [pair[0]] * pair[1])
    flat = st.lists(copies, max_size=16).map(lambda groups: [each for group in groups for each in group])
    return flat.flatmap(st.permutations).map(
        lambda rows: [(lemma, pos, senses, split) for (lemma, pos), senses, split in rows]
    )


def as_corpus(rows: list[Target]) -> Corpus:
    """One sentence of one word for each target."""
    sentences = (
        Sentence(f"s{i}", (lemma,), "invented", (Instance(f"t{i}", 0, 1, lemma, pos, senses, split),))
        for i, (lemma, pos, senses, split) in enumerate(rows)
    )
    return Corpus.from_sentences(sentences, name="invented")
