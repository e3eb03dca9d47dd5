"""Sentences to tables and back, and the views that a corpus gives of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from uncommonsense.errors import UserError
from uncommonsense.rank.example import find_lemmas
from uncommonsense.rank.selection import first_senses
from uncommonsense.schema import (
    CORPUS_SCHEMA,
    INSTANCE_SCHEMA,
    MISSING_WORD,
    SENTENCE_SCHEMA,
    Corpus,
    Instance,
    Sentence,
    from_batches,
    to_batches,
)

WORDS = ("The", "bank", "was", "steep", ".")


def make_sentence(number: int) -> Sentence:
    """Sentence ``n`` has ``n % 3`` instances, the second of which has two senses."""
    spans = ((1, 2), (3, 4))[: number % 3]
    labels = (("bank", ()), ("steep", (f"steep.{number}", "steep.0")))
    instances = [
        Instance(f"s{number}.t{i}", *span, lemma, "n", senses, "train")
        for i, (span, (lemma, senses)) in enumerate(zip(spans, labels, strict=False))
    ]
    return Sentence(f"s{number}", WORDS, f"file {number}", tuple(instances))


SENTENCES = [make_sentence(number) for number in range(20)]


def table_of(sentences: Sequence[Sentence], *, rows: int = 4096) -> pa.Table:
    """A table in chunks of ``rows``."""
    return pa.Table.from_batches(to_batches(sentences, rows=rows), CORPUS_SCHEMA)


# Records and batches

texts = st.text(max_size=8)
instances = st.builds(
    Instance,
    id=texts,
    start=st.integers(-(2**31), 2**31 - 1),
    end=st.integers(-(2**31), 2**31 - 1),
    lemma=texts,
    pos=texts,
    senses=st.lists(texts, max_size=3).map(tuple),
    split=texts,
)
sentences_strategy = st.lists(
    st.builds(
        Sentence,
        id=texts,
        tokens=st.lists(texts, max_size=5).map(tuple),
        source=texts,
        instances=st.lists(instances, max_size=3).map(tuple),
    ),
    max_size=9,
)


@given(sentences_strategy, st.integers(1, 5))
@settings(deadline=None)
def test_batches_keep_every_sentence(sentences: list[Sentence], rows: int) -> None:
    batches = list(to_batches(sentences, rows=rows))
    assert all(batch.schema == CORPUS_SCHEMA for batch in batches)
    assert all(1 <= batch.num_rows <= rows for batch in batches)
    assert list(from_batches(batches)) == sentences


@given(sentences_strategy, st.integers(1, 5), st.data())
@settings(deadline=None)
def test_a_corpus_of_any_slice_is_the_corpus_of_its_sentences(
    sentences: list[Sentence], rows: int, data: st.DataObject
) -> None:
    table = table_of(sentences, rows=rows)
    if data.draw(st.booleans()):
        table = table.combine_chunks()
    first = data.draw(st.integers(0, len(sentences)))
    count = data.draw(st.integers(0, len(sentences)))
    corpus = Corpus.from_table(table.slice(first, count))
    part = sentences[first : first + count]
    assert corpus.sentences.schema == SENTENCE_SCHEMA
    assert corpus.instances.schema == INSTANCE_SCHEMA
    assert corpus.sentences["tokens"].to_pylist() == [list(sentence.tokens) for sentence in part]
    flat = [(row, sentence.id, each) for row, sentence in enumerate(part) for each in sentence.instances]
    assert corpus.rows.tolist() == [row for row, _, _ in flat]
    assert corpus.instances.to_pylist() == [
        {**each._asdict(), "senses": list(each.senses), "sentence_id": name} for _, name, each in flat
    ]
    assert first_senses(corpus).to_pylist() == [
        each.senses[0] if each.senses else None for _, _, each in flat
    ]


def test_a_stream_is_not_read_ahead() -> None:
    taken = []

    def stream() -> Iterator[Sentence]:
        for sentence in SENTENCES:
            taken.append(sentence.id)
            yield sentence

    next(to_batches(stream(), rows=5))
    assert len(taken) == 5


# Corpus


def test_from_sentences_is_from_table() -> None:
    corpus = Corpus.from_sentences(iter(SENTENCES), name="invented")
    same = Corpus.from_table(table_of(SENTENCES, rows=3), name="invented")
    assert corpus.sentences.equals(same.sentences)
    assert corpus.instances.equals(same.instances)
    assert len(corpus) == sum(len(sentence.instances) for sentence in SENTENCES)
    assert repr(corpus) == "<Corpus 'invented': 20 sentences, 19 instances>"


def test_rows_are_found_by_id_where_only_the_tables_are_given() -> None:
    corpus = Corpus.from_sentences(SENTENCES)
    backwards = Corpus(corpus.sentences.take(list(range(19, -1, -1))), corpus.instances)
    assert backwards.rows.dtype == np.int64
    assert (19 - backwards.rows).tolist() == corpus.rows.tolist()
    tail = Corpus(corpus.sentences, corpus.instances.slice(5, 6))
    assert tail.rows.tolist() == corpus.rows[5:11].tolist()


def test_an_instance_without_its_sentence_is_named() -> None:
    corpus = Corpus.from_sentences(SENTENCES)
    torn = Corpus(corpus.sentences.slice(0, 4), corpus.instances)
    with pytest.raises(UserError, match=r"instance s4\.t0 is of sentence s4, which the corpus does not have"):
        _ = torn.rows


def test_select_keeps_the_sentences_and_the_name() -> None:
    corpus = Corpus.from_sentences(SENTENCES, name="invented")
    mask = np.arange(len(corpus)) % 3 == 1
    chosen = corpus.select(mask)
    assert chosen.name == "invented"
    assert chosen.sentences is corpus.sentences
    assert chosen.instances["id"].to_pylist() == np.array(corpus.instances["id"].to_pylist())[mask].tolist()
    assert chosen.rows.tolist() == corpus.rows[mask].tolist()
    assert len(chosen.select(np.zeros(len(chosen), bool))) == 0


def test_sentences_of_one_id_are_not_confused_by_select() -> None:
    twins = [sentence._replace(id="twin") for sentence in SENTENCES[:6]]
    corpus = Corpus.from_sentences(twins)
    assert corpus.rows.tolist() == [1, 2, 2, 4, 5, 5]
    assert corpus.select(np.ones(6, bool)).rows.tolist() == [1, 2, 2, 4, 5, 5]


@pytest.mark.parametrize("sentences", [[], [Sentence("s", (), "")], [Sentence("s", ("A", "word"), "")]])
def test_a_corpus_may_be_empty(sentences: list[Sentence]) -> None:
    corpus = Corpus.from_sentences(sentences)
    assert len(corpus) == 0
    assert corpus.sentences.num_rows == len(sentences)
    assert corpus.instances.schema == INSTANCE_SCHEMA
    assert corpus.rows.shape == (0,)
    assert corpus.rows.dtype == np.int64
    assert corpus.has_words
    assert len(corpus.select(np.empty(0, bool))) == 0
    assert first_senses(corpus).to_pylist() == []
    assert find_lemmas(corpus, "word") == []


def test_a_corpus_has_words_if_one_token_is_one() -> None:
    labels = [sentence._replace(tokens=(MISSING_WORD,) * 5) for sentence in SENTENCES]
    assert Corpus.from_sentences(SENTENCES).has_words
    assert not Corpus.from_sentences(labels).has_words
    assert not Corpus.from_table(table_of([*SENTENCES, *labels], rows=7).slice(20)).has_words
    assert Corpus.from_sentences([*labels, SENTENCES[0]]).has_words


def test_lemmas_are_found_in_a_slice() -> None:
    table = table_of(SENTENCES).combine_chunks()
    for part in (table, table.slice(7, 6), table.take([8, 5, 2])):
        corpus = Corpus.from_table(part)
        assert find_lemmas(corpus, "BANK") == ["bank"]
        assert find_lemmas(corpus, "Steep") == ["steep"]
        assert find_lemmas(corpus, "was") == []
