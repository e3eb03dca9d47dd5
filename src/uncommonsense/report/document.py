"""A report in any format."""

from __future__ import annotations

from collections.abc import Sequence

from uncommonsense.errors import UnknownNameError
from uncommonsense.report.comparison import compare
from uncommonsense.report.formats import sample_text, to_csv, to_latex, to_markdown, to_text
from uncommonsense.report.page import to_html
from uncommonsense.report.pictures import Picture
from uncommonsense.report.results import Results
from uncommonsense.report.samples import Sample
from uncommonsense.report.tables import all_tables, provenance_tables

__all__ = ["FORMATS", "make_report"]

FORMATS = {"text": ".txt", "markdown": ".md", "latex": ".tex", "csv": ".csv", "html": ".html"}
"""Names of formats and the endings of their files."""


def make_report(
    results: Results,
    form: str = "text",
    *,
    against: str | None = None,
    pictures: Sequence[Picture] = (),
    samples: Sequence[Sample] = (),
) -> str:
    """The report as text of one of ``FORMATS``; pictures go into HTML, samples also into text and Markdown.

    ``against`` is the system that the others are compared with.
    """
    if form not in FORMATS:
        raise UnknownNameError("format", form, FORMATS)
    comparisons = compare(results, against)
    if form == "csv":
        return to_csv(results, comparisons)
    tables, provenance = all_tables(results, comparisons), provenance_tables(results)
    if form == "latex":
        return to_latex(tables)
    if form == "html":
        return to_html(results, tables, provenance, pictures=pictures, samples=samples)
    write = to_text if form == "text" else to_markdown
    listed = sample_text(samples, markdown=form == "markdown")
    return "\n".join(filter(None, [write(tables), listed, write(provenance)]))
