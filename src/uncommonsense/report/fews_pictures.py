"""The figures of the FEWS paper for any folder in its layout; matplotlib is loaded when one is drawn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from uncommonsense.errors import MissingResourceError
from uncommonsense.fews.semcor import Usage
from uncommonsense.fews.statistics import Statistics
from uncommonsense.report.pictures import INK, STYLE, Picture

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["draw_fews"]

_COLOURS = {
    "topic": "#0072b2",
    "usage": "#8c959f",
    "region": "#009e73",
    "offensive": "#d55e00",
    "internet": "#cc79a7",
}
_SHADES = ("#08519c", "#3182bd", "#6baed6", "#9ecae1", "#c6dbef")
"""Senses of a word, the most frequent first; the last shade is for all that follow."""

_TOP_TAGS = 30
_LARGEST = 10


def draw_fews(found: Statistics) -> list[Picture]:
    """Every picture that there is material for."""
    try:
        import matplotlib
    except ImportError as error:
        raise MissingResourceError("pictures need matplotlib: pip install 'uncommonsense[plots]'") from error
    with matplotlib.rc_context(STYLE):
        drawn = (
            _draw_histogram(
                found.frequencies,
                "frequencies",
                "How many training examples senses have",
                "training examples of a sense",
                "senses",
            ),
            _draw_histogram(
                found.ambiguity, "ambiguity", "How many senses words have", "senses of a word", "words"
            ),
            _draw_words(found.usages),
            _draw_tags(found),
        )
    return [picture for picture in drawn if picture is not None]


def _draw_histogram(
    counts: Mapping[int, int], key: str, title: str, across: str, what: str
) -> Picture | None:
    """Bars for one to ten, and one for all that is larger, each with its number."""
    if not counts:
        return None
    total = sum(counts.values())
    bars = {str(size): counts.get(size, 0) for size in range(1, min(_LARGEST, max(counts)) + 1)}
    if more := sum(count for size, count in counts.items() if size > _LARGEST):
        bars[f"{_LARGEST + 1}+"] = more
    figure, axes = _one(5.6, 3.0)
    drawn = axes.bar(list(bars), [100 * count / total for count in bars.values()], color=_COLOURS["topic"])
    axes.bar_label(drawn, [f"{count:,}" for count in bars.values()], padding=1.5, fontsize=7.5)
    axes.set(xlabel=across, ylabel=f"{what}, %", title=title)
    axes.margins(y=0.12)
    mean = sum(size * count for size, count in counts.items()) / total
    caption = f"{total:,} {what}; mean {mean:.2f}, largest {max(counts)}."
    return Picture(key, title, caption, figure)


def _draw_words(usages: Sequence[Usage]) -> Picture | None:
    """A bar for each word and corpus, cut into its senses."""
    if not usages:
        return None
    corpora = len({each.corpus for each in usages})
    figure, axes = _one(6.8, 0.5 + 0.3 * len(usages) + 0.15 * len(usages) / corpora)
    places, labels = [], []
    for number, each in enumerate(usages):
        place = number + 0.6 * (number // corpora)
        places.append(place)
        labels.append(f"{each.word}, {each.corpus}")
        _draw_senses(axes, place, each)
    axes.set_yticks(places, labels)
    axes.invert_yaxis()
    axes.grid(visible=False)
    axes.tick_params(axis="y", length=0)
    axes.set_xlim(0, 100)
    axes.set(xlabel="examples, % of the word's", title="Senses of single words")
    caption = "Each bar is a word in a corpus, each piece of it a sense, the most frequent first."
    return Picture("words", "Senses of single words", caption, figure)


def _draw_senses(axes: Axes, place: float, usage: Usage) -> None:
    total, left = sum(usage.counts), 0.0
    for rank, count in enumerate(usage.counts):
        width = 100 * count / total
        shade = _SHADES[min(rank, len(_SHADES) - 1)]
        axes.barh(place, width, left=left, height=0.8, color=shade, edgecolor="white", linewidth=0.4)
        left += width
    known = f" of {usage.inventory}" if usage.inventory else ""
    text = f"{total:,} examples, {len(usage.counts)}{known} senses"
    axes.annotate(
        text, (1, place), (5, 0), xycoords=("axes fraction", "data"), textcoords="offset points",
        va="center", fontsize=8, color=INK,
    )  # fmt: skip


def _draw_tags(found: Statistics) -> Picture | None:
    """Tags by the number of senses that have them, coloured by group; grammar is left out."""
    tags = [tag for tag in found.tags if tag.group != "grammar"][:_TOP_TAGS]
    if not tags:
        return None
    figure, axes = _one(5.6, 0.7 + 0.19 * len(tags))
    for group in dict.fromkeys(tag.group for tag in tags):
        places = [place for place, tag in enumerate(tags) if tag.group == group]
        sizes = [tags[place].senses for place in places]
        drawn = axes.barh(places, sizes, color=_COLOURS[group], label=group)
        axes.bar_label(drawn, [f"{size:,}" for size in sizes], padding=2, fontsize=7.5)
    axes.set_yticks(range(len(tags)), [tag.tag for tag in tags])
    axes.invert_yaxis()
    axes.grid(visible=False, axis="y")
    axes.grid(visible=True, axis="x")
    axes.tick_params(axis="y", length=0)
    axes.margins(x=0.1, y=0.01)
    axes.set(xlabel="senses with examples that have the tag", title="Tags of senses")
    axes.legend(loc="lower right")
    caption = f"The {len(tags)} most common tags; tags of grammar are left out."
    return Picture("tags", "Tags of senses", caption, figure)


def _one(width: float, height: float) -> tuple[Figure, Axes]:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), layout="constrained")
    return figure, figure.subplots()
