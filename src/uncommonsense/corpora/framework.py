"""The XML of the WSD Evaluation Framework, with its gold keys beside it.

``NAME.data.xml`` holds ``<corpus><text id><sentence id>`` with a ``<wf>`` or ``<instance id>`` per word,
each with ``lemma`` and ``pos``. ``NAME.gold.key.txt`` has a line ``id key [key ...]`` per instance, in the
same order; a line with an id alone, or no key file at all, leaves instances without senses.

A path may be such an XML file, a folder with one data set, or a folder of several: then each data set is read
once, without the concatenations (``ALL``, ``semcor+omsti``) and without what lies under ``Training_Corpora``.
Those are read when they are named: ``framework:DIR?dataset=semcor``. Ids of several data sets read together
begin with the name of the data set (``senseval2.d000.s000``), as they do in ``ALL``.

Both files are read side by side, so memory does not grow with their size.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple
from xml.parsers import expat

from uncommonsense.corpora.spelling import pos_letter, split_form
from uncommonsense.corpora.textfile import open_bytes, read_lines
from uncommonsense.errors import MalformedInputError, UnknownNameError, UserError
from uncommonsense.schema import Instance, Sentence

__all__ = ["read"]

_DATA = ".data.xml"
_KEYS = ".gold.key.txt"
_CHUNK = 1 << 16


def read(path: Path, *, dataset: str = "") -> Iterator[Sentence]:
    """Yield the sentences of one data set, or of all those in a folder."""
    if path.is_file() and dataset:
        raise UserError(f"{path} is one data set: dataset={dataset} chooses among those of a folder")
    files = [path] if path.is_file() else _choose(path, dataset)
    for file in files:
        name = _name(file)
        yield from _read_dataset(file, name, prefix=f"{name}." if len(files) > 1 else "")


def _choose(folder: Path, dataset: str) -> list[Path]:
    """The data sets to read: the one that is named, or every one that is no concatenation of others."""
    files = sorted(folder.rglob(f"*{_DATA}"))
    if not files:
        raise UserError(f"{folder}: no data set (NAME{_DATA}) in this folder")
    if dataset:
        named = [file for file in files if _name(file).lower() == dataset.lower()]
        if not named:
            raise UnknownNameError("data set", dataset, set(map(_name, files)), hint=f"They are in {folder}.")
        return _distinct(named)
    single = [file for file in files if _name(file) != "ALL" and "+" not in file.name]
    evaluation = [file for file in single if "Training_Corpora" not in file.relative_to(folder).parts]
    return _distinct(evaluation or single) or files[:1]


def _name(file: Path) -> str:
    return file.name.removesuffix(_DATA)


def _distinct(files: list[Path]) -> list[Path]:
    """Refuse data sets of one name: their ids could not be told apart."""
    seen: dict[str, Path] = {}
    for file in files:
        first = seen.setdefault(_name(file).lower(), file)
        if first is not file:
            raise UserError(
                f"{first} and {file} have the same name: read one of them by its path, or rename it"
            )
    return files


def _read_dataset(path: Path, name: str, *, prefix: str) -> Iterator[Sentence]:
    key_file = path.with_name(name + _KEYS)
    keys = _Keys(key_file) if key_file.is_file() else None
    for parsed in _parse(path):
        tokens: list[str] = []
        instances = []
        for word in parsed.words:
            start = len(tokens)
            tokens.extend(split_form(word.form))
            if word.id:
                senses = keys.take(word.id) if keys else ()
                pos = pos_letter(word.pos) or "x"
                instances.append(Instance(prefix + word.id, start, len(tokens), word.lemma, pos, senses))
        source = f"{name}/{parsed.text}" if parsed.text else name
        yield Sentence(prefix + parsed.id, tuple(tokens), source, tuple(instances))
    if keys:
        keys.finish()


class _Keys:
    """The lines of a key file, taken one by one in the order of the instances."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.line = 0
        self.rows = ((line, text.split()) for line, text in read_lines(path) if text.strip())

    def take(self, instance: str) -> tuple[str, ...]:
        """The senses of ``instance``, which must be the next one in the file."""
        self.line, row = next(self.rows, (self.line + 1, []))
        if not row:
            raise MalformedInputError(self.path, self.line, f"the file ends before the key of {instance!r}")
        if row[0] != instance:
            message = f"found the key of {row[0]!r}, expected that of {instance!r}"
            raise MalformedInputError(
                self.path, self.line, f"{message}: keys come in the order of the instances"
            )
        return tuple(row[1:])

    def finish(self) -> None:
        """Check that nothing is left over."""
        for line, row in self.rows:
            raise MalformedInputError(
                self.path, line, f"a key for {row[0]!r}, which is no instance of the XML file"
            )


