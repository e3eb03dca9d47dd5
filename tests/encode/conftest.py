"""One loaded model and tokeniser per family and session."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import transformers
from families import FAMILIES, Family

from uncommonsense.encode import _hf


@dataclass(frozen=True)
class Subject:
    """A family as this package loads it, and its tokeniser as transformers wants it for split words."""

    family: Family
    folder: Path
    model: Any
    tokenizer: Any
    plain_tokenizer: Any


@pytest.fixture(scope="session", params=FAMILIES)
def subject(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Subject:
    """Each family in turn."""
    return _load(FAMILIES[request.param], tmp_path_factory)


@pytest.fixture(scope="session")
def bert(tmp_path_factory: pytest.TempPathFactory) -> Subject:
    """The family of the default model."""
    return _load(FAMILIES["bert"], tmp_path_factory)


def _load(family: Family, tmp_path_factory: pytest.TempPathFactory) -> Subject:
    folder = family.save(tmp_path_factory.mktemp(family.name))
    model, tokenizer = _hf.load(str(folder))
    plain = transformers.AutoTokenizer.from_pretrained(folder, **family.plain_options)
    return Subject(family, folder, model, tokenizer, plain)
