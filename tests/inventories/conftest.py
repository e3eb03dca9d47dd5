"""An invented WordNet in the database format, and the real one where a copy can be found."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from invented_wordnet import write_wordnet

from uncommonsense import resources
from uncommonsense.errors import MissingResourceError
from uncommonsense.inventories.wordnet import WordNet

COPIES = "UNCOMMONSENSE_WORDNET_COPIES"


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache of compiled inventories."""
    monkeypatch.setenv("UNCOMMONSENSE_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache" / "inventories"


@pytest.fixture
def database(tmp_path: Path, cache: Path) -> Path:
    """The folder of the invented WordNet."""
    return write_wordnet(tmp_path / "dict")


@pytest.fixture
def small(database: Path) -> WordNet:
    """The invented WordNet."""
    return WordNet(database)


@pytest.fixture(scope="session")
def copies() -> list[Path]:
    """Folders of the real WordNet 3.0: those that the environment names, or the fetched one."""
    given = [Path(each) for each in os.environ.get(COPIES, "").split(os.pathsep) if each]
    if given and all(each.is_dir() for each in given):
        return given
    try:
        return [resources.path("wordnet")]
    except MissingResourceError as error:
        pytest.skip(f"no WordNet 3.0: {error}, or name folders in {COPIES}")


@pytest.fixture(scope="session")
def wordnet_folder(copies: list[Path]) -> Path:
    """A copy of the real WordNet with exception lists."""
    complete = [folder for folder in copies if (folder / "noun.exc").is_file()]
    if not complete:
        pytest.skip("no copy of WordNet with exception lists")
    return complete[0]


@pytest.fixture(scope="session")
def wordnet(wordnet_folder: Path) -> WordNet:
    """The real WordNet 3.0."""
    return WordNet(wordnet_folder)
