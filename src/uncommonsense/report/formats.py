"""Tables as text, Markdown, LaTeX and CSV."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Sequence

from uncommonsense.report.comparison import Comparison
from uncommonsense.report.inoculation import gains
from uncommonsense.report.published import find_reference, published_model
from uncommonsense.report.results import Results
from uncommonsense.report.samples import Sample, Usage
from uncommonsense.report.tables import Row, Table

__all__ = ["CSV_COLUMNS", "latex", "sample_text", "to_csv", "to_latex", "to_markdown", "to_text"]

CSV_COLUMNS = (
    "table", "system", "against", "slice", "lemma", "measure",
    "value", "low", "high", "n", "p", "p_holm", "wins", "losses",
)  # fmt: skip


# Text


def to_text(tables: Iterable[Table]) -> str:
    """Aligned columns; an asterisk stands for bold."""
    return "\n\n".join(map(_text_table, tables)) + "\n"


def _text_table(table: Table) -> str:
    grid = [
        [table.head, *(f"{name} " for name in table.columns)],
        *([_label(row), *_starred(row)] for row in table.rows),
    ]
    widths = [max(map(len, column)) for column in zip(*grid, strict=True)]
    lines = []
    for cells in grid:
        pairs = list(zip(cells, widths, strict=True))
        aligned = [text.rjust(width) if table.numeric else text.ljust(width) for text, width in pairs[1:]]
        lines.append("  ".join([pairs[0][0].ljust(widths[0]), *aligned]).rstrip())
    rule = "-" * max(map(len, lines))
    notes = [note.replace("Bold:", "*:") for note in table.notes]
    return "\n".join([table.title, rule, lines[0], rule, *lines[1:], rule, *notes])


def _label(row: Row) -> str:
    return f"  {row.label}" if row.kind == "published" else row.label


def _starred(row: Row) -> list[str]:
    """A column in which something is bold has a place for the asterisk in every row."""
    return [f"{cell}{'*' if i in row.strong else ' '}" for i, cell in enumerate(row.cells)]


# Markdown


def to_markdown(tables: Iterable[Table]) -> str:
    """GitHub's tables."""
    return "\n\n".join(map(_markdown_table, tables)) + "\n"


def _markdown_table(table: Table) -> str:
    lines = [
        _markdown_line([table.head, *table.columns]),
        "|---|" + ("---:|" if table.numeric else "---|") * len(table.columns),
        *(_markdown_line(_marked(row)) for row in table.rows),
    ]
    notes = [_markdown(note) for note in table.notes]
    return "\n".join([f"### {_markdown(table.title)}", "", *lines, *(["", *notes] if notes else [])])


def _marked(row: Row) -> list[str]:
    # Marks are put around escaped text, so they go through as they are.
    cells = [f"\0{cell}\0" if i in row.strong else cell for i, cell in enumerate(row.cells)]
    return [f"\1{row.label}\1" if row.kind == "published" else row.label, *cells]


def _markdown_line(cells: Iterable[str]) -> str:
    escaped = (_markdown(cell).replace("\0", "**").replace("\1", "*") for cell in cells)
    return f"| {' | '.join(escaped)} |"


def _markdown(text: str) -> str:
    return re.sub(r"([\\`*_{}\[\]<>|#~])", r"\\\1", text)


# LaTeX

_LATEX = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "#": r"\#", "%": r"\%",
    "_": r"\_", "^": r"\textasciicircum{}", "~": r"\textasciitilde{}", "<": "$<$", ">": "$>$", "|": "$|$",
    "±": r"$\pm$", "≥": r"$\geq$", "≤": r"$\leq$", "−": "$-$", "Δ": r"$\Delta$", "†": r"$^{\dagger}$",
    "…": r"\ldots{}", "–": "--", "[": "{[}", "]": "{]}", '"': "''",
}  # fmt: skip


def to_latex(tables: Iterable[Table]) -> str:
    """One ``table`` each; the document needs ``booktabs`` only."""
    head = "% \\usepackage{booktabs}\n\n"
    return head + "\n\n".join(map(_latex_table, tables)) + "\n"


def _latex_table(table: Table) -> str:
    align = "l" + ("r" if table.numeric else "l") * len(table.columns)
    body = []
    for row in table.rows:
        if row.kind == "count" or (row.label == "oracle" and row.kind == "baseline"):
            body.append(r"\midrule")
        body.append(_latex_line([_latex_label(row), *_bold(row)]))
    return "\n".join(
        [
            r"\begin{table}[htbp]",
            r"\centering\footnotesize\setlength{\tabcolsep}{4pt}",
            f"\\caption{{{latex(table.title)}. {latex(' '.join(table.notes))}}}",
            f"\\label{{tab:{re.sub(r'[^a-zA-Z0-9]+', '-', table.key)}}}",
            f"\\begin{{tabular}}{{@{{}}{align}@{{}}}}",
            r"\toprule",
            _latex_line(map(latex, [table.head, *table.columns])),
            r"\midrule",
            *body,
            r"\bottomrule",
            r"\end{tabular}",
            r"\end{table}",
        ]
    )


