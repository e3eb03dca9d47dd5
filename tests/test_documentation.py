"""The documentation runs: its Python, its commands and what they print, its links.

- ```` ```python ```` blocks of a file run in one namespace, in order; with ``>>>`` they are doctests.
- ```` ```console ```` blocks: each line ``$ uncommonsense ...`` runs in a pipe and must succeed. Every
  line of output below it must occur in what the command prints (standard output and error), white space
  apart; ``...`` stands for any lines.
- Other blocks (``text``, ``sh``) are not run.
"""

from __future__ import annotations

import doctest
import re
import subprocess
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import NamedTuple

import pytest

from running import ENTRY, borrow_cache, environment
from uncommonsense.errors import MissingResourceError

ROOT = Path(__file__).resolve().parent.parent
PAGES = [ROOT / "README.md", ROOT / "ARCHITECTURE.md", *sorted((ROOT / "docs").glob("*.md"))]


_FENCE = re.compile(r"^```(\w*)[^\n]*\n(.*?)^```\s*$", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"\[[^\]\n]*\]\(([^()\s]+)\)")
_HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)
_MISSING = re.compile(r"^error: .*run: uncommonsense data get", re.MULTILINE)


class Block(NamedTuple):
    """A fenced block; ``line`` is that of its first line in the file."""

    page: Path
    line: int
    text: str


class Command(NamedTuple):
    """A command and the lines that are shown below it."""

    place: str
    text: str
    expected: list[str]


def blocks(page: Path, language: str) -> Iterator[Block]:
    text = page.read_text(encoding="utf-8")
    for match in _FENCE.finditer(text):
        if match[1] == language:
            yield Block(page, text.count("\n", 0, match.start(2)) + 1, match[2])


def commands(block: Block) -> Iterator[Command]:
    """The commands of a console block; a backslash at the end of a line continues it."""
    text = re.sub(r"\\\n", lambda _: " ", block.text)
    for part in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]:
        first, *rest = part.splitlines()
        if first.startswith("uncommonsense"):
            place = f"{block.page.relative_to(ROOT)}:{block.line + text[: text.index(part)].count(chr(10))}"
            yield Command(place, first, [line for line in rest if line.strip() and line.strip() != "..."])


COMMANDS = [command for page in PAGES for block in blocks(page, "console") for command in commands(block)]


def squeezed(text: str) -> str:
    return " ".join(text.split())


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return borrow_cache(tmp_path_factory.mktemp("documentation") / "cache")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where commands run: a folder with ``uncommonsense`` in ``bin``."""
    home = tmp_path_factory.mktemp("reader")
    program = home / "bin" / "uncommonsense"
    program.parent.mkdir()
    program.write_text(f"#!/bin/sh\nexec '{ENTRY[0]}' -c '{ENTRY[2]}' \"$@\"\n", encoding="utf-8")
    program.chmod(0o755)
    return home


@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize(
    "page", [page for page in PAGES if any(blocks(page, "python"))], ids=lambda page: page.name
)
def test_python(page: Path, cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("UNCOMMONSENSE_CACHE", str(cache))
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {"__name__": page.stem}
    for block in blocks(page, "python"):
        try:
            run_block(block, names)
        except MissingResourceError as error:
            pytest.skip(f"{page.name}:{block.line}: {error}")


def run_block(block: Block, names: dict[str, object]) -> None:
    if not block.text.startswith(">>>"):
        code = "\n" * (block.line - 1) + block.text  # so that a traceback shows the page's own line
        exec(compile(code, str(block.page), "exec"), names)
        return
    test = doctest.DocTestParser().get_doctest(
        block.text, names, block.page.name, str(block.page), block.line - 1
    )
    report: list[str] = []
    doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(test, out=report.append, clear_globs=False)
    assert not report, "".join(report)
    names.update(test.globs)


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.place)
def test_command(command: Command, cache: Path, folder: Path) -> None:
    changed = environment(UNCOMMONSENSE_CACHE=str(cache))
    changed["PATH"] = f"{folder / 'bin'}:{changed['PATH']}"
    done = subprocess.run(
        command.text,
        shell=True,
        cwd=folder,
        env=changed,
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    if done.returncode == 2 and (missing := _MISSING.search(done.stderr)):
        pytest.skip(missing[0])
    assert done.returncode == 0, done.stderr
    printed = squeezed(done.stdout + " " + done.stderr)
    absent = [line for line in command.expected if squeezed(line) not in printed]
    assert not absent, (
        f"{command.place}: not printed by {command.text!r}: {absent}\n{done.stdout}{done.stderr}"
    )


def slug(heading: str) -> str:
    """The anchor that a Markdown viewer gives a heading."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links(page: Path) -> None:
    text = _FENCE.sub("", page.read_text(encoding="utf-8"))
    for link in _LINK.findall(text):
        if re.match(r"[a-z]+:", link):
            continue
        place, _, anchor = link.partition("#")
        target = (page.parent / place).resolve() if place else page
        assert target.exists(), f"{page.name} links to {link}, which is not there"
        assert target.is_relative_to(ROOT), f"{page.name} links to {link}, outside the repository"
        if anchor:
            headings = _HEADING.findall(target.read_text(encoding="utf-8"))
            assert anchor in map(slug, headings), f"{page.name} links to {link}; there is no such heading"


def test_there_is_something_to_run() -> None:
    """Guards against a pattern that silently matches nothing."""
    sample = Block(ROOT / "x.md", 10, "$ ls\n$ uncommonsense a \\\n  b\none\n...\n\n$ uncommonsense c\n")
    assert list(commands(sample)) == [
        Command("x.md:11", "uncommonsense a    b", ["one"]),
        Command("x.md:15", "uncommonsense c", []),
    ]
    assert COMMANDS
    assert any(command.expected for command in COMMANDS)


MODULES = [
    ".".join(path.relative_to(ROOT / "src").with_suffix("").parts).removesuffix(".__init__")
    for path in sorted((ROOT / "src").rglob("*.py"))
    if ">>> " in path.read_text(encoding="utf-8")
]


@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize("module", MODULES)
def test_docstrings(module: str) -> None:
    outcome = doctest.testmod(import_module(module), optionflags=doctest.ELLIPSIS)
    assert outcome.failed == 0


def test_the_command_reference_is_up_to_date(tmp_path: Path) -> None:
    """Whatever the terminal is like; and a stale page is noticed."""
    script = [sys.executable, str(ROOT / "scripts" / "write_command_reference.py")]
    for odd in ({"COLUMNS": "40"}, {"COLUMNS": "300", "FORCE_COLOR": "1", "TERM": "xterm-256color"}):
        done = subprocess.run(
            [*script, "--check"], env=environment(**odd), capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
    stale = tmp_path / "commands.md"
    stale.write_text("old", encoding="utf-8")
    arguments = [*script, "--check", "--output", str(stale)]
    done = subprocess.run(arguments, env=environment(), capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr == f"{stale} is out of date; run: make docs\n"
    subprocess.run([*script, "--output", str(stale)], env=environment(), check=True)
    assert stale.read_text(encoding="utf-8") == (ROOT / "docs" / "commands.md").read_text(encoding="utf-8")
