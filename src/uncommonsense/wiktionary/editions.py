"""What a Wiktionary edition calls things: its section titles, and what its templates show.

Everything here is read from ``editions/<code>.toml``. A template's text is given by patterns:

    ``{2|1}``        the first of these parameters that is not empty
    ``[ ({t})]``     shown only if every parameter in it has a value
    ``{*}``          all parameters without a name, with commas

A list of patterns means: the first of them whose parameters outside brackets all have a value; if none
has, the last one. A table of such lists is for templates whose first parameter says which list it is.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from uncommonsense.errors import UnknownNameError

__all__ = ["Edition", "Parameters", "Pattern", "Rule", "load_edition"]

_FOLDER = Path(__file__).with_name("editions")
_FIELD = re.compile(r"\{([^{}]*)\}|\[([^\[\]]*)\]")
_NUMBER = re.compile(r"[1-9][0-9]?$")
_NO_KINDS: Mapping[str, tuple[Pattern, ...]] = MappingProxyType({})


class Parameters(NamedTuple):
    """The parameters of a call; ``shift`` of those without a name came first and name the language."""

    values: Mapping[str, str]
    shift: int = 0

    def get(self, key: str) -> str:
        """The parameter's value, empty if it was not given."""
        if self.shift and _NUMBER.match(key):
            key = str(int(key) + self.shift)
        return self.values.get(key, "").strip()

    def numbered(self) -> list[str]:
        """The values of the parameters without a name, in order."""
        highest = max((int(key) for key in self.values if _NUMBER.match(key)), default=0)
        return [self.get(str(number)) for number in range(1, highest - self.shift + 1)]


class Pattern:
    """Text with places for parameters."""

    def __init__(self, source: str) -> None:
        self.segments: list[str | tuple[str, ...] | Pattern] = []
        position = 0
        for match in _FIELD.finditer(source):
            self._literal(source[position : match.start()])
            position = match.end()
            if match[2] is not None:
                self.segments.append(Pattern(match[2]))
            else:
                self.segments.append(tuple(match[1].split("|")))
        self._literal(source[position:])

    def _literal(self, text: str) -> None:
        if text:
            self.segments.append(text)

    def shown(self) -> list[str]:
        """The parameters that can be shown."""
        return [key for segment in self.segments if isinstance(segment, tuple) for key in segment]

    def fill(self, parameters: Parameters) -> tuple[str, bool]:
        """The text with the parameters in place, and whether all outside brackets had a value."""
        pieces: list[str] = []
        complete = True
        for segment in self.segments:
            if isinstance(segment, str):
                pieces.append(segment)
            elif isinstance(segment, Pattern):
                text, filled = segment.fill(parameters)
                pieces.append(text if filled else "")
            else:
                value = _first(segment, parameters)
                complete = complete and bool(value)
                pieces.append(value)
        return "".join(pieces), complete


def _first(keys: Sequence[str], parameters: Parameters) -> str:
    for key in keys:
        value = ", ".join(filter(None, parameters.numbered())) if key == "*" else parameters.get(key)
        if value:
            return value
    return ""


def _patterns(source: str | Sequence[str]) -> tuple[Pattern, ...]:
    return tuple(map(Pattern, [source] if isinstance(source, str) else source))


def _fill_first(patterns: Sequence[Pattern], parameters: Parameters) -> tuple[str, bool]:
    """The text of the first pattern that is complete, or of the last one."""
    text, complete = "", False
    for pattern in patterns:
        text, complete = pattern.fill(parameters)
        if complete:
            break
    return text, complete


class Rule(NamedTuple):
    """How a template is read: its role, the patterns of its text, and where it names the language.

    ``language`` is ``first`` (always the first parameter), ``code`` (the first parameter if it is a code),
    ``maybe`` (the same, but a code that stands alone is a word) or ``never``.
    """

    role: str
    patterns: tuple[Pattern, ...] = ()
    language: str = "never"
    kinds: Mapping[str, tuple[Pattern, ...]] = _NO_KINDS

    def text(self, parameters: Parameters) -> str:
        """What the template shows."""
        return _fill_first(self.kinds.get(parameters.get("1"), self.patterns), parameters)[0]


