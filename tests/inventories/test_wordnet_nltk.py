"""WordNet as NLTK reads the same files."""

from __future__ import annotations

import re
import shutil
import warnings
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

from uncommonsense.inventories.wordnet import LEXFILES, Synset, WordNet

pytest.importorskip("nltk", reason="compares with NLTK's reader; pip install nltk")


@pytest.fixture(scope="module")
def nltk_wordnet(wordnet_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    import nltk
    from nltk.corpus.reader.wordnet import WordNetCorpusReader
    from nltk.data import FileSystemPathPointer

    data = tmp_path_factory.mktemp("nltk_data")
    folder = data / "corpora" / "wordnet"
    folder.mkdir(parents=True)
    for file in wordnet_folder.iterdir():
        shutil.copy(file, folder)
    parts = {"noun": 1, "verb": 2, "adj": 3, "adv": 4}
    lines = [f"{number:02d}\t{name}\t{parts[name.split('.')[0]]}\n" for number, name in enumerate(LEXFILES)]
    (folder / "lexnames").write_text("".join(lines))
    with pytest.MonkeyPatch.context() as patch, warnings.catch_warnings():
        # NLTK reads only below the folders of its own search path.
        patch.setattr(nltk.data, "path", [*nltk.data.path, str(data)])
        warnings.simplefilter("ignore")
        yield WordNetCorpusReader(FileSystemPathPointer(str(folder)), None)


@pytest.fixture(scope="module")
def lemmas(wordnet: WordNet) -> list[str]:
    """Every 25th lemma."""
    return list(wordnet.lemmas())[::25]


def test_synsets_of_lemmas(wordnet: WordNet, nltk_wordnet: Any, lemmas: list[str]) -> None:
    assert len(lemmas) > 5_000
    for lemma in lemmas:
        for pos in "nvar":
            ours = [wordnet.synset_of(key).offset for key in wordnet.candidates(lemma, pos)]
            assert ours == nltk_wordnet._lemma_pos_offset_map[lemma].get(pos, []), (lemma, pos)


def by_offset(reader: Any, synset: Synset) -> Any:
    """NLTK's synset. Its names cannot be used: NLTK 3.9.2 began to count satellites apart."""
    return reader.synset_from_pos_and_offset(synset.pos, synset.offset)


def offsets(synsets: Iterable[Any]) -> set[tuple[str, int]]:
    return {
        (each.pos, each.offset) if isinstance(each, Synset) else (each.pos(), each.offset())
        for each in synsets
    }


def test_names_and_relations(wordnet: WordNet, nltk_wordnet: Any) -> None:
    names = list(wordnet.synsets())[::10]
    assert len(names) > 10_000
    for name in names:
        ours = wordnet.synset(name)
        theirs = by_offset(nltk_wordnet, ours)
        lemma, pos = theirs.lemma_names()[0].lower(), theirs.pos()
        number = nltk_wordnet._lemma_pos_offset_map[lemma][pos.replace("s", "a")].index(theirs.offset()) + 1
        assert name == f"{lemma}.{pos}.{number:02d}"
        assert pos == "s" or name == theirs.name()
        assert (ours.pos, ours.lexfile, ours.lemmas) == (pos, theirs.lexname(), tuple(theirs.lemma_names()))
        # Of two spellings in one synset (KB, kB) only one key is in index.sense; NLTK makes up the other.
        for key, word in zip(ours.keys, theirs.lemmas(), strict=True):
            assert key == word.key() or word.key() not in wordnet
        assert offsets(wordnet.hypernyms(ours)) == offsets(theirs.hypernyms())
        assert offsets(wordnet.hyponyms(ours, instances=True)) == offsets(
            theirs.hyponyms() + theirs.instance_hyponyms()
        )


@pytest.mark.parametrize(
    ("relation", "method"),
    [
        ("antonym", "antonyms"),
        ("derivation", "derivationally_related_forms"),
        ("pertainym", "pertainyms"),
    ],
)
def test_lemma_relations(wordnet: WordNet, nltk_wordnet: Any, relation: str, method: str) -> None:
    sources = [wordnet.key(row) for row in sorted(set(wordnet.sense_edges(relation)[:, 0].tolist()))[::5]]
    assert len(sources) > 1_000
    for key in sources:
        theirs = {lemma.key() for lemma in getattr(nltk_wordnet.lemma_from_key(key), method)()}
        assert {target for kind, target in wordnet.relations(key) if kind == relation} == theirs, key


def test_tag_counts(wordnet: WordNet, nltk_wordnet: Any, wordnet_folder: Path, lemmas: list[str]) -> None:
    if not (wordnet_folder / "cntlist.rev").is_file():
        pytest.skip("this copy has no cntlist.rev")
    for key in [key for lemma in lemmas[::5] for key in wordnet.candidates(lemma)]:
        assert wordnet.count(key) == nltk_wordnet.lemma_from_key(key).count()


def test_definitions_and_examples(wordnet: WordNet, nltk_wordnet: Any) -> None:
    """All glosses alike, but where NLTK cuts phrases out of definitions or leaves attributions in them."""
    differing = 0
    for name in wordnet.synsets():
        ours = wordnet.synset(name)
        theirs = by_offset(nltk_wordnet, ours)
        definition, examples = theirs.definition(), tuple(each.strip() for each in theirs.examples())
        if ours.gloss != definition:
            differing += 1
            assert _words(definition) & _words(ours.gloss) or not definition
        elif ours.examples != examples:
            assert set(examples) - set(ours.examples) == set(), name
    assert differing < 117_659 * 0.007


def _words(text: str) -> set[str]:
    return set(re.findall(r"\w+", text))


def _inflections(lemma: str) -> list[str]:
    endings = ("s", "es", "ed", "ing", "er", "est", "men", "ies", "ful")
    return [lemma, *(lemma + ending for ending in endings), *(lemma[:-1] + ending for ending in endings)]


@pytest.mark.parametrize("pos", ["n", "v", "a", "r"])
def test_morphy(wordnet: WordNet, nltk_wordnet: Any, lemmas: list[str], pos: str) -> None:
    """Single words alike, but for -ss and short nouns, which WordNet leaves whole and NLTK does not."""
    exceptions = [form for form in nltk_wordnet._exception_map[pos] if "_" not in form and "-" not in form]
    forms = [form for lemma in lemmas[::4] if lemma.isalpha() for form in _inflections(lemma)] + exceptions
    assert len(forms) > 5_000
    for form in forms:
        ours, theirs = wordnet.morphy(form, pos), nltk_wordnet._morphy(form, pos)
        if pos == "n" and (form.endswith(("ss", "ful", "ves")) or len(form) <= 2):
            assert theirs[:1] == [] or form not in theirs or ours[:1] == theirs[:1], form
        else:
            assert ours[: len(theirs)] == theirs, form


def test_morphy_on_collocations_finds_what_nltk_finds(wordnet: WordNet, nltk_wordnet: Any) -> None:
    collocations = [lemma for lemma in wordnet.lemmas() if "_" in lemma][::40]
    for lemma in collocations:
        for form in (lemma, lemma + "s" * (lemma[-1] != "s"), lemma.replace("_", "s_", 1)):
            for pos in "nva":
                assert set(nltk_wordnet._morphy(form, pos)) <= set(wordnet.morphy(form, pos)), form
