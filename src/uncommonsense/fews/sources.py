"""Where entries come from: a dump of Wiktionary, or the JSON lines that wiktextract makes of one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator
from functools import partial
from itertools import chain, count, islice
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from uncommonsense.errors import MalformedInputError, UnknownNameError
from uncommonsense.fews.digest import Tally, pack
from uncommonsense.fews.numbering import Headword, number_senses
from uncommonsense.fews.selection import Rules
from uncommonsense.wiktionary.dump import Page, dump_info, section_pattern
from uncommonsense.wiktionary.editions import load_edition
from uncommonsense.wiktionary.kaikki import read_kaikki
from uncommonsense.wiktionary.page import read_page
from uncommonsense.wiktionary.pieces import read_pieces, storage_of
from uncommonsense.wiktionary.scan import Findings
from uncommonsense.wiktionary.workers import map_pages

__all__ = ["END", "KINDS", "Reading", "Source", "open_source"]

END = 10**11
"""The number of the chunk that comes last: when it is there, none is missing."""

KINDS = ("auto", "dump", "kaikki")
_WORDS_PER_CHUNK = 5000
_ENTRIES = frozenset({0})
"""The namespace of dictionary pages."""

Chunks = Iterator[tuple[int, bytes]]


class Reading(NamedTuple):
    """What is read of a page, and what is kept of that."""

    language: str
    edition: str
    all_parts: bool
    rules: Rules

    def options(self) -> dict[str, Any]:
        """By the names of the command's options."""
        values = {name: value for name, value in self._asdict().items() if name != "rules"}
        return values | self.rules._asdict()


class Source(Protocol):
    """A file with entries. ``site`` is what it says of itself, ``date`` (``YYYY-MM-DD``) may be empty."""

    kind: str
    path: Path
    site: dict[str, str]
    date: str

    def chunks(self, *, workers: int, skip: Collection[int], on_bytes: Callable[[int], None]) -> Chunks:
        """The chunks that are not in ``skip``, as ``pack`` makes them; ``END`` comes last."""
        ...


def open_source(path: Path, kind: str, reading: Reading) -> Source:
    """The source in a file, which is recognised by its first character if ``kind`` is ``auto``."""
    if kind not in KINDS:
        raise UnknownNameError("source", kind, KINDS)
    load_edition(reading.edition)
    storage_of(path)  # complains of what is no file, or cannot be read
    if kind == "auto":
        kind = _recognise(path)
    return DumpSource(path, reading) if kind == "dump" else KaikkiSource(path, reading)


def _recognise(path: Path) -> str:
    first = next(read_pieces(path), None)
    head = ((first and first.text) or b"").lstrip(b"\xef\xbb\xbf \t\r\n")
    if head[:1] not in (b"<", b"{"):
        expected = "<mediawiki ...> (a dump: *-pages-articles.xml.bz2) or lines of JSON (from wiktextract)"
        raise MalformedInputError(path, 1, f"begins with {head[:20]!r}; expected {expected}")
    return "dump" if head[:1] == b"<" else "kaikki"


class DumpSource:
    """A MediaWiki dump, plain or compressed."""

    kind = "dump"

    def __init__(self, path: Path, reading: Reading) -> None:
        info = dump_info(path)
        self.path, self.reading, self.date = path, reading, info.date
        about = {"site": info.site, "database": info.dbname, "generator": info.generator}
        self.site = {name: value for name, value in about.items() if value}

    def chunks(self, *, workers: int, skip: Collection[int], on_bytes: Callable[[int], None]) -> Chunks:
        """Pages are read and parsed by ``workers`` processes."""
        findings, told = Findings(), Tally()
        splits = storage_of(self.path).splits
        found = map_pages(
            self.path,
            partial(_digest_pages, reading=self.reading),
            workers=workers,
            namespaces=_ENTRIES,
            containing=section_pattern(self.reading.language),
            on_bytes=on_bytes,
            skip=skip,
            findings=findings,
        )
        for number, packed in found:  # what does not split is read whole again: END has all its findings
            yield number, packed + pack((), self._news(findings, told)) if splits else packed
        yield END, pack((), self._news(findings, told))

    def _news(self, findings: Findings, told: Tally) -> Tally:
        """What the findings have more than was ``told``, which takes it in."""
        warnings = Counter({str(flaw): number for flaw, number in findings.warnings.items()})
        where = "" if storage_of(self.path).splits else " of the unpacked text"
        places = {str(flaw): f"byte {first}{where}" for flaw, (first, *_) in findings.places.items()}
        news = Tally(
            findings.pages - told.pages, findings.latest, warnings=warnings - told.warnings, places=places
        )
        told.add(news)
        return news


def _digest_pages(pages: list[Page], *, reading: Reading) -> bytes:
    tally = Tally()

    def headwords() -> Iterator[Headword]:
        for page in pages:
            parsed = read_page(
                page.title,
                page.text,
                edition=reading.edition,
                language=reading.language,
                all_parts=reading.all_parts,
            )
            tally.unknown.update(parsed.unknown)
            tally.warnings.update(parsed.warnings)
            yield from number_senses(parsed.entries, reading.rules, tally.dropped)

    return pack(headwords(), tally)


class KaikkiSource:
    """A file of JSON lines in the form of wiktextract, as kaikki.org publishes them."""

    kind = "kaikki"

    def __init__(self, path: Path, reading: Reading) -> None:
        self.path, self.reading, self.date = path, reading, ""
        self.site: dict[str, str] = {}

    def chunks(self, *, workers: int, skip: Collection[int], on_bytes: Callable[[int], None]) -> Chunks:
        """One process reads; ``workers`` has no effect, for there is little to parse."""
        warnings: Counter[str] = Counter()
        reading = self.reading
        words = read_kaikki(
            self.path, language=reading.language, all_parts=reading.all_parts, warnings=warnings
        )
        for number in count():
            batch = list(islice(words, _WORDS_PER_CHUNK))
            tally = self._tally(warnings)
            tally.pages = len(batch)
            warnings.clear()
            if not batch:
                break
            if number not in skip:
                found = (number_senses(entries, reading.rules, tally.dropped) for _, entries in batch)
                yield number, pack(chain.from_iterable(found), tally)
        on_bytes(self.path.stat().st_size)
        yield END, pack((), tally)

    def _tally(self, warnings: Counter[str]) -> Tally:
        """The kinds of warnings, each with its first place."""
        tally = Tally()
        for warning, number in warnings.items():
            line, reason, *_ = warning.removeprefix(f"{self.path}:").split(": ")
            flaw = f"line without an entry: {reason}"
            tally.warnings[flaw] += number
            tally.places.setdefault(flaw, f"line {line}")
        return tally
