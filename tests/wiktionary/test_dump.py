"""Reading dumps: whole, damaged, and not dumps at all."""

from __future__ import annotations

import bz2
import gzip
import random
import tracemalloc
from contextlib import suppress
from datetime import timedelta
from pathlib import Path
from xml.etree import ElementTree

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from invented_dumps import STORAGES, Invented, head, invent, page_xml, write, xml_of

from uncommonsense.errors import MalformedInputError, MissingResourceError, UncommonSenseError
from uncommonsense.wiktionary import scan
from uncommonsense.wiktionary.dump import Page, dump_info, read_pages, section_pattern
from uncommonsense.wiktionary.scan import Findings, Flaw

in_one_folder = settings(
    max_examples=60,
    deadline=timedelta(seconds=5),
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)


def essence(pages: list[Page]) -> list[Invented]:
    return [Invented(page.title, page.text, page.namespace, page.redirect) for page in pages]


def write_xml(folder: Path, *parts: bytes) -> Path:
    path = folder / "dump.xml"
    path.write_bytes(b"".join(parts))
    return path


@pytest.mark.parametrize("storage", STORAGES)
def test_pages_come_back_however_stored(tmp_path: Path, storage: str) -> None:
    pages = invent(300, size=1500)
    findings, told = Findings(), list[int]()
    path = write(tmp_path, storage, pages)
    assert essence(list(read_pages(path, findings=findings, on_bytes=told.append))) == pages
    assert (findings.pages, findings.selected, findings.warnings) == (300, 300, {})
    assert told == sorted(told)
    assert told[-1] == path.stat().st_size


@given(st.text(st.characters(exclude_categories=["Cs", "Cc"], include_characters="\n\t&<>#;'\"")))
@in_one_folder
def test_any_text_comes_back(tmp_path: Path, text: str) -> None:
    page = Invented(f"t {text.strip()}", text, 0)
    assert essence(list(read_pages(write_xml(tmp_path, xml_of([page]))))) == [page]


def test_entities_are_undone_once_as_an_xml_parser_does(tmp_path: Path) -> None:
    for escaped in (
        "&amp;lt;",
        "&#38;lt;",
        "&#38;amp;lt; &amp;#38;",
        "&#x1F600;&apos;&quot;",
        "a\r\nb\rc",
        "&amp;nbsp;",
    ):
        xml = page_xml(Invented("t", "HERE")).replace(b"HERE", escaped.encode())
        [page] = read_pages(write_xml(tmp_path, head(), xml, b"</mediawiki>"))
        assert page.text == ElementTree.fromstring(f"<t>{escaped}</t>").text
    for illegal in ("&#0;", "&#xD800;", "&#9999999;", "&bogus;", "&"):
        xml = page_xml(Invented("t", "HERE")).replace(b"HERE", illegal.encode())
        [page] = read_pages(write_xml(tmp_path, head(), xml, b"</mediawiki>"))
        assert page.text == illegal


def test_empty_text_redirects_and_several_revisions(tmp_path: Path) -> None:
    empty, redirect = Invented("none", ""), Invented("gone", "#REDIRECT [[x]]", redirect=True)
    old = page_xml(Invented("old", "first")).replace(
        b"</revision>", b"</revision><revision><text>second</text></revision>"
    )
    path = write_xml(tmp_path, head(), page_xml(empty), page_xml(redirect), old, b"</mediawiki>")
    assert essence(list(read_pages(path))) == [empty, redirect, Invented("old", "second")]


def test_namespaces_and_patterns_select(tmp_path: Path) -> None:
    pages = [*invent(60), Invented("spaced", "text\n== English ==\n")]
    path = write(tmp_path, "xml.bz2", pages)
    findings = Findings()
    selected = read_pages(path, namespaces={0}, containing=section_pattern("English"), findings=findings)
    wanted = [page for page in pages if page.namespace == 0 and "English" in page.text]
    assert essence(list(selected)) == wanted
    assert (findings.pages, findings.selected) == (61, len(wanted))


