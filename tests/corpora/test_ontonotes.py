"""OntoNotes in CoNLL-2012 columns: labels, splits, one file per document, and what is refused."""

from __future__ import annotations

import subprocess
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from uncommonsense.corpora.ontonotes import read
from uncommonsense.errors import MalformedInputError, UnknownNameError, UserError
from uncommonsense.schema import MISSING_WORD, Sentence

Word = tuple[str, str, str, str]
"""(form, tag, lemma, sense)."""

CLAUSE: list[Word] = [
    ("Otters", "NNS", "otter", "1"),
    ("-LRB-", "-LRB-", "-", "-"),
    ("nap", "VBP", "nap", "2"),
    ("-RRB-", "-RRB-", "-", "-"),
    ("daily", "JJ", "daily", "3"),
    ("/.", ".", "-", "-"),
]


def column_lines(words: list[Word], document: str) -> list[str]:
    """A sentence in 12 columns, as wide apart as the real files."""
    return [
        f"{document}   0   {i}   {form}  {tag}   (TOP*   {lemma}   -   {sense}   -   *   -"
        for i, (form, tag, lemma, sense) in enumerate(words)
    ]


def write(
    path: Path, *sentences: list[Word], document: str = "nw/pond/00/pond_0001", part: str = "000"
) -> Path:
    lines = [f"#begin document ({document}); part {part}"]
    for words in sentences:
        lines += [*column_lines(words, document), ""]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join([*lines, "#end document", ""]), "utf-8")
    return path


def tree(root: Path, split: str, name: str = "pond_0001.gold_conll", language: str = "english") -> Path:
    document = f"nw/pond/00/{name.rpartition('.')[0]}"
    folder = root / "data" / split / "data" / language / "annotations" / "nw" / "pond" / "00"
    return write(folder / name, CLAUSE, document=document)


def test_labels_are_lemma_pos_sense_for_nouns_and_verbs(tmp_path: Path) -> None:
    (sentence,) = read(write(tmp_path / "a.gold_conll", CLAUSE))
    assert sentence.tokens == ("Otters", "(", "nap", ")", "daily", ".")
    assert sentence.source == "nw/pond/00/pond_0001"
    assert [(i.start, i.end, i.lemma, i.pos, i.senses, i.split) for i in sentence.instances] == [
        (0, 1, "otter", "n", ("otter_n_1",), ""),
        (2, 3, "nap", "v", ("nap_v_2",), ""),
    ]


def test_other_tags_and_escapes_are_kept_on_request(tmp_path: Path) -> None:
    (sentence,) = read(write(tmp_path / "a.gold_conll", CLAUSE), other_tags="yes", unescape="no")
    assert sentence.tokens[1] == "-LRB-"
    assert sentence.instances[-1].senses == ("daily_x_3",)


def test_splits_come_from_directories_and_only_english_gold_is_read(tmp_path: Path) -> None:
    for split in ("train", "development", "test", "conll-2012-test"):
        tree(tmp_path, split)
    tree(tmp_path, "train", language="chinese")
    tree(tmp_path, "train", name="pond_0001.auto_conll")
    sentences = list(read(tmp_path))
    assert [i.split for s in sentences for i in s.instances[:1]] == ["dev", "test", "train"]
    assert len({s.id for s in sentences}) == 3
    more = list(read(tmp_path, conll_2012_test="yes"))
    assert {i.split for s in more for i in s.instances} == {"train", "dev", "test", "conll-2012-test"}
    assert len({s.id for s in more}) == len({i.id for s in more for i in s.instances[:1]}) == 4
    assert len(list(read(tmp_path, language="chinese"))) == 1


def test_the_split_of_a_part_of_a_tree_and_of_a_single_file(tmp_path: Path) -> None:
    file = tree(tmp_path, "development")
    for path in (file, file.parent, tmp_path / "data" / "development"):
        assert [s.instances[0].split for s in read(path)] == ["dev"]


def test_a_users_own_folder_called_test_is_no_split(tmp_path: Path) -> None:
    write(tmp_path / "test" / "mine" / "a.gold_conll", CLAUSE)
    assert [s.instances[0].split for s in read(tmp_path / "test" / "mine")] == [""]


def test_words_go_before_skeletons_and_document_names_may_hold_dots(tmp_path: Path) -> None:
    bare = [(MISSING_WORD, *word[1:]) for word in CLAUSE]
    for name in ("p2.5_a2e_0009", "p2.5_a2e_0019"):
        write(tmp_path / f"{name}.gold_skel", bare, document=name)
    write(tmp_path / "p2.5_a2e_0009.v4_gold_conll", CLAUSE, document="p2.5_a2e_0009")
    first, second = read(tmp_path)
    assert first.tokens[0] == "Otters"
    assert second.tokens == (MISSING_WORD,) * 6


def test_blanks_beyond_ascii_are_part_of_a_word(tmp_path: Path) -> None:
    words = [
        ("10\N{NO-BREAK SPACE}km", "NN", "km", "1"),
        ("caf\N{LATIN SMALL LETTER E WITH ACUTE}", "NN", "-", "-"),
    ]
    (sentence,) = read(write(tmp_path / "a.gold_conll", words))
    assert sentence.tokens == tuple(word[0] for word in words)


