"""``uncommonsense index``: a folder of text made ready for searching."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from contextlib import nullcontext
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from uncommonsense.cli.output import emit, note, progress

if TYPE_CHECKING:
    from uncommonsense.encode import Encoder
    from uncommonsense.schema import Sentence

__all__ = ["index"]

_MANIFEST = ".manifest.json"
_READER = 2
"""Counts up when text is cut into sentences or lemmas found in another way, so that it is read again."""

_BLOCK = 4096
"""Sentences that are encoded at a time."""

Files = dict[str, dict[str, Any]]
"""Relative name -> size in bytes, mtime in nanoseconds, and SHA-256 of a file."""


def index(
    folder: Annotated[
        Path, typer.Argument(metavar="FOLDER", help="Where the .txt files are (UTF-8), at any depth.")
    ],
    out: Annotated[
        Path | None,
        typer.Option(
            "--out", "-o", metavar="DIR", help="Where to write; otherwise FOLDER.parquet beside it."
        ),
    ] = None,
    model: Annotated[
        str, typer.Option("--model", "-m", help="A hub id, a folder, or minilm, smollm2.")
    ] = "minilm",
    layers: Annotated[
        str, typer.Option("--layers", "-l", help="last, 7, mean, mean:4-6, sum:4=0.2,5=0.8.")
    ] = "last",
    text_only: Annotated[
        bool, typer.Option("--text-only", help="No vectors yet: a search makes those that it needs.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Make your own text searchable: find its sentences and lemmas, and encode every content word.

    Text that has not changed is not read again, and no word is encoded twice.

    Examples:
      uncommonsense index letters

      uncommonsense index letters --out letters.parquet --model bert-base-cased
    """
    from uncommonsense.corpora.plain import text_files
    from uncommonsense.encode import Encoder
    from uncommonsense.encode.layers import one_vector

    files = text_files(folder)
    encoder = None if text_only else Encoder(model, layers=one_vector(layers))
    place = out or folder.resolve().with_name(folder.resolve().name + ".parquet")
    counts = _write_text(folder, files, place)
    encoded = _encode(encoder, place, counts["targets"]) if encoder else 0
    emit({"corpus": f"parquet:{place}", **counts, "encoded": encoded}, as_json=as_json)
    note(f'search it with: uncommonsense like "..." --corpus parquet:{place}')


def _write_text(folder: Path, files: dict[str, Path], out: Path) -> dict[str, int]:
    """Write the corpus unless it is there and the files are the same; return what there is."""
    known = _manifest(out)
    made_by = {"folder": str(folder.resolve()), "reader": _READER}
    if known and any(known[key] != value for key, value in made_by.items()):
        known = {}
    states = _states(files, known.get("files", {}))
    manifest = made_by | {"files": states}
    if known and _contents(states) == _contents(known["files"]):
        counts: dict[str, int] = known["counts"]
        written = 0
    else:
        counts = _rewrite(folder, out)
        written = len(files)
    (out / _MANIFEST).write_text(json.dumps(manifest | {"counts": counts}, indent=1), encoding="utf-8")
    return {"files": len(files), "read": written, **counts}


def _manifest(out: Path) -> dict[str, Any]:
    """What an earlier run noted; empty where there is nothing, or nothing that can be read."""
    try:
        found = json.loads((out / _MANIFEST).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    complete = isinstance(found, dict) and {"folder", "reader", "files", "counts"} <= set(found)
    return found if complete and any(out.glob("*.parquet")) else {}


def _states(files: dict[str, Path], known: Files) -> Files:
    """The state of each file; it is hashed unless its size and time are those that are known."""
    states = {}
    with progress("Looking for changes", float(len(files)), "files") as advance:
        for name, file in files.items():
            status = file.stat()
            state = {"size": status.st_size, "mtime": status.st_mtime_ns}
            before = known.get(name, {})
            same = all(before.get(key) == value for key, value in state.items())
            states[name] = before if same else state | {"sha256": _hash(file)}
            advance(1)
    return states


def _hash(file: Path) -> str:
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _contents(states: Files) -> dict[str, str]:
    return {name: state["sha256"] for name, state in states.items()}


def _rewrite(folder: Path, out: Path) -> dict[str, int]:
    """Read all the text and write the corpus in place of an older one that was made of text."""
    from uncommonsense.corpora import write_parquet
    from uncommonsense.corpora.plain import read
    from uncommonsense.errors import UserError

    counts = {"sentences": 0, "words": 0, "targets": 0}

    def counted() -> Iterator[Sentence]:
        with progress("Reading", None, "sentences") as advance:
            for sentence in read(folder):
                counts["sentences"] += 1
                counts["words"] += len(sentence.tokens)
                counts["targets"] += len(sentence.instances)
                advance(1)
                yield sentence
        if not counts["sentences"]:
            raise UserError(f"{folder}: its .txt files have no text in them")

    ours = _made_of_text(out)
    if ours:
        (out / _MANIFEST).unlink(missing_ok=True)
    write_parquet(counted(), out, name=folder.resolve().name, spec=f"text:{folder.resolve()}", overwrite=ours)
    return counts


def _made_of_text(out: Path) -> bool:
    """Whether ``out`` is a corpus that this command wrote, which it may replace."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        labels = [pq.read_schema(file).metadata or {} for file in sorted(out.glob("*.parquet"))]
    except (pa.ArrowInvalid, OSError):
        return False
    return bool(labels) and all(each.get(b"uncommonsense.spec", b"").startswith(b"text:") for each in labels)


def _encode(encoder: Encoder, out: Path, targets: int) -> int:
    """Put the vectors of all targets into the store, a block at a time; return how many are new."""
    from uncommonsense.corpora import open_corpus
    from uncommonsense.encode import encode_corpus
    from uncommonsense.schema import Corpus

    sentences = open_corpus(f"parquet:{out}").sentences()
    new = 0.0
    with progress(f"Encoding with {encoder.name}", float(targets), "words") as advance:
        while block := list(islice(sentences, _BLOCK)):
            fresh = 0.0

            def count(n: float) -> None:
                nonlocal fresh
                fresh += n
                advance(n)

            corpus = Corpus.from_sentences(block, name=out.name)
            if len(corpus):
                encode_corpus(encoder, corpus, progress=lambda *_: nullcontext(count))
            advance(len(corpus) - fresh)
            new += fresh
    return int(new)
