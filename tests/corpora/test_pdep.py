"""PDEP: the same instances from CoNLL-U, SQLite and SQL dumps; the hashed split; what is refused."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from uncommonsense.corpora import sqldump
from uncommonsense.corpora.pdep import PREPOSITIONS, read
from uncommonsense.errors import MalformedInputError, UnknownNameError, UserError
from uncommonsense.schema import Instance, Sentence

Row = tuple[str, str, int, str | None, int, str]
"""(prep, source, inst, sense, preploc, sentence)."""

ROWS: list[Row] = [
    ("about", "CPA", 11, "1(1)", 18, "They quarrel a lot about the pond 's edge ."),
    ("about", "FN", 12, "3(2)-1", 0, "About the otter we know little , and about eels less ."),
    ("for", "OEC", 13, "4(2) 7(3a)", 12, "Newts waited for rain ."),
    ("out of", "CPA", 14, "1(1)", 10, "They swam out of sight ."),
    ("of", "CPA", 15, "unk", 5, "tons of mud"),
    ("of", "CPA", 16, None, 5, "tons of mud"),
    ("of", "CPA", 17, "2(1a)", 2, "tons of mud"),
    ("amid", "CPA", 18, "1(1)", 5, "reeds amid water"),
]


def write_sqlite(path: Path, rows: list[Row] = ROWS) -> Path:
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE prepcorp (prep, source, inst INT, sense, preploc INT, sentence)")
    connection.executemany("INSERT INTO prepcorp VALUES (?, ?, ?, ?, ?, ?)", rows)
    connection.commit()
    connection.close()
    return path


def literal(value: str | int | None) -> str:
    """A value as MySQL's dumps write it."""
    if value is None:
        return "NULL"
    if isinstance(value, int):
        return str(value)
    for sign, escaped in (("\\", "\\\\"), ("'", "''"), ("\n", "\\n"), ("\r", "\\r"), ("\0", "\\0")):
        value = value.replace(sign, escaped)
    return f"'{value}'"


def write_dump(path: Path, rows: list[Row] = ROWS, *, between: str = ",\n", named: bool = True) -> Path:
    names = ("prep", "source", "inst", "sense", "preploc", "sentence")
    values = between.join(f"({', '.join(map(literal, row))})" for row in rows)
    created = "".join(f"  `{name}` text,\n" for name in names)
    columns = f" ({', '.join(f'`{name}`' for name in names)})" if named else ""
    path.write_text(
        "-- a dump\n\nINSERT INTO `prepdefs` VALUES ('of', _binary 'x', f(2));\n\n"
        f"CREATE TABLE IF NOT EXISTS `prepcorp` (\n{created}  PRIMARY KEY (`inst`)\n) ENGINE=InnoDB;\n"
        f"INSERT INTO `prepcorp`{columns} VALUES\n{values};\n",
        "utf-8",
    )
    return path


def conllu(words: str, target: int, lemma: str, misc: str, *, source: str = "CPA") -> str:
    lines = [f"# source = {source}", f"# prep_id = {target}"]
    for number, word in enumerate(words.split(), 1):
        ends = (lemma, misc) if number == target else ("_", "_")
        lines.append("\t".join((str(number), word, ends[0], *"______", ends[1])))
    return "\n".join([*lines, "", ""])


def summary(sentences: list[Sentence]) -> list[tuple[str, int, int, str, tuple[str, ...]]]:
    return [(s.source, i.start, i.end, i.lemma, i.senses) for s in sentences for i in s.instances]


EXPECTED = [
    ("CPA", 4, 5, "about", ("about.p.1(1)",)),
    ("FN", 0, 1, "about", ("about.p.3(2)-1",)),
    ("OEC", 2, 3, "for", ("for.p.4(2)", "for.p.7(3a)")),
]


def test_the_48_prepositions() -> None:
    assert len(PREPOSITIONS) == 48
    assert {"circa", "than", "without"} <= PREPOSITIONS


def test_a_database_and_its_dumps_give_the_same_sentences(tmp_path: Path) -> None:
    sentences = list(read(write_sqlite(tmp_path / "prepcorp.sqlite")))
    assert summary(sentences) == EXPECTED
    assert sentences[0].tokens == tuple(ROWS[0][-1].split())
    for between, named in ((",\n", True), (",", False), (" ,\n\n ", True)):
        assert list(read(write_dump(tmp_path / "p.sql", between=between, named=named))) == sentences


