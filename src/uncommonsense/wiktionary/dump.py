"""Pages of a MediaWiki XML dump, as a stream.

Dumps are written by machines: a page is ``<page>`` to ``</page>``, and all markup in its text is escaped.
So pages are found by searching bytes, not by parsing XML, and nothing in a dump can refer to another file.
A damaged dump gives the pages that can be read; what could not be is counted in :class:`Findings`.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from uncommonsense.errors import MalformedInputError
from uncommonsense.wiktionary.pieces import Told, read_pieces, storage_of
from uncommonsense.wiktionary.scan import Findings, Flaw, RawPage, find_pages

__all__ = ["DumpInfo", "Page", "Selection", "dump_info", "read_pages", "read_part", "section_pattern"]

_HEAD_SIZE = 1 << 16
"""Bytes in which ``<mediawiki`` and the description of the site are looked for."""


class Page(NamedTuple):
    """A page with its latest text; ``offset`` is its byte place, or that of the bzip2 block it begins in."""

    title: str
    namespace: int
    text: str
    redirect: bool
    offset: int


class DumpInfo(NamedTuple):
    """What a dump says of itself; ``date`` is ``YYYY-MM-DD``; what is unknown is empty.

    ``prefixes`` are the namespaces by the prefix of their titles (``Template`` is 10).
    """

    site: str
    dbname: str
    generator: str
    date: str
    prefixes: Mapping[str, int]

    @property
    def edition(self) -> str:
        """The language code of the edition: ``en`` of ``enwiktionary``."""
        return re.sub(r"wik\w*$", "", self.dbname)


class Selection(NamedTuple):
    """The pages wanted: those of some namespaces, whose text (still escaped) matches a pattern."""

    namespaces: frozenset[int] | None = None
    containing: re.Pattern[bytes] | None = None
    prefixes: Mapping[str, int] = {}


def section_pattern(language: str) -> re.Pattern[bytes]:
    """The pattern of texts that may have a section on a language (``==English==``), for ``containing``."""
    return re.compile(rb"==[ \t]*" + re.escape(language.encode()) + rb"[ \t]*==")


def dump_info(path: Path, *, findings: Findings | None = None) -> DumpInfo:
    """What a dump says of itself; the date is that of its name, or of the latest revision in ``findings``."""
    head = _read_head(path)
    site, dbname, generator, base = (
        _element(head, name) for name in ("sitename", "dbname", "generator", "base")
    )
    host = re.match(r"https?://(\w+)\.(\w+)\.", base)
    named = re.search(r"(?<!\d)(\d{4})(\d\d)(\d\d)(?!\d)", path.name)
    date = "-".join(named.groups()) if named else findings.latest[:10] if findings else ""
    prefixes = re.findall(r'<namespace key="(-?\d+)"[^/>]*>([^<]+)<', head)
    return DumpInfo(
        site=site,
        dbname=dbname or (host[1] + host[2] if host else ""),
        generator=generator,
        date=date,
        prefixes={_unescape(prefix): int(key) for key, prefix in prefixes},
    )


def read_pages(
    path: Path,
    *,
    namespaces: Collection[int] | None = None,
    containing: re.Pattern[bytes] | None = None,
    on_bytes: Told | None = None,
    findings: Findings | None = None,
) -> Iterator[Page]:
    """Every page of a dump, or those of some namespaces whose text matches a pattern.

    ``on_bytes`` is told the bytes of the file consumed so far; ``findings`` is filled while reading.
    """
    selection = select(path, namespaces, containing)
    yield from read_part(
        path, 0, None, selection, Findings() if findings is None else findings, on_bytes=on_bytes
    )


def select(path: Path, namespaces: Collection[int] | None, containing: re.Pattern[bytes] | None) -> Selection:
    """What to select from a dump, after a look at whether it is one."""
    chosen = None if namespaces is None else frozenset(namespaces)
    return Selection(chosen, containing, dump_info(path).prefixes)


def read_part(
    path: Path,
    start: int,
    end: int | None,
    selection: Selection,
    findings: Findings,
    *,
    on_bytes: Told | None = None,
) -> Iterator[Page]:
    """The selected pages that begin in bytes ``[start, end)``."""
    pieces = read_pieces(path, start, on_bytes=on_bytes)
    for raw in find_pages(pieces, end, exact=storage_of(path).exact, findings=findings):
        findings.pages += 1
        page = _parse(raw, selection, findings)
        if page is not None:
            findings.selected += 1
            yield page


def _read_head(path: Path) -> str:
    """The beginning of the dump, to the first page."""
    head = b""
    for piece in read_pieces(path):
        head += piece.text or b""
        if len(head) >= _HEAD_SIZE or b"<page>" in head:
            break
    head = head[:_HEAD_SIZE]
    if b"<mediawiki" not in head:
        found = f"begins with {head[:40]!r}" if head else "nothing in it can be read"
        raise MalformedInputError(
            path,
            1,
            f"not a MediaWiki dump: {found}; expected <mediawiki ...>, as in *-pages-articles.xml.bz2",
        )
    return head.partition(b"<page>")[0].decode(errors="replace")


def _element(head: str, name: str) -> str:
    found = re.search(rf"<{name}>([^<]*)</{name}>", head)
    return _unescape(found[1]) if found else ""


_TITLE = re.compile(rb"<title>([^<]*)</title>")
_NAMESPACE = re.compile(rb"<ns>(-?\d{1,9})</ns>")
_TIMESTAMP = re.compile(rb"<timestamp>(\d{4}-\d\d-\d\dT[\d:]{8}Z)</timestamp>")
_TEXT = re.compile(rb"<text\b[^<>]*>")


def _parse(raw: RawPage, selection: Selection, findings: Findings) -> Page | None:
    """The page with the text of its last revision, or ``None`` if it is not wanted or not complete."""
    xml = raw.xml
    revision = max(xml.rfind(b"<revision>"), 0)
    title, opening = _TITLE.search(xml), _TEXT.search(xml, revision)
    start, end = _text_span(xml, opening) if opening else (0, -1)
    if title is None or opening is None or end < 0:
        findings.warn(Flaw.INCOMPLETE, raw.offset)
        return None
    if timestamp := _TIMESTAMP.search(xml, revision, start):
        findings.latest = max(findings.latest, timestamp[1].decode())
    namespace = _namespace(xml[title.end() : start], title[1], selection.prefixes)
    if selection.namespaces is not None and namespace not in selection.namespaces:
        return None
    if selection.containing is not None and not selection.containing.search(xml, start, end):
        return None
    redirect = xml.find(b"<redirect", title.end(), start) >= 0
    try:
        return Page(_plain(title[1]), namespace, _plain(xml[start:end]), redirect, raw.offset)
    except UnicodeDecodeError:
        findings.warn(Flaw.NOT_UTF8, raw.offset)
    name, text = (_plain(each, errors="replace") for each in (title[1], xml[start:end]))
    return Page(name, namespace, text, redirect, raw.offset)


def _text_span(xml: bytes, opening: re.Match[bytes]) -> tuple[int, int]:
    """Where the text lies; its end is negative if it has none."""
    start = opening.end()
    return start, start if opening[0].endswith(b"/>") else xml.find(b"</text>", start)


def _namespace(head: bytes, title: bytes, prefixes: Mapping[str, int]) -> int:
    """The page's number of its namespace, or that of its title's prefix: dumps before 2012 have no number."""
    if number := _NAMESPACE.search(head):
        return int(number[1])
    prefix, colon, _ = title.partition(b":")
    return prefixes.get(prefix.decode(errors="replace"), 0) if colon else 0


_ENTITIES = {"lt": "<", "gt": ">", "quot": '"', "apos": "'", "amp": "&"}
_REFERENCE = re.compile(r"&(lt|gt|quot|apos|amp|#\d{1,7}|#x[0-9a-fA-F]{1,6});")


def _plain(escaped: bytes, *, errors: str = "strict") -> str:
    text = escaped.decode(errors=errors)
    if "\r" in text:  # as XML says
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    return _unescape(text) if "&" in text else text


def _unescape(text: str) -> str:
    """Undo XML's entities and numbered characters, each once."""
    if "&#" in text:
        return _REFERENCE.sub(_character, text)
    for name, character in _ENTITIES.items():  # & comes last, so that &amp;lt; becomes &lt;
        text = text.replace(f"&{name};", character)
    return text


def _character(reference: re.Match[str]) -> str:
    name = reference[1]
    if not name.startswith("#"):
        return _ENTITIES[name]
    code = int(name[2:], 16) if name[1] == "x" else int(name[1:])
    legal = 0 < code < 0xD800 or 0xE000 <= code <= 0x10FFFF
    return chr(code) if legal else reference[0]
