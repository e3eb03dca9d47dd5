"""STREUSLE 4: supersenses of nouns, verbs and prepositions, in its JSON or ``.conllulex`` files.

Instances are the single-word expressions that have a supersense, and the strong multiword ones on
request. ``??`` (unintelligible) and marks that begin with a backquote stand in the place of a supersense
as well; they are read like any other label unless ``unclear=no``.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from uncommonsense.corpora.choices import is_yes, pick
from uncommonsense.corpora.conllu_blocks import Block, read_blocks
from uncommonsense.corpora.folders import files_of, split_of
from uncommonsense.corpora.jsonarray import read_array
from uncommonsense.errors import MalformedInputError
from uncommonsense.schema import Instance, Sentence

__all__ = ["read"]

_SUFFIXES = (".json", ".conllulex")
_POS = {"N": "n", "V": "v", "P": "p", "PP": "p", "INF.P": "p", "POSS": "p", "PRON.POSS": "p"}
"""The lexical categories that have supersenses."""
_SMWE, _LEXCAT, _LEXLEMMA, _SS, _SS2 = range(10, 15)
_COLUMNS = 19

_log = logging.getLogger(__name__)


class _Expression(NamedTuple):
    """A lexical expression: word numbers from 1, and its annotation, empty where there is none."""

    words: tuple[int, ...]
    lemma: str
    lexcat: str
    """Without subcategories of verbs (``V.VID``)."""
    ss: str
    ss2: str

    @property
    def has_gap(self) -> bool:
        return self.words[-1] - self.words[0] >= len(self.words)


class _Parsed(NamedTuple):
    id: str
    words: tuple[str, ...]
    expressions: list[_Expression]


def read(
    path: Path,
    *,
    lexcats: str = "N,V,P",
    ss: str = "ss",
    mwes: str | bool = "no",
    unclear: str | bool = "yes",
) -> Iterator[Sentence]:
    """Read a file, or the splits in a folder: files named for one, there or in ``train``, ``dev``, ``test``.

    ``lexcats``: lexical categories, of N, V, P, PP, INF.P, POSS and PRON.POSS. ``ss``: ``ss``, the scene
    role, or ``ss2``, the function, which only prepositions and possessives have. ``mwes``: strong multiword
    expressions as well; those with gaps are left out.
    """
    wanted = {pick("lexcats", lexcat, _POS) for lexcat in lexcats.split(",")}
    function = pick("ss", ss, ("ss", "ss2")) == "ss2"
    multiword, doubtful = is_yes("mwes", mwes), is_yes("unclear", unclear)
    for file in _files(path):
        split = split_of(file.name) or split_of(file.parent.name)
        gaps = 0
        for sentence in _parse_conllulex(file) if file.suffix == ".conllulex" else _parse_json(file):
            instances = []
            for expression in sentence.expressions:
                label = expression.ss2 if function else expression.ss
                if not label or expression.lexcat not in wanted or not (doubtful or label[1:2] == "."):
                    continue
                if len(expression.words) == 1 or (multiword and not expression.has_gap):
                    instances.append(_instance(sentence, expression, label, split))
                gaps += expression.has_gap
            source = sentence.id.rpartition("-")[0]
            yield Sentence(sentence.id, sentence.words, source, tuple(instances))
        if multiword:
            _log.info("%s: %d multiword expressions with gaps left out", file, gaps)


def _instance(sentence: _Parsed, expression: _Expression, label: str, split: str) -> Instance:
    start, end = expression.words[0] - 1, expression.words[-1]
    name = f"{sentence.id}:{'_'.join(map(str, expression.words))}"
    lemma = expression.lemma or " ".join(sentence.words[start:end]).lower()
    return Instance(name, start, end, lemma.replace(" ", "_"), _POS[expression.lexcat], (label,), split)


def _expression(words: tuple[int, ...], lemma: str, lexcat: str, ss: str, ss2: str) -> _Expression:
    return _Expression(words, lemma, "V" if lexcat.startswith("V.") else lexcat, ss, ss2)


def _files(path: Path) -> list[Path]:
    """One file for each split, JSON before ``.conllulex``; without splits, whatever the folder holds."""
    best: dict[str, Path] = {}
    if path.is_dir():
        for folder in (path, path / "train", path / "dev", path / "test"):
            for file in sorted(folder.glob("*"), key=lambda file: (file.suffix != ".json", len(file.name))):
                if file.suffix in _SUFFIXES and (split := split_of(file.name)):
                    best.setdefault(split, file)
    ordered = [best[split] for split in ("train", "dev", "test") if split in best]
    return ordered or files_of(path, suffixes=_SUFFIXES, kind="STREUSLE corpus")


# -- JSON


def _parse_json(path: Path) -> Iterator[_Parsed]:
    for line, record in read_array(path):
        try:
            parsed = _parse_record(record)
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            name = record.get("sent_id")
            what = f"no {error}" if isinstance(error, KeyError) else str(error)
            raise MalformedInputError(path, line, f"the sentence {name!r} here: {what}") from error
        yield parsed


def _parse_record(record: dict[str, Any]) -> _Parsed:
    """Convert an object of the array; a built-in exception says what is wrong with it."""
    tokens = record["toks"]
    if [token["#"] for token in tokens] != list(range(1, len(tokens) + 1)):
        raise ValueError("expected toks with the numbers ('#') 1, 2, 3, ...")
    words = tuple(str(token["word"]) for token in tokens)
    expressions = []
    for entry in (*record["swes"].values(), *record.get("smwes", {}).values()):
        places = tuple(entry["toknums"])
        if not places or not all(isinstance(place, int) and 1 <= place <= len(words) for place in places):
            raise ValueError(f"toknums {list(places)}, expected numbers from 1 to {len(words)}")
        labels = (entry.get(key) or "" for key in ("lexlemma", "lexcat", "ss", "ss2"))
        expressions.append(_expression(places, *labels))
    return _Parsed(str(record["sent_id"]), words, sorted(expressions))


# -- CoNLL-U-Lex


def _parse_conllulex(path: Path) -> Iterator[_Parsed]:
    for block in read_blocks(path, columns=_COLUMNS):
        name = block.comments.get("sent_id")
        if not name:
            raise MalformedInputError(path, block.line, "a sentence without '# sent_id = NAME'")
        yield _Parsed(name, tuple(word[1] for word in block.words), _expressions(path, block))


def _expressions(path: Path, block: Block) -> list[_Expression]:
    """Single words and strong multiword expressions (``GROUP:POSITION``), annotated on their first word."""
    groups: dict[str, list[int]] = {}
    for number, columns in enumerate(block.words, 1):
        group, _, position = columns[_SMWE].partition(":")
        members = groups.setdefault(str(number) if group == "_" else f"{group}:", [])
        members.append(number)
        if group != "_" and position != str(len(members)):
            message = f"strong expression {columns[_SMWE]!r} in column 11, expected '{group}:{len(members)}'"
            raise MalformedInputError(path, block.lines[number - 1], message)
    expressions = []
    for members in groups.values():
        annotation = (block.words[members[0] - 1][i] for i in (_LEXLEMMA, _LEXCAT, _SS, _SS2))
        labels = ("" if value == "_" else value for value in annotation)
        expressions.append(_expression(tuple(members), *labels))
    return expressions
