"""The spaCy component, in a pipeline without a model: tags are set by hand, or by our own tagger."""

from __future__ import annotations

from typing import Any

import pytest

from running import require

pytestmark = pytest.mark.filterwarnings("default")
spacy = pytest.importorskip("spacy", reason="spaCy is an extra")


@pytest.fixture(scope="module")
def nlp() -> Any:
    require("wordnet")
    import uncommonsense.spacy  # noqa: F401  (an entry point does this where the package is installed)

    pipeline = spacy.blank("en")
    pipeline.add_pipe("sentencizer")
    pipeline.add_pipe("uncommonsense", config={"system": "first-sense", "top": 2})
    return pipeline


def senses(doc: Any) -> dict[str, str | None]:
    return {token.text: token._.sense for token in doc}


def test_senses_of_tokens(nlp: Any) -> None:
    doc = nlp("He sat on the bank. She ate hot dogs.")
    found = senses(doc)
    assert found["bank"] == "bank%1:17:01::"
    assert found["the"] is None
    assert found["hot"] == found["dogs"] == "hot_dog%1:18:00::"
    bank = next(token for token in doc if token.text == "bank")
    assert bank._.gloss.startswith("sloping land")
    assert [sense["synset"] for sense in bank._.senses] == [
        "bank.n.01",
        "depository_financial_institution.n.01",
    ]


def test_tags_and_lemmas_of_other_components_are_used(nlp: Any) -> None:
    doc = nlp.make_doc("They saw banks")
    for token, (tag, lemma) in zip(doc, [("PRON", "they"), ("NOUN", "saw"), ("VERB", "bank")], strict=True):
        token.pos_, token.lemma_ = tag, lemma
    found = senses(nlp.get_pipe("uncommonsense")(doc))
    assert found["saw"].split("%")[1].startswith("1")  # type: ignore[union-attr]
    assert found["banks"].startswith("bank%2")  # type: ignore[union-attr]


def test_a_stream_of_documents(nlp: Any) -> None:
    texts = ["A cat.", "", " \n ", "😀", "The bank."]
    streamed = [senses(doc) for doc in nlp.pipe(texts, batch_size=2)]
    assert streamed == [senses(nlp(text)) for text in texts]


def test_documents_can_be_stored(nlp: Any) -> None:
    doc = nlp("The bank.")
    again = spacy.tokens.Doc(nlp.vocab).from_bytes(doc.to_bytes())
    assert again[1]._.senses == doc[1]._.senses


def test_pipelines_can_be_stored(nlp: Any) -> None:
    config = nlp.config["components"]["uncommonsense"]
    assert (config["factory"], config["system"], config["top"]) == ("uncommonsense", "first-sense", 2)
