"""The tables of a report, ready to be set in any format."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal, NamedTuple

from uncommonsense.metrics.measures import parse_measure
from uncommonsense.rank.evaluate import RankingResult
from uncommonsense.report.comparison import Comparison, LemmaDifference
from uncommonsense.report.published import Reference, find_reference, published_model
from uncommonsense.report.results import Results, Score, mean_judged
from uncommonsense.report.variants import inoculated, plain_systems

__all__ = ["Row", "Table", "all_tables", "provenance_tables"]

Kind = Literal["model", "baseline", "published", "count", "plain"]

_TOP_LEMMAS = 10
_INTERVAL = "Scores in %. ±: half of a 95% interval, by bootstrap over lemmas."
_BEST = "Bold: the best model of the column."


class Row(NamedTuple):
    """A label and its cells; ``strong`` are the positions of cells in bold."""

    label: str
    cells: tuple[str, ...]
    kind: Kind = "model"
    strong: frozenset[int] = frozenset()


class Table(NamedTuple):
    """A table with a heading over each column; ``numeric`` tables are set flush right."""

    key: str
    title: str
    head: str
    columns: tuple[str, ...]
    rows: tuple[Row, ...]
    notes: tuple[str, ...] = ()
    numeric: bool = True


def all_tables(results: Results, comparisons: Sequence[Comparison]) -> list[Table]:
    """Scores by every measure, inoculation, differences, lemmas; tables with nothing in them are left out."""
    reference = find_reference(results.run)
    tables = []
    for measure in results.measures:
        tables.append(_score_table(results, measure, reference))
        if groups := inoculated(results.models):
            sizes = _size_scores(results, groups, measure)
            tables += [
                _size_table(results, groups, sizes, measure, reference),
                _best_table(results, sizes, measure, reference),
            ]
    if comparisons:
        tables += [_comparison_table(results, comparisons), _lemma_table(results, comparisons)]
    return tables


# Scores


def _score_table(results: Results, measure: str, reference: Reference | None) -> Table:
    labels = [bucket.label for bucket in results.columns()]
    models = plain_systems(results.models)
    best = _best_in_columns([[results.score(m.system, label, measure) for label in labels] for m in models])
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
        cells, kind = tuple(map(_cell, scores.values())), "model"
    return [Row(result.system, cells, kind, strong), *_published_rows(scores, printed)]  # type: ignore[arg-type]


def _published_rows(scores: Mapping[str, Score], printed: Mapping[str, float]) -> list[Row]:
    """The paper's figures, and ours minus theirs; nothing where there are none."""
    if not printed.keys() & scores.keys():
        return []
    cells = tuple(
        f"{100 * printed[label]:.2f} (Δ {_signed(score.value - printed[label])})" if label in printed else ""
        for label, score in scores.items()
    )
    return [Row("published", cells, "published")]


def _count_rows(results: Results, reference: Reference | None) -> list[Row]:
    ours = {bucket.label: int(bucket.members.sum()) for bucket in results.columns()}
    rows = [Row("queries", tuple(f"{n:,}" for n in ours.values()), "count")]
    if reference:
        printed = reference.queries
        cells = tuple(f"{printed[label]:,}" if label in printed else "" for label in ours)
        rows.append(Row("published", cells, "published"))
    return rows


def _best_in_columns(scores: Sequence[Sequence[Score]]) -> list[frozenset[int]]:
    """For each row the columns in which no other row is better."""
    tops = [max(column) for column in zip(*([round(s.value, 9) for s in row] for row in scores), strict=True)]
    return [frozenset(i for i, score in enumerate(row) if round(score.value, 9) == tops[i]) for row in scores]


def _notes(measure: str, reference: Reference | None, rows: Iterable[Row]) -> tuple[str, ...]:
    notes = [_INTERVAL]
    if any(row.strong for row in rows):
        notes.append(_BEST)
    if not parse_measure(measure).linear:
        notes.append("The random row is one seeded random order.")
    if reference and any(row.kind == "published" for row in rows):
        notes.append(f"Published figures for {reference.title}: {reference.source} Δ: ours minus published.")
    return tuple(notes)


