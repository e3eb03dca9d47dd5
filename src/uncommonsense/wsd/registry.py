"""Disambiguation systems by name; the code of one is imported when it is asked for."""

from __future__ import annotations

from collections.abc import Iterable
from importlib import import_module
from inspect import Parameter, getdoc, signature
from pathlib import Path
from typing import Any, NamedTuple, cast

from uncommonsense.errors import UnknownNameError, UserError
from uncommonsense.inventories.protocol import Inventory
from uncommonsense.wsd.saved import read_about
from uncommonsense.wsd.system import System

__all__ = [
    "SYSTEMS",
    "SystemInfo",
    "describe",
    "load_system",
    "make_system",
    "options_of",
    "parse_options",
    "system_class",
]

SYSTEMS: dict[str, str] = {
    "first-sense": "uncommonsense.wsd.first_sense:FirstSense",
    "mfs": "uncommonsense.wsd.most_frequent:MostFrequentSense",
    "lesk": "uncommonsense.wsd.lesk:Lesk",
    "lesk-examples": "uncommonsense.wsd.lesk:LeskExamples",
    "lesk-extended": "uncommonsense.wsd.lesk:LeskExtended",
    "lesk-vectors": "uncommonsense.wsd.lesk_vectors:LeskVectors",
    "knn": "uncommonsense.wsd.neighbours:Neighbours",
    "centroid": "uncommonsense.wsd.neighbours:Centroids",
    "probe": "uncommonsense.wsd.probe:Probe",
    "biencoder": "uncommonsense.wsd.biencoder:BiEncoder",
    "scorer": "uncommonsense.wsd.scorer:SenseScorer",
}
"""Name -> ``module:Class``, a subclass of :class:`System` of that name."""

_TRUTH = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}


class SystemInfo(NamedTuple):
    """What a system is and needs."""

    name: str
    description: str
    """The first line of its docstring."""
    learns: bool
    """Whether it has to be fitted before it answers."""
    quick_to_fit: bool
    """Whether an evaluation may fit it, given a training corpus: it only counts (``Class.quick_to_fit``)."""
    options: dict[str, Any]
    """Options that can be written as text, and their defaults."""


def system_class(name: str) -> type[System]:
    """The class of a system."""
    if name not in SYSTEMS:
        raise UnknownNameError("system", name, SYSTEMS)
    module, _, attribute = SYSTEMS[name].partition(":")
    return cast("type[System]", getattr(import_module(module), attribute))


def make_system(name: str, inventory: Inventory, **options: Any) -> System:
    """A new system, not yet fitted."""
    for option in options:
        _require_known(name, option, _keywords(name))
    return system_class(name)(inventory, **options)


def load_system(folder: Path, inventory: Inventory) -> System:
    """A system that was fitted and saved; ``system.json`` in its folder says which one it is."""
    return system_class(read_about(folder)["system"]).load(folder, inventory)


def describe(name: str) -> SystemInfo:
    """What a system is and needs."""
    made = system_class(name)
    description = (getdoc(made) or "").partition("\n")[0]
    quick = bool(getattr(made, "quick_to_fit", False))
    return SystemInfo(name, description, made.fit is not System.fit, quick, options_of(name))


def options_of(name: str) -> dict[str, Any]:
    """The options of a system that can be written as text, and their defaults."""
    return {
        key: default for key, default in _keywords(name).items() if isinstance(default, str | int | float)
    }


def _keywords(name: str) -> dict[str, Any]:
    """All keyword arguments of a system; some take objects."""
    parameters = signature(system_class(name)).parameters.values()
    return {each.name: each.default for each in parameters if each.kind is Parameter.KEYWORD_ONLY}


def parse_options(name: str, texts: Iterable[str]) -> dict[str, Any]:
    """Options written ``key=value``; a value has the type of the option's default."""
    legal = options_of(name)
    found: dict[str, Any] = {}
    for text in texts:
        key, equals, value = text.partition("=")
        if not equals:
            raise UserError(f"{text!r} is not an option; expected key=value")
        _require_known(name, key, legal)
        found[key] = _typed(key, value, legal[key])
    return found


def _require_known(name: str, option: str, legal: dict[str, Any]) -> None:
    if option not in legal:
        hint = "" if legal else "It takes none."
        raise UnknownNameError(f"option of {name}:", option, legal, hint=hint)


def _typed(key: str, value: str, default: Any) -> Any:
    if isinstance(default, bool):
        if value.lower() not in _TRUTH:
            raise UserError(f"{key} is true or false, not {value!r}")
        return _TRUTH[value.lower()]
    if isinstance(default, int | float):
        try:
            return type(default)(value)
        except ValueError:
            kind = "whole number" if isinstance(default, int) else "number"
            raise UserError(f"{key} is a {kind}, not {value!r}") from None
    return value
