"""Running text: files, sentences, lemmas."""

from __future__ import annotations

import tracemalloc
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from uncommonsense import resources
from uncommonsense.corpora import validate
from uncommonsense.corpora.plain import Lemmatiser, read, split_sentences, text_files
from uncommonsense.errors import MalformedInputError, MissingResourceError, UserError
from uncommonsense.inventories.wordnet import WordNet


def split(text: str) -> list[str]:
    return [text[start:end] for start, end in split_sentences(text)]


@pytest.fixture(scope="module")
def wordnet() -> Path:
    try:
        return resources.path("wordnet")
    except MissingResourceError as error:
        pytest.skip(str(error))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two files with text, an empty one, one of another kind, and links that lead out and round."""
    home = tmp_path / "letters"
    (home / "sub").mkdir(parents=True)
    (home / "b.txt").write_text("We saw the\nriver’s bank. It was wet!\n\nNo end", encoding="utf-8")
    (home / "sub" / "a.TXT").write_text("\ufeffLeaves fell.\r\nShe can't stay.\r\n", encoding="utf-8")
    (home / "empty.txt").touch()
    (home / "notes.md").write_text("Not read.", encoding="utf-8")
    (tmp_path / "outside.txt").write_text("Not followed.", encoding="utf-8")
    (home / "link.txt").symlink_to(tmp_path / "outside.txt")
    (home / "loop").symlink_to(home)
    return home


@pytest.mark.parametrize(
    "sentences",
    [
        ["It rained.", "We stayed in."],
        ["Mr. Smith met Dr. A. B. Jones.", "They spoke."],
        ["He came at 5 p.m. on Jan. 5.", "She left."],
        ["It was 10 a.m. The bell rang."[:11] + "m.", "The bell rang."],
        ["The U.S. Senate met.", "It voted."],
        ["He lives in the U.S.", "She does not."],
        ["See Fig. 3, p. 12.", "Then No. 7."],
        ["Did he?", "No.", "Never!", "Really?!", "Yes."],
        ['"Stop!" he said.', '"Why?" she asked.', "He went."],
        ["He said, “Go.”", "She went (slowly).", "[Then nothing.]", "‘Well.’"],
        ["I waited... and waited.", "Then…", "Nothing.", "So it goes..."],
        ["Pi is 3.14 or so.", "2 is even."],
        ["Nobody but you and I.", "Then silence."],
        ["Tools, e.g. Hammers, i.e. Things.", "Acme Inc. Works there.", "Acme Inc.", "The rest."],
        ["no capital. no cut either."],
        ["Two\nlines.", "Three."],
        ["Go to www.example.org now.", "Or ask."],
    ],
)
def test_sentences(sentences: list[str]) -> None:
    assert split(" ".join(sentences)) == sentences
    assert split("  " + "\n ".join(sentences) + " ") == sentences


@given(st.text(alphabet="aB .!?\"'’…\n5I", max_size=60))
def test_no_character_is_lost(text: str) -> None:
    spans = split_sentences(text)
    outside = set(range(len(text))) - {at for start, end in spans for at in range(start, end)}
    assert all(text[at].isspace() for at in outside)
    assert all(text[start:end] == text[start:end].strip() != "" for start, end in spans)
    assert [spot for span in spans for spot in span] == sorted(spot for span in spans for spot in span)


@pytest.mark.shared
def test_sentences_of_a_treebank(shared: Path) -> None:
    """Sentences that annotators cut, joined by documents: most of the ends are found, few are wrong."""
    right = found = gold = 0
    documents: list[list[str]] = []
    for line in (shared / "ud_ewt_reviews.conllu").read_text(encoding="utf-8").splitlines():
        if line.startswith("# newdoc"):
            documents.append([])
        elif line.startswith("# text = "):
            documents[-1].append(line.removeprefix("# text = "))
    for sentences in documents:
        text, ends = "", set()
        for sentence in sentences:
            text += sentence + " "
            ends.add(len(text) - 1)
        ours = {end for _, end in split_sentences(text)}
        right, found, gold = right + len(ours & ends), found + len(ours), gold + len(ends)
    assert right / found > 0.95
    assert right / gold > 0.75


def test_files_are_sorted_and_links_left_alone(folder: Path) -> None:
    assert list(text_files(folder)) == ["b.txt", "empty.txt", "sub/a.TXT"]
    assert list(text_files(folder / "b.txt")) == ["b.txt"]


def test_what_is_read(folder: Path, wordnet: Path) -> None:
    sentences = list(read(folder, wordnet=str(wordnet)))
    assert [(each.id, each.source, " ".join(each.tokens)) for each in sentences] == [
        ("b.txt:1.1", "b.txt", "We saw the river 's bank ."),
        ("b.txt:2.1", "b.txt", "It was wet !"),
        ("b.txt:4.1", "b.txt", "No end"),
        ("sub/a.TXT:1.1", "sub/a.TXT", "Leaves fell ."),
        ("sub/a.TXT:2.1", "sub/a.TXT", "She ca n't stay ."),
    ]
    first = [(each.id, each.start, each.end, each.lemma, each.pos) for each in sentences[0].instances]
    assert first == [
        ("b.txt:1.1.t1", 1, 2, "saw", "x"),
        ("b.txt:1.1.t1.see", 1, 2, "see", "v"),
        ("b.txt:1.1.t3", 3, 4, "river", "n"),
        ("b.txt:1.1.t5", 5, 6, "bank", "x"),
    ]
    assert {each.lemma for each in sentences[4].instances} == {"stay"}
    assert validate(sentences).ok


@pytest.mark.parametrize(
    ("word", "lemmas"),
    [
        ("on", [("on", "p")]),
        ("Of", [("of", "p")]),
        ("like", [("like", "x")]),
        ("following", [("following", "x"), ("follow", "v")]),
        ("LEAVES", [("leaf", "n"), ("leave", "x")]),
        ("ran", [("run", "v")]),
        ("does", [("do", "v")]),
        ("had", [("have", "v")]),
        ("quickly", [("quickly", "r")]),
        ("mother-in-law", [("mother-in-law", "n")]),
        *(
            (word, [])
            for word in ("the", "was", "his", "could", "and", "s", "'s", "n't", "1912", ".", "xqzt")
        ),
    ],
)
def test_lemmas(word: str, lemmas: list[tuple[str, str]], wordnet: Path) -> None:
    assert list(Lemmatiser(WordNet(wordnet))(word)) == lemmas


def test_bytes_that_are_not_text(folder: Path, wordnet: Path) -> None:
    (folder / "c.txt").write_bytes(b"Fine.\nCaf\xe9.\n")
    with pytest.raises(MalformedInputError, match=r"c\.txt:2: not UTF-8 text: byte 0xe9 at column 4"):
        list(read(folder, wordnet=str(wordnet)))


def test_nothing_to_read(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"no \.txt files below"):
        text_files(tmp_path)
    with pytest.raises(UserError, match="no such folder"):
        text_files(tmp_path / "nowhere")


def test_a_long_paragraph_is_cut_as_a_short_one(tmp_path: Path, wordnet: Path) -> None:
    """A paragraph is read piece by piece: memory does not grow with it, and no sentence is cut in two."""
    file = tmp_path / "long.txt"
    lines = [f"This is the river number {number}, and\nit flows on." for number in range(20_000)]
    file.write_text("\n".join(lines), encoding="utf-8")
    tracemalloc.start()
    number = 0
    for number, sentence in enumerate(read(tmp_path, wordnet=str(wordnet)), 1):
        if number == 100:
            tracemalloc.reset_peak()
            before = tracemalloc.get_traced_memory()[0]
        assert sentence.id == f"long.txt:{2 * number - 1}.1"
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert number == 20_000
    assert peak - before < 4_000_000


def test_a_paragraph_without_an_end(tmp_path: Path, wordnet: Path) -> None:
    (tmp_path / "endless.txt").write_text("river " * 30_000 + "\n" + "bank. Then " * 3, encoding="utf-8")
    sentences = list(read(tmp_path, wordnet=str(wordnet)))
    assert sum(each.tokens.count("river") for each in sentences) == 30_000
    assert sum(each.tokens.count("bank") for each in sentences) == 3
