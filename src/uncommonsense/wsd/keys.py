"""Answers on disk: official key files, Parquet and JSON lines.

A key file has a line ``instance key [key ...]`` per instance, as the WSD Evaluation Framework has them:
several keys of a gold file are all right, several keys of a system share the credit. Fields are separated by
white space; by tabs alone where a line has a tab and its keys are not WordNet's, so that sense ids may have
spaces in them. Empty lines and lines that begin with ``#`` are skipped; a line with an id alone is an
instance without keys.

Parquet and JSON lines have the columns of ``PREDICTION_SCHEMA``, a row per answer; ``score`` and ``system``
may be missing.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

from uncommonsense.corpora.spelling import pos_letter, pos_of_key
from uncommonsense.corpora.staging import staged
from uncommonsense.corpora.textfile import read_lines
from uncommonsense.errors import MalformedInputError, UserError
from uncommonsense.schema import Corpus, Instance, Sentence
from uncommonsense.wsd.predictions import Predictions

__all__ = ["Answers", "gold_corpus", "read_answers", "read_keys", "write_answers", "write_keys"]

_DAMAGED = (pa.ArrowInvalid, pa.ArrowNotImplementedError, OSError, EOFError)
_KEY_ENDINGS = (".gold.key.txt", ".key.txt", ".key", ".txt")


class Answers(NamedTuple):
    """What a system answers: one key or several for each instance."""

    system: str
    keys: dict[str, tuple[str, ...]]

    @classmethod
    def of(cls, predictions: Predictions) -> Answers:
        """The best sense of each instance that has an answer."""
        pairs = zip(predictions.instances.to_pylist(), predictions.answers(), strict=True)
        return cls(predictions.system, {each: (answer,) for each, answer in pairs if answer is not None})


# Key files


def read_keys(path: Path) -> dict[str, tuple[str, ...]]:
    """The keys of each instance of a key file, in its order; an instance that comes twice is an error."""
    keys: dict[str, tuple[str, ...]] = {}
    places: dict[str, int] = {}
    for line, text in read_lines(path):
        fields = text.strip().split("\t" if "\t" in text.strip() and "%" not in text else None)
        if not fields or text.startswith("#"):
            continue
        instance, *found = map(str.strip, fields)
        if instance in keys:
            first = f"{instance!r} was in line {places[instance]} already"
            raise MalformedInputError(path, line, f"{first}; put all keys of an instance in one line")
        keys[instance], places[instance] = tuple(dict.fromkeys(filter(None, found))), line
    return keys


def write_keys(keys: Mapping[str, Iterable[str]], path: Path) -> None:
    """Write a key file; instances without keys are left out."""
    with staged(path, overwrite=True) as temporary, temporary.open("w", encoding="utf-8") as stream:
        for instance, found in keys.items():
            if fields := list(found):
                separator = "\t" if any(" " in field for field in fields) else " "
                stream.write(separator.join([instance, *fields]) + "\n")


def gold_corpus(path: Path) -> Corpus:
    """The instances of a gold key file as a corpus without words.

    Lemma and part of speech are those of the first key: ``long%3:00:02::`` or FEWS' ``long.adj.2``.
    """
    name = next(
        (path.name.removesuffix(each) for each in _KEY_ENDINGS if path.name.endswith(each)), path.name
    )
    sentences: dict[str, list[Instance]] = {}
    for instance, senses in read_keys(path).items():
        lemma, pos = _lemma_and_pos(senses[0]) if senses else ("", "x")
        sentence = instance.rpartition(".")[0] or instance
        sentences.setdefault(sentence, []).append(Instance(instance, 0, 0, lemma, pos, senses))
    rows = (Sentence(each, (), name, tuple(instances)) for each, instances in sentences.items())
    return Corpus.from_sentences(rows, name=name)


def _lemma_and_pos(sense: str) -> tuple[str, str]:
    if pos := pos_of_key(sense):
        return sense.partition("%")[0], pos
    match sense.rsplit(".", 2):
        case [word, part, _] if letter := pos_letter(part):
            return word, letter
    return sense, "x"


# Answers of systems


def read_answers(path: Path) -> list[Answers]:
    """What the systems of a file answer: Parquet, JSON lines, or a key file, which is one system's."""
    if path.suffix == ".parquet":
        rows: Iterator[tuple[int, dict[str, Any]]] = enumerate(_parquet_rows(path), 1)
    elif ".jsonl" in path.suffixes:
        rows = _json_rows(path)
    else:
        return [Answers(_system_name(path), read_keys(path))]
    systems: dict[str, dict[str, tuple[str, ...]]] = {}
    for line, row in rows:
        instance, sense = row.get("instance"), row.get("sense")
        if not (isinstance(instance, str) and isinstance(sense, str)):
            raise MalformedInputError(path, line, "expected the instance and the sense of an answer, as text")
        keys = systems.setdefault(row.get("system") or _system_name(path), {})
        if sense in keys.get(instance, ()):
            raise MalformedInputError(path, line, f"{instance!r} has the answer {sense!r} twice")
        keys[instance] = (*keys.get(instance, ()), sense)
    return [Answers(system, keys) for system, keys in systems.items()]


def write_answers(predictions: Sequence[Predictions], path: Path) -> list[Path]:
    """Write answers as the name says: ``.parquet``, ``.jsonl``, a key file, or a folder of key files.

    Parquet and JSON lines hold any number of systems, a key file one.
    """
    if path.suffix in (".parquet", ".jsonl"):
        table = pa.concat_tables(each.table() for each in predictions)
        with staged(path, overwrite=True) as temporary:
            (pq.write_table if path.suffix == ".parquet" else _write_json)(table, temporary)
        return [path]
    if path.suffix in (".txt", ".key"):
        if len(predictions) > 1:
            raise UserError(f"{path}: a key file has the answers of one system; name a folder, or .parquet")
        write_keys(Answers.of(predictions[0]).keys, path)
        return [path]
    files = [path / f"{each.system}.key.txt" for each in predictions]
    for file, each in zip(files, predictions, strict=True):
        write_keys(Answers.of(each).keys, file)
    return files


def _system_name(path: Path) -> str:
    return next(
        (path.name.removesuffix(each) for each in _KEY_ENDINGS if path.name.endswith(each)), path.stem
    )


def _parquet_rows(path: Path) -> Iterator[dict[str, Any]]:
    try:
        table = pq.read_table(path)
    except FileNotFoundError as error:
        raise UserError(f"{path}: no such file") from error
    except _DAMAGED as error:
        raise MalformedInputError(path, None, f"not a readable Parquet file: {error}") from error
    if missing := {"instance", "sense"} - set(table.column_names):
        raise MalformedInputError(path, None, f"column {min(missing)!r} is missing: these are no answers")
    names = [name for name in ("instance", "sense", "system") if name in table.column_names]
    yield from table.select(names).to_pylist()


def _json_rows(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    for line, text in read_lines(path):
        if not text.strip():
            continue
        try:
            row = json.loads(text)
        except json.JSONDecodeError as error:
            raise MalformedInputError(path, line, f"not JSON: {error.msg} at column {error.colno}") from error
        if not isinstance(row, dict):
            raise MalformedInputError(
                path, line, 'expected an object such as {"instance": ..., "sense": ...}'
            )
        yield line, row


def _write_json(table: pa.Table, path: Path) -> None:
    with path.open("w", encoding="utf-8") as stream:
        stream.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in table.to_pylist())
