"""Running text: the ``.txt`` files below a folder (``text:FOLDER``), UTF-8, without annotation.

A blank line ends a paragraph; within one, lines are joined and sentences are found by punctuation. Every
content word that WordNet knows and every preposition becomes a target. There is no tagger: a word is a
target once for each lemma that Morphy gives it (``leaves``: ``leaf``, ``leave``), its part of speech is
``x`` where it could be several. Articles, pronouns, conjunctions, modal verbs and forms of ``be`` are no
targets. A curly apostrophe is read as a straight one.

The sentence ``letters/may.txt:12.2`` is the second of those that begin on line 12 of that file, and
``letters/may.txt:12.2.t4`` is its word number 4, counted from 0, by its first lemma; its other lemmas
follow the id, as in ``letters/may.txt:12.2.t4.leave``.
"""

from __future__ import annotations

import os
import re
from bisect import bisect_right
from collections.abc import Generator, Iterator
from functools import lru_cache
from itertools import accumulate, pairwise
from pathlib import Path

from uncommonsense.corpora.textfile import read_lines
from uncommonsense.corpora.tokenize import tokenize
from uncommonsense.errors import MalformedInputError, UserError
from uncommonsense.inventories.wordnet import WordNet
from uncommonsense.schema import Instance, Sentence

__all__ = ["Lemmatiser", "read", "split_sentences", "text_files"]

_WINDOW = 1 << 16
"""Characters after which a paragraph is cut at the last sentence end, so that memory stays flat."""

_CACHE = 1 << 16
"""Forms whose lemmas are remembered."""


def read(path: Path, *, wordnet: str = "") -> Iterator[Sentence]:
    """Yield the sentences of a text file, or of all those below a folder; ``wordnet`` is its folder."""
    files = text_files(path)
    lemmatiser = Lemmatiser(WordNet(wordnet or None))
    for source, file in files.items():
        yield from _read_file(file, source, lemmatiser)


def text_files(path: Path) -> dict[str, Path]:
    """The ``.txt`` files below a folder by their relative names, sorted; links are not followed."""
    if path.is_file():
        return {path.name: path}
    if not path.is_dir():
        raise UserError(f"{path}: no such folder; give one that has .txt files in it")
    found = {}
    for folder, _, names in os.walk(path, onerror=_refuse):
        for file in (Path(folder, name) for name in names):
            if file.suffix.lower() == ".txt" and file.is_file() and not file.is_symlink():
                found[_name(file, path)] = file
    if not found:
        raise MalformedInputError(path, None, "there are no .txt files below this folder")
    return dict(sorted(found.items()))


def _refuse(error: OSError) -> None:
    raise UserError(f"{error.filename}: the folder cannot be read: {error.strerror}") from error


def _name(file: Path, folder: Path) -> str:
    name = file.relative_to(folder).as_posix()
    try:
        name.encode()
    except UnicodeEncodeError:
        raise UserError(f"{name!r}: the name of this file is not UTF-8; rename it") from None
    return name


def _read_file(file: Path, source: str, lemmatiser: Lemmatiser) -> Iterator[Sentence]:
    last, number = 0, 0
    for line, text in _numbered_sentences(file):
        number = number + 1 if line == last else 1
        last = line
        name = f"{source}:{line}.{number}"
        tokens = tuple(token for token, _, _ in tokenize(text.replace("’", "'")))
        yield Sentence(name, tokens, source, tuple(_targets(name, tokens, lemmatiser)))


def _targets(name: str, tokens: tuple[str, ...], lemmatiser: Lemmatiser) -> Iterator[Instance]:
    for at, (token, following) in enumerate(zip(tokens, (*tokens[1:], ""), strict=True)):
        if following.lower() == "n't":
            continue  # an auxiliary, or what is left of one: ca|n't
        for nth, (lemma, pos) in enumerate(lemmatiser(token)):
            yield Instance(f"{name}.t{at}" + (f".{lemma}" if nth else ""), at, at + 1, lemma, pos)


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Sentences


_Line = tuple[int, str]
"""A line of a file, or a sentence, and the number of the line it begins on."""


def _numbered_sentences(file: Path) -> Iterator[_Line]:
    """The sentences of a file, each with the line that it begins on."""
    lines: list[_Line] = []
    size = 0
    for number, line in read_lines(file) if file.stat().st_size else ():
        blank = not line.strip()
        if not blank:
            lines.append((number, line))
            size += len(line) + 1
        if blank or size > _WINDOW:
            lines = yield from _take(lines, whole=blank)
            size = sum(len(line) + 1 for _, line in lines)
    yield from _take(lines, whole=True)


def _take(lines: list[_Line], *, whole: bool) -> Generator[_Line, None, list[_Line]]:
    """Yield the sentences of some lines; return what is left, the last sentence unless it is ``whole``."""
    text = "\n".join(line for _, line in lines)
    begins = list(accumulate((len(line) + 1 for _, line in lines), initial=0))
    spans = split_sentences(text)
    left = [] if whole or len(spans) == 1 else [spans.pop()]
    for start, end in spans:
        yield lines[bisect_right(begins, start) - 1][0], text[start:end]
    for start, _ in left:
        at = bisect_right(begins, start) - 1
        number, line = lines[at]
        return [(number, line[start - begins[at] :]), *lines[at + 1 :]]
    return []