def test_all_prepositions_include_those_of_several_words(tmp_path: Path) -> None:
    sentences = list(read(write_sqlite(tmp_path / "prepcorp.db"), prepositions="all"))
    assert summary(sentences)[3:] == [
        ("CPA", 2, 4, "out_of", ("out_of.p.1(1)",)),
        ("CPA", 1, 2, "amid", ("amid.p.1(1)",)),
    ]
    assert len({s.id for s in sentences}) == 5


def test_text_that_is_not_tokenised_can_be(tmp_path: Path) -> None:
    path = write_sqlite(tmp_path / "p.sqlite", [("near", "OEC", 1, "1(1)", 10, "It's wet, near, too.")])
    (blanks,), (words,) = read(path), read(path, tokens="words")
    assert blanks.tokens == ("It's", "wet,", "near", ",", "too.")
    assert words.tokens == ("It", "'s", "wet", ",", "near", ",", "too", ".")
    assert [s.tokens[i.start : i.end] for s in (blanks, words) for i in s.instances] == [("near",)] * 2


def test_conllu(tmp_path: Path) -> None:
    blocks = [
        conllu("They quarrel a lot about it .", 5, "about", "SpaceAfter=No|Sense=1(1)"),
        conllu("About the otter", 1, "about", "Sense=3(2)-1", source="FN"),
        conllu("Newts waited for rain .", 3, "for", "Sense=4(2) 7(3a)", source="OEC"),
        *(conllu("tons of mud", 2, "of", f"Sense={tag}") for tag in ("unk", "x", "pv", "adverb", "1(!)", "")),
        conllu("tons of mud", 2, "of", "_"),
        conllu("reeds amid water", 2, "amid", "Sense=1(1)"),
    ]
    (tmp_path / "pdep.conllu").write_text("".join(blocks))
    assert summary(list(read(tmp_path / "pdep.conllu"))) == EXPECTED
    assert len(list(read(tmp_path / "pdep.conllu", prepositions="all"))) == 4


def test_a_folder_of_train_and_test(tmp_path: Path) -> None:
    for split in ("train", "test"):
        block = conllu("They quarrel a lot about it .", 5, "about", "Sense=1(1)")
        (tmp_path / f"pdep_{split}.conllu").write_text(block)
    sentences = list(read(tmp_path))
    assert [i.split for s in sentences for i in s.instances] == ["test", "train"]
    assert len({s.id for s in sentences}) == 2


def targets(path: Path, **options: str) -> dict[str, Instance]:
    return {i.id: i for s in read(path, **options) for i in s.instances}


def test_the_hashed_split_is_80_to_20_and_stays_when_rows_go(tmp_path: Path) -> None:
    rows: list[Row] = [("of", "CPA", i, "1(1)", 5, f"tons of mud {i}") for i in range(4000)]
    path = write_sqlite(tmp_path / "all.sqlite", rows)
    every = targets(path)
    share = sum(i.split == "test" for i in every.values()) / len(rows)
    assert share == pytest.approx(0.2, abs=0.03)
    assert {i.split for i in every.values()} == {"train", "test"}
    some = targets(write_dump(tmp_path / "some.sql", rows[::-3]))
    assert some == {name: every[name] for name in some}
    assert targets(path, seed="1") != every
    assert {i.split for i in targets(path, test="0").values()} == {""}


_TEXT = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=30)


@given(
    rows=st.lists(st.tuples(_TEXT, _TEXT, st.integers(), _TEXT | st.none(), st.integers(), _TEXT), min_size=1)
)
def test_any_text_survives_a_dump(tmp_path_factory: pytest.TempPathFactory, rows: list[Row]) -> None:
    path = write_dump(tmp_path_factory.mktemp("dump") / "p.sql", rows)
    found = [tuple(row.values()) for _, row in sqldump.read_table(path, "prepcorp")]
    assert found == [tuple(None if value is None else str(value) for value in row) for row in rows]


