"""Which weights a name means."""

from __future__ import annotations

from pathlib import Path

import pytest

from running import require
from uncommonsense.encode import Encoder


def test_a_folder_without_a_model_does_not_hide_an_alias(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    require("minilm")
    (tmp_path / "minilm" / "size-100").mkdir(parents=True)
    monkeypatch.chdir(tmp_path)
    assert Encoder("minilm").shape == (384,)
