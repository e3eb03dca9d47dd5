"""Sense-annotated text: a reader per format, all of them streaming.

open_corpus("semcor")                        a registered name: the fetched resource
open_corpus("semcor:DIR")                    FORMAT:PATH, see ``formats()``
open_corpus("framework:DIR?dataset=ALL")     options of the format after a question mark
open_corpus("tsv:mine.tsv")                  your own sentences, see ``uncommonsense.corpora.columns``

``open_corpus(spec).sentences()`` yields one sentence at a time; ``load_corpus(spec)`` is all of them as
tables.
"""

from uncommonsense.corpora.counts import Statistics, statistics
from uncommonsense.corpora.export import WRITABLE, convert
from uncommonsense.corpora.parquet import write_parquet
from uncommonsense.corpora.registry import (
    FORMATS,
    CorpusSource,
    Format,
    formats,
    load_corpus,
    names,
    open_corpus,
    options,
)
from uncommonsense.corpora.validation import Finding, Report, validate

__all__ = [
    "FORMATS",
    "WRITABLE",
    "CorpusSource",
    "Finding",
    "Format",
    "Report",
    "Statistics",
    "convert",
    "formats",
    "load_corpus",
    "names",
    "open_corpus",
    "options",
    "statistics",
    "validate",
    "write_parquet",
]
