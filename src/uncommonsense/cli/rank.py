"""``uncommonsense rank``: how well a model knows senses, by frequency and prevalence."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_args

import typer

from uncommonsense.cli.output import emit, is_terminal, note, progress

if TYPE_CHECKING:
    from uncommonsense.experiments.ranking import Cell
    from uncommonsense.rank import Protocol, RankingResult
    from uncommonsense.schema import Corpus

__all__ = ["rank", "score", "show_scores"]

_RULES = "Rules"
_CHOICES = {
    "candidates": ("lemma", "lemma+pos"),
    "frequency": ("sense", "lemma"),
    "monosemous": ("drop", "keep"),
}


def rank(
    corpus: Annotated[
        str,
        typer.Argument(metavar="CORPUS", help="FORMAT:PATH or a name; it needs database and query splits."),
    ],
    model: Annotated[
        list[str] | None,
        typer.Option("--model", "-m", help="A hub id, a folder, or minilm (default), smollm2; repeatable."),
    ] = None,
    models: Annotated[
        str | None, typer.Option("--models", help="A named set: paper, the seven models of the paper.")
    ] = None,
    layers: Annotated[
        str,
        typer.Option(
            "--layers", "--layer", "-l", help="last, 7, mean:4-6, ...; all: a row a layer, encoded once."
        ),
    ] = "last",
    pool: Annotated[
        str, typer.Option(help="How a word's pieces become one vector: mean, first, last.")
    ] = "mean",
    metric: Annotated[str, typer.Option(help="What similar means: cosine, euclidean, dot.")] = "cosine",
    grid: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="TOML with lists of model, layers, pool, metric: all combinations."
        ),
    ] = None,
    protocol: Annotated[
        str,
        typer.Option("--protocol", help="published (as the numbers were made) or stated (as the text says)."),
    ] = "published",
    top: Annotated[int, typer.Option("--top", "-k", min=1, help="Neighbours that are judged.")] = 50,
    candidates: Annotated[
        str | None,
        typer.Option(
            help="What candidates share with the query: lemma or lemma+pos.", rich_help_panel=_RULES
        ),
    ] = None,
    frequency: Annotated[
        str | None, typer.Option(help="Whose frequency l is: sense or lemma.", rich_help_panel=_RULES)
    ] = None,
    frequency_edges: Annotated[
        str,
        typer.Option(help="Bucket edges of the frequency l, separated by commas.", rich_help_panel=_RULES),
    ] = "500",
    prevalence_edges: Annotated[
        str, typer.Option(help="Bucket edges of the prevalence r.", rich_help_panel=_RULES)
    ] = "0.25",
    monosemous: Annotated[
        str | None,
        typer.Option(
            help="Senses that are the only one of their word: drop or keep.", rich_help_panel=_RULES
        ),
    ] = None,
    minimum: Annotated[
        int | None,
        typer.Option(min=1, help="Occurrences in the database that a sense needs.", rich_help_panel=_RULES),
    ] = None,
    exclude_senses: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Senses that are not asked for, one a line.", rich_help_panel=_RULES
        ),
    ] = None,
    sense_groupings: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            help="OntoNotes sense-grouping XML: its 'none of the above' senses are not asked for.",
            rich_help_panel=_RULES,
        ),
    ] = None,
    hold_out: Annotated[
        float | None,
        typer.Option(
            metavar="SHARE",
            help="Ask about this share of the documents: for a corpus without splits.",
            rich_help_panel=_RULES,
        ),
    ] = None,
    query_n: Annotated[
        int,
        typer.Option(
            "--query-n", min=1, help="Usages of a sense that a query is the mean of.", rich_help_panel=_RULES
        ),
    ] = 1,
    seed: Annotated[
        int, typer.Option(help="Of --hold-out, --query-n and the intervals.", rich_help_panel=_RULES)
    ] = 0,
    baselines_only: Annotated[
        bool, typer.Option("--baselines", help="Random and oracle only: needs no model and no words.")
    ] = False,
    measure: Annotated[
        list[str] | None,
        typer.Option(
            "--measure", help="Such as P@1, map@50, ndcg@10, mrr@50; default mean_precision@k; repeatable."
        ),
    ] = None,
    sample: Annotated[
        bool, typer.Option("--sample", help="Random row: one seeded random order, not the expectation.")
    ] = False,
    out: Annotated[
        Path | None,
        typer.Option(metavar="RUN", help="Keep every query's answers in this folder, and resume there."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Score a model by ranking usages: mean precision of the first k neighbours, rare senses apart.

    A protocol is a set of rules; each of them can be changed on its own.

    Examples:
      uncommonsense rank sampler --top 10 --frequency-edges 10

      uncommonsense rank semcor --hold-out 0.2 --frequency-edges 20,100

      uncommonsense rank ontonotes:DIR --baselines --json

      uncommonsense rank sampler --model minilm --model smollm2 --measure map@50 --sample --out runs/sampler

      uncommonsense rank sampler --layers all

      uncommonsense rank semcor --hold-out 0.2 --grid grid.toml --out runs/semcor
    """
    rules = _protocol(
        protocol,
        candidates=candidates,
        frequency=frequency,
        frequency_edges=_edges(frequency_edges, "--frequency-edges"),
        prevalence_edges=_edges(prevalence_edges, "--prevalence-edges", highest=1),
        monosemous=monosemous,
        minimum=minimum,
        excluded=_excluded(exclude_senses, sense_groupings),
        query_size=query_n,
        query_seed=seed if query_n > 1 else None,
    )
    cells = _cells(model, models, grid, layers=layers, pool=pool, metric=metric)
    text = _load(corpus, hold_out, seed)
    results = score(
        text,
        [] if baselines_only else cells,
        rules,
        top=top,
        out=out,
        sample_seed=seed if sample else None,
        split="" if hold_out is None else f"{hold_out:g} of the documents held out, seed {seed}",
    )
    if as_json:
        _emit_json(results, measure, seed)
    else:
        for each in measure or [results[0].metric]:
            show_scores(results, each, seed=seed)


