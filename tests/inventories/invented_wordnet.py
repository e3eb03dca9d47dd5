"""An invented WordNet in the format of the real one's database files."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path
from typing import NamedTuple

from uncommonsense.inventories.wordnet.names import FILES


class Entry(NamedTuple):
    """A synset of the invented database; pointers name their target by its position in ``ENTRIES``."""

    type: str
    lexfile: int
    words: tuple[tuple[str, int], ...]
    gloss: str
    pointers: tuple[tuple[str, int, str], ...] = ()
    frames: str = ""


ENTRIES = (
    Entry("n", 3, (("thing", 0),), "whatever there is", (("~", 1, "0000"), ("~", 3, "0000"))),
    Entry(
        "n",
        6,
        (("spoon", 0), ("eating_spoon", 0)),
        'a small bowl on a stick; for soup (as in "spoon"); "pass me a spoon"; "she lost her spoon"',
        (("@", 0, "0000"), ("+", 5, "0102")),
    ),
    Entry("n", 13, (("spoonful", 0),), "as much as a spoon holds", (("@", 0, "0000"),)),
    Entry("n", 18, (("Ann", 0), ("ann", 0), ("attorney_general", 0)), "somebody", (("@i", 0, "0000"),)),
    Entry("n", 6, (("spoon", 1),), "a shiny bait", (("@", 0, "0000"),)),
    Entry(
        "v",
        35,
        (("ladle", 0), ("spoon", 0), ("dish_out", 0)),
        'move with a spoon: "spoon it"',
        (("+", 1, "0201"),),
        "02 + 08 00 + 21 02",
    ),
    Entry("a", 0, (("warm", 0),), "rather hot", (("!", 7, "0101"), ("&", 8, "0000"))),
    Entry("a", 0, (("cool", 0),), "rather cold", (("!", 6, "0101"),)),
    Entry("s", 0, (("tepid(p)", 0), ("cool", 2)), "a little warm", (("&", 6, "0000"),)),
    Entry("r", 2, (("warmly", 0),), "in a warm way", (("\\", 6, "0101"),)),
)

SENSE_ORDER = {("a", "cool"): (8, 7)}
"""Where the order of senses is not the order of synsets."""

COUNTS = {"spoon%1:06:00::": 7, "warm%3:00:00::": 3}

EXCEPTIONS = {
    "noun": "attorneys_general attorney_general\nspuun spoon\nspuun thing\n",
    "verb": "spoont spoon\n",
    "adj": "coolen cool\n",
    "adv": "warmlies warmly\n",
}

TYPES = {"n": 1, "v": 2, "a": 3, "r": 4, "s": 5}


def part(entry: Entry) -> str:
    """The data file's part of speech."""
    return "a" if entry.type == "s" else entry.type


def lemma_of(word: str) -> str:
    """A word as keys spell it."""
    return word.partition("(")[0].lower()


def key_of(entry: Entry, word: tuple[str, int]) -> str:
    """The sense key, from the definition of the format."""
    head = ""
    if entry.type == "s":
        text, lex_id = ENTRIES[entry.pointers[0][1]].words[0]
        head = f"{text}:{lex_id:02d}"
    return f"{lemma_of(word[0])}%{TYPES[entry.type]}:{entry.lexfile:02d}:{word[1]:02d}:{head or ':'}"


def data_line(entry: Entry, offsets: dict[int, int], position: int) -> str:
    words = " ".join(f"{word} {lex_id:x}" for word, lex_id in entry.words)
    pointers = "".join(
        f"{symbol} {offsets.get(target, 0):08d} {ENTRIES[target].type} {ends} "
        for symbol, target, ends in entry.pointers
    )
    frames = f"{entry.frames} " if entry.frames else ""
    return (
        f"{offsets.get(position, 0):08d} {entry.lexfile:02d} {entry.type} {len(entry.words):02x} {words} "
        f"{len(entry.pointers):03d} {pointers}{frames}| {entry.gloss}  \n"
    )


def write_wordnet(folder: Path, *, header: str = "  1 An invented database.  \n") -> Path:
    """Write the database; another ``header`` shifts every offset, as a rebuilt copy does."""
    folder.mkdir(parents=True, exist_ok=True)
    offsets: dict[int, int] = {}
    for pos in FILES:
        place = len(header)
        for position, entry in enumerate(ENTRIES):
            if part(entry) == pos:
                offsets[position] = place
                place += len(data_line(entry, offsets, position))
    senses: dict[tuple[str, str], dict[int, str]] = defaultdict(dict)
    for position, entry in enumerate(ENTRIES):
        for word in entry.words:
            senses[part(entry), lemma_of(word[0])][position] = key_of(entry, word)
    sense_lines = []
    for pos, name in FILES.items():
        lines = [data_line(each, offsets, i) for i, each in enumerate(ENTRIES) if part(each) == pos]
        (folder / f"data.{name}").write_text(header + "".join(lines))
        index = []
        for (owner, lemma), keys in sorted(senses.items()):
            if owner == pos:
                order = SENSE_ORDER.get((pos, lemma), tuple(keys))
                listed = " ".join(f"{offsets[position]:08d}" for position in order)
                index.append(f"{lemma} {pos} {len(order)} 1 @ {len(order)} 0 {listed}  \n")
                for number, position in enumerate(order, start=1):
                    key = keys[position]
                    sense_lines.append(f"{key} {offsets[position]:08d} {number} {COUNTS.get(key, 0)}\n")
        (folder / f"index.{name}").write_text(header + "".join(index))
        (folder / f"{name}.exc").write_text(EXCEPTIONS[name])
    (folder / "index.sense").write_text("".join(sorted(sense_lines)))
    return folder
