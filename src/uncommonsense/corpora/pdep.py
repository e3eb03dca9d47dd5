"""The corpora of the Pattern Dictionary of English Prepositions: one annotated preposition per sentence.

Two forms are read:

- CoNLL-U, with the comment ``# prep_id = N`` (the target is word N, from 1), the preposition as the target's
  lemma and ``Sense=`` in its last column;
- the table ``prepcorp`` of PDEP's database, as an SQLite file or an SQL dump. Its ``preploc`` counts
  characters. Where the preposition does not stand at that place, the row is left out.

A sense is ``about.p.1(1)``; a row tagged with several (``1(1) 2(1a)``) has all of them. The tags ``unk``,
``x``, ``pv``, ``adverb``, ``1(!)`` and an empty one say that there is no sense: such rows are left out.

The corpora have no split of their own. A file named for one (``pdep_train.conllu``) is that split;
otherwise a hash of the seed, the sentence and the place of the target puts it in ``train`` or ``test``.
So the split depends neither on the order of the rows nor on which others there are.
"""

from __future__ import annotations

import logging
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from hashlib import blake2b
from pathlib import Path

from uncommonsense.corpora.choices import pick
from uncommonsense.corpora.conllu_blocks import Block, read_blocks
from uncommonsense.corpora.folders import files_of, split_of
from uncommonsense.corpora.sqldump import Row, read_table
from uncommonsense.corpora.tokenize import tokenize
from uncommonsense.errors import MalformedInputError, UserError
from uncommonsense.inventories.prepositions import preposition_sense_id
from uncommonsense.schema import Instance, Sentence

__all__ = ["PREPOSITIONS", "read"]

_COMMON = """
about above across after against among around as at before behind below beneath beside besides between
beyond circa despite during except for from in including inside into near of off on onto over per since
than through to toward towards under until unto up upon via with without
"""
PREPOSITIONS = frozenset(_COMMON.split())
"""The 48 common prepositions of a single word."""

_NO_SENSE = frozenset(("unk", "x", "pv", "adverb", "1(!)", "_"))
_TABLE = "prepcorp"
_COLUMNS = ("prep", "source", "inst", "sense", "preploc", "sentence")
_SQLITE = b"SQLite format 3\0"
_MISC = 9

_log = logging.getLogger(__name__)

Tokenizer = Callable[[str], list[str]]
Rows = Iterator[tuple[int | None, Row]]
"""Rows of the table, with their lines in a dump."""


def read(
    path: Path, *, prepositions: str = "common", tokens: str = "blanks", test: str = "0.2", seed: str = "0"
) -> Iterator[Sentence]:
    """Read a ``.conllu`` file, a database, an SQL dump, or a folder of ``.conllu`` files.

    ``prepositions``: ``common``, the 48 of ``PREPOSITIONS``, or ``all``. ``tokens`` of a database's
    sentences: split at ``blanks`` (its text is tokenised for the most part), or into ``words``. ``test`` is
    the share of the hashed test split; with 0 the split stays empty.
    """
    common = pick("prepositions", prepositions, ("common", "all")) == "common"
    split_text = _TOKENIZERS[pick("tokens", tokens, _TOKENIZERS)]
    share = _share(test)
    for file in files_of(path, suffixes=(".conllu",), kind="PDEP corpus in CoNLL-U"):
        named = split_of(file.stem)
        for sentence in _read_file(file, split_text):
            target = sentence.instances[0]
            if target.senses and not (common and target.lemma not in PREPOSITIONS):
                split = named or _hashed_split(sentence, seed, share)
                yield sentence._replace(instances=(target._replace(split=split),))


def _read_file(path: Path, split_text: Tokenizer) -> Iterator[Sentence]:
    """Sentences with one instance each, whatever its preposition and tag."""
    if ".sql" in path.suffixes:
        return _read_rows(path, _read_dump(path), split_text)
    with path.open("rb") as file:
        is_sqlite = file.read(len(_SQLITE)) == _SQLITE
    return _read_rows(path, _read_sqlite(path), split_text) if is_sqlite else _read_conllu(path)


def _share(test: str) -> float:
    try:
        share = float(test)
    except ValueError:
        share = -1.0
    if not 0 <= share < 1:
        raise UserError(f"option test={test}: expected the share of the test split, from 0 to below 1")
    return share


def _hashed_split(sentence: Sentence, seed: str, share: float) -> str:
    if not share:
        return ""
    key = "\0".join((seed, str(sentence.instances[0].start), *sentence.tokens))
    digest = blake2b(key.encode(), digest_size=8).digest()
    return "test" if int.from_bytes(digest) < share * 2**64 else "train"


