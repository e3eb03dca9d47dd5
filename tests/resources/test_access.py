"""What ``get`` guarantees: the right files or none, and a message that says why."""

from __future__ import annotations

import errno
import json
import logging
import multiprocessing
import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from invented import Site, leftovers, make_resource, resumable, sha256, tar_gz, whole, zipped

from uncommonsense import resources
from uncommonsense.errors import (
    ChecksumError,
    MissingResourceError,
    OfflineError,
    ResourceError,
    UnknownNameError,
)
from uncommonsense.resources import catalogue as catalogue_module
from uncommonsense.resources import store
from uncommonsense.resources.catalogue import Resource

WORDS = b"one\ntwo\nthree\n"
Install = Callable[..., Resource]


def https(*urls: str, **options: object) -> dict[str, object]:
    return {"type": "https", "urls": [{"url": url, "sha256": ""} for url in urls], **options}


@pytest.fixture
def words(site: Site, catalogue: Install) -> Resource:
    """A resource of one file with a known sha256, on a server that works."""
    return catalogue(make_resource({"words.txt": WORDS}, https(site.serve("/words.txt", WORDS))))


class TestGet:
    def test_files_and_receipt_arrive_together(self, words: Resource, cache: Path) -> None:
        folder = resources.get("words")
        assert folder == cache / "words-1.0"
        assert (folder / "words.txt").read_bytes() == WORDS
        receipt = json.loads((folder / "receipt.json").read_text())
        url = words.sources[0].options["urls"][0]["url"]
        assert receipt["files"] == {"words.txt": sha256(WORDS)}
        assert receipt["downloads"] == {url: sha256(WORDS)}
        assert (receipt["source"], receipt["version"], receipt["trust"]) == ("https", "1.0", "index")
        assert leftovers(cache) == ["words-1.0/receipt.json", "words-1.0/words.txt"]

    def test_what_is_here_is_not_fetched_again(self, words: Resource, site: Site) -> None:
        assert resources.get("words") == resources.get("words") == resources.path("words")
        assert len(site.requests) == 1

    def test_naming_a_source_fetches_anew(self, words: Resource, site: Site) -> None:
        resources.get("words")
        resources.get("words", source="https")
        assert len(site.requests) == 2

    def test_a_path_must_be_given(self, words: Resource) -> None:
        with pytest.raises(MissingResourceError, match="--from PATH, or set UNCOMMONSENSE_WORDS"):
            resources.get("words", source="path")

    def test_optional_files_may_go_with_another_source(self, site: Site, catalogue: Install) -> None:
        url = site.serve("/w", zipped({"words.txt": WORDS, "more.txt": b"four"}))
        base = make_resource({"words.txt": WORDS, "more.txt": b"four"}, https(url, unpack=True, roots=[""]))
        catalogue(replace(base, files=(base.files[0], replace(base.files[1], optional=True))))
        assert (resources.get("words") / "more.txt").exists()
        site.serve("/w", zipped({"words.txt": WORDS}))
        assert not (resources.get("words", source="https") / "more.txt").exists()

    def test_an_unknown_source_lists_the_known_ones(self, words: Resource) -> None:
        with pytest.raises(UnknownNameError, match=r"unknown source of words 'ftp'.*https, path"):
            resources.get("words", source="ftp")

    def test_damage_is_repaired(self, words: Resource) -> None:
        damaged = resources.get("words") / "words.txt"
        damaged.write_bytes(b"one\ntwo\nthrEe\n")
        assert resources.get("words") == damaged.parent
        assert damaged.read_bytes() == WORDS

    def test_an_unreadable_receipt_is_replaced(self, words: Resource) -> None:
        receipt = resources.get("words") / "receipt.json"
        receipt.write_text("{")
        assert resources.status("words").state == "absent"
        resources.get("words")
        assert resources.status("words").state == "present"

    def test_progress_is_reported(self, words: Resource) -> None:
        seen: list[object] = []

        @contextmanager
        def progress(
            description: str, total: float | None, unit: str = "B"
        ) -> Iterator[Callable[[float], None]]:
            seen.append((description, total))
            yield seen.append

        resources.get("words", progress=progress)
        assert seen == [("words.txt", len(WORDS)), 0, len(WORDS)]

    def test_archives_are_unpacked(self, site: Site, catalogue: Install, cache: Path) -> None:
        archive = tar_gz({"top/words.txt": WORDS, "top/other.txt": b"not wanted"})
        source = https(site.serve("/words.tgz", archive), unpack=True, roots=["top/"])
        catalogue(make_resource({"words.txt": WORDS}, source))
        resources.get("words")
        assert leftovers(cache) == ["words-1.0/receipt.json", "words-1.0/words.txt"]

    def test_only_what_is_to_be_kept_is_unpacked(self, site: Site, catalogue: Install, cache: Path) -> None:
        archive = zipped({"top/train/a": b"a", "top/huge/b": bytes(10_000), "c": b"c"})
        source = https(site.serve("/words.zip", archive), unpack=True, roots=["top/"], keep=["train/"])
        catalogue(make_resource({}, source, check=("train/a",), size=10))
        resources.get("words")
        assert leftovers(cache) == ["words-1.0/receipt.json", "words-1.0/train/a"]


