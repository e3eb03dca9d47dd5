"""``uncommonsense corpus``: look at sense-annotated text, check it, convert it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from uncommonsense.cli.output import console, emit, note, progress

if TYPE_CHECKING:
    from uncommonsense.schema import Instance, Sentence

__all__ = ["app"]

app = typer.Typer(
    name="corpus",
    help="Look at sense-annotated text, check it, convert it. "
    "A corpus is FORMAT:PATH or a registered name; `corpus formats` lists both.",
    no_args_is_help=True,
    rich_markup_mode="rich",
)

Spec = Annotated[str, typer.Argument(metavar="CORPUS", help="FORMAT:PATH[?option=value&...] or a name.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]


@app.command(
    epilog="Examples: [bold]uncommonsense corpus stats sampler[/bold]; "
    "[bold]uncommonsense corpus stats 'framework:WSD_Evaluation_Framework?dataset=ALL' --json[/bold]"
)
def stats(spec: Spec, *, as_json: AsJson = False) -> None:
    """Count sentences, tokens, targets, senses, and how ambiguous the words are."""
    from uncommonsense import corpora

    source = corpora.open_corpus(spec)
    with progress("counting", None, unit="sentences") as advance:
        found = corpora.statistics(_watched(source, advance))
    if as_json:
        emit({"corpus": spec, **found.as_dict()}, as_json=True)
        return
    rows: list[dict[str, Any]] = [asdict(group) for group in found.groups]
    rows[0] |= {"sentences": found.sentences, "tokens": found.tokens}
    columns = ["group", "sentences", "tokens", *list(asdict(found.groups[0]))[1:]]
    emit(rows, as_json=False, columns=columns, title=spec)
    note(f"{found.multiword:,} targets of several words; {found.several_senses:,} with several right senses")


@app.command(epilog="Example: [bold]uncommonsense corpus head semcor:semcor3.0 -n 3[/bold]")
def head(
    spec: Spec,
    number: Annotated[int, typer.Option("-n", "--number", min=1, help="How many sentences.")] = 5,
    *,
    as_json: AsJson = False,
) -> None:
    """Show the first sentences, their targets and senses."""
    from uncommonsense import corpora

    sentences = list(islice(corpora.open_corpus(spec).sentences(), number))
    if as_json:
        emit([_plain(sentence) for sentence in sentences], as_json=True)
    elif console().is_terminal:
        for sentence in sentences:
            _show(sentence)
    else:
        rows = [_row(sentence, each) for sentence in sentences for each in sentence.instances or (None,)]
        emit(rows, as_json=False, columns=["id", "sentence", "lemma", "pos", "senses", "split"])


@app.command(
    epilog="Examples: [bold]uncommonsense corpus validate tsv:mine.tsv[/bold]; "
    "[bold]uncommonsense corpus validate semcor --inventory wordnet[/bold]"
)
def validate(
    spec: Spec,
    inventory: Annotated[
        str | None, typer.Option(metavar="INVENTORY", help="Check that it knows the senses, e.g. wordnet.")
    ] = None,
    *,
    as_json: AsJson = False,
) -> None:
    """Check ids, spans, lemmas and senses; exit code 2 if anything is wrong."""
    from uncommonsense import corpora
    from uncommonsense.inventories import open_inventory

    source = corpora.open_corpus(spec)
    report = corpora.validate(source, open_inventory(inventory) if inventory else None)
    if as_json:
        emit({"corpus": spec, "ok": report.ok, **report.as_dict()}, as_json=True)
    elif not report.ok:
        emit([asdict(finding) for finding in report.findings], as_json=False)
    checked = f"{report.sentences:,} sentences, {report.instances:,} targets"
    note(f"{checked}: {'nothing wrong' if report.ok else 'see above'}")
    if not report.ok:
        raise typer.Exit(2)


@app.command(
    epilog="Examples: [bold]uncommonsense corpus convert semcor:semcor3.0 semcor.parquet[/bold]; "
    "[bold]uncommonsense corpus convert fews:fews fews.tsv --to tsv[/bold]"
)
def convert(
    spec: Spec,
    target: Annotated[Path, typer.Argument(metavar="OUT", help="The file (tsv, jsonl) or folder to write.")],
    to: Annotated[str, typer.Option(help="One of parquet, tsv, jsonl, framework.")] = "parquet",
    *,
    force: Annotated[bool, typer.Option("--force", help="Replace OUT if it exists.")] = False,
    as_json: AsJson = False,
) -> None:
    """Write a corpus in another format; Parquet is what `datasets`, pandas and this package read fastest."""
    from uncommonsense import corpora

    source = corpora.open_corpus(spec)
    with progress(f"writing {target}", None, unit="sentences") as advance:
        sentences = corpora.convert(source, target, to=to, overwrite=force, advance=advance)
    emit({"corpus": f"{to}:{target}", "sentences": sentences}, as_json=as_json)


@app.command(epilog="Example: [bold]uncommonsense corpus formats[/bold]")
def formats(*, as_json: AsJson = False) -> None:
    """List the formats, with an example of each, and the registered names."""
    from uncommonsense import corpora

    rows = [{"format": each.name, **each._asdict()} for each in corpora.formats()]
    if as_json:
        known = [{**row, "options": corpora.options(row["format"])} for row in rows]
        emit({"formats": known, "names": list(corpora.names())}, as_json=True)
        return
    emit(rows, as_json=False, columns=["format", "description", "example"])
    note(f"Registered names: {', '.join(corpora.names())}")


def _watched(sentences: Iterable[Sentence], advance: Callable[[float], None]) -> Iterator[Sentence]:
    for sentence in sentences:
        yield sentence
        advance(1)


def _plain(sentence: Sentence) -> dict[str, Any]:
    return {**sentence._asdict(), "instances": [instance._asdict() for instance in sentence.instances]}


def _row(sentence: Sentence, target: Instance | None) -> dict[str, Any]:
    """A target and its sentence, the target in brackets as ``tsv`` reads them."""
    words = list(sentence.tokens)
    if target is None:
        return {"id": sentence.id, "sentence": " ".join(words)}
    words[target.start] = "[" + words[target.start]
    words[target.end - 1] += "]"
    return {**target._asdict(), "sentence": " ".join(words)}


def _show(sentence: Sentence) -> None:
    """Print a sentence with its targets in bold, and a line for each of them."""
    from rich.text import Text

    chosen = {place for each in sentence.instances for place in range(each.start, each.end)}
    text = Text(f"{sentence.id}  ", style="dim")
    for place, token in enumerate(sentence.tokens):
        text.append(token, style="not dim bold cyan" if place in chosen else "not dim").append(" ")
    console().print(text)
    for each in sentence.instances:
        form = " ".join(sentence.tokens[each.start : each.end])
        line = Text("    ").append(form, style="bold cyan").append(f"  {each.lemma} {each.pos}  ")
        console().print(line.append(", ".join(each.senses) or "no sense given", style="green"))
