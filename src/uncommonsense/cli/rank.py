"""``uncommonsense rank``: how well a model knows senses, by frequency and prevalence."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from uncommonsense.cli.output import emit, note, progress

if TYPE_CHECKING:
    from uncommonsense.rank import Protocol, RankingResult
    from uncommonsense.schema import Corpus

__all__ = ["one_vector", "rank", "score", "show_scores"]

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
        str, typer.Option("--model", "-m", help="A hub id, a folder, or minilm, smollm2.")
    ] = "minilm",
    layers: Annotated[
        str, typer.Option("--layers", "-l", help="last, 7, mean, mean:4-6, sum:4=0.2,5=0.8.")
    ] = "last",
    pool: Annotated[
        str, typer.Option(help="How a word's pieces become one vector: mean, first, last.")
    ] = "mean",
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
    seed: Annotated[
        int, typer.Option(help="Of --hold-out and of the intervals.", rich_help_panel=_RULES)
    ] = 0,
    baselines_only: Annotated[
        bool, typer.Option("--baselines", help="Random and oracle only: needs no model and no words.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Score a model by ranking usages: mean precision of the first k neighbours, rare senses apart.

    A protocol is a set of rules; each of them can be changed on its own.

    Examples:
      uncommonsense rank sampler --top 10 --frequency-edges 10

      uncommonsense rank semcor --hold-out 0.2 --frequency-edges 20,100

      uncommonsense rank ontonotes:DIR --baselines --json

      uncommonsense rank sampler --model bert-base-cased --layers mean:9-12
    """
    rules = _protocol(
        protocol,
        candidates=candidates,
        frequency=frequency,
        frequency_edges=_edges(frequency_edges, "--frequency-edges"),
        prevalence_edges=_edges(prevalence_edges, "--prevalence-edges"),
        monosemous=monosemous,
        minimum=minimum,
        excluded=_excluded(exclude_senses, sense_groupings),
    )
    text = _load(corpus, hold_out, seed)
    results, about = score(text, None if baselines_only else model, rules, layers=layers, pool=pool, top=top)
    if as_json:
        _emit_json(results, about, seed)
    else:
        show_scores(results, seed=seed)


def _load(spec: str, hold_out: float | None, seed: int) -> Corpus:
    from uncommonsense.corpora import load_corpus
    from uncommonsense.rank.splits import split_by_document

    text = load_corpus(spec)
    return text if hold_out is None else split_by_document(text, hold_out, seed=seed)


def score(
    text: Corpus,
    model: str | None,
    rules: Protocol,
    *,
    layers: str = "last",
    pool: str = "mean",
    top: int = 50,
) -> tuple[list[RankingResult], dict[str, str] | None]:
    """Random, the model (unless None) and oracle on a corpus; and what made the vectors."""
    from uncommonsense.errors import UserError
    from uncommonsense.rank import baselines, evaluate, select

    selection = select(text, rules)
    if not len(selection.queries):
        raise UserError(
            f"no query of {text.name!r} has a sense that occurs {rules.minimum} times in the database"
        )
    chance, best = baselines(text, selection, k=top)
    if model is None:
        return [chance, best], None
    from uncommonsense.encode import Encoder, encode_corpus

    encoder = Encoder(model, layers=one_vector(layers), pool=pool)
    vectors = encode_corpus(encoder, text, progress=progress)
    judged = evaluate(model, text, vectors.matrix, selection, k=top)
    return [chance, judged, best], {**encoder.describe(), "content": vectors.content}


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


def _edges(text: str, option: str) -> tuple[float, ...]:
    from uncommonsense.errors import UserError

    try:
        edges = tuple(float(part) for part in text.split(","))
    except ValueError:
        raise UserError(f"{option} takes numbers separated by commas, not {text!r}") from None
    if not all(map(math.isfinite, edges)) or list(edges) != sorted(set(edges)):
        raise UserError(f"{option} must be finite and rise: {text!r}")
    return edges


def one_vector(layers: str) -> str:
    """Refuse layers that are kept apart, before anything is encoded."""
    from uncommonsense.errors import UserError

    if layers == "all" or (":" not in layers and ("," in layers or "-" in layers.lstrip("-"))):
        raise UserError(f"similarity needs one vector a word; write mean:{layers} or choose one layer")
    return layers


def show_scores(results: list[RankingResult], *, for_eyes: bool = False, seed: int = 0) -> None:
    """A row per system, a column per bucket that has queries."""
    scores = [row for result in results for row in result.scores(seed=seed).to_pylist()]
    sizes = {row["slice"]: row["n"] for row in scores if row["n"]}
    rows: list[dict[str, Any]] = []
    for result in results:
        cells = {row["slice"]: _cell(row) for row in scores if row["system"] == result.system}
        rows.append({"system": result.system} | cells)
    rows.append({"system": "queries"} | sizes)
    emit(rows, as_json=False, columns=["system", *sizes], title=_title(results[0]), for_eyes=for_eyes)
    note(
        "l: how often the query's sense (or lemma) occurs in the database; r: the sense's share of its lemma;"
    )
    note("±: half of a 95% interval over lemmas (bootstrap)")


def _emit_json(results: list[RankingResult], about: dict[str, str] | None, seed: int) -> None:
    from dataclasses import asdict

    selection = results[0].selection
    protocol = asdict(selection.protocol) | {"excluded": sorted(selection.protocol.excluded)}
    size = {"database": len(selection.database), "queries": len(selection.queries)}
    scores = [row for result in results for row in result.scores(seed=seed).to_pylist()]
    emit({"protocol": protocol, **size, "seed": seed, "encoder": about, "scores": scores}, as_json=True)


def _title(result: RankingResult) -> str:
    return f"{result.corpus}: {result.metric} (%), protocol {result.selection.protocol.name}"


def _cell(score: dict[str, Any]) -> str:
    value = f"{100 * score['value']:.2f}"
    if score["system"] in ("random", "oracle"):
        return value
    return f"{value} ±{50 * (score['high'] - score['low']):.1f}"
