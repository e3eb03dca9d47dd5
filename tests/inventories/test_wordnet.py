"""WordNet's files, read from an invented database."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from invented_wordnet import ENTRIES, write_wordnet

from uncommonsense.errors import MalformedInputError, MissingResourceError, UnknownNameError
from uncommonsense.inventories.protocol import Inventory
from uncommonsense.inventories.wordnet import WordNet
from uncommonsense.inventories.wordnet.files import split_gloss

SPOON = "spoon%1:06:00::"


def test_is_an_inventory(small: WordNet) -> None:
    assert isinstance(small, Inventory)
    assert len(small) == 15
    assert len(set(small.senses())) == 15
    assert all(key in small for key in small.senses())
    assert "spoon%1:06:09::" not in small
    assert 7 not in small


def test_candidates_come_in_sense_order_by_part_of_speech(small: WordNet) -> None:
    assert small.candidates("spoon") == (SPOON, "spoon%1:06:01::", "spoon%2:35:00::")
    assert small.candidates("spoon", "v") == ("spoon%2:35:00::",)
    assert small.candidates("cool", "a") == ("cool%5:00:02:warm:00", "cool%3:00:00::")
    assert small.candidates("cool", "s") == small.candidates("cool", "a")
    assert (
        small.candidates("unheard-of")
        == small.candidates("spoon", "r")
        == small.candidates("spoon", "q")
        == ()
    )


@pytest.mark.parametrize("spelling", ["Attorney General", "attorney_general", "ATTORNEY_general"])
def test_lemmas_are_found_in_any_spelling(small: WordNet, spelling: str) -> None:
    assert small.candidates(spelling) == ("attorney_general%1:18:00::",)


def test_sense(small: WordNet) -> None:
    sense = small.sense("eating_spoon%1:06:00::")
    assert sense.lemmas == ("eating_spoon", "spoon")
    assert sense.pos == "n"
    assert sense.gloss == small.gloss(SPOON) == 'a small bowl on a stick; for soup (as in "spoon")'
    assert sense.examples == ("pass me a spoon", "she lost her spoon")
    assert sense.relations == (("hypernym", "thing%1:03:00::"),)
    assert sense.tags == ("noun.artifact",)


def test_lemma_relations_belong_to_their_own_sense(small: WordNet) -> None:
    assert ("derivation", "spoon%2:35:00::") in small.relations(SPOON)
    assert small.relations("spoon%2:35:00::") == (("derivation", SPOON),)
    assert small.relations("ladle%2:35:00::") == ()
    assert small.relations("warm%3:00:00::")[0] == ("antonym", "cool%3:00:00::")
    assert small.relations("warm.a.01") == (("similar_to", "tepid.s.01"),)


def test_satellites_and_markers(small: WordNet) -> None:
    sense = small.sense("tepid%5:00:00:warm:00")
    assert (sense.lemmas, sense.pos, sense.tags) == (("tepid", "cool"), "a", ("adj.all", "predicative"))
    assert small.synset("tepid.s.01").pos == "s"
    assert small.synset("tepid.a.01") == small.synset("tepid.s.01")


def test_two_spellings_of_a_word_share_a_key(small: WordNet) -> None:
    synset = small.synset("ann.n.01")
    assert synset.lemmas == ("Ann", "ann", "attorney_general")
    assert synset.keys[:2] == ("ann%1:18:00::", "ann%1:18:00::")
    assert small.sense("ann%1:18:00::").lemmas == ("Ann", "attorney_general")


def test_synset_names_and_keys(small: WordNet) -> None:
    assert small.name_of("eating_spoon%1:06:00::") == "spoon.n.01"
    assert small.key_of("spoon.n.02") == "spoon%1:06:01::"
    assert small.key_of("spoon.v.01") == "spoon%2:35:00::"
    assert small.name_of("spoon%2:35:00::") == "ladle.v.01"
    assert small.key_of("ladle.v.01", "Dish Out") == "dish_out%2:35:00::"
    assert small.synset(SPOON) == small.synset_of(SPOON) == small.synset("spoon.n.01")
    assert len(list(small.synsets())) == len(set(small.synsets())) == len(ENTRIES)


def test_what_a_sense_knows(small: WordNet) -> None:
    assert small.count(SPOON) == 7
    assert small.number("cool%3:00:00::") == 2
    assert small.first_sense("cool") == "cool%5:00:02:warm:00"
    assert small.first_sense("nothing") is None
    assert small.lexfile("spoonful.n.01") == "noun.food"
    assert small.frames("spoon%2:35:00::") == (8, 21)
    assert small.frames("ladle%2:35:00::") == (8,)


def test_hierarchy(small: WordNet) -> None:
    assert [each.name for each in small.hypernyms(SPOON)] == ["thing.n.01"]
    assert small.hypernyms("ann.n.01") == ()
    assert [each.name for each in small.hypernyms("ann.n.01", instances=True)] == ["thing.n.01"]
    assert [each.name for each in small.hyponyms("thing.n.01")] == ["spoon.n.01", "ann.n.01"]
    with pytest.raises(UnknownNameError, match=r"hypernim.*did you mean 'hypernym'"):
        small.related(SPOON, "hypernim")


def test_offsets(small: WordNet) -> None:
    for name in small.synsets():
        synset = small.synset(name)
        assert small.synset_by_offset(synset.offset, synset.pos) == synset
    with pytest.raises(UnknownNameError, match=r"00000001-n.*builds"):
        small.synset_by_offset(1, "n")
    with pytest.raises(UnknownNameError):
        small.synset_by_offset(1, "q")


def test_many_lemmas_at_once(small: WordNet) -> None:
    lemmas = ["spoon", "Eating Spoon", "nothing", "cool", "cool"]
    for pos in (None, "n", "s", "q", ["n", "n", "v", "a", "r"]):
        starts, ends = small.candidates_many(lemmas, pos)
        each = pos if isinstance(pos, list) else [pos] * len(lemmas)
        found = [tuple(small.key(row) for row in range(a, b)) for a, b in zip(starts, ends, strict=True)]
        assert found == [small.candidates(lemma, one) for lemma, one in zip(lemmas, each, strict=True)]
    assert [len(array) for array in small.candidates_many([])] == [0, 0]


def test_columns_agree_with_lookups(small: WordNet) -> None:
    keys = list(small.senses())
    names = list(small.synsets())
    assert [names[row] for row in small.sense_synset] == [small.name_of(key) for key in keys]
    assert small.sense_count.tolist() == [small.count(key) for key in keys]
    indptr, senses = small.synset_senses
    for row, name in enumerate(names):
        assert tuple(keys[i] for i in senses[indptr[row] : indptr[row + 1]]) == small.synset(name).keys
    antonyms = {(keys[a], keys[b]) for a, b in small.sense_edges("antonym")}
    assert antonyms == {("warm%3:00:00::", "cool%3:00:00::"), ("cool%3:00:00::", "warm%3:00:00::")}
    assert {(names[a], names[b]) for a, b in small.edges("antonym")} == {
        ("warm.a.01", "cool.a.02"),
        ("cool.a.02", "warm.a.01"),
    }
    assert len(small.pointers.target) == sum(len(entry.pointers) for entry in ENTRIES)


@pytest.mark.parametrize(
    ("form", "pos", "bases"),
    [
        ("spoons", "n", ["spoon"]),
        ("spoonsful", "n", ["spoonful"]),
        ("Attorneys General", "n", ["attorney_general"]),
        ("spuun", "n", ["spoon", "thing"]),
        ("spoont", "v", ["spoon"]),
        ("ladling", "v", ["ladle"]),
        ("dishing_out", "v", []),
        ("ladled", None, ["ladle"]),
        ("warmer", "s", ["warm"]),
        ("warmlies", "r", ["warmly"]),
        ("spoon", "n", ["spoon"]),
        ("spoonss", "n", []),
        ("zzz", None, []),
        ("spoons", "q", []),
    ],
)
def test_morphy(small: WordNet, form: str, pos: str | None, bases: list[str]) -> None:
    assert small.morphy(form, pos) == bases


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ("spoon%1:06:09::", "spoon%1:06:00::"),
        ("nothing%1:06:00::", "uncommonsense senses"),
    ],
)
def test_unknown_keys(small: WordNet, wrong: str, message: str) -> None:
    for look in (small.sense, small.gloss, small.count, small.synset, small.name_of, small.relations):
        with pytest.raises(UnknownNameError, match=message):
            look(wrong)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("spoon.n.03", r"spoon\.n\.02"),
        ("spoon.r.01", "no 'spoon'"),
        ("spoon.n.00", "spoon"),
        ("spoon", "mouse.n.01"),
        ("cool.s.02", r"cool\.a\.02"),
    ],
)
def test_unknown_synsets(small: WordNet, name: str, message: str) -> None:
    with pytest.raises(UnknownNameError, match=message):
        small.synset(name)
    with pytest.raises(UnknownNameError, match=r"lemma of .* 'fork'"):
        small.key_of("spoon.n.01", "fork")


def replace(path: Path, old: str, new: str) -> int:
    """Change a line of a file; its number."""
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))
    return text[: text.index(old)].count("\n") + 1


@pytest.mark.parametrize(
    ("file", "old", "new", "message"),
    [
        ("data.noun", " 06 n 02 spoon", " 06 q 02 spoon", "not a synset"),
        ("data.noun", " 06 n 02 spoon", " 06 n zz spoon", "not a synset"),
        ("data.noun", " 06 n 02 spoon", " 76 n 02 spoon", "lexicographer file 76"),
        ("data.noun", " 06 n 02 spoon", " 06 n 42 spoon", "too few fields|invalid literal"),
        ("data.verb", "| move", "99 | move", "verb frames"),
        ("data.adj", "! 0", "? 0", "unknown symbol '\\?'"),
        ("index.noun", "spoonful n 1 1 @", "spoonful n 1 1", "not an index entry"),
        ("index.sense", "spoonful%1", "spoonful%9", "sense_key synset_offset"),
        ("index.sense", "spoonful%1:13:00:: ", "spoonful%1:13:00::", "sense_key synset_offset"),
        ("noun.exc", "spuun spoon", "spuun", "no base form"),
    ],
)
def test_broken_files_say_where(database: Path, file: str, old: str, new: str, message: str) -> None:
    line = replace(database / file, old, new)
    with pytest.raises(MalformedInputError, match=message) as caught:
        WordNet(database)
    assert str(caught.value).startswith(f"{database / file}:{line}: ")


def test_files_that_do_not_fit_each_other(database: Path, tmp_path: Path) -> None:
    other = write_wordnet(tmp_path / "other", header="  1 Another build, with other offsets.\n")
    (database / "index.sense").write_bytes((other / "index.sense").read_bytes())
    with pytest.raises(MalformedInputError, match=r"index\.sense:1: .*different builds"):
        WordNet(database)
    write_wordnet(database)
    replace(database / "data.noun", "spoonful 0", "forkfuls 0")
    with pytest.raises(MalformedInputError, match="no sense for the word 'forkfuls'"):
        WordNet(database)


def test_missing_files(database: Path, tmp_path: Path) -> None:
    (database / "index.sense").unlink()
    with pytest.raises(MissingResourceError, match=r"index\.sense missing"):
        WordNet(database)
    with pytest.raises(MissingResourceError, match="no WordNet database"):
        WordNet(tmp_path)


def test_only_morphy_needs_exception_lists(database: Path) -> None:
    for file in database.glob("*.exc"):
        file.unlink()
    wordnet = WordNet(database)
    assert wordnet.candidates("spoon", "v")
    with pytest.raises(MissingResourceError, match=r"noun\.exc"):
        wordnet.morphy("spoons")


def test_rebuilt_copies_differ_in_offsets_only(small: WordNet, tmp_path: Path) -> None:
    other = WordNet(write_wordnet(tmp_path / "other", header="  1 Another build, with other offsets.\n"))
    assert_same_but_offsets(small, other)
    assert all_relations(small) == all_relations(other)
    assert small.digest != other.digest
    assert not np.array_equal(small.synset_offset, other.synset_offset)


def assert_same_but_offsets(one: WordNet, two: WordNet) -> None:
    """Same keys, orders and texts."""
    assert list(one.lemmas()) == list(two.lemmas())
    assert list(one.senses()) == list(two.senses())
    for column in ("sense_synset", "sense_number", "sense_count", "synset_pos", "synset_lexfile"):
        assert np.array_equal(getattr(one, column), getattr(two, column)), column
    for left, right in zip(one.synset_senses, two.synset_senses, strict=True):
        assert np.array_equal(left, right)
    for column in ("words", "gloss", "examples", "frames"):
        assert one.tables["synsets"][column].equals(two.tables["synsets"][column]), column


def all_relations(wordnet: WordNet) -> set[tuple[int, ...]]:
    """(source, relation, target, source sense, target sense) of every pointer."""
    indptr, *columns = wordnet.pointers
    sources = np.repeat(np.arange(len(indptr) - 1), np.diff(indptr))
    return set(zip(sources.tolist(), *(column.tolist() for column in columns), strict=True))


class TestCache:
    """Compiling happens once for each content."""

    def test_is_reused_until_the_content_changes(
        self, small: WordNet, database: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        with monkeypatch.context() as patch:
            patch.setattr("uncommonsense.inventories.wordnet.compile.compile_tables", None)
            assert list(WordNet(database).senses()) == list(small.senses())
            (database / "data.noun").touch()
            assert WordNet(database).digest == small.digest
        replace(database / "data.noun", "shiny bait", "blunt bait")
        assert WordNet(database).gloss("spoon%1:06:01::") == "a blunt bait"

    def test_same_size_and_time_elsewhere_is_not_confused(self, small: WordNet, tmp_path: Path) -> None:
        twin = write_wordnet(tmp_path / "twin")
        replace(twin / "data.noun", "shiny bait", "blunt bait")
        assert WordNet(twin).gloss("spoon%1:06:01::") == "a blunt bait"
        assert small.gloss("spoon%1:06:01::") == "a shiny bait"

    @pytest.mark.parametrize("damage", [b"", b"ARROW1\0\0nonsense"])
    def test_damage_is_repaired(self, small: WordNet, database: Path, cache: Path, damage: bytes) -> None:
        (file,) = cache.glob("wordnet-*/senses.arrow")
        file.unlink()
        file.write_bytes(damage)
        assert list(WordNet(database).senses()) == list(small.senses())
        assert file.stat().st_size > len(damage)

    def test_a_broken_receipt_is_ignored(self, small: WordNet, database: Path, cache: Path) -> None:
        (receipt,) = cache.glob("*.receipt")
        receipt.write_bytes(b"\xff/../..")
        assert WordNet(database).digest == small.digest
        receipt.write_text("../../elsewhere")
        assert WordNet(database).digest == small.digest

    def test_nothing_but_the_finished_tables_stays(self, small: WordNet, cache: Path) -> None:
        assert sorted(path.suffix for path in cache.iterdir()) == ["", ".receipt"]
        assert not list(cache.glob(".*"))

    def test_works_without_a_place_to_write(
        self, database: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        (tmp_path / "file").touch()
        monkeypatch.setenv("UNCOMMONSENSE_CACHE", str(tmp_path / "file"))
        with pytest.warns(UserWarning, match="compiled again"):
            assert "spoon%1:06:00::" in WordNet(database)

    def test_builders_do_not_disturb_each_other(self, database: Path, cache: Path) -> None:
        with ThreadPoolExecutor(4) as pool:
            found = list(pool.map(lambda _: tuple(WordNet(database).senses()), range(8)))
        assert len(set(found)) == 1
        assert len(list(cache.glob("wordnet-*/senses.arrow"))) == 1


@pytest.mark.parametrize(
    ("gloss", "definition", "examples"),
    [
        ("a plain one", "a plain one", []),
        ('a; b; "c d"; "e"', "a; b", ["c d", "e"]),
        ('a thing: "c"', "a thing", ["c"]),
        ('a thing:"c"', "a thing", ["c"]),
        ('go, "We went"', "go", ["We went"]),
        ('as in "tit for tat"; "that was tit for tat"', 'as in "tit for tat"', ["that was tit for tat"]),
        ('much (e.g., "a lot"); "lots of it"', 'much (e.g., "a lot")', ["lots of it"]),
        ('fixed; e.g. "cold prices"', "fixed", ["cold prices"]),
        ('(of people) "hard to please"', "(of people)", ["hard to please"]),
        ('a; "said; she"- Somebody; "b"', "a", ["said; she", "b"]),
        ('a; "left open', "a", ["left open"]),
        ('a; "one" or "two";', "a", ["one", "two"]),
        ("", "", []),
    ],
)
def test_glosses(gloss: str, definition: str, examples: list[str]) -> None:
    assert split_gloss(gloss) == (definition, examples)


PLAIN = st.from_regex(r"[a-z]+( [a-z]+){0,3}", fullmatch=True)


@given(st.lists(PLAIN, min_size=1), st.lists(PLAIN))
def test_glosses_are_taken_apart_as_they_were_put_together(clauses: list[str], examples: list[str]) -> None:
    gloss = "; ".join([*clauses, *(f'"{example}"' for example in examples)])
    assert split_gloss(gloss) == ("; ".join(clauses), examples)
