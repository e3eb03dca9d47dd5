"""One loaded model and tokeniser per family and session."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

# Some virtual machines announce matrix instructions and kill whoever runs one; torch reads this once.
os.environ.setdefault("ONEDNN_MAX_CPU_ISA", "AVX512_CORE_FP16")

import pytest
import torch
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


@pytest.fixture(scope="package", autouse=True)
def _one_thread() -> Iterator[None]:
    """Tiny models gain nothing from threads, and lose much on a busy machine."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


@pytest.fixture(scope="session")
def load_family(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Subject]:
    """Build, save and load the family of a name, once."""

    @cache
    def load(name: str) -> Subject:
        family = FAMILIES[name]
        folder = family.save(tmp_path_factory.mktemp(name))
        model, tokenizer = _hf.load(str(folder))
        plain = transformers.AutoTokenizer.from_pretrained(folder, **family.plain_options)
        return Subject(family, folder, model, tokenizer, plain)

    return load


@pytest.fixture(scope="session", params=FAMILIES)
def subject(request: pytest.FixtureRequest, load_family: Callable[[str], Subject]) -> Subject:
    """Each family in turn."""
    return load_family(request.param)


@pytest.fixture(scope="session")
def bert(load_family: Callable[[str], Subject]) -> Subject:
    """The family of the default model."""
    return load_family("bert")
