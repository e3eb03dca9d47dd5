"""Downloads from a real HTTPS server that fails in every way a server can."""

from __future__ import annotations

import time
from contextlib import contextmanager
from pathlib import Path

import pytest
import trustme
from invented import Site, resumable, whole

from uncommonsense.errors import OfflineError, ResourceError
from uncommonsense.resources import transfer
from uncommonsense.resources.transfer import download

CONTENT = bytes(range(256)) * 40


@pytest.fixture
def target(tmp_path: Path) -> Path:
    return tmp_path / "target"


def test_a_file_arrives_whole(site: Site, target: Path) -> None:
    download(site.serve("/a", CONTENT), target, limit=20_000)
    assert target.read_bytes() == CONTENT


def test_progress_adds_up_to_the_size(site: Site, target: Path) -> None:
    seen: list[float] = []

    @contextmanager
    def progress(description, total, unit="B"):
        assert (description, total, unit) == ("a.bin", len(CONTENT), "B")
        yield seen.append

    download(site.serve("/x/a.bin?token=1", CONTENT), target, limit=20_000, progress=progress)
    assert sum(seen) == len(CONTENT)


def test_a_cut_download_is_resumed_where_it_stopped(site: Site, target: Path) -> None:
    download(site.serve("/a", resumable(CONTENT, cut=3000)), target, limit=20_000)
    assert target.read_bytes() == CONTENT
    assert [headers.get("Range") for _, headers in site.requests] == [
        None,
        "bytes=3000-",
        "bytes=6000-",
        "bytes=9000-",
    ]


def test_a_file_that_changed_meanwhile_is_not_mixed_with_the_old_one(site: Site, target: Path) -> None:
    other = CONTENT[::-1]
    answers = iter([resumable(CONTENT, cut=3000, tag='"v1"'), resumable(other, cut=99_999, tag='"v2"')])
    download(site.serve("/a", lambda handler: next(answers)(handler)), target, limit=20_000)
    assert target.read_bytes() == other


def test_without_a_validator_a_cut_download_starts_anew(site: Site, target: Path) -> None:
    answers = iter([whole(CONTENT[:3000], declared=len(CONTENT)), whole(CONTENT)])
    download(site.serve("/a", lambda handler: next(answers)(handler)), target, limit=20_000)
    assert target.read_bytes() == CONTENT
    assert all("Range" not in headers for _, headers in site.requests)


def test_resuming_at_the_wrong_place_starts_anew(site: Site, target: Path) -> None:
    tag = {"ETag": '"v1"'}
    wrong = whole(CONTENT[5:], status=206, headers=tag | {"Content-Range": "bytes 5-10239/10240"})
    answers = iter([whole(CONTENT[:3000], headers=tag, declared=len(CONTENT)), wrong, whole(CONTENT)])
    download(site.serve("/a", lambda handler: next(answers)(handler)), target, limit=20_000)
    assert target.read_bytes() == CONTENT


def test_a_download_that_is_cut_every_time_fails_with_the_amounts(site: Site, target: Path) -> None:
    url = site.serve("/a", whole(CONTENT[:3000], declared=len(CONTENT)))
    with pytest.raises(OfflineError, match=r"cut after 3000 of 10240 bytes \(4 attempts\)"):
        download(url, target, limit=20_000)


def test_a_connection_dropped_before_the_answer(site: Site, target: Path) -> None:
    url = site.serve("/a", lambda handler: handler.connection.close())
    with pytest.raises(OfflineError, match=url):
        download(url, target, limit=20_000)


def test_not_found_is_final(site: Site, target: Path) -> None:
    with pytest.raises(ResourceError, match="/nothing: HTTP 404 Not Found"):
        download(site.address + "/nothing", target, limit=20_000)
    assert len(site.requests) == 1
    assert not target.exists()


def test_a_server_error_is_tried_again(site: Site, target: Path) -> None:
    answers = iter([whole(b"", status=500), whole(b"", status=503), whole(CONTENT)])
    download(site.serve("/a", lambda handler: next(answers)(handler)), target, limit=20_000)
    assert target.read_bytes() == CONTENT


def test_a_lasting_server_error_is_told(site: Site, target: Path) -> None:
    with pytest.raises(OfflineError, match=r"HTTP 500 Internal Server Error \(4 attempts\)"):
        download(site.serve("/a", whole(b"", status=500)), target, limit=20_000)
    assert len(site.requests) == 4


def test_a_slow_server_runs_into_the_timeout(
    site: Site, target: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(transfer, "TIMEOUT", 0.2)
    monkeypatch.setattr(transfer, "ATTEMPTS", 2)

    def stall(handler) -> None:
        whole(CONTENT[:10], declared=len(CONTENT))(handler)
        time.sleep(0.5)

    with pytest.raises(OfflineError, match=r"no data for 0\.2 seconds"):
        download(site.serve("/a", stall), target, limit=20_000)
    with pytest.raises(OfflineError, match=r"no answer within 0\.2 seconds"):
        download(site.serve("/b", lambda handler: time.sleep(0.5)), target, limit=20_000)


def test_redirects_are_followed_on_https(site: Site, target: Path) -> None:
    there = site.serve("/there", CONTENT)
    download(site.serve("/here", whole(b"", status=302, headers={"Location": there})), target, limit=20_000)
    assert target.read_bytes() == CONTENT


@pytest.mark.parametrize(
    "elsewhere", ["file:///etc/passwd", "ftp://localhost/a", "http://localhost:1/a", "data:,x"]
)
def test_redirects_to_other_schemes_are_refused(site: Site, target: Path, elsewhere: str) -> None:
    url = site.serve("/a", whole(b"", status=302, headers={"Location": elsewhere}))
    with pytest.raises(ResourceError, match=elsewhere) as caught:
        download(url, target, limit=20_000)
    assert not isinstance(caught.value, OfflineError)
    assert not target.exists()


@pytest.mark.parametrize("url", ["file:///etc/passwd", "ftp://localhost/a", "/etc/passwd"])
def test_other_schemes_are_refused(target: Path, url: str) -> None:
    with pytest.raises(ResourceError, match="only http and https"):
        download(url, target, limit=20_000)


def test_more_bytes_than_expected_are_refused(site: Site, target: Path) -> None:
    with pytest.raises(ResourceError, match="10240 bytes, where at most 100 are expected"):
        download(site.serve("/a", CONTENT), target, limit=100)

    def endless(handler) -> None:
        handler.send_response(200)
        handler.end_headers()
        handler.wfile.write(CONTENT)

    with pytest.raises(ResourceError, match="more than the 100 bytes"):
        download(site.serve("/b", endless), target, limit=100)


def test_a_certificate_of_an_unknown_authority_is_refused(
    site: Site, target: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    trustme.CA().cert_pem.write_to_path(str(tmp_path / "other.pem"))
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "other.pem"))
    with pytest.raises(ResourceError, match=r"not trusted.*SSL_CERT_FILE"):
        download(site.serve("/a", CONTENT), target, limit=20_000)


def test_no_network(target: Path) -> None:
    with pytest.raises(OfflineError, match="cannot be reached"):
        download("https://localhost:9/a", target, limit=20_000)
    with pytest.raises(OfflineError, match="cannot be reached"):
        download("https://nothing.invalid/a", target, limit=20_000)
