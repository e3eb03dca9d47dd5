"""What tests of trained systems share: a tiny model, invented senses, a cache of their own."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.extend(str(Path(__file__).resolve().parent.parent / each) for each in ("train", "encode"))

import invented_senses
import pytest

from uncommonsense.schema import Corpus
from uncommonsense.wsd.development import Development


@pytest.fixture
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache."""
    folder = tmp_path / "cache"
    monkeypatch.setenv("UNCOMMONSENSE_CACHE", str(folder))
    return folder


@pytest.fixture(scope="session")
def tiny_bert(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The folder of a tiny random model."""
    from families import FAMILIES

    return str(FAMILIES["bert"].save(tmp_path_factory.mktemp("tiny") / "bert"))


@pytest.fixture(scope="session")
def training() -> Corpus:
    """Usages to learn from."""
    return invented_senses.corpus("train")


@pytest.fixture(scope="session")
def development() -> Development:
    """Others, of words that were seen and of one that was not."""
    return Development(invented_senses.corpus("dev"), invented_senses.inventory())
