"""What templates and links show on the page."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence

from uncommonsense.wiktionary.editions import Edition, Parameters, Rule
from uncommonsense.wiktionary.plain import Plain, plain
from uncommonsense.wiktionary.wikitext import Call, scan

__all__ = ["Renderer"]

_MODIFIER = re.compile(r"<[^<>]*>")
_TRAILING_NOTE = re.compile(r"\s*\([^()]*\)$")
_ANCHOR = re.compile(r"#.*", re.DOTALL)
_PIPE_TRICK = re.compile(r"\s*[(,].*", re.DOTALL)
_EMBEDDED_PLACE = re.compile(r"<<([^<>]*)>>")
_SPACE_BEFORE = re.compile(r" +([,.;:!?)])(?![.\w])")
_EMPTY_BRACKETS = re.compile(r" ?\((?:(?:see|from|compare|cf\.)\s+)?\s*[,;.]?\s*\)", re.IGNORECASE)
_REPEATED = re.compile(r"([,;:])(?:\s*[,;:])+")
_CODE = re.compile(r"[a-z]{2,3}(?:-[a-z]{3,4})?")
_NEAR = 40
"""Characters looked at before a pointer to another project."""
_BEGINS_WITH_WORD = re.compile(r"\s*\w")
_ENDS_IN_SENTENCE = re.compile(r"\w[\w,]*\s*$")


class Renderer:
    """Turns the wikitext of one page into text; counts the templates it does not know."""

    def __init__(self, edition: Edition, title: str) -> None:
        self.edition = edition
        self.title = title
        self.unknown: Counter[str] = Counter()
        self.warnings: Counter[str] = Counter()

    def pieces(self, wikitext: str) -> list[str | Call]:
        """Text, and the templates of the top level, whose parameters are rendered already."""
        if "{" not in wikitext and "[[" not in wikitext:
            return [wikitext]
        return scan(wikitext, expand=self.expand, show=self.show_link, warnings=self.warnings)

    def joined(self, pieces: Iterable[str | Call]) -> str:
        """The pieces as one text, with its apostrophes, tags and entities."""
        return "".join(piece if isinstance(piece, str) else self.expand(piece) for piece in pieces)

    def plain(self, wikitext: str) -> Plain:
        """The plain text of wikitext, and what was bold in it."""
        return plain(self.joined(self.pieces(wikitext)))

    def read(self, call: Call) -> tuple[str, Parameters]:
        """The role of a template (empty if unknown) and its parameters after the language."""
        rule = self.edition.rule(call.name)
        if rule is None:
            return "", Parameters(call.parameters)
        return rule.role, self.edition.parameters(call.parameters, rule)

    def expand(self, call: Call) -> str:
        """What a template shows."""
        rule = self.edition.rule(call.name)
        if rule is None:
            return self._unknown(call)
        parameters = self.edition.parameters(call.parameters, rule)
        if rule.role == "text":
            return rule.text(parameters)
        return self._by_role(rule, call, parameters)

    def _by_role(self, rule: Rule, call: Call, parameters: Parameters) -> str:
        match rule.role:
            case "label" | "label_itself" | "indirect_object":
                return f"({', '.join(self.labels(call))})"
            case "illustration":
                return parameters.get("1")
            case "synonyms":
                return ", ".join(self.terms(parameters))
            case "inflection":
                return self._inflection(parameters)
            case "place":
                return _place(parameters)
            case "page_name":
                return self.title
        return ""

    def _unknown(self, call: Call) -> str:
        """The best guess for a template that nobody described: a link's text, or what it wraps."""
        if call.name.startswith("{"):
            return call.parameters.get("1", "")
        self.unknown[call.name] += 1
        first = call.parameters.get("1", "").strip()
        if "2" in call.parameters and _CODE.fullmatch(first):
            return call.parameters.get("3") or call.parameters["2"]
        return first

    def show_link(self, parts: list[str]) -> str:
        """What a link shows: its text, or its target without name space and anchor; files show nothing."""
        target = parts[0].strip()
        space, colon, rest = target.partition(":")
        if colon and space.lower().strip() in self.edition.invisible_links:
            return ""
        if len(parts) > 1 and parts[-1].strip():
            return parts[-1]
        target = target.removeprefix(":")
        space, colon, rest = target.partition(":")
        if colon and space.lower() in self.edition.link_prefixes:
            target = rest.removeprefix("en:")
        elif colon and _CODE.fullmatch(space) and parts[0].strip() == target:
            return ""
        target = _ANCHOR.sub("", target) or target.lstrip("#")
        return _PIPE_TRICK.sub("", target) if len(parts) > 1 else target.replace("_", " ")

    def labels(self, call: Call) -> list[str]:
        """The labels of a definition, as a clean list."""
        role, parameters = self.read(call)
        if role == "label_itself":
            return [call.name]
        values = [plain(value).text for value in parameters.numbered()]
        if role == "indirect_object":
            return [f"with {value}" for value in values if value and not value.startswith(".")]
        return self._joined_labels([_MODIFIER.sub("", value).strip() for value in values])

    def _joined_labels(self, values: Sequence[str]) -> list[str]:
        kinds = self.edition.labels
        labels: list[str] = []
        join = False
        for value in values:
            if not value or value in kinds["connectives"]:
                join = False
            elif value in kinds["joiners"]:
                join = bool(labels)
            else:
                if join:
                    labels[-1] += " " + self.edition.label_aliases.get(value, value)
                else:
                    value = self._without_conjunction(value)
                    labels.append(self.edition.label_aliases.get(value, value))
                join = value in kinds["qualifiers"]
        return labels

    def _without_conjunction(self, value: str) -> str:
        first, _, rest = value.partition(" ")
        return rest.lstrip() or first if first in self.edition.labels["conjunctions"] else value

    def terms(self, parameters: Parameters) -> list[str]:
        """The terms that a relation template lists, without notes on them and references to elsewhere."""
        named = [plain(_MODIFIER.sub("", value)).text for value in parameters.numbered()]
        shown = [
            parameters.values.get(f"alt{number}") or value for number, value in enumerate(named, start=1)
        ]
        terms = [_TRAILING_NOTE.sub("", term).strip() for term in shown]
        return [
            term for term in terms if term.strip(";, ") and not term.startswith(("Thesaurus:", "Wikisaurus:"))
        ]

    def _inflection(self, parameters: Parameters) -> str:
        term, shown, *tags = (*parameters.numbered(), "", "")
        table = self.edition.inflections
        words = [" ".join(table.get(part, part) for part in tag.split("//")) for tag in tags if tag]
        return f"{' '.join(words) or 'inflection'} of {shown or term}"

    def gloss(self, pieces: Iterable[str | Call]) -> str:
        """A definition's text; what templates without text leave behind is tidied up."""
        text = _EMPTY_BRACKETS.sub("", plain(self._with_sisters(list(pieces))).text)
        text = _REPEATED.sub(r"\1", _SPACE_BEFORE.sub(r"\1", text))
        return text.strip().lstrip(",;:. ").replace("  ", " ")

    def _with_sisters(self, pieces: Sequence[str | Call]) -> str:
        """The pieces as one text, with those pointers to another project that are part of a sentence."""
        text = ""
        for index, piece in enumerate(pieces):
            if isinstance(piece, Call) and self.read(piece)[0] == "sister":
                following = self.joined(pieces[index + 1 : index + 2])
                text += self._sister(piece) if self._is_in_sentence(text, following) else ""
            else:
                text += self.joined([piece])
        return text

    def _is_in_sentence(self, before: str, after: str) -> bool:
        before = before[-_NEAR:]
        words = before.lower().replace("(", " ").split()
        if words and words[-1].strip("'") in self.edition.lead_in:
            return True
        return bool(_ENDS_IN_SENTENCE.search(before) and _BEGINS_WITH_WORD.match(after))

    def _sister(self, call: Call) -> str:
        """What a pointer to another project names: its text, its page or this page."""
        parameters = self.read(call)[1]
        return parameters.get("2") or parameters.get("1") or self.title


def _place(parameters: Parameters) -> str:
    """A place: its kinds, then what it lies in (``s/Texas`` is a state)."""
    kinds, *holders = parameters.numbered() or [""]
    if "<<" in kinds:
        return _EMBEDDED_PLACE.sub(lambda match: _place_name(match[1]), kinds)
    text = " and ".join(kind.removeprefix("!") for kind in kinds.split("/"))
    if not text.lower().startswith(("a ", "an ", "the ")):
        text = ("An " if text.startswith(tuple("aeiou")) else "A ") + text
    names = [_place_name(holder) for holder in holders if holder]
    if names and not names[0].startswith(("in ", "of ", "on ", "near ")):
        text += " in"
    return f"{text} {', '.join(names)}".strip()


def _place_name(holder: str) -> str:
    kind, slash, name = holder.rpartition("/")
    if not slash:
        return holder
    if kind.lower().endswith(":suf"):
        return f"{name} {kind.split(':')[0]}"
    return name
