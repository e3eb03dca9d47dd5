"""Archives from strangers: nothing leaves the folder, nothing fills the disk."""

from __future__ import annotations

import bz2
import io
import lzma
import stat
import struct
import tarfile
import zipfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from invented import tar_gz, zipped

from uncommonsense.errors import ResourceError
from uncommonsense.resources.archives import is_archive, unpack


@pytest.fixture
def open_up(tmp_path: Path) -> Callable[..., dict[str, bytes]]:
    """Unpack all of an archive and return what arrived."""

    def run(content: bytes, *, limit: int = 1000, choose=lambda name: name, nested=()) -> dict[str, bytes]:
        (tmp_path / "archive").write_bytes(content)
        folder, scratch = tmp_path / "a" / "b" / "folder", tmp_path / "scratch"
        folder.mkdir(parents=True, exist_ok=True)
        scratch.mkdir(exist_ok=True)
        unpack(tmp_path / "archive", folder, choose=choose, limit=limit, scratch=scratch, nested=nested)
        assert not list(scratch.iterdir())
        return {
            path.relative_to(folder).as_posix(): path.read_bytes()
            for path in folder.rglob("*")
            if path.is_file()
        }

    return run


def tar_with(entry: tarfile.TarInfo) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as archive:
        archive.addfile(entry)
    return buffer.getvalue()


def ar(members: dict[str, bytes]) -> bytes:
    parts = [b"!<arch>\n"]
    for name, content in members.items():
        parts.append(f"{name:<16}{0:<12}{0:<6}{0:<6}{'100644':<8}{len(content):<10}`\n".encode())
        parts.append(content + b"\n" * (len(content) % 2))
    return b"".join(parts)


@pytest.mark.parametrize("pack", [tar_gz, zipped])
def test_members_arrive_under_the_chosen_names(open_up, pack) -> None:
    content = pack({"root/a": b"one", "root/sub/b": b"two", "other/c": b"three"})
    found = open_up(
        content, choose=lambda name: name.removeprefix("root/") if name.startswith("root/") else None
    )
    assert found == {"a": b"one", "sub/b": b"two"}


def test_an_archive_inside_an_archive(open_up) -> None:
    inner = tar_gz({"dict/a": b"one"})
    found = open_up(tar_gz({"p/inner.tgz": inner, "p/b": b"two"}), nested=["p/inner.tgz"])
    assert found == {"dict/a": b"one", "p/b": b"two"}


@pytest.mark.parametrize("compression", ["xz", "zst"])
def test_a_debian_package(open_up, compression: str) -> None:
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode="w") as archive:
        for name, content in {"./usr/share/a": b"one", "./usr/share/b": b"second"}.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content))
    packed = data.getvalue()
    if compression == "xz":
        packed = lzma.compress(packed)
    else:
        packed = pytest.importorskip("zstandard").compress(packed)
    package = ar({"debian-binary": b"2.0\n", "control.tar.xz": b"odd", f"data.tar.{compression}": packed})
    found = open_up(
        package, choose=lambda name: name.removeprefix("usr/share/") if name.startswith("usr/") else None
    )
    assert found == {"a": b"one", "b": b"second"}


@pytest.mark.parametrize("pack", [tar_gz, zipped])
@pytest.mark.parametrize("name", ["../evil", "a/../../evil", "/tmp/evil", "..", "C:evil", "a\\..\\evil"])
def test_names_that_lead_out_are_refused(open_up, tmp_path: Path, pack, name: str) -> None:
    with pytest.raises(ResourceError, match="leads out of the archive"):
        open_up(pack({name: b"evil"}))
    assert not list(tmp_path.rglob("evil"))


@pytest.mark.parametrize("kind", [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.CHRTYPE, tarfile.FIFOTYPE])
def test_links_and_devices_are_refused(open_up, kind: bytes) -> None:
    entry = tarfile.TarInfo("passwd")
    entry.type, entry.linkname = kind, "/etc/passwd"
    with pytest.raises(ResourceError, match="passwd is a link or a device"):
        open_up(tar_with(entry))
    assert open_up(tar_with(entry), choose=lambda name: None) == {}


def test_links_in_zip_files_are_refused(open_up) -> None:
    link = zipfile.ZipInfo("passwd")
    link.external_attr = (stat.S_IFLNK | 0o777) << 16
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr(link, "/etc/passwd")
    with pytest.raises(ResourceError, match="passwd is a link or a device"):
        open_up(buffer.getvalue())


@pytest.mark.parametrize("pack", [tar_gz, zipped])
def test_a_bomb_is_refused_before_it_is_unpacked(open_up, tmp_path: Path, pack) -> None:
    with pytest.raises(ResourceError, match="big would unpack to 5000000 bytes"):
        open_up(pack({"big": bytes(5_000_000)}), limit=1000)
    assert not list(tmp_path.rglob("big"))


def test_many_small_files_count_together(open_up) -> None:
    with pytest.raises(ResourceError, match="would unpack"):
        open_up(tar_gz({str(number): bytes(100) for number in range(11)}), limit=1000)


def test_a_zip_file_that_lies_about_sizes_is_refused(open_up) -> None:
    content = zipped({"big": bytes(5_000_000)})
    lie = content.replace(struct.pack("<I", 5_000_000), struct.pack("<I", 10))
    with pytest.raises(ResourceError, match="damaged"):
        open_up(lie)


@pytest.mark.parametrize(
    "damage",
    [
        lambda: tar_gz({"a": bytes(range(256)) * 100})[:-60],
        lambda: zipped({"a": b"one"})[:-30],
        lambda: bz2.compress(tar_with(tarfile.TarInfo("a")) * 50)[:-20],
        lambda: b"\x1f\x8b garbage",
        lambda: b"<html>not found</html>",
        lambda: b"",
        lambda: b"!<arch>\nshort",
        lambda: ar({"data.tar.xz": lzma.compress(b"x" * 100)})[:-40],
    ],
)
def test_damaged_archives_are_named(open_up, damage: Callable[[], bytes]) -> None:
    with pytest.raises(ResourceError, match=r"archive: |data\.tar\.xz: "):
        open_up(damage(), limit=10**6)


def test_the_first_of_several_members_of_one_name_wins(open_up) -> None:
    assert open_up(tar_gz({"x/a": b"one", "y/a": b"two"}), choose=lambda name: name[2:]) == {"a": b"one"}


def test_archives_are_told_from_other_files(tmp_path: Path) -> None:
    for number, (content, expected) in enumerate(
        [(zipped({"a": b""}), True), (tar_gz({"a": b""}), True), (b"text", False)]
    ):
        (tmp_path / str(number)).write_bytes(content)
        assert is_archive(tmp_path / str(number)) is expected


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(st.text("./\\a:b", min_size=1, max_size=8), min_size=1, max_size=4),
    st.sampled_from([tar_gz, zipped]),
)
def test_nothing_is_ever_written_outside(tmp_path: Path, names: list[str], pack) -> None:
    area = tmp_path / "area"
    (area / "in" / "folder").mkdir(parents=True, exist_ok=True)
    (area / "scratch").mkdir(exist_ok=True)
    (tmp_path / "archive").write_bytes(pack(dict.fromkeys(names, b"x")))
    folder, scratch = area / "in" / "folder", area / "scratch"
    with suppress(ResourceError, OSError):
        unpack(tmp_path / "archive", folder, choose=lambda name: name, limit=1000, scratch=scratch)
    outside = [
        path for path in area.rglob("*") if path.is_file() and area / "in" / "folder" not in path.parents
    ]
    assert not outside
