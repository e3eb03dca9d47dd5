"""``uncommonsense doctor``: what is here, how fast this machine is, and what to do about each gap."""

from __future__ import annotations

import os
import platform
import shutil
import sys
import time
from importlib import metadata
from typing import Annotated, Any

import typer

from uncommonsense import __version__
from uncommonsense.cli.output import emit, note

__all__ = ["doctor"]

_PACKAGES = ("torch", "transformers", "tokenizers", "pyarrow", "numpy", "safetensors", "typer", "rich")
_EXTRAS = {"gguf": "gguf", "accelerate": "gguf", "sentencepiece": "sentencepiece"}
_NEEDED = ("wordnet", "minilm")
_FREE_GB = 2


def doctor(
    speed: Annotated[bool, typer.Option(help="Measure how fast this machine multiplies matrices.")] = True,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Say what is installed, which resources are present, where the cache is, how fast this machine is.

    Ends with exit code 1 if something that the demo needs is missing.

    Example: uncommonsense doctor --no-speed --json
    """
    rows = [*_software(), *_cache(), *_resources()]
    if speed:
        rows += _speed()
    emit(rows, as_json=as_json, columns=["check", "state", "found", "advice"])
    gaps = [row for row in rows if row["state"] in ("missing", "broken")]
    if gaps:
        note(f"{len(gaps)} missing or broken; follow the advice above")
        raise typer.Exit(1)


def _row(check: str, state: str, found: str, advice: str = "") -> dict[str, Any]:
    return {"check": check, "state": state, "found": found, "advice": advice}


def _software() -> list[dict[str, Any]]:
    rows = [
        _row("uncommonsense", "ok", __version__),
        _row("python", "ok" if sys.version_info >= (3, 11) else "missing", platform.python_version()),
    ]
    for name in _PACKAGES:
        version = _version(name)
        rows.append(
            _row(name, "ok" if version else "missing", version, "" if version else f"pip install {name}")
        )
    for name, extra in _EXTRAS.items():
        version = _version(name)
        advice = (
            ""
            if version
            else f"for some models: pip install 'uncommonsense[{extra}]' (in a clone: '.[{extra}]')"
        )
        rows.append(_row(name, "ok" if version else "optional", version, advice))
    return rows


def _version(name: str) -> str:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return ""


def _cache() -> list[dict[str, Any]]:
    from uncommonsense import resources

    folder = resources.cache_dir()
    existing = next(parent for parent in (folder, *folder.parents) if parent.exists())
    if not existing.is_dir() or not os.access(existing, os.W_OK):
        return [
            _row(
                "cache", "broken", str(folder), "not a folder that can be written to; set UNCOMMONSENSE_CACHE"
            )
        ]
    free = shutil.disk_usage(existing).free / 1e9
    low = free < _FREE_GB
    advice = "free some space, or set UNCOMMONSENSE_CACHE to another disk" if low else ""
    return [_row("cache", "low" if low else "ok", f"{folder} ({free:.0f} GB free)", advice)]


def _resources() -> list[dict[str, Any]]:
    from uncommonsense import resources

    rows = []
    for name, resource in resources.index().items():
        status = resources.status(name)
        if status.state == "present":
            rows.append(_row(name, "ok", f"{status.path} ({status.source})"))
        else:
            state = "broken" if status.state == "broken" else "missing" if name in _NEEDED else "optional"
            rows.append(_row(name, state, status.path, resource.command))
    return rows


def _speed() -> list[dict[str, Any]]:
    import torch

    size, repeats = 1536, 5
    left, right = torch.rand(size, size), torch.rand(size, size)
    left @ right
    best = min(_seconds(lambda: left @ right) for _ in range(repeats))
    rate = 2 * size**3 / best / 1e9
    threads = f"{torch.get_num_threads()} threads of {os.cpu_count()} cores"
    # A token costs about twice the weights it passes: 10.6 million in MiniLM, 85 million in BERT-base.
    pace = (
        f"about {0.7e9 * rate / 21.3e6:,.0f} words/s with MiniLM, {0.7e9 * rate / 170e6:,.0f} with BERT-base"
    )
    return [_row("matrix product", "ok", f"{rate:.0f} GFLOP/s in float32, {threads}: {pace}")]


def _seconds(work: Any) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start
