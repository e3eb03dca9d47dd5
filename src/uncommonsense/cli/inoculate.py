"""``uncommonsense inoculate``: a little training on supersenses, before a model is measured."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from uncommonsense.cli.output import emit, note, progress

__all__ = ["inoculate"]

_RECIPE = "Recipe"


def inoculate(
    model: Annotated[str, typer.Argument(metavar="MODEL", help="A hub id, a folder, or minilm, smollm2.")],
    corpus: Annotated[
        str,
        typer.Option("--corpus", "-c", help="Supersenses to train on: FORMAT:PATH or a name."),
    ] = "streusle",
    sizes: Annotated[
        str, typer.Option("--sizes", "-n", help="Examples to train on; a model for each number.")
    ] = "100,250,500,1000,2500",
    seed: Annotated[
        str, typer.Option(help="Of the sample and the training; a model for each of several: 0,1,2.")
    ] = "0",
    out: Annotated[
        Path, typer.Option("--out", "-o", help="Models go to OUT/MODEL/size-N/seed-S/model.")
    ] = Path("inoculated"),
    learning_rate: Annotated[float, typer.Option(help="Of AdamW, constant.", rich_help_panel=_RECIPE)] = 2e-5,
    batch_size: Annotated[int, typer.Option(help="Examples per step.", rich_help_panel=_RECIPE)] = 8,
    epochs: Annotated[
        int, typer.Option(help="Passes over the examples, at most.", rich_help_panel=_RECIPE)
    ] = 40,
    patience: Annotated[
        int,
        typer.Option(
            help="Stop after so many epochs without a new lowest training loss; 0: never.",
            rich_help_panel=_RECIPE,
        ),
    ] = 5,
    weight_decay: Annotated[float, typer.Option(help="Of AdamW.", rich_help_panel=_RECIPE)] = 0.0,
    beta1: Annotated[float, typer.Option(help="Of AdamW.", rich_help_panel=_RECIPE)] = 0.9,
    beta2: Annotated[float, typer.Option(help="Of AdamW.", rich_help_panel=_RECIPE)] = 0.999,
    epsilon: Annotated[float, typer.Option(help="Of AdamW.", rich_help_panel=_RECIPE)] = 1e-8,
    dropout: Annotated[
        bool, typer.Option(help="Drop out as the model's settings say.", rich_help_panel=_RECIPE)
    ] = True,
    layers: Annotated[
        str,
        typer.Option(
            "--layers", "-l", help="What is trained on: last, 7, mean:4-6.", rich_help_panel=_RECIPE
        ),
    ] = "last",
    pool: Annotated[
        str,
        typer.Option(
            help="How a word's pieces become one vector: mean, first, last.", rich_help_panel=_RECIPE
        ),
    ] = "mean",
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Fine-tune a model on a few supersenses of nouns, verbs and prepositions; only the encoder is kept.

    The defaults are the recipe of "BERT Has Uncommon Sense". Each size and seed gives a folder that
    transformers and every command here load as a model. Samples of one seed are nested. A run that is
    interrupted goes on where it stopped; what is finished is not trained again.

    Examples:
      uncommonsense inoculate minilm --corpus streusle:DIR --sizes 100,250 --seed 0,1,2

      uncommonsense inoculate bert-base-cased --sizes 500 --learning-rate 1e-5 --out tuned

      uncommonsense rank semcor --hold-out 0.2 --model inoculated/minilm/size-100/seed-0/model
    """
    numbers, seeds = _numbers(sizes, "--sizes"), _numbers(seed, "--seed")
    recipe: dict[str, Any] = {
        "learning_rate": learning_rate, "batch_size": batch_size, "epochs": epochs, "patience": patience,
        "weight_decay": weight_decay, "beta1": beta1, "beta2": beta2, "epsilon": epsilon,
        "dropout": dropout, "layers": layers, "pool": pool,
    }  # fmt: skip
    rows = _train(model, corpus, numbers, seeds, out, recipe)
    emit(rows, as_json=as_json)


def _train(
    model: str, spec: str, sizes: list[int], seeds: list[int], out: Path, recipe: dict[str, Any]
) -> list[dict[str, Any]]:
    """Train every size and seed; what any of them lacks is found before the first is trained."""
    from uncommonsense import train

    train.Recipe.of(**recipe)
    text = train.read_corpus(spec)
    train.draw_sample(text, min(sizes))
    train.draw_sample(text, max(sizes))
    rows = []
    for size in sizes:
        for seed in seeds:
            folder = train.inoculate(
                model, text, size=size, seed=seed, out=out, progress=progress, tell=note, **recipe
            )
            rows.append(_row(folder, train.read_manifest(folder)))
    return rows


def _row(folder: Path, manifest: dict[str, Any]) -> dict[str, Any]:
    return {
        "size": manifest["size"],
        "seed": manifest["seed"],
        "examples": manifest["examples"],
        "epochs": manifest["epochs_run"],
        "first_loss": manifest["first_loss"],
        "last_loss": manifest["final_loss"],
        "minutes": manifest["seconds"] / 60,
        "folder": str(folder),
    }


def _numbers(text: str, option: str) -> list[int]:
    from uncommonsense.errors import UserError

    try:
        numbers = [int(part) for part in text.split(",")]
    except ValueError:
        raise UserError(f"{option} takes whole numbers separated by commas, not {text!r}") from None
    if min(numbers) < 0:
        raise UserError(f"{option} takes numbers from 0 on, not {text!r}")
    return list(dict.fromkeys(numbers))
