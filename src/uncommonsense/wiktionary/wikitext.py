"""Reading templates and links out of wikitext in one pass.

The scanner works from the inside out: when a template closes, its parameters are already text. It keeps
no tree and never goes back, so its time grows with the length of the text, however broken that is.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from typing import NamedTuple

__all__ = ["MAX_DEPTH", "Call", "drop_opaque", "scan"]

MAX_DEPTH = 100
"""Templates and links nested deeper are read as text; MediaWiki itself stops at 40."""

_TOKEN = re.compile(r"(\{\{|\}\}|\[\[|\]\]|\|)")
_SIMPLE_LINK = re.compile(r"\[\[([^\[\]{}|:#<>=_\n]+)\]\]")
_SIMPLE_TEXT_LINK = re.compile(r"\[\[[^\[\]{}|:=\n]+\|([^\[\]{}|=\n]*[^\[\]{}|=\s])\]\]")
_SPACES = re.compile(r"[\s_]+")
_OPAQUE = re.compile(
    r"<!--|<(ref|nowiki|math|chem|gallery|score|timeline|syntaxhighlight|source|pre)\b(?:[^<>]*[^<>/])?(/?)>",
    re.IGNORECASE,
)
_TEX_COMMAND = re.compile(r"\\([A-Za-z]+)\s?")
_TEX_WORDS = {"lambda": "λ", "pi": "π", "times": "×", "cdot": "·", "leq": "≤", "le": "≤", "geq": "≥"}
_TEX_WORDS |= {"infty": "∞", "to": "→", "rightarrow": "→", "in": "∈", "mathbb": "", "mathrm": "", "text": ""}
_TEX_WORDS |= {"alpha": "α", "beta": "β", "theta": "θ", "mu": "μ", "sigma": "σ", "sqrt": "√", "ldots": "…"}
_TEX_WORDS |= {"left": "", "right": "", "neq": "≠", "ne": "≠", "forall": "∀", "exists": "∃", "Delta": "Δ"}


class Call(NamedTuple):
    """A use of a template. Parameters without a name have the names ``1``, ``2`` and so on."""

    name: str
    parameters: dict[str, str]


Expand = Callable[[Call], str]
Show = Callable[[list[str]], str]


class _Frame:
    """A template or link that is still open: the parameters read so far, and the one being read."""

    __slots__ = ("counted", "finished", "is_template", "name", "parts", "pieces")

    def __init__(self, is_template: bool) -> None:
        self.is_template = is_template
        self.finished: dict[str, str] = {}
        self.parts: list[str] = []
        self.pieces: list[str] = []
        self.name: str | None = None
        self.counted = -1

    def add(self, text: str) -> None:
        """Take raw text; its first equals sign ends the name of a parameter."""
        if self.is_template and self.name is None and self.counted >= 0 and "=" in text:
            name, _, rest = text.partition("=")
            self.name = ("".join(self.pieces) + name).strip()
            self.pieces = [rest]
        else:
            self.pieces.append(text)

    def end_part(self) -> None:
        """Close the parameter being read; the first one is the template's name."""
        text = "".join(self.pieces)
        self.pieces = []
        if not self.is_template or self.counted < 0:
            self.parts.append(text)
            self.counted += 1
        elif self.name is None:
            self.counted += 1
            self.finished[str(self.counted)] = text
        else:
            self.finished[self.name] = text.strip()
            self.name = None


def scan(text: str, *, expand: Expand, show: Show, warnings: Counter[str]) -> list[str | Call]:
    """Split wikitext into text and the templates at its top level.

    ``expand`` turns a template inside another one into text; ``show`` does it for the parts of a link,
    wherever it stands. An unclosed template ends with the text; an unclosed link is text.
    """
    return _Scanner(expand, show, warnings).run(text)