class TestFailure:
    """Every failure names the source and the reason, and leaves the cache as it was."""

    def fails(self, error: type[ResourceError], match: str, cache: Path) -> str:
        before = leftovers(cache)
        with pytest.raises(error, match=match) as caught:
            resources.get("words")
        assert type(caught.value) is error
        assert leftovers(cache) == before
        message = str(caught.value)
        assert "could not get 'words'" in message
        assert "uncommonsense data get words --from PATH" in message
        return message

    def test_wrong_sha256(self, site: Site, catalogue: Install, cache: Path) -> None:
        catalogue(make_resource({"words.txt": WORDS}, https(site.serve("/words.txt", b"other"))))
        self.fails(ChecksumError, sha256(WORDS), cache)

    def test_wrong_sha256_of_a_download(self, site: Site, catalogue: Install, cache: Path) -> None:
        source = https(site.serve("/words.txt", WORDS))
        source["urls"][0]["sha256"] = "0" * 64  # type: ignore[index]
        catalogue(make_resource({"words.txt": WORDS}, source))
        self.fails(ChecksumError, "expected 0000", cache)

    def test_cut(self, site: Site, catalogue: Install, cache: Path) -> None:
        url = site.serve("/words.txt", whole(WORDS[:5], declared=len(WORDS)))
        catalogue(make_resource({"words.txt": WORDS}, https(url)))
        self.fails(OfflineError, "cut after 5 of 14 bytes", cache)

    def test_no_network(self, catalogue: Install, cache: Path) -> None:
        catalogue(make_resource({"words.txt": WORDS}, https("https://words.invalid/words.txt")))
        self.fails(OfflineError, "cannot be reached", cache)

    @pytest.mark.parametrize(("status", "error"), [(404, ResourceError), (500, OfflineError)])
    def test_http_errors(
        self, site: Site, catalogue: Install, cache: Path, status: int, error: type[ResourceError]
    ) -> None:
        catalogue(
            make_resource({"words.txt": WORDS}, https(site.serve("/words.txt", whole(b"", status=status))))
        )
        self.fails(error, f"HTTP {status}", cache)

    def test_redirect_to_another_scheme(self, site: Site, catalogue: Install, cache: Path) -> None:
        url = site.serve("/words.txt", whole(b"", status=302, headers={"Location": "file:///etc/passwd"}))
        catalogue(make_resource({"words.txt": WORDS}, https(url)))
        self.fails(ResourceError, "file:///etc/passwd", cache)

    @pytest.mark.parametrize("name", ["../words.txt", "/words.txt"])
    def test_hostile_archive(self, site: Site, catalogue: Install, cache: Path, name: str) -> None:
        source = https(site.serve("/words.tgz", tar_gz({name: WORDS})), unpack=True, roots=[""])
        catalogue(make_resource({"words.txt": WORDS}, source))
        self.fails(ResourceError, "leads out of the archive", cache)

    def test_bomb(self, site: Site, catalogue: Install, cache: Path) -> None:
        source = https(
            site.serve("/words.zip", zipped({"words.txt": bytes(50_000_000)})), unpack=True, roots=[""]
        )
        catalogue(make_resource({"words.txt": WORDS}, source))
        self.fails(ResourceError, "would unpack to 50000000 bytes", cache)

    def test_an_archive_without_the_files(self, site: Site, catalogue: Install, cache: Path) -> None:
        source = https(site.serve("/words.zip", zipped({"other": b""})), unpack=True, roots=[""])
        catalogue(make_resource({"words.txt": WORDS}, source))
        self.fails(ResourceError, "nothing of words was found", cache)

    def test_all_sources_are_named_with_their_reasons(
        self, site: Site, catalogue: Install, cache: Path
    ) -> None:
        absent = {"type": "system", "folders": ["/nowhere/words"]}
        catalogue(
            make_resource(
                {"words.txt": WORDS},
                absent,
                https(site.address + "/x"),
                https(site.serve("/words.txt", b"other")),
            )
        )
        message = self.fails(ChecksumError, "could not get", cache)
        assert "system /nowhere/words: not installed" in message
        assert f"https {site.address}/x: {site.address}/x: HTTP 404" in message
        assert f"https {site.address}/words.txt: words.txt: sha256 {sha256(b'other')}" in message

    def test_the_next_source_is_tried(self, site: Site, catalogue: Install, cache: Path) -> None:
        first, second = https(site.address + "/gone"), https(site.serve("/words.txt", WORDS))
        catalogue(make_resource({"words.txt": WORDS}, first, second))
        resources.get("words")
        assert leftovers(cache) == ["words-1.0/receipt.json", "words-1.0/words.txt"]

    def test_a_failed_refresh_keeps_the_good_copy(self, words: Resource, site: Site, cache: Path) -> None:
        folder = resources.get("words")
        site.serve("/words.txt", b"other")
        with pytest.raises(ChecksumError):
            resources.get("words", source="https")
        assert (folder / "words.txt").read_bytes() == WORDS
        assert resources.path("words") == folder

    def test_interruption(self, words: Resource, cache: Path) -> None:
        @contextmanager
        def interrupt(*_: object) -> Iterator[Callable[[float], None]]:
            raise KeyboardInterrupt
            yield

        with pytest.raises(KeyboardInterrupt):
            resources.get("words", progress=interrupt)
        assert leftovers(cache) == []

    def test_nothing_to_download(self, catalogue: Install) -> None:
        catalogue(make_resource(manual="Order it from the publisher."))
        with pytest.raises(
            MissingResourceError, match=r"data get words --from PATH\nOrder it from the publisher"
        ):
            resources.get("words")


