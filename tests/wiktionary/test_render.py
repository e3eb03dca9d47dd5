"""Plain text from markup and templates, of both generations."""

from __future__ import annotations

import pytest

from uncommonsense.errors import UnknownNameError
from uncommonsense.wiktionary.editions import load_edition
from uncommonsense.wiktionary.plain import plain
from uncommonsense.wiktionary.render import Renderer
from uncommonsense.wiktionary.wikitext import drop_opaque


def text_of(wikitext: str, title: str = "run") -> str:
    renderer = Renderer(load_edition("en"), title)
    return renderer.gloss(renderer.pieces(drop_opaque(wikitext)))


def bold_in(wikitext: str) -> list[str]:
    shown = plain(wikitext)
    return [shown.text[start:end] for start, end in shown.bold]


@pytest.mark.parametrize(
    ("wikitext", "bold", "text"),
    [
        ("He '''ran''' home.", ["ran"], "He ran home."),
        ("''He '''ran''' home.''", ["ran"], "He ran home."),
        ("'''''Running''' is fun.''", ["Running"], "Running is fun."),
        ("the '''''runners'''''!", ["runners"], "the runners!"),
        ("''''Run''', he said.'", ["Run"], "'Run, he said.'"),
        ("l'''homme'' ici", [], "l'homme ici"),
        ("a '''b", ["b"], "a b"),
        ("<b>run</b> &amp; '''&eacute;t&eacute;'''", ["run", "été"], "run & été"),
        ("x  ''' run '''  y", ["run"], "x run y"),
        ("'''a'''\n'''b'''", ["a", "b"], "a b"),
    ],
)
def test_bold_as_mediawiki_reads_it(wikitext: str, bold: list[str], text: str) -> None:
    assert (bold_in(wikitext), plain(wikitext).text) == (bold, text)


@pytest.mark.parametrize(
    ("wikitext", "text"),
    [
        (
            "A [[cat]] or [[dog|hound]]s, [[w:Ox|]] [[ox#Noun|ox]] [[File:A.png|thumb|x]][[Category:en:Ox]]",
            "A cat or hounds, Ox ox",
        ),
        ("[http://example.org the site] [http://example.org] end", "the site end"),
        ("17<sup>th</sup>, 10<sup>−3</sup> H<sub>2</sub>O<br/>next", "17th, 10⁻³ H₂O next"),
        ("{{l|en|ox}} {{m|la|bos|bovem|cow}} {{w|Ox (animal)|the ox}}", "ox bovem (“cow”) the ox"),
        ("To go. {{defdate|from 9th c.}}<ref name=x>{{R:X|page=1}}</ref>", "To go."),
        ("{{senseid|en|Q1}}{{n-g|Used to begin.}} {{gloss|of a race}}", "Used to begin. (of a race)"),
        ("in towns{{,}} or {{q|rarely}} cities {{...}}", "in towns, or (rarely) cities […]"),
        (
            "A season. (See {{pedialite|Spring (time)}} for others.)",
            "A season. (See Spring (time) for others.)",
        ),
        ("To go (see {{pedia}}), fast.", "To go (see run), fast."),
        ("Any {{wikipedia|Ox (animal)|ox}} at all.", "Any ox at all."),
        ("{{wikipedia}} A thing {{pedialite|Thing}}.", "A thing."),
        ("To go. {{pedialite|Go}}", "To go."),
        ("To go (see {{R:Book}}).", "To go."),
        ("To stray (from).", "To stray (from)."),
        ("{{Latn-def|en|name|N|n}}", "The name of the Latin-script letter N."),
        (
            "{{Latn-def|en|letter|1|a}}",
            "Letter number 1 of the alphabet, called a and written in the Latin script.",
        ),
        ("{{Latn-def|en|letter}}", "A letter of the alphabet, written in the Latin script."),
        (
            "{{Latn-def|en|ordinal|2}}",
            "The ordinal number of letter 2 of the alphabet, written in the Latin script.",
        ),
        ("{{Latn-def|en|other}}", "A letter of the Latin script."),
        ("{{plural of|en|ox}}", "plural of ox"),
        ("{{plural of|ox|lang=en}}", "plural of ox"),
        ("{{initialism of|en|[[red]] [[green]]|dot=;}} {{n-g|also rg}}", "Initialism of red green; also rg"),
        ("{{alt form|en|gaol|t=prison}}", "Alternative form of gaol (“prison”)"),
        ("{{abbr of|en|about}}", "Abbreviation of about"),
        ("{{brand new form of|en|ox}}", "brand new form of ox"),
        ("{{en-past of|run}}", "simple past tense and past participle of run"),
        ("{{inflection of|en|be||1|p|pres}}", "first-person plural present of be"),
        ("{{inflection of|be||2|pres|lang=en}}", "second-person present of be"),
        ("{{given name|en|female|from=Latin}}", "A female given name from Latin"),
        ("{{given name|male|from=Old English}}", "A male given name from Old English"),
        ("{{surname|en}}", "A surname"),
        ("{{surname|en|Scottish}}", "A Scottish surname"),
        ("{{place|en|city|s/Texas|c/USA}}", "A city in Texas, USA"),
        ("{{place|en|A <<city>> in <<s/Texas>>}}", "A city in Texas"),
        ("{{demonym-noun|en|Paris}}", "A native or inhabitant of Paris"),
        ("{{&lit|en|false|friend}}", "Used other than figuratively or idiomatically: see false, friend."),
        (
            "{{&lit|false|friend|lang=en}}",
            "Used other than figuratively or idiomatically: see false, friend.",
        ),
        (
            "{{frac|1|2}} {{circa|1600}} {{taxlink|Bos taurus|species}} {{SIC}}",
            "1⁄2 c. 1600 Bos taurus [sic]",
        ),
        ("as in {{PAGENAME}} __NOTOC__", "as in run"),
        ("a [[cat|b {{w|c}}]] }} ]]", "a b c ]"),
        ("the tag <nowiki><br></nowiki> and &lt;i&gt;", "the tag ‹br› and ‹i›"),
    ],
)
def test_what_is_shown(wikitext: str, text: str) -> None:
    assert text_of(wikitext) == text


def test_an_unknown_template_shows_its_text_and_is_counted() -> None:
    renderer = Renderer(load_edition("en"), "run")
    shown = renderer.gloss(renderer.pieces("the {{zzlink|en|word|form}} in {{zzwrap|some text}}{{zzempty}}."))
    assert shown == "the form in some text."
    assert renderer.unknown == {"zzlink": 1, "zzwrap": 1, "zzempty": 1}


def test_an_unknown_edition_names_the_known_ones() -> None:
    with pytest.raises(UnknownNameError, match="Known: en"):
        load_edition("xx")
