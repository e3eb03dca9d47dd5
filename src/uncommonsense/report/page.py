"""The report as one page that needs nothing else: no other file, no script, no network."""

from __future__ import annotations

import re
from collections.abc import Sequence
from html import escape
from pathlib import Path

from uncommonsense.metrics.measures import parse_measure
from uncommonsense.rank.evaluate import RankingResult
from uncommonsense.report.pictures import Picture, inline_svg
from uncommonsense.report.results import Results
from uncommonsense.report.samples import Sample, Usage
from uncommonsense.report.tables import Row, Table
from uncommonsense.report.variants import inoculated

__all__ = ["to_html"]

_MEASURES = {
    "P": "the share of the first {k} usages that have the sense of the query.",
    "mean_precision": "the share of right usages among the first 1, the first 2, … the first {k}, averaged "
    "over all of these. A right usage counts more the earlier it comes. The paper prints this as MAP.",
    "recall": "the share of all usages of the sense that are among the first {k}, averaged over queries.",
    "pooled_recall": "the share of all usages of the senses asked for that are among the first {k}.",
    "mean_pooled_recall": "the share of all usages of the sense that is found among the first 1, the first "
    "2, … the first {k}, averaged. It is low for frequent senses, whose usages are more than {k}.",
    "map": "average precision as TREC defines it: precision at each right usage among the first {k}, divided "
    "by the number of all right usages.",
    "mrr": "one divided by the place of the first right usage.",
    "ndcg": "right usages among the first {k}, early ones weighing more, compared with the best order.",
    "r_precision": "precision among as many usages as there are right ones.",
}


def to_html(
    results: Results,
    tables: Sequence[Table],
    provenance: Sequence[Table],
    *,
    pictures: Sequence[Picture] = (),
    samples: Sequence[Sample] = (),
) -> str:
    """All of it; ``tables`` are the results, ``provenance`` goes to the end."""
    scores = [table for table in tables if table.key not in ("differences", "lemmas")]
    differences = [table for table in tables if table not in scores]
    sections = {
        "Reading this page": _explanation(results),
        "Scores": "\n".join(map(_table, scores)),
        "Pictures": "\n".join(map(_picture, pictures)),
        "Differences between systems": "\n".join(map(_table, differences)),
        "Queries, one by one": _samples(samples),
        "How it was made": "\n".join(map(_table, provenance)),
    }
    present = {title: body for title, body in sections.items() if body}
    title = f"Rare word senses: {results.run.about['corpus']}"
    links = "".join(f'<li><a href="#{_anchor(name)}">{name}</a></li>' for name in present)
    body = "\n".join(
        f'<section id="{_anchor(name)}">\n<h2>{name}</h2>\n{content}\n</section>'
        for name, content in present.items()
    )
    style = Path(__file__).with_name("style.css").read_text(encoding="utf-8")
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{escape(title)}</title>
<style>
{style}</style>
</head>
<body>
<main>
<header>
<h1>{escape(title)}</h1>
{_lead(results)}
<nav aria-label="Sections"><ul>{links}</ul></nav>
</header>
{body}
</main>
</body>
</html>
"""


def _anchor(title: str) -> str:
    return re.sub(r"\W+", "-", title.lower())


def _lead(results: Results) -> str:
    """The result in a sentence: the best model where senses are rarest."""
    bucket = results.buckets()[0].label
    ranked = sorted(results.models, key=lambda each: -results.score(each.system, bucket).value)
    chance, oracle = (100 * results.score(name, bucket).value for name in ("random", "oracle"))
    bounds = f"chance gives {chance:.1f}, a perfect order {oracle:.1f}"
    where = f"Where senses are rarest ({escape(bucket)}, explained below)"
    if not ranked:
        return f'<p class="lead">{where}, {bounds}.</p>'
    score = results.score(ranked[0].system, bucket)
    return (
        f'<p class="lead">{where}, <b>{escape(ranked[0].system)}</b>{_rivals(ranked)} scores '
        f"<b>{100 * score.value:.1f}</b> (95% interval {100 * score.low:.1f} to {100 * score.high:.1f}) of "
        f"100; {bounds}.</p>"
    )


def _rivals(ranked: Sequence[RankingResult]) -> str:
    return f", the best of {len(ranked)} systems," if len(ranked) > 1 else ""


def _explanation(results: Results) -> str:
    """What somebody needs who has not read the paper."""
    rules = results.run.queries.protocol
    counted = "sense" if rules.frequency == "sense" else "word (lemma and part of speech)"
    shared = "word" if rules.candidates == "lemma" else "word and part of speech"
    terms = {
        "l": f"how often the {counted} of the query occurs in the database.",
        "r": "the share of the query's sense among all usages of its word in the database: its prevalence. "
        "A small r means a rare sense, which the usual sense drowns out.",
        **{measure: _meaning(measure) for measure in results.measures},
        "random": "what an order by chance gets. It is high where most usages have the same sense anyway.",
        "oracle": "what the best possible order gets. It is below 100 where a sense has fewer usages than "
        "are looked at.",
        "±": "half of a 95% interval. It says how much a score would move with other words: words are drawn "
        "anew from those of the corpus, with all their queries.",
    }
    listed = "\n".join(f"<dt>{escape(term)}</dt><dd>{escape(text)}</dd>" for term, text in terms.items())
    tuned = (
        " Some models were first trained on a few examples of another task."
        if inoculated(results.models)
        else ""
    )
    return f"""<p>Many words have several senses, and most usages of a word have the same one. Does a language
