"""Query by example: usages of a word like the one in a given sentence."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
import pyarrow.compute as pc

from uncommonsense.corpora.tokenize import tokenize
from uncommonsense.encode.encoder import Encoder
from uncommonsense.errors import UnknownNameError, UserError
from uncommonsense.inventories.protocol import fold_lemma
from uncommonsense.rank.feedback import find_instances, refine
from uncommonsense.rank.neighbours import dot_products, normalised, require_flat
from uncommonsense.schema import Corpus

__all__ = [
    "Example",
    "Filters",
    "Neighbour",
    "Search",
    "find_lemmas",
    "find_usages",
    "nearest",
    "parse_example",
    "resolve_lemmas",
]

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
    lemma: str = ""
    pos: str = ""
    senses: tuple[str, ...] = ()
    """All that are annotated; ``sense`` is the first of them."""


class Filters(NamedTuple):
    """Which usages are searched; what is empty filters nothing."""

    senses: tuple[str, ...] = ()
    """Annotated with one of these."""
    not_senses: tuple[str, ...] = ()
    """Annotated with none of these."""
    sources: tuple[str, ...] = ()
    """One of these is part of the source's name."""


_NO_FILTERS = Filters()


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


def find_usages(corpus: Corpus, lemmas: list[str] | None, filters: Filters = _NO_FILTERS) -> np.ndarray:
    """Rows of the instances of ``lemmas`` (None for all) that pass the filters: ``(n,) int64``.

    A filter that fits no usage of the lemmas is an error: it is misspelled, or meant for another corpus.
    """
    rows = np.arange(len(corpus))
    if lemmas is not None:
        rows = np.flatnonzero(np.isin(corpus.instances["lemma"].to_numpy(zero_copy_only=False), lemmas))
    keep = np.ones(len(rows), bool)
    if filters.senses or filters.not_senses:
        annotated = corpus.instances["senses"].take(rows).to_pylist()
        _require("sense", filters.senses + filters.not_senses, {each for some in annotated for each in some})
        wanted, unwanted = set(filters.senses), set(filters.not_senses)
        keep &= [
            (not wanted or not wanted.isdisjoint(some)) and unwanted.isdisjoint(some) for some in annotated
        ]
    if filters.sources:
        sources = corpus.sentences["source"].take(corpus.rows[rows]).to_pylist()
        _require("source", filters.sources, set(sources), part=True)
        keep &= [any(name in source for name in filters.sources) for source in sources]
    return rows[keep]


def _require(kind: str, names: tuple[str, ...], known: set[str], *, part: bool = False) -> None:
    """Every name must be among the known ones, or part of one of them."""
    for name in names:
        if not (any(name in each for each in known) if part else name in known):
            hint = "" if known else f"The usages of this word have no {kind}."
            raise UnknownNameError(f"{kind} among the usages of this word:", name, known, hint=hint)


class Search:
    """A search by example that marks can refine.

    ``rows`` are the instances of ``corpus`` to search, ``vectors`` ``(instances, dim)`` are the corpus' own.
    """

    def __init__(
        self, encoder: Encoder, examples: list[Example], corpus: Corpus, vectors: np.ndarray, rows: np.ndarray
    ) -> None:
        require_flat(vectors)
        query = encoder.encode([(example.tokens, (example.start, example.end)) for example in examples])
        self.query = normalised(query.mean(axis=0, keepdims=True))[0]
        """The mean of the examples, ``(dim,)``, of length 1."""
        self._corpus = corpus
        self._vectors = vectors
        self._rows = rows[_first_spans(corpus, rows)]
        self._candidates = normalised(vectors[self._rows].astype(np.float64))

    def __len__(self) -> int:
        """How many usages are searched: a word in a sentence once, whatever its lemmas."""
        return len(self._rows)

    def nearest(self, top: int = 10, marks: Mapping[str, bool] | None = None) -> list[Neighbour]:
        """The usages nearest (cosine) to the query, best first; ``marks`` are instance ids, true for yes."""
        query = self._refined(marks) if marks else self.query
        similarity = dot_products(self._candidates, query.astype(np.float64)).astype(np.float32)
        order = np.argsort(-similarity, kind="stable")[:top]
        return [_neighbour(self._corpus, int(self._rows[i]), float(similarity[i])) for i in order]

    def _refined(self, marks: Mapping[str, bool]) -> np.ndarray:
        rows = find_instances(self._corpus, marks, near=self._rows)
        verdicts = np.array(list(marks.values()), bool)
        return refine(self.query, self._vectors[rows[verdicts]], self._vectors[rows[~verdicts]])


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
    return Search(encoder, examples, corpus, vectors, find_usages(corpus, lemmas)).nearest(top)


def _first_spans(corpus: Corpus, rows: np.ndarray) -> np.ndarray:
    """Positions in ``rows`` of the first instance of each span: a word may be there under several lemmas."""
    bounds = [np.asarray(corpus.instances[name], np.int64)[rows] for name in ("start", "end")]
    spans = np.stack([corpus.rows[rows], *bounds], axis=1)
    return np.sort(np.unique(spans, axis=0, return_index=True)[1])


def _neighbour(corpus: Corpus, row: int, similarity: float) -> Neighbour:
    instance = corpus.instances.slice(row, 1).to_pylist()[0]
    sentence = corpus.sentences.slice(int(corpus.rows[row]), 1).to_pylist()[0]
    senses = tuple(instance["senses"])
    return Neighbour(
        similarity,
        instance["id"],
        senses[0] if senses else "",
        sentence["source"],
        tuple(sentence["tokens"]),
        instance["start"],
        instance["end"],
        instance["lemma"],
        instance["pos"],
        senses,
    )
