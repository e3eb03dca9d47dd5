"""``uncommonsense cache``: what the vectors on disk take, and how to be rid of them."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated, Any

import typer

from uncommonsense.cli.output import emit, note

__all__ = ["app"]

app = typer.Typer(
    name="cache",
    help="See and clear the vectors that encoding left on disk.",
    epilog="Examples: uncommonsense cache list --verify; uncommonsense cache prune --older 30",
    no_args_is_help=True,
)
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]


@app.command("list")
def list_(
    *, verify: Annotated[bool, typer.Option(help="Check every checksum.")] = False, as_json: AsJson = False
) -> None:
    """List the stores of vectors: model, layers, how many, how large, when last written.

    Example: uncommonsense cache list --verify
    """
    from uncommonsense.encode.corpus import vector_root
    from uncommonsense.encode.store import list_stores

    root = vector_root()
    rows = [_row(entry) | ({"state": _state(entry)} if verify else {}) for entry in list_stores(root)]
    columns = ["name", "model", "layers", "pool", "dtype", "vectors", "MB", "written"]
    emit(rows, as_json=as_json, columns=[*columns, "state"] if verify else columns)
    note(f"below {root}")
    if any(row.get("state", "ok") != "ok" for row in rows):
        raise typer.Exit(1)


@app.command()
def prune(
    names: Annotated[
        list[str] | None, typer.Argument(metavar="NAME", help="Stores, by the start of their name.")
    ] = None,
    everything: Annotated[bool, typer.Option("--all", help="Remove all stores.")] = False,
    older: Annotated[
        float | None,
        typer.Option(metavar="DAYS", min=0, help="Remove stores not written for this many days."),
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say what would go.")] = False,
    *,
    as_json: AsJson = False,
) -> None:
    """Remove stores of vectors; they are computed again when they are needed.

    Examples: uncommonsense cache prune 99c30c; uncommonsense cache prune --older 30 --dry-run
    """
    from uncommonsense.encode.corpus import vector_root
    from uncommonsense.encode.store import list_stores
    from uncommonsense.errors import UnknownNameError, UserError

    if not all(names or ()) or not (names or everything or older is not None):
        raise UserError(
            "say what to remove: names, --older DAYS or --all; 'uncommonsense cache list' shows what there is"
        )
    entries = list(list_stores(vector_root()))
    for name in names or ():
        if not any(entry.path.name.startswith(name) for entry in entries):
            raise UnknownNameError("store", name, [entry.name for entry in entries])
    limit = datetime.now(UTC).timestamp() - older * 86400 if older is not None else None
    chosen = [
        entry
        for entry in entries
        if everything
        or any(entry.path.name.startswith(name) for name in names or ())
        or (limit is not None and entry.used < limit)
    ]
    for entry in chosen:
        if not dry_run:
            entry.remove()
    emit([_row(entry) for entry in chosen], as_json=as_json, columns=["name", "model", "vectors", "MB"])
    note(f"{'would remove' if dry_run else 'removed'} {len(chosen)} of {len(entries)}")


def _state(entry: Any) -> str:
    """``ok``, or what is damaged and how to mend it."""
    from uncommonsense.errors import StoreError

    try:
        entry.verify()
    except StoreError as error:
        return str(error)
    return "ok"


def _row(entry: Any) -> dict[str, Any]:
    about = entry.about
    return {
        "name": entry.name,
        **{key: about.get(key, "") for key in ("model", "layers", "pool", "dtype")},
        "vectors": entry.vectors,
        "MB": round(entry.bytes / 1e6, 1),
        "written": datetime.fromtimestamp(entry.used, UTC).strftime("%Y-%m-%d %H:%M") if entry.used else "",
    }
