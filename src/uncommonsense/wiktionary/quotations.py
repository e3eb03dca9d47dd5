"""Examples of a use: quotations with their attribution, and illustrations by editors."""

from __future__ import annotations

import re
from collections.abc import Sequence, Set

from uncommonsense.wiktionary.editions import Parameters
from uncommonsense.wiktionary.entries import Example, Kind
from uncommonsense.wiktionary.plain import Plain, plain
from uncommonsense.wiktionary.render import Renderer
from uncommonsense.wiktionary.wikitext import Call

__all__ = ["illustration", "quotation"]

_YEAR_FIRST = re.compile(r"^[\s(\[]*(?:(?:c|ca|a|p|circa|ante|before|after)\.?\s*)?'''[^'\n]*\d[^'\n]*'''")
_SOFT_BREAK = re.compile(r"<br\s*/?>", re.IGNORECASE)
_COLON = re.compile(r":\s+|:(?=[\"“‘'])|\s+(?:—|–|--)\s+|&mdash;")
_COMMA = re.compile(r",\s+")
_DASH_AUTHOR = re.compile(
    r"\s*(?:—|–|--|\s-\s|&mdash;)\s*(?P<author>[^'—]{0,200}(?:''[^']{0,200}''[^'—]{0,60})?)$"
)
_LONGEST_PLACE = 80
_FEWEST_SPACES = 4
_EDGE = " ,;:.—–"
_EMPTY = re.compile(r" ?\(\s*\)")
_LIST_MARKS = re.compile(r"[#*:;]+")
_LEADING_MARKS = re.compile(r"#*[*:;][#*:;]*|#+(?=[\s,\d])")
_DASH_SOURCE = re.compile(
    r"(?P<close>''|[”\"])\s*(?:—|–|--|\s-\s|&mdash;)\s*(?P<source>[A-Z0-9][^'\n—–]{1,80})$"
)
_DATED_SOURCE = re.compile(r"(?P<close>'')\s*,\s*(?P<source>[A-Z][^'\n]{3,150}\b[12]\d{3}\b[^'\n]{0,80})$")
_CHAPTER = re.compile(r"[\divxlc.,:–-]+|(?:ch|p|pp|v|st|bk)\.")
_MOST_WORDS = 8
_BEFORE_SPEAKER = " \"“”'‘’"
_ENDS_TURN = tuple(".?!…)]—–-")
_STEM = 3
_DOUBLED = re.compile(r" *([,;:])(?: *[,;:])* +")


def illustration(renderer: Renderer, body: str) -> Example | None:
    """An example that an editor wrote, or None if the line holds none."""
    marked = renderer.joined(renderer.pieces(body))
    if _YEAR_FIRST.match(marked):
        return quotation(renderer, body, ())
    marked, source = _cut_source(marked.rstrip(), renderer.edition.small_words)
    shown = plain(marked)
    if not shown.text:
        return None
    kind: Kind = "quotation" if source else "illustration"
    return Example(shown.text, _targets(shown, renderer.title), kind, _attribution(plain(source)))


def _cut_source(marked: str, small_words: Set[str]) -> tuple[str, str]:
    """An editor's line without the source that follows its closing quote or italics, and the source.

    What follows a dash may be a translation or a remark: only names, numbers and ``small_words`` count.
    What follows a comma needs a year.
    """
    place = max(marked.rfind("''"), 0)
    found = _DATED_SOURCE.match(marked, place) or _DASH_SOURCE.search(marked, place)
    if not found or (found.re is _DASH_SOURCE and not _is_source(found["source"].split(), small_words)):
        return marked, ""
    return marked[: found.end("close")], found["source"]


def _is_source(words: Sequence[str], small_words: Set[str]) -> bool:
    return len(words) <= _MOST_WORDS and all(
        word[0].isupper() or word in small_words or _CHAPTER.fullmatch(word) for word in words
    )


def _targets(shown: Plain, title: str) -> tuple[tuple[int, int], ...]:
    """The spans in bold but for the names of speakers before what they say."""
    return tuple(span for span in shown.bold if not _is_speaker(shown.text, span, title.casefold()))


def _is_speaker(text: str, span: tuple[int, int], title: str) -> bool:
    """Whether a span begins a turn, has a colon behind it and does not begin like the headword."""
    start, end = span
    if ":" not in (text[end - 1], text[end : end + 2].lstrip()[:1]):
        return False
    before = text[:start].rstrip(_BEFORE_SPEAKER)
    begins_turn = not before or before.endswith(_ENDS_TURN)
    name = text[start:end].casefold()
    return begins_turn and title[:_STEM] not in name


