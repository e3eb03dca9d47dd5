"""Invented senses and sentences for tests of disambiguation."""

from __future__ import annotations

from uncommonsense.corpora.marked import tokenize_marked
from uncommonsense.inventories.table import TableInventory
from uncommonsense.schema import Corpus, Instance, Sense, Sentence

__all__ = ["asked_text", "corpus_of", "inventory", "training_text"]

_SENSES = (
    ("pitch%1:01:00::", "pitch", "n", "how high or low a sound is", ("She sang at a low pitch.",)),
    (
        "pitch%1:02:00::",
        "pitch",
        "n",
        "a field on which games are played",
        ("Rain flooded the football pitch.",),
    ),
    ("pitch%1:03:00::", "pitch", "n", "a black sticky substance made from tar", ()),
    ("pitch%2:01:00::", "pitch", "v", "set up a tent", ()),
    ("row%1:01:00::", "row", "n", "things standing in a line", ("a row of trees",)),
    ("row%1:02:00::", "row", "n", "a noisy quarrel", ("They had a row about money.",)),
    ("tuba%1:01:00::", "tuba", "n", "a large brass instrument", ()),
)

_TRAINING = (
    ("The [pitch] of the bell was high.", "pitch", "n", ("pitch%1:01:00::",)),
    ("Players ran over the [pitch].", "pitch", "n", ("pitch%1:02:00::",)),
    ("Grass grew on the [pitch].", "pitch", "n", ("pitch%1:02:00::",)),
    ("They had a [row].", "row", "n", ("row%1:01:00::",)),
    ("A noisy [row] began.", "row", "n", ("row%1:02:00::",)),
)

_TEST = (
    ("Both games were played on the same [pitch].", "pitch", "n", ("pitch%1:02:00::",)),
    ("He smeared black sticky [pitch] on the boat.", "pitch", "n", ("pitch%1:03:00::",)),
    ("We [pitched] our tent by the lake.", "pitch", "v", ("pitch%2:01:00::",)),
    ("Their [row] was a noisy one.", "row", "n", ("row%1:02:00::", "row%1:01:00::")),
    ("He plays the [tuba].", "tuba", "n", ("tuba%1:01:00::",)),
)


def inventory() -> TableInventory:
    """Seven senses of three words."""
    senses = (Sense(key, (lemma,), pos, gloss, examples) for key, lemma, pos, gloss, examples in _SENSES)
    return TableInventory.from_senses(senses, name="invented")


def training_text() -> Corpus:
    """Five usages: pitch as a field most often, two senses of row equally often, no tuba, no verb."""
    return corpus_of(_TRAINING, name="training")


def asked_text() -> Corpus:
    """Five usages; one has two right senses, three have senses that are not in training."""
    return corpus_of(_TEST, name="test")


def corpus_of(usages: tuple[tuple[str, str, str, tuple[str, ...]], ...], *, name: str) -> Corpus:
    """A corpus of sentences with one word in brackets; ids are ``d000.s000.t000``, ..."""
    sentences = []
    for number, (text, lemma, pos, senses) in enumerate(usages):
        tokens, [(start, end)] = tokenize_marked(text.replace("]", "[").split("["))
        sentence = f"d000.s{number:03d}"
        target = Instance(f"{sentence}.t000", start, end, lemma, pos, senses)
        sentences.append(Sentence(sentence, tokens, "invented", (target,)))
    return Corpus.from_sentences(sentences, name=name)
