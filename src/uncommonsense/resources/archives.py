"""Unpack zip, tar and Debian archives, trusting nothing that they say."""

from __future__ import annotations

import gzip
import importlib
import lzma
import re
import stat
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import IO, Any, NamedTuple, cast

from uncommonsense.errors import ResourceError

__all__ = ["is_archive", "unpack"]

CHUNK = 1 << 20
DAMAGE = (zipfile.BadZipFile, tarfile.TarError, zlib.error, lzma.LZMAError, gzip.BadGzipFile, EOFError)
_AR = b"!<arch>\n"
_ZSTD = b"\x28\xb5\x2f\xfd"
_DRIVE = re.compile(r"[A-Za-z]:")


class _Member(NamedTuple):
    name: str
    size: int
    regular: bool
    open: Callable[[], IO[bytes]]


def is_archive(path: Path) -> bool:
    """Whether a file is an archive that :func:`unpack` reads."""
    return zipfile.is_zipfile(path) or _starts(path, _AR) or _starts(path, _ZSTD) or tarfile.is_tarfile(path)


def unpack(
    archive: Path,
    folder: Path,
    *,
    choose: Callable[[str], str | None],
    limit: int,
    scratch: Path,
    nested: Collection[str] = (),
) -> int:
    """Write the members that ``choose`` maps to a path below ``folder`` and return their bytes.

    Names that lead out of the folder, chosen links and devices, and more than ``limit`` bytes are refused.
    Members named in ``nested``, and the data of a Debian package, are opened as archives themselves.
    Of several members with one target the first wins.
    """
    written = 0
    try:
        for member in _members(archive):
            name = _safe(member.name, archive)
            if name in nested or _is_debian_data(name, archive):
                inner = scratch / PurePosixPath(name).name
                _write(member, inner, limit, archive)
                written += unpack(inner, folder, choose=choose, limit=limit - written, scratch=scratch)
                inner.unlink()
                continue
            target = choose(name)
            if target is None or (folder / target).exists():
                continue
            if not member.regular:
                raise ResourceError(f"{archive.name}: {name} is a link or a device, not a file; refused")
            written += _write(member, folder / _safe(target, archive), limit - written, archive)
    except DAMAGE as error:
        raise ResourceError(f"{archive.name}: damaged or not an archive ({error})") from error
    except OSError as error:
        if error.errno is None:  # bz2 reports damage so
            raise ResourceError(f"{archive.name}: damaged ({error})") from error
        raise
    return written


def _members(archive: Path) -> Iterator[_Member]:
    if _starts(archive, _AR):
        yield from _ar_members(archive)
    elif zipfile.is_zipfile(archive):
        with zipfile.ZipFile(archive) as container:
            for one in container.infolist():
                # The upper half of the attributes is the Unix mode; 0 where the packer was not on Unix.
                kind = stat.S_IFMT(one.external_attr >> 16)
                if not one.is_dir():
                    yield _Member(
                        one.filename, one.file_size, kind in (0, stat.S_IFREG), _opener(container.open, one)
                    )
    else:
        with _open_tar(archive) as container:
            for entry in container:
                if not entry.isdir():
                    yield _Member(
                        entry.name, entry.size, entry.isreg(), _opener(container.extractfile, entry)
                    )


def _opener(function: Callable[[Any], IO[bytes] | None], item: object) -> Callable[[], IO[bytes]]:
    return lambda: cast("IO[bytes]", function(item))


@contextmanager
def _open_tar(archive: Path) -> Iterator[tarfile.TarFile]:
    if not _starts(archive, _ZSTD):
        with tarfile.open(archive) as container:
            yield container
    else:
        with _zstd(archive) as stream, tarfile.open(fileobj=stream, mode="r|") as container:
            yield container


def _zstd(archive: Path) -> IO[bytes]:
    """Open a zstd stream: Python reads it from 3.14 on, before that the package ``zstandard`` does."""
    for module in ("compression.zstd", "zstandard"):
        try:
            return cast("IO[bytes]", importlib.import_module(module).open(archive, "rb"))
        except ModuleNotFoundError:
            continue
    raise ResourceError(f"{archive.name} is compressed with zstd; install the package zstandard to read it")


def _ar_members(archive: Path) -> Iterator[_Member]:
    """The parts of a Unix ar file: a line of 60 bytes, then the content, on even offsets."""
    with archive.open("rb") as stream:
        stream.seek(len(_AR))
        while header := stream.read(60):
            if len(header) < 60 or header[58:] != b"`\n" or not header[48:58].strip().isdigit():
                raise tarfile.ReadError("a header of the ar file is damaged")
            start, size = stream.tell(), int(header[48:58])
            yield _Member(
                header[:16].decode("ascii", "replace").strip().rstrip("/"), size, True, lambda: stream
            )
            stream.seek(start + size + size % 2)


def _is_debian_data(name: str, archive: Path) -> bool:
    return name.startswith("data.tar") and _starts(archive, _AR)


def _write(member: _Member, target: Path, limit: int, archive: Path) -> int:
    """Copy a member to disk and return its size; the declared size is checked before a byte is read."""
    if member.size > limit:
        raise ResourceError(f"{archive.name}: {member.name} would unpack to {member.size} bytes; refused")
    target.parent.mkdir(parents=True, exist_ok=True)
    left = member.size
    stream = member.open()
    with target.open("xb") as output:
        while left and (chunk := stream.read(min(CHUNK, left))):
            output.write(chunk)
            left -= len(chunk)
    if left:
        raise tarfile.ReadError(f"{member.name} ends {left} bytes early")
    return member.size


def _safe(name: str, archive: Path) -> str:
    """The name without a leading ``./``; refused if it could lead out of the folder it is unpacked to."""
    path = PurePosixPath(name)
    if path.is_absolute() or ".." in path.parts or "\\" in name or _DRIVE.match(name) or not path.parts:
        raise ResourceError(f"{archive.name}: the name {name!r} leads out of the archive; refused")
    return str(path)


def _starts(path: Path, magic: bytes) -> bool:
    with path.open("rb") as stream:
        return stream.read(len(magic)) == magic
