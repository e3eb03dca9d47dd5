"""Which weights a model name means."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

from uncommonsense import resources

__all__ = ["ALIASES", "load_model"]

ALIASES = {
    "minilm": "minilm",
    "all-MiniLM-L6-v2": "minilm",
    "smollm2": "smollm2",
    "SmolLM2-135M-Instruct": "smollm2",
}
"""Model names that stand for a resource of the index."""


def load_model(name: str, *, revision: str | None = None, trust_remote_code: bool = False) -> tuple[Any, Any]:
    """Load model and tokeniser: a folder if there is one of that name, then an alias, then the hub."""
    from uncommonsense.encode import _hf

    folder = Path(name).expanduser()
    if not folder.exists() and name in ALIASES:
        folder = _resource_folder(ALIASES[name])
    source = str(folder) if folder.exists() else name
    return _hf.load(source, revision=revision, trust_remote_code=trust_remote_code)


def _resource_folder(name: str) -> Path:
    from uncommonsense.encode import _hf

    folder = resources.path(name)
    ggufs = sorted(folder.glob("*.gguf"))
    if not ggufs:
        return folder
    digest = hashlib.sha256(ggufs[0].read_bytes()).hexdigest()[:16]
    converted = resources.cache_dir() / "converted" / f"{name}-{digest}"
    converted.parent.mkdir(parents=True, exist_ok=True)
    return _hf.load_gguf(ggufs[0], converted)
