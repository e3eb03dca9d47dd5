"""Turning the database files into four Arrow tables with every reference resolved to a row.

``senses``      a sense key; sorted by lemma, part of speech (n v a r), sense number
``lemmas``      a lemma, sorted; the bounds of its senses per part of speech
``synsets``     a synset, in the order of data.noun, data.verb, data.adj, data.adv
``exceptions``  an irregular form and its base forms
"""

from __future__ import annotations

import gc
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pyarrow as pa

from uncommonsense.errors import MalformedInputError
from uncommonsense.inventories.protocol import fold_lemma
from uncommonsense.inventories.wordnet.files import (
    Pointer,
    SenseLine,
    SynsetLine,
    read_exceptions,
    read_index,
    read_senses,
    read_synsets,
)
from uncommonsense.inventories.wordnet.names import FILES

__all__ = ["compile_tables"]

_POINTER = pa.struct(
    [
        ("relation", pa.uint8()),
        ("target", pa.int32()),
        ("source_sense", pa.int32()),
        ("target_sense", pa.int32()),
    ]
)
_FRAME = pa.struct([("frame", pa.uint8()), ("sense", pa.int32())])

Place = tuple[str, int]
"""A part of speech and an offset: what the files call a synset."""


def compile_tables(files: dict[str, Path]) -> dict[str, pa.Table]:
    """The four tables from the files that ``find_files`` gave."""
    with _without_collection():
        return _compile(files)


@contextmanager
def _without_collection() -> Iterator[None]:
    """No garbage collection: among millions of live tuples it takes a third of the time and finds nothing."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def _compile(files: dict[str, Path]) -> dict[str, pa.Table]:
    numbered = sorted(_number_senses(files))
    synsets = [(pos, line) for pos, part in FILES.items() for line in read_synsets(files[f"data.{part}"])]
    rows = {(pos, line.offset): row for row, (pos, line) in enumerate(synsets)}
    by_word = {(pos, line.offset, line.lemma): row for row, (_, _, _, pos, line) in enumerate(numbered)}
    words = [_sense_rows(files, pos, line, by_word) for pos, line in synsets]
    lemmas, lemma_of = _lemma_table(numbered)
    return {
        "senses": _sense_table(numbered, lemma_of, synsets, words, rows, files),
        "lemmas": lemmas,
        "synsets": _synset_table(synsets, words, rows, files),
        "exceptions": _exception_table(files),
    }


Numbered = tuple[str, int, int, str, SenseLine]
"""(lemma, part of speech as a number, sense number, part of speech, line): the sort key of ``senses``."""


def _number_senses(files: dict[str, Path]) -> Iterator[Numbered]:
    """Every line of ``index.sense`` with the sense number that the index of its part of speech implies."""
    numbers: dict[tuple[str, str], dict[int, int]] = {}
    for pos, part in FILES.items():
        for lemma, offsets in read_index(files[f"index.{part}"]):
            numbers[pos, lemma] = {offset: number for number, offset in enumerate(offsets, start=1)}
    for line in read_senses(files["index.sense"]):
        number = numbers.get((line.pos, line.lemma), {}).get(line.offset)
        if number is None:
            raise MalformedInputError(
                files["index.sense"],
                line.line,
                f"{line.key} has the offset {line.offset:08d}, not listed in index.{FILES[line.pos]} for "
                f"{line.lemma!r}; the two files come from different builds: take all files from one",
            )
        yield line.lemma, "nvar".index(line.pos), number, line.pos, line


def _sense_rows(
    files: dict[str, Path], pos: str, line: SynsetLine, by_word: dict[tuple[str, int, str], int]
) -> list[int]:
    """The sense row of each word of a synset; spellings that differ in case share one."""
    try:
        return [by_word[pos, line.offset, fold_lemma(word)] for word in line.words]
    except KeyError as error:
        raise MalformedInputError(
            files[f"data.{FILES[pos]}"],
            None,
            f"synset {line.offset:08d}: index.sense has no sense for the word {error.args[0][2]!r}",
        ) from error


def _lemma_table(numbered: list[Numbered]) -> tuple[pa.Table, np.ndarray]:
    """The table of lemmas, and the lemma's row for each sense."""
    rows: dict[str, int] = {}
    lemma_of = np.array([rows.setdefault(lemma, len(rows)) for lemma, *_ in numbered], dtype=np.int32)
    parts = np.array([part for _, part, *_ in numbered], dtype=np.int32)
    ends = np.cumsum(np.bincount(4 * lemma_of + parts, minlength=4 * len(rows)), dtype=np.int32)
    bounds = np.lib.stride_tricks.sliding_window_view(np.concatenate([[np.int32(0)], ends]), 5)[::4]
    lists = pa.FixedSizeListArray.from_arrays(pa.array(bounds.ravel()), 5)
    return pa.table({"lemma": pa.array(list(rows), pa.string()), "bounds": lists}), lemma_of


