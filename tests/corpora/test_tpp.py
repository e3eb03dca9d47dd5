"""SemEval-2007 task 6: official counts, both inventories, and what is refused."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

from uncommonsense.corpora.tpp import read
from uncommonsense.errors import MalformedInputError, UnknownNameError, UserError
from uncommonsense.schema import Sentence


def instance(name: str, context: str, senses: str | None = None) -> str:
    answer = f'<answer instance="{name}" senseid="{senses}"/>' if senses is not None else ""
    return f'<instance id="{name}" docsrc="FN">\n{answer}\n<context>\n {context} \n</context>\n</instance>\n'


def write(path: Path, *instances: str, item: str = "near") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(
        f'<lexelt item="{item}">\n{"".join(instances)}</lexelt>\n'.replace("\n", "\r\n").encode()
    )
    return path


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write(
        tmp_path / "train" / "pp-near.sents.trng.xml",
        instance("near.p.fn.1", "Newts swim <head>near</head> a pond .", "1(1)"),
        instance("near.p.fn.2", "<head>Near</head> the near end of Reed & Sons .", "2(1a)-1 3(2)"),
        instance("near.p.fn.3", "ear the pond .<head></head>", "1(1)"),
        instance("near.p.fn.4", "It came <head>near</head> .", ""),
    )
    write(
        tmp_path / "test" / "pp-near.sents.test.xml",
        instance("near.p.fn.2", "Near the <head>near</head> end ."),
    )
    (tmp_path / "tratz").mkdir()
    (tmp_path / "tratz" / "mappings_for_tpp_data").write_text("near.p.fn.1\tby.4_1\nnear.p.fn.2\tnear.2\n")
    return tmp_path


def labels(sentences: list[Sentence]) -> list[tuple[str, int, tuple[str, ...]]]:
    return [(i.id, i.start, i.senses) for s in sentences for i in s.instances]


def test_answers_of_train_and_none_of_test(folder: Path) -> None:
    sentences = list(read(folder))
    assert labels(sentences) == [
        ("train/near.p.fn.1", 2, ("near.p.1(1)",)),
        ("train/near.p.fn.2", 0, ("near.p.2(1a)-1", "near.p.3(2)")),
        ("train/near.p.fn.4", 2, ()),
        ("test/near.p.fn.2", 2, ()),
    ]
    assert sentences[1].tokens == ("Near", "the", "near", "end", "of", "Reed", "&", "Sons", ".")
    assert {(i.lemma, i.pos, i.end - i.start) for s in sentences for i in s.instances} == {("near", "p", 1)}
    assert {s.source for s in sentences} == {"FN"}


def test_a_context_without_its_head_is_a_sentence_without_an_instance(folder: Path) -> None:
    sentence = list(read(folder))[2]
    assert sentence.tokens == ("ear", "the", "pond", ".")
    assert sentence.instances == ()


def test_tratz_labels_both_splits_and_names_another_lemma(folder: Path) -> None:
    expected = [("by.p.4_1",), ("near.p.2",), (), ("near.p.2",)]
    assert [senses for *_, senses in labels(list(read(folder, inventory="tratz")))] == expected
    train = folder / "train"
    for path in (train, train / "pp-near.sents.trng.xml"):
        assert [senses for *_, senses in labels(list(read(path, inventory="tratz")))] == expected[:3]


def test_a_folder_of_one_split_and_a_file(folder: Path) -> None:
    whole = list(read(folder))
    assert (
        list(read(folder / "train")) == list(read(folder / "train" / "pp-near.sents.trng.xml")) == whole[:4]
    )


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("", 1, "empty"),
        ('<lexelt item="near">\n', 1, "no element found"),
        ('<lexelt item="near">\n<instance id="a">\n<context>x', 3, "no element found"),
        ('<lexelt item="near">\n<instance id="a">\n</lexelt>', 3, "mismatched tag"),
        ('<lexelt>\n<instance id="a"/></lexelt>', 1, "<lexelt> without the attribute 'item'"),
        ('<lexelt item="near">\n<instance/></lexelt>', 2, "<instance> without the attribute 'id'"),
        ('<lexelt item="near">\n<instance id="a"/></lexelt>', 2, "the instance a has no <context>"),
        ('<lexelt item="near">\n<context><head>near</head></context></lexelt>', 2, "in an <instance>"),
        (
            '<lexelt item="near">\n<instance id="a">\n<context>no head</context></instance></lexelt>',
            3,
            "one <head>",
        ),
        (
            '<lexelt item="near">\n<instance id="a"><context>\n<head>a</head>\n<head>b</head></context>',
            4,
            "one <head>",
        ),
        ("<corpus>\n</corpus>", 1, "<corpus> outside of <lexelt"),
        ('<!DOCTYPE a [\n<!ENTITY b "c">]>\n<lexelt item="near"></lexelt>', 2, "declares an entity"),
    ],
)
def test_broken_files(tmp_path: Path, text: str, line: int, message: str) -> None:
    path = tmp_path / "pp-near.xml"
    path.write_text(text)
    with pytest.raises(MalformedInputError) as error:
        list(read(path))
    assert str(error.value).startswith(f"{path}:{line}: ")
    assert message in str(error.value)


def test_encodings_folders_options_and_maps(folder: Path) -> None:
    path = folder / "train" / "pp-near.sents.trng.xml"
    path.write_bytes(path.read_bytes().replace(b"Newts", b"N\xfcwts"))
    with pytest.raises(MalformedInputError, match=r"trng\.xml:5: .*UTF-8"):
        list(read(folder))
    with pytest.raises(UnknownNameError, match="tratz"):
        list(read(folder, inventory="wordnet"))
    mappings = folder / "tratz" / "mappings_for_tpp_data"
    mappings.write_text("near.p.fn.1\tnear.1\nnear.p.fn.2 near.1\n")
    with pytest.raises(MalformedInputError, match="mappings_for_tpp_data:2: "):
        list(read(folder, inventory="tratz"))
    mappings.unlink()
    with pytest.raises(UserError, match="mappings_for_tpp_data"):
        list(read(folder, inventory="tratz"))
    with pytest.raises(MalformedInputError, match=r"holds no .*\.xml"):
        list(read(folder / "tratz"))


@pytest.mark.shared
def test_official_counts(shared: Path) -> None:
    sentences = list(read(shared / "tpp"))
    assert Counter(s.id.partition("/")[0] for s in sentences) == {"train": 16_553, "test": 8_111}
    assert len({s.id for s in sentences}) == len(sentences)
    targets = [(s, i) for s in sentences for i in s.instances]
    # 33 contexts are cut off, so that their heads are empty.
    assert len(sentences) - len(targets) == 33
    assert len({i.lemma for _, i in targets}) == 34
    assert all(tuple(map(str.lower, s.tokens[i.start : i.end])) == (i.lemma,) for s, i in targets)


@pytest.mark.shared
def test_senses_are_those_that_a_pattern_finds(shared: Path) -> None:
    found: Counter[str] = Counter()
    for file in (shared / "tpp" / "train").glob("*.xml"):
        text = file.read_text("utf-8")
        for instance_text in re.findall(r"<instance .*?</instance>", text, re.DOTALL):
            if "<head></head>" in instance_text or "<head/>" in instance_text:
                continue
            lemma = re.search(r'id="([a-z]+)\.', instance_text)
            answer = re.search(r'senseid="([^"]*)"', instance_text)
            assert lemma
            assert answer
            found.update(f"{lemma[1]}.p.{sense}" for sense in answer[1].split())
    assert Counter(sense for s in read(shared / "tpp") for i in s.instances for sense in i.senses) == found


@pytest.mark.shared
def test_every_label_of_tratz_is_used(shared: Path) -> None:
    lines = (shared / "tpp" / "tratz" / "mappings_for_tpp_data").read_text().splitlines()
    assert len(lines) == 24_258
    used = {
        (i.id.partition("/")[2], i.senses[0])
        for s in read(shared / "tpp", inventory="tratz")
        for i in s.instances
        if i.senses
    }
    expected = {(name, label.replace(".", ".p.", 1)) for name, label in (line.split("\t") for line in lines)}
    cut_off = {s.id.partition("/")[2] for s in read(shared / "tpp") if not s.instances}
    assert expected - used == {(name, label) for name, label in expected if name in cut_off}
    assert used <= expected
