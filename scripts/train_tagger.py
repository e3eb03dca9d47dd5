"""Train the part-of-speech tagger and say how good it is.

    python scripts/train_tagger.py --treebank ud_ewt_reviews.conllu --semcor semcor3.0 [--framework FOLDER] \
        [--out src/uncommonsense/text/data/tagger.safetensors]

The treebank (CoNLL-U, Universal Dependencies) gives one tag to every word. SemCor gives a simplified Penn
tag, and where a sense was chosen by hand, its part of speech: a set of tags, of which those are left that
the treebank has for the word. The loss is the negative logarithm of the probability of the whole set.
Documents whose name hashes to 0 modulo 10 are held out. Everything is seeded: the same files and the same
versions of numpy and torch give the same bytes. It takes some minutes on one core.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple
from zlib import crc32

import numpy as np
import torch
from safetensors.numpy import save_file

from uncommonsense.corpora import framework, semcor
from uncommonsense.corpora.conllu_blocks import read_blocks
from uncommonsense.corpora.spelling import pos_of_key, split_form
from uncommonsense.inventories.wordnet import WordNet
from uncommonsense.schema import Sentence
from uncommonsense.text.tagger import TAGS, WORDNET_POS, Features, Tagger, Weights, parts_of

_ANY = frozenset(TAGS)
_SEED = 20240601
_RATE, _START = 0.1, 1.0
"""Of Adagrad: the rate, and what it begins to sum squared gradients with."""

_SEMCOR_WEIGHT = 0.15
"""How much a word of SemCor counts beside one of the treebank."""


class Tagged(NamedTuple):
    """A sentence, and the tags that each of its words may have."""

    document: str
    words: tuple[str, ...]
    tags: tuple[frozenset[str], ...]
    weight: float


# Reading


def read_treebank(path: Path, *, weight: float = 1.0) -> Iterator[Tagged]:
    """Sentences of a CoNLL-U file."""
    document = ""
    for block in read_blocks(path, columns=10):
        document = block.comments.get("newdoc id", document)
        words, tags = zip(*((fields[1], frozenset([fields[3]])) for fields in block.words), strict=True)
        yield Tagged(document, words, tags, weight)


def _tags(text: str) -> frozenset[str]:
    return frozenset(text.split())


_CLOSED = _tags("ADP ADV AUX CCONJ DET INTJ NUM PART PRON SCONJ")
_SENSE = {
    "n": _tags("NOUN PROPN NUM PRON"),
    "v": _tags("VERB AUX"),
    "a": _tags("ADJ NUM DET"),
    "r": _tags("ADV PART ADP SCONJ DET INTJ"),
}
"""Tags that words with a sense of each part of speech have in treebanks."""

_PENN = {
    **dict.fromkeys(_tags("IN DT PDT PRP PRP$ CC TO MD WDT WP WP$ WRB EX POS RB UH"), _CLOSED),
    **dict.fromkeys(_tags("NNP NNPS"), _tags("PROPN")),
    **dict.fromkeys(_tags("NN NNS"), _SENSE["n"]),
    **dict.fromkeys(_tags("VB VBD VBG VBN VBP VBZ"), _SENSE["v"]),
}
"""SemCor's tags as sets: they were given by a program, follow other rules, and are trusted so far only."""

_USUAL = (_tags("NOUN"), _tags("VERB"), _tags("ADJ"), _tags("ADV"), _tags("PROPN"))
"""What a word is that the treebank does not have."""

_SEMCOR_WORD = re.compile(r"<(wf|punc)(?: ([^>]*))?>(.+)</\1>")


def lexicon(sentences: Iterable[Tagged]) -> dict[str, frozenset[str]]:
    """The tags of each word, small letters, in a treebank."""
    found: dict[str, set[str]] = defaultdict(set)
    for sentence in sentences:
        for word, tags in zip(sentence.words, sentence.tags, strict=True):
            found[word.lower()] |= tags
    return {word: frozenset(tags) for word, tags in found.items()}


