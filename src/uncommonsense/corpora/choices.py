"""Values of reader options, which arrive as text: ``corpus:PATH?option=value``."""

from __future__ import annotations

from collections.abc import Iterable

from uncommonsense.errors import UnknownNameError

__all__ = ["is_yes", "pick"]


def pick(option: str, value: str, legal: Iterable[str]) -> str:
    """``value`` if it is among the ``legal`` ones."""
    known = tuple(legal)
    if value not in known:
        raise UnknownNameError(f"value of the option {option!r}:", value, known)
    return value


def is_yes(option: str, value: str | bool) -> bool:
    """The truth of ``yes`` or ``no``."""
    if isinstance(value, bool):
        return value
    return pick(option, value.lower(), ("yes", "no")) == "yes"
