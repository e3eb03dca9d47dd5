"""``uncommonsense senses``: what a word can mean, according to an inventory."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from itertools import groupby
from typing import TYPE_CHECKING, Annotated, Any

import typer

from uncommonsense.cli.output import console, emit, note
from uncommonsense.errors import MissingResourceError

if TYPE_CHECKING:
    from uncommonsense.inventories.lookup import Found

__all__ = ["senses"]

_PARTS = {"n": "noun", "v": "verb", "a": "adjective", "r": "adverb", "p": "preposition", "x": "other"}
_BAR = 12
_EXAMPLES = 2
_TARGETS = 8

Row = dict[str, Any]


def senses(
    word: Annotated[str, typer.Argument(help="A lemma, an inflected form, a sense id, or a synset's name.")],
    pos: Annotated[
        str | None, typer.Option("--pos", "-p", help="Only this part of speech: n, v, a, r, p.")
    ] = None,
    inventory: Annotated[
        str,
        typer.Option(
            "--inventory",
            "-i",
            metavar="SPEC",
            help="wordnet, wordnet:DIR, fews:DIR, ontonotes:DIR, pdep:FILE, tratz:DIR or sampler.",
        ),
    ] = "wordnet",
    show_all: Annotated[
        bool, typer.Option("--all", help="Every example and related sense, not a few.")
    ] = False,
    relations: Annotated[
        bool, typer.Option("--relations", "-r", help="Show how senses are related.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Show the senses of a word: number, name, id, how often it is tagged, definition, examples.

    In a pipe the senses are tab-separated lines, with --json a JSON list.
    """
    from uncommonsense.inventories import open_inventory
    from uncommonsense.inventories.lookup import base_forms, look_up, parse_pos

    part = parse_pos(pos) if pos else None
    source = open_inventory(inventory)
    found = look_up(source, word, part)
    if found[0].how == "form":
        note(f"{word!r} is no lemma here; it is a form of {_names(found)}")
    elif found[0].how == "lemma":
        with suppress(MissingResourceError):  # a copy of WordNet without exception lists
            if others := base_forms(source, word, part):
                note(f"{word!r} is also a form of {_names(others)}")
    rows = [_row(source, lemma, each, relations=relations) for lemma, ids, _ in found for each in ids]
    if as_json:
        emit(rows, as_json=True)
    elif console().is_terminal:
        _show(rows, show_all=show_all)
    else:
        emit([_plain(row, show_all=show_all) for row in rows], as_json=False)


def _names(found: list[Found]) -> str:
    return ", ".join(dict.fromkeys(each.lemma for each in found))


def _row(source: Any, lemma: str, sense_id: str, *, relations: bool) -> Row:
    """Everything that is shown of a sense, under the names that JSON gives it."""
    sense = source.sense(sense_id)
    ids = source.candidates(sense.lemmas[0], sense.pos)
    row: Row = {
        "lemma": lemma,
        "pos": sense.pos,
        "number": ids.index(sense_id) + 1 if sense_id in ids else None,
        "id": sense_id,
        "name": source.name_of(sense_id) if hasattr(source, "name_of") else None,
        "count": source.count(sense_id) if hasattr(source, "count") else None,
        "gloss": sense.gloss,
        "examples": list(sense.examples),
        "synonyms": list(sense.lemmas[1:]),
        "tags": list(sense.tags),
    }
    if relations:
        row["hypernyms"] = list(_chain(source, sense_id))
        row["relations"] = [list(pair) for pair in sense.relations]
    return row


def _chain(source: Any, sense_id: str) -> Iterator[str]:
    """Names from the first hypernym of a sense up to the top."""
    above = source.hypernyms(sense_id, instances=True) if hasattr(source, "hypernyms") else ()
    seen: set[str] = set()
    while above and above[0].name not in seen:
        seen.add(above[0].name)
        yield above[0].name
        above = source.hypernyms(above[0], instances=True)


def _plain(row: Row, *, show_all: bool) -> Row:
    """A row for a pipe: the short columns, and the long ones that were asked for."""
    short = {name: row[name] for name in ("lemma", "pos", "number", "id", "name", "count", "gloss")}
    if show_all:
        short["examples"] = " | ".join(row["examples"])
    if "relations" in row:
        short["hypernyms"] = " > ".join(row["hypernyms"])
        short["relations"] = " ".join(f"{relation}={target}" for relation, target in row["relations"])
    return short


def _show(rows: list[Row], *, show_all: bool) -> None:
    """Senses for people: grouped by lemma and part of speech."""
    from rich.text import Text

    screen = console()
    most = max((row["count"] or 0 for row in rows), default=0)
    for (lemma, pos), group in groupby(rows, key=lambda row: (row["lemma"], row["pos"])):
        members = list(group)
        plural = "sense" if len(members) == 1 else "senses"
        screen.print(
            Text.assemble((lemma, "bold"), f"  {_PARTS[pos]}, {len(members)} {plural}", style="cyan")
        )
        for row in members:
            screen.print(_heading(row, most))
            for line in _details(row, show_all=show_all):
                screen.print(line, soft_wrap=False)
        screen.print()


def _heading(row: Row, most: int) -> Any:
    from rich.text import Text

    number = "" if row["number"] is None else str(row["number"])
    heading = Text.assemble(f"{number:>3}  ", (row["name"] or row["id"], "bold"))
    if row["name"]:
        heading.append(f"  {row['id']}", "dim")
    if row["count"]:
        heading.append(f"  {'▇' * max(1, round(_BAR * row['count'] / most))} {row['count']:,}", "green")
    return heading


def _details(row: Row, *, show_all: bool) -> Iterator[Any]:
    from rich.padding import Padding
    from rich.text import Text

    lines = [Text(row["gloss"])]
    if row["synonyms"]:
        lines.append(Text("= " + ", ".join(row["synonyms"]), "blue"))
    examples = row["examples"] if show_all else row["examples"][:_EXAMPLES]
    lines += [Text(f"“{example}”", "dim italic") for example in examples]
    if row.get("hypernyms"):
        lines.append(Text.assemble(("is a ", "dim"), " → ".join(row["hypernyms"])))
    pairs = sorted(row.get("relations", ()))
    for relation, group in groupby(pairs, key=lambda pair: pair[0]):
        targets = [target for _, target in group]
        kept = targets if show_all else targets[:_TARGETS]
        more = f" … {len(targets) - len(kept)} more" if len(targets) > len(kept) else ""
        lines.append(Text.assemble((f"{relation.replace('_', ' ')} ", "dim"), ", ".join(kept), (more, "dim")))
    return (Padding(line, (0, 0, 0, 5)) for line in lines)
