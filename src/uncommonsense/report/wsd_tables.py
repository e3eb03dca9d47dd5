"""Tables 3, 5, 6 and 7 of the FEWS paper: our scores, and the published ones below them."""

from __future__ import annotations

import csv
import io
import json
import math
import tomllib
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from uncommonsense.errors import MalformedInputError, UserError
from uncommonsense.report.tables import Row, Table

__all__ = ["WsdScores", "read_scores", "wsd_csv", "wsd_tables"]


class WsdScores(NamedTuple):
    """What ``wsd evaluate --json`` or ``wsd score --json`` printed."""

    corpus: str
    train: str
    """What systems were counted on, and slices are relative to."""
    scores: dict[tuple[str, str, str], dict[str, Any]]
    """System, slice, metric -> a row of ``SCORE_SCHEMA``."""

    @property
    def systems(self) -> list[str]:
        """Every system once, in order."""
        return list(dict.fromkeys(system for system, _, _ in self.scores))


@cache
def _published() -> dict[str, Any]:
    return tomllib.loads(Path(__file__).with_name("wsd_published.toml").read_text(encoding="utf-8"))


def read_scores(path: Path) -> WsdScores:
    """Read scores that were saved as JSON."""
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        rows = {(row["system"], row["slice"], row["metric"]): row for row in content["scores"]}
        return WsdScores(content["corpus"], content.get("train") or "", rows)
    except FileNotFoundError as error:
        raise UserError(f"{path}: no such file") from error
    except json.JSONDecodeError as error:
        raise MalformedInputError(path, error.lineno, f"not JSON: {error.msg}") from error
    except (KeyError, TypeError, AttributeError, UnicodeDecodeError) as error:
        raise MalformedInputError(
            path, None, "these are not scores; save them with: uncommonsense wsd evaluate ... --json"
        ) from error


def wsd_tables(runs: Sequence[WsdScores]) -> list[Table]:
    """The paper's tables for which a run has a slice that is theirs alone (``all`` is not)."""
    found = [_table(key, runs) for key in _published() if key != "citation"]
    tables = [table for table in found if table]
    if not tables:
        raise UserError(
            "none of the slices of Tables 3, 5, 6 and 7 is among these scores: they are the data sets of the "
            "WSD Evaluation Framework, the splits of FEWS, and what --slices adds"
        )
    return tables


def wsd_csv(runs: Sequence[WsdScores]) -> str:
    """One row per number, in per cent."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(("table", "system", "slice", "metric", "value", "low", "high", "n", "source"))
    for table in wsd_tables(runs):
        writer.writerows(_numbers(table.key, runs))
    return out.getvalue()


def _table(key: str, runs: Sequence[WsdScores]) -> Table | None:
    about = _published()[key]
    rows = [
        Row(
            _label(system, run, runs),
            tuple(_cell(run, system, name, about["metric"]) for name in about["columns"]),
        )
        for run in _fitting(key, runs)
        for system in run.systems
    ]
    if not rows:
        return None
    rows += [
        Row(
            each["system"],
            tuple(f"{v:.{_digits(about)}f}" if v != "" else "" for v in each["values"]),
            "published",
        )
        for each in about["rows"]
    ]
    sources = "; ".join(dict.fromkeys(each["source"] for each in about["rows"]))
    notes = (
        "Scores in %. ±: half of a 95% interval.",
        *about["notes"],
        f"Published: {sources}.",
        _published()["citation"],
    )
    return Table(key, about["title"], "system", tuple(about["heads"]), tuple(rows), notes)


def _fitting(key: str, runs: Sequence[WsdScores]) -> list[WsdScores]:
    """Runs with a slice that only this kind of table has."""
    about = _published()[key]
    telling = set(about["columns"]) - {"all", "nouns", "verbs", "adjectives", "adverbs"}
    extended = about.get("extended", False)
    return [
        run
        for run in runs
        if telling & {name for _, name, _ in run.scores} and (not extended or "train=ext" in run.train)
    ]


def _label(system: str, run: WsdScores, runs: Sequence[WsdScores]) -> str:
    """The system, with what tells its run from others that have a system of that name."""
    alike = [each for each in runs if system in each.systems]
    return f"{system}, {run.train or run.corpus}" if len(alike) > 1 else system


def _digits(about: dict[str, Any]) -> int:
    return 2 if about["corpus"] == "fews" else 1


def _cell(run: WsdScores, system: str, name: str, metric: str) -> str:
    row = run.scores.get((system, name, metric))
    if row is None or row["value"] is None:
        return ""
    if row["low"] is None or math.isnan(row["low"]):
        return f"{100 * row['value']:.1f}"
    return f"{100 * row['value']:.1f} ±{50 * (row['high'] - row['low']):.1f}"


def _numbers(key: str, runs: Sequence[WsdScores]) -> Iterator[tuple[Any, ...]]:
    about = _published()[key]
    for run in _fitting(key, runs):
        for (system, name, metric), row in run.scores.items():
            if metric == about["metric"] and name in about["columns"]:
                values = (_percent(row[part]) for part in ("value", "low", "high"))
                yield key, _label(system, run, runs), name, metric, *values, row["n"], "here"
    for each in about["rows"]:
        for name, value in zip(about["columns"], each["values"], strict=True):
            if value != "":
                yield key, each["system"], name, about["metric"], value, "", "", "", each["source"]


def _percent(value: float | None) -> str:
    return "" if value is None else f"{100 * value:.4f}"
