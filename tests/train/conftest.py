"""A tiny model and an invented corpus with the shape of STREUSLE."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

os.environ.setdefault("ONEDNN_MAX_CPU_ISA", "AVX512_CORE_FP16")
sys.path.append(str(Path(__file__).resolve().parent.parent / "encode"))

import pytest
import torch
from families import FAMILIES
from invented_supersenses import invented_corpus

from uncommonsense.schema import Corpus


@pytest.fixture(scope="package", autouse=True)
def _one_thread() -> Iterator[None]:
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


@pytest.fixture(scope="session")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], str]:
    """The folder of the tiny model of a family."""

    @cache
    def folder(name: str) -> str:
        return str(FAMILIES[name].save(tmp_path_factory.mktemp("tiny") / name))

    return folder


@pytest.fixture(scope="session")
def corpus() -> Corpus:
    """As :func:`invented_corpus`."""
    return invented_corpus()