def _senses(lemma: str, tag: str) -> tuple[str, ...]:
    """The ids of the senses in a tag, in which blanks separate them."""
    return tuple(preposition_sense_id(lemma, sense) for sense in tag.split() if sense not in _NO_SENSE)


# -- CoNLL-U


def _read_conllu(path: Path) -> Iterator[Sentence]:
    for index, block in enumerate(read_blocks(path, columns=10), 1):
        place = _target(path, block)
        columns = block.words[place]
        lemma = (columns[1] if columns[2] == "_" else columns[2]).lower()
        name = f"{path.name.partition('.')[0]}:{index}"
        target = Instance(name, place, place + 1, lemma, "p", _senses(lemma, _tag(path, block, place)))
        words = tuple(word[1] for word in block.words)
        yield Sentence(name, words, block.comments.get("source", ""), (target,))


def _tag(path: Path, block: Block, place: int) -> str:
    """The value of ``Sense=``, which only the target has; empty without one."""
    for other, columns in enumerate(block.words):
        for item in columns[_MISC].split("|"):
            if item.startswith("Sense="):
                if other != place:
                    message = f"a Sense= on word {other + 1}, although prep_id = {place + 1}"
                    raise MalformedInputError(path, block.lines[other], message)
                return item.removeprefix("Sense=")
    return ""


def _target(path: Path, block: Block) -> int:
    """The place of the target, from 0."""
    number = block.comments.get("prep_id")
    if number is None:
        raise MalformedInputError(
            path, block.line, "a sentence without '# prep_id = N', the number of its target"
        )
    if not number.isdecimal() or not 1 <= int(number) <= len(block.words):
        message = f"prep_id = {number}, expected the number of a word, 1 to {len(block.words)}"
        raise MalformedInputError(path, block.line, message)
    return int(number) - 1


# -- database


def _blanks(text: str) -> list[str]:
    return text.split()


def _words(text: str) -> list[str]:
    return [token for token, _, _ in tokenize(text)]


_TOKENIZERS = {"blanks": _blanks, "words": _words}


def _read_rows(path: Path, rows: Rows, split_text: Tokenizer) -> Iterator[Sentence]:
    misplaced = 0
    for line, row in rows:
        sentence = _parse_row(path, line, row, split_text)
        if sentence:
            yield sentence
        misplaced += not sentence
    _log.info("%s: %d rows left out, whose preposition is not at preploc", path, misplaced)


def _read_dump(path: Path) -> Rows:
    for line, row in read_table(path, _TABLE):
        if missing := [column for column in _COLUMNS if column not in row]:
            raise MalformedInputError(path, line, f"table {_TABLE} lacks the columns {', '.join(missing)}")
        yield line, row


def _read_sqlite(path: Path) -> Rows:
    """The rows of the table in an SQLite file, which is opened for reading only."""
    try:
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as connection:
            for values in connection.execute(f"SELECT {', '.join(_COLUMNS)} FROM {_TABLE} ORDER BY rowid"):
                texts = (None if value is None else str(value) for value in values)
                yield None, dict(zip(_COLUMNS, texts, strict=True))
    except sqlite3.Error as error:
        message = f"{error}; expected a table {_TABLE} ({', '.join(_COLUMNS)})"
        raise MalformedInputError(path, None, message) from error


def _parse_row(path: Path, line: int | None, row: Row, split_text: Tokenizer) -> Sentence | None:
    """The sentence of a row, or None if its preposition is not where the row says."""
    prep, source, number, tag, location, text = (row[column] or "" for column in _COLUMNS)
    if not prep or not location.removeprefix("-").isdecimal():
        message = f"prep {prep!r} at preploc {location!r}: expected a word and a number of characters"
        raise MalformedInputError(path, line, message)
    start = int(location) + (text[int(location) : int(location) + 1] == " ")
    end = start + len(prep)
    around = text[max(start - 1, 0) : start] + text[end : end + 1]
    if start < 0 or text[start:end].lower() != prep.lower() or any(map(str.isalnum, around)):
        return None
    before, target = split_text(text[:start]), text[start:end].split()
    lemma = prep.lower().replace(" ", "_")
    name = f"{lemma}.p.{source.lower()}.{number}@{location}"
    stop = len(before) + len(target)
    instance = Instance(name, len(before), stop, lemma, "p", _senses(lemma, tag))
    return Sentence(name, (*before, *target, *split_text(text[end:])), source, (instance,))
