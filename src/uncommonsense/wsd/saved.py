"""Folders of saved systems: a ``system.json`` that says what is in them, beside what was learned."""

from __future__ import annotations

import json
import platform
import shutil
from importlib import metadata
from pathlib import Path
from typing import Any

from uncommonsense import __version__
from uncommonsense.errors import MalformedInputError, UserError
from uncommonsense.inventories.protocol import Inventory
from uncommonsense.wsd.system import System

__all__ = ["ABOUT", "read_about", "require_free", "require_inventory", "save_system", "write_about"]

ABOUT = "system.json"
_PACKAGES = ("numpy", "pyarrow")


def write_about(folder: Path, system: str, **about: Any) -> None:
    """Write ``system.json``: the system's name, versions, and what ``about`` says (corpus, options, ...)."""
    folder.mkdir(parents=True, exist_ok=True)
    versions = {
        "uncommonsense": __version__,
        "python": platform.python_version(),
        **{name: metadata.version(name) for name in _PACKAGES},
    }
    content = {"system": system, **about, "versions": versions}
    text = json.dumps(content, ensure_ascii=False, indent=2) + "\n"
    (folder / ABOUT).write_text(text, encoding="utf-8")


def read_about(folder: Path) -> dict[str, Any]:
    """What ``system.json`` of a saved system says; its name is under ``system``."""
    file = folder / ABOUT
    if not file.is_file():
        raise UserError(
            f"{folder}: no saved system here (there is no {ABOUT}); "
            "make one with: uncommonsense wsd fit NAME --corpus CORPUS --out FOLDER"
        )
    try:
        about = json.loads(file.read_text(encoding="utf-8"))
    except (json.JSONDecodeError, UnicodeDecodeError) as error:
        raise MalformedInputError(file, getattr(error, "lineno", None), f"not JSON: {error}") from error
    if not isinstance(about, dict) or not isinstance(about.get("system"), str):
        raise MalformedInputError(file, None, 'no "system" in it: expected the name of a system')
    return about


def require_inventory(folder: Path, about: dict[str, Any], inventory: Inventory) -> None:
    """Refuse a system whose senses are those of another inventory."""
    made_for = about.get("inventory", inventory.name)
    if made_for != inventory.name:
        raise UserError(
            f"{folder} was fitted for the inventory {made_for!r}, not for {inventory.name!r}; "
            "choose that one, or fit the system again"
        )


def require_free(folder: Path, *, overwrite: bool = False) -> None:
    """Refuse a folder with something in it, unless it is a saved system that may be replaced."""
    if not folder.exists() or (folder.is_dir() and not any(folder.iterdir())):
        return
    if not (folder / ABOUT).is_file():
        raise UserError(f"{folder} exists and is no saved system; it will not be overwritten")
    if not overwrite:
        raise UserError(f"{folder} has a saved system already; choose another name, or --force")


def save_system(system: System, folder: Path, *, overwrite: bool = False) -> None:
    """Write a fitted system into a new folder, whole or not at all."""
    require_free(folder, overwrite=overwrite)
    temporary = folder.with_name(f".{folder.name}.saving")
    shutil.rmtree(temporary, ignore_errors=True)
    try:
        system.save(temporary)
        if folder.exists():
            shutil.rmtree(folder)
        temporary.rename(folder)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)
