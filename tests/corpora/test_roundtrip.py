"""What is written can be read: by this package, and by others."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from uncommonsense import __version__
from uncommonsense.corpora import CorpusSource, convert, load_corpus, open_corpus, write_parquet
from uncommonsense.corpora import parquet as parquet_module
from uncommonsense.errors import MalformedInputError, UnknownNameError, UserError
from uncommonsense.schema import CORPUS_SCHEMA, Instance, Sentence

SENTENCES = (
    Sentence(
        "s1",
        ("The", "tower", "bell", "«tolls»", "."),
        "doc",
        (
            Instance("s1.a", 1, 3, "tower_bell", "n", ("b%1:06:00::", "b%1:06:01::"), "train"),
            Instance("s1.b", 3, 4, "toll", "v", (), "dev"),
        ),
    ),
    Sentence("s2", ("No", "targets"), "doc"),
)

ANY = st.text(st.characters(exclude_categories=["Cs"]), max_size=6)
WORD = st.text(
    st.characters(exclude_categories=["Cs", "Cc", "Z"], exclude_characters="_|"), min_size=1, max_size=6
)


class Given(CorpusSource):
    """A corpus of sentences that are already there."""

    def __init__(self, sentences: Iterable[Sentence]) -> None:
        super().__init__("given", "given", None)
        object.__setattr__(self, "given", tuple(sentences))

    def sentences(self) -> Iterator[Sentence]:
        return iter(self.__dict__["given"])


@st.composite
def corpora(draw: st.DrawFn, text: st.SearchStrategy[str], lemma: st.SearchStrategy[str]) -> list[Sentence]:
    """Sentences with ids of their own, and targets that do not overlap."""
    sentences = []
    for number in range(draw(st.integers(0, 4))):
        tokens = draw(st.lists(text, min_size=1, max_size=6))
        cuts = sorted(draw(st.sets(st.integers(0, len(tokens)))))
        instances = tuple(
            Instance(
                f"{number}.{start}",
                start,
                end,
                draw(lemma),
                draw(st.sampled_from("nvarpx")),
                tuple(draw(st.lists(text, max_size=3))),
                draw(st.sampled_from(["", "train", "dev.few-shot"])),
            )
            for start, end in zip(cuts[::2], cuts[1::2], strict=False)
        )
        sentences.append(Sentence(f"s{number}", tuple(tokens), draw(lemma), instances))
    return sentences


def rewritten(sentences: Iterable[Sentence], to: str, folder: Path) -> list[Sentence]:
    convert(Given(sentences), folder / "out", to=to)
    return list(open_corpus(f"{to}:{folder / 'out'}"))


@given(corpora(ANY, ANY))
@settings(deadline=None)
def test_parquet_keeps_everything(sentences: list[Sentence]) -> None:
    with TemporaryDirectory() as folder:
        assert rewritten(sentences, "parquet", Path(folder)) == sentences


@pytest.mark.parametrize("to", ["tsv", "jsonl"])
@given(sentences=corpora(WORD, st.text("abc_", min_size=1)))
@settings(deadline=None)
def test_tables_keep_everything(to: str, sentences: list[Sentence]) -> None:
    assume(sentences)
    with TemporaryDirectory() as folder:
        assert rewritten(sentences, to, Path(folder)) == sentences


@given(corpora(ANY, ANY))
@settings(deadline=None)
def test_a_table_keeps_everything_or_says_that_it_cannot(sentences: list[Sentence]) -> None:
    assume(sentences and all(sentence.source.strip() for sentence in sentences))
    assume(all(each.lemma.strip() for sentence in sentences for each in sentence.instances))
    with TemporaryDirectory() as folder:
        try:
            found = rewritten(sentences, "tsv", Path(folder))
        except UserError as error:
            assert "write jsonl or parquet" in str(error)  # noqa: PT017
        else:
            assert [(s.tokens, [i.senses for i in s.instances]) for s in found] == [
                (s.tokens, [i.senses for i in s.instances]) for s in sentences
            ]


@given(corpora(WORD, st.text("abc_", min_size=1)))
@settings(deadline=None)
def test_the_framework_keeps_everything_but_splits(sentences: list[Sentence]) -> None:
    assume(sentences)
    with TemporaryDirectory() as folder:
        found = rewritten(sentences, "framework", Path(folder))
    for ours, theirs in zip(sentences, found, strict=True):
        assert theirs.source == f"out/{ours.source}"
        assert (theirs.id, theirs.tokens) == (ours.id, ours.tokens)
        assert theirs.instances == tuple(each._replace(split="") for each in ours.instances)


def test_overlapping_targets_do_not_fit_the_framework(tmp_path: Path) -> None:
    instances = (Instance("a", 0, 2, "x", "n"), Instance("b", 1, 2, "y", "n"))
    sentence = Sentence("s", ("x", "y"), "d", instances)
    with pytest.raises(UserError, match="targets overlap in sentence 's'"):
        convert(Given([sentence]), tmp_path / "out", to="framework")
    assert not list(tmp_path.iterdir())


def test_a_failed_conversion_leaves_nothing(tmp_path: Path) -> None:
    def broken() -> Iterator[Sentence]:
        yield SENTENCES[0]
        raise MalformedInputError("x", 3, "broken")

    with pytest.raises(MalformedInputError):
        write_parquet(broken(), tmp_path / "out", name="x")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("to", ["parquet", "tsv", "jsonl", "framework"])
def test_nothing_is_overwritten_unasked(tmp_path: Path, to: str) -> None:
    target = tmp_path / "deep" / "out"
    assert convert(Given(SENTENCES), target, to=to) == 2
    with pytest.raises(UserError, match="exists already"):
        convert(Given(SENTENCES), target, to=to)
    assert convert(Given(SENTENCES[:1]), target, to=to, overwrite=True) == 1
    assert len(list(open_corpus(f"{to}:{target}"))) == 1


def test_a_folder_of_something_else_is_never_replaced(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("years of work")
    with pytest.raises(UserError, match="other things in it"):
        write_parquet(SENTENCES, tmp_path, name="x", overwrite=True)
    assert (tmp_path / "thesis.tex").exists()


def test_unknown_target_format(tmp_path: Path) -> None:
    with pytest.raises(UnknownNameError, match="framework, jsonl, parquet, tsv"):
        convert(Given(SENTENCES), tmp_path / "out", to="excel")


def test_many_files_in_order(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parquet_module, "_ROWS_PER_GROUP", 2)
    monkeypatch.setattr(parquet_module, "_GROUPS_PER_FILE", 2)
    sentences = [SENTENCES[0]._replace(id=f"s{n}") for n in range(15)]
    assert write_parquet(iter(sentences), tmp_path / "out", name="many") == 15
    files = sorted((tmp_path / "out").iterdir())
    assert [pq.ParquetFile(file).num_row_groups for file in files] == [2, 2, 2, 2]
    assert list(open_corpus(f"parquet:{tmp_path / 'out'}")) == sentences
    assert load_corpus(f"parquet:{tmp_path / 'out'}").sentences["id"].to_pylist() == [s.id for s in sentences]


def test_load_is_the_same_by_table_and_by_sentence(tmp_path: Path) -> None:
    write_parquet(SENTENCES, tmp_path / "out", name="x")
    loaded = load_corpus(f"parquet:{tmp_path / 'out'}")
    collected = Given(SENTENCES).load()
    assert loaded.sentences.equals(collected.sentences)
    assert loaded.instances.equals(collected.instances)
    assert loaded.rows.tolist() == [0, 0]


def test_metadata(tmp_path: Path) -> None:
    write_parquet(SENTENCES, tmp_path / "out", name="mini", spec="tsv:mini.tsv")
    metadata = pq.read_schema(tmp_path / "out" / "data-00000.parquet").metadata
    found = {key.decode().removeprefix("uncommonsense."): value.decode() for key, value in metadata.items()}
    assert found == {"name": "mini", "spec": "tsv:mini.tsv", "version": __version__}


def test_datasets_opens_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    datasets = pytest.importorskip("datasets")
    datasets.disable_progress_bars()
    write_parquet(SENTENCES, tmp_path / "corpus", name="mini")
    cache = str(tmp_path / "cache")
    rows = list(
        datasets.load_dataset("parquet", data_dir=str(tmp_path / "corpus"), split="train", cache_dir=cache)
    )
    assert [row["tokens"] for row in rows] == [list(sentence.tokens) for sentence in SENTENCES]
    assert rows[0]["instances"][0] == {
        **SENTENCES[0].instances[0]._asdict(),
        "senses": ["b%1:06:00::", "b%1:06:01::"],
    }


def parquet(path: Path, schema: pa.Schema = CORPUS_SCHEMA, **changed: Any) -> Path:
    row = {"id": "s", "tokens": ["a"], "source": "d", "instances": [], **changed}
    names = schema.names
    pq.write_table(pa.Table.from_pylist([{name: row[name] for name in names}], schema), path)
    return path


def test_large_strings_are_read_too(tmp_path: Path) -> None:
    schema = CORPUS_SCHEMA.set(0, pa.field("id", pa.large_string()))
    assert next(iter(open_corpus(f"parquet:{parquet(tmp_path / 'x.parquet', schema)}"))).id == "s"


INSTANCE = {"id": "i", "start": 0, "end": 1, "lemma": "a", "pos": "n", "senses": ["x"], "split": ""}


@pytest.mark.parametrize(
    "changed",
    [
        {"id": None},
        {"tokens": None},
        {"tokens": [None]},
        {"instances": [{**INSTANCE, "senses": None}]},
        {"instances": [{**INSTANCE, "senses": [None]}]},
        {"instances": [{**INSTANCE, "start": None}]},
    ],
)
def test_null_values(tmp_path: Path, changed: dict[str, Any]) -> None:
    path = parquet(tmp_path / "x.parquet", **changed)
    with pytest.raises(MalformedInputError, match=r"x\.parquet: some values are null"):
        list(open_corpus(f"parquet:{path}"))


def test_broken_parquet(tmp_path: Path) -> None:
    path = parquet(tmp_path / "x.parquet", CORPUS_SCHEMA.remove(1))
    with pytest.raises(MalformedInputError, match="column 'tokens' is missing"):
        list(open_corpus(f"parquet:{path}"))
    parquet(path, CORPUS_SCHEMA.set(1, pa.field("tokens", pa.int64())), tokens=3)
    with pytest.raises(MalformedInputError, match="not those of a corpus"):
        list(open_corpus(f"parquet:{path}"))
    data = parquet(path).read_bytes()
    for broken in (b"", b"PAR1", data[:-9], b"text\n"):
        path.write_bytes(broken)
        with pytest.raises(MalformedInputError, match=r"x\.parquet: not a readable Parquet file"):
            list(open_corpus(f"parquet:{tmp_path}"))


def test_a_folder_without_parquet(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"no \*\.parquet in this folder"):
        list(open_corpus(f"parquet:{tmp_path}"))