class TestDisk:
    def test_full_disk(self, words: Resource, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        def full(_: int) -> None:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

        monkeypatch.setattr(store.os, "fsync", full)
        with pytest.raises(
            ResourceError, match=r"No space left on device; words needs about 0 MB; set UNCOMMONSENSE_CACHE"
        ):
            resources.get("words")
        assert leftovers(cache) == []

    def test_really_full_disk(
        self, site: Site, catalogue: Install, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        small = tmp_path / "small"
        small.mkdir()
        mount = shutil.which("mount") and subprocess.run(
            ["mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", small], capture_output=True
        )
        if not mount or mount.returncode:
            pytest.skip("mounting a small file system is not allowed here")
        try:
            monkeypatch.setenv("UNCOMMONSENSE_CACHE", str(small))
            big = bytes(1_000_000)
            catalogue(make_resource({"words.txt": big}, https(site.serve("/words.txt", big)), size=len(big)))
            with pytest.raises(ResourceError, match=r"No space left on device; words needs about 1 MB"):
                resources.get("words")
            assert leftovers(small) == []
        finally:
            subprocess.run(["umount", small], check=True)

    def test_read_only_cache(self, words: Resource, monkeypatch: pytest.MonkeyPatch) -> None:
        folder = Path(tempfile.mkdtemp())
        folder.chmod(0o555)
        monkeypatch.setenv("UNCOMMONSENSE_CACHE", str(folder))
        root = os.geteuid() == 0
        try:
            if root:
                os.seteuid(65534)  # root may write anywhere
            with pytest.raises(
                ResourceError, match=r"cannot write to the cache .*: Permission denied; set UNC"
            ):
                resources.get("words")
        finally:
            if root:
                os.seteuid(0)
            shutil.rmtree(folder)

    def test_a_read_only_cache_that_has_it_will_do(
        self, words: Resource, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        folder = resources.get("words")

        def refuse(*_: object, **__: object) -> None:
            raise OSError(errno.EROFS, os.strerror(errno.EROFS))

        monkeypatch.setattr(Path, "mkdir", refuse)
        assert resources.get("words") == folder
        with pytest.raises(ResourceError, match="Read-only file system"):
            resources.get("words", source="https")

    def test_a_cache_that_is_a_file(self, words: Resource, cache: Path) -> None:
        cache.write_text("in the way")
        with pytest.raises(ResourceError, match="cannot write to the cache"):
            resources.get("words")

    def test_where_the_cache_is(self, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        assert resources.cache_dir() == cache
        monkeypatch.delenv("UNCOMMONSENSE_CACHE")
        assert resources.cache_dir().name == "uncommonsense"


def fetch_in_another_process(resource: Resource, results: multiprocessing.Queue[str]) -> None:
    catalogue_module.index = lambda: {"words": resource}  # type: ignore[assignment]
    results.put(str(resources.get("words")))


class TestProcesses:
    def test_two_processes_fetch_once(self, site: Site, catalogue: Install, cache: Path) -> None:
        def slow(handler) -> None:
            time.sleep(0.7)
            whole(WORDS)(handler)

        resource = catalogue(make_resource({"words.txt": WORDS}, https(site.serve("/words.txt", slow))))
        context = multiprocessing.get_context("spawn")
        results = context.Queue()
        workers = [
            context.Process(target=fetch_in_another_process, args=(resource, results)) for _ in range(2)
        ]
        for worker in workers:
            worker.start()
        folders = {results.get(timeout=60) for _ in workers}
        for worker in workers:
            worker.join()
        assert folders == {str(cache / "words-1.0")}
        assert len(site.requests) == 1

    def test_what_a_killed_process_left_is_removed(self, site: Site, catalogue: Install, cache: Path) -> None:
        other = make_resource({"words.txt": WORDS}, https(site.serve("/stall", lambda _: time.sleep(5))))
        context = multiprocessing.get_context("spawn")
        results = context.Queue()
        process = context.Process(target=fetch_in_another_process, args=(other, results))
        process.start()
        while not site.requests:
            assert process.is_alive()
            time.sleep(0.02)
        (cache / "partial" / "words" / "scratch" / "half").write_bytes(b"half")
        live = make_resource({"w": WORDS}, https(site.serve("/w", WORDS)), name="more")
        catalogue(live)
        resources.get("more")
        assert "partial/words/scratch/half" in leftovers(cache), "a living process was robbed"
        process.kill()
        process.join()
        resources.get("more", source="https")
        assert leftovers(cache) == ["more-1.0/receipt.json", "more-1.0/w"]


class TestFirstUse:
    """Where no sha256 is published, the first download sets it."""

    def test_it_is_recorded_and_said(
        self, site: Site, catalogue: Install, caplog: pytest.LogCaptureFixture
    ) -> None:
        catalogue(make_resource({"words.txt": None}, https(site.serve("/words.txt", WORDS))))
        with caplog.at_level(logging.WARNING):
            folder = resources.get("words")
        assert "words has no published sha256" in caplog.text
        assert json.loads((folder / "receipt.json").read_text())["files"] == {"words.txt": sha256(WORDS)}
        assert resources.status("words").trust == "first use"

    def test_other_bytes_are_refused_later(self, site: Site, catalogue: Install) -> None:
        catalogue(make_resource({"words.txt": None}, https(site.serve("/words.txt", WORDS))))
        folder = resources.get("words")
        site.serve("/words.txt", b"other")
        with pytest.raises(ChecksumError, match="first use"):
            resources.get("words", source="https")
        assert (folder / "words.txt").read_bytes() == WORDS
        (folder / "words.txt").write_bytes(b"changed")
        assert [finding.state for finding in resources.check()] == ["damaged"]

    def test_what_is_replaced_every_month_may_change(self, site: Site, catalogue: Install) -> None:
        catalogue(
            make_resource({"words.txt": None}, https(site.serve("/words.txt", WORDS)), version="latest")
        )
        resources.get("words")
        site.serve("/words.txt", b"december")
        assert (resources.get("words", source="https") / "words.txt").read_bytes() == b"december"

    def test_all_files_of_an_archive_are_recorded(self, site: Site, catalogue: Install) -> None:
        source = https(site.serve("/w.zip", zipped({"w/a": b"a", "w/b/c": b"c"})), unpack=True, roots=["w/"])
        catalogue(make_resource({}, source, check=("b",)))
        (resources.get("words") / "b" / "c").unlink()
        assert [(one.state, one.message) for one in resources.check(["words"])] == [("damaged", "missing")]
        with pytest.raises(MissingResourceError, match="lacks b/c; run: uncommonsense data get words"):
            resources.path("words")
        resources.get("words")
        assert [one.state for one in resources.check(["words"])] == ["ok"]


class TestPath:
    def test_it_never_fetches(self, words: Resource, site: Site) -> None:
        with pytest.raises(
            MissingResourceError, match="'words' is not here; run: uncommonsense data get words"
        ):
            resources.path("words")
        assert not site.requests

    def test_the_environment_names_a_folder(
        self, words: Resource, tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        (tmp_path / "words.txt").write_bytes(WORDS)
        monkeypatch.setenv("UNCOMMONSENSE_WORDS", str(tmp_path))
        assert resources.path("words") == resources.get("words") == tmp_path
        assert resources.status("words").state == "present"
        assert [finding.state for finding in resources.check()] == ["ok"]
        assert not cache.exists()

    def test_the_environment_names_a_wrong_folder(
        self, words: Resource, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        (tmp_path / "words.txt").write_bytes(b"other")
        monkeypatch.setenv("UNCOMMONSENSE_WORDS", str(tmp_path))
        with pytest.raises(ChecksumError, match=sha256(WORDS)):
            resources.path("words")
        assert resources.status("words").state == "broken"
        monkeypatch.setenv("UNCOMMONSENSE_WORDS", str(tmp_path / "nowhere"))
        with pytest.raises(
            MissingResourceError, match=r"UNCOMMONSENSE_WORDS is set to .*nowhere.*correct or unset"
        ):
            resources.get("words")

    def test_the_environment_names_a_file(
        self, words: Resource, tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        (tmp_path / "mine.tgz").write_bytes(tar_gz({"words.txt": WORDS}))
        monkeypatch.setenv("UNCOMMONSENSE_WORDS", str(tmp_path / "mine.tgz"))
        with pytest.raises(MissingResourceError, match="run: uncommonsense data get words"):
            resources.path("words")
        assert resources.get("words") == resources.path("words") == cache / "words-1.0"


class TestRegister:
    def test_a_folder_is_used_in_place(self, words: Resource, tmp_path: Path, cache: Path) -> None:
        (tmp_path / "words.txt").write_bytes(WORDS)
        assert (
            resources.register("words", tmp_path)
            == resources.path("words")
            == resources.get("words")
            == tmp_path
        )
        assert leftovers(cache) == ["words-1.0/receipt.json"]

    def test_the_folder_above_will_do(self, catalogue: Install, tmp_path: Path) -> None:
        catalogue(make_resource({}, https("https://x.invalid/w.zip", roots=["top/"]), check=("train",)))
        (tmp_path / "top" / "train").mkdir(parents=True)
        assert resources.register("words", tmp_path) == tmp_path / "top"
        assert resources.status("words").trust == "given"

    def test_a_folder_of_which_nothing_is_known(self, catalogue: Install, tmp_path: Path) -> None:
        catalogue(make_resource(manual="Order it."))
        mine = tmp_path / "mine"
        mine.mkdir()
        with pytest.raises(ResourceError, match="nothing of words"):
            resources.register("words", mine)
        (mine / "anything").write_bytes(b"")
        assert resources.register("words", mine) == mine
        shutil.rmtree(mine)
        with pytest.raises(MissingResourceError, match=r"mine has gone; run: .* --from PATH\nOrder it"):
            resources.path("words")

    def test_a_folder_that_went_away(self, words: Resource, tmp_path: Path, cache: Path) -> None:
        (tmp_path / "mine").mkdir()
        (tmp_path / "mine" / "words.txt").write_bytes(WORDS)
        resources.register("words", tmp_path / "mine")
        shutil.rmtree(tmp_path / "mine")
        assert resources.status("words").state == "broken"
        with pytest.raises(MissingResourceError, match="mine has gone; run: uncommonsense data get words"):
            resources.path("words")
        assert [one.state for one in resources.check()] == ["damaged"]
        assert resources.get("words") == cache / "words-1.0"

    @pytest.mark.parametrize("pack", [tar_gz, zipped])
    def test_an_archive_is_unpacked(self, words: Resource, tmp_path: Path, cache: Path, pack) -> None:
        (tmp_path / "mine").write_bytes(pack({"words.txt": WORDS, "more": b""}))
        assert resources.register("words", tmp_path / "mine") == cache / "words-1.0"
        assert leftovers(cache) == ["words-1.0/receipt.json", "words-1.0/words.txt"]

    def test_a_single_file_is_copied_under_its_proper_name(self, words: Resource, tmp_path: Path) -> None:
        (tmp_path / "mine.txt").write_bytes(WORDS)
        assert (resources.register("words", tmp_path / "mine.txt") / "words.txt").read_bytes() == WORDS

    def test_wrong_copies_are_refused(self, words: Resource, tmp_path: Path, cache: Path) -> None:
        (tmp_path / "words.txt").write_bytes(b"other")
        for given, error in ((tmp_path, ChecksumError), (tmp_path / "words.txt", ChecksumError)):
            with pytest.raises(error, match=sha256(WORDS)):
                resources.register("words", given)
        with pytest.raises(ResourceError, match="nowhere does not exist"):
            resources.register("words", tmp_path / "nowhere")
        assert leftovers(cache) == []


class TestCheck:
    def test_all_that_is_here_is_checked(self, words: Resource, catalogue: Install) -> None:
        catalogue(words, make_resource({"x": b"x"}, name="absent"))
        assert resources.check() == []
        resources.get("words")
        assert [(one.name, one.state, one.message) for one in resources.check()] == [
            ("words", "ok", "files hashed: 1")
        ]

    def test_what_is_asked_for_and_not_here_is_missing(self, words: Resource) -> None:
        (finding,) = resources.check(["words"])
        assert (finding.state, finding.message) == ("missing", "not here; run: uncommonsense data get words")

    def test_damage_is_found(self, words: Resource) -> None:
        folder = resources.get("words")
        (folder / "words.txt").write_bytes(b"one\ntwo\nthrEe\n")
        (finding,) = resources.check()
        assert (finding.state, finding.file) == ("damaged", str(folder / "words.txt"))
        assert sha256(WORDS) in finding.message


def test_a_cut_download_is_resumed(site: Site, catalogue: Install) -> None:
    catalogue(make_resource({"words.txt": WORDS}, https(site.serve("/words.txt", resumable(WORDS, cut=5)))))
    assert (resources.get("words") / "words.txt").read_bytes() == WORDS
    assert [headers.get("Range") for _, headers in site.requests] == [None, "bytes=5-", "bytes=10-"]
