"""``uncommonsense rank``: how well a model knows senses, by frequency and prevalence."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from uncommonsense.cli.output import emit, note, progress

if TYPE_CHECKING:
    from uncommonsense.rank import Protocol, RankingResult

__all__ = ["rank"]


def rank(
    corpus: Annotated[str, typer.Argument(metavar="CORPUS", help="FORMAT:PATH or a name; it needs database and query splits.")],
    model: Annotated[str, typer.Option("--model", "-m", help="A hub id, a folder, or minilm, smollm2.")] = "minilm",
    layers: Annotated[str, typer.Option("--layers", "-l", help="last, 7, mean, mean:4-6, sum:4=0.2,5=0.8.")] = "last",
    pool: Annotated[str, typer.Option(help="How a word's pieces become one vector: mean, first, last.")] = "mean",
    protocol: Annotated[str, typer.Option("--protocol", help="published (as the numbers were made) or stated (as the text says).")] = "published",
    top: Annotated[int, typer.Option("--top", "-k", min=1, help="Neighbours that are judged.")] = 50,
    frequency_edges: Annotated[str, typer.Option(help="Bucket edges of the frequency l, separated by commas.")] = "500",
    prevalence_edges: Annotated[str, typer.Option(help="Bucket edges of the prevalence r.")] = "0.25",
    baselines_only: Annotated[bool, typer.Option("--baselines", help="Random and oracle only: needs no model and no words.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Score a model by ranking usages: mean precision of the first k neighbours, rare senses apart from common ones.

    Examples:

      uncommonsense rank sampler --top 10 --frequency-edges 10

      uncommonsense rank ontonotes:DIR --baselines --json

      uncommonsense rank sampler --model bert-base-cased --layers mean:9-12
    """
    from uncommonsense.corpora import load_corpus
    from uncommonsense.rank import baselines, evaluate, select

    rules = _protocol(protocol, frequency_edges, prevalence_edges)
    text = load_corpus(corpus)
    selection = select(text, rules)
    results = baselines(text, selection, k=top)
    about: dict[str, Any] = {}
    if not baselines_only:
        from uncommonsense.encode import Encoder, encode_corpus

        encoder = Encoder(model, layers=_one_vector(layers), pool=pool)
        vectors = encode_corpus(encoder, text, progress=progress)
        about = {**encoder.describe(), "content": vectors.content}
        results.insert(1, evaluate(model, text, vectors.matrix, selection, k=top))
    _show(results, about, as_json=as_json)


def _protocol(name: str, frequency_edges: str, prevalence_edges: str) -> Protocol:
    from dataclasses import replace

    from uncommonsense.errors import UnknownNameError
    from uncommonsense.rank import PROTOCOLS

    if name not in PROTOCOLS:
        raise UnknownNameError("protocol", name, PROTOCOLS)
    return replace(
        PROTOCOLS[name],
        frequency_edges=tuple(int(edge) for edge in _edges(frequency_edges, "--frequency-edges")),
        prevalence_edges=_edges(prevalence_edges, "--prevalence-edges"),
    )


def _edges(text: str, option: str) -> tuple[float, ...]:
    from uncommonsense.errors import UserError

    try:
        edges = tuple(float(part) for part in text.split(","))
    except ValueError:
        raise UserError(f"{option} takes numbers separated by commas, not {text!r}") from None
    if list(edges) != sorted(set(edges)):
        raise UserError(f"{option} must rise: {text!r}")
    return edges


def _one_vector(layers: str) -> str:
    from uncommonsense.errors import UserError

    if layers == "all" or (":" not in layers and ("," in layers or "-" in layers.lstrip("-"))):
        raise UserError(f"ranking needs one vector a word; write mean:{layers} or choose one layer")
    return layers


def _show(results: list[RankingResult], about: dict[str, Any], *, as_json: bool) -> None:
    from dataclasses import asdict

    scores = [row for result in results for row in result.scores().to_pylist()]
    selection = results[0].selection
    protocol = {name: sorted(value) if isinstance(value, frozenset) else value for name, value in asdict(selection.protocol).items()}
    if as_json:
        size = {"database": len(selection.database), "queries": len(selection.queries)}
        emit({"protocol": protocol, **size, "encoder": about or None, "scores": scores}, as_json=True)
        return
    slices = [bucket for bucket in dict.fromkeys(row["slice"] for row in scores)]
    rows = []
    for result in results:
        cells = {row["slice"]: row for row in scores if row["system"] == result.system}
        rows.append({"": result.system} | {name: _cell(cells[name], result.system) for name in slices})
    counts = {row["slice"]: f"{row['n']:,}" for row in scores}
    emit([*rows, {"": "queries", **counts}], as_json=False, columns=["", *slices], title=_title(results[0]))
    note("l: occurrences of the sense in the database; r: its share of the lemma. ± is a 95% interval over lemmas.")


def _title(result: RankingResult) -> str:
    return f"{result.corpus}: {result.metric} (%), protocol {result.selection.protocol.name}"


def _cell(score: dict[str, Any], system: str) -> str:
    if not score["n"]:
        return "–"
    value = f"{100 * score['value']:.2f}"
    if system in ("random", "oracle"):
        return value
    return f"{value} ±{50 * (score['high'] - score['low']):.1f}"
