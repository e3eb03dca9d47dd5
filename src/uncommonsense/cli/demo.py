"""``uncommonsense demo``: a first real result."""

from __future__ import annotations

from typing import Annotated

import typer

from uncommonsense.cli.output import console, note, progress

__all__ = ["demo"]

_SENTENCE = "She was [on] antibiotics for a week."


def demo(
    sentence: Annotated[str, typer.Argument(help="A sentence with a word of the sampler in [brackets].")] = _SENTENCE,
) -> None:
    """Fetch what is needed, find usages like the one given, and score the default model on rare senses.

    Example: uncommonsense demo "The [mouse] would not click."
    """
    from uncommonsense import resources
    from uncommonsense.cli.like import search, show_usages
    from uncommonsense.cli.rank import rank
    from uncommonsense.rank.example import parse_example

    example = parse_example(sentence)
    for name in ("wordnet", "minilm"):
        note(f"{name}: {resources.get(name, progress=progress)}")
    screen = console()
    screen.print(f"\n[bold]Usages like[/] {' '.join(example.tokens[: example.start])} "
                 f"[bold reverse] {example.target} [/] {' '.join(example.tokens[example.end :])}\n")
    show_usages(search([example], corpus="sampler", model="minilm", lemma=None, top=10))
    screen.print("\n[bold]How well does the model know rare senses?[/]\n")
    rank("sampler", top=10, frequency_edges="10")
