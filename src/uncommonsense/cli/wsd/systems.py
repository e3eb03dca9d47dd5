"""``uncommonsense wsd systems``: what there is to choose from."""

from __future__ import annotations

from typing import TYPE_CHECKING

from uncommonsense.cli.output import emit
from uncommonsense.cli.wsd.score import AsJson

if TYPE_CHECKING:
    from uncommonsense.wsd.registry import SystemInfo

__all__ = ["systems"]


def systems(*, as_json: AsJson = False) -> None:
    """List the systems: what they do, whether they have to be fitted, their options.

    Examples:
      uncommonsense wsd systems

      uncommonsense wsd systems --json
    """
    from uncommonsense.wsd.registry import SYSTEMS, describe

    known = [describe(name) for name in SYSTEMS]
    if as_json:
        emit([each._asdict() for each in known], as_json=True)
        return
    rows = [
        {
            "system": each.name,
            "needs": _needs(each),
            "options": " ".join(f"{key}={value}" for key, value in each.options.items()),
            "description": each.description,
        }
        for each in known
    ]
    emit(rows, as_json=False)


def _needs(system: SystemInfo) -> str:
    if not system.learns:
        return "nothing"
    return "wsd fit, or --train" if system.quick_to_fit else "wsd fit"
