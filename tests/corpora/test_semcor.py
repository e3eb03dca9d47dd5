"""SemCor: what its tagfiles say, and what is wrong in broken ones."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

from uncommonsense.corpora import open_corpus, statistics
from uncommonsense.corpora.semcor import read
from uncommonsense.errors import MalformedInputError, UserError
from uncommonsense.schema import Instance

TAGFILE = """\
<contextfile concordance=brown>
<context filename=br-z01 paras=yes>
<p pnum=1>
<s snum=1>
<wf cmd=ignore pos=DT>The</wf>
<wf cmd=done rdf=group pos=NNP lemma=group wnsn=1 lexsn=1:03:00:: pn=group>Upper_Marsh_Choir</wf>
<wf cmd=done pos=VB lemma=Take_Place wnsn=1 lexsn=2:30:00::>took_place</wf>
<wf cmd=done pos=JJ lemma=early wnsn=0;2 lexsn=3:00:00::;5:00:00:old(a):01>early</wf>
<wf cmd=done pos=NN lemma=such wnsn=0 lexsn=1:04:00::>such</wf>
<wf cmd=done pos=NN lemma=such wnsn=-1 lexsn=1:04:00::>such</wf>
<wf cmd=done pos=RB ot=notag>in</wf>
<wf cmd=ignore pos=TO>_to</wf>
<punc>&</punc>
<punc>.</punc>
</s>
</p>
<p pnum=2>
<s snum=2>
<punc>``</punc>
</s>
</p>
</context>
</contextfile>
"""


@pytest.fixture
def tagfile(tmp_path: Path) -> Path:
    path = tmp_path / "brown1" / "tagfiles" / "br-z01"
    path.parent.mkdir(parents=True)
    path.write_text(TAGFILE)
    return path


def test_words_targets_and_keys(tagfile: Path) -> None:
    first, second = read(tagfile)
    assert " ".join(first.tokens) == "The Upper Marsh Choir took place early such such in to & ."
    assert (first.id, first.source) == ("br-z01.s1", "br-z01")
    assert first.instances == (
        Instance("br-z01.s1.t1", 1, 4, "group", "n", ("group%1:03:00::",)),
        Instance("br-z01.s1.t4", 4, 6, "take_place", "v", ("take_place%2:30:00::",)),
        Instance("br-z01.s1.t6", 6, 7, "early", "a", ("early%5:00:00:old:01",)),
    )
    assert (second.tokens, second.instances) == (("``",), ())


@pytest.mark.parametrize("up", range(4))
def test_any_folder_on_the_way_will_do(tagfile: Path, up: int) -> None:
    path = [tagfile, *tagfile.parents][up]
    assert [sentence.id for sentence in read(path)] == ["br-z01.s1", "br-z01.s2"]


def test_blank_lines_at_the_end(tagfile: Path) -> None:
    tagfile.write_text(TAGFILE + "\n \n")
    assert len(list(read(tagfile))) == 2


def test_a_folder_without_tagfiles(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="no SemCor tagfiles"):
        list(read(tmp_path))


@pytest.mark.parametrize(
    ("old", "new", "line", "message"),
    [
        ("</contextfile>\n", "", 22, "cut off"),
        ("</contextfile>\n", "\n\n", 24, "cut off"),
        ("<punc>.</punc>\n</s>\n</p>\n", "<punc>.</punc>\n</p>\n", 15, "out of place"),
        ("<punc>.</punc>", "<punc>.", 14, "out of place"),
        ("<punc>.</punc>", "<wf cmd=ignore></wf>", 14, "out of place"),
        ("wnsn=0;2", "wnsn=2", 8, "as many senses"),
        ("lemma=Take_Place ", "", 7, "lemma="),
        ("2:30:00::", "9:30:00::", 7, "not a sense key"),
        ("snum=2", "snum=1", 18, "'br-z01.s1' occurs twice"),
        ("The", "Th\udce9", 5, "not UTF-8"),
        ("The", "T\0he", 5, "binary"),
        (TAGFILE, "", 1, "empty"),
        (TAGFILE, "%PDF-1.4\n", 1, "out of place"),
    ],
)
def test_broken_tagfiles(tagfile: Path, old: str, new: str, line: int, message: str) -> None:
    assert old in TAGFILE
    tagfile.write_bytes(TAGFILE.replace(old, new).encode("utf-8", "surrogateescape"))
    with pytest.raises(
        MalformedInputError, match=re.escape(f"{tagfile}:{line}: ") + ".*" + re.escape(message)
    ):
        list(read(tagfile))


def test_a_document_that_two_files_hold(tagfile: Path) -> None:
    tagfile.with_name("br-z02").write_text(TAGFILE)
    with pytest.raises(MalformedInputError, match=r"br-z02: document 'br-z01' was already read"):
        list(read(tagfile.parent))


@pytest.mark.shared
def test_published_counts(shared: Path) -> None:
    """The numbers are those of Raganato et al. (2017), tables 1 and 2."""
    found = statistics(open_corpus(f"semcor:{shared / 'semcor3.0'}"))
    everything, *parts = found.groups
    assert found.sentences == 37_176
    assert (everything.instances, everything.senses, everything.lemmas) == (226_036, 33_362, 22_436)
    assert {group.group[-1]: group.instances for group in parts} == {
        "n": 87_002,
        "v": 88_334,
        "a": 31_753,
        "r": 18_947,
    }


@pytest.mark.shared
def test_tags_before_unknown_senses_are_dropped(shared: Path) -> None:
    """234,136 tags (the corpus's own count), of which 8,100 have no sense in WordNet 3.0."""
    wnsn = Counter(
        match[1]
        for file in (shared / "semcor3.0").glob("brown*/tagfiles/*")
        for match in re.finditer(r" wnsn=([^ >]+)", file.read_text())
    )
    assert wnsn.total() == 234_136
    dropped = sum(count for numbers, count in wnsn.items() if not set(numbers.split(";")) - {"0", "-1"})
    targets = sum(len(sentence.instances) for sentence in read(shared / "semcor3.0"))
    assert targets == wnsn.total() - dropped
