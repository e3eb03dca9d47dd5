"""The formats: nothing of the run's text is taken for markup, and a page needs nothing else."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from invented_runs import PAPER_LIKE, invent_run, settings

from uncommonsense.errors import MissingResourceError, UserError
from uncommonsense.rank.evaluate import evaluate
from uncommonsense.rank.protocol import Protocol
from uncommonsense.rank.runs import Run, read_run, start_run
from uncommonsense.rank.selection import select
from uncommonsense.report import choose_samples, draw_pictures, gather, make_report, save_pictures
from uncommonsense.report.formats import latex
from uncommonsense.report.pictures import inline_svg
from uncommonsense.testing import HashEncoder, mini_corpus

EVIL = r"a_b&<i>$x$ 50% \c{d}^~#|*[e]"
VOID = {"meta", "br", "img", "link", "hr", "input"}


class Page(HTMLParser):
    """Checks that elements nest, and collects ids, references and text."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.ids: list[str] = []
        self.references: list[str] = []
        self.tags: set[str] = set()
        self.text = ""
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        if tag not in VOID:
            self.open.append(tag)
        for name, value in attrs:
            if name == "id":
                self.ids.append(value or "")
            if name in ("href", "src", "xlink:href", "data", "srcset", "action"):
                self.references.append(value or "")

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        self.handle_endtag(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


@pytest.fixture(scope="module")
def evil(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Names that would be markup, layers and inoculated models."""
    tuned = {f"out/{EVIL[:3]}/size-{size}/seed-0/model": 0.3 for size in (100, 250)}
    systems = {EVIL: 0.3, "m@0": 0.1, "m@1": 0.2, "m@2": 0.3} | tuned
    return invent_run(
        tmp_path_factory.mktemp("runs") / "evil",
        systems,
        corpus=EVIL,
        count=150,
        k=10,
        described={EVIL: settings(EVIL)},
    )


@pytest.fixture(scope="module")
def mini(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """A run with neighbours and sentences."""
    corpus, protocol = mini_corpus(), Protocol(minimum=2)
    selection = select(corpus, protocol)
    targets = [
        (corpus.sentences["tokens"][int(row)].as_py(), (place["start"], place["end"]))
        for row, place in zip(corpus.rows, corpus.instances.to_pylist(), strict=True)
    ]
    run = start_run(tmp_path_factory.mktemp("runs") / "mini", corpus.name, selection.asked(corpus), k=3)
    vectors = np.asarray(HashEncoder().encode(targets))
    run.add(evaluate("hash", corpus, vectors, selection, k=3)._replace(settings=settings("hash")), corpus)
    return run


def test_latex_escapes_everything_special() -> None:
    assert latex(EVIL) == (
        r"a\_b\&$<$i$>$\$x\$ 50\% \textbackslash{}c\{d\}\textasciicircum{}\textasciitilde{}\#$|$*{[}e{]}"
    )


def test_latex_is_ascii_and_balanced(evil: Run) -> None:
    text = make_report(gather(evil), "latex")
    assert text.isascii()
    assert text.count(r"\begin{tabular}") == text.count(r"\end{tabular}") > 3
    for body in re.findall(r"\\begin\{tabular\}\{@\{\}(\w+)@\{\}\}(.*?)\\end\{tabular\}", text, re.DOTALL):
        align, rows = body
        for line in rows.splitlines():
            if line.endswith(r"\\"):
                assert len(re.findall(r"(?<!\\)&", line)) == len(align) - 1


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="no LaTeX here")
def test_latex_compiles(evil: Run, tmp_path: Path) -> None:
    source = make_report(gather(evil), "latex")
    document = (
        f"\\documentclass{{article}}\\usepackage{{booktabs}}\\begin{{document}}\n{source}\\end{{document}}\n"
    )
    (tmp_path / "t.tex").write_text(document, encoding="utf-8")
    done = subprocess.run(
        ["pdflatex", "-halt-on-error", "-interaction=nonstopmode", "t.tex"],
        cwd=tmp_path, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-2000:]


def test_markdown_keeps_its_columns(evil: Run) -> None:
    lines = make_report(gather(evil), "markdown").splitlines()
    assert r"a\_b&\<i\>" in "\n".join(lines)
    for first, rule in pairwise(lines):
        if rule.startswith("|---"):
            assert len(re.findall(r"(?<!\\)\|", first)) == rule.count("|")


def test_a_page_is_whole_and_needs_nothing_else(evil: Run) -> None:
    pytest.importorskip("matplotlib")
    results = gather(evil)
    pictures = draw_pictures(results)
    assert [picture.key for picture in pictures] == ["precision", "heatmap", "layers", "inoculation"]
    text = make_report(results, "html", pictures=pictures)
    page = Page(text)
    assert len(page.ids) == len(set(page.ids))
    assert {"i", "script", "link", "img", "iframe", "object"} & page.tags == set()
    assert all(reference.startswith("#") and reference[1:] in page.ids for reference in page.references)
    assert set(re.findall(r"https?://[^\s\"')]+", text)) <= {
        "http://www.w3.org/2000/svg",
        "http://www.w3.org/1999/xlink",
    }
    assert "@import" not in text
    assert not re.search(r"url\((?!#)", text)
    assert EVIL in page.text
    assert {"caption", "thead", "th", "figcaption", "dl"} <= page.tags
    assert 'scope="row"' in text


def test_pictures_are_files_too(evil: Run, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    pictures = draw_pictures(gather(evil))
    written = save_pictures(pictures, tmp_path / "pictures")
    assert sorted(path.name for path in written) == sorted(
        f"{each.key}.{kind}" for each in pictures for kind in ("svg", "png")
    )
    for path in written:
        if path.suffix == ".svg":
            assert ElementTree.parse(path).getroot().tag.endswith("svg")
        else:
            assert path.read_bytes().startswith(b"\x89PNG")
    assert "currentColor" in inline_svg(pictures[0])


def test_pictures_are_the_same_each_time(evil: Run) -> None:
    pytest.importorskip("matplotlib")
    first, second = (inline_svg(draw_pictures(gather(evil))[0]) for _ in range(2))
    assert first == second


def test_without_matplotlib_the_extra_is_named(evil: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(MissingResourceError, match=r"uncommonsense\[plots\].*--no-pictures"):
        draw_pictures(gather(evil))
    Page(make_report(gather(evil), "html"))


def test_a_run_without_systems_has_a_page(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    results = gather(invent_run(tmp_path, {}, count=40))
    assert draw_pictures(results) == []
    assert "chance gives" in Page(make_report(results, "html")).text


# Samples


def test_samples_show_what_the_run_found(mini: Run) -> None:
    samples = choose_samples(gather(mini), mini_corpus(), count=2)
    assert len({sample.query.instance for sample in samples}) == 2
    for sample in samples:
        hits = [rank for rank, usage in enumerate(sample.neighbours, 1) if usage.sense == sample.sense]
        assert hits == sample.ranks == [rank for rank, usage in enumerate(sample.neighbours, 1) if usage.hit]
        assert sample.query.target in ("bat", "draw")
    page = Page(make_report(gather(mini), "html", samples=samples))
    assert samples[0].query.right.strip() in page.text
    assert f"[{samples[0].query.target}]" in make_report(gather(mini), "text", samples=samples)
    assert f"**{samples[0].query.target}**" in make_report(gather(mini), "markdown", samples=samples)


def test_samples_without_the_corpus_are_ids(mini: Run) -> None:
    (sample,) = choose_samples(gather(mini), count=1)
    assert sample.query.target == ""
    assert sample.neighbours[0].instance in make_report(gather(mini), "html", samples=[sample])


def test_samples_of_another_corpus_are_refused(mini: Run) -> None:
    other = mini_corpus().select(np.zeros(12, bool))
    with pytest.raises(UserError, match=r"has no instance .* give the corpus of the run"):
        choose_samples(gather(mini), other)


def test_a_run_that_kept_no_neighbours_has_no_samples(tmp_path: Path) -> None:
    run = invent_run(tmp_path, PAPER_LIKE, count=40)
    assert choose_samples(gather(read_run(run.folder))) == []
