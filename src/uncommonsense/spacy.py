"""A spaCy component: word senses on the tokens of any English pipeline.

    nlp.add_pipe("uncommonsense", config={"system": "first-sense"})
    token._.sense, token._.gloss, token._.senses

It uses the tags (``token.pos_``), lemmas and sentences that earlier components have set. Where a sentence
has no tags, the tagger of this package gives them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import TYPE_CHECKING

from uncommonsense.errors import MissingResourceError
from uncommonsense.text.pipeline import Analysed, Word
from uncommonsense.wsd.disambiguator import Disambiguator, TaggedSentence

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc, Span

__all__ = ["Senses", "make_component"]

_DEFAULTS = {"system": "default", "inventory": "wordnet", "top": None, "pos": "nvar", "min_probability": 0.0}


class Senses:
    """Sets ``token._.sense`` (a sense id or None), ``token._.gloss`` and ``token._.senses``.

    ``senses`` is a list of dictionaries (key, synset, gloss, probability), the best first. Where several
    words are one entry of the inventory, such as *hot dog*, each of them has its senses.
    """

    def __init__(self, disambiguator: Disambiguator) -> None:
        self.disambiguator = disambiguator
        _extend_tokens()

    def __call__(self, doc: Doc) -> Doc:
        """Set the senses of one document."""
        return next(self.pipe([doc]))

    def pipe(self, stream: Iterable[Doc], batch_size: int = 64) -> Iterator[Doc]:
        """Set the senses of a stream of documents, some at a time."""
        docs = iter(stream)
        while batch := list(islice(docs, batch_size)):
            spans = [span for doc in batch for span in _sentences(doc)]
            pairs = [(span.doc.text, self._analysed(span)) for span in spans]
            for span, tagged in zip(spans, self.disambiguator.disambiguate(pairs), strict=True):
                _annotate(span, tagged)
            yield from batch

    def _analysed(self, span: Span) -> Analysed:
        pipeline = self.disambiguator.pipeline
        forms = [token.text.replace("’", "'") for token in span]
        tags = [token.pos_ for token in span]
        if not any(tags):
            tags = list(pipeline.tagger.tag([forms])[0])
        ours = pipeline.lemmas(forms, tags)
        lemmas = [token.lemma_.lower() or lemma for token, lemma in zip(span, ours, strict=True)]
        words = tuple(
            Word(token.text, token.idx, token.idx + len(token.text), tag, lemma)
            for token, tag, lemma in zip(span, tags, lemmas, strict=True)
        )
        targets = tuple(pipeline.targets(forms, tags, lemmas))
        return Analysed(span.start_char, span.end_char, words, targets)


def make_component(
    nlp: Language,
    name: str,
    system: str,
    inventory: str,
    top: int | None,
    pos: str,
    min_probability: float,
) -> Senses:
    """What spaCy calls for ``nlp.add_pipe("uncommonsense")``; settings are those of ``Disambiguator``."""
    del nlp, name
    return Senses(
        Disambiguator(system, inventory=inventory, top=top, pos=pos, min_probability=min_probability)
    )


def _sentences(doc: Doc) -> Iterable[Span]:
    if not len(doc):
        return []
    return doc.sents if doc.has_annotation("SENT_START") else [doc[:]]


def _annotate(span: Span, tagged: TaggedSentence) -> None:
    for word in tagged.tagged:
        if word.sense is None:
            continue
        for token in span[word.first : word.last]:
            token._.sense = word.sense.key
            token._.gloss = word.sense.gloss
            token._.senses = [sense._asdict() for sense in word.senses]


def _extend_tokens() -> None:
    try:
        from spacy.tokens import Token
    except ImportError as error:
        raise MissingResourceError(
            "spaCy is not installed; run: pip install 'uncommonsense[spacy]'"
        ) from error
    for name, default in (("sense", None), ("gloss", None), ("senses", [])):
        if not Token.has_extension(name):
            Token.set_extension(name, default=default)


def _register() -> None:
    """Tell spaCy of the component, where there is spaCy; it imports this module by its entry point."""
    try:
        from spacy.language import Language
    except ImportError:
        return
    Language.factory(
        "uncommonsense",
        assigns=["token._.sense", "token._.gloss", "token._.senses"],
        default_config=_DEFAULTS,
        func=make_component,
    )


_register()