def quotation(renderer: Renderer, head: str, rest: Sequence[str]) -> Example | None:
    """A quotation from its first line and the lines that belong to it, or None without a passage."""
    passage, source, quoted = _head(renderer, head)
    following = [text for text in (_following(renderer, line) for line in rest) if text]
    if following and "'''" not in passage:
        passage = "\n".join(filter(None, [passage, *following]))
    if not passage:
        passage, source = _split(source)
    shown = plain(passage)
    if not shown.text:
        return None
    attribution = _attribution(plain(source))
    kind: Kind = "quotation" if quoted or attribution else "illustration"
    return Example(shown.text, _targets(shown, renderer.title), kind, attribution)


def _head(renderer: Renderer, head: str) -> tuple[str, str, bool]:
    """The passage, if a template holds it, and what says where it comes from, both still with apostrophes.

    The third value is whether there is a template for quotations.
    """
    passage, quoted = "", False
    source: list[str] = []
    for piece in renderer.pieces(head):
        role, parameters = renderer.read(piece) if isinstance(piece, Call) else ("", Parameters({}))
        if isinstance(piece, Call) and role == "quotation":
            found, work = _from_template(renderer, piece, parameters)
            passage = "\n".join(filter(None, [passage, found]))
            source.append(work)
            quoted = True
        elif role == "illustration":
            passage = parameters.get("1")
        else:
            source.append(renderer.joined([piece]))
    return passage, "".join(source), quoted


def _following(renderer: Renderer, line: str) -> str:
    """The part of a passage that a line under the first one holds."""
    texts: list[str] = []
    for piece in renderer.pieces(line):
        role, parameters = renderer.read(piece) if isinstance(piece, Call) else ("", Parameters({}))
        if isinstance(piece, Call) and role == "quotation":
            texts.append(_from_template(renderer, piece, parameters)[0])
        elif role in ("synonyms", "other_relation"):
            continue
        else:
            texts.append(renderer.joined([piece]))
    return "".join(texts).strip()


def _from_template(renderer: Renderer, call: Call, parameters: Parameters) -> tuple[str, str]:
    """The passage and the attribution that a quotation template gives."""
    edition = renderer.edition
    order = edition.orders.get(call.name)
    values = {key: value for key, value in parameters.values.items() if not key.isdigit()}
    for key in edition.page_titles & values.keys():
        values[key] = renderer.show_link([values[key], ""])
    numbered = parameters.numbered()
    if numbered and _LIST_MARKS.fullmatch(numbered[0]):
        del numbered[0]
    if not any(values.get(key) for key in edition.passage):
        index = _passage_index(numbered, guess=order is None)
        if index is not None:
            values["passage"], numbered[index] = numbered[index], ""
    work: list[str] = []
    if order is None:
        work = _work(edition.works, call.name, numbered)
    for key, value in zip(order or (), numbered, strict=False):
        values[key] = values.get(key) or value
    passage = next((values[key] for key in edition.passage if values.get(key)), "")
    return passage, ", ".join([*work, *edition.attribute(values)])


def _work(works: dict[str, str], name: str, numbered: Sequence[str]) -> list[str]:
    """The work that a template is named for, and the places in it."""
    _, colon, work = name.partition(":")
    named = [works.get(work, work)] if colon else []
    return named + [
        value for value in numbered if value and len(value) < _LONGEST_PLACE and "//" not in value
    ]


def _passage_index(numbered: Sequence[str], *, guess: bool) -> int | None:
    """Which parameter without a name is the passage: one with bold, or by guess the last of several words."""
    for index, value in enumerate(numbered):
        if "'''" in value:
            return index
    long = [index for index, value in enumerate(numbered) if value.count(" ") >= _FEWEST_SPACES]
    return long[-1] if long and guess else None


def _split(line: str) -> tuple[str, str]:
    """Passage and attribution of a line that holds both."""
    dated = _YEAR_FIRST.match(line)
    start = dated.end() if dated else 0
    target = line.find("'''", start)
    if target < 0:
        return "", line
    if not dated:
        return _split_after(line)
    for separator in (_SOFT_BREAK, _COLON, _COMMA):
        found = list(separator.finditer(line, start, target))
        if found:
            return line[found[-1].end() :], line[: found[-1].start()]
    return line[start:], line[:start]


def _split_after(line: str) -> tuple[str, str]:
    """Passage and attribution of a line without a date: the attribution may follow a dash."""
    end = line.rfind("'''") + 3
    found = _DASH_AUTHOR.search(line, end) if len(line) - end < 1000 else None
    if found is None or not found["author"].strip():
        return line, ""
    return line[: found.start()], found["author"]


def _attribution(shown: Plain) -> str:
    text = _DOUBLED.sub(r"\1 ", _EMPTY.sub("", shown.text)).strip(_EDGE)
    return text[marks.end() :].strip(_EDGE) if (marks := _LEADING_MARKS.match(text)) else text
