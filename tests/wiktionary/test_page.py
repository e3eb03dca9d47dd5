"""Entries of a page, from invented pages and from the development sample."""

from __future__ import annotations

import re
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from uncommonsense.wiktionary.dump import read_pages
from uncommonsense.wiktionary.entries import Definition, Example
from uncommonsense.wiktionary.page import ParsedPage, read_page

PAGE = """{{also|Zorp}}
==English==
===Etymology 1===
From [[zor]].
====Noun 1====
{{en-noun}} {{tlb|en|rare}}

# {{lb|en|chiefly|UK|or|US|_|slang}} A [[kind]] of {{l|en|thing}}. {{defdate|from 2001}}
#: {{syn|en|gadget<q:rare>|Thesaurus:tool|device}}
#: {{ant|en|nothing}}
#: {{ux|en|Pass me the '''zorp'''.}}
#* {{quote-book|en|year=2003|author={{w|Ann Author|A. Author}}|title=Big ''Book''
|page=7|passage=All '''zorps''' are red.}}
## {{lb|en|by extension}} A part of one.
##* '''1911''', B. Writer, ''Old Book'', page 3:
##*: Two '''zorps''',
##*:: and a third '''zorp'''.
#* {{RQ:Writer Long Poem|IV|O '''zorp''', my only zorp!}}
====Verb====
# To make a zorp.<!-- hidden '''x''' -->
#: ''They '''zorped''' it.''
#: ''Synonyms:'' [[build]], [[make]]
====Translations====
# no definition
===Interjection===
# {{n-g|Said in surprise.}}

==French==
===Noun===
# a [[zorp]]
"""


def definitions(text: str) -> tuple[Definition, ...]:
    (entry,) = read_page("zorp", f"==English==\n===Noun===\n{text}\n").entries
    return entry.definitions


def example(text: str) -> Example:
    (definition,) = definitions(f"# A thing.\n{text}")
    (found,) = definition.examples
    return found


def targets(found: Example) -> list[str]:
    return [found.text[start:end] for start, end in found.targets]


def test_a_page() -> None:
    page = read_page("zorp", PAGE)
    assert [(entry.pos, len(entry.definitions)) for entry in page.entries] == [("noun", 2), ("verb", 1)]
    first, second = page.entries[0].definitions
    assert first.gloss == "A kind of thing."
    assert first.tags == ("rare", "chiefly UK", "US slang")
    assert first.synonyms == ("gadget", "device")
    assert first.examples == (
        Example("Pass me the zorp.", ((12, 16),), "illustration"),
        Example("All zorps are red.", ((4, 9),), "quotation", "2003, A. Author, Big Book, page 7"),
    )
    assert (second.gloss, second.tags, second.depth) == ("A part of one.", ("rare", "by extension"), 2)
    assert second.examples == (
        Example(
            "Two zorps, and a third zorp.",
            ((4, 9), (23, 27)),
            "quotation",
            "1911, B. Writer, Old Book, page 3",
        ),
        Example("O zorp, my only zorp!", ((2, 6),), "quotation", "Writer Long Poem, IV"),
    )
    verb = page.entries[1].definitions[0]
    assert (verb.gloss, verb.synonyms) == ("To make a zorp.", ("build", "make"))
    assert targets(verb.examples[0]) == ["zorped"]
    assert not page.unknown
    assert not page.warnings


def test_other_parts_and_languages() -> None:
    every = read_page("zorp", PAGE, all_parts=True).entries
    assert [entry.pos for entry in every] == ["noun", "verb", "interjection"]
    (french,) = read_page("zorp", PAGE, language="French").entries
    assert french.definitions == (Definition("a zorp"),)
    assert read_page("zorp", PAGE, language="Zulu") == ParsedPage((), Counter(), Counter())


