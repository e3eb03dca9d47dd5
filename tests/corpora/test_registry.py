"""How corpora are named."""

from __future__ import annotations

from pathlib import Path

import pytest

from uncommonsense import corpora
from uncommonsense.corpora import load_corpus, names, open_corpus, registry
from uncommonsense.errors import MissingResourceError, UnknownNameError, UserError


@pytest.fixture
def table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A corpus of one target; its folder is both home and the current one."""
    path = tmp_path / "mine.tsv"
    path.write_text("sentence\tlemma\nThe [bank].\tbank\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    return path


@pytest.mark.parametrize("place", ["mine.tsv", "./mine.tsv", "~/mine.tsv", "{}"])
def test_relative_home_and_absolute_paths(table: Path, place: str) -> None:
    source = open_corpus("tsv:" + place.format(table))
    assert source.path is not None
    assert source.path.samefile(table)
    assert (source.format, source.name) == ("tsv", "mine.tsv")
    assert [sentence.id for sentence in source.sentences()] == ["mine.2"]
    assert len(source.load()) == 1


def test_a_source_can_be_read_again(table: Path) -> None:
    source = open_corpus(f"tsv:{table}")
    assert list(source) == list(source)


def test_load_names_the_corpus(table: Path) -> None:
    assert repr(load_corpus(f"tsv:{table}")) == "<Corpus 'mine.tsv': 1 sentences, 1 instances>"


def test_options_reach_the_reader(tmp_path: Path) -> None:
    for name in ("train", "train.ext"):
        path = tmp_path / "train" / f"{name}.txt"
        path.parent.mkdir(exist_ok=True)
        path.write_text("<WSD>x</WSD>\tx.noun.1\n")
    source = open_corpus(f"fews:{tmp_path}?train=ext")
    assert (source.options, source.name) == ({"train": "ext"}, f"{tmp_path.name}?train=ext")
    assert next(source.sentences()).id == "train.ext.1"


def test_a_question_mark_in_a_path(tmp_path: Path) -> None:
    path = tmp_path / "what?.tsv"
    path.write_text("sentence\tlemma\n[a]\ta\n")
    assert open_corpus(f"tsv:{path}").path == path


@pytest.mark.parametrize(
    ("spec", "kind", "message"),
    [
        ("semcorr:x", UnknownNameError, "unknown corpus format 'semcorr'; did you mean 'semcor'"),
        ("semcorr", UnknownNameError, "unknown corpus 'semcorr'; did you mean 'semcor'"),
        ("mine.tsv", UnknownNameError, "FORMAT:mine.tsv"),
        ("tsv:", UserError, "expected tsv:PATH"),
        ("tsv:nowhere.tsv", UserError, "nowhere.tsv: no such file or folder"),
        ("tsv:mine.tsv?split=dev", UnknownNameError, "'split'. It takes no options"),
        ("fews:.?trian=ext", UnknownNameError, "did you mean 'train'? Known: train."),
        ("fews:.?train", UserError, "expected ?key=value&key=value"),
        ("fews:.?", UserError, "expected ?key=value&key=value"),
    ],
)
@pytest.mark.usefixtures("table")
def test_names_that_are_wrong(spec: str, kind: type[UserError], message: str) -> None:
    with pytest.raises(kind) as caught:
        open_corpus(spec)
    assert message in str(caught.value)


def test_names_of_resources(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def path(name: str) -> Path:
        asked.append(name)
        return tmp_path

    monkeypatch.setattr(registry.resources, "path", path)
    source = open_corpus("framework?dataset=ALL")
    assert (source.format, source.path, source.name) == ("framework", tmp_path, "framework?dataset=ALL")
    open_corpus("wsd-framework")
    assert asked == ["wsd-framework", "wsd-framework"]


def test_resources_that_are_not_here(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("UNCOMMONSENSE_CACHE", str(tmp_path))
    with pytest.raises(MissingResourceError, match="ontonotes"):
        open_corpus("ontonotes")


def test_every_name_is_a_resource_or_comes_with_the_package() -> None:
    known = set(registry.resources.index()) | {"sampler", "framework"}
    assert set(names()) <= known


@pytest.mark.parametrize("form", [each.name for each in corpora.formats()])
def test_every_format_can_be_imported_and_has_text_options(form: str) -> None:
    assert all(isinstance(default, str) for default in corpora.options(form).values())
