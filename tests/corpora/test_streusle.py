"""STREUSLE: official counts, JSON and CoNLL-U-Lex alike, and what is refused."""

from __future__ import annotations

import json
import tracemalloc
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from uncommonsense.corpora import jsonarray
from uncommonsense.corpora.streusle import read
from uncommonsense.errors import MalformedInputError, UnknownNameError

Expression = tuple[str, str, str | None, str | None, list[int]]
"""(lexlemma, lexcat, ss, ss2, toknums)."""

WORDS = ["Otters", "gave", "up", "fishing", "at", "my", "pond", "in", "winter"]
EXPRESSIONS: list[Expression] = [
    ("otter", "N", "n.ANIMAL", None, [1]),
    ("give up", "V.VPC.full", "v.stative", None, [2, 3]),
    ("fish", "V", "v.consumption", None, [4]),
    ("at pond", "PP", "p.Locus", "p.Locus", [5, 7]),
    ("my", "PRON.POSS", "`$", "`$", [6]),
    ("in", "P", "p.Time", "p.Locus", [8]),
    ("winter", "N", "??", None, [9]),
]


def record(name: str = "ponds-01-0001") -> dict[str, Any]:
    keys = ("lexlemma", "lexcat", "ss", "ss2", "toknums")
    entries = [dict(zip(keys, expression, strict=True)) for expression in EXPRESSIONS]
    return {
        "sent_id": name,
        "text": " ".join(WORDS),
        "toks": [{"#": i, "word": word} for i, word in enumerate(WORDS, 1)],
        "swes": {str(e["toknums"][0]): e for e in entries if len(e["toknums"]) == 1},
        "smwes": {str(i): e for i, e in enumerate((e for e in entries if len(e["toknums"]) > 1), 1)},
    }


def conllulex(name: str = "ponds-01-0001") -> str:
    annotation = {e[4][0]: e[:4] for e in EXPRESSIONS}
    groups = [e[4] for e in EXPRESSIONS if len(e[4]) > 1]
    smwe = {
        number: f"{group}:{position}"
        for group, numbers in enumerate(groups, 1)
        for position, number in enumerate(numbers, 1)
    }
    lines = [f"# sent_id = {name}", "# text = " + " ".join(WORDS), "\t".join(["6-7", "mypond", *"_" * 17])]
    for number, word in enumerate(WORDS, 1):
        lemma, *others = annotation.get(number, ("_", "_", None, None))
        lex = (others[0], lemma, *(label or "_" for label in others[1:]))
        lines.append(
            "\t".join([str(number), word, *"_" * 8, smwe.get(number, "_"), *map(str, lex), *"_" * 4])
        )
    return "\n".join([*lines, "", ""])


def write_json(path: Path, *records: dict[str, Any], indent: int | None = None) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(records or [record()], indent=indent))
    return path


def labels(path: Path, **options: str) -> list[tuple[int, int, str, str, str]]:
    return [(i.start, i.end, i.lemma, i.pos, i.senses[0]) for s in read(path, **options) for i in s.instances]


