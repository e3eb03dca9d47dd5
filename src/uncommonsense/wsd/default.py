"""The system that is used where none is named: a scorer of senses, built on this machine."""

from __future__ import annotations

from pathlib import Path

from uncommonsense import resources
from uncommonsense.errors import MissingResourceError
from uncommonsense.wsd.saved import ABOUT

__all__ = ["BUILD", "NAME", "default_folder", "is_built", "require_default"]

NAME = "default"
BUILD = "uncommonsense wsd build-default"


def default_folder() -> Path:
    """Where it is, or will be."""
    return resources.cache_dir() / "wsd" / NAME


def is_built() -> bool:
    """Whether it is there, whole."""
    return (default_folder() / ABOUT).is_file()


def require_default() -> Path:
    """Where it is; an error with the command that builds it, if it is not."""
    if not is_built():
        raise MissingResourceError(f"the default system is not built yet; build it once with: {BUILD}")
    return default_folder()
