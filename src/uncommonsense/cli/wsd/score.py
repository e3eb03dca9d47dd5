"""``uncommonsense wsd score``: official scores of answers on disk."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast, get_args

import typer

from uncommonsense.cli.output import emit, is_terminal, note, progress

if TYPE_CHECKING:
    from uncommonsense.rank.selection import Bucket
    from uncommonsense.schema import Corpus, Sentence
    from uncommonsense.wsd.evaluation import Evaluation
    from uncommonsense.wsd.scoring import Cluster
    from uncommonsense.wsd.system import System

__all__ = [
    "AsJson",
    "ClusterBy",
    "FrequencyEdges",
    "InventorySpec",
    "PrevalenceEdges",
    "Seed",
    "Slices",
    "Train",
    "choose_slices",
    "cluster_named",
    "distinct",
    "edges",
    "load",
    "load_gold",
    "score",
    "show",
    "watched",
]

_PARTS = "Slices and intervals"

InventorySpec = Annotated[
    str, typer.Option("--inventory", metavar="INVENTORY", help="wordnet, wordnet:DIR, fews:DIR, ...")
]
Train = Annotated[
    str | None,
    typer.Option(metavar="CORPUS", help="The training corpus: what slices are relative to. Its split train."),
]
Slices = Annotated[
    bool,
    typer.Option(
        "--slices",
        help="Most and less frequent senses, zero-shot words and senses, bands; needs --train.",
        rich_help_panel=_PARTS,
    ),
]
FrequencyEdges = Annotated[
    str, typer.Option(help="Edges of the frequency l in training, by commas.", rich_help_panel=_PARTS)
]
PrevalenceEdges = Annotated[str, typer.Option(help="Edges of the prevalence r.", rich_help_panel=_PARTS)]
ClusterBy = Annotated[
    str,
    typer.Option("--cluster", help="What is resampled: lemma, sentence, document.", rich_help_panel=_PARTS),
]
Seed = Annotated[int, typer.Option(help="Of intervals and tests.", rich_help_panel=_PARTS)]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]


def score(
    gold: Annotated[str, typer.Argument(metavar="GOLD", help="A gold key file, or a corpus: FORMAT:PATH.")],
    answers: Annotated[
        list[Path],
        typer.Argument(metavar="ANSWERS...", help="Key files, or Parquet or JSON lines of 'wsd evaluate'."),
    ],
    split: Annotated[str | None, typer.Option(help="Of a corpus: only this split.")] = None,
    slices: Slices = False,
    train: Train = None,
    inventory: InventorySpec = "wordnet",
    frequency_edges: FrequencyEdges = "1,10,100",
    prevalence_edges: PrevalenceEdges = "0.25",
    cluster: ClusterBy = "lemma",
    seed: Seed = 0,
    *,
    as_json: AsJson = False,
) -> None:
    """Score answers as the official scorer does, without Java: F1, precision, recall, with intervals.

    Several systems are compared by McNemar's exact test and a permutation test.

    Examples:
      uncommonsense wsd score ALL.gold.key.txt mine.key.txt

      uncommonsense wsd score ALL.gold.key.txt mine.key.txt theirs.key.txt --json

      uncommonsense wsd score framework answers.parquet --slices --train semcor
    """
    from uncommonsense.wsd.evaluation import evaluate
    from uncommonsense.wsd.keys import read_answers

    by = cluster_named(cluster)
    right = load_gold(gold, split)
    given = [each for path in answers for each in read_answers(path)]
    parts = choose_slices(
        right,
        load(train, "reading the training corpus") if slices and train else None,
        inventory,
        wanted=slices,
        frequency_edges=frequency_edges,
        prevalence_edges=prevalence_edges,
    )
    found = evaluate(right, distinct(given), slices=parts, cluster=by, seed=seed)
    show(found, {"corpus": right.name, "train": train, "cluster": cluster, "seed": seed}, as_json=as_json)


def cluster_named(name: str) -> Cluster:
    """The kind of cluster that ``--cluster`` names."""
    from uncommonsense.errors import UnknownNameError
    from uncommonsense.wsd.scoring import Cluster

    if name not in get_args(Cluster):
        raise UnknownNameError("value of --cluster", name, get_args(Cluster))
    return cast("Cluster", name)


def load_gold(spec: str, split: str | None) -> Corpus:
    """The annotated instances of a key file or corpus."""
    from uncommonsense.wsd.evaluation import evaluation_part
    from uncommonsense.wsd.keys import gold_corpus
    from uncommonsense.wsd.scoring import annotated

    path = Path(spec).expanduser()
    found = gold_corpus(path) if path.is_file() else load(spec, "reading")
    return annotated(evaluation_part(found, split))


def watched(system: System) -> System:
    """The same system; one that can show how far it is does so on the terminal."""
    if getattr(system, "progress", progress) is None:
        system.progress = progress  # type: ignore[attr-defined]
    return system


def load(spec: str, description: str) -> Corpus:
    """A corpus, with a bar while it is read."""
    from uncommonsense.corpora import open_corpus
    from uncommonsense.schema import Corpus

    source = open_corpus(spec)
    if source.format == "parquet":
        return source.load()
    with progress(description, None, unit="sentences") as advance:

        def counted() -> Iterator[Sentence]:
            for sentence in source.sentences():
                yield sentence
                advance(1)

        return Corpus.from_sentences(counted(), name=source.name)


def distinct(answers: list[Any]) -> list[Any]:
    """Systems of one name get a number."""
    seen: dict[str, int] = {}
    found = []
    for each in answers:
        seen[each.system] = seen.get(each.system, 0) + 1
        number = seen[each.system]
        found.append(each._replace(system=f"{each.system} ({number})") if number > 1 else each)
    return found


def choose_slices(
    gold: Corpus,
    training: Corpus | None,
    inventory: str,
    *,
    wanted: bool,
    frequency_edges: str,
    prevalence_edges: str,
) -> list[Bucket]:
    """Data sets, splits and parts of speech, and on request what is relative to a training corpus."""
    from uncommonsense.errors import UserError
    from uncommonsense.inventories import open_inventory
    from uncommonsense.wsd.evaluation import training_part
    from uncommonsense.wsd.slices import plain_slices, training_slices

    found = plain_slices(gold)
    bounds = {
        "frequency_edges": edges(frequency_edges, "--frequency-edges"),
        "prevalence_edges": edges(prevalence_edges, "--prevalence-edges"),
    }
    if not wanted:
        return found
    if training is None:
        raise UserError("--slices are relative to a training corpus; name it: --train semcor")
    return found + training_slices(gold, training_part(training), open_inventory(inventory), **bounds)


def edges(text: str, option: str) -> tuple[float, ...]:
    """Rising numbers separated by commas."""
    from uncommonsense.errors import UserError

    try:
        found = tuple(float(part) for part in text.split(","))
    except ValueError:
        raise UserError(f"{option} takes numbers separated by commas, not {text!r}") from None
    if not all(map(math.isfinite, found)) or list(found) != sorted(set(found)):
        raise UserError(f"{option} must be finite and rise: {text!r}")
    return found


def show(found: Evaluation, about: dict[str, Any], *, as_json: bool) -> None:
    """Scores: JSON, a table of F1 with a row per slice for eyes, or a row per number in a pipe."""
    if as_json:
        emit(about | found.as_json(), as_json=True)
        return
    scores = found.scores.to_pylist()
    if is_terminal():
        emit(_by_slice(scores), as_json=False, title=f"{about['corpus']}: F1 (%)")
        note(f"±: half of a 95% interval, by bootstrap over clusters ({about['cluster']})")
    else:
        emit(scores, as_json=False)
    for line in _remarks(found):
        note(line)


def _by_slice(scores: list[dict[str, Any]]) -> list[dict[str, Any]]:
    rows: dict[str, dict[str, Any]] = {}
    for each in scores:
        if each["metric"] == "f1":
            row = rows.setdefault(each["slice"], {"slice": each["slice"], "targets": each["n"]})
            half = 50 * (each["high"] - each["low"])
            row[each["system"]] = f"{100 * each['value']:.1f}" + ("" if math.isnan(half) else f" ±{half:.1f}")
    return list(rows.values())


def _remarks(found: Evaluation) -> list[str]:
    remarks = []
    for each in found.judged:
        if each.foreign:
            remarks.append(f"{each.system}: {each.foreign:,} answers to unknown instances are left out")
        if not each.answered.all():
            silent = int((~each.answered).sum())
            values = (100 * each.measured(metric).score() for metric in ("precision", "recall"))
            precision, recall = (f"{value:.1f}" for value in values)
            remarks.append(f"{each.system}: {silent:,} unanswered; precision {precision}, recall {recall}")
    return remarks + [
        f"{pair.first} - {pair.second}: {100 * pair.difference:+.2f} points, better on {pair.wins:,} and "
        f"worse on {pair.losses:,} targets; McNemar p = {pair.mcnemar_p:.2g}, "
        f"permutation p = {pair.permutation_p:.2g}"
        for pair in found.comparisons
    ]
