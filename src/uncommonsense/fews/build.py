"""From a dictionary to a FEWS folder: parse, number, select, split, write.

Parsed pages go to a work folder as they come (see ``work``). After that headwords are read from it one at a
time, three times: to draw the evaluation examples, to write the text files, to write the table of senses.
In memory are the keys of all headwords, and a number for each sense that has a quotation.
"""

from __future__ import annotations

import hashlib
import logging
import os
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any, NamedTuple

from uncommonsense import __version__
from uncommonsense.errors import UserError
from uncommonsense.fews.card import describe_licence, write_card
from uncommonsense.fews.digest import Tally
from uncommonsense.fews.numbering import Headword
from uncommonsense.fews.selection import Rules
from uncommonsense.fews.sources import END, Reading, Source, open_source
from uncommonsense.fews.splits import HeldOut, Lottery, Size, Sizes, fit_sizes
from uncommonsense.fews.tables import write_tables
from uncommonsense.fews.wording import counted
from uncommonsense.fews.work import WorkFolder, require_free
from uncommonsense.fews.writing import write_text

__all__ = ["build"]

Progress = Callable[[str, float | None, str], AbstractContextManager[Callable[[float], None]]]
Tell = Callable[[str], None]

_RULES = Rules()
_log = logging.getLogger(__name__)


def build(
    dump: str | Path,
    out: str | Path,
    *,
    seed: int = 0,
    dev: Size | None = None,
    test: Size | None = None,
    language: str = "English",
    edition: str = "en",
    all_parts: bool = False,
    rules: Rules = _RULES,
    source: str = "auto",
    workers: int | None = None,
    force: bool = False,
    progress: Progress | None = None,
    tell: Tell = _log.info,
    warn: Tell = _log.warning,
) -> dict[str, Any]:
    """Build a FEWS folder ``out`` from a Wiktionary dump or wiktextract's lines; return its ``build.json``.

    The same dump, options and seed give the same bytes, whatever ``workers`` is. What was parsed before an
    interruption is used again. ``force`` replaces an earlier build, or an unfinished one with other options.
    A damaged file gives what can be read of it; ``warn`` is told what is wrong, and the remarks say it too.
    """
    rules.check()
    path, place = Path(dump).expanduser(), Path(out).expanduser().resolve()
    require_free(place, force=force)
    reading = Reading(language, edition, all_parts, rules)
    found = open_source(path, source, reading)
    show = progress or _unseen
    about = {"sha256": _hash(path, show), "source": found.kind, **reading.options(), "version": __version__}
    with WorkFolder(place).opened(about, force=force) as work:
        _parse(work, found, workers or os.cpu_count() or 1, show, tell)
        plan = _plan(work, Lottery(seed), (dev, test), show, tell, warn)
        manifest = _describe(found, about, seed, plan)
        with work.publishing() as folder:
            _write(folder, work, plan, manifest, show)
    return manifest


class _Plan(NamedTuple):
    sizes: Sizes
    held_out: dict[str, HeldOut]
    remarks: list[str]
    tally: Tally
    counts: dict[str, int]


def _hash(path: Path, show: Progress) -> str:
    digest = hashlib.sha256()
    with path.open("rb") as stream, show(f"checking {path.name}", path.stat().st_size, "B") as advance:
        while block := stream.read(1 << 20):
            digest.update(block)
            advance(len(block))
    return digest.hexdigest()


def _parse(work: WorkFolder, source: Source, workers: int, show: Progress, tell: Tell) -> None:
    """Bring every page of the dump into a chunk."""
    done = set(work.chunks())
    if done:
        tell(f"going on with what is parsed already in {work.path}")
    if END in done:
        return
    with show(f"parsing {source.path.name}", source.path.stat().st_size, "B") as advance:
        for number, packed in source.chunks(workers=workers, skip=done, on_bytes=_steps(advance)):
            work.add(number, packed)


def _steps(advance: Callable[[float], None]) -> Callable[[int], None]:
    """Turn bytes from the beginning into bytes since the last time."""
    told = 0

    def on_bytes(place: int) -> None:
        nonlocal told
        if place > told:
            advance(place - told)
            told = place

    return on_bytes


def _plan(
    work: WorkFolder,
    lottery: Lottery,
    asked: tuple[Size | None, Size | None],
    show: Progress,
    tell: Tell,
    warn: Tell,
) -> _Plan:
    """Decide which quotations are held out."""
    tally = Tally()
    counts = _enter(work, lottery, tally, show)
    flaws = tally.flaws()
    for flaw in flaws:
        warn(flaw)
    if not lottery.quotations:
        work.discard()
        raise UserError(
            f"no quotation of a word with several senses was found in {counted(tally.pages, 'page')}; "
            "is the file of this edition (--edition), with pages on this language (--language)?"
        )
    sizes, remark = fit_sizes(lottery, *asked)
    if remark:
        tell(remark)
    return _Plan(sizes, lottery.draw(sizes), [*flaws, remark] if remark else flaws, tally, counts)


def _enter(work: WorkFolder, lottery: Lottery, tally: Tally, show: Progress) -> dict[str, int]:
    """Enter all senses for the draw; ``tally`` gets what was met. Returns how many there are of each kind."""
    counts = Counter[str]()
    with show("choosing", None, "words") as advance:
        for headword in _watched(work.headwords(tally), advance):
            kind = "monosemous" if headword.monosemous else "polysemous"
            counts[f"{kind}_headwords"] += 1
            for sense in headword.senses:
                counts[f"{kind}_senses"] += 1
                counts[f"{kind}_senses_with_examples"] += any(sense.examples)
                if not headword.monosemous:
                    lottery.enter(sense.id, [text for text, _ in sense.examples.quotations])
    return dict(counts)


def _describe(source: Source, about: dict[str, Any], seed: int, plan: _Plan) -> dict[str, Any]:
    """``build.json`` but for what is counted while writing."""
    options = {name: value for name, value in about.items() if name not in ("sha256", "version")}
    facts = {"file": source.path.name, "date": source.date, "latest_revision": plan.tally.latest}
    return {
        "uncommonsense": __version__,
        "dump": facts | {"bytes": source.path.stat().st_size, "sha256": about["sha256"]} | source.site,
        "options": {"seed": seed, **plan.sizes._asdict(), **options},
        "remarks": plan.remarks,
        "counts": plan.counts,
        "licence": describe_licence(plan.tally.latest[:10] or source.date, about["edition"]),
    }


def _write(folder: Path, work: WorkFolder, plan: _Plan, manifest: dict[str, Any], show: Progress) -> None:
    """Write every file of the folder, and complete the manifest."""
    tally = plan.tally
    total = sum(number for name, number in plan.counts.items() if name.endswith("_headwords"))
    with show("writing", 2 * total, "words") as advance:
        words = _watched(work.headwords(), advance)
        manifest["files"] = write_text(folder, words, plan.held_out, tally.dropped)
        manifest["tables"] = write_tables(folder, _watched(work.headwords(), advance))
    for name in ("dropped", "unknown", "warnings"):
        counts: Counter[str] = getattr(tally, name)
        manifest[name] = dict(sorted(counts.items(), key=lambda item: (-item[1], item[0])))
    write_card(folder, manifest)


def _watched(headwords: Iterator[Headword], advance: Callable[[float], None]) -> Iterator[Headword]:
    for headword in headwords:
        yield headword
        advance(1)


def _unseen(
    _description: str, _total: float | None, _unit: str
) -> AbstractContextManager[Callable[[float], None]]:
    return nullcontext(lambda _: None)
