"""SemEval-2007 task 6: prepositions of The Preposition Project, one XML file for each.

A file is a ``<lexelt item="about">`` of ``<instance id docsrc>``, each with an ``<answer senseid>`` (in the
training data) and a ``<context>``, tokenised, whose ``<head>`` is the target. A ``senseid`` may hold several
senses, blanks between them, or none.

- Ids begin with the split (``train/about.p.fn.336224``): one id is in both, for different targets.
- 33 heads are empty, their contexts cut off: they are read as sentences without an instance.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NoReturn
from xml.parsers import expat

from uncommonsense.corpora.choices import pick
from uncommonsense.corpora.folders import files_of, split_of
from uncommonsense.corpora.textfile import read_lines
from uncommonsense.errors import MalformedInputError, UserError
from uncommonsense.inventories.prepositions import preposition_sense_id
from uncommonsense.schema import Instance, Sentence

__all__ = ["read"]

_TRATZ = Path("tratz", "mappings_for_tpp_data")
_STRAY = re.compile(r"&(?!(?:amp|lt|gt|quot|apos|#\d+|#x[0-9A-Fa-f]+);)")

_Labels = dict[str, str]
"""A label of Tratz (``about.1``) for each instance id."""


def read(path: Path, *, inventory: str = "tpp") -> Iterator[Sentence]:
    """Read the folder that holds ``train`` and ``test``, one of these, or a file.

    ``inventory``: ``tpp``, the senses of the training data (``about.p.3(2)-1``; the test data have none), or
    ``tratz``, Tratz's refined ones (``about.p.1``) from the file ``tratz/mappings_for_tpp_data`` beside
    the folders, for both. His ``around`` and ``toward`` cover *round* and *towards*.
    """
    refined = pick("inventory", inventory, ("tpp", "tratz")) == "tratz"
    labels = _read_labels(path) if refined else None
    for file in _files(path):
        split = split_of(file.name) or split_of(file.parent.name)
        yield from _Parser(file, split, labels).sentences()


def _files(path: Path) -> list[Path]:
    folders = [folder for folder in (path / "train", path / "test") if folder.is_dir()] or [path]
    kind = "preposition data of SemEval-2007 task 6"
    return [file for folder in folders for file in files_of(folder, suffixes=(".xml",), kind=kind)]


def _read_labels(path: Path) -> _Labels:
    """Tratz's labels, from the folder of the data or the one or two above."""
    places = [folder / _TRATZ for folder in (path, *path.absolute().parents[:2])]
    file = next((place for place in places if place.is_file()), None)
    if file is None:
        raise UserError(f"{path}: inventory=tratz needs the file {_TRATZ} beside the folders train and test")
    labels: _Labels = {}
    for number, line in read_lines(file):
        name, tab, label = line.partition("\t")
        if not tab or "." not in label:
            raise MalformedInputError(
                file, number, f"expected an id, a tab and a label (about.1), found {line!r}"
            )
        labels[name] = label
    return labels


class _Parser:
    """Turns a file into sentences as its lines arrive."""

    def __init__(self, path: Path, split: str, labels: _Labels | None) -> None:
        self.path = path
        self.split = split
        self.labels = labels
        self.lemma = ""
        self.instance: dict[str, str] = {}
        self.answer = ""
        self.texts: list[str] = []
        """Before, in and after the head; empty outside of a context."""
        self.ready: list[Sentence] = []
        self.parser = expat.ParserCreate()
        self.parser.StartElementHandler = self.start
        self.parser.EndElementHandler = self.end
        self.parser.CharacterDataHandler = self.data
        self.parser.EntityDeclHandler = self.refuse

    def sentences(self) -> Iterator[Sentence]:
        """Yield the sentences of the file."""
        try:
            for number, line in read_lines(self.path):
                # Text from elsewhere may hold bare ampersands.
                self.parser.Parse(("\n" if number > 1 else "") + _STRAY.sub("&amp;", line))
                yield from self.ready
                self.ready.clear()
            self.parser.Parse("", True)
        except expat.ExpatError as error:
            message = f"not XML: {expat.ErrorString(error.code)}"
            raise MalformedInputError(self.path, error.lineno, message) from error

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        if tag == "lexelt":
            self.lemma = self.attribute(tag, attributes, "item").lower()
        elif not self.lemma:
            self.fail(f"<{tag}> outside of <lexelt item=...>")
        elif tag == "instance":
            self.attribute(tag, attributes, "id")
            self.instance, self.answer = attributes, ""
        elif tag == "answer":
            self.answer = attributes.get("senseid", "")
        elif tag == "context":
            self.texts = [""]
        elif tag == "head":
            if len(self.texts) != 1:
                self.fail("expected one <head> in each <context>")
            self.texts.append("")

    def end(self, tag: str) -> None:
        if tag == "head":
            self.texts.append("")
        elif tag == "context":
            if len(self.texts) != 3 or not self.instance:
                self.fail("expected one <head> in each <context>, and the context in an <instance>")
            self.ready.append(self.sentence())
            self.texts, self.instance = [], {}
        elif tag == "instance" and self.instance:
            self.fail(f"the instance {self.instance['id']} has no <context>")

    def data(self, text: str) -> None:
        if self.texts:
            self.texts[-1] += text

    def sentence(self) -> Sentence:
        """The sentence of the context that ends here."""
        before, head, after = (tuple(text.split()) for text in self.texts)
        name = f"{self.split}/{self.instance['id']}" if self.split else self.instance["id"]
        stop = len(before) + len(head)
        target = Instance(name, len(before), stop, self.lemma, "p", self.senses(), self.split)
        return Sentence(
            name, before + head + after, self.instance.get("docsrc", ""), (target,) if head else ()
        )

    def senses(self) -> tuple[str, ...]:
        if self.labels is None:
            return tuple(preposition_sense_id(self.lemma, sense) for sense in self.answer.split())
        lemma, _, sense = self.labels.get(self.instance["id"], "").partition(".")
        return (preposition_sense_id(lemma, sense),) if sense else ()

    def attribute(self, tag: str, attributes: dict[str, str], name: str) -> str:
        return attributes.get(name) or self.fail(f"<{tag}> without the attribute {name!r}")

    def refuse(self, *_: object) -> None:
        self.fail("declares an entity, which is not supported")

    def fail(self, message: str) -> NoReturn:
        raise MalformedInputError(self.path, self.parser.CurrentLineNumber, message)
