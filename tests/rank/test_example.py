"""Query by example: reading the sentence, finding the word, finding usages like it."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from uncommonsense.encode.corpus import encode_text
from uncommonsense.errors import UnknownNameError, UserError
from uncommonsense.rank import nearest, parse_example
from uncommonsense.rank.example import Filters, Search, find_lemmas, find_usages, resolve_lemmas
from uncommonsense.schema import Corpus, Instance, Sentence
from uncommonsense.testing import HashEncoder, mini_corpus


@pytest.fixture(scope="module")
def corpus() -> Corpus:
    return mini_corpus()


def test_brackets() -> None:
    example = parse_example("She was [on] antibiotics.")
    assert example == (("She", "was", "on", "antibiotics", "."), 2, 3)
    assert example.target == "on"


@pytest.mark.parametrize(
    ("text", "tokens", "span"),
    [
        ("[Run]!", ("Run", "!"), (0, 1)),
        ("They [gave  up].", ("They", "gave", "up", "."), (1, 3)),
        ("un[do]ing", ("un", "do", "ing"), (1, 2)),
        ("Stop [it]", ("Stop", "it"), (1, 2)),
    ],
)
def test_brackets_anywhere(text: str, tokens: tuple[str, ...], span: tuple[int, int]) -> None:
    assert parse_example(text) == (tokens, *span)


@pytest.mark.parametrize(
    "text", ["", "no brackets", "[two] of [them]", "an empty [] one", "a blank [ ] one", "half [open"]
)
def test_exactly_one_word_is_marked(text: str) -> None:
    with pytest.raises(UserError, match="mark one word in square brackets"):
        parse_example(text)


def test_a_named_target() -> None:
    tokens = ("The", "mouse", "ate", "the", "other", "Mouse", ".")
    text = "The mouse ate the other Mouse."
    assert parse_example(text, target="ate") == (tokens, 2, 3)
    assert parse_example(text, target="mouse", occurrence=1) == (tokens, 1, 2)
    assert parse_example(text, target="MOUSE", occurrence=2) == (tokens, 5, 6)
    assert parse_example(text, target="the other") == (tokens, 3, 5)


def test_an_occurrence_is_never_guessed() -> None:
    text = "The mouse ate the other mouse."
    with pytest.raises(UserError, match=r"occurs 2 times .* --occurrence 1 to 2"):
        parse_example(text, target="mouse")
    for number in (0, -1, 3):
        with pytest.raises(UserError, match=f"there is no occurrence {number}"):
            parse_example(text, target="mouse", occurrence=number)
    with pytest.raises(UserError, match="give --target too"):
        parse_example("The [mouse] ate.", occurrence=1)


@pytest.mark.parametrize("target", ["cat", "", "mouse ate other", "mous"])
def test_a_target_must_occur(target: str) -> None:
    with pytest.raises(UserError, match="does not occur"):
        parse_example("The mouse ate the other.", target=target)


@given(st.lists(st.sampled_from(["mouse", "Mouse", "cat", "a"]), min_size=1, max_size=8), st.integers(1, 8))
def test_occurrences_count_from_the_left(words: list[str], number: int) -> None:
    places = [i for i, word in enumerate(words) if word.lower() == "mouse"]
    if number <= len(places):
        found = parse_example(" ".join(words), target="mouse", occurrence=number)
        assert (found.start, found.end) == (places[number - 1], places[number - 1] + 1)
    else:
        with pytest.raises(UserError):
            parse_example(" ".join(words), target="mouse", occurrence=number)


def ambiguous() -> Corpus:
    """``saw`` is a form of ``see`` twice and of ``saw`` once; ``give_up`` has two words."""
    rows = [
        ("see", ("I", "saw"), 1, 2),
        ("see", ("We", "Saw"), 1, 2),
        ("saw", ("a", "saw"), 1, 2),
        ("saw", ("saws",), 0, 1),
    ]
    rows.append(("give_up", ("They", "gave", "up"), 1, 3))
    return Corpus.from_sentences(
        Sentence(f"s{i}", tokens, "invented", (Instance(f"t{i}", start, end, lemma, "v"),))
        for i, (lemma, tokens, start, end) in enumerate(rows)
    )


@pytest.mark.parametrize(
    ("form", "lemmas"),
    [
        ("saw", ["see", "saw"]),
        ("SAW", ["see", "saw"]),
        ("saws", ["saw"]),
        ("see", ["see"]),
        ("give up", ["give_up"]),
        ("gave", []),
        ("They", []),
    ],
)
def test_lemmas_of_a_form(form: str, lemmas: list[str]) -> None:
    assert find_lemmas(ambiguous(), form) == lemmas


def test_lemmas_of_a_part_of_a_corpus() -> None:
    corpus = ambiguous()
    assert find_lemmas(corpus.select(np.arange(len(corpus)) >= 2), "saw") == ["saw"]


def test_lemmas_to_search() -> None:
    corpus = ambiguous()
    saw, saws, see, gave = (parse_example(f"I [{form}] it.") for form in ("saw", "saws", "see", "gave up"))
    assert resolve_lemmas(corpus, [saw]) == ["see", "saw"]
    assert resolve_lemmas(corpus, [saw, saws]) == ["saw"]
    assert resolve_lemmas(corpus, [saw], "see") == ["see"]
    assert resolve_lemmas(corpus, [gave], "Give up") == ["give_up"]
    with pytest.raises(UserError, match="different words: saws, see"):
        resolve_lemmas(corpus, [saws, see])
    with pytest.raises(UnknownNameError, match="--lemma"):
        resolve_lemmas(corpus, [gave])


@pytest.mark.parametrize("lemma", ["seee", "saws", "They"])
def test_a_form_is_no_lemma(lemma: str) -> None:
    """A form that is taken for a lemma would find nothing and say nothing."""
    with pytest.raises(UnknownNameError, match="unknown lemma") as caught:
        resolve_lemmas(ambiguous(), [parse_example("I [saw] it.")], lemma)
    assert "Known: give_up, saw, see" in str(caught.value)


@pytest.mark.parametrize(
    ("text", "sense"),
    [
        ("The other [bat] slept upside down too.", "bat.n.animal"),
        ("I dropped the [bat] and hit the ball.", "bat.n.club"),
        ("We [drew] trees with a soft pencil.", "draw.v.picture"),
        ("Four men [drew] the cart up the street.", "draw.v.pull"),
    ],
)
def test_the_nearest_usages_have_the_same_sense(corpus: Corpus, text: str, sense: str) -> None:
    encoder = HashEncoder()
    example = parse_example(text)
    lemmas = resolve_lemmas(corpus, [example])
    found = nearest(encoder, [example], corpus, encode_text(encoder, corpus), lemmas=lemmas, top=3)
    assert [usage.sense for usage in found] == [sense] * 3
    assert [usage.similarity for usage in found] == sorted(
        (usage.similarity for usage in found), reverse=True
    )
    assert all(usage.tokens[usage.start : usage.end][0].startswith(sense[:2]) for usage in found)


def test_a_usage_is_most_like_itself(corpus: Corpus) -> None:
    encoder = HashEncoder()
    vectors = encode_text(encoder, corpus)
    example = parse_example("He swung the wooden [bat] and hit the ball.")
    (best,) = nearest(encoder, [example], corpus, vectors, top=1)
    assert (best.instance, best.source, best.tokens) == ("bat.n.club.1.t0", "invented", example.tokens)
    assert best.similarity == pytest.approx(1)


def test_several_examples_are_averaged(corpus: Corpus) -> None:
    encoder = HashEncoder()
    vectors = encode_text(encoder, corpus)
    examples = [
        parse_example(text) for text in ("He [drew] with a soft pencil.", "He [drew] the cart up the lane.")
    ]
    found = nearest(encoder, examples, corpus, vectors, lemmas=["draw"], top=99)
    mean = sum(encoder.encode([(each.tokens, (each.start, each.end))])[0] for each in examples) / 2
    rows = [i for i, lemma in enumerate(corpus.instances["lemma"].to_pylist()) if lemma == "draw"]
    cosines = vectors[rows] @ mean / np.linalg.norm(vectors[rows], axis=1) / np.linalg.norm(mean)
    assert [usage.similarity for usage in found] == pytest.approx(sorted(cosines, reverse=True), abs=1e-6)


def test_without_lemmas_everything_is_searched(corpus: Corpus) -> None:
    encoder = HashEncoder()
    example = parse_example("She [swam].")
    assert len(nearest(encoder, [example], corpus, encode_text(encoder, corpus), top=99)) == 12
    assert nearest(encoder, [example], corpus, encode_text(encoder, corpus), lemmas=["swim"]) == []


def test_layers_that_are_kept_apart_are_refused(corpus: Corpus) -> None:
    with pytest.raises(UserError, match="one vector a word"):
        nearest(HashEncoder(), [parse_example("a [bat]")], corpus, np.zeros((12, 7, 256), np.float32))


def test_a_usage_without_a_sense(corpus: Corpus) -> None:
    encoder = HashEncoder()
    text = ambiguous()
    (best, *_) = nearest(encoder, [parse_example("I [saw]")], text, encode_text(encoder, text))
    assert (best.sense, best.instance) == ("", "t0")


def test_filters(corpus: Corpus) -> None:
    senses = corpus.instances["senses"].to_pylist()

    def found(lemmas: list[str] | None = None, **chosen: tuple[str, ...]) -> set[str]:
        return {senses[row][0] for row in find_usages(corpus, lemmas, Filters(**chosen))}

    assert found(["bat"], senses=("bat.n.club",)) == {"bat.n.club"}
    assert found(["bat"], not_senses=("bat.n.club",)) == {"bat.n.animal"}
    assert found(senses=("bat.n.club", "draw.v.pull")) == {"bat.n.club", "draw.v.pull"}
    assert found(["bat"], senses=("bat.n.club",), not_senses=("bat.n.club",)) == set()
    assert found(["bat"], sources=("vent",)) == {"bat.n.club", "bat.n.animal"}


@pytest.mark.parametrize(
    ("filters", "message"),
    [
        (Filters(senses=("bat.n.clubs",)), "unknown sense .* did you mean 'bat.n.club'"),
        (Filters(not_senses=("draw.v.pull",)), "unknown sense .*Known: bat.n.animal, bat.n.club"),
        (Filters(sources=("letters",)), "unknown source .*Known: invented"),
    ],
)
def test_a_filter_that_fits_nothing(corpus: Corpus, filters: Filters, message: str) -> None:
    with pytest.raises(UnknownNameError, match=message):
        find_usages(corpus, ["bat"], filters)


def test_a_sense_where_none_is_annotated() -> None:
    with pytest.raises(UnknownNameError, match="The usages of this word have no sense"):
        find_usages(ambiguous(), ["see"], Filters(senses=("see%2:39:00::",)))


def test_any_of_the_senses_counts() -> None:
    instance = Instance("t", 0, 1, "bat", "n", ("a", "b"))
    corpus = Corpus.from_sentences([Sentence("s", ("bat",), "x", (instance,))])
    assert find_usages(corpus, None, Filters(senses=("b",))).tolist() == [0]
    assert find_usages(corpus, None, Filters(not_senses=("b",))).tolist() == []
    (usage,) = nearest(HashEncoder(), [parse_example("a [bat]")], corpus, np.ones((1, 256), np.float32))
    assert (usage.sense, usage.senses, usage.lemma, usage.pos) == ("a", ("a", "b"), "bat", "n")


def test_a_word_with_two_lemmas_is_found_once() -> None:
    both = (Instance("t", 1, 2, "saw", "x"), Instance("t.see", 1, 2, "see", "v"))
    corpus = Corpus.from_sentences([Sentence("s", ("I", "saw"), "x", both)])
    example = parse_example("We [saw] it.")
    lemmas = resolve_lemmas(corpus, [example])
    assert lemmas == ["saw", "see"]
    (usage,) = nearest(
        HashEncoder(), [example], corpus, encode_text(HashEncoder(), corpus), lemmas=lemmas, top=5
    )
    assert usage.instance == "t"


def test_marks_refine_a_search(corpus: Corpus) -> None:
    """A vague query finds one sense or the other, as it is told."""
    encoder = HashEncoder()
    vectors = encode_text(encoder, corpus)
    search = Search(encoder, [parse_example("A [bat].")], corpus, vectors, find_usages(corpus, ["bat"]))
    assert len(search) == 6
    for good, bad in (("animal", "club"), ("club", "animal")):
        marks = {f"bat.n.{good}.1.t0": True, f"bat.n.{bad}.1.t0": False}
        found = search.nearest(2, marks)
        assert [usage.sense for usage in found] == [f"bat.n.{good}"] * 2
    assert search.nearest(6) == search.nearest(6, {})


def test_a_mark_that_is_not_in_the_corpus(corpus: Corpus) -> None:
    encoder = HashEncoder()
    search = Search(
        encoder, [parse_example("A [bat].")], corpus, encode_text(encoder, corpus), np.arange(len(corpus))
    )
    with pytest.raises(UnknownNameError, match="column 'instance' of an earlier search"):
        search.nearest(3, {"nothing": True})
