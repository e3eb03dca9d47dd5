"""SemCor 3.0 in its original SGML tagfiles.

A tagfile has one element to a line and no quotes around attributes::

    <contextfile concordance=brown>
    <context filename=br-a01 paras=yes>
    <p pnum=1>
    <s snum=1>
    <wf cmd=ignore pos=DT>The</wf>
    <wf cmd=done pos=VB lemma=take_place wnsn=1 lexsn=2:30:00::>took_place</wf>
    <punc>.</punc>
    </s>

A target is a word with ``lexsn``. Several senses are separated by ``;`` in both ``wnsn`` and ``lexsn``; those
whose ``wnsn`` is 0 or -1 are not in WordNet 3.0 and are dropped, and the target with them if none is left.
Some keys carry the syntactic marker of an adjective (``5:00:00:preceding(a):00``); WordNet's own do not, so
it is taken off.
Words that the tagfile joins (``took_place``) become several tokens, all in the target's span.

Ids are ``br-a01.s1`` for the sentence and ``br-a01.s1.t21`` for the target that begins at token 21 (from 0).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from uncommonsense.corpora.spelling import pos_of_key, split_form
from uncommonsense.corpora.textfile import read_lines
from uncommonsense.errors import MalformedInputError, UserError
from uncommonsense.schema import Instance, Sentence

__all__ = ["read"]

_WORD = re.compile(r"<(wf|punc)(?: ([^>]*))?>(.+)</\1>")
_OPENING = re.compile(r"<(s|context) (?:snum|filename)=([^ >]+)[^>]*>")
_IGNORED = re.compile(r"</?(?:p|contextfile|context)\b[^>]*>|\s*")
_PATTERNS = ("brown*/tagfiles/br-*", "tagfiles/br-*", "br-*")
_MARKER = re.compile(r"\((?:a|p|ip)\)")
_NOT_IN_WORDNET = ("0", "-1")


def read(path: Path) -> Iterator[Sentence]:
    """Yield SemCor's sentences; ``path`` holds brown1, brown2, brownv, or is one of them, or one tagfile."""
    documents: set[str] = set()
    for file in _tagfiles(path):
        document = ""
        for sentence in _read_tagfile(file):
            if sentence.source != document:
                document = sentence.source
                if document in documents:
                    raise MalformedInputError(
                        file, None, f"document {document!r} was already read from another file"
                    )
                documents.add(document)
            yield sentence


def _tagfiles(path: Path) -> list[Path]:
    if not path.is_dir():
        return [path]
    for pattern in _PATTERNS:
        if files := sorted(path.glob(pattern)):
            return files
    raise UserError(
        f"{path}: no SemCor tagfiles (br-*) here; expected the folder that holds brown1, brown2, brownv"
    )


def _read_tagfile(path: Path) -> Iterator[Sentence]:
    document, sentence, closed = "", "", False
    seen: set[str] = set()
    words: list[tuple[int, str, str]] = []
    line = 0
    for line, text in read_lines(path):
        if sentence and (match := _WORD.fullmatch(text)):
            words.append((line, match[3], match[2] or ""))
        elif sentence and text == "</s>":
            yield _sentence(path, document, sentence, words)
            sentence, words = "", []
        elif not sentence and (match := _OPENING.fullmatch(text)):
            if match[1] == "context":
                document = match[2]
                continue
            sentence = f"{document or path.name}.s{match[2]}"
            if sentence in seen:
                raise MalformedInputError(path, line, f"sentence {sentence!r} occurs twice")
            seen.add(sentence)
        elif sentence or not _IGNORED.fullmatch(text):
            raise MalformedInputError(path, line, f"{_short(text)} is out of place in a SemCor tagfile")
        elif text.strip():
            closed = text == "</contextfile>"
    if not closed:
        raise MalformedInputError(path, line, "the file ends before </contextfile>: it is cut off")


def _sentence(path: Path, document: str, sentence: str, words: list[tuple[int, str, str]]) -> Sentence:
    tokens: list[str] = []
    instances = []
    for line, form, attributes in words:
        start = len(tokens)
        tokens.extend(split_form(form))
        if "lexsn=" in attributes and (annotation := _annotation(path, line, attributes)):
            lemma, senses = annotation
            pos = pos_of_key(senses[0])
            if pos is None:
                raise MalformedInputError(path, line, f"{senses[0]!r} is not a sense key (lemma%1:23:45::)")
            instances.append(Instance(f"{sentence}.t{start}", start, len(tokens), lemma, pos, senses))
    return Sentence(sentence, tuple(tokens), document or path.name, tuple(instances))


def _annotation(path: Path, line: int, attributes: str) -> tuple[str, tuple[str, ...]] | None:
    """Lemma and sense keys of a word; None if none of its senses is in WordNet."""
    values = dict(pair.partition("=")[::2] for pair in attributes.split())
    lemma = values.get("lemma", "").lower()
    numbers, keys = values.get("wnsn", "").split(";"), _MARKER.sub("", values["lexsn"]).split(";")
    if not lemma or len(numbers) != len(keys):
        raise MalformedInputError(path, line, "expected lemma=, and as many senses in wnsn= as in lexsn=")
    senses = tuple(
        f"{lemma}%{key}" for number, key in zip(numbers, keys, strict=True) if number not in _NOT_IN_WORDNET
    )
    return (lemma, senses) if senses else None


def _short(text: str) -> str:
    return repr(text if len(text) <= 60 else text[:57] + "...")