def test_old_dumps_without_namespace_numbers(tmp_path: Path) -> None:
    pages = [Invented("Template:x", "a", 10), Invented("Other: x", "b", 0), Invented("word", "c", 0)]
    path = write_xml(tmp_path, xml_of(pages).replace(b"<ns>10</ns>", b"").replace(b"<ns>0</ns>", b""))
    assert essence(list(read_pages(path))) == pages


def test_offsets_lead_to_the_page(tmp_path: Path) -> None:
    path = write(tmp_path, "xml", invent(50))
    data = path.read_bytes()
    for page in read_pages(path):
        assert data[page.offset :].startswith(f"<page>\n    <title>{page.title}<".encode())


def test_info(tmp_path: Path) -> None:
    path = write(tmp_path, "multistream.xml.bz2", invent(20))
    info = dump_info(path)
    assert info[:4] == ("Wiktionary", "enwiktionary", "MediaWiki 1.35", "2020-01-01")
    assert info.edition == "en"
    nameless, findings = path.rename(tmp_path / "dump"), Findings()
    assert dump_info(nameless).date == ""
    assert list(read_pages(nameless, findings=findings))
    assert dump_info(nameless, findings=findings).date == "2020-01-02"


def test_info_of_a_dump_without_a_database_name(tmp_path: Path) -> None:
    path = write_xml(tmp_path, head().replace(b"<dbname>enwiktionary</dbname>", b""), b"</mediawiki>")
    assert dump_info(path).dbname == "enwiktionary"


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"", "nothing in it can be read"),
        (b"<html>no dump</html>", r"dump.xml:1: .*begins with b'<html>no dump"),
        (b"x" * 3_000_000, "expected <mediawiki"),
        (bz2.compress(b"hello"), "begins with b'hello'"),
        (gzip.compress(b"hello")[:-3], "begins with b'hello'|nothing in it can be read"),
        (b"BZh9 but not so", "nothing in it can be read"),
        (b"7z\xbc\xaf\x27\x1c......", r"a 7-Zip archive, expected .*\.xml\.bz2.*unpack"),
    ],
)
def test_what_is_no_dump_is_said(tmp_path: Path, content: bytes, told: str) -> None:
    path = write_xml(tmp_path, content)
    with pytest.raises(MalformedInputError, match=told):
        list(read_pages(path))


def test_a_missing_dump_is_said(tmp_path: Path) -> None:
    with pytest.raises(MissingResourceError, match=r"nowhere\.xml: no such file; expected a MediaWiki dump"):
        list(read_pages(tmp_path / "nowhere.xml"))
    with pytest.raises(MissingResourceError, match="not a file"):
        list(read_pages(tmp_path))


