"""``uncommonsense fews human``: ask people for word senses, compare them with each other and with systems."""

from __future__ import annotations

from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Annotated, Any

import typer

from uncommonsense.cli.output import console, emit, is_terminal, note

if TYPE_CHECKING:
    from uncommonsense.fews.human import Answers, Item, Score, Sheet

__all__ = ["app"]

app = typer.Typer(
    name="human",
    help="Human evaluation: draw a sheet of examples, answer it in the terminal, score answers and systems.",
    no_args_is_help=True,
    rich_markup_mode="rich",
)

SheetFile = Annotated[Path, typer.Argument(metavar="SHEET", help="A file that 'fews human sample' wrote.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]

_HELP = """\
Which definition fits the word in [brackets]? If several words are in brackets, they have the same sense.
  1, 2, ...  the definition of that number    s  skip; the next session asks again
  Enter      keep the answer already given    b  back to the item before
  ?          this help                        q  quit; the same command goes on from here"""


@app.command(
    epilog="Examples: [bold]uncommonsense fews human sample fews --out sheet.jsonl[/bold]; "
    "[bold]uncommonsense fews human sample fews --out pilot.jsonl --number 20 --seed 7[/bold]"
)
def sample(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="A FEWS folder.")],
    out: Annotated[Path, typer.Option("--out", "-o", metavar="SHEET", help="The sheet to write, .jsonl.")],
    split: Annotated[str, typer.Option(help="dev or test.")] = "dev",
    number: Annotated[int, typer.Option("--number", "-n", min=2, help="How many examples.")] = 300,
    seed: Annotated[int, typer.Option(help="Another seed draws other examples.")] = 0,
    annotators: Annotated[int, typer.Option(min=1, help="How many people are to answer all of it.")] = 3,
    *,
    force: Annotated[bool, typer.Option("--force", help="Replace SHEET if it exists.")] = False,
    as_json: AsJson = False,
) -> None:
    """Draw examples, half few-shot, half zero-shot; the gold answers go to a file of their own."""
    from uncommonsense.fews import human

    sheet, keys = human.sample(folder, split=split, number=number, seed=seed, annotators=annotators)
    gold = human.write_sheet(out, sheet, keys, overwrite=force)
    written = {"sheet": str(out), "gold": str(gold), "items": len(sheet), "fingerprint": sheet.fingerprint}
    emit(written, as_json=as_json)
    note(f"give annotators {out}, and keep {gold} to yourself")


@app.command(
    epilog="Examples: [bold]uncommonsense fews human answer sheet.jsonl --annotator anna[/bold]; "
    "[bold]uncommonsense fews human answer sheet.jsonl --annotator ben --out answers/ben.jsonl[/bold]"
)
def answer(
    file: SheetFile,
    annotator: Annotated[str, typer.Option("--annotator", "-a", metavar="NAME", help="Who answers.")],
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="The answers; default: SHEET.NAME.jsonl.")
    ] = None,
) -> None:
    """Answer a sheet in the terminal; each answer is saved, and the same command goes on from there."""
    from uncommonsense.fews import human

    sheet = human.read_sheet(file)
    target = out or human.answer_file(file, annotator)
    answers = human.open_answers(target, sheet, annotator=annotator)
    if answers.remaining(sheet):
        note(f"{sheet.header.get('attribution', '')}. {sheet.header.get('licence', '')}".strip(". "))
        console().print(_HELP, markup=False)
        _converse(sheet, answers, target)
    skipped = f", {len(answers.skipped)} of them skipped" if answers.skipped else ""
    saved = f"; saved in {target}" if answers.by_item else ""
    note(f"{len(answers.by_item)} of {len(sheet)} items done{skipped}{saved}")


@app.command(
    epilog="Examples: [bold]uncommonsense fews human score sheet.jsonl sheet.anna.jsonl[/bold]; "
    "[bold]uncommonsense fews human score sheet.jsonl sheet.*.jsonl --system lesk=lesk.key.txt --json[/bold]"
)
def score(
    file: SheetFile,
    answers: Annotated[list[Path], typer.Argument(metavar="ANSWERS", help="A file of each annotator.")],
    system: Annotated[
        list[str] | None,
        typer.Option(
            "--system", "-s", metavar="NAME=FILE", help="Predictions, 'id sense' or JSON lines; repeatable."
        ),
    ] = None,
    gold: Annotated[
        Path | None, typer.Option(help="The gold answers; default: SHEET.gold.jsonl beside the sheet.")
    ] = None,
    resamples: Annotated[int, typer.Option(min=1, help="Of the bootstrap over items.")] = 1000,
    seed: Annotated[int, typer.Option(help="Of intervals and tests.")] = 0,
    *,
    as_json: AsJson = False,
) -> None:
    """Score annotators and systems on a sheet, and measure how far the annotators agree."""
    from uncommonsense.fews import human

    sheet = human.read_sheet(file)
    gold = gold or human.gold_file(file)
    keys = human.read_gold(gold, sheet)
    given = [human.read_answers(each, sheet) for each in answers if each != gold]  # SHEET.*.jsonl has it
    predicted = {
        name: human.read_predictions(path, sheet, keys) for name, path in _systems(system or []).items()
    }
    rows = human.score(sheet, keys, given, systems=predicted, resamples=resamples, seed=seed)
    if as_json:
        emit(_plain(sheet, given, rows, seed), as_json=True)
    elif is_terminal():
        _show_scores(rows)
    else:
        emit([row._asdict() for row in (*rows, *human.published())], as_json=False)
    _warn(sheet, given, rows)


# Asking


