"""From raw text to sentences, words, parts of speech, lemmas and the multiword entries of WordNet."""

from __future__ import annotations

from uncommonsense.text.pipeline import Analysed, Pipeline, Word

__all__ = ["Analysed", "Pipeline", "Word"]
