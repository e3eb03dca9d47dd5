"""FEWS: marked targets and the layout of the release."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from uncommonsense.corpora.fews import read
from uncommonsense.errors import MalformedInputError, UnknownNameError, UserError
from uncommonsense.schema import Instance

EXAMPLE = "The <WSD>cold</WSD>-blooded clerk's <WSD>Cold caller</WSD>s.\tcold_call.noun.3"


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def test_every_marked_target_carries_the_sense(tmp_path: Path) -> None:
    (sentence,) = read(write(tmp_path / "dev.few-shot.txt", EXAMPLE + "\n"))
    assert sentence.tokens == ("The", "cold", "-", "blooded", "clerk", "'s", "Cold", "caller", "s", ".")
    assert (sentence.id, sentence.source) == ("dev.few-shot.1", "dev.few-shot")
    assert sentence.instances == tuple(
        Instance(
            f"dev.few-shot.1.t{start}", start, end, "cold_call", "n", ("cold_call.noun.3",), "dev.few-shot"
        )
        for start, end in ((1, 2), (6, 8))
    )


@pytest.mark.parametrize(
    ("sense", "lemma", "pos"),
    [("run.verb.0", "run", "v"), ("a.m..adv.11", "a.m.", "r"), ("Odd.adj.1", "odd", "a")],
)
def test_senses_and_attributions(tmp_path: Path, sense: str, lemma: str, pos: str) -> None:
    (sentence,) = read(write(tmp_path / "q.txt", f"A <WSD>x</WSD>\t{sense}\t1999, Somebody, Something\n\n"))
    assert [(each.lemma, each.pos, each.senses) for each in sentence.instances] == [(lemma, pos, (sense,))]


def test_the_layout_of_the_release(tmp_path: Path) -> None:
    names = ["train", "train.ext", "dev.few-shot", "dev.zero-shot", "test.few-shot", "test.zero-shot"]
    for name in names:
        write(tmp_path / name.partition(".")[0] / f"{name}.txt", EXAMPLE)
    write(tmp_path / "raw" / "quotations.txt", "not read")
    splits = [sentence.instances[0].split for sentence in read(tmp_path)]
    assert splits == [name for name in names if name != "train.ext"]
    assert next(read(tmp_path, train="ext")).id == "train.ext.1"
    with pytest.raises(UnknownNameError, match=r"'big'\. Known: base, ext"):
        list(read(tmp_path, train="big"))
    with pytest.raises(UserError, match="not a FEWS folder"):
        list(read(tmp_path / "raw"))


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("No target\tx.noun.1", "no target"),
        ("<WSD>x\tx.noun.1", "no target"),
        ("<WSD>a</WSD> <WSD>b\tx.noun.1", "do not pair up"),
        ("<WSD> </WSD>\tx.noun.1", "empty"),
        ("<WSD>x</WSD>", "1 columns"),
        ("<WSD>x</WSD>\tx.noun.1\ta\tb", "4 columns"),
        ("<WSD>x</WSD>\tx.noun", "'x.noun' is not a sense"),
        ("<WSD>x</WSD>\tx..1", "'x..1' is not a sense"),
        ("<WSD>x</WSD>\t.noun.1", "'.noun.1' is not a sense"),
    ],
)
def test_broken_lines(tmp_path: Path, line: str, message: str, caplog: pytest.LogCaptureFixture) -> None:
    path = write(tmp_path / "train.txt", f"\n{line}\n" * 30)
    with pytest.raises(MalformedInputError, match=re.escape(f"{path}:2: ") + ".*" + re.escape(message)):
        list(read(path))
    path = write(tmp_path / "train.txt", f"{EXAMPLE}\n{line}\n{EXAMPLE}\n{line}\n")
    assert [sentence.id for sentence in read(path)] == ["train.1", "train.3"]
    (record,) = caplog.records
    assert record.getMessage().startswith(f"{path}:2: ")
    assert message in record.getMessage()
    assert record.getMessage().endswith("lines left out of this file: 2")


def test_a_target_that_is_empty_beside_one_that_is_not(tmp_path: Path) -> None:
    path = write(tmp_path / "train.txt", "<WSD></WSD>An <WSD>ox</WSD>\tox.noun.0\n")
    (sentence,) = read(path)
    assert [(target.start, target.end) for target in sentence.instances] == [(1, 2)]


@pytest.mark.parametrize(("name", "pos"), [("adjective", "a"), ("adv", "r"), ("proper noun", "x")])
def test_parts_of_speech(tmp_path: Path, name: str, pos: str) -> None:
    path = write(tmp_path / "train.txt", f"<WSD>x</WSD>\tx.{name}.1\n")
    (sentence,) = read(path)
    assert sentence.instances[0].pos == pos
