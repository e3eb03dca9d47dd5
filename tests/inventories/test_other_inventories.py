"""FEWS, OntoNotes and preposition inventories."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from uncommonsense.errors import MalformedInputError, MissingResourceError, UnknownNameError, UserError
from uncommonsense.inventories import SPECS, Inventory, open_inventory
from uncommonsense.inventories.columns import Strings
from uncommonsense.inventories.fews import open_fews
from uncommonsense.inventories.ontonotes import OntoNotes
from uncommonsense.inventories.prepositions import open_pdep, open_tratz
from uncommonsense.inventories.table import TableInventory
from uncommonsense.schema import Sense

FEWS = """\
sense_id:\tspoon.noun.0
word:\tspoon
gloss:\tA bowl on a stick.
tags:\tcountable, dated
depth:\t1
synonyms:\tladle, big scoop

sense_id:\tspoon.verb.0
word:\tspoon
gloss:\tTo move with a spoon: carefully.
tags:\t
depth:\t2
synonyms:\t

sense_id:\tSpoon.name.0
word:\tSpoon
gloss:\tA surname.

sense_id:\tspoon.noun.1
word:\tspoon
gloss:\tA bait.
"""


@pytest.fixture
def fews(tmp_path: Path) -> Path:
    file = tmp_path / "senses.txt"
    file.write_text(FEWS, "utf-8")
    return file


class TestFews:
    def test_reads_a_file_or_a_folder(self, fews: Path) -> None:
        inventory = open_inventory(f"fews:{fews}")
        assert isinstance(inventory, Inventory)
        assert inventory.name == "fews"
        assert list(open_fews(fews.parent).senses()) == list(inventory.senses())
        assert len(inventory) == 4

    def test_senses(self, fews: Path) -> None:
        inventory = open_fews(fews)
        assert inventory.sense("spoon.noun.0") == Sense(
            "spoon.noun.0",
            ("spoon", "ladle", "big scoop"),
            "n",
            "A bowl on a stick.",
            tags=("countable", "dated", "depth=1"),
        )
        assert inventory.gloss("spoon.verb.0") == "To move with a spoon: carefully."

    def test_candidates(self, fews: Path) -> None:
        inventory = open_fews(fews)
        everything = ("spoon.noun.0", "spoon.noun.1", "spoon.verb.0", "Spoon.name.0")
        assert inventory.candidates("spoon") == inventory.candidates("SPOON") == everything
        assert inventory.candidates("spoon", "n") == everything[:2]
        assert inventory.candidates("spoon", "x") == everything[3:]
        assert inventory.candidates("ladle") == inventory.candidates("spoon", "q") == ()
        assert list(inventory.lemmas()) == ["spoon"]

    @pytest.mark.parametrize(
        ("text", "line", "message"),
        [
            ("\nspoons\n", 2, "'spoons' begins with none of the fields sense_id: word:"),
            ("word:\tspoon\ngloss:\tx\n", 1, "no 'sense_id'"),
            ("\n\nsense_id:\tspoon.noun.0\ngloss:\tx\n", 3, "no 'word'"),
            ("sense_id:\tspoon\nword:\tspoon\ngloss:\tx\n", 1, "word.pos.N"),
            ("sense_id:\ta.b.1\nword:\ta\ngloss:\tx\nword:\tb\n", 4, "a second 'word'"),
        ],
    )
    def test_broken_files_say_where(self, tmp_path: Path, text: str, line: int, message: str) -> None:
        file = tmp_path / "senses.txt"
        file.write_text(text)
        with pytest.raises(MalformedInputError) as caught:
            open_fews(file)
        assert str(caught.value).startswith(f"{file}:{line}: ")
        assert message in str(caught.value)

    @pytest.mark.parametrize(
        ("name", "pos"),
        [("adjective", "a"), ("adj", "a"), ("adv", "r"), ("s", "a"), ("p", "p"), ("name", "x")],
    )
    def test_parts_of_speech(self, tmp_path: Path, name: str, pos: str) -> None:
        (tmp_path / "senses.txt").write_text(f"sense_id:\ton.{name}.1\nword:\ton\ngloss:\tx\n")
        assert open_fews(tmp_path).sense(f"on.{name}.1").pos == pos

    def test_of_equal_ids_the_first_counts(self, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
        file = tmp_path / "senses.txt"
        file.write_text("".join(f"sense_id:\ta.b.1\nword:\ta\ngloss:\t{n}\n\n" for n in "xyz"))
        assert open_fews(file).gloss("a.b.1") == "x"
        (record,) = caplog.records
        assert record.getMessage().startswith(f"{file}:5: the id 'a.b.1' was used before, on line 1")
        assert record.getMessage().endswith("left out of this file: 2")

    def test_a_value_may_go_on_and_a_gloss_may_be_missing(self, tmp_path: Path) -> None:
        text = "sense_id:\ta.b.1\nword:\ta\ngloss:\tone\ntwo: three\ntags:\t\n\nsense_id:\ta.b.2\nword:\ta\n"
        (tmp_path / "senses.txt").write_text(text)
        inventory = open_fews(tmp_path)
        assert [inventory.gloss(sense) for sense in inventory.senses()] == ["one two: three", ""]

    def test_not_text(self, tmp_path: Path) -> None:
        file = tmp_path / "senses.txt"
        file.write_bytes(b"sense_id:\tcaf\xe9.noun.0\n")
        with pytest.raises(MalformedInputError, match=r"senses\.txt:1: not UTF-8"):
            open_fews(file)

    def test_an_empty_file_is_an_empty_inventory(self, tmp_path: Path) -> None:
        (tmp_path / "senses.txt").touch()
        inventory = open_fews(tmp_path)
        assert (len(inventory), list(inventory.lemmas()), inventory.candidates("a")) == (0, [], ())
        assert "a" not in inventory


GROUPING = """\
<?xml version="1.0" ?><!DOCTYPE inventory SYSTEM 'nowhere.dtd'><inventory lemma="stir-v">
  <sense group="1" n="1" name="mix & move" type="">
    <commentary>Note: a < b, &unknown; too</commentary>
    <examples>
      She stirred the salt & pepper.

      They stir.
    </examples>
    <mappings><wn version="3.0">1,12</wn><wn lemma="stir_up" version="2.1">2</wn><wn lemma="" version=""/>
      <omega/><pb>stir.01</pb><vn>mix-1.2,
      shake-22.3</vn><fn/></mappings>
  </sense>
  <sense group="1" n="2" name="None of the above"><examples></examples></sense>
