"""Which pictures a report has, and how they become files; matplotlib is loaded when one is drawn."""

from __future__ import annotations

import io
import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from uncommonsense.errors import MissingResourceError
from uncommonsense.report.results import Results

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["INK", "Picture", "draw_pictures", "inline_svg", "save_pictures"]

INK = "#1f2328"
"""The colour of text and axes; on a page it becomes the colour of the page's text."""

_SCALE = 1.25
"""How much larger pictures are on a page than on paper, where there is room."""

STYLE: dict[Any, Any] = {
    "font.family": "sans-serif",
    "font.size": 9.0,
    "axes.titlesize": 9.5,
    "axes.titlelocation": "left",
    "axes.titleweight": "bold",
    "axes.labelsize": 9.0,
    "axes.edgecolor": INK,
    "axes.labelcolor": INK,
    "axes.titlecolor": INK,
    "axes.linewidth": 0.7,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.grid.axis": "y",
    "axes.axisbelow": True,
    "grid.color": "#8c959f",
    "grid.alpha": 0.3,
    "grid.linewidth": 0.5,
    "text.color": INK,
    "xtick.color": INK,
    "ytick.color": INK,
    "xtick.major.width": 0.7,
    "ytick.major.width": 0.7,
    "lines.linewidth": 1.4,
    "legend.frameon": False,
    "legend.fontsize": 8.5,
    "svg.fonttype": "none",
    "svg.hashsalt": "uncommonsense",
}


class Picture(NamedTuple):
    """A drawing and the words that go with it."""

    key: str
    title: str
    caption: str
    figure: Figure


def draw_pictures(results: Results) -> list[Picture]:
    """Every picture that the run has material for."""
    try:
        import matplotlib
    except ImportError as error:
        raise MissingResourceError(
            "pictures need matplotlib: pip install 'uncommonsense[plots]'; "
            "--no-pictures makes a page without them"
        ) from error
    from uncommonsense.report import curves, heatmap

    with matplotlib.rc_context(STYLE):
        drawn = (
            curves.draw_precision(results),
            heatmap.draw_heatmap(results),
            curves.draw_layers(results),
            curves.draw_inoculation(results),
        )
    return [picture for picture in drawn if picture is not None]


def save_pictures(pictures: Sequence[Picture], folder: Path) -> list[Path]:
    """Write each picture as SVG and PNG (200 dots per inch) on white."""
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for picture in pictures:
        for kind in ("svg", "png"):
            path = folder / f"{picture.key}.{kind}"
            path.write_bytes(_rendered(picture, kind, transparent=False))
            written.append(path)
    return written


def inline_svg(picture: Picture) -> str:
    """The picture as an element of a page: no background, the page's ink, ids of its own."""
    text = _rendered(picture, "svg", transparent=True).decode()
    text = text[text.index("<svg") :]
    text = re.sub(r"\s*<metadata>.*?</metadata>", "", text, flags=re.DOTALL)
    text = re.sub(r'(\bid="|url\(#|href="#)', rf"\g<1>{picture.key}-", text)
    tag, rest = text.split(">", 1)
    width = float(re.findall(r'\bwidth="([\d.]+)pt"', tag)[0])
    tag = re.sub(r'\s(?:width|height)="[^"]*"', "", tag)
    label = f'role="img" aria-labelledby="{picture.key}-title" style="max-width: {_SCALE * width:.0f}pt"'
    return f"{tag} {label}>{rest}".replace(INK, "currentColor")


def _rendered(picture: Picture, kind: str, *, transparent: bool) -> bytes:
    import matplotlib

    out = io.BytesIO()
    metadata = {"Date": None} if kind == "svg" else {"Software": None}
    with matplotlib.rc_context(STYLE):
        picture.figure.savefig(
            out, format=kind, dpi=200, bbox_inches="tight", pad_inches=0.05, metadata=metadata,
            transparent=transparent,
        )  # fmt: skip
    return out.getvalue()