def _load(spec: str, hold_out: float | None, seed: int) -> Corpus:
    from uncommonsense.corpora import load_corpus
    from uncommonsense.rank.splits import split_by_document

    text = load_corpus(spec)
    return text if hold_out is None else split_by_document(text, hold_out, seed=seed)


def score(
    text: Corpus,
    cells: list[Cell],
    rules: Protocol,
    *,
    top: int = 50,
    out: Path | None = None,
    sample_seed: int | None = None,
    split: str = "",
) -> list[RankingResult]:
    """Random, the cells and oracle on a corpus; kept below ``out`` if it is given."""
    from uncommonsense.errors import UserError
    from uncommonsense.rank import baselines, select
    from uncommonsense.rank.runs import start_run

    selection = select(text, rules)
    if not len(selection.queries):
        raise UserError(
            f"no query of {text.name!r} has a sense that occurs {rules.minimum} times in the database"
        )
    if not cells:
        return baselines(text, selection, k=top, sample_seed=sample_seed)
    from uncommonsense.experiments.ranking import rank_models

    run = start_run(out, text.name, selection.asked(text), k=top, split=split) if out else None
    return rank_models(text, selection, cells, k=top, run=run, sample_seed=sample_seed, progress=progress)


def _cells(names: list[str] | None, named_set: str | None, grid: Path | None, **manner: Any) -> list[Cell]:
    """What is ranked: models by name, of a named set and of a grid file; minilm if none of these."""
    from uncommonsense.errors import UnknownNameError
    from uncommonsense.experiments.grid import read_grid
    from uncommonsense.experiments.ranking import MODEL_SETS, Cell
    from uncommonsense.rank.neighbours import Metric

    if named_set is not None and named_set not in MODEL_SETS:
        raise UnknownNameError("set of models", named_set, MODEL_SETS)
    if manner["metric"] not in get_args(Metric):
        raise UnknownNameError("value of --metric", manner["metric"], get_args(Metric))
    models = [*(names or ()), *(MODEL_SETS[named_set] if named_set else ())]
    if not models and grid is None:
        models = ["minilm"]
    cells = [Cell(model, **manner) for model in models] + (read_grid(grid) if grid else [])
    return list(dict.fromkeys(cells))


