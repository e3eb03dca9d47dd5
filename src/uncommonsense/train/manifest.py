"""What was trained, on what, how: the file that says a folder is finished."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

from uncommonsense import __version__
from uncommonsense.errors import StoreError, UserError
from uncommonsense.train.files import replacing

__all__ = ["MANIFEST", "provenance", "read_manifest", "require_same", "run_name", "write_manifest"]

MANIFEST = "manifest.json"
_PACKAGES = ("torch", "transformers", "tokenizers", "numpy")


def read_manifest(folder: Path) -> dict[str, Any]:
    """The manifest of a finished folder."""
    file = folder / MANIFEST
    try:
        manifest: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    except ValueError as error:
        raise StoreError(f"{file} is damaged ({error}); delete {folder}, and it is trained anew") from error
    return manifest


def write_manifest(folder: Path, manifest: Mapping[str, Any]) -> None:
    """Write the manifest; the folder is finished with it."""
    with replacing(folder / MANIFEST) as part:
        part.write_text(json.dumps(manifest, indent=1) + "\n", encoding="utf-8")


def provenance() -> dict[str, Any]:
    """When, and with which versions."""
    return {
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "packages": {"uncommonsense": __version__} | {name: version(name) for name in _PACKAGES},
    }


def run_name(about: Mapping[str, Any], identity: Iterable[str]) -> str:
    """A name for what decides the weights that come out: the entries ``identity`` of a manifest."""
    return hashlib.sha256(json.dumps([about[key] for key in identity]).encode()).hexdigest()


def require_same(folder: Path, about: Mapping[str, Any], identity: Iterable[str]) -> None:
    """Refuse a finished folder that differs from ``about`` in what decides the weights."""
    stored = read_manifest(folder)
    differing = [key for key in identity if stored.get(key) != about[key]]
    if "recipe" in differing:
        old = stored.get("recipe", {})
        differing.remove("recipe")
        differing += [name for name, value in about["recipe"].items() if old.get(name) != value]
    if differing:
        raise UserError(
            f"{folder} holds a model that was trained otherwise ({', '.join(differing)} differ); "
            "choose another folder, or delete this one"
        )
