"""Running the program as a user does: in a process of its own, with a cache that tests may fill and empty."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from uncommonsense import resources
from uncommonsense.errors import UncommonSenseError

__all__ = ["ENTRY", "borrow_cache", "environment", "require", "run"]

ENTRY = (sys.executable, "-c", "from uncommonsense.cli import main; main()")
_SOURCE = Path(resources.__file__).parents[2]


def environment(**changes: str) -> dict[str, str]:
    """The environment without what colours or widens output; the same package is found."""
    dropped = {"FORCE_COLOR", "NO_COLOR", "TTY_COMPATIBLE", "UNCOMMONSENSE_TRACEBACK"}
    kept = {name: value for name, value in os.environ.items() if name not in dropped}
    paths = filter(None, [str(_SOURCE), kept.get("PYTHONPATH")])
    return kept | {"COLUMNS": "120", "PYTHONPATH": os.pathsep.join(paths), "PYTHONUTF8": "1"} | changes


def run(*arguments: str, **changes: str) -> subprocess.CompletedProcess[str]:
    """Run a command in a pipe; keyword arguments change its environment."""
    return subprocess.run(
        [*ENTRY, *arguments],
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
        env=environment(**changes),
    )


def require(*names: str) -> None:
    """Skip the test unless these resources are here."""
    for name in names:
        try:
            resources.path(name)
        except UncommonSenseError as error:
            pytest.skip(str(error))


def borrow_cache(folder: Path) -> Path:
    """A cache in ``folder`` that has the user's resources but no vectors."""
    folder.mkdir(parents=True, exist_ok=True)
    real = resources.cache_dir()
    for each in real.iterdir() if real.is_dir() else ():
        if each.name != "vectors":
            (folder / each.name).symlink_to(each)
    return folder
