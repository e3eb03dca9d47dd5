"""JSON in files: the value of a line, and the objects of an array one at a time."""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

from uncommonsense.corpora.textfile import open_bytes
from uncommonsense.errors import MalformedInputError

__all__ = ["parse_line", "read_array"]

_CHUNK = 1 << 16
_LARGEST = 1 << 24
"""In characters: an object that has not ended by then is broken."""
_BLANKS = " \t\r\n"
_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")


def parse_line(path: Path, line: int, text: str) -> Any:
    """The JSON value that is the text of a line."""
    try:
        value = json.loads(text)
        if _SURROGATE.search(text):
            _check_characters(value)
    except (ValueError, RecursionError) as error:
        raise MalformedInputError(path, line, _reason(error)) from error
    return value


def read_array(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the objects of a file that holds a JSON array, with the lines on which they begin."""
    with open_bytes(path) as file:
        buffer = _Buffer(path, file)
        buffer.expect("[")
        if buffer.peek() == "]":
            buffer.expect("]")
        else:
            yield buffer.line_and_object()
            while buffer.peek() == ",":
                buffer.expect(",")
                yield buffer.line_and_object()
            buffer.expect("]")
        if buffer.peek():
            raise buffer.error("more text behind the array")


def _check_characters(value: Any) -> None:
    """Refuse half of a surrogate pair: JSON can spell it, but it is no character."""
    json.dumps(value, ensure_ascii=False).encode()


def _reason(error: ValueError | RecursionError) -> str:
    if isinstance(error, json.JSONDecodeError):
        return f"not JSON: {error.msg} at column {error.colno}"
    if isinstance(error, UnicodeEncodeError):
        return f"\\u{ord(error.object[error.start]):04x} is half of a surrogate pair, not a character"
    if isinstance(error, RecursionError):
        return "the JSON is nested too deeply"
    return f"a number in the JSON is too long: {error}"


class _Buffer:
    """The part of a file that is being decoded."""

    def __init__(self, path: Path, file: IO[bytes]) -> None:
        self.path = path
        self.file = file
        self.text = ""
        self.place = 0
        self.line = 1
        """The line of ``place``."""
        self.to_text = codecs.getincrementaldecoder("utf-8-sig")().decode
        self.to_value = json.JSONDecoder().raw_decode

    def error(self, message: str) -> MalformedInputError:
        return MalformedInputError(self.path, self.line, message)

    def fill(self, size: int) -> bool:
        """Drop what has been read and append up to ``size`` bytes of text; False at the end of the file."""
        self.text, self.place = self.text[self.place :], 0
        data = self.file.read(size)
        try:
            self.text += self.to_text(data, not data)
        except UnicodeDecodeError as error:
            line = self.line + self.text.count("\n") + error.object.count(b"\n", 0, error.start)
            message = f"byte 0x{error.object[error.start]:02x} is not UTF-8; convert the file"
            raise MalformedInputError(self.path, line, message) from error
        return bool(data)

    def advance(self, place: int) -> None:
        self.line += self.text.count("\n", self.place, place)
        self.place = place

    def peek(self) -> str:
        """The next character that is no blank; empty at the end of the file."""
        while True:
            place = self.place
            while place < len(self.text) and self.text[place] in _BLANKS:
                place += 1
            self.advance(place)
            if place < len(self.text):
                return self.text[place]
            if not self.fill(_CHUNK):
                return ""

    def expect(self, sign: str) -> None:
        found = self.peek()
        if found != sign:
            raise self.error(f"expected {sign!r}, found {found or 'the end of the file'!r}; is it complete?")
        self.advance(self.place + 1)

    def line_and_object(self) -> tuple[int, dict[str, Any]]:
        """Decode the object that begins here, reading on until it is complete."""
        if self.peek() != "{":
            self.expect("{")
        line = self.line
        while True:
            try:
                value, end = self.to_value(self.text, self.place)
                if _SURROGATE.search(self.text, self.place, end):
                    _check_characters(value)
            except json.JSONDecodeError as error:
                size, offset = len(self.text) - self.place, error.pos - self.place
                if size > _LARGEST or not self.fill(max(size, _CHUNK)):
                    self.advance(self.place + offset)
                    raise self.error(f"not JSON: {error.msg}; is the file complete?") from error
            except (ValueError, RecursionError) as error:
                raise self.error(_reason(error)) from error
            else:
                self.advance(end)
                return line, value