@given(lengths=st.lists(st.integers(1, 600), min_size=1, max_size=4))
def test_any_number_of_words_and_sentences(
    tmp_path_factory: pytest.TempPathFactory, lengths: list[int]
) -> None:
    sentences = [[("w", "VB", "be", str(i)) for i in range(length)] for length in lengths]
    found: list[Sentence] = list(read(write(tmp_path_factory.mktemp("any") / "a.gold_conll", *sentences)))
    assert [len(s.instances) for s in found] == lengths
    assert len({i.id for s in found for i in s.instances}) == sum(lengths)


def broken(path: Path, edit: dict[int, str | None]) -> Path:
    """A file of two sentences, some of its lines (from 1) replaced, or dropped where None."""
    lines = write(path / "a.gold_conll", CLAUSE, CLAUSE).read_text().splitlines()
    kept = [edit.get(i, line) for i, line in enumerate(lines, 1)]
    (path / "a.gold_conll").write_text("".join(f"{line}\n" for line in kept if line is not None))
    return path / "a.gold_conll"


ROW = column_lines(CLAUSE, "d")


@pytest.mark.parametrize(
    ("edit", "line", "message"),
    [
        ({3: "d 0 1 x"}, 3, "4 columns, expected 12"),
        ({3: f"{ROW[1]} extra"}, 3, "13 columns, expected 12"),
        ({2: "d 0 0 x"}, 2, "4 columns"),
        ({11: None}, 11, "word number 3 in column 3, expected 2"),
        (
            {4: ROW[2].replace("nap   -   2", "-   -   2")},
            4,
            "the sense 2 (column 9) lacks its lemma (column 7)",
        ),
        ({16: None}, 15, "ends without '#end document'"),
        ({1: None}, 1, "outside of a '#begin document'"),
        ({1: "#begin document of some kind"}, 1, "expected '#begin document (NAME); part 000'"),
        ({8: "#begin document (d); part 001"}, 8, "no '#end document'"),
    ],
)
def test_broken_files(tmp_path: Path, edit: dict[int, str | None], line: int, message: str) -> None:
    path = broken(tmp_path, edit)
    with pytest.raises(MalformedInputError) as error:
        list(read(path))
    assert str(error.value).startswith(f"{path}:{line}: ")
    assert message in str(error.value)


@pytest.mark.parametrize(
    ("old", "new", "line"),
    [
        (b"nap  VBP", b"n\xe4p  VBP", 4),
        (b"nap   -", b"n\xe4p   -", 4),
        (b"-   2   -", b"-   \xe4   -", 4),
        (b"(nw/pond", b"(nw/p\xe4nd", 1),
    ],
)
def test_text_that_is_not_utf8(tmp_path: Path, old: bytes, new: bytes, line: int) -> None:
    path = write(tmp_path / "a.gold_conll", CLAUSE)
    data = path.read_bytes()
    assert data.count(old) == 1
    path.write_bytes(data.replace(old, new))
    with pytest.raises(MalformedInputError, match=rf"a\.gold_conll:{line}: byte 0xe4 is not UTF-8"):
        list(read(path))


def test_an_empty_file_an_empty_folder_and_no_folder(tmp_path: Path) -> None:
    (tmp_path / "a.gold_conll").touch()
    with pytest.raises(MalformedInputError, match=r"a\.gold_conll:1: no '#begin document'"):
        list(read(tmp_path))
    (tmp_path / "empty").mkdir()
    with pytest.raises(MalformedInputError, match=r"no \*\.gold_conll"):
        list(read(tmp_path / "empty"))
    with pytest.raises(UserError, match="no such file or folder"):
        list(read(tmp_path / "nowhere"))
    with pytest.raises(UnknownNameError, match="english"):
        list(read(tmp_path, language="englisch"))


def test_a_document_that_occurs_twice(tmp_path: Path) -> None:
    write(tmp_path / "a.gold_conll", CLAUSE)
    write(tmp_path / "b.gold_conll", CLAUSE)
    with pytest.raises(
        MalformedInputError, match=r"b\.gold_conll:2: .* was read before, from .*a\.gold_conll"
    ):
        list(read(tmp_path))


@pytest.mark.shared
def test_labels_of_a_real_file_are_those_that_awk_finds(shared: Path) -> None:
    path = shared / "ontonotes_format" / "cctv_0000.gold_skel"
    program = '$9 != "-" && /^[^#]/ {print $7 "_" tolower(substr($5, 1, 1)) "_" $9}'
    awk = subprocess.run(["awk", program, str(path)], capture_output=True, text=True, check=True)
    sentences = list(read(path))
    labels = Counter(i.senses[0] for s in sentences for i in s.instances)
    assert labels == Counter(awk.stdout.split())
    assert labels.total() == 337
    assert sum(len(s.tokens) for s in sentences) == 3588
    assert len({s.id for s in sentences}) == len(sentences)