def read_semcor(
    folder: Path, known: Mapping[str, frozenset[str]], *, weight: float = 1.0
) -> Iterator[Tagged]:
    """Sentences of SemCor, with the tags of ``known`` that fit its own; in brownv only verbs have senses."""
    for file in sorted(folder.glob("brown[12]/tagfiles/br-*")):
        words: list[str] = []
        tags: list[frozenset[str]] = []
        for line in file.read_text(encoding="utf-8").splitlines():
            if match := _SEMCOR_WORD.fullmatch(line):
                form = split_form(match[3])
                words += form
                wide = _semcor_tags(match[1], match[2] or "", form)
                tags += [_narrow(known, word, each) for word, each in zip(form, wide, strict=True)]
            elif line == "</s>" and words:
                yield Tagged(file.name, tuple(words), tuple(tags), weight)
                words, tags = [], []


def _semcor_tags(kind: str, attributes: str, form: Sequence[str]) -> list[frozenset[str]]:
    if kind == "punc":
        return [_tags("PUNCT")] * len(form)
    values = dict(pair.partition("=")[::2] for pair in attributes.split())
    penn = values.get("pos", "")
    found = _PENN.get(penn, _ANY)
    if pos := pos_of_key("x%" + values.get("lexsn", "")):
        found = found & _SENSE[pos] or _SENSE[pos]
    if len(form) == 1:
        return [found]
    if found == _PENN["NNP"]:
        return [found if word[:1].isupper() else _ANY for word in form]
    head = {"NN": len(form) - 1, "VB": 0}.get(penn[:2])
    return [found if at == head else _ANY for at in range(len(form))]


def _narrow(known: Mapping[str, frozenset[str]], word: str, tags: frozenset[str]) -> frozenset[str]:
    """Of possible tags those that the word has in the treebank, else the one that such words usually have."""
    if tags == _ANY:
        return _ANY
    usual = next((each for each in _USUAL if each <= tags), _ANY) if tags != _CLOSED else _ANY
    return tags & known.get(word.lower(), frozenset()) or usual


def read_targets(sentences: Iterable[Sentence]) -> Iterator[Tagged]:
    """Sentences with the parts of speech of their target words, chosen by hand: to measure on only."""
    for sentence in sentences:
        tags = [_ANY] * len(sentence.tokens)
        for each in sentence.instances:
            if each.end == each.start + 1:
                tags[each.start] = _SENSE[each.pos]
        yield Tagged(sentence.source, sentence.tokens, tuple(tags), 1.0)


def held_out(document: str) -> bool:
    """One document in ten."""
    return crc32(document.encode()) % 10 == 0


# Learning