@pytest.mark.parametrize("storage", STORAGES)
def test_a_file_cut_anywhere_gives_the_pages_before(tmp_path: Path, storage: str) -> None:
    pages = invent(25)
    whole = STORAGES[storage](pages)
    path = tmp_path / "cut"
    for size in range(1, len(whole) - 14, max(len(whole) // 150, 1)):
        path.write_bytes(whole[:size])
        findings = Findings()
        try:
            read = essence(list(read_pages(path, findings=findings)))
        except MalformedInputError:
            continue
        assert read == pages[: len(read)]
        assert findings.warnings


def test_plain_text_cut_loses_only_the_page_it_is_cut_in(tmp_path: Path) -> None:
    pages = invent(10)
    xml = xml_of(pages)
    for size in range(len(head()), len(xml), 17):
        findings = Findings()
        read = list(read_pages(write_xml(tmp_path, xml[:size]), findings=findings))
        assert len(read) == xml[:size].count(b"</page>")
        opened = xml[:size].count(b"<page>") > len(read)
        assert findings.warnings == ({Flaw.CUT: 1} if opened else {Flaw.NO_END: 1})


def test_a_damaged_block_costs_only_its_pages(tmp_path: Path) -> None:
    pages = invent(400)
    path = write(tmp_path, "multistream.xml.bz2", pages)
    data = bytearray(path.read_bytes())
    place = data.index(b"BZh9", len(data) // 2) + 30
    data[place : place + 8] = b"damaged!"
    path.write_bytes(data)
    findings = Findings()
    read = essence(list(read_pages(path, findings=findings)))
    assert len(read) == 390
    assert set(read) < set(pages)
    assert findings.warnings == {Flaw.DAMAGED: 1}
    assert abs(findings.places[Flaw.DAMAGED][0] - place) < 40


def test_halves_of_two_pages_never_become_one(tmp_path: Path) -> None:
    pages = invent(60)
    path = write(tmp_path, "cut.xml.bz2", pages)
    whole = path.read_bytes()
    streams = whole.split(b"BZh9")
    for number in range(2, len(streams) - 1):
        damaged = [*streams[:number], streams[number][:-9] + b"\0" * 9, *streams[number + 1 :]]
        path.write_bytes(b"BZh9".join(damaged))
        findings = Findings()
        assert set(essence(list(read_pages(path, findings=findings)))) < set(pages)
        assert findings.warnings[Flaw.DAMAGED]


@given(st.data())
@in_one_folder
@pytest.mark.parametrize("storage", STORAGES)
def test_changed_bytes_never_crash(tmp_path: Path, storage: str, data: st.DataObject) -> None:
    content = bytearray(STORAGES[storage](invent(40)))
    for _ in range(data.draw(st.integers(1, 5))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    path = tmp_path / "flipped"
    path.write_bytes(content)
    with suppress(UncommonSenseError):
        list(read_pages(path))


@given(
    st.lists(
        st.sampled_from([b"<page>", b"</page>", b"<title>a</title>", b"<text>", b"</text>", b"<te", b"\xff"])
    )
)
@in_one_folder
def test_tags_in_any_order_never_crash(tmp_path: Path, tags: list[bytes]) -> None:
    for page in read_pages(write_xml(tmp_path, head(), *tags)):
        assert page.title == "a"


def test_invalid_utf8_is_replaced_and_counted(tmp_path: Path) -> None:
    bad = page_xml(Invented("bad", "HERE")).replace(b"HERE", b"a\xff\xfeb")
    findings = Findings()
    read = list(
        read_pages(
            write_xml(tmp_path, head(), bad, page_xml(Invented("good", "x")), b"</mediawiki>"),
            findings=findings,
        )
    )
    assert [page.text for page in read] == ["a\ufffd\ufffdb", "x"]
    assert findings.warnings == {Flaw.NOT_UTF8: 1}
    assert findings.places[Flaw.NOT_UTF8] == [len(head()) + 2]


def test_unclosed_and_incomplete_pages_are_counted(tmp_path: Path) -> None:
    unclosed = page_xml(Invented("open", "x")).replace(b"</page>", b"")
    textless = page_xml(Invented("bare", "x")).replace(b"</text>", b"")
    untitled = page_xml(Invented("bare", "x")).replace(b"<title>", b"")
    findings = Findings()
    path = write_xml(
        tmp_path, head(), unclosed, textless, untitled, page_xml(Invented("good", "x")), b"</mediawiki>"
    )
    assert [page.title for page in read_pages(path, findings=findings)] == ["good"]
    assert findings.warnings == {Flaw.UNCLOSED: 1, Flaw.INCOMPLETE: 2}


def test_large_pages_are_read(tmp_path: Path) -> None:
    large = Invented("large", "word " * 2_000_000)
    path = write(tmp_path, "xml.bz2", [*invent(3), large, *invent(3)])
    assert essence(list(read_pages(path))) == [*invent(3), large, *invent(3)]


def test_a_page_that_never_ends_is_passed_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scan, "LARGEST_PAGE", 3 << 20)
    path = write_xml(
        tmp_path,
        head(),
        page_xml(Invented("a", "x")),
        b"<page>",
        b"junk " * 1_000_000,
        page_xml(Invented("b", "y")),
    )
    findings = Findings()
    assert [page.title for page in read_pages(path, findings=findings)] == ["a", "b"]
    assert findings.warnings == {Flaw.OVERSIZED: 1, Flaw.NO_END: 1}


def peak(path: Path) -> float:
    """MB that reading takes at most."""
    tracemalloc.start()
    for _ in read_pages(path):
        pass
    most = tracemalloc.get_traced_memory()[1] / 1e6
    tracemalloc.stop()
    return most


@pytest.mark.parametrize("storage", ["xml", "xml.bz2", "xml.gz"])
def test_memory_does_not_grow_with_the_dump(tmp_path: Path, storage: str) -> None:
    page = Invented("w", random.Random(1).randbytes(50_000).hex())
    small, large = (write(tmp_path / str(count), storage, [page] * count) for count in (50, 200))
    assert peak(large) < peak(small) + 2


def test_memory_is_bounded_where_no_page_ends(tmp_path: Path) -> None:
    path = write_xml(tmp_path, head(), b"<page>")
    with path.open("ab") as file:
        for _ in range(200):
            file.write(b"x" * 1_000_000)
    findings = Findings()
    assert list(read_pages(path, findings=findings)) == []
    assert findings.warnings[Flaw.OVERSIZED] == 1
    assert peak(path) < 200


def test_memory_is_bounded_where_little_becomes_much(tmp_path: Path) -> None:
    path = tmp_path / "bomb.xml.bz2"
    compressor = bz2.BZ2Compressor()
    with path.open("wb") as file:
        file.write(compressor.compress(head()))
        for _ in range(100):
            file.write(compressor.compress(b"\0" * 1_000_000))
        file.write(compressor.compress(page_xml(Invented("a", "x"))) + compressor.flush())
    assert peak(path) < 150
    assert [page.title for page in read_pages(path)] == ["a"]


@pytest.mark.shared
def test_the_real_sample_reads_as_an_xml_parser_reads_it(shared: Path, tmp_path: Path) -> None:
    path = shared / "wiktionary" / "test-pages-articles.xml.bz2"
    findings = Findings()
    read = essence(list(read_pages(path, findings=findings)))
    assert len(read) == 1394
    assert sum("==English==" in line for page in read for line in page.text.splitlines()) == 1260
    assert sum(1 for _ in read_pages(path, containing=section_pattern("English"))) == 1237
    assert not findings.warnings
    assert dump_info(path, findings=findings).date == "2023-05-06"
    assert read == list(parsed(path))


def parsed(path: Path) -> list[Invented]:
    space = "{http://www.mediawiki.org/xml/export-0.10/}"
    pages = []
    with bz2.open(path) as file:
        for _, element in ElementTree.iterparse(file):
            if element.tag == f"{space}page":
                title, namespace = element.findtext(f"{space}title"), element.findtext(f"{space}ns")
                text = element.findtext(f"{space}revision/{space}text")
                pages.append(
                    Invented(
                        title or "",
                        text or "",
                        int(namespace or 0),
                        element.find(f"{space}redirect") is not None,
                    )
                )
                element.clear()
    return pages


@pytest.mark.shared
def test_the_real_sample_cut_and_damaged(shared: Path, tmp_path: Path) -> None:
    whole = (shared / "wiktionary" / "test-pages-articles.xml.bz2").read_bytes()
    path = tmp_path / "sample.xml.bz2"
    titles = [page.title for page in read_pages(shared / "wiktionary" / "test-pages-articles.xml.bz2")]
    path.write_bytes(whole[: len(whole) // 2])
    half = [page.title for page in read_pages(path)]
    assert half == titles[: len(half)]
    assert len(half) > 300
    damaged = bytearray(whole)
    place = len(whole) // 2
    damaged[place : place + 100] = random.Random(1).randbytes(100)
    path.write_bytes(damaged)
    findings = Findings()
    rest = [page.title for page in read_pages(path, findings=findings)]
    assert len(rest) > 1200
    assert set(rest) < set(titles)
    assert findings.warnings == {Flaw.DAMAGED: 1, Flaw.CUT: 1}
