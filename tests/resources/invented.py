"""Invented resources, archives and web servers."""

from __future__ import annotations

import hashlib
import io
import tarfile
import zipfile
from collections.abc import Callable, Mapping
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

from uncommonsense.resources.catalogue import Resource, ResourceFile, Source, Variant

Answer = Callable[[BaseHTTPRequestHandler], None]


def sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def make_resource(
    files: Mapping[str, bytes | None] = {},
    *sources: dict[str, Any],
    name: str = "words",
    version: str = "1.0",
    size: int = 1000,
    check: tuple[str, ...] = (),
    manual: str = "",
) -> Resource:
    """A resource with these files (``None``: sha256 unknown) and sources (tables as in index.toml)."""
    listed = tuple(
        ResourceFile(path, (Variant(sha256(content), len(content)) if content is not None else Variant(""),))
        for path, content in files.items()
    )
    ways = tuple(Source(one["type"], {key: one[key] for key in one if key != "type"}) for one in sources)
    return Resource(
        name=name,
        title="Invented words",
        version=version,
        kind="corpus",
        licence="CC0",
        citation="Nobody",
        homepage="https://words.example/",
        size=size,
        files=listed,
        sources=ways,
        check=check,
        manual=manual,
    )


def tar_gz(members: Mapping[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as archive:
        for name, content in members.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content))
    return buffer.getvalue()


def zipped(members: Mapping[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return buffer.getvalue()


def leftovers(cache: Path) -> list[str]:
    """What is in the cache besides lock files and empty folders."""
    return sorted(
        path.relative_to(cache).as_posix()
        for path in cache.rglob("*")
        if path.is_file() and path.parent != cache / "locks"
    )


class Site:
    """An HTTPS server on this machine that answers as told and remembers what it was asked."""

    def __init__(self, port: int, scheme: str = "https") -> None:
        self.address = f"{scheme}://localhost:{port}"
        self.answers: dict[str, Answer] = {}
        self.requests: list[tuple[str, dict[str, str]]] = []

    def serve(self, path: str, content: bytes | Answer) -> str:
        """Put something at a path and return its address."""
        self.answers[path] = content if callable(content) else whole(content)
        return self.address + path


def whole(
    content: bytes, *, status: int = 200, headers: Mapping[str, str] = {}, declared: int | None = None
) -> Answer:
    """Send this; ``declared`` is a false Content-Length."""

    def answer(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(status)
        handler.send_header("Content-Length", str(len(content) if declared is None else declared))
        for name, value in headers.items():
            handler.send_header(name, value)
        handler.end_headers()
        handler.wfile.write(content)

    return answer


def resumable(content: bytes, *, cut: int, tag: str = '"v1"') -> Answer:
    """Send at most ``cut`` bytes of what is asked for and promised; honour Range and If-Range."""

    def answer(handler: BaseHTTPRequestHandler) -> None:
        start = 0
        if (asked := handler.headers.get("Range")) and handler.headers.get("If-Range") == tag:
            start = int(asked.removeprefix("bytes=").removesuffix("-"))
        headers = {"ETag": tag} | (
            {"Content-Range": f"bytes {start}-{len(content) - 1}/{len(content)}"} if start else {}
        )
        rest = content[start:]
        whole(rest[:cut], status=206 if start else 200, headers=headers, declared=len(rest))(handler)

    return answer