# Inoculation

SizeScores = Mapping[str, Mapping[int, Mapping[str, Score]]]
"""Base model -> size -> bucket -> the score, averaged over seeds."""


def _size_scores(
    results: Results, groups: Mapping[str, Mapping[int, list[RankingResult]]], measure: str
) -> dict[str, dict[int, dict[str, Score]]]:
    return {
        base: {size: results.judge(mean_judged(seeds, measure)) for size, seeds in sizes.items()}
        for base, sizes in groups.items()
    }


def _size_table(
    results: Results,
    groups: Mapping[str, Mapping[int, list[RankingResult]]],
    scores: SizeScores,
    measure: str,
    reference: Reference | None,
) -> Table:
    """A row for each model and size."""
    labels = [bucket.label for bucket in results.columns()]
    rows: list[Row] = []
    for base, sizes in scores.items():
        best = _best_in_columns([list(by_bucket.values()) for by_bucket in sizes.values()])
        for strong, (size, by_bucket) in zip(best, sizes.items(), strict=True):
            seeds = len(groups[base][size])
            label = f"{base}, {size:,} examples" + (f", {seeds} seeds" if seeds > 1 else "")
            rows.append(Row(label, tuple(map(_cell, by_bucket.values())), "model", strong))
            if reference and size:
                printed = reference.at_size(base, size, measure)
                rows += _published_rows(by_bucket, printed)
    notes = (
        "Scores in %, averaged over seeds. ±: half of a 95% interval, by bootstrap over lemmas.",
        "0 examples: the model as it is. Bold: the best size of a model.",
    )
    title = f"{results.run.about['corpus']}: {measure} after inoculation"
    return Table(f"inoculation-{measure}", title, "model and sample", tuple(labels), tuple(rows), notes)


def _best_table(results: Results, scores: SizeScores, measure: str, reference: Reference | None) -> Table:
    """The shape of Tables 1c and 1d: for each model the best size, column by column."""
    labels = [bucket.label for bucket in results.columns()]
    rows: list[Row] = []
    for base, sizes in scores.items():
        best = {label: _best_size(sizes, label) for label in labels}
        chosen = {label: sizes[size][label] for label, size in best.items()}
        cells = tuple(f"{_cell(chosen[label])} [{best[label]:,}]" for label in labels)
        rows.append(Row(base, cells))
        if reference:
            rows += _published_rows(chosen, reference.inoculated(base, measure))
    notes = (
        "Scores in %; in brackets, the number of examples that gave the best score, column by column.",
        "The size is chosen on the same queries, so these figures flatter inoculation.",
    )
    title = f"{results.run.about['corpus']}: {measure}, best over sizes of inoculation"
    return Table(f"best-{measure}", title, "model", tuple(labels), tuple(rows), notes)


def _best_size(sizes: Mapping[int, Mapping[str, Score]], label: str) -> int:
    tuned = [size for size in sizes if size]
    return max(tuned, key=lambda size: sizes[size][label].value)


# Differences


def _comparison_table(results: Results, comparisons: Sequence[Comparison]) -> Table:
    labels = [bucket.label for bucket in results.columns()]
    rows = [
        Row(
            each.system,
            tuple(
                f"{_signed(found.value)} (p {_p(found.p)}){'†' if found.adjusted < 0.05 else ''}"
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
    return Row(each.lemma, (*counts, _signed(each.difference), _signed(each.contribution, 3)), "plain")


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


# Numbers


def _cell(score: Score) -> str:
    return f"{100 * score.value:.2f} ±{100 * score.half:.1f}"


def _signed(value: float, digits: int = 2) -> str:
    """A difference in points, with a proper minus."""
    text = f"{100 * value:+.{digits}f}"
    return "0.00" if not float(text) else text.replace("-", "−")


def _p(value: float) -> str:
    if math.isnan(value):
        return "–"
    return "< 0.001" if value < 0.001 else f"= {value:.3f}"
