"""Dumps of invented pages, stored in every way that a dump can be."""

from __future__ import annotations

import bz2
import gzip
import lzma
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import NamedTuple
from xml.sax.saxutils import escape

__all__ = ["STORAGES", "Invented", "head", "invent", "page_xml", "write", "xml_of"]

TAIL = b"</mediawiki>\n"


class Invented(NamedTuple):
    title: str
    text: str
    namespace: int = 0
    redirect: bool = False


def invent(count: int, *, size: int = 400) -> list[Invented]:
    """Pages of about ``size`` characters; every third has no English section, every fifth is a template."""
    pages = []
    for number in range(count):
        language = "Latin" if number % 3 == 2 else "English"
        filling = "".join(
            f"# A ''quorl'' & <b>{number * 7919 + each:x}</b> \"ĉ😀\".\n" for each in range(size // 40)
        )
        title, namespace = (f"Template:t{number}", 10) if number % 5 == 4 else (f"word{number}", 0)
        pages.append(Invented(title, f"=={language}==\n\n===Noun===\n{filling}", namespace))
    return pages


def head(*, site: str = "Wiktionary", dbname: str = "enwiktionary") -> bytes:
    return f"""<mediawiki xmlns="http://www.mediawiki.org/xml/export-0.10/" version="0.10" xml:lang="en">
  <siteinfo>
    <sitename>{site}</sitename>
    <dbname>{dbname}</dbname>
    <base>https://en.wiktionary.org/wiki/Main_Page</base>
    <generator>MediaWiki 1.35</generator>
    <namespaces>
      <namespace key="0" case="case-sensitive" />
      <namespace key="10" case="case-sensitive">Template</namespace>
    </namespaces>
  </siteinfo>
""".encode()


def page_xml(page: Invented, *, timestamp: str = "2020-01-02T03:04:05Z") -> bytes:
    text = f'<text bytes="9" xml:space="preserve">{escape(page.text)}</text>' if page.text else "<text />"
    redirect = '\n    <redirect title="elsewhere" />' if page.redirect else ""
    return f"""  <page>
    <title>{escape(page.title)}</title>
    <ns>{page.namespace}</ns>
    <id>7</id>{redirect}
    <revision>
      <timestamp>{timestamp}</timestamp>
      {text}
    </revision>
  </page>
""".encode()


def xml_of(pages: Iterable[Invented]) -> bytes:
    return head() + b"".join(map(page_xml, pages)) + TAIL


def _multistream(pages: list[Invented]) -> bytes:
    groups = [pages[first : first + 10] for first in range(0, len(pages), 10)]
    streams = [head(), *(b"".join(map(page_xml, group)) for group in groups), TAIL]
    return b"".join(map(bz2.compress, streams))


def _cut_anywhere(pages: list[Invented]) -> bytes:
    """Many streams that begin in the middle of pages and tags, as parallel compressors write them."""
    xml = xml_of(pages)
    return b"".join(bz2.compress(xml[first : first + 1013]) for first in range(0, len(xml), 1013))


STORAGES: dict[str, Callable[[list[Invented]], bytes]] = {
    "xml": xml_of,
    "xml.bz2": lambda pages: bz2.compress(xml_of(pages), 1),
    "multistream.xml.bz2": _multistream,
    "cut.xml.bz2": _cut_anywhere,
    "xml.gz": lambda pages: gzip.compress(xml_of(pages)),
    "xml.xz": lambda pages: lzma.compress(xml_of(pages), preset=0),
}


def write(folder: Path, storage: str, pages: list[Invented]) -> Path:
    folder.mkdir(exist_ok=True)
    path = folder / f"enwiktionary-20200101-pages.{storage}"
    path.write_bytes(STORAGES[storage](pages))
    return path