@pytest.mark.parametrize(
    ("text", "passage", "attribution"),
    [
        ("#* {{quote-book|en|1999|A. Author|Book|||A '''zorp'''.}}", "A zorp.", "1999, A. Author, Book"),
        ("#* {{quote-journal|year=1999|journal=J|text=A '''zorp'''.}}", "A zorp.", "1999, J"),
        ("#* {{quote-text|en|year=1999|title=T|passage=A '''zorp'''.|t=x}}", "A zorp.", "1999, T"),
        ("#* {{RQ:Writer Poem|page=3|passage=A '''zorp'''.}}", "A zorp.", "Writer Poem, page 3"),
        ("#* {{RQ:Writer Poem}}, II.12:\n#*: A '''zorp'''.", "A zorp.", "Writer Poem, II.12"),
        (
            "#* '''1999''', A. Author, ''Book'':\n#*: {{quote|en|A '''zorp'''.}}",
            "A zorp.",
            "1999, A. Author, Book",
        ),
        ("#* '''1999''', A. Author, ''Book'': A '''zorp'''.", "A zorp.", "1999, A. Author, Book"),
        ("#* {{Q|en|A. Author|Book|year=1999|quote=A '''zorp'''.}}", "A zorp.", "1999, A. Author, Book"),
        ("#* A '''zorp'''. — A. Author, ''Book''", "A zorp.", "A. Author, Book"),
    ],
)
def test_quotations_of_both_generations(text: str, passage: str, attribution: str) -> None:
    found = example(text)
    assert found == Example(passage, ((2, 6),), "quotation", attribution)


@pytest.mark.parametrize(
    "line",
    [
        "{{ux|en|A '''zorp'''.}}",
        "{{usex|A '''zorp'''.|lang=en}}",
        "''A '''zorp'''.''",
        "{{coi|en|A '''zorp'''.|q=rare}}",
    ],
)
def test_illustrations(line: str) -> None:
    assert example(f"#: {line}") == Example("A zorp.", ((2, 6),), "illustration")


@pytest.mark.parametrize(
    ("labels", "tags"),
    [
        ("{{lb|en|a|_|b|or|c}}", ("a b", "c")),
        ("{{lb|en|transitive|;|now|_|rare}}", ("transitive", "now rare")),
        ("{{label|en|mildly|vulgar}} {{lbl|en|US}}", ("mildly vulgar", "US")),
        ("{{context|obsolete|lang=en}}", ("obsolete",)),
        ("{{slang}}", ("slang",)),
        ("{{lb|en|intransitive|of a|ship}}", ("intransitive", "of a ship")),
        (
            "{{lb|en|of an|_|engine|or technical|and|with the|law}}",
            ("of an engine", "technical", "with the law"),
        ),
        ("{{lb|en|in law|_|and trade}}", ("in law and trade",)),
        ("{{lb|en|usually|pluralonly}}", ("usually plural only",)),
        ("{{lb|en|singulare tantum|or}}", ("singular only",)),
        ("{{lb|en|with {{m|en|it}}|and|[[sports]]}}", ("with it", "sports")),
    ],
)
def test_labels(labels: str, tags: tuple[str, ...]) -> None:
    assert definitions(f"# {labels} A thing.") == (Definition("A thing.", tags),)


@pytest.mark.parametrize(
    ("parameters", "attribution"),
    [
        ("last=Roe|first=Jane Q.|title=T", "Jane Q. Roe, T"),
        ("last=Roe|title=T", "Roe, T"),
        ("first=Jane|title=T", "Jane, T"),
        ("last1=Roe|first1=Jane|last2=Doe|first2=John|title=T", "Jane Roe, John Doe, T"),
        ("author=Jane Roe|author2=John Doe|last3=Poe|first3=Ann|coauthors=Others|title=T", ""),
        ("author=Jane Roe|last=Roe|first=J.|authorlink=Jane Roe (writer)|title=T", "Jane Roe, T"),
        ("authorlink=w:Jane Roe (writer)|title=T", "Jane Roe, T"),
        ("author=Jane Roe|by=[[w:John Doe|Doe]]|title=T", "Jane Roe, T, by Doe"),
    ],
)
def test_names_of_authors(parameters: str, attribution: str) -> None:
    found = example(f"#* {{{{quote-book|en|{parameters}|passage=A '''zorp'''.}}}}")
    assert found.attribution == (attribution or "Jane Roe, John Doe, Ann Poe, Others, T")


@pytest.mark.parametrize(
    "line",
    [
        "{{quote-book|##*|1999|A. Author|Book|passage=A '''zorp'''.}}",
        "*, 1999, A. Author, ''Book'':\n#*: A '''zorp'''.",
    ],
)
def test_list_marks_are_no_part_of_an_attribution(line: str) -> None:
    assert example(f"#* {line}") == Example("A zorp.", ((2, 6),), "quotation", "1999, A. Author, Book")


