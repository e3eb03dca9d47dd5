"""``uncommonsense wsd build-default``: train the system that is used where none is named."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from uncommonsense.cli.output import emit, note, progress

__all__ = ["build_default"]


def build_default(
    corpus: Annotated[
        str,
        typer.Option("--corpus", "-c", metavar="CORPUS", help="Text that shows senses and their frequency."),
    ] = "semcor",
    also: Annotated[
        str | None,
        typer.Option(metavar="CORPUS", help="More usages, such as glosstag:FILE; no frequencies are taken."),
    ] = None,
    dev: Annotated[
        str | None,
        typer.Option(metavar="CORPUS", help="Scored after each epoch; the best one stays."),
    ] = None,
    model: Annotated[str, typer.Option("--model", "-m", help="What it starts from.")] = "minilm",
    out: Annotated[
        Path | None, typer.Option(metavar="FOLDER", help="Default: where 'disambiguate' looks for it.")
    ] = None,
    epochs: Annotated[int, typer.Option(min=1, help="How often the text is gone through.")] = 1,
    learning_rate: Annotated[float, typer.Option(help="Of the encoder.")] = 1e-4,
    frozen_layers: Annotated[int, typer.Option(min=0, help="Lowest layers that stay as they are.")] = 3,
    pieces: Annotated[int, typer.Option(min=1, help="Word pieces per step.")] = 1200,
    limit: Annotated[int, typer.Option(min=0, help="About so many examples only, for a trial.")] = 0,
    seed: Annotated[int, typer.Option(help="Of the order of the text and of dropout.")] = 0,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Train the default system: encode definitions and usages once, then tune the encoder on them.

    It takes from one to three hours on two cores, says how long, and goes on after an interruption.

    Examples:
      uncommonsense wsd build-default --also glosstag:glosstag.jsonl.xz --dev 'framework?dataset=semeval2007'

      uncommonsense wsd build-default --limit 2000 --out trial
    """
    from uncommonsense.corpora import load_corpus
    from uncommonsense.inventories import open_inventory
    from uncommonsense.wsd.default import default_folder
    from uncommonsense.wsd.development import Development
    from uncommonsense.wsd.scorer import SenseScorer

    inventory = open_inventory("wordnet")
    folder = out or default_folder()
    system = SenseScorer(
        inventory,
        model=model,
        also=load_corpus(also) if also else None,
        seed=seed,
        limit=limit,
        recipe={
            "epochs": epochs,
            "learning_rate": learning_rate,
            "frozen_layers": frozen_layers,
            "pieces": pieces,
        },
        out=folder,
        development=Development(load_corpus(dev), inventory) if dev else None,
        report=note,
        progress=progress,
    )
    system.fit(load_corpus(corpus))
    emit({"system": system.name, "folder": str(folder)}, as_json=as_json)
    note(f"Next: uncommonsense wsd evaluate --model {folder} --corpus framework")
