"""The WSD Evaluation Framework: data sets, gold keys, and XML that must be refused."""

from __future__ import annotations

import re
import tracemalloc
from pathlib import Path

import pytest

from uncommonsense.corpora import open_corpus, statistics
from uncommonsense.corpora.framework import read
from uncommonsense.errors import MalformedInputError, UnknownNameError, UserError
from uncommonsense.schema import Instance

XML = """\
<?xml version="1.0" encoding="UTF-8" ?>
<corpus lang="en" source="mini">
<text id="d000">
<sentence id="d000.s000">
<wf lemma="the" pos="DET">The</wf>
<instance id="d000.s000.t000" lemma="Bell Tower" pos="NOUN">bell tower</instance>
<instance id="d000.s000.t001" lemma="fall" pos="VERB">fell</instance>
<wf lemma="&apos;s" pos="PRT">&apos;s</wf>
<wf lemma="" pos="."></wf>
</sentence>
</text>
</corpus>
"""
KEYS = "d000.s000.t000 bell_tower%1:06:00::\nd000.s000.t001 fall%2:38:00:: fall%2:38:01::\n"


def make(folder: Path, name: str, xml: str = XML, keys: str | None = KEYS) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{name}.data.xml"
    path.write_text(xml)
    if keys is not None:
        (folder / f"{name}.gold.key.txt").write_text(keys)
    return path


def ids(path: Path, **options: str) -> list[str]:
    return [sentence.id for sentence in read(path, **options)]


def test_words_targets_and_keys(tmp_path: Path) -> None:
    (sentence,) = read(make(tmp_path, "mini"))
    assert sentence.tokens == ("The", "bell", "tower", "fell", "'s")
    assert (sentence.id, sentence.source) == ("d000.s000", "mini/d000")
    assert sentence.instances == (
        Instance("d000.s000.t000", 1, 3, "bell_tower", "n", ("bell_tower%1:06:00::",)),
        Instance("d000.s000.t001", 3, 4, "fall", "v", ("fall%2:38:00::", "fall%2:38:01::")),
    )


@pytest.mark.parametrize("keys", [None, "d000.s000.t000\n\nd000.s000.t001\n"])
def test_without_keys_there_are_no_senses(tmp_path: Path, keys: str | None) -> None:
    (sentence,) = read(make(tmp_path, "mini", keys=keys))
    assert [instance.senses for instance in sentence.instances] == [(), ()]


def test_a_root_is_read_without_concatenations_and_training_corpora(tmp_path: Path) -> None:
    for name in ("ALL", "senseval2", "senseval3"):
        make(tmp_path / "Evaluation_Datasets" / name, name)
    for name in ("semcor", "semcor+omsti"):
        make(tmp_path / "Training_Corpora" / name, name)
    assert ids(tmp_path) == ["senseval2.d000.s000", "senseval3.d000.s000"]
    assert ids(tmp_path / "Training_Corpora") == ["d000.s000"]
    assert [sentence.source for sentence in read(tmp_path, dataset="all")] == ["ALL/d000"]
    assert [sentence.source for sentence in read(tmp_path, dataset="semcor+omsti")] == ["semcor+omsti/d000"]
    with pytest.raises(UnknownNameError, match=r"unknown data set 'senseval1'; did you mean 'senseval"):
        ids(tmp_path, dataset="senseval1")


def test_two_data_sets_of_one_name(tmp_path: Path) -> None:
    first, second = make(tmp_path / "a", "test"), make(tmp_path / "b", "test")
    make(tmp_path, "other")
    message = re.escape(f"{first} and {second} have the same name: read one of them by its path")
    with pytest.raises(UserError, match=message):
        ids(tmp_path)
    with pytest.raises(UserError, match=message):
        ids(tmp_path, dataset="TEST")
    assert ids(tmp_path, dataset="other") == ids(second) == ["d000.s000"]


def test_a_folder_with_nothing_but_all(tmp_path: Path) -> None:
    make(tmp_path, "ALL")
    assert ids(tmp_path) == ["d000.s000"]


def test_places_that_are_no_data_set(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="no data set"):
        ids(tmp_path)
    with pytest.raises(UserError, match="is one data set"):
        ids(make(tmp_path, "mini"), dataset="mini")