@pytest.mark.parametrize(
    ("passage", "marked"),
    [
        ("'''Todd''': What '''zorp'''?", ["zorp"]),
        ("'''Ann Bee:''' No '''zorp'''!<br>'''''Todd''''' : Two '''zorps'''.", ["zorp", "zorps"]),
        ("“'''Todd''': My '''zorp'''.”", ["zorp"]),
        ("'''Zorp''': a thing to have.", ["Zorp"]),
        ("There is one '''thing''': a '''zorp'''.", ["thing", "zorp"]),
    ],
)
def test_speakers_are_no_targets(passage: str, marked: list[str]) -> None:
    for line in (f"#* '''1999''', A. Author:\n#*: {passage}", f"#: {{{{ux|en|{passage}}}}}"):
        assert targets(example(line)) == marked


@pytest.mark.parametrize(
    ("line", "attribution"),
    [
        ("''A '''zorp'''.'' — Miller.", "Miller"),
        ("''A '''zorp'''.'' &mdash; Tim. i. 18.", "Tim. i. 18"),
        ("“A '''zorp'''.” -- Ann of the Hills", "Ann of the Hills"),
        ("''A '''zorp'''.'' - A. Author, Book, 1999", "A. Author, Book, 1999"),
        (
            "''A '''zorp'''.'' , A. Author, The Paper, June 14, 1999, How it was?",
            "A. Author, The Paper, June 14, 1999, How it was?",
        ),
    ],
)
def test_a_source_behind_an_illustration_makes_it_a_quotation(line: str, attribution: str) -> None:
    found = example(f"#: {line}")
    assert (found.text.strip("“”"), found.kind, found.attribution) == ("A zorp.", "quotation", attribution)
    assert targets(found) == ["zorp"]


@pytest.mark.parametrize(
    "line",
    [
        "''A '''zorp'''.'' — It will be quick.",
        "''A '''zorp'''.'' — ''a thing''",
        "''A '''zorp''' – Florida, say – would be nice.''",
        "''The '''zorp'''.'' – you buying?",
        "''A '''zorp''''', Not That One",
    ],
)
def test_remarks_and_dashes_stay_in_an_illustration(line: str) -> None:
    found = example(f"#: {line}")
    assert (found.kind, found.attribution) == ("illustration", "")
    assert found.text == line.replace("'", "")


def test_a_label_inside_a_definition_stays_there() -> None:
    assert definitions("# A pot, now {{lb|en|US|slang}} a thing.") == (
        Definition("A pot, now (US, slang) a thing."),
    )


def test_a_forgotten_brace_costs_one_line() -> None:
    page = read_page("zorp", "==English==\n===Noun===\n# {{n-g|One.\nmore\n# Two.\n")
    assert [definition.gloss for definition in page.entries[0].definitions] == ["One.", "Two."]
    assert sum(page.warnings.values()) == 2


def test_a_definition_without_text_is_counted() -> None:
    page = read_page("zorp", "==English==\n===Noun===\n# {{rfdef|en}}\n#: {{ux|en|A '''zorp'''.}}\n")
    assert not page.entries
    assert page.warnings == {"definition without text": 1}


MARKUP = re.compile(r"\{\{|\}\}|\[\[|\]\]|''|</?[A-Za-z][^<>]*>|&#?\w+;|[\ue000\ue001]")


def strings(page: ParsedPage) -> Iterator[str]:
    for entry in page.entries:
        for definition in entry.definitions:
            yield from (definition.gloss, *definition.tags, *definition.synonyms)
            for found in definition.examples:
                yield from (found.text, found.attribution)


PIECES = [
    "{{",
    "}}",
    "[[",
    "]]",
    "|",
    "=",
    "'''",
    "''",
    "'",
    "a",
    "b ",
    "\n# ",
    "\n#* ",
    "\n#*: ",
    "\n#: ",
    "<ref>",
    "</ref>",
]
PIECES += [
    "<!--",
    "-->",
    "<br>",
    "<b>",
    "<",
    ">",
    "&",
    "amp;",
    "&lt;",
    "&#91;",
    "&#39;",
    "lb|en|",
    "syn|en|",
    "ux|en|",
    "[",
    "]",
]
PIECES += [
    "quote-book|en|passage=",
    "w|",
    "<nowiki>",
    "</nowiki>",
    "[http://x ",
    "{",
    "}",
    "RQ:A|",
    "place|en|",
    "\ue000",
    "\ue001",
]


