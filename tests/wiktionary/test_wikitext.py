"""The scanner: templates and links, however deep, broken or long, in linear time."""

from __future__ import annotations

import time
from collections import Counter
from pathlib import Path

import mwparserfromhell
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from uncommonsense.wiktionary.dump import read_pages
from uncommonsense.wiktionary.wikitext import MAX_DEPTH, Call, drop_opaque, scan

PIECES = [
    "{{",
    "}}",
    "[[",
    "]]",
    "|",
    "=",
    "'''",
    "''",
    "a",
    " ",
    "\n",
    "<ref>",
    "</ref>",
    "<!--",
    "-->",
    "<br>",
]
PIECES += ["&amp;", "#", ":", "{", "}", "lb|en|", "w|", "<nowiki>", "</nowiki>", "[http://x y]", "{{{1}}}"]
markup = st.lists(st.sampled_from(PIECES), max_size=60).map("".join)


def read(text: str) -> list[str | Call]:
    def expand(call: Call) -> str:
        return f"<{call.name}:{','.join(f'{key}={value}' for key, value in call.parameters.items())}>"

    return scan(text, expand=expand, show=lambda parts: parts[-1], warnings=Counter())


def test_parameters_with_and_without_a_name() -> None:
    assert read("a {{ux|en|He ran.| t = x = y }} b") == [
        "a ",
        Call("ux", {"1": "en", "2": "He ran.", "t": "x = y"}),
        " b",
    ]


def test_what_is_inside_is_rendered_first() -> None:
    assert read("{{q|[[a|b]] {{w|C=D|E}}}}") == [Call("q", {"1": "b <w:C=D,1=E>"})]


def test_an_equals_sign_inside_another_template_names_nothing() -> None:
    assert read("{{l|{{w|x=1}}=y}}")[0] == Call("l", {"<w:x=1>": "y"})
    assert read("{{l|[[a=b]]}}") == [Call("l", {"1": "a=b"})]


def test_a_name_is_one_line_with_single_spaces() -> None:
    assert read("{{ plural_of\n|en|ox}}") == [Call("plural of", {"1": "en", "2": "ox"})]


def test_an_unclosed_template_ends_with_the_text() -> None:
    warnings: Counter[str] = Counter()
    found = scan("{{quote|en|He ran", expand=str, show=lambda parts: parts[-1], warnings=warnings)
    assert found == [Call("quote", {"1": "en", "2": "He ran"})]
    assert warnings == {"unclosed template": 1}


def test_an_unclosed_link_in_a_template_does_not_swallow_it() -> None:
    assert read("{{ux|en|to [[run}} fast") == [Call("ux", {"1": "en", "2": "to run"}), " fast"]


@pytest.mark.parametrize(
    "text", ["{{" * 10_000, "{{a|" * 10_000 + "x" + "}}" * 10_000, "[[" * 10_000, "}}]]" * 10_000]
)
def test_depth_is_no_danger(text: str) -> None:
    read(text)


def test_deep_nesting_is_read_to_the_limit() -> None:
    inner = "{{a|" * (MAX_DEPTH - 1) + "x" + "}}" * (MAX_DEPTH - 1)
    (found,) = read(inner)
    assert "x" in str(found)


@pytest.mark.parametrize(
    "piece", ["{{a|[[b", "{{", "[[a|", "}}", "<!--", "<ref>", "{{a|b=", "[[a]]", "<ref", "'''a"]
)
def test_megabytes_take_seconds(piece: str) -> None:
    text = piece * (3_000_000 // len(piece))
    begun = time.perf_counter()
    read(drop_opaque(text))
    assert time.perf_counter() - begun < 30


def test_opaque_parts() -> None:
    assert drop_opaque("a<!-- {{ -->b<ref name=x/>c<ref>d</ref>e<REF name='q'>f</REF>g") == "abceg"
    assert drop_opaque("<nowiki>{{a|b}}</nowiki>") == "&#123;&#123;a&#124;b&#125;&#125;"
    assert drop_opaque(r"<math>f = v / \lambda_{1}</math>") == "f &#61; v / λ_1"
    assert drop_opaque("a <!-- never closed b") == "a  never closed b"


@given(markup)
@settings(max_examples=300, deadline=None)
def test_any_markup_is_read(text: str) -> None:
    for piece in read(drop_opaque(text)):
        assert isinstance(piece, str | Call)


def calls_of_peer(text: str) -> Counter[tuple[str, tuple[str, ...]]]:
    templates = mwparserfromhell.parse(text).filter_templates()
    return Counter(
        (
            " ".join(str(item.name).replace("_", " ").split()),
            tuple(sorted({str(key.name).strip() for key in item.params})),
        )
        for item in templates
    )


def calls_of_ours(text: str) -> Counter[tuple[str, tuple[str, ...]]]:
    found: Counter[tuple[str, tuple[str, ...]]] = Counter()

    def note(call: Call) -> str:
        found[call.name, tuple(sorted(call.parameters))] += 1
        return ""

    for piece in scan(text, expand=note, show=lambda parts: "".join(parts), warnings=Counter()):
        if isinstance(piece, Call):
            note(piece)
    return found


@pytest.mark.shared
def test_templates_are_those_that_mwparserfromhell_sees(shared: Path) -> None:
    """On lines of definitions with balanced markup: the same templates with the same parameters."""
    lines = 0
    for page in read_pages(shared / "wiktionary" / "test-pages-articles.xml.bz2"):
        for line in page.text.split("\n"):
            plain_line = not any(mark in line for mark in ("<", "{{{", "}}}}}"))
            if line.startswith("#") and "{{" in line and line.count("{{") == line.count("}}") and plain_line:
                lines += 1
                if lines % 7 == 0:
                    assert calls_of_ours(line) == calls_of_peer(line), line
    assert lines > 5000
