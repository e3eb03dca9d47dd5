"""An invented catalogue, an empty cache, and a web server that misbehaves on request."""

from __future__ import annotations

import ssl
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
import trustme
from invented import Site, whole

from uncommonsense.resources import transfer
from uncommonsense.resources.catalogue import Resource


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache, and no settings from outside."""
    monkeypatch.setenv("UNCOMMONSENSE_CACHE", str(tmp_path / "cache"))
    for name in ("WORDS", "WORDNET", "MINILM"):
        monkeypatch.delenv(f"UNCOMMONSENSE_{name}", raising=False)
    monkeypatch.setattr(transfer, "PAUSE", 0.01)
    return tmp_path / "cache"


@pytest.fixture
def catalogue(monkeypatch: pytest.MonkeyPatch) -> Callable[..., Resource]:
    """Replaces the catalogue by the resources given and returns the first."""

    def install(*resources: Resource) -> Resource:
        table = {resource.name: resource for resource in resources}
        for place in ("catalogue.index", "access.index", "index"):
            monkeypatch.setattr(f"uncommonsense.resources.{place}", lambda: table)
        return resources[0]

    return install


@pytest.fixture(scope="session")
def authority() -> trustme.CA:
    return trustme.CA()


@pytest.fixture
def site(authority: trustme.CA, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    """A running server whose certificate is trusted through SSL_CERT_FILE."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert("localhost").configure_cert(context)
    authority.cert_pem.write_to_path(str(tmp_path / "authority.pem"))
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "authority.pem"))
    monkeypatch.setenv("NO_PROXY", "localhost")

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            running.requests.append((self.path, dict(self.headers)))
            running.answers.get(self.path, whole(b"", status=404))(self)

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("localhost", 0), Handler)
    server.socket = context.wrap_socket(server.socket, server_side=True)
    server.handle_error = lambda *_: None  # type: ignore[method-assign]  # clients that hang up are expected
    running = Site(server.server_port)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    yield running
    server.shutdown()
    thread.join()
    server.server_close()
