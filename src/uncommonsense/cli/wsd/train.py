"""``uncommonsense wsd train``: the systems that take a while, the probe and the bi-encoder."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from uncommonsense.cli.output import emit, note, progress

if TYPE_CHECKING:
    from uncommonsense.inventories import Inventory
    from uncommonsense.schema import Corpus
    from uncommonsense.wsd.development import Development

__all__ = ["app"]

app = typer.Typer(
    name="train",
    help="Train the frozen probe or the gloss bi-encoder; an interrupted training goes on.",
    no_args_is_help=True,
    rich_markup_mode="rich",
)

_SAMPLE, _RECIPE, _READING, _MACHINE = "Examples", "Recipe", "Reading", "Machine"

OneCorpus = Annotated[
    str, typer.Option("--corpus", "-c", help="What is learned from: FORMAT:PATH or a name; its split train.")
]
Model = Annotated[str, typer.Option("--model", "-m", help="A hub id, a folder, or minilm, smollm2.")]
Out = Annotated[Path, typer.Option("--out", "-o", help="The folder of the trained system.")]
Dev = Annotated[str, typer.Option(help="Development corpus: its best epoch is kept, and ends the training.")]
OneInventory = Annotated[
    str, typer.Option(help="Of the corpora; by default FEWS' own for FEWS, else WordNet.")
]
Limit = Annotated[
    int, typer.Option(help="About so many examples, for a trial; 0: all.", rich_help_panel=_SAMPLE)
]
Shots = Annotated[
    int, typer.Option(help="At most so many examples of a sense; 0: all.", rich_help_panel=_SAMPLE)
]
Balanced = Annotated[bool, typer.Option(help="All senses of a word count the same.", rich_help_panel=_SAMPLE)]
Seed = Annotated[int, typer.Option(help="Of the sample and the training.", rich_help_panel=_RECIPE)]
Rate = Annotated[float, typer.Option(help="Learning rate at its height.", rich_help_panel=_RECIPE)]
Epochs = Annotated[int, typer.Option(help="Passes over the examples, at most.", rich_help_panel=_RECIPE)]
Patience = Annotated[
    int,
    typer.Option(help="Stop after so many epochs without a better --dev; 0: never.", rich_help_panel=_RECIPE),
]
Layers = Annotated[
    str, typer.Option("--layers", "-l", help="last, 7, mean:4-6, ...", rich_help_panel=_READING)
]
Pool = Annotated[
    str,
    typer.Option(help="How a word's pieces become a vector: mean, first, last.", rich_help_panel=_READING),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]


@app.command()
def probe(
    corpus: OneCorpus,
    out: Out,
    model: Model = "minilm",
    dev: Dev = "",
    inventory: OneInventory = "",
    limit: Limit = 0,
    shots: Shots = 0,
    balanced: Balanced = False,
    senses: Annotated[
        str,
        typer.Option(help="Softmax over the senses 'seen', or of the 'inventory'.", rich_help_panel=_SAMPLE),
    ] = "seen",
    learning_rate: Rate = 1e-4,
    batch_size: Annotated[int, typer.Option(help="Examples per step.", rich_help_panel=_RECIPE)] = 128,
    epochs: Epochs = 100,
    patience: Patience = 10,
    seed: Seed = 0,
    layers: Layers = "last",
    pool: Pool = "mean",
    back_off: Annotated[str, typer.Option(help="For words that were not seen: none, first-sense.")] = "none",
    as_json: AsJson = False,
) -> None:
    """Train a linear layer over the vectors of a frozen model.

    The defaults are those of FEWS. Vectors are kept in the store: a second training encodes nothing.

    Examples:
      uncommonsense wsd train probe --corpus semcor --dev framework:DIR?dataset=semeval2007 --out models/probe

      uncommonsense wsd train probe --corpus fews:DIR --dev fews:DIR --layers mean --out models/probe-fews
    """
    from uncommonsense.train.probe import ProbeRecipe
    from uncommonsense.wsd.probe import Probe

    recipe = {
        "learning_rate": learning_rate, "batch_size": batch_size, "epochs": epochs, "patience": patience,
    }  # fmt: skip
    ProbeRecipe.of(**recipe)
    system = Probe(
        _inventory(corpus, inventory), encoder=model, layers=layers, pool=pool, senses=senses,
        back_off=back_off, shots=shots, balanced=balanced, limit=limit, seed=seed, recipe=recipe, out=out,
        development=_development(dev, inventory), report=note, progress=progress,
    )  # fmt: skip
    system.fit(_training(corpus))
    emit([_row(out)], as_json=as_json)


@app.command()
def biencoder(
    out: Out,
    corpus: Annotated[
        str,
        typer.Option("--corpus", "-c", help="What is learned from: FORMAT:PATH or a name; its split train."),
    ] = "",
    stages: Annotated[
        str, typer.Option(help="Instead of --corpus, several, one after the other: semcor,fews:DIR.")
    ] = "",
    model: Annotated[
        str, typer.Option("--model", "-m", help="A hub id, a folder (of a trained bi-encoder too), minilm.")
    ] = "minilm",
    dev: Annotated[
        list[str] | None,
        typer.Option(help="Development corpus: its best epoch is kept; repeat it for each stage."),
    ] = None,
    inventory: Annotated[
        list[str] | None,
        typer.Option(
            help="Of the corpora; by default FEWS' own for FEWS, else WordNet; repeat it for each stage."
        ),
    ] = None,
    glosses: Annotated[
        str, typer.Option(help="Gloss vectors to keep: needed (by the corpora), inventory, none.")
    ] = "needed",
    half: Annotated[bool, typer.Option(help="Keep gloss vectors in half precision.")] = False,
    limit: Limit = 0,
    shots: Shots = 0,
    balanced: Balanced = False,
    learning_rate: Rate = 5e-6,
    warmup: Annotated[
        int, typer.Option(help="Steps in which the rate rises.", rich_help_panel=_RECIPE)
    ] = 10_000,
    decay: Annotated[
        str, typer.Option(help="Then: linear (to 0), constant.", rich_help_panel=_RECIPE)
    ] = "linear",
    epochs: Epochs = 20,
    patience: Patience = 5,
    context_batch: Annotated[int, typer.Option(help="Sentences per pass.", rich_help_panel=_RECIPE)] = 4,
    gloss_batch: Annotated[
        int, typer.Option(help="Glosses per pass, at most.", rich_help_panel=_RECIPE)
    ] = 256,
    accumulate: Annotated[int, typer.Option(help="Passes per step.", rich_help_panel=_RECIPE)] = 1,
    clip: Annotated[
        float, typer.Option(help="Norm of the gradient, at most; 0: any.", rich_help_panel=_RECIPE)
    ] = 1.0,
    weight_decay: Annotated[float, typer.Option(help="Of AdamW.", rich_help_panel=_RECIPE)] = 0.0,
    dropout: Annotated[
        bool, typer.Option(help="As the model's settings say.", rich_help_panel=_RECIPE)
    ] = True,
    tied: Annotated[bool, typer.Option(help="One encoder for both.", rich_help_panel=_RECIPE)] = False,
    freeze: Annotated[str, typer.Option(help="Do not train: context, gloss.", rich_help_panel=_RECIPE)] = "",
    seed: Seed = 0,
    layers: Layers = "last",
    pool: Pool = "mean",
    gloss_pool: Annotated[
        str,
        typer.Option(
            help="Of a gloss: first ([CLS]), mean, last; mean for minilm.", rich_help_panel=_READING
        ),
    ] = "",
    context_length: Annotated[int, typer.Option(help="Pieces, at most.", rich_help_panel=_READING)] = 128,
    gloss_length: Annotated[int, typer.Option(help="Pieces, at most.", rich_help_panel=_READING)] = 32,
    precision: Annotated[
        str, typer.Option(help="auto, fp32; on a GPU bf16, fp16.", rich_help_panel=_MACHINE)
    ] = "auto",
    device: Annotated[
        str, typer.Option(help="cpu, cuda; by default cuda if there is one.", rich_help_panel=_MACHINE)
    ] = "",
    checkpoint_minutes: Annotated[
        float, typer.Option(help="Time between checkpoints.", rich_help_panel=_MACHINE)
    ] = 10.0,
    as_json: AsJson = False,
) -> None:
    """Train a context encoder and a gloss encoder (BEM).

    The defaults are those of FEWS. Ctrl-C stops after the step under way; the same command goes on from
    there. A finished stage is not trained again.

    Examples:
      uncommonsense wsd train biencoder --corpus semcor --dev framework:DIR?dataset=semeval2007 --out bem

      uncommonsense wsd train biencoder --stages semcor,fews:DIR --model bert-base-uncased --out both

      uncommonsense wsd train biencoder --corpus semcor --limit 500 --epochs 2 --out trial
    """
    from uncommonsense.train.biencoder import BiEncoderRecipe
    from uncommonsense.wsd.biencoder import train_stages

    recipe: dict[str, Any] = {
        "learning_rate": learning_rate, "warmup": warmup, "decay": decay, "epochs": epochs,
        "patience": patience, "context_batch": context_batch, "gloss_batch": gloss_batch,
        "accumulate": accumulate, "clip": clip, "weight_decay": weight_decay, "dropout": dropout,
        "tied": tied, "freeze": freeze, "layers": layers, "pool": pool, "context_length": context_length,
        "gloss_length": gloss_length, "precision": precision,
    }  # fmt: skip
    if gloss_pool:
        recipe["gloss_pool"] = gloss_pool
    BiEncoderRecipe.of(**recipe)
    chosen = _stages(corpus, stages, dev or [], inventory or [])
    train_stages(
        chosen, out=out, model=model, recipe=recipe, keep=glosses, half=half, limit=limit, shots=shots,
        balanced=balanced, seed=seed, device=device, checkpoint_minutes=checkpoint_minutes, report=note,
        progress=progress,
    )  # fmt: skip
    folders = sorted(out.glob("*/manifest.json")) if len(chosen) > 1 else [out / "manifest.json"]
    emit([_row(folder.parent) for folder in folders], as_json=as_json)


def _stages(corpus: str, stages: str, devs: list[str], inventories: list[str]) -> list[Any]:
    """Read all corpora before the first is trained on: what is wrong with any of them is found at once."""
    from uncommonsense.errors import UserError
    from uncommonsense.wsd.biencoder import Stage

    if bool(corpus) == bool(stages):
        raise UserError("give a --corpus to learn from, or --stages for several")
    specs = [spec.strip() for spec in (stages or corpus).split(",")] if stages else [corpus]
    pairs = zip(
        specs, _for_each(devs, specs, "--dev"), _for_each(inventories, specs, "--inventory"), strict=True
    )
    return [
        Stage(
            spec.partition(":")[0].partition("?")[0],
            _training(spec),
            _inventory(spec, inventory),
            _development(dev, inventory),
        )
        for spec, dev, inventory in pairs
    ]


def _for_each(values: list[str], stages: list[str], option: str) -> list[str]:
    """One value for all stages, or one for each."""
    from uncommonsense.errors import UserError

    if len(values) <= 1:
        return (values or [""]) * len(stages)
    if len(values) != len(stages):
        raise UserError(f"{option} is given {len(values)} times for {len(stages)} stages; once, or for each")
    return values


def _training(spec: str) -> Corpus:
    from uncommonsense.corpora import load_corpus
    from uncommonsense.wsd.evaluation import training_part

    note(f"Reading {spec}")
    corpus = load_corpus(spec)
    corpus.name = spec
    return training_part(corpus)


def _development(spec: str, inventory: str) -> Development | None:
    from uncommonsense.corpora import load_corpus
    from uncommonsense.wsd.development import Development
    from uncommonsense.wsd.evaluation import evaluation_part

    if not spec:
        return None
    corpus = load_corpus(spec)
    corpus.name = spec
    splits = {name.partition(".")[0] for name in corpus.instances["split"].unique().to_pylist()}
    part = evaluation_part(corpus, "dev" if "dev" in splits else None)
    return Development(part, _inventory(spec, inventory))


def _inventory(spec: str, inventory: str) -> Inventory:
    """The inventory that is asked for, or the one that the senses of this corpus are from."""
    from uncommonsense.corpora import open_corpus
    from uncommonsense.inventories import open_inventory

    if inventory:
        return open_inventory(inventory)
    source = open_corpus(spec)
    if source.format != "fews" or source.path is None:
        return open_inventory("wordnet")
    folders = [source.path, *source.path.parents[:2]]
    return open_inventory(
        f"fews:{next((each for each in folders if (each / 'senses.txt').is_file()), source.path)}"
    )


def _row(folder: Path) -> dict[str, Any]:
    from uncommonsense.train import read_manifest

    manifest = read_manifest(folder)
    return {
        "corpus": manifest["corpus"],
        "examples": manifest["examples"],
        "epochs": manifest["epochs_run"],
        "first_loss": manifest["first_loss"],
        "last_loss": manifest["final_loss"],
        "best_epoch": manifest["best_epoch"],
        "dev_f1": manifest["best_score"],
        "minutes": manifest["seconds"] / 60,
        "folder": str(folder),
    }
