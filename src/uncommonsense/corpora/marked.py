"""Running text in which the targets are marked."""

from __future__ import annotations

from collections.abc import Sequence

from uncommonsense.corpora.tokenize import tokenize

__all__ = ["tokenize_marked"]


def tokenize_marked(pieces: Sequence[str]) -> tuple[tuple[str, ...], list[tuple[int, int]]]:
    """Tokenise text given as ``[before, target, between, target, ..., after]``.

    Returns all tokens and the token span of each target; where a target begins or ends, a token does too.
    """
    tokens: list[str] = []
    spans = []
    for number, piece in enumerate(pieces):
        start = len(tokens)
        tokens.extend(token for token, _, _ in tokenize(piece))
        if number % 2:
            spans.append((start, len(tokens)))
    return tuple(tokens), spans