def _latex_label(row: Row) -> str:
    return rf"\quad\textit{{{latex(row.label)}}}" if row.kind == "published" else latex(row.label)


def _bold(row: Row) -> list[str]:
    return [
        rf"\textbf{{{latex(cell)}}}" if i in row.strong else latex(cell) for i, cell in enumerate(row.cells)
    ]


def _latex_line(cells: Iterable[str]) -> str:
    return " & ".join(cells) + r" \\"


def latex(text: str) -> str:
    """Any text as LaTeX shows it."""
    return "".join(_LATEX.get(character, character) for character in text)


# CSV


def to_csv(results: Results, comparisons: Sequence[Comparison]) -> str:
    """One row per number, scores as fractions; columns that do not apply are empty."""
    out = io.StringIO()
    writer = csv.DictWriter(out, CSV_COLUMNS, lineterminator="\n")
    writer.writeheader()
    writer.writerows(_score_records(results))
    writer.writerows(_published_records(results))
    writer.writerows(_gain_records(results))
    for each in comparisons:
        writer.writerows(_comparison_records(each, results.measure))
    return out.getvalue()


def _score_records(results: Results) -> Iterable[dict[str, object]]:
    for (measure, system, bucket), score in results.scores.items():
        yield {
            "table": "scores", "system": system, "slice": bucket, "measure": measure, "value": score.value,
            "low": score.low, "high": score.high, "n": score.queries,
        }  # fmt: skip


def _published_records(results: Results) -> Iterable[dict[str, object]]:
    reference = find_reference(results.run)
    if reference is None:
        return
    known = [*results.models, *map(results.baseline, ("random", "oracle"))]
    for measure in results.measures:
        for result in known:
            for bucket, value in reference.base(published_model(result), measure).items():
                yield {
                    "table": "published", "system": result.system, "slice": bucket, "measure": measure,
                    "value": value, "n": reference.queries[bucket],
                }  # fmt: skip


def _gain_records(results: Results) -> Iterable[dict[str, object]]:
    """What inoculation adds, on average over seeds."""
    for measure in results.measures:
        for gain in gains(results, measure):
            yield {
                "table": "gains", "system": f"{gain.base}, {gain.size} examples, {len(gain.by_seed)} seeds",
                "against": gain.base, "slice": gain.bucket, "measure": measure, "value": gain.value,
                "low": gain.low, "high": gain.high, "n": gain.queries,
            }  # fmt: skip


def _comparison_records(each: Comparison, measure: str) -> Iterable[dict[str, object]]:
    names = {"system": each.system, "against": each.against, "measure": measure}
    for bucket, found in each.differences.items():
        yield names | {
            "table": "differences", "slice": bucket, "value": found.value, "p": found.p,
            "p_holm": found.adjusted,
        }  # fmt: skip
    for row in each.lemmas:
        yield names | {
            "table": "lemmas", "slice": "all", "lemma": row.lemma, "value": row.difference, "n": row.queries,
            "wins": row.wins, "losses": row.losses,
        }  # fmt: skip


# Samples


def sample_text(samples: Iterable[Sample], *, markdown: bool = False) -> str:
    """Queries with their nearest usages; the words in question stand in brackets, or are bold in Markdown."""
    return "\n".join(_sample_lines(sample, markdown) for sample in samples)


def _sample_lines(sample: Sample, markdown: bool) -> str:
    escaped = _markdown if markdown else str
    about = (
        f"{sample.lemma}, sense {sample.sense}: {sample.relevant:,} of {sample.candidates:,} candidates; "
        f"{len(sample.ranks)} of the first {sample.k} are right"
    )
    lines = [
        f"Query: {_usage(sample.query, markdown)}",
        "" if markdown else None,
        f"  {escaped(about)}".strip(),
    ]
    lines += [""] if markdown else []
    lines += [
        f"{number}. {'✓' if usage.hit else '✗'} {_usage(usage, markdown)}"
        for number, usage in enumerate(sample.neighbours, 1)
    ]
    return "\n".join(line for line in lines if line is not None) + "\n"


def _usage(usage: Usage, markdown: bool) -> str:
    if not usage.target:
        return f"`{usage.instance}`" if markdown else usage.instance
    if not markdown:
        return f"{usage.left} [{usage.target}]{usage.right} ({usage.sense})".strip()
    left, target, right, sense = map(_markdown, (usage.left, usage.target, usage.right, usage.sense))
    return f"{left} **{target}**{right} ({sense})".strip()