def _sense_table(
    numbered: list[Numbered],
    lemma_of: np.ndarray,
    synsets: list[tuple[str, SynsetLine]],
    words: list[list[int]],
    rows: dict[Place, int],
    files: dict[str, Path],
) -> pa.Table:
    marker_of = np.zeros(len(numbered), dtype=np.uint8)
    for (_, line), senses in zip(synsets, words, strict=True):
        marker_of[senses] = line.markers
    try:
        synset_of = [rows[pos, line.offset] for _, _, _, pos, line in numbered]
    except KeyError as error:
        pos, offset = error.args[0]
        message = f"no synset at offset {offset:08d}, which index.sense points to"
        raise MalformedInputError(files[f"data.{FILES[pos]}"], None, message) from error
    return pa.table(
        {
            "key": pa.array([line.key for *_, line in numbered], pa.string()),
            "lemma": lemma_of,
            "synset": pa.array(synset_of, pa.int32()),
            "number": pa.array([number for _, _, number, _, _ in numbered], pa.int16()),
            "count": pa.array([line.tag_count for *_, line in numbered], pa.int32()),
            "marker": marker_of,
        }
    )


def _synset_table(
    synsets: list[tuple[str, SynsetLine]],
    words: list[list[int]],
    rows: dict[Place, int],
    files: dict[str, Path],
) -> pa.Table:
    lines = [line for _, line in synsets]
    frames = [
        [(frame, senses[word - 1] if word else -1) for frame, word in line.frames]
        for line, senses in zip(lines, words, strict=True)
    ]
    return pa.table(
        {
            "offset": pa.array([line.offset for line in lines], pa.int32()),
            "pos": pa.array([line.pos for line in lines], pa.uint8()),
            "lexfile": pa.array([line.lexfile for line in lines], pa.uint8()),
            "words": pa.array([line.words for line in lines], pa.list_(pa.string())),
            "senses": pa.array(words, pa.list_(pa.int32())),
            "gloss": pa.array([line.gloss for line in lines], pa.string()),
            "examples": pa.array([line.examples for line in lines], pa.list_(pa.string())),
            "pointers": _pointer_lists(synsets, words, rows, files),
            "frames": _lists_of_structs(frames, _FRAME),
        }
    )


def _pointer_lists(
    synsets: list[tuple[str, SynsetLine]],
    words: list[list[int]],
    rows: dict[Place, int],
    files: dict[str, Path],
) -> pa.ListArray:
    lists = []
    for (pos, line), senses in zip(synsets, words, strict=True):
        try:
            lists.append([_resolve(pointer, senses, words, rows) for pointer in line.pointers])
        except (KeyError, IndexError) as error:
            message = f"synset {line.offset:08d} points to a synset or word that does not exist: {error}"
            raise MalformedInputError(files[f"data.{FILES[pos]}"], None, message) from error
    return _lists_of_structs(lists, _POINTER)


def _resolve(
    pointer: Pointer, senses: list[int], words: list[list[int]], rows: dict[Place, int]
) -> tuple[int, int, int, int]:
    """(relation, target synset, source sense or -1, target sense or -1)."""
    relation, place, source_word, target_word = pointer
    target = rows[place]
    if not source_word:
        return relation, target, -1, -1
    return relation, target, senses[source_word - 1], words[target][target_word - 1]


def _lists_of_structs(lists: Sequence[Sequence[tuple[int, ...]]], struct: pa.StructType) -> pa.ListArray:
    """A list array from columns: far quicker than from dictionaries, a row each."""
    offsets = np.concatenate([[0], np.cumsum([len(each) for each in lists])]).astype(np.int32)
    flat = np.array([item for each in lists for item in each], dtype=np.int64).reshape(-1, struct.num_fields)
    columns = [pa.array(flat[:, i].astype(field.type.to_pandas_dtype())) for i, field in enumerate(struct)]
    values = pa.StructArray.from_arrays(columns, fields=list(struct))
    return pa.ListArray.from_arrays(pa.array(offsets), values)


def _exception_table(files: dict[str, Path]) -> pa.Table:
    lines = [
        (pos, form, bases)
        for pos, part in FILES.items()
        if f"{part}.exc" in files
        for form, bases in read_exceptions(files[f"{part}.exc"])
    ]
    columns = list(zip(*lines, strict=True)) or [(), (), ()]
    types = (pa.string(), pa.string(), pa.list_(pa.string()))
    arrays = [pa.array(list(column), kind) for column, kind in zip(columns, types, strict=True)]
    return pa.table(arrays, names=["pos", "form", "bases"])
