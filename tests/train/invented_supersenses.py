"""Sentences about nothing, with supersenses that follow from their words."""

from __future__ import annotations

import json
from pathlib import Path

from uncommonsense.schema import Corpus, Instance, Sentence

NOUNS = {"bank": "n.PLACE", "river": "n.PLACE", "lamp": "n.THING", "chair": "n.THING", "judge": "n.PERSON"}
VERBS = {"sat": "v.rest", "lay": "v.rest", "turned": "v.motion", "went": "v.motion", "read": "v.thought"}
PREPOSITIONS = {"on": "p.Where", "under": "p.Where", "until": "p.When", "of": "p.Part", "with": "p.Part"}


def sentences() -> list[Sentence]:
    """125 sentences of five words, 375 instances; every fifth sentence is of the development split."""
    made = []
    for n, noun in enumerate(NOUNS):
        for v, verb in enumerate(VERBS):
            for p, preposition in enumerate(PREPOSITIONS):
                name, split = f"s-{n}{v}{p}", "dev" if p == 4 else "train"
                words = ("The", noun, verb, preposition, "it")
                labels = (NOUNS[noun], VERBS[verb], PREPOSITIONS[preposition])
                made.append(
                    Sentence(
                        name,
                        words,
                        "invented",
                        tuple(
                            Instance(f"{name}:{i + 1}", i, i + 1, words[i], label[0], (label,), split)
                            for i, label in enumerate(labels, 1)
                        ),
                    )
                )
    return made


def invented_corpus() -> Corpus:
    """100 nouns, verbs and prepositions each in the training split."""
    return Corpus.from_sentences(sentences(), name="invented")


def write_streusle(folder: Path) -> Path:
    """The same as STREUSLE's JSON files."""
    folder.mkdir(parents=True, exist_ok=True)
    for split in ("train", "dev"):
        records = [_record(each) for each in sentences() if each.instances[0].split == split]
        (folder / f"streusle.ud_{split}.json").write_text(json.dumps(records), encoding="utf-8")
    return folder


def _record(sentence: Sentence) -> dict[str, object]:
    words = {
        str(each.end): {
            "toknums": [each.end],
            "lexlemma": each.lemma,
            "lexcat": each.pos.upper(),
            "ss": each.senses[0],
            "ss2": None,
        }
        for each in sentence.instances
    }
    tokens = [{"#": i, "word": word} for i, word in enumerate(sentence.tokens, 1)]
    return {"sent_id": sentence.id, "toks": tokens, "swes": words, "smwes": {}}