class _Word(NamedTuple):
    form: str
    id: str
    lemma: str
    pos: str


class _Parsed(NamedTuple):
    id: str
    text: str
    words: list[_Word]


def _parse(path: Path) -> Iterator[_Parsed]:
    handler = _Handler(path)
    with open_bytes(path) as stream:
        more = True
        while more:
            chunk = stream.read(_CHUNK)
            more = bool(chunk)
            try:
                handler.parser.Parse(chunk, not more)
            except expat.ExpatError as error:
                reason = expat.errors.messages[error.code]
                raise MalformedInputError(path, error.lineno, f"not well-formed XML: {reason}") from error
            except (LookupError, ValueError) as error:
                raise MalformedInputError(
                    path, 1, f"the encoding it declares cannot be read: {error}"
                ) from error
            yield from handler.finished
            handler.finished.clear()


class _Handler:
    """Collects sentences while expat reads; entities are refused before they can expand."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.finished: list[_Parsed] = []
        self.text = ""
        self.sentence: _Parsed | None = None
        self.word: tuple[str, dict[str, str]] | None = None
        self.form = ""
        self.seen: set[str] = set()
        self.parser = expat.ParserCreate()
        self.parser.buffer_text = True
        self.parser.StartElementHandler = self.start
        self.parser.EndElementHandler = self.end
        self.parser.CharacterDataHandler = self.characters
        self.parser.EntityDeclHandler = self.parser.SkippedEntityHandler = self.entity

    def fail(self, message: str) -> MalformedInputError:
        return MalformedInputError(self.path, self.parser.CurrentLineNumber, message)

    def entity(self, name: str, *_: Any) -> None:
        raise self.fail(f"the file declares or uses the entity {name!r}; entities of its own are not allowed")

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        if tag in ("wf", "instance"):
            if self.sentence is None or self.word:
                raise self.fail(f"<{tag}> is out of place: expected it directly in a <sentence>")
            self.word, self.form = (tag, attributes), ""
        elif tag == "sentence":
            if self.sentence is not None:
                raise self.fail("a <sentence> in a <sentence>")
            self.sentence = _Parsed(self.unique(tag, attributes), self.text, [])
        elif tag == "text":
            self.seen.clear()
            self.text = attributes.get("id", "")
        elif tag != "corpus":
            raise self.fail(f"<{tag}> is unknown; expected corpus, text, sentence, wf or instance")

    def end(self, tag: str) -> None:
        if tag == "sentence" and self.sentence is not None:
            self.finished.append(self.sentence)
            self.sentence = None
        elif self.word and self.sentence is not None:
            self.end_word(*self.word)
            self.word = None

    def end_word(self, tag: str, attributes: dict[str, str]) -> None:
        """Add a word; an empty ``wf`` is no word."""
        form = self.form.strip()
        words = self.sentence.words if self.sentence else []
        if tag == "wf":
            if form:
                words.append(_Word(form, "", "", ""))
            return
        lemma = attributes.get("lemma", "").strip().lower().replace(" ", "_")
        if not (form and lemma and attributes.get("pos")):
            raise self.fail("an <instance> needs lemma=, pos= and a word")
        words.append(_Word(form, self.unique(tag, attributes), lemma, attributes["pos"]))

    def characters(self, text: str) -> None:
        if self.word:
            self.form += text
        elif text.strip():
            raise self.fail(f"text outside <wf> and <instance>: {text.strip()[:40]!r}")

    def unique(self, tag: str, attributes: dict[str, str]) -> str:
        """The id of an element, which no other element of its text has."""
        name = attributes.get("id", "")
        if not name:
            raise self.fail(f"a <{tag}> without id=")
        if name in self.seen:
            raise self.fail(f"id {name!r} occurs twice")
        self.seen.add(name)
        return name
