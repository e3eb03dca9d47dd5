"""``uncommonsense disambiguate``: raw text in, word senses out."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from typing import IO, TYPE_CHECKING, Annotated

import typer

from uncommonsense.cli.output import note, progress

if TYPE_CHECKING:
    from uncommonsense.text.sentences import Lines
    from uncommonsense.wsd.disambiguator import Disambiguator, TaggedSentence

__all__ = ["disambiguate"]

_SUFFIXES = {
    ".txt": "text",
    ".json": "json",
    ".jsonl": "jsonl",
    ".tsv": "tsv",
    ".conllu": "conllu",
    ".html": "html",
    ".htm": "html",
}
_LIKE_A_FILE = re.compile(r"\S*[/\\]\S*|\S+\.(?:txt|text|md|gz|bz2|xz)", re.IGNORECASE)


def disambiguate(
    text: Annotated[
        str,
        typer.Argument(metavar="TEXT|FILE|-", help="The text itself, a UTF-8 file, or - for standard input."),
    ],
    system: Annotated[
        str, typer.Option("--system", "-s", help="The name of a system, or the folder of a fitted one.")
    ] = "default",
    inventory: Annotated[
        str, typer.Option(help="Where the senses are from, for a system by name.")
    ] = "wordnet",
    form: Annotated[
        str | None,
        typer.Option(
            "--format", "-f", help="text, json, jsonl, tsv, conllu or html; else as --out ends, or text."
        ),
    ] = None,
    top: Annotated[int, typer.Option("--top", "-n", min=1, help="How many senses of each word.")] = 1,
    pos: Annotated[
        str, typer.Option(help="Only words of these parts of speech, letters of nvar, such as nv.")
    ] = "nvar",
    min_probability: Annotated[
        float, typer.Option(min=0, max=1, help="Leave out senses that are less probable.")
    ] = 0.0,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", metavar="FILE", help="Write to this file.")
    ] = None,
) -> None:
    """Say what the words of a text mean: find its sentences, words and lemmas, and choose a sense for each.

    Examples:
      uncommonsense disambiguate "He sat on the bank."

      uncommonsense disambiguate letter.txt --out letter.html --top 3

      cat *.txt | uncommonsense disambiguate - --format jsonl --pos n
    """
    from uncommonsense.wsd import default
    from uncommonsense.wsd.disambiguator import Disambiguator
    from uncommonsense.wsd.render import FORMATS, render

    chosen = form or (_SUFFIXES.get(out.suffix.lower(), "text") if out else "text")
    _require_known(chosen, FORMATS)
    with _open(text) as (stream, name):
        made = Disambiguator(system, inventory=inventory, top=top, pos=pos, min_probability=min_probability)
        counts = {"sentences": 0, "words": 0, "senses": 0}
        sentences = _counted(_tagged(made, stream, name), counts)
        _write(render(sentences, chosen), out)
    summary = ", ".join(f"{number:,} {what}" for what, number in counts.items())
    note(f"{summary}; system {made.system.name}, inventory {made.inventory.name}")
    if system == default.NAME and inventory == "wordnet" and not default.is_built():
        note(
            f"The default system is not built here: every word has its first sense. Build it: {default.BUILD}"
        )


def _require_known(form: str, legal: Iterable[str]) -> None:
    from uncommonsense.errors import UnknownNameError

    if form not in legal:
        raise UnknownNameError("format", form, legal)


@contextmanager
def _open(text: str) -> Iterator[tuple[Lines, str]]:
    """The bytes of what was asked for, and what messages call it."""
    from uncommonsense.corpora.textfile import open_bytes
    from uncommonsense.errors import UserError

    if text == "-":
        yield sys.stdin.buffer, "standard input"
        return
    path = Path(text) if len(text) < 4096 and "\0" not in text and "\n" not in text else None
    if path is not None and _exists(path):
        with (
            open_bytes(path) as stream,
            progress(f"Reading {path.name}", float(path.stat().st_size)) as advance,
        ):
            yield _Counting(stream, advance), str(path)
        return
    if _LIKE_A_FILE.fullmatch(text):
        raise UserError(f"{text}: no such file; to disambiguate these very characters, send them to -")
    yield BytesIO(text.encode()), "the text"


def _exists(path: Path) -> bool:
    try:
        return path.exists()
    except OSError:  # a text that is too long for a name
        return False


class _Counting:
    """A stream that says how much of it has been read."""

    def __init__(self, stream: IO[bytes], advance: Callable[[float], None]) -> None:
        self._stream = stream
        self._advance = advance

    def readline(self, size: int = -1) -> bytes:
        """A line, or the part of it that has ``size`` bytes."""
        line = self._stream.readline(size)
        self._advance(len(line))
        return line


def _tagged(made: Disambiguator, stream: Lines, name: str) -> Iterator[TaggedSentence]:
    from uncommonsense.text.sentences import passages, read_text

    return made.tag_passages(passages(read_text(stream, name)))


def _counted(sentences: Iterable[TaggedSentence], counts: dict[str, int]) -> Iterator[TaggedSentence]:
    for sentence in sentences:
        counts["sentences"] += 1
        counts["words"] += len(sentence.words)
        counts["senses"] += sum(bool(word.senses) for word in sentence.tagged)
        yield sentence


def _write(pieces: Iterator[str], out: Path | None) -> None:
    """To standard output as it comes, or to a file that appears when it is complete."""
    if out is None:
        for piece in pieces:
            sys.stdout.write(piece)
        sys.stdout.flush()
        return
    from uncommonsense.errors import UserError

    if out.is_dir() or not out.resolve().parent.is_dir():
        raise UserError(f"{out}: cannot be written: give a file in a folder that exists")
    partial = out.with_name(f".{out.name}.partial")
    try:
        with partial.open("w", encoding="utf-8", newline="\n") as file:
            file.writelines(pieces)
        partial.replace(out)
    finally:
        partial.unlink(missing_ok=True)
