"""Tables of inoculated models: scores by size, the gain over the model as it is, the best size."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

import numpy as np

from uncommonsense.metrics.intervals import crossed_bootstrap
from uncommonsense.metrics.measures import PerQuery
from uncommonsense.rank.evaluate import RankingResult
from uncommonsense.report.cells import Row, Table, best_in_columns, cell, published_rows, signed
from uncommonsense.report.published import Reference
from uncommonsense.report.results import Results, Score, mean_judged
from uncommonsense.report.variants import inoculated

__all__ = ["Gain", "gains", "inoculation_tables"]

Groups = Mapping[str, Mapping[int, list[RankingResult]]]
"""Base model -> size -> one result a seed."""

SizeScores = Mapping[str, Mapping[int, Mapping[str, Score]]]
"""Base model -> size -> bucket -> the score, averaged over seeds."""


def inoculation_tables(results: Results, measure: str, reference: Reference | None) -> list[Table]:
    """What inoculation does, by one measure; nothing for a run without inoculated models."""
    groups = inoculated(results.models)
    if not groups:
        return []
    scores = _size_scores(results, groups, measure)
    tables = [_size_table(results, groups, scores, measure, reference)]
    if gained := _gain_table(results, measure):
        tables.append(gained)
    return [*tables, _best_table(results, scores, measure, reference)]


def _size_scores(results: Results, groups: Groups, measure: str) -> dict[str, dict[int, dict[str, Score]]]:
    return {
        base: {size: results.judge(mean_judged(seeds, measure)) for size, seeds in sizes.items()}
        for base, sizes in groups.items()
    }


def _size_table(
    results: Results,
    groups: Groups,
    scores: SizeScores,
    measure: str,
    reference: Reference | None,
) -> Table:
    """A row for each model and size."""
    labels = [bucket.label for bucket in results.columns()]
    rows: list[Row] = []
    for base, sizes in scores.items():
        best = best_in_columns([list(by_bucket.values()) for by_bucket in sizes.values()])
        for strong, (size, by_bucket) in zip(best, sizes.items(), strict=True):
            seeds = len(groups[base][size])
            label = f"{base}, {size:,} examples" + (f", {seeds} seeds" if seeds > 1 else "")
            rows.append(Row(label, tuple(map(cell, by_bucket.values())), "model", strong))
            if reference and size:
                printed = reference.at_size(base, size, measure)
                rows += published_rows(by_bucket, printed)
    notes = (
        "Scores in %, averaged over seeds. ±: half of a 95% interval, by bootstrap over lemmas.",
        "0 examples: the model as it is. Bold: the best size of a model.",
    )
    title = f"{results.run.about['corpus']}: {measure} after inoculation"
    return Table(f"inoculation-{measure}", title, "model and sample", tuple(labels), tuple(rows), notes)


def _gain_table(results: Results, measure: str) -> Table | None:
    """A row for each size: the difference to the model as it is; None where there is nothing to compare."""
    found: dict[tuple[str, int, int], list[Gain]] = {}
    for each in gains(results, measure):
        found.setdefault((each.base, each.size, len(each.by_seed)), []).append(each)
    if not found:
        return None
    rows = tuple(
        Row(f"{base}, {size:,} examples, {_counted(seeds)}", tuple(map(_gain, row)))
        for (base, size, seeds), row in found.items()
    )
    labels = tuple(bucket.label for bucket in results.columns())
    notes = (
        "Points gained over the same model without inoculation, mean over seeds. ±: half of a 95% interval, "
        "by bootstrap over lemmas and seeds. In brackets: the worst and the best seed.",
    )
    title = f"{results.run.about['corpus']}: {measure} gained by inoculation"
    return Table(f"gain-{measure}", title, "model and sample", labels, rows, notes)


class Gain(NamedTuple):
    """What inoculation adds to a model's score on a bucket, on average over seeds."""

    base: str
    size: int
    bucket: str
    value: float
    low: float
    high: float
    by_seed: tuple[float, ...]
    """Each seed's, ascending."""
    queries: int


def gains(results: Results, measure: str) -> Iterator[Gain]:
    """The gain of every inoculated model over itself as it is, where the run has that too."""
    for base, sizes in inoculated(results.models).items():
        if 0 not in sizes:
            continue
        before = sizes[0][0].judged(measure)
        for size in filter(None, sizes):
            after = [_difference(result.judged(measure), before) for result in sizes[size]]
            for label, members in results.columns():
                chosen = [PerQuery(each.numerator[members], each.denominator[members]) for each in after]
                found = crossed_bootstrap(chosen, results.lemmas[members], seed=results.seed)
                single = tuple(sorted(each.score() for each in chosen))
                yield Gain(base, size, label, *found, single, int(members.sum()))


def _difference(after: PerQuery, before: PerQuery) -> PerQuery:
    return PerQuery(after.numerator - before.numerator, after.denominator)


def _gain(each: Gain) -> str:
    half = "" if np.isnan(each.low) else f" ±{50 * (each.high - each.low):.1f}"
    worst, best = each.by_seed[0], each.by_seed[-1]
    spread = f" ({signed(worst)} … {signed(best)})" if len(each.by_seed) > 1 else ""
    return signed(each.value) + half + spread


def _counted(seeds: int) -> str:
    return f"{seeds} seeds" if seeds > 1 else "1 seed"


def _best_table(results: Results, scores: SizeScores, measure: str, reference: Reference | None) -> Table:
    """The shape of Tables 1c and 1d: for each model the best size, column by column."""
    labels = [bucket.label for bucket in results.columns()]
    rows: list[Row] = []
    for base, sizes in scores.items():
        best = {label: _best_size(sizes, label) for label in labels}
        chosen = {label: sizes[size][label] for label, size in best.items()}
        cells = tuple(f"{cell(chosen[label])} [{best[label]:,}]" for label in labels)
        rows.append(Row(base, cells))
        if reference:
            rows += published_rows(chosen, reference.inoculated(base, measure))
    notes = (
        "Scores in %; in brackets, the number of examples that gave the best score, column by column.",
        "The size is chosen on the same queries, so these figures flatter inoculation.",
    )
    title = f"{results.run.about['corpus']}: {measure}, best over sizes of inoculation"
    return Table(f"best-{measure}", title, "model", tuple(labels), tuple(rows), notes)


def _best_size(sizes: Mapping[int, Mapping[str, Score]], label: str) -> int:
    tuned = [size for size in sizes if size]
    return max(tuned, key=lambda size: sizes[size][label].value)
