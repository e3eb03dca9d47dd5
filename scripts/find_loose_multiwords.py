"""Write the list of WordNet entries whose words mostly do not belong together in running text.

    python scripts/find_loose_multiwords.py --semcor semcor3.0 [--out multiwords.toml]

Entries are looked for in SemCor (brown1 and brown2 without the documents that the tagger holds out) as the
text pipeline does it. One with a function word in it is loose if it is found at least ``_OFTEN`` times and
the annotators took it for one entry in less than ``_SHARE`` of these.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from pathlib import Path
from zlib import crc32

from uncommonsense.corpora.semcor import read
from uncommonsense.inventories.wordnet import WordNet
from uncommonsense.text.multiwords import Multiwords
from uncommonsense.text.pipeline import Pipeline

_OFTEN, _SHARE = 3, 0.3
_FUNCTION_WORDS = frozenset({"ADP", "ADV", "AUX", "CCONJ", "DET", "PART", "PRON", "SCONJ"})

_HEAD = """\
# Entries of WordNet with a function word in them that SemCor's annotators mostly did not take for one entry:
# written by scripts/find_loose_multiwords.py.
[loose]
"""


def count(semcor: Path) -> tuple[Counter[tuple[str, str]], Counter[tuple[str, str]]]:
    """How often each entry with a function word is found, and how often it is one."""
    pipeline, finder = Pipeline(WordNet()), Multiwords(WordNet(), loose={})
    found: Counter[tuple[str, str]] = Counter()
    right: Counter[tuple[str, str]] = Counter()
    for folder in ("brown1", "brown2"):
        for sentence in read(semcor / folder):
            if crc32(sentence.source.encode()) % 10 == 0:
                continue
            [tags] = pipeline.tagger.tag([sentence.tokens])
            spans = {(each.start, each.end) for each in sentence.instances}
            lemmas = pipeline.lemmas(sentence.tokens, tags)
            for start, end, lemma, pos in finder.find(sentence.tokens, tags, lemmas):
                if _FUNCTION_WORDS & set(tags[start:end]):
                    found[lemma, pos] += 1
                    right[lemma, pos] += (start, end) in spans
    return found, right


def main() -> None:
    """Count, and write or show the list."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--semcor", type=Path, required=True, help="the folder with brown1 and brown2")
    parser.add_argument("--out", type=Path, help="where to write; otherwise to standard output")
    arguments = parser.parse_args()
    found, right = count(arguments.semcor)
    loose: dict[str, str] = {}
    for lemma, pos in sorted(found):
        number = found[lemma, pos]
        if number >= _OFTEN and right[lemma, pos] < _SHARE * number:
            loose[lemma] = loose.get(lemma, "") + pos
    text = _HEAD + "".join(f'"{lemma}" = "{parts}"\n' for lemma, parts in loose.items())
    if arguments.out:
        arguments.out.write_text(text, encoding="utf-8")
    else:
        sys.stdout.write(text)


if __name__ == "__main__":
    main()
