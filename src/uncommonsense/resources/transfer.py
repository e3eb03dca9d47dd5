"""Download over HTTP and HTTPS: to disk, resumed when cut, with every failure named."""

from __future__ import annotations

import contextlib
import http.client
import socket
import ssl
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import IO, Protocol
from urllib.error import HTTPError, URLError
from urllib.parse import urlsplit

from uncommonsense import __version__
from uncommonsense.errors import OfflineError, ResourceError

__all__ = ["Progress", "download", "silent"]

CHUNK = 1 << 18
TIMEOUT = 30.0
"""Seconds without a byte after which an attempt is given up."""
PAUSE = 1.0
"""Seconds before the second attempt; doubled for each further one."""
ATTEMPTS = 4


class Progress(Protocol):
    """Shows how far something is: a context manager that yields ``advance(n)``."""

    def __call__(
        self, description: str, total: float | None, unit: str = "B"
    ) -> AbstractContextManager[Callable[[float], None]]: ...


@contextlib.contextmanager
def silent(description: str, total: float | None, unit: str = "B") -> Iterator[Callable[[float], None]]:
    """A :class:`Progress` that shows nothing."""
    yield lambda _: None


class _CutError(Exception):
    """The transfer stopped early; another attempt may go on from there."""


def download(url: str, target: Path, *, limit: int, progress: Progress = silent) -> None:
    """Write what is at ``url`` to ``target``, at most ``limit`` bytes.

    A cut transfer goes on where it stopped, as long as attempts bring more than the ones before.
    """
    _check_scheme(url)
    validator, most, failures = "", 0, 0
    while True:
        try:
            with _open(url, target, validator) as response:
                validator = _validator(response)
                _receive(response, target, url, limit, progress)
            return
        except _CutError as error:
            failures = 1 if _size(target) > most else failures + 1
            most = max(most, _size(target))
            if failures == ATTEMPTS:
                raise OfflineError(f"{url}: {error} ({ATTEMPTS} attempts)") from error
        time.sleep(PAUSE * 2 ** (failures - 1))


def _validator(response: http.client.HTTPResponse) -> str:
    """What tells whether a later answer is about the same bytes; empty if the server says nothing of use."""
    tag = response.headers.get("ETag", "W/")
    return response.headers.get("Last-Modified", "") if tag.startswith("W/") else tag


def _open(url: str, target: Path, validator: str) -> http.client.HTTPResponse:
    headers = {"User-Agent": f"uncommonsense/{__version__}"}
    if validator and _size(target):
        headers |= {"Range": f"bytes={_size(target)}-", "If-Range": validator}
    try:
        response: http.client.HTTPResponse = _director().open(
            urllib.request.Request(url, headers=headers), timeout=TIMEOUT
        )
    except HTTPError as error:
        error.close()
        message = f"HTTP {error.code} {error.reason}"
        if error.code == 416:  # the file on the server is shorter than what is here
            target.unlink(missing_ok=True)
        if error.code in (416, 429) or error.code >= 500:
            raise _CutError(message) from error
        raise ResourceError(f"{url}: {message}") from error
    except (OSError, http.client.HTTPException) as error:
        raise _unreachable(url, error) from error
    return response


def _unreachable(url: str, error: Exception) -> Exception:
    """Say why no answer came; only what may pass by itself is worth another attempt."""
    reason = error.reason if isinstance(error, URLError) else error
    if isinstance(reason, ssl.SSLCertVerificationError):
        hint = "set SSL_CERT_FILE to the certificates to trust"
        return ResourceError(f"{url}: the certificate is not trusted ({reason.verify_message}); {hint}")
    if isinstance(reason, TimeoutError):
        return _CutError(f"no answer within {TIMEOUT:g} seconds")
    if isinstance(reason, ConnectionRefusedError | socket.gaierror):
        return OfflineError(f"{url}: cannot be reached ({reason})")
    return _CutError(f"cannot be reached ({reason})")


def _receive(
    response: http.client.HTTPResponse, target: Path, url: str, limit: int, progress: Progress
) -> None:
    """Append to ``target`` if the server goes on from where it ends, else write it anew."""
    start = _size(target) if response.status == 206 else 0
    if start and not response.headers.get("Content-Range", "").startswith(f"bytes {start}-"):
        target.unlink()
        raise _CutError("the server resumed at the wrong place")
    length = response.headers.get("Content-Length")
    total = start + int(length) if length and length.isdigit() else None
    if total is not None and total > limit:
        raise ResourceError(f"{url}: {total} bytes, where at most {limit} are expected; refused")
    with target.open("ab" if start else "wb") as output, progress(_name(url), total) as advance:
        advance(start)
        received = start
        for chunk in _chunks(response):
            received += len(chunk)
            if received > limit:
                raise ResourceError(f"{url}: more than the {limit} bytes that are expected; refused")
            output.write(chunk)
            advance(len(chunk))
    if total is not None and received != total:
        raise _CutError(f"cut after {received} of {total} bytes")


def _chunks(response: IO[bytes]) -> Iterator[bytes]:
    while True:
        try:
            chunk = response.read(CHUNK)
        except TimeoutError as error:
            raise _CutError(f"no data for {TIMEOUT:g} seconds") from error
        except (OSError, http.client.HTTPException) as error:
            raise _CutError(f"cut ({error or type(error).__name__})") from error
        if not chunk:
            return
        yield chunk


class _Redirects(urllib.request.HTTPRedirectHandler):
    """Follows redirects, but neither to other schemes nor from HTTPS to HTTP."""

    def redirect_request(
        self,
        req: urllib.request.Request,
        fp: IO[bytes],
        code: int,
        msg: str,
        headers: http.client.HTTPMessage,
        newurl: str,
    ) -> urllib.request.Request | None:
        try:
            _check_scheme(newurl, origin=req.full_url)
        except ResourceError:
            fp.close()
            raise
        return super().redirect_request(req, fp, code, msg, headers, newurl)


def _check_scheme(url: str, origin: str = "") -> None:
    scheme = urlsplit(url).scheme
    if scheme not in ("http", "https") or (scheme == "http" and origin.startswith("https:")):
        where = f"{origin} redirects to {url}" if origin else url
        raise ResourceError(
            f"{where}: only http and https are followed, and never from https to http; refused"
        )


def _director() -> urllib.request.OpenerDirector:
    """An opener without urllib's file, ftp and data schemes; certificates as SSL_CERT_FILE says."""
    director = urllib.request.OpenerDirector()
    for handler in (
        urllib.request.ProxyHandler(),
        urllib.request.HTTPHandler(),
        urllib.request.HTTPSHandler(context=ssl.create_default_context()),
        urllib.request.HTTPDefaultErrorHandler(),
        urllib.request.HTTPErrorProcessor(),
        _Redirects(),
    ):
        director.add_handler(handler)
    return director


def _name(url: str) -> str:
    return urlsplit(url).path.rpartition("/")[2]


def _size(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0