model tell the others apart? Each query is a word in a sentence, annotated with its sense. The model turns the
word into a vector, as it does with {results.run.queries.database:,} annotated usages in a database. The
usages of the same {shared} are put in order, the most similar vector first, and the first {results.k} are
judged: a usage is right if it has the sense of the query.{tuned}</p>
<dl>
{listed}
</dl>
<p>Read a table from left to right: the columns are groups of queries, and the further a model is above random
and the nearer to oracle, the better its vectors keep senses apart. Columns cannot be compared with each other
without looking at their random and oracle rows.</p>"""


def _meaning(measure: str) -> str:
    parsed = parse_measure(measure)
    return _MEASURES[parsed.name].replace("{k}", str(parsed.k))


# Tables


def _table(table: Table) -> str:
    head = "".join(f'<th scope="col">{escape(name)}</th>' for name in (table.head, *table.columns))
    rows = "\n".join(map(_row, table.rows))
    notes = f'<p class="notes">{escape(" ".join(table.notes))}</p>' if table.notes else ""
    kind = "numeric" if table.numeric else "wrapped"
    return f"""<div class="scroll" tabindex="0" role="region" aria-label="{escape(table.title)}">
<table class="{kind}" id="table-{_anchor(table.key)}">
<caption>{escape(table.title)}</caption>
<thead><tr>{head}</tr></thead>
<tbody>
{rows}
</tbody>
</table>
</div>
{notes}"""


def _row(row: Row) -> str:
    cells = "".join(
        f"<td>{f'<b>{_cell(cell)}</b>' if i in row.strong else _cell(cell)}</td>"
        for i, cell in enumerate(row.cells)
    )
    return f'<tr class="{row.kind}"><th scope="row">{escape(row.label)}</th>{cells}</tr>'


def _cell(text: str) -> str:
    """What qualifies a number is set smaller."""
    return re.sub(r" (±[\d.]+|\(.*\)†?|\[[\d,]+\])", r' <span class="half">\1</span>', escape(text))


# Pictures


def _picture(picture: Picture) -> str:
    return f"""<figure>
{inline_svg(picture)}
<figcaption><b id="{picture.key}-title">{escape(picture.title)}.</b> {escape(picture.caption)}</figcaption>
</figure>"""


# Samples


def _samples(samples: Sequence[Sample]) -> str:
    if not samples:
        return ""
    first = samples[0]
    intro = (
        f"<p>Queries of the column {escape(first.bucket)}, answered by {escape(first.system)}: taken at "
        "even steps of their score, from low to high; nobody picked them. ✓: the usage has the sense of the "
        "query. The number after a usage is its similarity (cosine).</p>"
    )
    return "\n".join([intro, *map(_sample, samples)])


def _sample(sample: Sample) -> str:
    usages = "\n".join(f"<li>{_verdict(usage)} {_usage(usage)}</li>" for usage in sample.neighbours)
    gloss = f", “{escape(sample.gloss)}”" if sample.gloss else ""
    ranks = f", at {', '.join(map(str, sample.ranks))}" if sample.ranks else ""
    return f"""<article class="sample">
<p><b>Query:</b> {_usage(sample.query)}</p>
<p class="soft">{escape(sample.lemma)}, sense <code>{escape(sample.sense)}</code>{gloss}: {sample.relevant:,}
of {sample.candidates:,} candidates have it. Among the first {sample.k} the model finds
{len(sample.ranks)}{ranks}. Score {100 * sample.score:.1f}.</p>
<ol>
{usages}
</ol>{_other_senses(sample)}
</article>"""


def _other_senses(sample: Sample) -> str:
    known = [
        f"<code>{escape(sense)}</code> “{escape(gloss)}”" for sense, gloss in sample.glosses.items() if gloss
    ]
    return f'\n<p class="soft">Other senses: {"; ".join(known)}.</p>' if known else ""


def _verdict(usage: Usage) -> str:
    kind, mark, word = ("right", "✓", "right") if usage.hit else ("wrong", "✗", "wrong")
    return f'<span class="verdict {kind}" role="img" aria-label="{word}">{mark}</span>'


def _usage(usage: Usage) -> str:
    if not usage.target:
        text = f"<code>{escape(usage.instance)}</code>"
    else:
        left, target, right = map(escape, (usage.left, usage.target, usage.right))
        text = f"{left} <mark>{target}</mark>{right}".strip()
    details = [f"<code>{escape(usage.sense)}</code>"] if usage.sense and usage.target else []
    if usage.similarity == usage.similarity:
        details.append(f"{usage.similarity:.3f}")
    return f'{text} <span class="soft details">{" · ".join(details)}</span>' if details else text
