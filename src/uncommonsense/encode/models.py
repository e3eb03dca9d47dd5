"""Which weights a model name means."""

from __future__ import annotations

import hashlib
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from uncommonsense import resources
from uncommonsense.errors import ResourceError, UnknownNameError, UserError

__all__ = ["ALIASES", "load_model"]

ALIASES = {
    "minilm": "minilm",
    "all-MiniLM-L6-v2": "minilm",
    "smollm2": "smollm2",
    "SmolLM2-135M-Instruct": "smollm2",
}
"""Model names that stand for a resource of the index."""


def load_model(name: str, *, revision: str | None = None, trust_remote_code: bool = False) -> tuple[Any, Any]:
    """Load model and tokeniser: a folder if there is one of that name, then an alias, then the hub.

    A folder that happens to have the name of an alias and holds no model does not hide it.
    """
    from uncommonsense.encode import _hf

    folder = Path(name).expanduser()
    if name in ALIASES and not (folder / "config.json").is_file():
        folder = _resource_folder(ALIASES[name])
    elif not folder.exists():
        if name.startswith((".", "/", "~")):
            raise UserError(f"there is no folder {name}; give a folder, a hub id, or minilm, smollm2")
        if "/" not in name and get_close_matches(name, ALIASES, cutoff=0.8):
            raise UnknownNameError("model", name, ALIASES)
    source = str(folder) if folder.exists() else name
    return _hf.load(source, revision=revision, trust_remote_code=trust_remote_code)


def _resource_folder(name: str) -> Path:
    from uncommonsense.encode import _hf

    folder = resources.path(name)
    damaged = [finding for finding in resources.check([name]) if finding.state != "ok"]
    if damaged:
        raise ResourceError(
            f"{damaged[0].file or folder}: {damaged[0].message}; repair it: uncommonsense data get {name}"
        )
    ggufs = sorted(folder.glob("*.gguf"))
    if not ggufs:
        return folder
    digest = hashlib.sha256(ggufs[0].read_bytes()).hexdigest()[:16]
    converted = resources.cache_dir() / "converted" / f"{name}-{digest}"
    converted.parent.mkdir(parents=True, exist_ok=True)
    return _hf.load_gguf(ggufs[0], converted)
