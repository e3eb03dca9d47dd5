"""``uncommonsense wsd evaluate``: systems on an annotated corpus."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from uncommonsense.cli.output import note, progress
from uncommonsense.cli.wsd.score import (
    AsJson,
    ClusterBy,
    FrequencyEdges,
    InventorySpec,
    PrevalenceEdges,
    Seed,
    Slices,
    choose_slices,
    cluster_named,
    distinct,
    load,
    load_gold,
    show,
    watched,
)

if TYPE_CHECKING:
    from uncommonsense.inventories import Inventory
    from uncommonsense.schema import Corpus
    from uncommonsense.wsd.predictions import Predictions
    from uncommonsense.wsd.system import System

__all__ = ["evaluate"]


def evaluate(
    corpus: Annotated[
        str,
        typer.Option(
            "--corpus", "-c", metavar="CORPUS", help="What is disambiguated: FORMAT:PATH or a name."
        ),
    ],
    system: Annotated[
        list[str] | None,
        typer.Option("--system", "-s", metavar="NAME[:FOLDER]", help="See 'wsd systems'; repeatable."),
    ] = None,
    model: Annotated[
        list[Path] | None,
        typer.Option("--model", metavar="FOLDER", help="A system that 'wsd fit' saved; repeatable."),
    ] = None,
    train: Annotated[
        str | None,
        typer.Option(metavar="CORPUS", help="Count senses here, for mfs and --slices; its split train."),
    ] = None,
    inventory: InventorySpec = "wordnet",
    split: Annotated[str | None, typer.Option(help="Only this split; default: all but train.")] = None,
    option: Annotated[
        list[str] | None,
        typer.Option("--option", "-o", metavar="KEY=VALUE", help="Of the systems that have it; repeatable."),
    ] = None,
    predictions: Annotated[
        Path | None,
        typer.Option(
            metavar="OUT", help="Keep the answers: .parquet, .jsonl, .key.txt, or a folder of key files."
        ),
    ] = None,
    slices: Slices = False,
    frequency_edges: FrequencyEdges = "1,10,100",
    prevalence_edges: PrevalenceEdges = "0.25",
    cluster: ClusterBy = "lemma",
    seed: Seed = 0,
    *,
    as_json: AsJson = False,
) -> None:
    """Disambiguate a corpus with one or more systems and score them. Nothing is trained here.

    A system that learns is loaded from the folder that 'wsd fit' wrote. Only those that count, such as mfs,
    are fitted on the spot if you name a corpus with --train.

    Examples:
      uncommonsense wsd evaluate --system first-sense --system lesk --corpus framework

      uncommonsense wsd evaluate --system mfs --train semcor --slices --corpus framework --json > mfs.json

      uncommonsense wsd evaluate --model models/mfs --corpus framework:DIR --predictions mfs.key.txt
    """
    from uncommonsense.inventories import open_inventory
    from uncommonsense.wsd.evaluation import evaluate as score_all
    from uncommonsense.wsd.keys import write_answers

    by = cluster_named(cluster)
    system = [_named(spec) for spec in system or []]
    senses = open_inventory(inventory)
    check_systems(system, model or [], option or [], train=train)
    training = load(train, "reading the training corpus") if train else None
    systems = [_prepare(spec, senses, option or [], training) for spec in system]
    systems += [_load(folder, senses) for folder in model or []]
    gold = load_gold(corpus, split)
    parts = choose_slices(
        gold,
        training,
        inventory,
        wanted=slices,
        frequency_edges=frequency_edges,
        prevalence_edges=prevalence_edges,
    )
    answers, seconds = _predict(systems, gold)
    _require_words(answers[0], gold, senses)
    if predictions:
        for path in write_answers(answers, predictions):
            note(f"wrote {path}")
    found = score_all(gold, answers, slices=parts, cluster=by, seed=seed)
    about = {"corpus": gold.name, "inventory": senses.name, "train": training.name if training else None}
    show(found, about | {"cluster": cluster, "seed": seed, "seconds": seconds}, as_json=as_json)


def _named(spec: str) -> str:
    """The default by its system and folder."""
    from uncommonsense.wsd import default

    return f"scorer:{default.require_default()}" if spec == default.NAME else spec


def check_systems(systems: list[str], models: list[Path], options: list[str], *, train: str | None) -> None:
    """Find mistakes before anything is read."""
    from uncommonsense.errors import UnknownNameError, UserError
    from uncommonsense.wsd.registry import describe, parse_options

    if not systems and not models:
        raise UserError("name a system with --system, or a saved one with --model; 'wsd systems' lists them")
    known = [describe(spec.partition(":")[0]) for spec in systems]
    for text in options:
        key = text.partition("=")[0]
        takers = [each for each in known if key in each.options]
        if not takers:
            raise UnknownNameError("option", key, {name for each in known for name in each.options})
        for each in takers:
            parse_options(each.name, [text])
    for spec, each in zip(systems, known, strict=True):
        if each.learns and ":" not in spec and not (train and each.quick_to_fit):
            counted = "; or name a corpus to count with --train" if each.quick_to_fit else ""
            raise UserError(
                f"{each.name} has to be fitted first, and an evaluation does not train: run "
                f"'uncommonsense wsd fit {each.name} --corpus CORPUS --out FOLDER', then use "
                f"--system {each.name}:FOLDER{counted}"
            )


def _prepare(spec: str, inventory: Inventory, options: list[str], training: Corpus | None) -> System:
    """A new system, one from its folder, or one that counts the training corpus."""
    from uncommonsense.errors import UserError
    from uncommonsense.wsd.evaluation import training_part
    from uncommonsense.wsd.registry import describe, make_system, parse_options

    name, colon, folder = spec.partition(":")
    if colon:
        loaded = _load(Path(folder), inventory)
        if loaded.name != name:
            raise UserError(f"{folder} has the system {loaded.name!r}, not {name!r}")
        return loaded
    about = describe(name)
    own = [text for text in options if text.partition("=")[0] in about.options]
    system = make_system(name, inventory, **parse_options(name, own))
    if about.learns and training is not None:
        part = training_part(training)
        note(f"{name}: fitted on {len(part):,} annotated words of {part.name}")
        system.fit(part)
    return system


def _load(folder: Path, inventory: Inventory) -> System:
    from uncommonsense.wsd.registry import load_system

    return load_system(folder.expanduser(), inventory)


def _require_words(answers: Predictions, gold: Corpus, inventory: Inventory) -> None:
    """Say how many targets the inventory does not know; refuse an inventory that knows none."""
    from uncommonsense.errors import UserError

    unknown = int((answers.choices.sizes == 0).sum())
    if unknown == len(gold):
        raise UserError(
            f"the inventory {inventory.name!r} knows no word of {gold.name!r}; choose one with --inventory"
        )
    if unknown:
        note(f"{inventory.name} has no senses for {unknown:,} of {len(gold):,} targets")


def _predict(systems: list[System], gold: Corpus) -> tuple[list[Predictions], dict[str, float]]:
    """The answers of each system, and how long they took."""
    answers: list[Any] = []
    times = []
    for system in systems:
        start = time.perf_counter()
        if hasattr(system, "progress"):  # it shows a bar of its own
            answers.append(watched(system).predict(gold))
        else:
            with progress(f"{system.name}: disambiguating", None, unit="targets") as advance:
                answers.append(system.predict(gold))
                advance(len(gold))
        times.append(round(time.perf_counter() - start, 3))
    named = distinct(answers)
    return named, {each.system: seconds for each, seconds in zip(named, times, strict=True)}
