"""The tables of a report, ready to be set in any format."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from uncommonsense.metrics.measures import parse_measure
from uncommonsense.rank.evaluate import RankingResult
from uncommonsense.report.cells import Row, Table, best_in_columns, cell, published_rows, signed
from uncommonsense.report.comparison import Comparison, LemmaDifference
from uncommonsense.report.inoculation import inoculation_tables
from uncommonsense.report.published import Reference, find_reference, published_model
from uncommonsense.report.results import Results, Score
from uncommonsense.report.variants import plain_systems

__all__ = ["Row", "Table", "all_tables", "provenance_tables"]

_TOP_LEMMAS = 10
_INTERVAL = "Scores in %. ±: half of a 95% interval, by bootstrap over lemmas."
_BEST = "Bold: the best model of the column."


def all_tables(results: Results, comparisons: Sequence[Comparison]) -> list[Table]:
    """Scores by every measure, inoculation, differences, lemmas; tables with nothing in them are left out."""
    reference = find_reference(results.run)
    tables = []
    for measure in results.measures:
        tables.append(_score_table(results, measure, reference))
        tables += inoculation_tables(results, measure, reference)
    if comparisons:
        tables += [_comparison_table(results, comparisons), _lemma_table(results, comparisons)]
    return tables


# Scores


def _score_table(results: Results, measure: str, reference: Reference | None) -> Table:
    labels = [bucket.label for bucket in results.columns()]
    models = plain_systems(results.models)
    best = best_in_columns([[results.score(m.system, label, measure) for label in labels] for m in models])
    chance, oracle = (results.baseline(name, measure) for name in ("random", "oracle"))
    rows: list[Row] = []
    for position, result in enumerate([chance, *models, oracle]):
        scores = {label: results.score(result.system, label, measure) for label in labels}
        printed = reference.base(published_model(result), measure) if reference else {}
        strong = frozenset() if result.settings is None else best[position - 1]
        rows += _score_rows(result, scores, printed, strong)
    rows += _count_rows(results, reference)
    title = f"{results.run.about['corpus']}: {measure}"
    return Table(
        f"scores-{measure}", title, "system", tuple(labels), tuple(rows), _notes(measure, reference, rows)
    )


def _score_rows(
    result: RankingResult, scores: Mapping[str, Score], printed: Mapping[str, float], strong: frozenset[int]
) -> list[Row]:
    """A system, and the published figures below it."""
    if result.system in ("random", "oracle"):
        cells, kind = tuple(f"{100 * score.value:.2f}" for score in scores.values()), "baseline"
    else:
        cells, kind = tuple(map(cell, scores.values())), "model"
    return [Row(result.system, cells, kind, strong), *published_rows(scores, printed)]  # type: ignore[arg-type]


def _count_rows(results: Results, reference: Reference | None) -> list[Row]:
    ours = {bucket.label: int(bucket.members.sum()) for bucket in results.columns()}
    rows = [Row("queries", tuple(f"{n:,}" for n in ours.values()), "count")]
    if reference:
        printed = reference.queries
        cells = tuple(f"{printed[label]:,}" if label in printed else "" for label in ours)
        rows.append(Row("published", cells, "published"))
    return rows


def _notes(measure: str, reference: Reference | None, rows: Iterable[Row]) -> tuple[str, ...]:
    notes = [_INTERVAL]
    if any(row.strong for row in rows):
        notes.append(_BEST)
    if not parse_measure(measure).linear:
        notes.append("The random row is one seeded random order.")
    if reference and any(row.kind == "published" for row in rows):
        notes.append(f"Published figures for {reference.title}: {reference.source} Δ: ours minus published.")
    return tuple(notes)


# Differences


def _comparison_table(results: Results, comparisons: Sequence[Comparison]) -> Table:
    labels = [bucket.label for bucket in results.columns()]
    rows = [
        Row(
            each.system,
            tuple(
                f"{signed(found.value)} (p {_p(found.p)}){'†' if found.adjusted < 0.05 else ''}"
                for found in each.differences.values()
            ),
        )
        for each in comparisons
    ]
    tests = sum(len(each.differences) for each in comparisons)
    notes = (
        "Points of difference; p: two-sided paired permutation test that swaps the systems lemma by lemma.",
        f"†: p < 0.05 after Holm's correction for the {tests} tests of this table.",
    )
    title = f"Difference to {comparisons[0].against}: {results.measure}"
    return Table("differences", title, "system", tuple(labels), tuple(rows), notes)


def _lemma_table(results: Results, comparisons: Sequence[Comparison]) -> Table:
    """Lemmas on which the strongest system gains and loses most."""
    strongest = max(comparisons, key=lambda each: results.score(each.system).value)
    gains = [each for each in strongest.lemmas if each.contribution > 0][:_TOP_LEMMAS]
    losses = [each for each in strongest.lemmas if each.contribution < 0][-_TOP_LEMMAS:]
    rows = tuple(_lemma_row(each) for each in (*gains, *losses))
    columns = ("queries", "better", "worse", "difference", "adds to the total")
    notes = (
        f"Lemmas that add most to the difference, and those that take most from it; {_TOP_LEMMAS} at most "
        f"of each. {len(strongest.lemmas):,} lemmas in all.",
        "Better, worse: queries on which the system scores higher, lower.",
    )
    title = f"Lemma by lemma: {strongest.system} against {strongest.against}"
    return Table("lemmas", title, "lemma", columns, rows, notes)


def _lemma_row(each: LemmaDifference) -> Row:
    counts = (f"{n:,}" for n in (each.queries, each.wins, each.losses))
    return Row(each.lemma, (*counts, signed(each.difference), signed(each.contribution, 3)), "plain")


# Where the numbers come from


def provenance_tables(results: Results) -> list[Table]:
    """Rules, systems and versions."""
    about = results.run.about
    rules = {
        "corpus": about["corpus"],
        "usages in the database": f"{results.run.queries.database:,}",
        "queries": f"{len(results.run.queries.table):,}",
        "neighbours judged (k)": about["k"],
        **{f"protocol: {rule}": _plain(value) for rule, value in about["protocol"].items()},
        "seed of intervals and tests": results.seed,
        "intervals": "95%, percentile bootstrap over lemmas, 2,000 resamples",
    }
    fields = list(dict.fromkeys(key for each in results.models for key in each.settings or {}))
    systems = tuple(
        Row(each.system, tuple(str((each.settings or {}).get(key, "")) for key in fields), "plain")
        for each in results.models
    )
    return [
        _listing("rules", "Rules of the run", "rule", rules),
        Table("systems", "Systems", "system", tuple(fields), systems, numeric=False),
        _listing("versions", "Versions", "package", about.get("versions", {})),
    ]


def _listing(key: str, title: str, head: str, entries: Mapping[str, Any]) -> Table:
    rows = tuple(Row(name, (str(value),), "plain") for name, value in entries.items())
    return Table(key, title, head, ("value",), rows, numeric=False)


def _plain(value: Any) -> str:
    if not isinstance(value, list | tuple):
        return str(value)
    shown = ", ".join(format(each, "g") if isinstance(each, float) else str(each) for each in value[:8])
    return f"{shown}, … ({len(value)} in all)" if len(value) > 8 else shown or "none"


def _p(value: float) -> str:
    if math.isnan(value):
        return "–"
    return "< 0.001" if value < 0.001 else f"= {value:.3f}"