class Edition:
    """The tables of one edition, ready for look-up."""

    def __init__(self, table: Mapping[str, Any]) -> None:
        sections = table["sections"]
        self.parts: frozenset[str] = frozenset(sections["parts"])
        self.all_parts: frozenset[str] = self.parts | frozenset(sections["other_parts"])
        self.part_aliases: dict[str, str] = sections["aliases"]
        self.codes = frozenset(table["languages"]["codes"])
        self.invisible_links: frozenset[str] = frozenset(table["links"]["invisible"])
        self.link_prefixes: frozenset[str] = frozenset(table["links"]["prefixes"])
        self.labels: dict[str, frozenset[str]] = {
            key: frozenset(values) for key, values in table["labels"].items() if key != "aliases"
        }
        self.label_aliases: dict[str, str] = table["labels"]["aliases"]
        self.lead_in: frozenset[str] = frozenset(table["sisters"]["lead_in"])
        self.inflections: dict[str, str] = table["inflections"]
        self.works: dict[str, str] = table["works"]
        self.passage: tuple[str, ...] = tuple(table["quotations"]["passage"])
        self.small_words: frozenset[str] = frozenset(table["quotations"]["small_words"])
        self.page_titles: frozenset[str] = frozenset(table["quotations"]["page_titles"])
        self.attribution = [_patterns(source) for source in table["quotations"]["attribution"]]
        self.attribution_keys = {
            key: number
            for number, patterns in enumerate(self.attribution)
            for pattern in patterns
            for key in pattern.shown()
        }
        self.orders: dict[str, list[str]] = table["quotations"]["orders"]
        self.line_labels: dict[str, list[str]] = table["line_labels"]
        self.prefixes: list[tuple[str, str]] = [
            (prefix, role) for role, prefixes in table["prefixes"].items() for prefix in prefixes
        ]
        self.elsewhere: tuple[str, ...] = tuple(table["links"]["elsewhere"])
        self.form_names: dict[str, str] = table["form_names"]
        self.rules = _rules(table["templates"])

    def attribute(self, values: Mapping[str, str]) -> list[str]:
        """What the parameters of a quotation say of the work, in the order of the edition."""
        keys = self.attribution_keys
        present = sorted({keys[key] for key, value in values.items() if value and key in keys})
        return [_fill_first(self.attribution[number], Parameters(values))[0] for number in present]

    def rule(self, name: str) -> Rule | None:
        """How to read a template, or None if this edition's tables do not say."""
        rule = self.rules.get(name)
        if rule is None:
            rule = self._rule_by_shape(name)
            if rule is not None:
                self.rules[name] = rule
        return rule

    def _rule_by_shape(self, name: str) -> Rule | None:
        """Families of templates are known by how their names begin or end."""
        for prefix, role in self.prefixes:
            if name.startswith(prefix):
                return Rule(role, language="code")
        if name.endswith(self.form_names["suffix"]):
            return _form_rule(name.removeprefix(self.form_names["prefix"]))
        return None

    def parameters(self, values: Mapping[str, str], rule: Rule) -> Parameters:
        """The parameters of a call, numbered from the first after the language."""
        if rule.language == "first":
            return Parameters(values, 1)
        if rule.language == "never" or "lang" in values or values.get("1", "").strip() not in self.codes:
            return Parameters(values)
        return Parameters(values, 1 if rule.language == "code" or "2" in values else 0)


def _rules(templates: Mapping[str, Any]) -> dict[str, Rule]:
    rules: dict[str, Rule] = {}
    for role, names in templates["roles"].items():
        rules |= {name: Rule(role, language="code") for name in names}
    for language, table in templates["text"].items():
        for name, source in table.items():
            rules[name] = Rule("text", _patterns(source), language)
    for name, table in templates["kinds"].items():
        kinds = {kind: _patterns(source) for kind, source in table.items()}
        rules[name] = Rule("text", kinds[""], "first", kinds)
    rules |= {name: _form_rule(shown) for name, shown in templates["forms"].items()}
    for name, target in templates["aliases"].items():
        rules[name] = rules[target] if target in rules else _form_rule(target)
    return rules


def _form_rule(shown: str) -> Rule:
    source = shown + " {2|1}[ (“{3|t|4}”)][{dot}]"
    return Rule("text", (Pattern(source),), "maybe")


@lru_cache
def load_edition(code: str) -> Edition:
    """Read the tables of an edition."""
    file = _FOLDER / f"{code}.toml"
    known = [path.stem for path in _FOLDER.glob("*.toml")]
    if code not in known:
        raise UnknownNameError("Wiktionary edition", code, known)
    return Edition(tomllib.loads(file.read_text(encoding="utf-8")))