def _converse(sheet: Sheet, answers: Answers, file: Path) -> None:
    """Ask item by item; what was answered before comes first, so that one can go back to it."""
    from uncommonsense.fews import human

    order = [*answers.answered, *answers.remaining(sheet)]
    place = len(answers.answered)
    while place < len(order):
        item = sheet[order[place]]
        before = answers.by_item.get(item.item)
        _show(item, f"{place + 1} of {len(order)}", before and before.sense)
        shown = monotonic()
        reply = _ask(len(item.candidates), may_keep=before is not None)
        if reply == "q":
            return
        if reply == "b":
            place = max(0, place - 1)
            continue
        place += 1
        if reply:
            sense = None if reply == "s" else item.senses[int(reply) - 1]
            answers.by_item[item.item] = human.record(
                file, sheet, item.item, sense, annotator=answers.annotator, seconds=monotonic() - shown
            )


def _ask(choices: int, *, may_keep: bool) -> str:
    """A number, ``s``, ``b``, ``q``, or nothing where an answer may be kept; the input's end is ``q``."""
    while True:
        try:
            reply = console().input(f"1-{choices}, s, b, q or ? > ", markup=False).strip().lower()
        except EOFError:
            return "q"
        if reply in ("s", "b", "q") or (may_keep and not reply):
            return reply
        if reply.isdecimal() and 1 <= int(reply) <= choices:
            return reply
        if reply == "?":
            console().print(_HELP, markup=False)
        else:
            note(f"{reply!r} is no answer; type a number from 1 to {choices}, s, b, q, or ? for help")


def _show(item: Item, progress: str, before: str | None) -> None:
    """The progress, the sentence with its targets in brackets, the definitions."""
    from rich.text import Text

    screen = console()
    line = Text()
    for number, piece in enumerate(map(_printable, item.pieces)):
        line.append(f"[{piece}]" if number % 2 else piece, style="bold cyan" if number % 2 else "")
    screen.print()
    screen.print(Text(f"{progress}: {_printable(item.word)}, {item.pos}", style="dim"))
    screen.print(line)
    for number, candidate in enumerate(item.candidates, 1):
        chosen = "  (your answer)" if candidate.sense == before else ""
        screen.print(
            Text.assemble((f"{number:>3}  ", "bold"), _printable(candidate.gloss), (chosen, "green"))
        )


def _printable(text: str) -> str:
    """Without what would move the cursor or colour the screen."""
    return "".join(character if character.isprintable() else " " for character in text)


# Scoring


def _systems(options: list[str]) -> dict[str, Path]:
    from uncommonsense.errors import UserError

    found: dict[str, Path] = {}
    for option in options:
        name, sign, path = option.partition("=")
        if not (name and sign and path):
            raise UserError(f"--system {option}: expected NAME=FILE, such as lesk=lesk.key.txt")
        if name in found:
            raise UserError(f"--system {option}: there is a system {name!r} already")
        found[name] = Path(path)
    return found


def _plain(sheet: Sheet, answers: list[Answers], rows: list[Score], seed: int) -> dict[str, Any]:
    from uncommonsense.fews import human

    people = [
        {
            "annotator": each.annotator,
            "answered": len(each.answered),
            "skipped": len(each.skipped),
            "median_seconds": each.median_seconds,
        }
        for each in answers
    ]
    return {
        "sheet": {"fingerprint": sheet.fingerprint, "items": len(sheet)} | dict(sheet.header),
        "annotators": people,
        "seed": seed,
        "scores": [row._asdict() for row in rows],
        "published": [row._asdict() for row in human.published()],
    }


def _show_scores(rows: list[Score]) -> None:
    """A row per annotator and system with a column per slice, the paper's below; then the agreement."""
    from uncommonsense.fews import human

    everything = [*rows, *human.published()]
    slices = [*human.SHOTS, "all"]
    names = dict.fromkeys((row.kind, row.name) for row in everything if row.metric == "accuracy")
    cells = {(row.kind, row.name, row.slice): _percent(row) for row in everything if row.metric == "accuracy"}
    table: list[dict[str, Any]] = [
        {"kind": kind, "name": name} | {each: cells.get((kind, name, each)) for each in slices}
        for kind, name in names
    ]
    emit(table, as_json=False, title="accuracy (%)")
    agreement = [
        {
            "measure": row.metric,
            "labels": row.slice,
            "annotators": row.name,
            "value": f"{row.value:.3f}",
            "interval": "" if row.low != row.low else f"{row.low:.3f} to {row.high:.3f}",
        }
        for row in everything
        if row.metric != "accuracy"
    ]
    console().print()
    emit(agreement, as_json=False, title="agreement")
    note("intervals: 95%, bootstrap over items; differences: the system minus the annotators' mean")


def _percent(row: Score) -> str:
    text = f"{100 * row.value:.2f}"
    if row.low == row.low:
        text += f" ±{50 * (row.high - row.low):.1f}"
    if row.p != row.p:
        return text
    return f"{text} p={row.p:.3f}" if row.p >= 0.001 else f"{text} p<0.001"


def _warn(sheet: Sheet, answers: list[Answers], rows: list[Score]) -> None:
    """Say who is missing, and what counts as wrong for want of an answer."""
    from uncommonsense.fews.wording import counted

    expected = sheet.header.get("annotators", len(answers))
    if len(answers) != expected:
        note(f"{counted(len(answers), 'annotator')}, the sheet was made for {expected}")
    for row in rows:
        missing = row.n - row.answered if row.answered is not None else 0
        if row.kind in ("annotator", "system") and row.slice == "all" and missing:
            verb = "counts" if missing == 1 else "count"
            note(f"{row.name}: {missing} of {counted(row.n, 'item')} without an answer {verb} as wrong")