</inventory>
"""


class TestOntoNotes:
    def write(self, folder: Path, text: str = GROUPING, name: str = "stir-v.xml") -> Path:
        (folder / name).write_text(text)
        return folder

    def test_senses(self, tmp_path: Path) -> None:
        inventory = open_inventory(f"ontonotes:{self.write(tmp_path)}")
        assert inventory.candidates("stir", "v") == ("stir_v_1", "stir_v_2")
        assert inventory.sense("stir_v_1") == Sense(
            "stir_v_1",
            ("stir",),
            "v",
            "mix & move",
            ("She stirred the salt & pepper.", "They stir."),
            (
                ("wordnet_3.0", "stir.v.01"),
                ("wordnet_3.0", "stir.v.12"),
                ("wordnet_2.1", "stir_up.v.02"),
                ("propbank", "stir.01"),
                ("verbnet", "mix-1.2"),
                ("verbnet", "shake-22.3"),
            ),
        )

    def test_none_of_the_above(self, tmp_path: Path) -> None:
        assert OntoNotes.open(self.write(tmp_path)).none_of_the_above() == {"stir_v_2"}

    @pytest.mark.parametrize(
        ("old", "new", "line", "message"),
        [
            ('n="1"', 'm="1"', 2, "attribute 'n'"),
            ("</examples>", "", 12, "mismatched tag"),
            ("inventory", "dictionary", 1, "<inventory lemma="),
            ("SYSTEM 'nowhere.dtd'", '[<!ENTITY a "b">]', 1, "entity"),
        ],
    )
    def test_broken_files_say_where(
        self, tmp_path: Path, old: str, new: str, line: int, message: str
    ) -> None:
        self.write(tmp_path, GROUPING.replace(old, new))
        with pytest.raises(MalformedInputError) as caught:
            OntoNotes.open(tmp_path)
        assert str(caught.value).startswith(f"{tmp_path / 'stir-v.xml'}:{line}: ")
        assert message in str(caught.value)

    def test_a_sense_defined_twice(self, tmp_path: Path) -> None:
        self.write(self.write(tmp_path), name="tsir-v.xml")
        with pytest.raises(MalformedInputError, match=r"tsir-v\.xml: .*stir_v_1.*stir-v\.xml"):
            OntoNotes.open(tmp_path)

    def test_external_entities_are_not_read(self, tmp_path: Path) -> None:
        (tmp_path / "secret").write_text("secret")
        attack = f'<!DOCTYPE inventory [<!ENTITY x SYSTEM "{tmp_path}/secret">]>'
        self.write(tmp_path, attack + '<inventory lemma="a-v"><sense n="1" name="a">&x;</sense></inventory>')
        with pytest.raises(MalformedInputError, match="entity"):
            OntoNotes.open(tmp_path)

    def test_other_encodings(self, tmp_path: Path) -> None:
        text = '<inventory lemma="a-v"><sense n="1" name="caf\xe9"/></inventory>'
        (tmp_path / "a-v.xml").write_bytes(text.encode("latin-1"))
        assert OntoNotes.open(tmp_path).gloss("a_v_1") == "caf\xe9"

    @pytest.mark.shared
    def test_real_files(self, shared: Path) -> None:
        inventory = OntoNotes.open(shared / "ontonotes_format")
        assert inventory.candidates("ability") == ("ability_n_1", "ability_n_2", "ability_n_3")
        assert inventory.none_of_the_above() == {"ability_n_3"}
        assert len(inventory.sense("abandon_v_1").examples) == 5


def dump(rows: list[tuple[str, str, str]]) -> str:
    """An SQL dump, quoted as MySQL does."""
    quoted = [
        tuple("'" + each.replace("\\", "\\\\").replace("'", "''").replace("\n", "\\n") + "'" for each in row)
        for row in rows
    ]
    return "INSERT INTO `prepdefs` (`prep`, `sense`, `def`) VALUES\n" + ",\n".join(
        f"({', '.join(row)})" for row in quoted
    )


class TestPdep:
    def write(self, folder: Path, text: str) -> Path:
        file = folder / "prepdefs.sql"
        file.write_text("-- comment; 'quoted'\n" + text, "utf-8")
        return file

    def test_senses_in_numerical_order(self, tmp_path: Path) -> None:
        rows = [
            ("o'", "1(1)", "it's"),
            ("o'", "10(4)", "ten"),
            ("o'", "2(1a)", "two; (three),"),
            ("as to", "1", "x"),
        ]
        inventory = open_inventory(f"pdep:{self.write(tmp_path, dump(rows) + ';')}")
        assert inventory.candidates("o'", "p") == ("o'.p.1(1)", "o'.p.2(1a)", "o'.p.10(4)")
        assert inventory.gloss("o'.p.1(1)") == "it's"
        assert inventory.gloss("o'.p.2(1a)") == "two; (three),"
        assert inventory.candidates("As to") == ("as_to.p.1",)

    def test_other_escapes(self, tmp_path: Path) -> None:
        text = "INSERT INTO prepdefs (def, prep, sense) VALUES\n("
        text += "'it\\'s \\\"so\\\"', 'by', '1'), (NULL,'by','2');"
        inventory = open_pdep(self.write(tmp_path, text))
        assert inventory.gloss("by.p.1") == 'it\'s "so"'
        assert inventory.gloss("by.p.2") == ""

    @pytest.mark.parametrize(
        ("text", "line", "message"),
        [
            (dump([("a", "1", "x")]), 3, "semicolon"),
            (dump([("a", "1", "x"), ("a", "1", "y")]) + ";", 4, "repeats"),
            (dump([("a", "1", "x")]).replace(", 'x'", "") + ";", 3, "does not fit"),
            (dump([("a", "1", "x")]).replace("'x'", "x") + ";", 3, "quoted values"),
            (dump([("a", "1", "x")]).replace("`def`", "`text`") + ";", 2, "prep, sense, def"),
        ],
    )
    def test_broken_files_say_where(self, tmp_path: Path, text: str, line: int, message: str) -> None:
        file = self.write(tmp_path, text)
        with pytest.raises(MalformedInputError) as caught:
            open_pdep(file)
        assert str(caught.value).startswith(f"{file}:{line}: ")
        assert message in str(caught.value)

    def test_no_rows(self, tmp_path: Path) -> None:
        with pytest.raises(MalformedInputError, match="no INSERT INTO"):
            open_pdep(self.write(tmp_path, ""))

    @given(st.lists(st.text(st.characters(codec="ascii", exclude_categories=["Cc"])), min_size=1))
    def test_any_text_survives_quoting(
        self, tmp_path_factory: pytest.TempPathFactory, texts: list[str]
    ) -> None:
        rows = [("by", str(number), text) for number, text in enumerate(texts)]
        inventory = open_pdep(self.write(tmp_path_factory.mktemp("sql"), dump(rows) + ";"))
        assert [inventory.gloss(each) for each in inventory.candidates("by")] == texts

    @pytest.mark.shared
    def test_real_file(self, shared: Path) -> None:
        inventory = open_pdep(shared / "pdep" / "prepdefs.sql")
        assert len(inventory) == 1_040
        assert inventory.candidates("about")[0] == "about.p.1(1)"
        assert all(inventory.gloss(each) for each in inventory.senses())
        assert all(each.split(".p.")[0] for each in inventory.senses())

    @pytest.mark.shared
    def test_answers_of_the_training_data_are_known(self, shared: Path) -> None:
        import re

        inventory = open_pdep(shared / "pdep" / "prepdefs.sql")
        labels = {
            f"{lemma}.p.{sense}"
            for file in (shared / "tpp" / "train").glob("*.xml")
            for lemma in re.findall(r"pp-(\w+)\.", file.name)
            for sense in " ".join(re.findall(r'senseid="([^"]*)"', file.read_text("latin-1"))).split()
        }
        assert len(labels) > 200
        assert sum(label in inventory for label in labels) / len(labels) > 0.9


DEFINITIONS = """\
<?xml version="1.0"?>
<defset prep="beside">
  <!-- <sense id="0"><definition>old</definition></sense> -->
  <sense id="1"><definition>next <i>to</i></definition><majorcluster>SPATIAL</majorcluster>
    <pprojmap type="equivalent" targetid="1(1)"/></sense>
  <sense id="1.1"><definition>as well as</definition>
    <pprojmap prep="besides" type="subsumes" unionof="1(1),2(1a)"/><pprojmap type="" targetid=""/></sense>
  <sense id="2"><pprojmap type="equivalent" subsetof="3(2)"/></sense>
