"""Grid files: the systems of an experiment, written down.

    model = ["minilm", "inoculated/minilm/size-*/seed-*/model"]
    layers = ["last", "mean:4-6"]

    [[also]]
    model = "smollm2"
    layers = "all"
    metric = ["cosine", "euclidean"]

Every table stands for all combinations of its values; ``[[also]]`` adds more of them. A model is what it is
on the command line; with ``*`` it stands for all folders that match.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any, get_args

from uncommonsense.errors import MalformedInputError, UserError
from uncommonsense.experiments.ranking import Cell
from uncommonsense.rank.neighbours import Metric

__all__ = ["read_grid"]

_POOLS = ("mean", "first", "last")
_LEGAL = {"pool": _POOLS, "metric": get_args(Metric)}


def read_grid(file: Path) -> list[Cell]:
    """The cells of a grid file, each once, in its order."""
    try:
        content = tomllib.loads(file.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise UserError(f"{file}: no such grid file") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise MalformedInputError(file, None, f"not TOML: {error}") from None
    also = content.pop("also", [])
    if not isinstance(also, list) or not all(isinstance(each, dict) for each in also):
        raise MalformedInputError(file, None, "'also' must be a table: write [[also]]")
    cells = [cell for table in [content, *also] if table for cell in _cells(file, table)]
    if not cells:
        raise MalformedInputError(file, None, 'no model; write model = ["minilm", ...]')
    return list(dict.fromkeys(cells))


def _cells(file: Path, table: dict[str, Any]) -> Iterator[Cell]:
    if "model" not in table:
        raise MalformedInputError(file, None, f"a table without 'model': {table}")
    values = {name: _values(file, name, value) for name, value in table.items()}
    values["model"] = [model for pattern in values["model"] for model in _models(file, pattern)]
    for combination in product(*values.values()):
        yield Cell(**dict(zip(values, combination, strict=True)))


def _values(file: Path, name: str, value: Any) -> list[Any]:
    if name not in Cell._fields:
        known = ", ".join(Cell._fields)
        raise MalformedInputError(file, None, f"{name!r} is unknown; expected {known} or also")
    values = value if isinstance(value, list) else [value]
    if name == "layers":
        values = [str(each) if isinstance(each, int) else each for each in values]
    for each in values:
        if not isinstance(each, str) or each not in _LEGAL.get(name, (each,)):
            expected = " or ".join(_LEGAL.get(name, ("a text",)))
            raise MalformedInputError(file, None, f"{name} = {each!r}; expected {expected}")
    return values


def _models(file: Path, pattern: str) -> list[str]:
    if "*" not in pattern:
        return [pattern]
    path = Path(pattern)
    start = Path(path.anchor)
    found = sorted(str(folder) for folder in start.glob(str(path.relative_to(start))) if folder.is_dir())
    if not found:
        raise MalformedInputError(file, None, f"no folder matches the model {pattern!r}")
    return found