class _Scanner:
    def __init__(self, expand: Expand, show: Show, warnings: Counter[str]) -> None:
        self.expand = expand
        self.show = show
        self.warnings = warnings
        self.out: list[str | Call] = []
        self.stack: list[_Frame] = []
        self.templates = 0
        self.too_deep = 0

    def run(self, text: str) -> list[str | Call]:
        parts = _TOKEN.split(_without_simple_links(text))
        if parts[0]:
            self.out.append(parts[0])
        for index in range(1, len(parts), 2):
            self.token(parts[index])
            if following := parts[index + 1]:
                self.add(following)
        self.finish()
        return self.out

    def add(self, text: str) -> None:
        if self.stack:
            self.stack[-1].add(text)
        else:
            self.out.append(text)

    def token(self, token: str) -> None:
        if token == "{{" or token == "[[":
            self.open(is_template=token == "{{")
        elif token == "}}":
            self.close_template()
        elif token == "|":
            if self.stack:
                self.stack[-1].end_part()
            else:
                self.out.append(token)
        elif self.stack and not self.stack[-1].is_template:
            self.close_link()
        else:
            self.add(token)

    def open(self, *, is_template: bool) -> None:
        if len(self.stack) < MAX_DEPTH:
            self.stack.append(_Frame(is_template))
            self.templates += is_template
            return
        self.warnings["nested too deep"] += 1
        self.too_deep += is_template

    def close_template(self) -> None:
        if self.too_deep:
            self.too_deep -= 1
            return
        if not self.templates:
            self.warnings["closing braces without a template"] += 1
            return
        self.dissolve_links()
        self.pop_template()

    def pop_template(self) -> None:
        frame = self.stack.pop()
        self.templates -= 1
        frame.end_part()
        call = Call(_SPACES.sub(" ", frame.parts[0]).strip(), frame.finished)
        if self.stack:
            self.stack[-1].pieces.append(self.expand(call))
        else:
            self.out.append(call)

    def close_link(self) -> None:
        frame = self.stack.pop()
        frame.end_part()
        shown = self.show(frame.parts)
        if self.stack:
            self.stack[-1].pieces.append(shown)
        else:
            self.out.append(shown)

    def dissolve_links(self) -> None:
        """Make the links that are open at the top of the stack text of what encloses them."""
        first = len(self.stack)
        while first and not self.stack[first - 1].is_template:
            first -= 1
        opened = self.stack[first:]
        del self.stack[first:]
        for frame in opened:
            self.warnings["unclosed link"] += 1
            frame.end_part()
            for index, part in enumerate(frame.parts):
                if index:
                    self.token("|")
                self.add(part)

    def finish(self) -> None:
        self.dissolve_links()
        while self.stack:
            self.warnings["unclosed template"] += 1
            self.pop_template()
            self.dissolve_links()


def _without_simple_links(text: str) -> str:
    """Links that need no look at their target, nine in ten, are replaced by their text at once."""
    if "[[" not in text:
        return text
    return _SIMPLE_TEXT_LINK.sub(r"\1", _SIMPLE_LINK.sub(r"\1", text))


def drop_opaque(text: str) -> str:
    """Leave out comments, references and galleries; make formulas and unparsed text safe for ``scan``."""
    if "<" not in text:
        return text
    kept: list[str] = []
    position = 0
    unclosed: set[str] = set()
    while match := _OPAQUE.search(text, position):
        kept.append(text[position : match.start()])
        position = match.end()
        tag = (match[1] or "").lower()
        if match[2]:
            continue
        end = -1 if tag in unclosed else _find_end(text, tag, position)
        if end < 0:
            unclosed.add(tag)
            continue
        kept.append(_keep_opaque(tag, text[position:end]))
        position = text.index(">", end) + 1
    kept.append(text[position:])
    return "".join(kept)


def _find_end(text: str, tag: str, position: int) -> int:
    if not tag:
        return text.find("-->", position)
    match = re.compile(rf"</{tag}\s*>", re.IGNORECASE).search(text, position)
    return match.start() if match else -1


def _keep_opaque(tag: str, content: str) -> str:
    if tag in ("nowiki", "pre", "syntaxhighlight", "source"):
        return _as_entities(content)
    if tag in ("math", "chem"):
        words = _TEX_COMMAND.sub(lambda match: _TEX_WORDS.get(match[1], match[1] + " "), content)
        return _as_entities(words.replace("{", "").replace("}", "").replace("\\", "").strip())
    return ""


_ENTITIES = {ord(character): f"&#{ord(character)};" for character in "[]{}|='<>&"}


def _as_entities(text: str) -> str:
    return text.translate(_ENTITIES)
