"""``uncommonsense demo``: a first real result."""

from __future__ import annotations

from typing import Annotated

import typer

from uncommonsense.cli.output import console, note, progress

__all__ = ["demo"]

_SENTENCE = "She was [on] antibiotics for a week."


def demo(
    sentence: Annotated[
        str, typer.Argument(help="A sentence with a word of the sampler in \\[brackets].")
    ] = _SENTENCE,
) -> None:
    r"""Fetch what is needed, find usages like the one given, and score the default model on rare senses.

    Example: uncommonsense demo "The \[mouse] would not click."
    """
    from dataclasses import replace

    from uncommonsense import resources
    from uncommonsense.cli.like import search, show_usages
    from uncommonsense.cli.rank import score, show_scores
    from uncommonsense.corpora import load_corpus
    from uncommonsense.experiments.ranking import Cell
    from uncommonsense.rank import PROTOCOLS, parse_example

    example = parse_example(sentence)
    for name in ("wordnet", "minilm"):
        note(f"{name}: {resources.get(name, progress=progress)}")
    screen = console()
    screen.print(f"\nUsages like: {sentence}\n", markup=False, style="bold")
    show_usages(search([example], corpus="sampler", model="minilm", lemma=None, top=10), for_eyes=True)
    screen.print("\nHow well does the model know rare senses?\n", style="bold")
    rules = replace(PROTOCOLS["published"], frequency_edges=(10,))
    show_scores(score(load_corpus("sampler"), [Cell("minilm")], rules, top=10), for_eyes=True)
    screen.print(
        "\nNext: uncommonsense like --help, uncommonsense rank --help, uncommonsense senses bank", style="dim"
    )
