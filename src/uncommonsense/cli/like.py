"""``uncommonsense like``: usages of a word like the one in a sentence."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from uncommonsense.cli.output import console, emit, is_terminal, note, progress

if TYPE_CHECKING:
    from rich.text import Text

    from uncommonsense.rank.example import Example, Neighbour

__all__ = ["like", "show_usages"]

_COLOURS = ("green", "yellow", "cyan", "magenta", "blue", "red")


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
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    r"""Search a corpus by example: the usages of a word that are most like the one you give.

    Examples:
      uncommonsense like "She was \[on] antibiotics for a week."

      uncommonsense like "The mouse ate the other mouse." --target mouse --occurrence 2 --top 5

      uncommonsense like "They \[drew] the curtains." "He \[drew] the blinds." --corpus semcor --json
    """
    from uncommonsense.rank.example import parse_example

    examples = [parse_example(text, target=target, occurrence=occurrence) for text in sentences]
    found = search(examples, corpus=corpus, model=model, layers=layers, lemma=lemma, top=top)
    show_usages(found, as_json=as_json)


def search(
    examples: list[Example], *, corpus: str, model: str, layers: str = "last", lemma: str | None, top: int
) -> list[Neighbour]:
    """The nearest usages in a corpus, whose vectors are computed once and kept."""
    from uncommonsense.cli.rank import one_vector
    from uncommonsense.corpora import load_corpus
    from uncommonsense.encode import Encoder, encode_corpus
    from uncommonsense.rank.example import nearest, resolve_lemmas

    text = load_corpus(corpus)
    lemmas = resolve_lemmas(text, examples, lemma)
    encoder = Encoder(model, layers=one_vector(layers))
    vectors = encode_corpus(encoder, text, progress=progress)
    return nearest(encoder, examples, text, vectors.matrix, lemmas=lemmas, top=top)


def show_usages(found: list[Neighbour], *, as_json: bool = False, for_eyes: bool = False) -> None:
    """Keyword-in-context lines, each sense in a colour of its own, and what the senses mean."""
    from rich.text import Text

    from uncommonsense.inventories.glosses import gloss_finder

    gloss = gloss_finder()
    if as_json or not (for_eyes or is_terminal()):
        columns = ["similarity", "sense", "gloss", "source", "instance", "left", "target", "right"]
        emit([_row(usage, gloss(usage.sense)) for usage in found], as_json=as_json, columns=columns)
        return
    colours = {
        sense: _COLOURS[i % len(_COLOURS)] for i, sense in enumerate(dict.fromkeys(u.sense for u in found))
    }
    screen = console()
    for usage in found:
        screen.print(_line(usage, colours[usage.sense], screen.width), no_wrap=True, overflow="crop")
    screen.print()
    for sense, colour in colours.items():
        screen.print(Text.assemble(("■ ", colour), (sense or "not annotated", "bold"), "  ", gloss(sense)))
    note("similarity is the cosine of the words' vectors in their sentences")


def _row(usage: Neighbour, gloss: str) -> dict[str, Any]:
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


def _line(usage: Neighbour, colour: str, width: int) -> Text:
    from rich.text import Text

    from uncommonsense.corpora.tokenize import join_around

    left, target, right = join_around(usage.tokens, usage.start, usage.end)
    side = max(10, (width - len(target) - 10) // 2)
    left = left if len(left) <= side else "…" + left[-(side - 1) :]
    right = right if len(right) <= side else right[: side - 1] + "…"
    line = Text(f"{usage.similarity:.3f}  ", style="dim")
    line.append(left.rjust(side) + " ", style="not dim")
    line.append(target, style=f"not dim bold {colour}")
    line.append(right, style="not dim")
    return line
