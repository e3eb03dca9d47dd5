"""``uncommonsense like``: usages of a word like the one in a sentence."""

from __future__ import annotations

import shlex
import string
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from uncommonsense.cli.output import console, emit, is_terminal, note, progress

if TYPE_CHECKING:
    from rich.text import Text

    from uncommonsense.rank.example import Example, Filters, Neighbour, Search

__all__ = ["like", "search", "show_usages"]

_COLOURS = ("green", "yellow", "cyan", "magenta", "blue", "red")
_COLUMNS = ["similarity", "sense", "gloss", "source", "instance", "left", "target", "right"]
_SOURCE = 16
"""Columns for the name of a source."""
_NOTHING = "no usage passes all the filters"
_WHICH, _REFINE = "Which usages", "Refining"


def like(
    sentences: Annotated[
        list[str],
        typer.Argument(
            metavar="SENTENCE", help="A sentence with the word in \\[brackets]; several are averaged."
        ),
    ],
    corpus: Annotated[
        str, typer.Option("--corpus", "-c", help="Where to search: FORMAT:PATH or a name.")
    ] = "sampler",
    model: Annotated[
        str, typer.Option("--model", "-m", help="A hub id, a folder, or minilm, smollm2.")
    ] = "minilm",
    layers: Annotated[
        str, typer.Option("--layers", "-l", help="last, 7, mean, mean:4-6, sum:4=0.2,5=0.8.")
    ] = "last",
    target: Annotated[
        str | None, typer.Option("--target", "-t", help="The word, instead of brackets.")
    ] = None,
    occurrence: Annotated[int | None, typer.Option(help="Which occurrence of --target, from 1.")] = None,
    lemma: Annotated[str | None, typer.Option(help="Search this lemma instead of the one found.")] = None,
    top: Annotated[int, typer.Option("--top", "-n", min=1, help="How many usages.")] = 10,
    sense: Annotated[
        list[str] | None,
        typer.Option(
            metavar="KEY", help="Only usages annotated so; may be repeated.", rich_help_panel=_WHICH
        ),
    ] = None,
    not_sense: Annotated[
        list[str] | None,
        typer.Option(metavar="KEY", help="No usages annotated so; may be repeated.", rich_help_panel=_WHICH),
    ] = None,
    source: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="Only sources with this in their name; may be repeated.",
            rich_help_panel=_WHICH,
        ),
    ] = None,
    yes: Annotated[
        list[str] | None,
        typer.Option(metavar="ID", help="More like this usage; may be repeated.", rich_help_panel=_REFINE),
    ] = None,
    no: Annotated[
        list[str] | None,
        typer.Option(metavar="ID", help="Less like this usage; may be repeated.", rich_help_panel=_REFINE),
    ] = None,
    interactive: Annotated[
        bool,
        typer.Option(
            "--interactive",
            "-i",
            help="Mark results by their numbers, again and again.",
            rich_help_panel=_REFINE,
        ),
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    r"""Search a corpus by example: the usages of a word that are most like the one you give.

    Examples:
      uncommonsense like "She was \[on] antibiotics for a week."

      uncommonsense like "The mouse ate the other mouse." --target mouse --occurrence 2 --top 5

      uncommonsense like "They \[drew] the curtains." "He \[drew] the blinds." --corpus semcor --json

      uncommonsense like "They sat on the \[bank]." --yes sampler.bank.n.004.t0 --not-sense bank%1:14:00::
    """
    from uncommonsense.errors import UserError
    from uncommonsense.rank.example import Filters, parse_example
    from uncommonsense.rank.feedback import read_marks

    if interactive and as_json:
        raise UserError("--interactive is for people and --json for programs; pass marks with --yes and --no")
    examples = [parse_example(text, target=target, occurrence=occurrence) for text in sentences]
    filters = Filters(*(tuple(names or ()) for names in (sense, not_sense, source)))
    marks = read_marks(yes or (), no or ())
    asked = _ask(
        examples, corpus=corpus, model=model, layers=layers, lemma=lemma, filters=filters, marks=marks
    )
    if interactive:
        _converse(asked.search, marks, top)
        return
    found = asked.search.nearest(top, marks)
    about = asked.settings | {"marks": _verdicts(marks), "top": top} if as_json else None
    show_usages(found, about=about, marks=marks)
    if not found:
        note(_NOTHING)


class _Asked(NamedTuple):
    """A search, and what JSON says about it."""

    search: Search
    settings: dict[str, Any]


def _ask(
    examples: list[Example],
    *,
    corpus: str,
    model: str,
    layers: str,
    lemma: str | None,
    filters: Filters,
    marks: Mapping[str, bool],
) -> _Asked:
    """Choose the usages, and encode those only; their vectors are kept for the next time."""
    import numpy as np

    from uncommonsense.corpora import load_corpus
    from uncommonsense.encode import Encoder, encode_corpus
    from uncommonsense.encode.layers import one_vector
    from uncommonsense.rank.example import Search, find_usages, resolve_lemmas
    from uncommonsense.rank.feedback import find_instances

    text = load_corpus(corpus)
    lemmas = resolve_lemmas(text, examples, lemma)
    rows = find_usages(text, lemmas, filters)
    needed = np.union1d(rows, find_instances(text, marks, near=rows))
    usages = text.select(np.isin(np.arange(len(text)), needed))
    encoder = Encoder(model, layers=one_vector(layers))
    vectors = encode_corpus(encoder, usages, progress=progress)
    search = Search(encoder, examples, usages, vectors.matrix, np.searchsorted(needed, rows))
    settings = {
        "query": [{**example._asdict(), "target": example.target} for example in examples],
        "corpus": corpus,
        "lemmas": lemmas,
        "filters": filters._asdict(),
        "encoder": encoder.describe(),
        "candidates": len(search),
    }
    return _Asked(search, settings)


def search(
    examples: list[Example], *, corpus: str, model: str, layers: str = "last", lemma: str | None, top: int
) -> list[Neighbour]:
    """The nearest usages in a corpus."""
    from uncommonsense.rank.example import Filters

    asked = _ask(
        examples, corpus=corpus, model=model, layers=layers, lemma=lemma, filters=Filters(), marks={}
    )
    return asked.search.nearest(top)


def _verdicts(marks: Mapping[str, bool]) -> dict[str, Any]:
    """The marks and the weights that they have, for JSON."""
    from uncommonsense.rank.feedback import ALPHA, BETA, GAMMA

    return {
        "yes": [name for name, good in marks.items() if good],
        "no": [name for name, good in marks.items() if not good],
        "weights": {"query": ALPHA, "yes": BETA, "no": GAMMA},
    }


def _converse(search: Search, marks: dict[str, bool], top: int) -> None:
    """Show results and take marks until an empty line; a later mark replaces an earlier one."""
    while found := search.nearest(top, marks):
        show_usages(found, marks=marks, for_eyes=True)
        added = _read_answer([usage.instance for usage in found])
        if not added:
            break
        marks = marks | added
    else:
        note(_NOTHING)
    chosen = [f"--{'yes' if good else 'no'} {shlex.quote(name)}" for name, good in marks.items()]
    if chosen:
        note("to search like this again: " + " ".join(chosen))


def _read_answer(shown: list[str]) -> dict[str, bool]:
    """Ask for marks until they can be read; none where the answer is empty or the input ends."""
    from uncommonsense.errors import UserError
    from uncommonsense.rank.feedback import parse_marks

    while True:
        try:
            return parse_marks(console().input("\nMark results (+1 +3 -2), or press Enter to end: "), shown)
        except UserError as error:
            note(str(error))
        except EOFError:
            return {}


def show_usages(
    found: list[Neighbour],
    *,
    about: dict[str, Any] | None = None,
    marks: Mapping[str, bool] | None = None,
    for_eyes: bool = False,
) -> None:
    """Numbered keyword-in-context lines, each sense in a colour of its own, and what the senses mean.

    With ``about``, the settings of the search, they and the usages are printed as JSON.
    """
    from uncommonsense.inventories.glosses import gloss_finder

    gloss, marks = gloss_finder(), marks or {}
    if about is not None:
        rows = [_row(usage, gloss(usage.sense)) | _more(n, usage, marks) for n, usage in enumerate(found, 1)]
        emit(about | {"usages": rows}, as_json=True)
        return
    if not (for_eyes or is_terminal()):
        emit([_row(usage, gloss(usage.sense)) for usage in found], as_json=False, columns=_COLUMNS)
        return
    _show_lines(found, marks)
    _show_senses(found, gloss)
    note("similarity is the cosine of the words' vectors in their sentences")


def _row(usage: Neighbour, gloss: str) -> dict[str, Any]:
    """The columns of a pipe."""
    from uncommonsense.corpora.tokenize import join_around

    left, target, right = join_around(usage.tokens, usage.start, usage.end)
    return {
        "similarity": round(usage.similarity, 4),
        "sense": usage.sense,
        "gloss": gloss,
        "source": usage.source,
        "instance": usage.instance,
        "left": left,
        "target": target,
        "right": right.strip(),
    }


def _more(number: int, usage: Neighbour, marks: Mapping[str, bool]) -> dict[str, Any]:
    """What JSON says beyond the columns of a pipe."""
    return {
        "number": number,
        "lemma": usage.lemma,
        "pos": usage.pos,
        "senses": usage.senses,
        "mark": {True: "yes", False: "no", None: None}[marks.get(usage.instance)],
        "tokens": usage.tokens,
        "start": usage.start,
        "end": usage.end,
    }


def _marks(found: list[Neighbour]) -> dict[str, tuple[str, str]]:
    """A letter and a colour for each sense, in the order of the usages."""
    senses = dict.fromkeys(usage.sense for usage in found)
    return {
        sense: (string.ascii_lowercase[i % 26], _COLOURS[i % len(_COLOURS)]) for i, sense in enumerate(senses)
    }


def _show_lines(found: list[Neighbour], verdicts: Mapping[str, bool]) -> None:
    from rich.text import Text

    screen, marks = console(), _marks(found)
    digits, annotated = len(str(len(found))), any(usage.sense for usage in found)
    for number, usage in enumerate(found, 1):
        sign = {True: "+", False: "-", None: " "}[verdicts.get(usage.instance)]
        letter, colour = marks[usage.sense]
        head = Text(f"{number:>{digits}}{sign} {usage.similarity:.3f}  ", style="dim")
        if annotated:
            head.append(f"{letter}  ", style=f"not dim {colour}")
        else:  # where it was found is all there is to know about it
            head.append(f"{usage.source[-_SOURCE:]:<{_SOURCE}}  ")
        line = _line(usage, colour, screen.width - len(head))
        screen.print(head.append_text(line), no_wrap=True, overflow="crop")


def _show_senses(found: list[Neighbour], gloss: Callable[[str], str]) -> None:
    from rich.text import Text

    screen, marks = console(), _marks(found)
    screen.print()
    for sense, (letter, colour) in marks.items() if set(marks) != {""} else ():
        screen.print(
            Text.assemble((f"{letter}  ", colour), (sense or "not annotated", "bold"), "  ", gloss(sense))
        )


def _line(usage: Neighbour, colour: str, width: int) -> Text:
    """The word in the middle of ``width`` columns, as much of its sentence on each side as there is room."""
    from rich.text import Text

    from uncommonsense.corpora.tokenize import join_around

    left, target, right = join_around(usage.tokens, usage.start, usage.end)
    side = max(10, (width - len(target) - 3) // 2)
    left = left if len(left) <= side else "…" + left[-(side - 1) :]
    right = right if len(right) <= side else right[: side - 1] + "…"
    line = Text(left.rjust(side) + " ", style="not dim")
    line.append(target, style=f"not dim bold {colour}")
    return line.append(right, style="not dim")
