"""Help, version, completion, and the command reference."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

from running import run
from uncommonsense import __version__
from uncommonsense.cli import app

ROOT = Path(__file__).resolve().parents[2]


def walk(name: str, command: Any) -> list[tuple[str, Any]]:
    children = getattr(command, "commands", {})
    return [
        (name, command),
        *(pair for child, each in children.items() for pair in walk(f"{name} {child}", each)),
    ]


TREE = dict(walk("uncommonsense", typer.main.get_command(app)))
LEAVES = [name for name, command in TREE.items() if not hasattr(command, "commands")]


def help_of(name: str) -> str:
    result = CliRunner().invoke(app, [*name.split()[1:], "--help"], env={"COLUMNS": "100"})
    assert result.exit_code == 0
    return " ".join(result.stdout.replace("│", " ").split())


def test_the_tree_is_walked() -> None:
    assert {"uncommonsense like", "uncommonsense corpus head", "uncommonsense cache prune"} <= set(LEAVES)


@pytest.mark.parametrize("name", LEAVES)
def test_every_command_has_help_with_an_example_of_itself(name: str) -> None:
    text = help_of(name)
    assert re.search(r"Examples?:", text)
    assert name in text.split("Example", 1)[1]


@pytest.mark.parametrize("name", LEAVES)
def test_every_option_has_help(name: str) -> None:
    for parameter in TREE[name].params:
        assert parameter.help, f"{name}: {parameter.name} has no help"


@pytest.mark.parametrize("name", TREE)
def test_every_command_is_in_the_reference(name: str) -> None:
    page = (ROOT / "docs" / "commands.md").read_text(encoding="utf-8")
    assert f"\n## {name}\n" in page


def test_the_reference_knows_what_the_help_says() -> None:
    place = ROOT / "scripts" / "write_command_reference.py"
    spec = importlib.util.spec_from_file_location("write_command_reference", place)
    assert spec is not None
    assert spec.loader is not None
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    page = script.reference()
    section = page.split("\n## uncommonsense like\n")[1].split("\n## ")[0]
    assert "uncommonsense like [OPTIONS] SENTENCE..." in section
    assert "| `--top TOP`, `-n TOP` | How many usages. Default: `10`. |" in section
    assert '```sh\nuncommonsense like "She was [on] antibiotics for a week."\n' in section
    assert "\\[" not in page
    assert "[bold]" not in page


@pytest.mark.parametrize("name", ["uncommonsense like", "uncommonsense demo"])
def test_brackets_survive_the_markup(name: str) -> None:
    """What stands in square brackets is not taken for a style."""
    assert re.search(r'"(She was|The) \[(on|mouse)\] ', help_of(name))
    assert "[brackets]" in help_of(name)


def test_version() -> None:
    done = run("--version")
    assert (done.returncode, done.stdout) == (0, f"uncommonsense {__version__}\n")


def test_no_arguments_show_the_help() -> None:
    assert "Usage" in run().stdout + run().stderr


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_completion_script(shell: str) -> None:
    done = run(_UNCOMMONSENSE_COMPLETE=f"source_{shell}", SHELL=f"/bin/{shell}")
    assert (done.returncode, done.stderr) == (0, "")
    assert f"_UNCOMMONSENSE_COMPLETE=complete_{shell}" in done.stdout


def test_completion() -> None:
    """What the script of bash asks for when a user presses the tabulator."""
    done = run(_UNCOMMONSENSE_COMPLETE="complete_bash", COMP_WORDS="uncommonsense c", COMP_CWORD="1")
    assert done.stdout.split() == ["corpus", "cache"]
    done = run(_UNCOMMONSENSE_COMPLETE="complete_bash", COMP_WORDS="uncommonsense rank --pro", COMP_CWORD="2")
    assert done.stdout.split() == ["--protocol"]
