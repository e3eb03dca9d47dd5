"""Query by example: usages of a word like the one in a given sentence."""

from __future__ import annotations

import re
from typing import NamedTuple

import numpy as np
import pyarrow.compute as pc

from uncommonsense.corpora.tokenize import tokenize
from uncommonsense.encode.encoder import Encoder
from uncommonsense.errors import UnknownNameError, UserError
from uncommonsense.inventories.protocol import fold_lemma
from uncommonsense.rank.neighbours import first_equal, normalised, require_flat
from uncommonsense.schema import Corpus

__all__ = ["Example", "Neighbour", "find_lemmas", "nearest", "parse_example", "resolve_lemmas"]

_BRACKETS = re.compile(r"\[([^\[\]]+)\]")


class Example(NamedTuple):
    """A sentence and the span of the word that is asked about."""

    tokens: tuple[str, ...]
    start: int
    end: int

    @property
    def target(self) -> str:
        """The marked words."""
        return " ".join(self.tokens[self.start : self.end])


class Neighbour(NamedTuple):
    """A usage that was found."""

    similarity: float
    instance: str
    sense: str
    source: str
    tokens: tuple[str, ...]
    start: int
    end: int


def parse_example(text: str, *, target: str | None = None, occurrence: int | None = None) -> Example:
    """Read a sentence with the word in brackets, or named by ``target`` (its ``occurrence``, from 1)."""
    marked = [match for match in _BRACKETS.finditer(text) if match[1].strip()]
    if target is None:
        if occurrence is not None:
            raise UserError(
                "--occurrence says which --target is meant; give --target too, or mark the word in brackets"
            )
        if len(marked) != 1:
            raise UserError(
                f"mark one word in square brackets, as in 'She was [on] antibiotics.'; "
                f"found {len(marked)} in {text!r}"
            )
        before, word, after = text[: marked[0].start()], marked[0][1], text[marked[0].end() :]
        left, middle, right = ([token for token, _, _ in tokenize(part)] for part in (before, word, after))
        return Example((*left, *middle, *right), len(left), len(left) + len(middle))
    tokens = tuple(token for token, _, _ in tokenize(text))
    wanted = tuple(token.lower() for token, _, _ in tokenize(target))
    lowered = tuple(token.lower() for token in tokens)
    places = [i for i in range(len(tokens)) if lowered[i : i + len(wanted)] == wanted]
    if not places or not wanted:
        raise UserError(f"{target!r} does not occur in {text!r}")
    if occurrence is None and len(places) > 1:
        raise UserError(
            f"{target!r} occurs {len(places)} times in {text!r}; "
            f"say which with --occurrence 1 to {len(places)}"
        )
    number = 1 if occurrence is None else occurrence
    if not 1 <= number <= len(places):
        raise UserError(f"{target!r} occurs {len(places)} times in {text!r}; there is no occurrence {number}")
    start = places[number - 1]
    return Example(tokens, start, start + len(wanted))


def find_lemmas(corpus: Corpus, form: str) -> list[str]:
    """Lemmas of the corpus that ``form`` is, or is annotated as; the commonest first."""
    tokens = corpus.sentences["tokens"].combine_chunks()
    single = np.flatnonzero(
        np.asarray(pc.equal(pc.subtract(corpus.instances["end"], corpus.instances["start"]), 1))
    )
    flat = pc.list_flatten(tokens)
    offsets = np.asarray(tokens.offsets, np.int64) - int(tokens.offsets[0].as_py())
    where = offsets[corpus.rows[single]] + np.asarray(corpus.instances["start"], np.int64)[single]
    forms = pc.utf8_lower(flat.take(where))
    lemmas = corpus.instances["lemma"].combine_chunks()
    seen = lemmas.take(single).filter(pc.equal(forms, form.lower()))
    by_count = sorted(pc.value_counts(seen).to_pylist(), key=lambda row: (-row["counts"], row["values"]))
    found = [str(row["values"]) for row in by_count]
    plain = fold_lemma(form)
    if plain not in found and pc.any(pc.equal(lemmas, plain)).as_py():
        found.append(plain)
    return found


def resolve_lemmas(corpus: Corpus, examples: list[Example], lemma: str | None = None) -> list[str]:
    """The lemmas to search: the given one, or those that the examples' targets are forms of."""
    if lemma is not None:
        known = corpus.instances["lemma"].unique().to_pylist()
        for spelling in (lemma, fold_lemma(lemma)):
            if spelling in known:
                return [spelling]
        raise UnknownNameError(f"lemma in corpus {corpus.name!r}", lemma, known)
    found = [find_lemmas(corpus, example.target) for example in examples]
    for example, lemmas in zip(examples, found, strict=True):
        if not lemmas:
            known = corpus.instances["lemma"].unique().to_pylist()
            hint = "Say which lemma to search with --lemma, or search another --corpus."
            raise UnknownNameError(f"word in corpus {corpus.name!r}", example.target, known, hint=hint)
    shared = [lemma for lemma in found[0] if all(lemma in lemmas for lemmas in found)]
    if not shared:
        raise UserError(
            f"the examples are of different words: {', '.join(example.target for example in examples)}"
        )
    return shared


def nearest(
    encoder: Encoder,
    examples: list[Example],
    corpus: Corpus,
    vectors: np.ndarray,
    *,
    lemmas: list[str] | None = None,
    top: int = 10,
) -> list[Neighbour]:
    """The usages in ``corpus`` nearest (cosine) to the mean of the examples, best first.

    ``vectors`` ``(instances, dim)`` are the corpus' own; ``lemmas`` restricts the candidates.
    """
    require_flat(vectors)
    query = encoder.encode([(example.tokens, (example.start, example.end)) for example in examples])
    direction = normalised(query.mean(axis=0, keepdims=True))[0]
    rows = np.arange(len(corpus))
    if lemmas is not None:
        mask = np.isin(corpus.instances["lemma"].to_numpy(zero_copy_only=False), lemmas)
        rows = np.flatnonzero(mask)
    candidates = normalised(vectors[rows])
    similarity = (candidates @ direction)[first_equal(candidates)]
    order = np.argsort(-similarity, kind="stable")[:top]
    return [_neighbour(corpus, int(rows[i]), float(similarity[i])) for i in order]


def _neighbour(corpus: Corpus, row: int, similarity: float) -> Neighbour:
    instance = corpus.instances.slice(row, 1).to_pylist()[0]
    sentence = corpus.sentences.slice(int(corpus.rows[row]), 1).to_pylist()[0]
    sense = instance["senses"][0] if instance["senses"] else ""
    return Neighbour(
        similarity,
        instance["id"],
        sense,
        sentence["source"],
        tuple(sentence["tokens"]),
        instance["start"],
        instance["end"],
    )
