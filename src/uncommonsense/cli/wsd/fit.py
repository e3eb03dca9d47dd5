"""``uncommonsense wsd fit``: let a system learn from a corpus and save it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from uncommonsense.cli.output import emit
from uncommonsense.cli.wsd.score import AsJson, InventorySpec, load, watched

__all__ = ["fit"]


def fit(
    name: Annotated[str, typer.Argument(metavar="NAME", help="A system that learns; see 'wsd systems'.")],
    corpus: Annotated[
        str,
        typer.Option(
            "--corpus", "-c", metavar="CORPUS", help="What it learns from: its split train, or all of it."
        ),
    ],
    out: Annotated[Path, typer.Option(metavar="FOLDER", help="Where the fitted system is saved.")],
    inventory: InventorySpec = "wordnet",
    option: Annotated[
        list[str] | None,
        typer.Option("--option", "-o", metavar="KEY=VALUE", help="An option of the system; repeatable."),
    ] = None,
    *,
    force: Annotated[bool, typer.Option("--force", help="Replace a saved system in FOLDER.")] = False,
    as_json: AsJson = False,
) -> None:
    """Fit a system on an annotated corpus and save it for 'wsd evaluate'.

    Examples:
      uncommonsense wsd fit mfs --corpus semcor --out models/mfs

      uncommonsense wsd fit mfs --corpus fews:DIR --inventory fews:DIR --option back_off=none --out mfs-fews
    """
    from uncommonsense.errors import UserError
    from uncommonsense.inventories import open_inventory
    from uncommonsense.wsd.evaluation import training_part
    from uncommonsense.wsd.registry import describe, make_system, parse_options
    from uncommonsense.wsd.saved import require_free, save_system

    about = describe(name)
    if not about.learns:
        raise UserError(f"{name} learns nothing from a corpus; evaluate it as it is: --system {name}")
    options = parse_options(name, option or [])
    require_free(out, overwrite=force)
    system = make_system(name, open_inventory(inventory), **options)
    training = training_part(load(corpus, "reading"))
    watched(system).fit(training)
    save_system(system, out, overwrite=force)
    result = {"system": name, "corpus": training.name, "instances": len(training), "folder": str(out)}
    emit(result, as_json=as_json)
