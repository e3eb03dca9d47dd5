"""Write docs/commands.md from the command line itself; with --check only say whether it is up to date.

    python scripts/write_command_reference.py [--check]

Nothing here depends on the terminal: commands are asked for their parts, not for their help pages.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import typer
from rich.text import Text

from uncommonsense.cli import app

__all__ = ["commands", "main", "reference"]

TARGET = Path(__file__).resolve().parent.parent / "docs" / "commands.md"

_HEAD = """\
# Commands

Written by `make docs` from the program's own help; `uncommonsense COMMAND --help` (or `-h`) shows the same.
Results go to standard output: a table on a terminal, tab-separated lines in a pipe, JSON with `--json`.
Everything else goes to standard error. Exit code 0 is success, 1 a failure of the program or its
surroundings, 2 a request that can be corrected; the message says how.
"""
_EXAMPLES = re.compile(r"^Examples?:\s*", re.MULTILINE)


def commands() -> Iterator[tuple[str, Any]]:
    """Every command and group with its full name, groups before their commands."""
    yield from _walk("uncommonsense", typer.main.get_command(app))


def _walk(name: str, command: Any) -> Iterator[tuple[str, Any]]:
    yield name, command
    for child, each in getattr(command, "commands", {}).items():
        if not each.hidden:
            yield from _walk(f"{name} {child}", each)


def reference() -> str:
    """The whole page."""
    return _HEAD + "".join(_section(name, command) for name, command in commands())


def _section(name: str, command: Any) -> str:
    description, examples = _read_help(command)
    shown = [each for each in command.params if not getattr(each, "hidden", False)]
    arguments = [each for each in shown if each.param_type_name == "argument"]
    options = [each for each in shown if each.param_type_name == "option"]
    parts = [f"\n## {name}\n", *description, _fence([_usage(name, command, arguments)])]
    if children := getattr(command, "commands", {}):
        parts.append("\n".join(_summary(name, child, each) for child, each in children.items()) + "\n")
    parts += [_table("Argument", map(_argument, arguments)), _table("Option", map(_option, options))]
    if examples:
        parts += ["Examples:\n" if len(examples) > 1 else "Example:\n", _fence(examples)]
    return "\n".join(filter(None, parts))


def _read_help(command: Any) -> tuple[list[str], list[str]]:
    """Paragraphs that describe a command, and its examples."""
    text = _plain("\n\n".join(filter(None, [command.help, command.epilog])))
    description, *examples = _EXAMPLES.split(text)
    paragraphs = [" ".join(each.split()) + "\n" for each in re.split(r"\n\s*\n", description) if each.strip()]
    lines = [line.strip() for each in examples for line in re.split(r"; |\n", each)]
    return paragraphs, [line for line in lines if line]


def _plain(text: str | None) -> str:
    """Help without its markup."""
    return Text.from_markup(text or "").plain


def _usage(name: str, command: Any, arguments: list[Any]) -> str:
    subcommand = "COMMAND ..." if hasattr(command, "commands") else ""
    return " ".join(filter(None, [name, "[OPTIONS]", *map(_place, arguments), subcommand]))


def _place(argument: Any) -> str:
    """An argument as the usage shows it."""
    name = _value(argument).strip("[].")
    name = name if argument.required else f"[{name}]"
    return name if argument.nargs == 1 else f"{name}..."


def _value(parameter: Any) -> str:
    return str(parameter.metavar or parameter.name.upper().replace("_", "-"))


def _summary(name: str, child: str, command: Any) -> str:
    first = _read_help(command)[0][0].strip()
    return f"- [`{child}`](#{f'{name} {child}'.replace(' ', '-')}): {first}"


def _argument(parameter: Any) -> tuple[str, str]:
    return f"`{_place(parameter)}`", _meaning(parameter)


def _option(parameter: Any) -> tuple[str, str]:
    value = "" if parameter.is_flag else f" {_value(parameter)}"
    names = [*parameter.opts, *parameter.secondary_opts]
    return ", ".join(f"`{name}{value}`" for name in names), _meaning(parameter)


def _meaning(parameter: Any) -> str:
    text = " ".join(_plain(parameter.help).split())
    if parameter.secondary_opts:
        chosen = parameter.opts if parameter.default else parameter.secondary_opts
        return f"{text} Default: `{chosen[0]}`."
    default = parameter.default
    return text if default is None or isinstance(default, bool) else f"{text} Default: `{default}`."


def _table(kind: str, rows: Iterator[tuple[str, str]]) -> str:
    lines = ["| {} | {} |".format(*(cell.replace("|", "\\|") for cell in row)) for row in rows]
    return "\n".join([f"| {kind} | |", "|---|---|", *lines, ""]) if lines else ""


def _fence(lines: list[str]) -> str:
    return "\n".join(["```sh", *lines, "```", ""])


def main() -> int:
    """Write the page, or compare it with the one on disk."""
    parser = argparse.ArgumentParser(description="Write docs/commands.md from the command line itself.")
    parser.add_argument("--check", action="store_true", help="exit with 1 if the file is out of date")
    parser.add_argument("--output", type=Path, default=TARGET, help="another file than docs/commands.md")
    options = parser.parse_args()
    page = reference()
    if not options.check:
        options.output.parent.mkdir(parents=True, exist_ok=True)
        options.output.write_text(page, encoding="utf-8")
        return 0
    if options.output.is_file() and options.output.read_text(encoding="utf-8") == page:
        return 0
    sys.stderr.write(f"{options.output} is out of date; run: make docs\n")
    return 1


if __name__ == "__main__":
    sys.exit(main())