@pytest.fixture(params=["json", "conllulex"])
def file(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    if request.param == "json":
        return write_json(tmp_path / "ponds.ud_dev.json")
    (tmp_path / "ponds.ud_dev.conllulex").write_text(conllulex())
    return tmp_path / "ponds.ud_dev.conllulex"


def test_single_nouns_verbs_and_prepositions(file: Path) -> None:
    (sentence,) = read(file)
    assert sentence.tokens == tuple(WORDS)
    assert (sentence.id, sentence.source) == ("ponds-01-0001", "ponds-01")
    assert {i.split for i in sentence.instances} == {"dev"}
    assert labels(file) == [
        (0, 1, "otter", "n", "n.ANIMAL"),
        (3, 4, "fish", "v", "v.consumption"),
        (7, 8, "in", "p", "p.Time"),
        (8, 9, "winter", "n", "??"),
    ]


def test_options(file: Path) -> None:
    assert [label[2] for label in labels(file, unclear="no")] == ["otter", "fish", "in"]
    assert labels(file, ss="ss2") == [(7, 8, "in", "p", "p.Locus")]
    assert labels(file, lexcats="PRON.POSS") == [(5, 6, "my", "p", "`$")]
    # "at ... pond" has a gap.
    assert labels(file, mwes="yes", lexcats="V,PP") == [
        (1, 3, "give_up", "v", "v.stative"),
        (3, 4, "fish", "v", "v.consumption"),
    ]
    with pytest.raises(UnknownNameError, match=r"PRON\.POSS"):
        list(read(file, lexcats="N,ADJ"))


def test_a_lemma_that_is_missing_is_the_word_in_lower_case(tmp_path: Path) -> None:
    entry = record()
    for swe in entry["swes"].values():
        del swe["lexlemma"]
    assert [label[2] for label in labels(write_json(tmp_path / "a.json", entry))][:2] == ["otters", "fishing"]


@pytest.mark.parametrize("nested", [True, False])
def test_a_folder_holds_each_split_once(tmp_path: Path, nested: bool) -> None:
    for split in ("test", "dev", "train"):
        folder = tmp_path / split if nested else tmp_path
        write_json(folder / f"ponds.ud_{split}.json", record(split))
        write_json(folder / f"ponds.ud_{split}.govobj.json", record(split))
        (folder / f"ponds.ud_{split}.conllulex").write_text(conllulex(split))
    (tmp_path / "ponds.conllulex").write_text(conllulex())
    sentences = list(read(tmp_path))
    assert [(s.id, s.instances[0].split) for s in sentences] == [(s, s) for s in ("train", "dev", "test")]


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@given(
    objects=st.lists(st.dictionaries(st.text(), _JSON, max_size=3), max_size=6),
    chunk=st.integers(1, 40),
    indent=st.none() | st.just(1),
    ascii_only=st.booleans(),
)
def test_arrays_are_read_as_json_reads_them(
    tmp_path_factory: pytest.TempPathFactory,
    objects: list[dict[str, Any]],
    chunk: int,
    indent: int | None,
    ascii_only: bool,
) -> None:
    path = tmp_path_factory.mktemp("array") / "a.json"
    text = json.dumps(objects, indent=indent, ensure_ascii=ascii_only)
    path.write_bytes(text.encode("utf-8"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(jsonarray, "_CHUNK", chunk)
        found = list(jsonarray.read_array(path))
    assert [value for _, value in found] == objects
    lines = [number for number, line in enumerate(text.split("\n"), 1) if line.startswith(" {")]
    assert not indent or [line for line, _ in found] == lines


def test_memory_does_not_grow_with_the_array(tmp_path: Path) -> None:
    path = write_json(tmp_path / "a.json", *(record(str(i)) for i in range(1500)))
    tracemalloc.start()
    assert sum(1 for _ in jsonarray.read_array(path)) == 1500
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < path.stat().st_size / 3


def pretty(**changes: Any) -> str:
    """Two records, the second changed, on lines of their own."""
    return "[\n" + json.dumps(record("a")) + ",\n" + json.dumps(record("b") | changes) + "\n]\n"


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("", 1, "expected '['"),
        ("{}", 1, "expected '[', found '{'"),
        ("[\n1]", 2, "expected '{', found '1'"),
        ("[] []", 1, "more text behind"),
        (pretty()[:-3], 3, "expected ']'"),
        (pretty()[:-40], 3, "not JSON"),
        (pretty().replace('"sent_id": "b"', '"sent_id": b'), 3, "not JSON"),
        (pretty().replace('"sent_id": "b"', '"id": "b"'), 3, "no 'sent_id'"),
        (pretty(toks=[{"#": 2, "word": "x"}]), 3, "'b' here: expected toks with the numbers"),
        (pretty().replace('"sent_id": "b"', '"sent_id": ' + "[" * 100_000), 3, "nested too deeply"),
        (pretty().replace('"sent_id": "b"', '"sent_id": ' + "1" * 5000), 3, "number in the JSON is too long"),
        (pretty(note="\ud800"), 3, r"\ud800 is half of a surrogate pair"),
        (pretty(swes={"1": {"toknums": [10]}}), 3, "toknums [10], expected numbers from 1 to 9"),
        (pretty(swes={"1": {"toknums": []}}), 3, "toknums []"),
        (pretty(swes=[1]), 3, "'b' here"),
        (pretty(smwes=None), 3, "'b' here"),
    ],
)
def test_broken_json(tmp_path: Path, text: str, line: int, message: str) -> None:
    path = tmp_path / "a.json"
    path.write_text(text)
    with pytest.raises(MalformedInputError) as error:
        list(read(path))
    assert str(error.value).startswith(f"{path}:{line}: ")
    assert message in str(error.value)


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("", 1, "empty"),
        (conllulex().replace("# sent_id", "# id"), 1, "without '# sent_id"),
        (conllulex() + conllulex()[:200], 18, "columns, expected 19"),
        (conllulex().replace("\n4\t", "\n5\t"), 7, "word number '5' in column 1, expected 4"),
        (
            conllulex().replace("\t1:2\t", "\t1:3\t"),
            6,
            "strong expression '1:3' in column 11, expected '1:2'",
        ),
    ],
)
def test_broken_conllulex(tmp_path: Path, text: str, line: int, message: str) -> None:
    path = tmp_path / "a.conllulex"
    path.write_text(text)
    with pytest.raises(MalformedInputError) as error:
        list(read(path))
    assert str(error.value).startswith(f"{path}:{line}: ")
    assert message in str(error.value)


