"""Writing a corpus in other formats; reading it back gives the same sentences, as far as the format can.

``tsv`` and ``jsonl`` have a row per target (see ``columns``), ``framework`` is a folder with
``NAME.data.xml`` and ``NAME.gold.key.txt`` as the scorers of the field read them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator
from itertools import groupby
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape, quoteattr

from uncommonsense.corpora.columns import COLUMNS, split_senses
from uncommonsense.corpora.parquet import write_parquet
from uncommonsense.corpora.registry import CorpusSource
from uncommonsense.corpora.staging import staged
from uncommonsense.errors import UnknownNameError, UserError
from uncommonsense.schema import Instance, Sentence

__all__ = ["WRITABLE", "convert"]

WRITABLE = ("framework", "jsonl", "parquet", "tsv")

_CONTROL = re.compile(r"[\x00-\x1f\ufffe\uffff]")
_TAGS = {"n": "NOUN", "v": "VERB", "a": "ADJ", "r": "ADV", "p": "ADP", "x": "X"}


def convert(
    source: CorpusSource,
    target: Path,
    *,
    to: str = "parquet",
    overwrite: bool = False,
    advance: Callable[[float], None] = lambda _: None,
) -> int:
    """Write ``source`` to the file or folder ``target``; return how many sentences there were.

    ``advance(1)`` is called after each of them.
    """
    if to not in WRITABLE:
        raise UnknownNameError("format to write", to, WRITABLE)
    sentences = _Counted(source, advance)
    if to == "parquet":
        write_parquet(sentences, target, name=source.name, spec=source.spec, overwrite=overwrite)
        return sentences.number
    with staged(target, overwrite=overwrite) as temporary:
        if to == "framework":
            _write_framework(sentences, temporary, name=target.name)
        else:
            with temporary.open("w", encoding="utf-8", newline="\n") as stream:
                stream.writelines(_tsv_lines(sentences) if to == "tsv" else _json_lines(sentences))
    return sentences.number


class _Counted:
    """Sentences on their way to a file, counted as they pass."""

    def __init__(self, sentences: Iterable[Sentence], advance: Callable[[float], None]) -> None:
        self.sentences = sentences
        self.advance = advance
        self.number = 0

    def __iter__(self) -> Iterator[Sentence]:
        for sentence in self.sentences:
            yield sentence
            self.number += 1
            self.advance(1)


def _json_lines(sentences: Iterable[Sentence]) -> Iterator[str]:
    for sentence in sentences:
        for row in _rows(sentence):
            yield json.dumps(row, ensure_ascii=False) + "\n"


def _tsv_lines(sentences: Iterable[Sentence]) -> Iterator[str]:
    yield "\t".join(COLUMNS) + "\n"
    for sentence in sentences:
        for row in _rows(sentence):
            tokens, senses = " ".join(row["tokens"]), "|".join(row["sense"])
            cells = [str(cell) for cell in {**row, "tokens": tokens, "sense": senses}.values()]
            whole = tokens.split() == row["tokens"] and split_senses(senses) == row["sense"]
            if not whole or any(_CONTROL.search(cell) for cell in cells):
                problem = "has blanks in a token, '|' in a sense, or control characters"
                raise UserError(f"sentence {sentence.id!r} {problem}: write jsonl or parquet")
            yield "\t".join(cells) + "\n"


def _rows(sentence: Sentence) -> Iterator[dict[str, Any]]:
    """A row of ``COLUMNS`` per target, or one without a target."""
    for each in sentence.instances or (None,):
        values = each._asdict() if each else {}
        values["sense"] = list(values.pop("senses", ()))
        values |= {"sentence_id": sentence.id, "tokens": list(sentence.tokens), "source": sentence.source}
        yield {column: values.get(column, "") for column in COLUMNS}


def _write_framework(sentences: Iterable[Sentence], folder: Path, *, name: str) -> None:
    folder.mkdir()
    data, keys = folder / f"{name}.data.xml", folder / f"{name}.gold.key.txt"
    labelled = False
    with data.open("w", encoding="utf-8") as xml, keys.open("w", encoding="utf-8") as gold:
        xml.write(f'<?xml version="1.0" encoding="UTF-8" ?>\n<corpus lang="en" source={quoteattr(name)}>\n')
        for text, group in groupby(sentences, key=lambda sentence: sentence.source):
            xml.write(f"<text id={quoteattr(text)}>\n")
            for sentence in group:
                _check_framework(sentence)
                xml.write(f"<sentence id={quoteattr(sentence.id)}>\n{''.join(_words(sentence))}</sentence>\n")
                gold.writelines(" ".join((each.id, *each.senses)) + "\n" for each in sentence.instances)
                labelled = labelled or any(each.senses for each in sentence.instances)
            xml.write("</text>\n")
        xml.write("</corpus>\n")
    if not labelled:
        keys.unlink()


def _check_framework(sentence: Sentence) -> None:
    names = [name for each in sentence.instances for name in (each.id, *each.senses)]
    if any(len(name.split()) != 1 for name in names):
        raise UserError(
            f"an id or sense in sentence {sentence.id!r} has blanks in it: write jsonl or parquet"
        )
    if any(_CONTROL.search(text) for text in (sentence.id, sentence.source, *names, *sentence.tokens)):
        raise UserError(f"sentence {sentence.id!r} has control characters in it: write jsonl or parquet")


def _words(sentence: Sentence) -> Iterator[str]:
    """The elements of a sentence; only targets have a lemma and a part of speech of their own here."""
    place = 0
    for each in sorted(sentence.instances, key=lambda instance: instance.start):
        if each.start < place:
            raise UserError(
                f"targets overlap in sentence {sentence.id!r}: write tsv, jsonl or parquet instead"
            )
        yield from map(_plain_word, sentence.tokens[place : each.start])
        yield _target(each, sentence.tokens)
        place = each.end
    yield from map(_plain_word, sentence.tokens[place:])


def _plain_word(token: str) -> str:
    return f'<wf lemma={quoteattr(token.lower())} pos="X">{escape(token)}</wf>\n'


def _target(each: Instance, tokens: tuple[str, ...]) -> str:
    form = escape(" ".join(tokens[each.start : each.end]))
    attributes = f'id={quoteattr(each.id)} lemma={quoteattr(each.lemma)} pos="{_TAGS.get(each.pos, "X")}"'
    return f"<instance {attributes}>{form}</instance>\n"
