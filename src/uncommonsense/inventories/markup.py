"""XML as lexicographers leave it: stray ampersands are mended, line numbers kept, nothing else is read."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NoReturn
from xml.etree.ElementTree import Element, TreeBuilder
from xml.parsers import expat

from uncommonsense.errors import MalformedInputError

__all__ = ["line_of", "parse_markup", "text_of"]

_LINE = "{line}"
"""An attribute no document can have: where the element begins."""

_STRAY = re.compile(r"&(?!(?:amp|lt|gt|quot|apos|#\d+|#x[0-9A-Fa-f]+);)|<(?![A-Za-z/!?])")
_ESCAPES = {"&": "&amp;", "<": "&lt;"}


def parse_markup(path: Path) -> Element:
    """The root element of an XML file; a DTD it names is not read, entities it declares are refused.

    ``&`` and ``<`` that cannot begin markup, and entities that XML does not define, count as text.
    """
    builder = TreeBuilder()
    parser = expat.ParserCreate()

    def start(tag: str, attributes: dict[str, str]) -> None:
        builder.start(tag, {**attributes, _LINE: str(parser.CurrentLineNumber)})

    def refuse(*_: object) -> NoReturn:
        raise MalformedInputError(
            path, parser.CurrentLineNumber, "declares an entity, which is not supported"
        )

    parser.StartElementHandler = start
    parser.EndElementHandler = builder.end
    parser.CharacterDataHandler = builder.data
    parser.EntityDeclHandler = refuse
    try:
        parser.Parse(_STRAY.sub(lambda match: _ESCAPES[match[0]], _decode(path)), True)
    except expat.ExpatError as error:
        raise MalformedInputError(path, error.lineno, f"not XML: {expat.ErrorString(error.code)}") from error
    return builder.close()


def line_of(element: Element) -> int:
    """The line on which an element of ``parse_markup`` begins."""
    return int(element.attrib[_LINE])


def text_of(element: Element | None) -> str:
    """All text within an element, blanks collapsed; empty for None."""
    return "" if element is None else " ".join("".join(element.itertext()).split())


def _decode(path: Path) -> str:
    data = path.read_bytes()
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode("cp1252", errors="replace")