@pytest.mark.parametrize(
    ("old", "new", "line", "message"),
    [
        ("</corpus>\n", "", 12, "not well-formed XML: no element found"),
        ("fell</instance>\n", "fell</in", 7, "not well-formed"),
        ("<wf lemma", "<xx lemma", 5, "<xx> is unknown"),
        ("The</wf>", "<wf>The</wf></wf>", 5, "out of place"),
        ('<sentence id="d000.s000">\n', "", 4, "out of place"),
        ('<sentence id="d000.s000">', '<sentence id="d000.s000"><sentence id="x">', 4, "in a <sentence>"),
        (' id="d000.s000"', "", 4, "without id="),
        ("t001", "t000", 7, "'d000.s000.t000' occurs twice"),
        ("bell tower<", "<", 6, "needs lemma="),
        (' pos="VERB"', "", 7, "needs lemma="),
        ("<text id", "loose<text id", 3, "'loose'"),
        ("UTF-8", "klingon", 1, "klingon"),
        (XML, "", 1, "no element found"),
        (XML, "\x7fELF\x01", 1, "not well-formed"),
    ],
)
def test_broken_xml(tmp_path: Path, old: str, new: str, line: int, message: str) -> None:
    assert old in XML
    path = make(tmp_path, "mini", XML.replace(old, new), keys=None)
    with pytest.raises(MalformedInputError, match=re.escape(f"{path}:{line}: ") + ".*" + re.escape(message)):
        list(read(path))


@pytest.mark.parametrize(
    ("keys", "line", "message"),
    [
        (KEYS.splitlines()[0], 2, "ends before the key of 'd000.s000.t001'"),
        ("\n".join(reversed(KEYS.splitlines())), 1, "expected that of 'd000.s000.t000'"),
        (KEYS + "d000.s000.t002 x%1:04:00::\n", 3, "'d000.s000.t002', which is no instance"),
        ("", 1, "empty"),
    ],
)
def test_broken_keys(tmp_path: Path, keys: str, line: int, message: str) -> None:
    path = make(tmp_path, "mini", keys=keys)
    place = f"{path.with_name('mini.gold.key.txt')}:{line}: "
    with pytest.raises(MalformedInputError, match=re.escape(place) + ".*" + re.escape(message)):
        list(read(path))


LAUGHS = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 12))


@pytest.mark.parametrize(
    "doctype",
    [
        f'<!DOCTYPE corpus [<!ENTITY l0 "ha">{LAUGHS}]>',
        '<!DOCTYPE corpus [<!ENTITY l11 SYSTEM "file:///etc/passwd">]>',
        '<!DOCTYPE corpus SYSTEM "http://example.invalid/x.dtd">',
    ],
)
def test_entities_are_refused(tmp_path: Path, doctype: str) -> None:
    xml = XML.replace("\n<corpus", f"\n{doctype}<corpus").replace("The</wf>", "&l11;</wf>")
    path = make(tmp_path, "mini", xml)
    with pytest.raises(MalformedInputError, match=re.escape(str(path)) + ":[25]: .*entit"):
        list(read(path))


def test_memory_does_not_grow_with_the_file(tmp_path: Path) -> None:
    def peak(texts: int) -> int:
        body = XML.partition('<text id="d000">')[2].rpartition("</text>")[0]
        many = "".join(f'<text id="d{n}">{body * 1}</text>'.replace("d000", f"d{n}") for n in range(texts))
        keys = "".join(KEYS.replace("d000", f"d{n}") for n in range(texts))
        path = make(tmp_path, f"x{texts}", f"<corpus>{many}</corpus>", keys)
        tracemalloc.start()
        assert sum(1 for _ in read(path)) == texts
        size = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return size

    assert peak(8000) < 1.2 * peak(2000)


@pytest.mark.shared
@pytest.mark.parametrize(
    ("name", "sentences", "tokens", "targets", "senses", "lemmas"),
    [
        ("senseval2", 242, 5_766, 2_282, 1_335, 1_093),
        ("senseval3", 352, 5_541, 1_850, 1_167, 977),
        ("semeval2007", 135, 3_201, 455, 375, 330),
        ("semeval2013", 306, 8_391, 1_644, 827, 751),
        ("semeval2015", 138, 2_604, 1_022, 659, 512),
    ],
)
def test_published_counts(
    shared: Path, name: str, sentences: int, tokens: int, targets: int, senses: int, lemmas: int
) -> None:
    """Table 1 of Raganato et al. (2017); they count a multi-word target as one token."""
    source = open_corpus(f"framework:{shared / 'wsd_evaluation_framework'}?dataset={name}")
    found = statistics(source)
    extra = sum(each.end - each.start - 1 for sentence in source for each in sentence.instances)
    everything = found.groups[0]
    assert (found.sentences, everything.labelled, everything.senses) == (sentences, targets, senses)
    assert everything.lemmas == lemmas
    assert found.tokens - extra == tokens


@pytest.mark.shared
def test_the_five_data_sets_are_all_of_them(shared: Path) -> None:
    root = shared / "wsd_evaluation_framework"
    five = {each.id: each for sentence in read(root) for each in sentence.instances}
    together = {each.id: each for sentence in read(root, dataset="ALL") for each in sentence.instances}
    assert len(five) == 7_253
    assert five == together