@given(st.lists(st.sampled_from(PIECES), max_size=50))
@settings(max_examples=1500, deadline=None)
def test_no_markup_is_left_and_targets_lie_in_the_text(pieces: list[str]) -> None:
    page = read_page("zorp", "==English==\n===Noun===\n# A thing " + "".join(pieces))
    for text in strings(page):
        assert not MARKUP.search(text), text
        assert text == text.strip()
    for entry in page.entries:
        for definition in entry.definitions:
            for found in definition.examples:
                assert all(0 <= start < end <= len(found.text) for start, end in found.targets)


@pytest.mark.parametrize(
    "piece", ["# {{a\n", "# [[a|'''b\n", "#* {{quote-book|en|passage='''x\n", "==\n", "#: '''a''' (b\n"]
)
def test_long_broken_pages_take_time_in_proportion(piece: str) -> None:
    def seconds(size: int) -> float:
        text = "==English==\n===Noun===\n# x\n" + piece * (size // len(piece))
        begun = time.perf_counter()
        read_page("zorp", text)
        return time.perf_counter() - begun

    seconds(10_000)
    assert seconds(480_000) < 40 * max(seconds(40_000), 0.01)


# An independent look at the sample: blocks of lines, and bold in them, found without the parser.
_SECTION = re.compile(r"^==\s*English\s*==\s*$(.*?)(?=^==[^=]|\Z)", re.MULTILINE | re.DOTALL)
_BOLD_YEAR = re.compile(r"^(#+\*\s*(?:\{\{[^{}]*\}\})?\s*)'''[^']*\d[^']*'''")
_BOLD = re.compile(r"'''+(.*?)'''")


def quotation_blocks(text: str) -> Iterator[str]:
    section = _SECTION.search(text)
    part, block = "", [""]
    lines = re.sub(r"<!--.*?-->", "", section[1], flags=re.DOTALL).split("\n") if section else []
    for line in [*lines, "==End=="]:
        heading = re.match(r"=+\s*(.*?)\s*\d*\s*=+\s*$", line)
        if heading or (line.startswith("#") and not re.match(r"#+\*[:*#]", line)):
            if block[0] and part in ("noun", "verb", "adjective", "adverb"):
                yield "\n".join(block)
            block = [""]
        if heading:
            part = heading[1].lower()
        elif re.match(r"#+\*(?![:*#])", line):
            block = [line]
        elif block[0]:
            block.append(line)


def letters(text: str) -> str:
    return "".join(filter(str.isalnum, text))


@pytest.fixture(scope="module")
def sample(shared: Path) -> list[tuple[str, ParsedPage]]:
    """Each page of the sample: its text, and what was read from it."""
    pages = read_pages(shared / "wiktionary" / "test-pages-articles.xml.bz2")
    return [(page.text, read_page(page.title, page.text)) for page in pages]


@pytest.mark.shared
def test_quotations_of_the_sample_come_out_with_their_targets(sample: list[tuple[str, ParsedPage]]) -> None:
    expected = found = 0
    for text, page in sample:
        examples = [
            item for entry in page.entries for definition in entry.definitions for item in definition.examples
        ]
        marked = Counter(letters(word) for item in examples for word in targets(item))
        for block in quotation_blocks(text):
            words = [letters(word) for word in _BOLD.findall(_BOLD_YEAR.sub(r"\1", block))]
            expected += bool(words)
            found += any(marked[word] for word in words)
            marked.subtract(words[:1])
    assert expected > 2200
    assert found / expected >= 0.99


@pytest.mark.shared
def test_no_markup_is_left_in_the_sample(sample: list[tuple[str, ParsedPage]]) -> None:
    left = [text for _, page in sample for text in strings(page) if MARKUP.search(text)]
    assert left == []


@pytest.mark.shared
def test_templates_of_the_sample_are_known(sample: list[tuple[str, ParsedPage]]) -> None:
    assert sum(sum(page.unknown.values()) for _, page in sample) <= 2


def test_a_quotation_template_without_a_source_is_a_quotation() -> None:
    text = "==English==\n\n===Noun===\n# A gloss.\n#* {{quote-book|en|passage=Two '''wugs''' ran.}}\n"
    (entry,) = read_page("wug", text).entries
    (example,) = entry.definitions[0].examples
    assert (example.kind, example.attribution, example.targets) == ("quotation", "", ((4, 8),))
