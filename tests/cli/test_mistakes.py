"""Mistakes: exit codes, what is said and where; nobody is shown a traceback."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import uncommonsense.cli
from running import ENTRY, borrow_cache, environment, require, run
from uncommonsense.cli import main
from uncommonsense.encode.corpus import encode_corpus
from uncommonsense.testing import HashEncoder, mini_corpus

Captured = pytest.CaptureFixture[str]


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "cache"
    monkeypatch.setenv("UNCOMMONSENSE_CACHE", str(folder))
    return folder


def fail(capsys: Captured, monkeypatch: pytest.MonkeyPatch, *arguments: str) -> tuple[int, str]:
    """Run a command in this process; nothing may go to standard output."""
    monkeypatch.setattr(sys, "argv", ["uncommonsense", *arguments])
    with pytest.raises(SystemExit) as stopped:
        main()
    shown = capsys.readouterr()
    assert shown.out == ""
    assert "Traceback" not in shown.err
    return int(stopped.value.code or 0), shown.err


@pytest.mark.usefixtures("cache")
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("like|no brackets", "mark one word in square brackets"),
        ("like|[two] of [them]", "found 2"),
        ("like|a mouse and a mouse|--target|mouse", "--occurrence 1 to 2"),
        ("like|a mouse and a mouse|--target|mouse|--occurrence|3", "there is no occurrence 3"),
        ("like|a [mouse]|--occurrence|1", "give --target too"),
        ("like|a [mouse]|--corpus|smapler", "did you mean 'sampler'"),
        ("like|a [mouse]|--corpus|tsv:nowhere.tsv", "nowhere.tsv: no such file"),
        ("like|a [mouse]|--corpus|xml:a", "unknown corpus format 'xml'"),
        ("like|a [yeti]", "--lemma"),
        ("like|a [mouse]|--lemma|mouses", "did you mean 'mouse'"),
        ("like|a [mouse]|the [bank]", "different words: mouse, bank"),
        ("like|a [mouse]|--layers|all", "one vector a word; write mean:all"),
        ("like|a [mouse]", "run: uncommonsense data get minilm"),
        ("rank|sampler", "run: uncommonsense data get minilm"),
        ("rank|semcor|--baselines", "run: uncommonsense data get semcor"),
        ("rank|nothing|--baselines", "unknown corpus 'nothing'"),
        ("rank|sampler|--baselines|--protocol|publshed", "did you mean 'published'"),
        ("rank|sampler|--baselines|--frequency-edges|many", "--frequency-edges takes numbers"),
        ("rank|sampler|--metric|cosin", "did you mean 'cosine'"),
        ("rank|sampler|--baselines|--metric|cosin", "did you mean 'cosine'"),
        (
            "rank|sampler|--baselines|--prevalence-edges|25",
            "--prevalence-edges must lie above 0 and not above 1",
        ),
        ("rank|sampler|--baselines|--frequency-edges|-4", "--frequency-edges must lie above 0"),
        ("report|runs|--out|report.docx", "no format has this ending"),
        ("rank|sampler|--grid|nowhere.toml", "nowhere.toml: no such grid file"),
        ("rank|sampler|--baselines|--frequency-edges|", "--frequency-edges takes numbers"),
        ("rank|sampler|--baselines|--frequency-edges|10,5", "--frequency-edges must be finite and rise"),
        ("rank|sampler|--baselines|--frequency-edges|nan", "--frequency-edges must be finite and rise"),
        ("rank|sampler|--baselines|--prevalence-edges|0.2,inf", "--prevalence-edges must be finite and rise"),
        ("senses|bank", "run: uncommonsense data get wordnet"),
        ("senses|bank|--inventory|wordnett", "unknown inventory"),
        ("senses|bank|--inventory|sampler|--pos|q", "unknown part of speech 'q'"),
        ("data|get|wordent", "did you mean 'wordnet'"),
        ("data|path|minilm", "run: uncommonsense data get minilm"),
        ("cache|prune", "say what to remove"),
        ("cache|prune|", "say what to remove"),
        ("cache|prune|abc", "unknown store 'abc'"),
        ("demo|no brackets", "mark one word in square brackets"),
    ],
)
def test_a_users_mistake(
    arguments: str, message: str, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    code, shown = fail(capsys, monkeypatch, *arguments.split("|"))
    assert code == 2
    assert shown.startswith("error: ")
    assert message in shown


@pytest.mark.usefixtures("cache")
@pytest.mark.parametrize(
    "arguments",
    [
        ["like"],
        ["nothing"],
        ["rank", "sampler", "--top", "0"],
        ["rank", "sampler", "--top", "x"],
        ["like", "--nothing"],
    ],
)
def test_a_command_that_cannot_be_read(
    arguments: list[str], capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    code, shown = fail(capsys, monkeypatch, *arguments)
    assert code == 2
    assert "Usage: uncommonsense" in shown


def test_layers_that_the_model_does_not_have(tmp_path: Path) -> None:
    require("minilm")
    cache = borrow_cache(tmp_path / "cache")
    for layers, message in (("99", "layer 99 does not exist"), ("lats", "cannot read layers 'lats'")):
        done = run("rank", "sampler", "--layers", layers, UNCOMMONSENSE_CACHE=str(cache))
        assert (done.returncode, done.stdout) == (2, "")
        assert done.stderr.startswith(f"error: {message}")
    assert not list(cache.glob("vectors/*"))


@pytest.mark.parametrize("value", ["-1", "-0.5"])
def test_prune_refuses_an_age_in_the_future(cache: Path, value: str) -> None:
    encode_corpus(HashEncoder(), mini_corpus())
    assert run("cache", "prune", "--older", value, UNCOMMONSENSE_CACHE=str(cache)).returncode == 2
    assert len(list(cache.glob("vectors/*/*.safetensors"))) == 1


def test_a_damaged_store_is_our_trouble(
    cache: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    encode_corpus(HashEncoder(), mini_corpus())
    (shard,) = cache.glob("vectors/*/*.safetensors")
    content = shard.read_bytes()
    shard.write_bytes(content[:-1] + bytes([content[-1] ^ 1]))
    monkeypatch.setattr("sys.argv", ["uncommonsense", "cache", "list", "--verify"])
    with pytest.raises(SystemExit) as stop:
        uncommonsense.cli.main()
    assert stop.value.code == 1
    assert f"{shard} is damaged" in capsys.readouterr().out


def test_a_defect_is_admitted(capsys: Captured, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(**_: str) -> None:
        raise RuntimeError("the [gears] jammed")

    monkeypatch.setattr(uncommonsense.cli, "app", broken)
    code, shown = fail(capsys, monkeypatch)
    assert code == 1
    assert shown.startswith("error: RuntimeError: the [gears] jammed\nThis is a defect of uncommonsense")
    monkeypatch.setenv("UNCOMMONSENSE_TRACEBACK", "1")
    with pytest.raises(RuntimeError):
        main()


def test_long_messages_are_not_broken_in_a_pipe(tmp_path: Path) -> None:
    """A path that is cut in two can be neither clicked nor pasted."""
    far = tmp_path / ("long" * 30) / ("longer" * 30) / "mine.tsv"
    done = run("rank", f"tsv:{far}", "--baselines")
    assert f"error: {far}: no such file or folder" in done.stderr
    assert done.stderr.count("\n") == 1


def test_a_corpus_without_queries_says_so(tmp_path: Path) -> None:
    lines = ["sentence\tlemma\tpos\tsense\tsplit"]
    lines += [f"A [bat] {split} .\tbat\tn\tbat.1\t{split}" for split in ("train", "test")]
    (tmp_path / "few.tsv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    done = run("rank", f"tsv:{tmp_path / 'few.tsv'}", "--baselines")
    assert done.returncode == 2
    assert "occurs 5 times" in done.stderr


@pytest.mark.parametrize("number", ["1", "2000"])
def test_a_reader_that_goes_away_is_no_error(number: str) -> None:
    """With little output the pipe breaks when the interpreter ends, with much output before."""
    read, write = os.pipe()
    with subprocess.Popen(
        [*ENTRY, "corpus", "head", "sampler", "-n", number],
        stdout=write,
        stderr=subprocess.PIPE,
        env=environment(),
        text=True,
    ) as process:
        os.close(write)
        os.close(read)
        _, shown = process.communicate(timeout=60)
    assert shown == ""


def test_head_gets_its_line() -> None:
    command = '"$@" corpus head sampler -n 500 | head -1'
    done = subprocess.run(
        ["sh", "-c", command, "sh", *ENTRY],
        capture_output=True,
        text=True,
        check=False,
        env=environment(),
        timeout=60,
    )
    assert done.stdout == "id\tsentence\tlemma\tpos\tsenses\tsplit\n"
    assert done.stderr == ""


@pytest.mark.parametrize("stop", [KeyboardInterrupt(), SystemExit(130)])
def test_an_interruption_says_what_is_kept(
    capsys: Captured, monkeypatch: pytest.MonkeyPatch, stop: BaseException
) -> None:
    def interrupted(**_: str) -> None:
        raise stop

    monkeypatch.setattr(uncommonsense.cli, "app", interrupted)
    code, shown = fail(capsys, monkeypatch, "doctor")
    assert code == 130
    assert shown.startswith("error: interrupted; what was complete is kept")