class Material:
    """Sentences as the model sees them."""

    def __init__(self, features: Features, sentences: Sequence[Tagged]) -> None:
        self.features = features
        self.atoms, self.places = features.place([each.words for each in sentences])
        self.words = features.of_words(self.atoms, self.places)
        """``(words, features) int64``"""
        masks = {tags: np.array([tag in tags for tag in TAGS]) for each in sentences for tags in each.tags}
        self.allowed = np.array([masks[tags] for each in sentences for tags in each.tags])
        """``(words, tags) bool``"""
        self.weight = np.repeat([each.weight for each in sentences], [len(each.words) for each in sentences])
        self.weight = self.weight * ~self.allowed.all(axis=1)
        fold = [crc32(each.document.encode()) // 10 % 2 for each in sentences]
        self.fold = np.repeat(fold, [len(each.words) for each in sentences])
        """0 or 1 for each word, by document."""


def train(
    features: np.ndarray, material: Material, chosen: np.ndarray, *, epochs: int, bits: int
) -> np.ndarray:
    """Weights ``(2 ** bits, tags) float32`` that make the allowed tags of the chosen words likely."""
    torch.manual_seed(_SEED)
    random = np.random.default_rng(_SEED)
    table = torch.nn.EmbeddingBag(1 << bits, len(TAGS), mode="sum")
    torch.nn.init.zeros_(table.weight)
    optimiser = torch.optim.Adagrad(table.parameters(), lr=_RATE, initial_accumulator_value=_START)
    rows = np.flatnonzero(chosen & (material.weight > 0))
    average = torch.zeros_like(table.weight)
    steps = 0
    for epoch in range(epochs):
        for batch in np.array_split(random.permutation(rows), max(1, len(rows) // 1024)):
            scores = table(torch.from_numpy(features[batch]))
            barred = torch.from_numpy(np.where(material.allowed[batch], 0, -np.inf).astype(np.float32))
            loss = torch.logsumexp(scores, 1) - torch.logsumexp(scores + barred, 1)
            weight = torch.from_numpy(material.weight[batch].astype(np.float32))
            optimiser.zero_grad()
            (loss * weight).sum().backward()  # type: ignore[no-untyped-call]
            optimiser.step()
        if epoch >= epochs // 2:
            average += table.weight.detach()
            steps += 1
    return np.asarray(average / steps)


def quantised(weights: np.ndarray) -> np.ndarray:
    """As bytes: tags are compared, so one scale for all is enough."""
    scale = 127 / np.quantile(np.abs(weights).max(axis=1), 0.9995)
    return np.asarray(np.clip(np.rint(weights * scale), -127, 127), np.int8)


def learn(features: Features, sentences: Sequence[Tagged], *, epochs: int, bits: int) -> Weights:
    """Both runs; the second learns from tags of the first on documents that the first had not seen."""
    material = Material(features, sentences)
    everything = np.ones(len(material.places), bool)
    guesses = np.empty(len(material.places), np.int64)
    for fold in (0, 1):
        partial = train(material.words, material, material.fold != fold, epochs=epochs, bits=bits)
        mine = material.fold == fold
        for rows in np.array_split(np.flatnonzero(mine), max(1, mine.sum() // 10000)):
            guesses[rows] = sum(partial[column] for column in material.words[rows].T).argmax(axis=1)
    first = train(material.words, material, everything, epochs=epochs, bits=bits)
    around = features.of_tags(material.atoms, material.places, guesses)
    second = train(np.hstack([material.words, around]), material, everything, epochs=epochs, bits=bits)
    return Weights(quantised(first), quantised(second))


# Measuring


def accuracy(tagger: Tagger, sentences: Iterable[Tagged]) -> dict[str, float]:
    """Of all words with a known tag, and of content words by WordNet's part of speech."""
    sentences = list(sentences)
    found = tagger.tag([each.words for each in sentences])
    pairs = [
        (allowed, tag)
        for each, tags in zip(sentences, found, strict=True)
        for allowed, tag in zip(each.tags, tags, strict=True)
        if allowed != _ANY
    ]
    content = [
        (pos.pop(), WORDNET_POS.get(tag, ""))
        for allowed, tag in pairs
        if len(pos := {WORDNET_POS[each] for each in allowed if each in WORDNET_POS}) == 1
    ]
    scores = {"all": _share(tag in allowed for allowed, tag in pairs)}
    scores["content words"] = _share(gold == pos for gold, pos in content)
    for part in "nvar":
        scores[part] = _share(gold == pos for gold, pos in content if gold == part)
    return scores


def _share(right: Iterable[bool]) -> float:
    found = list(right)
    return sum(found) / len(found) if found else float("nan")


def main() -> None:
    """Read, train, measure, write."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--treebank", type=Path, required=True, help="CoNLL-U, Universal Dependencies")
    parser.add_argument("--semcor", type=Path, help="the folder with brown1, brown2, brownv")
    parser.add_argument("--framework", type=Path, help="the WSD evaluation framework, to measure on")
    parser.add_argument("--out", type=Path, help="where to write the weights (.safetensors)")
    parser.add_argument("--epochs", type=int, default=4)
    parser.add_argument(
        "--bits", type=int, default=16, help="log2 of the number of features that are told apart"
    )
    arguments = parser.parse_args()
    treebank = list(read_treebank(arguments.treebank, weight=1.0))
    tests = {"treebank": [each for each in treebank if held_out(each.document)]}
    kept = [each for each in treebank if not held_out(each.document)]
    if arguments.semcor:
        ours = read_semcor(arguments.semcor, lexicon(kept), weight=_SEMCOR_WEIGHT)
        kept += [each for each in ours if not held_out(each.document)]
        tests["semcor"] = [
            each for each in read_targets(semcor.read(arguments.semcor)) if held_out(each.document)
        ]
    if arguments.framework:
        tests["framework"] = list(read_targets(framework.read(arguments.framework, dataset="ALL")))
    wordnet = WordNet()
    features = Features(lambda word: parts_of(wordnet, word), arguments.bits)
    weights = learn(features, kept, epochs=arguments.epochs, bits=arguments.bits)
    tagger = Tagger(wordnet, weights=weights)
    for name, sentences in tests.items():
        scores = accuracy(tagger, sentences)
        line = "  ".join(f"{key} {value:.4f}" for key, value in scores.items())
        sys.stdout.write(f"{name}: {line}\n")
    if arguments.out:
        save_file(weights._asdict(), arguments.out)


if __name__ == "__main__":
    main()
