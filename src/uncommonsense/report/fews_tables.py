"""The analysis of a FEWS folder as tables, the paper's figures below ours, and as rows of one number each."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator

from uncommonsense.fews.published import published
from uncommonsense.fews.statistics import Statistics
from uncommonsense.report.tables import Row, Table

__all__ = ["fews_csv", "fews_tables"]

_TOP_TAGS = 30
_LEVELS = ("overall", "train", "train.ext", "dev", "test")
_COLUMNS = ("examples", "tokens", "annotations", "senses", "words", "ambiguity")


def fews_tables(found: Statistics) -> list[Table]:
    """Tables 1 and 2, the single numbers, frequencies, ambiguity, parts of speech, tags, words."""
    tables = [
        _splits(found),
        _evaluation(found),
        _facts(found),
        _histogram(
            found.frequencies, "frequencies", "Training examples per sense (Figure 3)", "examples", "senses"
        ),
        _histogram(found.ambiguity, "ambiguity", "Senses per word", "senses", "words"),
        _parts(found),
        _groups(found),
        _tags(found),
        _usages(found),
    ]
    return [table for table in tables if table.rows]


def fews_csv(found: Statistics) -> str:
    """One row per number; shares are in per cent."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(("table", "row", "quantity", "value", "published", "place"))
    writer.writerows(("" if cell is None else cell for cell in row) for row in _numbers(found))
    return out.getvalue()


def _numbers(found: Statistics) -> Iterator[tuple[object, ...]]:
    printed = published()
    for split in found.splits:
        for name, value in list(split._asdict().items())[1:]:
            yield "splits", split.name, name, value, printed.splits[split.name].get(name), "Table 1"
    for row in found.evaluation:
        for name, value in (("fews", row.fews), ("framework", row.framework)):
            yield "evaluation", row.name, name, value, printed.evaluation[row.name][name], "Table 2"
    for fact in found.facts:
        yield "facts", fact.key, fact.says, fact.value, fact.published, fact.place
    yield from (
        ("frequencies", size, "senses", count, None, None) for size, count in found.frequencies.items()
    )
    yield from (("ambiguity", size, "words", count, None, None) for size, count in found.ambiguity.items())
    for part in found.parts:
        for name, value in list(part._asdict().items())[1:]:
            yield "parts", part.pos, name, value, None, None
    yield from (("tags", tag.tag, f"senses ({tag.group})", tag.senses, None, None) for tag in found.tags)
    for group in found.groups:
        yield "groups", group.group, "different tags", group.tags, None, None
        yield "groups", group.group, "senses", group.senses, None, None
    for usage in found.usages:
        yield "words", usage.word, f"examples in {usage.corpus}", sum(usage.counts), None, None
        yield "words", usage.word, f"senses in {usage.corpus}", len(usage.counts), None, None


# Single tables


def _splits(found: Statistics) -> Table:
    printed = published().splits
    rows = []
    for split in found.splits:
        label = split.name if split.name in _LEVELS else f"  {split.name}"
        cells = tuple(_number(getattr(split, name)) for name in _COLUMNS)
        rows.append(Row(label, (*cells, _number(split.senses_per_word)), "plain"))
        theirs = tuple(_number(printed[split.name][name]) for name in _COLUMNS)
        rows.append(Row("published", (*theirs, ""), "published"))
    notes = (
        "Tokens: separated by white space. Ambiguity: senses of the target's word, averaged over targets; "
        "in the last column averaged over words.",
        f"Published: {published().source}",
    )
    return Table("splits", "Sizes (Table 1)", "split", (*_COLUMNS, "senses per word"), tuple(rows), notes)


def _evaluation(found: Statistics) -> Table:
    printed = published().evaluation
    rows = []
    for each in found.evaluation:
        theirs = printed[each.name]
        ours = (_number(each.fews), _number(each.framework))
        cells = (ours[0], _number(theirs["fews"]), ours[1], _number(theirs["framework"]))
        rows.append(Row(each.name, cells, "plain"))
    notes = (
        "Few-shot: with one to three examples in the training set (of the framework: in SemCor).",
        "The framework's test row has its development set in it, as the printed one has.",
    )
    columns = ("here", "published", "framework", "published")
    return Table("evaluation", "Senses of the evaluation sets (Table 2)", "set", columns, tuple(rows), notes)


def _facts(found: Statistics) -> Table:
    rows = [
        Row(fact.says, (_number(fact.value), _number(fact.published), fact.place), "plain")
        for fact in found.facts
    ]
    return Table("facts", "Single figures", "figure", ("here", "published", "place"), tuple(rows))


def _histogram(counts: dict[int, int], key: str, title: str, head: str, what: str) -> Table:
    """One row for each size up to ten, and one for all that are larger."""
    total = sum(counts.values())
    sizes = {str(size): counts[size] for size in counts if size <= 10}
    if more := sum(count for size, count in counts.items() if size > 10):
        sizes["11 and more"] = more
    rows = [Row(size, (f"{count:,}", f"{100 * count / total:.1f}"), "plain") for size, count in sizes.items()]
    mean = sum(size * count for size, count in counts.items()) / total if total else 0
    notes = (f"Mean {mean:.2f}, largest {max(counts, default=0)}.",)
    return Table(key, title, head, (what, "%"), tuple(rows), notes)


def _parts(found: Statistics) -> Table:
    columns = ("examples", "senses", "words")
    rows = [Row(part.pos, tuple(map(_number, part[1:])), "plain") for part in found.parts]
    return Table("parts", "Parts of speech", "part of speech", columns, tuple(rows))


def _groups(found: Statistics) -> Table:
    rows = [Row(each.group, (f"{each.tags:,}", f"{each.senses:,}"), "plain") for each in found.groups]
    notes = ("Senses: those with examples and at least one tag of the group.",)
    return Table("groups", "Groups of tags", "group", ("different tags", "senses"), tuple(rows), notes)


def _tags(found: Statistics) -> Table:
    told = [tag for tag in found.tags if tag.group != "grammar"]
    rows = [Row(tag.tag, (tag.group, f"{tag.senses:,}"), "plain") for tag in told[:_TOP_TAGS]]
    left = len(found.tags) - len(told)
    notes = (f"{len(told):,} different tags; {left:,} of grammar are left out.",)
    return Table(
        "tags", "Tags of senses with examples (Figure 4)", "tag", ("group", "senses"), tuple(rows), notes
    )


def _usages(found: Statistics) -> Table:
    rows = []
    for each in found.usages:
        share = f"{100 * each.counts[0] / sum(each.counts):.0f}" if each.counts else ""
        cells = (f"{sum(each.counts):,}", str(len(each.counts)), _number(each.inventory), share)
        rows.append(Row(f"{each.word}, {each.corpus}", cells, "plain"))
    columns = ("examples", "senses", "of senses in all", "most frequent sense, %")
    return Table("words", "Senses of single words (Figure 2)", "word", columns, tuple(rows))


def _number(value: float | str | None) -> str:
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:,.2f}"
    return value if isinstance(value, str) else f"{value:,}"