def split_sentences(text: str) -> list[tuple[int, int]]:
    """Where the sentences of an English paragraph are: ``(start, end)`` in characters, without blanks."""
    cuts = [0, *(match.end() for match in _END.finditer(text) if _ends_sentence(text, match)), len(text)]
    spans = []
    for start, end in pairwise(cuts):
        piece = text[start:end]
        if stripped := piece.strip():
            first = start + piece.index(stripped[0])
            spans.append((first, first + len(stripped)))
    return spans


_END = re.compile(r"([.!?…]+)[\"'”’)\]»]*\s+")
_OPENING = "\"'“‘([«—–- "
_LAST_WORD = re.compile(r"[^\s\"'“”‘’(\[—–-]*$")
_FIRST_WORD = re.compile(r"\w*")

_TITLES = _words(
    """
    mr mrs ms messrs mme dr prof st sgt lt col capt cpt gen maj adm cmdr rev hon fr sen rep gov pres supt
    insp vs cf viz e.g i.e eg ie ca approx mt ft
    """
)
"""A sentence does not end after these."""

_BEFORE_NUMBERS = _words(
    """
    no nos p pp fig figs vol vols ch chap sec art ed eq ver jan feb mar apr jun jul aug sep sept oct nov dec
    """
)
"""A sentence does not end between these and a number."""

_NAMES_END = _words(
    """
    inc corp ltd co bros jr sr ph.d
    """
)
_STARTERS = _words(
    """
    the a an this that these those he she it we they you i his her its our their my your there here in on at
    by for from with after before when while if as but and or so yet however then what who why how where no
    not one all some many most
    """
)
"""After ``Inc.`` or ``U.S.`` a sentence ends if one of these follows with a capital letter."""


def _ends_sentence(text: str, match: re.Match[str]) -> bool:
    following = text[match.end() : match.end() + 40].lstrip(_OPENING)
    if not following or following[0].islower():
        return False
    if match[1] != ".":
        return True
    before = _LAST_WORD.search(text[max(0, match.start() - 40) : match.start()])
    word = before[0] if before else ""
    folded = word.lower()
    if folded in _TITLES or (len(word) == 1 and word.isupper() and word != "I"):
        return False
    if folded in _BEFORE_NUMBERS:
        return not following[0].isdigit()
    if folded in _NAMES_END or re.fullmatch(r"(?:[^\W\d_]\.)+[^\W\d_]", word):
        first = _FIRST_WORD.match(following)
        return first is not None and first[0].lower() in _STARTERS
    return True


# Lemmas

_PREPOSITIONS = _words(
    """
    aboard about above across after against along alongside amid amidst among amongst around at atop before
    behind below beneath beside besides between beyond by despite down during except for from in into of off
    on onto out over per since through throughout till to toward towards under underneath unlike until up
    upon versus via with within without
    """
)
_SOMETIMES_PREPOSITIONS = _words(
    """
    bar barring concerning considering excluding failing following given including inside like minus near
    notwithstanding opposite outside past pending plus regarding round save worth
    """
)
"""Prepositions, but content words as well."""

_FUNCTION_WORDS = _words(
    """
    a an the this that these those i me my mine myself you your yours yourself yourselves he him his himself
    she her hers herself it its itself we us our ours ourselves they them their theirs themselves one who
    whom whose which what whatever whichever whoever somebody someone something anybody anyone anything
    nobody nothing everybody everyone everything each every either neither some any no none all both another
    other and or but nor so yet if because although though unless while whereas whether than as that when
    where why how not n't be am is are was were been being can could may might must shall should will would
    ought cannot there too very
    """
)
_VERBS = {
    **dict.fromkeys(("have", "has", "had", "having"), "have"),
    **dict.fromkeys(("do", "does", "did", "done", "doing"), "do"),
}
"""Otherwise Morphy would make ``doe`` of ``does``."""


class Lemmatiser:
    """The lemmas that a word by itself may be a form of, with their parts of speech."""

    def __init__(self, wordnet: WordNet) -> None:
        self._wordnet = wordnet
        self._remembered = lru_cache(_CACHE)(self._find)

    def __call__(self, word: str) -> tuple[tuple[str, str], ...]:
        """``(lemma, pos)`` pairs in the order noun, verb, adjective, adverb; empty for function words."""
        return self._remembered(word.lower())

    def _find(self, form: str) -> tuple[tuple[str, str], ...]:
        if form in _PREPOSITIONS:
            return ((form, "p"),)
        if form in _VERBS:
            return ((_VERBS[form], "v"),)
        if form in _FUNCTION_WORDS or len(form) < 2 or not form[0].isalpha():
            return ()
        parts: dict[str, str] = {form: "p"} if form in _SOMETIMES_PREPOSITIONS else {}
        for pos in "nvar":
            for lemma in self._wordnet.morphy(form, pos):
                parts[lemma] = parts.get(lemma, "") + pos
        return tuple((lemma, pos if len(pos) == 1 else "x") for lemma, pos in parts.items())