def test_a_dump_with_line_breaks_in_its_strings_keeps_count_of_lines(tmp_path: Path) -> None:
    path = tmp_path / "p.sql"
    path.write_text("INSERT INTO t (a, b) VALUES ('x\ny', 1), ('it''s', NULL),\n('z', 3);\n")
    assert list(sqldump.read_table(path, "t")) == [
        (1, {"a": "x\ny", "b": "1"}),
        (2, {"a": "it's", "b": None}),
        (3, {"a": "z", "b": "3"}),
    ]


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        (conllu("tons of mud", 4, "of", "_"), 1, "prep_id = 4, expected the number of a word, 1 to 3"),
        (conllu("tons of mud", 0, "of", "_"), 1, "prep_id = 0"),
        (conllu("tons of mud", 2, "of", "_").replace("= 2", "= two"), 1, "prep_id = two"),
        (conllu("tons of mud", 2, "of", "Sense=1(1)").replace("= 2", "= 3"), 4, "a Sense= on word 2"),
        (conllu("tons of mud", 2, "of", "_").replace("# prep_id = 2\n", ""), 1, "without '# prep_id = N'"),
        (conllu("tons of mud", 2, "of", "_")[:40], 3, "columns, expected 10"),
        (
            conllu("tons of mud", 2, "of", "_").replace("\n3\t", "\n7\t"),
            5,
            "word number '7' in column 1, expected 3",
        ),
        ("# prep_id = 1\n\n", 1, "comments without a sentence"),
        ("", 1, "empty"),
    ],
)
def test_broken_conllu(tmp_path: Path, text: str, line: int, message: str) -> None:
    path = tmp_path / "pdep.conllu"
    path.write_text(text)
    with pytest.raises(MalformedInputError) as error:
        list(read(path))
    assert str(error.value).startswith(f"{path}:{line}: ")
    assert message in str(error.value)


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("INSERT INTO `prepcorp` (`prep`) VALUES\n('of'),\n('on', 2);", 2, "lacks the columns source, inst"),
        ("INSERT INTO `prepcorp` (`prep`, `inst`) VALUES\n('of');", 2, "1 values, expected 2"),
        ("INSERT INTO `prepcorp` VALUES ('of');", 1, "1 values, expected 0"),
    ],
)
def test_broken_dumps(tmp_path: Path, text: str, line: int, message: str) -> None:
    path = tmp_path / "p.sql"
    path.write_text(text)
    with pytest.raises(MalformedInputError) as error:
        list(read(path))
    assert str(error.value).startswith(f"{path}:{line}: ")
    assert message in str(error.value)


@pytest.mark.parametrize("cut", [3, 12, 30])
def test_a_dump_that_breaks_off(tmp_path: Path, cut: int) -> None:
    path = write_dump(tmp_path / "p.sql")
    text = path.read_text()
    path.write_text(text[:-cut])
    with pytest.raises(
        MalformedInputError, match=rf"p\.sql:{text.count(chr(10))}: .* a semicolon behind the last"
    ):
        list(read(path))


def test_a_place_that_is_no_number(tmp_path: Path) -> None:
    path = write_dump(tmp_path / "p.sql")
    path.write_text(path.read_text().replace(" 18,", " 'x',"))
    with pytest.raises(MalformedInputError, match=r"p\.sql:15: prep 'about' at preploc 'x'"):
        list(read(path))


def test_databases_without_the_table_or_damaged(tmp_path: Path) -> None:
    path = tmp_path / "p.sqlite"
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE prepdefs (prep)")
    connection.close()
    with pytest.raises(MalformedInputError, match=r"p\.sqlite: no such table: prepcorp"):
        list(read(path))
    path.write_bytes(b"SQLite format 3\0" + bytes(200))
    with pytest.raises(MalformedInputError, match="prepcorp"):
        list(read(path))


def test_reading_a_database_leaves_it_alone(tmp_path: Path) -> None:
    path = write_sqlite(tmp_path / "p?x=1.sqlite")
    before = path.read_bytes()
    list(read(path))
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


def test_encodings_options_and_folders(tmp_path: Path) -> None:
    (tmp_path / "a.conllu").write_bytes(
        conllu("tons of mud", 2, "of", "_").encode().replace(b"mud", b"m\xfcd")
    )
    with pytest.raises(MalformedInputError, match=r"a\.conllu:5: .*UTF-8"):
        list(read(tmp_path))
    with pytest.raises(UserError, match="test=2"):
        list(read(tmp_path, test="2"))
    with pytest.raises(UnknownNameError, match="common"):
        list(read(tmp_path, prepositions="some"))
    (tmp_path / "none").mkdir()
    with pytest.raises(MalformedInputError, match=r"holds no .*\.conllu"):
        list(read(tmp_path / "none"))


@pytest.mark.shared
def test_the_official_definitions_are_a_dump_of_another_table(shared: Path) -> None:
    path = shared / "pdep" / "prepdefs.sql"
    with pytest.raises(MalformedInputError, match="it fills prepdefs"):
        list(read(path))
    rows = list(sqldump.read_table(path, "prepdefs"))
    assert len(rows) == 1040
    lines = path.read_text("utf-8").splitlines()
    assert all(lines[line - 1].startswith("('") for line, _ in rows)
