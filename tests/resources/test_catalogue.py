"""The shipped catalogue is complete and consistent."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path, PurePosixPath
from urllib.parse import urlsplit

import pytest

from uncommonsense import resources
from uncommonsense.errors import UnknownNameError
from uncommonsense.resources.catalogue import Resource, Source, parse
from uncommonsense.resources.sources import STRATEGIES

ALL = list(resources.index().values())
NEEDS = {
    "system": {"folders"},
    "wheel": {"package", "version", "roots"},
    "npm": {"package", "version", "roots", "registry", "tarball"},
    "deb": {"packages", "roots"},
    "hub": {"repo", "revision"},
    "https": {"urls"},
}


@pytest.mark.parametrize("resource", ALL, ids=lambda one: one.name)
def test_an_entry_says_all_there_is_to_know(resource: Resource) -> None:
    assert all([resource.title, resource.version, resource.licence, resource.citation, resource.homepage])
    assert resource.kind in {"model", "inventory", "corpus", "vectors", "dump"}
    assert resource.size > 0
    assert resource.sources or resource.manual
    for file in resource.files:
        assert ".." not in PurePosixPath(file.path).parts
        assert not PurePosixPath(file.path).is_absolute()
        assert all(re.fullmatch(r"[0-9a-f]{64}|", variant.sha256) for variant in file.variants)


@pytest.mark.parametrize("resource", ALL, ids=lambda one: one.name)
def test_a_source_says_what_its_strategy_needs(resource: Resource) -> None:
    for source in resource.sources:
        assert source.type in STRATEGIES
        assert NEEDS[source.type] <= source.options.keys()
        for item in source.options.get("urls", ()):
            assert urlsplit(item["url"]).scheme in {"http", "https"}
            if not source.options.get("unpack"):
                name = PurePosixPath(urlsplit(item["url"]).path).name
                assert name in [file.path for file in resource.files]
        assert all(root.endswith("/") for root in source.options.get("roots", ()))


@pytest.mark.parametrize("resource", ALL, ids=lambda one: one.name)
def test_the_size_is_the_sum_of_the_files_where_they_are_known(resource: Resource) -> None:
    sizes = [file.variants[0].size for file in resource.files if not file.optional]
    if sizes and all(sizes):
        assert resource.size == sum(sizes)


def test_the_pinned_models_are_the_published_ones() -> None:
    index = resources.index()
    known = {
        file.path: file.variants[0].sha256 for name in ("minilm", "smollm2") for file in index[name].files
    }
    assert known["model.safetensors"] == "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
    gguf = known["SmolLM2-135M-Instruct.Q4_1.gguf"]
    assert gguf == "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"


@pytest.mark.shared
def test_core_wordnet_is_the_development_copy(shared: Path) -> None:
    file = resources.index()["core-wordnet"].files[0]
    assert file.variants[0].sha256 == hashlib.sha256((shared / file.path).read_bytes()).hexdigest()


@pytest.mark.shared
@pytest.mark.parametrize(
    ("name", "folder"), [("semcor", "semcor3.0"), ("wsd-framework", "wsd_evaluation_framework")]
)
def test_official_layouts_are_recognised(shared: Path, name: str, folder: str) -> None:
    assert resources.register(name, shared / folder) == shared / folder
    assert resources.path(name) == shared / folder
    assert resources.status(name).trust == "given"


def test_an_unknown_name_lists_the_known_ones() -> None:
    with pytest.raises(
        UnknownNameError, match=r"unknown resource 'wordnett'; did you mean 'wordnet'.*semcor"
    ):
        resources.path("wordnett")


def test_the_index_cannot_be_changed_by_accident() -> None:
    with pytest.raises(TypeError):
        resources.index()["words"] = None  # type: ignore[index]


def test_the_format_of_the_catalogue() -> None:
    text = """
    [the-words]
    title = "Words"
    version = "2"
    kind = "corpus"
    licence = "CC0"
    citation = "Nobody"
    homepage = "https://words.example/"
    size = 5
    manual = "Ask."
    check = ["folder"]
    [the-words.files]
    "a" = [{ variant = "x", sha256 = "01", size = 5 }, { variant = "y", sha256 = "02" }]
    "b" = { sha256 = "", optional = true }
    [[the-words.sources]]
    type = "npm"
    package = "words"
    version = "2.0"
    """
    resource = parse(text)["the-words"]
    assert [(one.name, one.sha256, one.size) for one in resource.files[0].variants] == [
        ("x", "01", 5),
        ("y", "02", None),
    ]
    assert (resource.files[0].optional, resource.files[1].optional) == (False, True)
    assert resource.environment == "UNCOMMONSENSE_THE_WORDS"
    assert str(resource.sources[0]) == "npm words 2.0"
    assert (resource.manual, resource.check) == ("Ask.", ("folder",))


def test_a_source_names_itself() -> None:
    assert str(Source("deb", {"packages": ["a", "b"]})) == "deb a b"
    assert (
        str(Source("https", {"urls": [{"url": "https://a/x"}, {"url": "https://a/y"}]}))
        == "https https://a/x (and 1 more)"
    )
    assert str(Source("hub", {"repo": "a/b", "revision": "c0ffee"})) == "hub a/b c0ffee"
