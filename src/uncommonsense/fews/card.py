"""What a build says about itself: the data card, the licence, and both as JSON."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterable, Mapping
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from uncommonsense.fews.layout import CARD, LICENCE, MANIFEST, PARQUET
from uncommonsense.fews.tables import SENSE_TABLE, SPLITS

__all__ = ["describe_licence", "write_card"]

_TEMPLATES = 20
_LAYOUT = """\
Low-shot word sense disambiguation data in the layout of FEWS (Blevins, Joshi and Zettlemoyer, EACL 2021)."""
_ABOUT_FILES = """\
A line is a sentence with `<WSD>` around its targets, a tab, and the sense. Training and evaluation sets are
quotations; `train.ext.txt` adds illustrations. Every evaluation example has its own sense and one target.
Zero-shot senses have no other quotation, and nothing in either training set; few-shot senses have the rest
of their quotations in `train.txt`. `raw/` is before the split: do not train on `raw/quotations.txt`, which
holds the test sets. `raw/monosemous.txt` has the examples of words with one sense, `senses.txt` every sense,
with examples or without. `parquet/` has the splits and the senses once more."""
_COLUMNS = {"dropped": "left out", "unknown": "unknown template", "warnings": "warning"}


def write_card(folder: Path, manifest: Mapping[str, Any]) -> None:
    """Write the data card, the licence and ``build.json``."""
    texts = {
        CARD: _front_matter(folder, manifest) + _card(manifest),
        LICENCE: "\n".join(_licence_lines(manifest["licence"])) + "\n",
        MANIFEST: json.dumps(manifest, ensure_ascii=False, indent=2) + "\n",
    }
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8", newline="\n")


def describe_licence(newest: str, edition: str) -> dict[str, Any]:
    """The licence by the day of the newest text (``2020-01-01``, empty if not known), and whom to name."""
    known = _licences()
    changed = known["changed"].isoformat()
    now, other = ("before", "since") if newest and newest < changed else ("since", "before")
    places = {name: text.replace("{edition}", edition) for name, text in known["attribution"].items()}
    return {
        **known[now],
        "also": known["gfdl"],
        other: {**known[other], "changed": changed},
        "newest_text": newest,
        "attribution": places,
    }


@cache
def _licences() -> dict[str, Any]:
    return tomllib.loads(files("uncommonsense.fews").joinpath("licences.toml").read_text(encoding="utf-8"))


def _licence_lines(licence: Mapping[str, Any]) -> Iterable[str]:
    named, also = licence["attribution"], licence["also"]
    yield f"All text in this folder is from Wiktionary, by {named['authors']}."
    yield f"It is under {licence['name']} ({licence['short']}): {licence['address']}"
    yield f"Much of it is also under {also['name']} ({also['short']}): {also['address']}"
    yield _change(licence)
    yield ""
    yield f"Name the source ({named['page']}) and its authors ({named['history']}) where you pass it on,"
    yield "and pass on what you make of it under the same licence."
    yield f"Terms of use: {named['terms']}"
    yield ""
    yield "Changes: definitions and examples were extracted, cleaned of markup, numbered and selected."
    yield "Quotations are from the works named in raw/quotations.txt; other rights may hold in those."


def _change(licence: Mapping[str, Any]) -> str:
    """Why it is this licence and not the other."""
    newest = licence["newest_text"]
    if later := licence.get("since"):
        return (
            f"Its newest text is of {newest}; Wiktionary went over to {later['short']} on {later['changed']}."
        )
    before = licence["before"]
    if not newest:
        return f"Its day is not known: if that is before {before['changed']}, {before['short']} holds."
    return f"Until {before['changed']} it was under {before['short']}: {before['address']}"


def _front_matter(folder: Path, manifest: Mapping[str, Any]) -> str:
    """What dataset hubs and ``datasets.load_dataset(DIR)`` read: licence, and where each split is."""
    lines = [
        "---",
        f"license: {manifest['licence']['spdx']}",
        "configs:",
        "- config_name: default",
        "  data_files:",
    ]
    for name in SPLITS:
        if (folder / PARQUET / name).is_dir():
            split = name.replace(".", "_").replace("-", "_")
            lines += [f"  - split: {split}", f"    path: {PARQUET}/{name}/*.parquet"]
    lines += ["- config_name: senses", "  data_files:", "  - split: senses", f"    path: {SENSE_TABLE}"]
    return "\n".join([*lines, "---", "", ""])


def _card(manifest: Mapping[str, Any]) -> str:
    source = {name.replace("_", " "): value or "not known" for name, value in manifest["dump"].items()}
    options = {f"--{name.replace('_', '-')}": value for name, value in manifest["options"].items()}
    parts = [
        "# Word senses in context, from Wiktionary",
        f"Built by uncommonsense {manifest['uncommonsense']}. {_LAYOUT}",
        _table(["source", ""], source),
        _table(["option", ""], options),
        *manifest["remarks"],
        "## Files",
        _table(["file", "examples or senses"], manifest["files"]),
        _ABOUT_FILES,
        _table(
            ["count", ""], {name.replace("_", " "): number for name, number in manifest["counts"].items()}
        ),
        "## Left out",
        _counted(manifest, "dropped"),
        f"## Templates that were not understood (the {_TEMPLATES} most frequent)",
        _counted(manifest, "unknown"),
        "## Warnings",
        _counted(manifest, "warnings"),
        "## Licence",
        "\n".join(_licence_lines(manifest["licence"])),
    ]
    return "\n\n".join(parts) + "\n"


def _counted(manifest: Mapping[str, Any], name: str) -> str:
    top = dict(list(manifest[name].items())[:_TEMPLATES])
    return _table([_COLUMNS[name], "times"], top) if top else "None."


def _table(head: list[str], rows: Mapping[str, Any]) -> str:
    cells = ((name, f"{value:,}" if type(value) is int else str(value)) for name, value in rows.items())
    lines = [f"| {_cell(name)} | {_cell(value)} |" for name, value in cells]
    return "\n".join([f"| {head[0]} | {head[1]} |", "|---|---|", *lines])


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")