def test_encodings_and_folders(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_bytes(pretty().encode().replace(b'"b"', b'"\xe9"'))
    with pytest.raises(MalformedInputError, match=r"a\.json:3: byte 0xe9 is not UTF-8"):
        list(read(tmp_path))
    (tmp_path / "none").mkdir()
    with pytest.raises(MalformedInputError, match="holds no STREUSLE corpus"):
        list(read(tmp_path / "none"))


@pytest.mark.shared
def test_official_counts(shared: Path) -> None:
    sentences = list(read(shared / "streusle"))
    instances = [i for s in sentences for i in s.instances]
    train = Counter(i.pos for i in instances if i.split == "train")
    assert train == {"n": 6_295, "v": 5_597, "p": 3_196}
    counts = [sum(1 for _ in read(file)) for file in sorted((shared / "streusle").glob("*.json"))]
    assert counts == [554, 535, 2_725]
    assert len(sentences) == sum(counts)
    assert len({s.id for s in sentences}) == len(sentences)
    assert len({i.id for i in instances}) == len(instances)


@pytest.mark.shared
@pytest.mark.parametrize("mwes", ["yes", "no"])
def test_json_and_conllulex_agree(shared: Path, mwes: str) -> None:
    from_json, from_columns = (
        list(
            read(
                shared / "streusle" / f"streusle.ud_dev.{kind}", mwes=mwes, lexcats="N,V,P,PP,POSS,PRON.POSS"
            )
        )
        for kind in ("json", "conllulex")
    )
    assert from_json == from_columns


@pytest.mark.shared
def test_labels_are_those_in_the_columns(shared: Path) -> None:
    path = shared / "streusle" / "streusle.ud_dev.conllulex"
    rows = [line.split("\t") for line in path.read_text("utf-8").splitlines() if line[:1].isdigit()]
    found = Counter(row[13] for row in rows if row[10] == "_" and row[11] in "NVP" and row[13] != "_")
    assert Counter(i.senses[0] for s in read(path) for i in s.instances) == found