def _protocol(name: str, **rules: Any) -> Protocol:
    """The named protocol with the rules that are given (not None) in place of its own."""
    from dataclasses import replace

    from uncommonsense.errors import UnknownNameError
    from uncommonsense.rank import PROTOCOLS

    if name not in PROTOCOLS:
        raise UnknownNameError("protocol", name, PROTOCOLS)
    for rule, legal in _CHOICES.items():
        if rules[rule] is not None and rules[rule] not in legal:
            raise UnknownNameError(f"value of --{rule}", rules[rule], legal)
    return replace(PROTOCOLS[name], **{rule: value for rule, value in rules.items() if value is not None})


def _excluded(file: Path | None, groupings: Path | None) -> frozenset[str]:
    from uncommonsense.rank.exclusion import read_excluded, unspecific_senses

    listed = read_excluded(file) if file else frozenset()
    return listed | unspecific_senses(groupings) if groupings else listed


def _edges(text: str, option: str, highest: float = math.inf) -> tuple[float, ...]:
    from uncommonsense.errors import UserError

    try:
        edges = tuple(float(part) for part in text.split(","))
    except ValueError:
        raise UserError(f"{option} takes numbers separated by commas, not {text!r}") from None
    if not all(map(math.isfinite, edges)) or list(edges) != sorted(set(edges)):
        raise UserError(f"{option} must be finite and rise: {text!r}")
    if edges[0] <= 0 or edges[-1] > highest:
        raise UserError(f"{option} must lie above 0 and not above {highest:g}: {text!r}")
    return edges


def show_scores(
    results: list[RankingResult], measure: str | None = None, *, for_eyes: bool = False, seed: int = 0
) -> None:
    """A row per system, a column per bucket that has queries."""
    name = measure or results[0].metric
    scores = [row for result in results for row in result.scores([name], seed=seed).to_pylist()]
    sizes = {row["slice"]: row["n"] for row in scores if row["n"]}
    if not (for_eyes or is_terminal()):
        emit(scores, as_json=False)
        return
    rows: list[dict[str, Any]] = []
    for result in results:
        cells = {row["slice"]: _cell(row) for row in scores if row["system"] == result.system}
        rows.append({"system": result.system} | cells)
    rows.append({"system": "queries"} | sizes)
    emit(rows, as_json=False, columns=["system", *sizes], title=_title(results[0], name), for_eyes=for_eyes)
    note("l: occurrences of the query's sense (or lemma) in the database; r: the sense's share of its lemma;")
    note("±: half of a 95% interval over lemmas (bootstrap)")


def _emit_json(results: list[RankingResult], measures: list[str] | None, seed: int) -> None:
    queries = results[0].queries
    content = {
        "protocol": queries.protocol.as_json(),
        "database": queries.database,
        "queries": len(queries.table),
        "seed": seed,
        "systems": {result.system: result.settings for result in results},
        "scores": [row for result in results for row in result.scores(measures, seed=seed).to_pylist()],
    }
    emit(content, as_json=True)


def _title(result: RankingResult, measure: str) -> str:
    return f"{result.corpus}: {measure} (%), protocol {result.queries.protocol.name}"


def _cell(score: dict[str, Any]) -> str:
    value = f"{100 * score['value']:.2f}"
    if score["system"] in ("random", "oracle") or math.isnan(score["high"]):
        return value
    return f"{value} ±{50 * (score['high'] - score['low']):.1f}"
