"""Fixtures that every test may use."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of development corpora; the test is skipped where it is missing."""
    folder = Path(os.environ.get("UNCOMMONSENSE_SHARED") or ROOT.parent / "shared" / "data")
    if not folder.is_dir():
        pytest.skip(f"no development corpora at {folder}; set UNCOMMONSENSE_SHARED to run this test")
    return folder
