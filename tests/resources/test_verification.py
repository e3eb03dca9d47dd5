"""The files decide, whatever the source."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from invented import make_resource, sha256

from uncommonsense.errors import ChecksumError, ResourceError
from uncommonsense.resources.catalogue import Resource, ResourceFile, Variant
from uncommonsense.resources.verification import examine, verify

A, B = b"first edition", b"second edition"


@pytest.fixture
def editions() -> Resource:
    """Two files in two editions, and one that both share."""
    both = (Variant(sha256(A), len(A), "old"), Variant(sha256(B), len(B), "new"))
    files = (ResourceFile("x", both), ResourceFile("y", both), ResourceFile("z", (Variant(sha256(b"z"), 1),)))
    return replace(make_resource(), files=files)


def fill(folder: Path, **files: bytes) -> Path:
    for name, content in files.items():
        (folder / name).write_bytes(content)
    return folder


@pytest.mark.parametrize(("content", "name"), [(A, "old"), (B, "new")])
def test_the_edition_is_named(editions: Resource, tmp_path: Path, content: bytes, name: str) -> None:
    contents = verify(editions, fill(tmp_path, x=content, y=content, z=b"z"))
    assert contents.variant == name
    assert contents.sha256 == {"x": sha256(content), "y": sha256(content), "z": sha256(b"z")}


def test_files_of_different_editions_do_not_mix(editions: Resource, tmp_path: Path) -> None:
    with pytest.raises(ChecksumError, match="different editions: x of old, y of new"):
        verify(editions, fill(tmp_path, x=A, y=B, z=b"z"))


def test_a_wrong_file_is_named_with_what_was_expected(editions: Resource, tmp_path: Path) -> None:
    with pytest.raises(ChecksumError) as caught:
        verify(editions, fill(tmp_path, x=b"neither", y=A, z=b"z"))
    message = str(caught.value)
    assert all(
        part in message for part in ("x: sha256", "(7 bytes)", sha256(b"neither"), f"{sha256(A)} (old)")
    )


def test_a_missing_file_is_named(editions: Resource, tmp_path: Path) -> None:
    with pytest.raises(ResourceError, match="lacks y, z"):
        verify(editions, fill(tmp_path, x=A))


def test_an_empty_folder_holds_nothing(tmp_path: Path) -> None:
    with pytest.raises(ResourceError, match="nothing of words"):
        verify(make_resource(), tmp_path)


def test_an_optional_file_may_be_absent_but_not_wrong(tmp_path: Path) -> None:
    files = (
        ResourceFile("a", (Variant(sha256(A)),)),
        ResourceFile("b", (Variant(sha256(B)),), optional=True),
    )
    resource = replace(make_resource(), files=files)
    assert verify(resource, fill(tmp_path, a=A)).sha256 == {"a": sha256(A)}
    with pytest.raises(ChecksumError, match="b: sha256"):
        verify(resource, fill(tmp_path, b=A))


def test_unknown_sha256_are_compared_with_the_remembered_ones(tmp_path: Path) -> None:
    resource = make_resource({"a": None})
    first = examine(resource, fill(tmp_path, a=A), thorough=True)
    assert first == ("", {"a": sha256(A)}, ())
    later = examine(resource, fill(tmp_path, a=B), remembered=first.sha256)
    assert [problem.file for problem in later.problems] == ["a"]
    assert "(first use)" in later.problems[0].message


def test_a_remembered_file_that_has_gone_is_a_problem(tmp_path: Path) -> None:
    contents = examine(make_resource(), tmp_path, remembered={"sub/a": sha256(A)})
    assert contents.problems == (("sub/a", "missing"),)
