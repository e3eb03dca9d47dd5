"""What annotators answer: a file of JSON lines for each of them.

The header has the sheet's fingerprint and the annotator; a line is ``{item, sense, seconds, time}``, with a
null ``sense`` if the item was skipped. Lines are only ever appended. A change of mind is another line, with
``"again": true``, and the last one counts; a second line without it is a mistake of whoever edited the file.
"""

from __future__ import annotations

import json
import os
import re
from datetime import UTC, datetime
from math import isnan
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

from uncommonsense.errors import MalformedInputError, UserError
from uncommonsense.fews.human_sheet import Sheet, json_lines, take

__all__ = ["Answer", "Answers", "answer_file", "open_answers", "read_answers", "record"]

_NAME = re.compile(r"\w(?:[\w-]*\w)?")


class Answer(NamedTuple):
    """One annotator's choice; ``sense`` is None for a skipped item, ``seconds`` is how long it took."""

    item: int
    sense: str | None
    seconds: float
    time: str
    """When it was given: ISO 8601, UTC."""


class Answers(NamedTuple):
    """The last answer of an annotator to each item, by number."""

    annotator: str
    by_item: dict[int, Answer]

    def sense(self, item: int) -> str | None:
        """The sense chosen for an item; None if it was skipped or not reached."""
        return self.by_item[item].sense if item in self.by_item else None

    @property
    def answered(self) -> list[int]:
        """The items that have a sense."""
        return [item for item, each in self.by_item.items() if each.sense is not None]

    @property
    def skipped(self) -> list[int]:
        """The items that were skipped."""
        return [item for item, each in self.by_item.items() if each.sense is None]

    @property
    def median_seconds(self) -> float:
        """How long an answer takes; NaN if no time is known."""
        times = [each.seconds for each in self.by_item.values() if not isnan(each.seconds)]
        return median(times) if times else float("nan")

    def remaining(self, sheet: Sheet) -> list[int]:
        """The items that are still to be asked: those not reached, then those skipped."""
        return [each.item for each in sheet.items if each.item not in self.by_item] + self.skipped


def answer_file(sheet: Path, annotator: str) -> Path:
    """Where the answers of an annotator are kept if nothing else is said: beside the sheet."""
    return sheet.with_name(f"{sheet.stem}.{_checked_name(annotator)}.jsonl")


def record(
    path: Path,
    sheet: Sheet,
    item: int,
    sense: str | None,
    *,
    annotator: str,
    seconds: float,
    time: datetime | None = None,
) -> Answer:
    """Append an answer to an annotator's file, which is made if it is not there, and bring it to the disk."""
    if sense is not None and sense not in sheet[item].senses:
        raise UserError(f"{sense!r} is no candidate of item {item}: {', '.join(sheet[item].senses)}")
    known = open_answers(path, sheet, annotator=annotator).by_item
    moment = (time or datetime.now(UTC)).astimezone(UTC).isoformat(timespec="seconds")
    answer = Answer(sheet[item].item, sense, round(seconds, 1), moment)
    rows: list[dict[str, Any]] = [answer._asdict() | ({"again": True} if item in known else {})]
    if not _has_content(path):
        rows.insert(0, {"answers": sheet.fingerprint, "annotator": annotator})
    _append(path, "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows))
    return answer


def open_answers(path: Path, sheet: Sheet, *, annotator: str) -> Answers:
    """The answers of an annotator so far: none if the file is not there yet."""
    if not _has_content(path):
        return Answers(_checked_name(annotator), {})
    return read_answers(path, sheet, annotator=annotator)


def read_answers(path: Path, sheet: Sheet, *, annotator: str | None = None) -> Answers:
    """Read the answers to ``sheet``; with ``annotator``, they must be that person's."""
    rows = json_lines(path)
    line, header = next(rows, (1, {}))
    if "answers" not in header:
        raise MalformedInputError(path, line, "expected a header with 'answers'; is this a file of answers?")
    if header["answers"] != sheet.fingerprint:
        message = f"answers to another sheet: {header['answers']!r}, expected {sheet.fingerprint!r}"
        raise MalformedInputError(path, line, message)
    name = take(path, line, header, "annotator", str)
    if annotator not in (None, name):
        raise MalformedInputError(path, line, f"the answers of {name!r}, not of {annotator!r}")
    found: dict[int, tuple[int, Answer]] = {}
    for line, row in rows:
        answer = _answer(path, line, row, sheet)
        if answer.item in found and row.get("again") is not True:
            first = found[answer.item][0]
            message = f"a second answer to item {answer.item}, the first is on line {first}"
            raise MalformedInputError(path, line, f'{message}; delete one, or add "again": true to this one')
        found[answer.item] = (line, answer)
    return Answers(name, {item: answer for item, (_, answer) in sorted(found.items())})


def _answer(path: Path, line: int, row: dict[str, Any], sheet: Sheet) -> Answer:
    item = take(path, line, row, "item", int)
    if not 1 <= item <= len(sheet):
        raise MalformedInputError(path, line, f"no item {item}: the sheet has the items 1 to {len(sheet)}")
    sense = row.get("sense", "")
    if sense is not None and sense not in sheet[item].senses:
        expected = ", ".join(sheet[item].senses)
        raise MalformedInputError(
            path, line, f"unknown sense {sense!r} for item {item}, expected null or one of {expected}"
        )
    seconds = row.get("seconds")
    taken = float(seconds) if isinstance(seconds, int | float) else float("nan")
    return Answer(item, sense, taken, str(row.get("time", "")))


def _checked_name(annotator: str) -> str:
    if annotator.lower() == "gold" or not _NAME.fullmatch(annotator):
        raise UserError(
            f"{annotator!r} cannot name an annotator: use letters, digits, - and _, and not the word 'gold'"
        )
    return annotator


def _has_content(path: Path) -> bool:
    return path.is_file() and path.stat().st_size > 0


def _append(path: Path, lines: str) -> None:
    """Write whole lines with a single call, so that no reader and no power cut sees half of one."""
    if _has_content(path) and not path.read_bytes().endswith(b"\n"):
        lines = "\n" + lines
    path.parent.mkdir(parents=True, exist_ok=True)
    file = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o666)
    try:
        os.write(file, lines.encode())
        os.fsync(file)
    finally:
        os.close(file)
