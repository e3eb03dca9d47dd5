"""Numbers with their nouns, as messages have them."""

from __future__ import annotations

__all__ = ["counted"]


def counted(number: int, noun: str) -> str:
    """``1 sense``, ``1,200 senses``."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
