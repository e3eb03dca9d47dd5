"""Lemmas of tagged words, and what WordNet calls them."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from unicodedata import combining, normalize

from uncommonsense.inventories.wordnet import WordNet
from uncommonsense.text.tagger import WORDNET_POS

__all__ = ["Lemmatiser"]

_AUXILIARIES = {
    **dict.fromkeys(("'m", "'re", "'s", "ai"), "be"),
    "'ve": "have",
    "'ll": "will",
    "'d": "would",
    "ca": "can",
    "wo": "will",
    "sha": "shall",
}
"""What is left of verbs before and after an apostrophe."""

_NEXT_BEST = {
    "NOUN": "nva",
    "PROPN": "na",
    "VERB": "vna",
    "AUX": "v",
    "ADJ": "anvr",
    "ADV": "ran",
    "NUM": "an",
}
"""Parts of speech under which WordNet may know a word that it does not know under that of its tag."""

_CACHE = 1 << 17
"""Pairs of a form and a tag that are remembered."""


class Lemmatiser:
    """From a form and its tag (of Universal Dependencies) to a lemma.

    Morphy says which base forms there are; of several, the one that is most frequent in the texts that
    WordNet was ordered by (*found*: *find*). A word that Morphy does not know is its own lemma.
    """

    def __init__(self, wordnet: WordNet) -> None:
        self._wordnet = wordnet
        self._remembered = lru_cache(_CACHE)(self._lemma)
        self.entry = lru_cache(_CACHE)(self._entry)

    def __call__(self, form: str, tag: str) -> str:
        """The lemma: small letters, except for names that WordNet does not know."""
        return self._remembered(form, tag)

    def _lemma(self, form: str, tag: str) -> str:
        folded = form.lower().replace("’", "'")
        if tag in ("AUX", "VERB") and folded in _AUXILIARIES:
            return _AUXILIARIES[folded]
        if folded == "n't":
            return "not"
        pos = WORDNET_POS.get(tag)
        base = self._base(folded, pos, name=tag == "PROPN") if pos else None
        return base or (form if tag == "PROPN" else folded)

    def _entry(self, form: str, tag: str) -> tuple[str, str] | None:
        """The lemma and part of speech (``n v a r``) under which WordNet has a content word."""
        if len(form) < 2:
            return None
        if tag == "PART":
            return ("not", "r") if self(form, tag) == "not" else None
        for pos in _NEXT_BEST.get(tag, ""):
            for spelling in _spellings(form.lower().replace("’", "'")):
                if tag in ("AUX", "VERB"):
                    spelling = _AUXILIARIES.get(spelling, spelling)
                if base := self._base(spelling, pos, name=tag == "PROPN"):
                    return base, pos
        return None

    def _base(self, form: str, pos: str, *, name: bool) -> str | None:
        bases = self._wordnet.morphy(form, pos)
        if name and form in bases:
            return form
        return max(bases, key=lambda base: self._count(base, pos), default=None)

    def _count(self, lemma: str, pos: str) -> int:
        rows = self._wordnet.rows(lemma, pos)
        return int(self._wordnet.sense_count[rows.start : rows.stop].sum())


def _spellings(form: str) -> Iterator[str]:
    """As it is; without accents; with spaces in the place of hyphens; without hyphens."""
    yield form
    if not form.isascii():
        yield "".join(each for each in normalize("NFKD", form) if not combining(each))
    if "-" in form.strip("-"):
        yield form.replace("-", "_")
        yield form.replace("-", "")