</defset>
"""


class TestTratz:
    def test_senses(self, tmp_path: Path) -> None:
        (tmp_path / "beside.def.xml").write_text(DEFINITIONS)
        inventory = open_inventory(f"tratz:{tmp_path}")
        assert inventory.candidates("beside", "p") == ("beside.p.1", "beside.p.1_1", "beside.p.2")
        sense = inventory.sense("beside.p.1")
        assert (sense.gloss, sense.tags) == ("next to", ("SPATIAL",))
        assert sense.relations == (("equivalent", "beside.p.1(1)"),)
        assert inventory.sense("beside.p.1_1").relations == (
            ("subsumes_union", "besides.p.1(1)"),
            ("subsumes_union", "besides.p.2(1a)"),
        )
        assert inventory.sense("beside.p.2").relations == (("equivalent_subset", "beside.p.3(2)"),)

    def test_broken_files_say_where(self, tmp_path: Path) -> None:
        file = tmp_path / "beside.def.xml"
        file.write_text(DEFINITIONS.replace('id="1.1"', 'id="1"'))
        with pytest.raises(MalformedInputError, match="repeated id '1'") as caught:
            open_tratz(tmp_path)
        assert str(caught.value).startswith(f"{file}:6: ")
        file.write_text("<other/>")
        with pytest.raises(MalformedInputError, match="<other>"):
            open_tratz(tmp_path)

    @pytest.mark.shared
    def test_labels_of_the_corpus_are_known(self, shared: Path) -> None:
        inventory = open_tratz(shared / "tpp" / "tratz" / "definitions")
        lines = (shared / "tpp" / "tratz" / "mappings_for_tpp_data").read_text().splitlines()
        labels = [line.split("\t")[1].partition(".") for line in lines]
        unknown = {f"{lemma}.p.{sense}" for lemma, _, sense in labels} - set(inventory.senses())
        # Labels for what the definitions leave out, without definitions of their own.
        assert unknown == {"of.p.99", *(f"{lemma}.p.other" for lemma in ("for", "from", "in", "off", "on"))}


@pytest.mark.parametrize("spec", ["fews:{}", "ontonotes:{}", "pdep:{}/x.sql", "tratz:{}", "wordnet:{}"])
def test_empty_folders(tmp_path: Path, spec: str) -> None:
    with pytest.raises(MissingResourceError, match=str(tmp_path)):
        open_inventory(spec.format(tmp_path))


@pytest.mark.parametrize("spec", ["fews", "fews:", "pdep", "sampler:x", "wordnet:"])
def test_incomplete_specifications(spec: str) -> None:
    with pytest.raises(UserError, match="known forms: fews:DIR"):
        open_inventory(spec)


def test_unknown_specification() -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'wordnet'") as caught:
        open_inventory("wordnt")
    assert all(spec in str(caught.value) for spec in SPECS)


def test_unknown_senses_name_their_neighbours(fews: Path) -> None:
    with pytest.raises(UnknownNameError, match=r"spoon\.noun\.9.*did you mean 'spoon\.noun\.1'"):
        open_fews(fews).sense("spoon.noun.9")


WORD = st.text("abAB _é", min_size=1, max_size=4)


@given(st.lists(st.tuples(WORD, st.sampled_from("nvarpx")), max_size=30))
def test_any_table_answers_like_a_list(words: list[tuple[str, str]]) -> None:
    senses = [Sense(f"{i}", (word, "other"), pos, word * 2) for i, (word, pos) in enumerate(words)]
    inventory = TableInventory.from_senses(senses, name="any")
    assert [inventory.sense(each) for each in inventory.senses()] == senses
    for word, pos in words:
        same = [each for each in senses if _fold(each.lemmas[0]) == _fold(word)]
        assert inventory.candidates(word, pos) == tuple(each.id for each in same if each.pos == pos)
        ordered = sorted(same, key=lambda each: "nvarpx".index(each.pos))
        assert inventory.candidates(word) == tuple(each.id for each in ordered)


def _fold(word: str) -> str:
    return word.lower().replace(" ", "_")


@given(st.lists(st.text()), st.text())
def test_strings_behave_like_a_tuple(texts: list[str], other: str) -> None:
    import pyarrow as pa

    rows = sorted(set(texts))
    column = Strings(pa.array(["before", *rows, "behind"], pa.string()).slice(1, len(rows)))
    assert (len(column), tuple(column), column[:], column[1:3]) == (
        len(rows),
        tuple(rows),
        tuple(rows),
        tuple(rows[1:3]),
    )
    assert [column.find(text) for text in rows] == list(range(len(rows)))
    assert (column.find(other) >= 0) == (other in rows)
    assert column[-1:] == tuple(rows[-1:])
    with pytest.raises(IndexError):
        column[len(rows)]
