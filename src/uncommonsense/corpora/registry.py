"""Corpora by name: ``FORMAT:PATH``, ``FORMAT:PATH?option=value&option=value``, or a registered name."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from inspect import Parameter, signature
from pathlib import Path
from typing import NamedTuple, cast

from uncommonsense import resources
from uncommonsense.errors import UnknownNameError, UserError
from uncommonsense.schema import Corpus, Sentence

__all__ = ["FORMATS", "CorpusSource", "Format", "formats", "load_corpus", "names", "open_corpus", "options"]

Reader = Callable[..., Iterator[Sentence]]


class Format(NamedTuple):
    """What can be read."""

    name: str
    reader: str
    """``module:function``, imported when it is needed."""
    description: str
    example: str


def _format(name: str, function: str, description: str, example: str) -> Format:
    return Format(name, f"uncommonsense.corpora.{function}", description, example)


_KNOWN = (
    _format("semcor", "semcor:read", "SemCor 3.0, the original tagfiles", "semcor:semcor3.0"),
    _format(
        "framework",
        "framework:read",
        "WSD Evaluation Framework: XML and gold keys",
        "framework:WSD_Evaluation_Framework?dataset=semeval2007",
    ),
    _format("ontonotes", "ontonotes:read", "OntoNotes 5.0 in CoNLL-2012 columns", "ontonotes:conll-2012"),
    _format("fews", "fews:read", "FEWS: marked quotations of Wiktionary", "fews:fews?train=ext"),
    _format("pdep", "pdep:read", "PDEP: prepositions, CoNLL-U", "pdep:pdep"),
    _format("tpp", "tpp:read", "The Preposition Project, SemEval-2007 task 6", "tpp:tpp?inventory=tratz"),
    _format("streusle", "streusle:read", "STREUSLE: supersenses, JSON or conllulex", "streusle:streusle"),
    _format(
        "glosstag",
        "glosstag:read",
        "Princeton gloss corpus, JSON lines",
        "glosstag:glosstag.jsonl.xz?tags=man",
    ),
    _format("text", "plain:read", "your own running text: .txt files below a folder", "text:letters"),
    _format("tsv", "columns:read_tsv", "your own sentences: a tab-separated table", "tsv:mine.tsv"),
    _format("jsonl", "columns:read_jsonl", "your own sentences: JSON lines", "jsonl:mine.jsonl"),
    _format("parquet", "parquet:read", "a corpus that `corpus convert` wrote", "parquet:semcor.parquet"),
)

_BUNDLED = {"sampler": "uncommonsense.corpora.sampler:read"}
"""Corpora that come with the package; their readers take None for a path."""

FORMATS: dict[str, str] = {each.name: each.reader for each in _KNOWN} | _BUNDLED

_RESOURCES = {
    "fews": "fews",
    "framework": "wsd-framework",
    "ontonotes": "ontonotes",
    "pdep": "pdep",
    "semcor": "semcor",
    "streusle": "streusle",
    "tpp": "tpp",
}
"""Format -> the resource that is in it (not the gloss corpus: its release is XML, which no reader takes)."""

_NAMES: dict[str, tuple[str, str | None]] = {
    **{name: (name, None) for name in _BUNDLED},
    **{name: (form, resource) for form, resource in _RESOURCES.items() for name in {form, resource}},
}
"""Registered name -> its format and resource."""


@dataclass(frozen=True)
class CorpusSource:
    """A corpus that can be read, as often as one likes; iterating over it yields its sentences."""

    spec: str
    format: str
    path: Path | None
    options: Mapping[str, str] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """What the corpus is called in results: the registered name, or the path's last part."""
        if self.path is None or self.spec.partition("?")[0] in _NAMES:
            return self.spec
        return "?".join([self.path.name, *(f"{key}={value}" for key, value in self.options.items())])

    def sentences(self) -> Iterator[Sentence]:
        """Read the corpus from its beginning, a sentence at a time."""
        return _reader(self.format)(self.path, **self.options)

    def __iter__(self) -> Iterator[Sentence]:
        return self.sentences()

    def load(self) -> Corpus:
        """Read all of it into Arrow tables."""
        if self.format == "parquet" and self.path is not None:
            from uncommonsense.corpora.parquet import read_table

            return Corpus.from_table(read_table(self.path), name=self.name)
        return Corpus.from_sentences(self.sentences(), name=self.name)


def open_corpus(spec: str) -> CorpusSource:
    """Find the corpus that ``spec`` names; nothing is read yet."""
    form, colon, place = spec.partition(":")
    if not colon:
        return _open_named(spec)
    if form not in FORMATS:
        raise UnknownNameError("corpus format", form, FORMATS, hint="A corpus is FORMAT:PATH.")
    path, chosen = _split_options(place)
    if not path:
        raise UserError(f"{spec!r} has no path; expected {form}:PATH")
    resolved = Path(path).expanduser()
    if not resolved.exists():
        raise UserError(f"{resolved}: no such file or folder (in the corpus {spec!r})")
    return _checked(CorpusSource(spec, form, resolved, chosen))


def load_corpus(spec: str) -> Corpus:
    """Read the corpus that ``spec`` names into Arrow tables."""
    return open_corpus(spec).load()


def formats() -> tuple[Format, ...]:
    """Every format that has a path."""
    return _KNOWN


def names() -> tuple[str, ...]:
    """Every registered name."""
    return tuple(sorted(_NAMES))


def options(form: str) -> dict[str, str]:
    """The options of a format and their defaults."""
    parameters = signature(_reader(form)).parameters.values()
    return {each.name: each.default for each in parameters if each.kind is Parameter.KEYWORD_ONLY}


def _open_named(spec: str) -> CorpusSource:
    name, chosen = _split_options(spec)
    if name not in _NAMES:
        hint = f"A file is named with its format: FORMAT:{name}, with one of {', '.join(FORMATS)}."
        raise UnknownNameError("corpus", name, _NAMES, hint=hint)
    form, resource = _NAMES[name]
    path = resources.path(resource) if resource else None
    return _checked(CorpusSource(spec, form, path, chosen))


def _split_options(place: str) -> tuple[str, dict[str, str]]:
    """Cut ``PATH?key=value&key=value`` apart; a path that exists with its question mark has no options."""
    path, mark, query = place.rpartition("?")
    if not mark or Path(place).expanduser().exists():
        return place, {}
    pairs = [pair.partition("=") for pair in query.split("&")]
    for key, equals, value in pairs:
        if not (key and equals and value):
            raise UserError(f"{'?' + query!r} is not a list of options; expected ?key=value&key=value")
    return path, {key: value for key, _, value in pairs}


def _checked(source: CorpusSource) -> CorpusSource:
    legal = options(source.format)
    for key in source.options:
        if key not in legal:
            hint = "" if legal else "It takes no options."
            raise UnknownNameError(f"option of the format {source.format}:", key, legal, hint=hint)
    return source


def _reader(form: str) -> Reader:
    module, _, function = FORMATS[form].partition(":")
    return cast(Reader, getattr(import_module(module), function))
