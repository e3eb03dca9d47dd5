"""Every family of models against a plain computation with transformers, sentence by sentence."""

from __future__ import annotations

import copy
import dataclasses
import random
from typing import Any

import numpy as np
import plain
import pytest
import torch
import transformers
from families import LIMIT, TEXT

from uncommonsense.encode import Encoder, _hf
from uncommonsense.encode.pieces import Pieces
from uncommonsense.encode.plan import make_plan
from uncommonsense.errors import UserError

TOLERANCE = 1e-5

SENTENCES = [
    line.split()
    for line in (
        "Bank",
        "He sat on the bank .",
        "Don't leave the well-known path , it 's easy to lose one's way .",
        "The café sells crème brûlée for 2,500 drachmas (δραχμές) 😀 and 中文 tea",
        "the bank by the bank near another bank of the bank",
        "Zyxwv qwertyuiop antidisestablishmentarianism Fjordküste",
        "`` Really ! '' said his mother-in-law 's lawyer -- 3.14159 % of $ 1,200 ...",
        "the old bank of the river was steep and the children sat on it until evening came over the hill",
    )
]


def _spans(tokens: list[str]) -> list[tuple[int, int]]:
    """Every word, every pair of words, and the whole sentence."""
    words = [(start, start + 1) for start in range(len(tokens))]
    pairs = [(start, start + 2) for start in range(len(tokens) - 1)]
    return [*words, *pairs, (0, len(tokens))]


TARGETS = [(tokens, span) for tokens in SENTENCES for span in _spans(tokens)]

LAYERS: dict[str, Any] = {
    "last": lambda states: states[-1],
    "0": lambda states: states[0],
    "1": lambda states: states[1],
    "-2": lambda states: states[-2],
    "0,2": lambda states: states[[0, 2]],
    "1-2": lambda states: states[1:3],
    "all": lambda states: states,
    "mean": lambda states: states.mean(0),
    "mean:1-2": lambda states: states[1:3].mean(0),
    "sum:0=0.5,2=-1.25": lambda states: 0.5 * states[0] - 1.25 * states[2],
}


@pytest.fixture(scope="module")
def texts(subject: Any) -> list[plain.PlainText]:
    """Each sentence, run on its own by transformers."""
    return [plain.read(subject, tokens) for tokens in SENTENCES]


def _expected(texts: list[plain.PlainText], pool: str, combine: Any) -> np.ndarray:
    """Plain vectors of TARGETS: ``(targets, *shape)``."""
    return np.stack(
        [
            combine(text.vectors(span, pool)).numpy()
            for tokens, text in zip(SENTENCES, texts, strict=True)
            for span in _spans(tokens)
        ]
    )


def _encoder(subject: Any, **options: Any) -> Encoder:
    return Encoder.from_model(subject.model, subject.tokenizer, **options)


def _close(found: np.ndarray, expected: np.ndarray) -> None:
    np.testing.assert_allclose(found, expected, rtol=0, atol=TOLERANCE)


@pytest.mark.parametrize("layers", LAYERS)
def test_layers_are_those_of_transformers(subject: Any, texts: list[plain.PlainText], layers: str) -> None:
    encoder = _encoder(subject, layers=layers)
    found = encoder.encode(TARGETS)
    assert found.shape == (len(TARGETS), *encoder.shape)
    assert found.dtype == np.float32
    _close(found, _expected(texts, "mean", LAYERS[layers]))


@pytest.mark.parametrize("pool", ["first", "last"])
def test_pooling_picks_the_right_pieces(subject: Any, texts: list[plain.PlainText], pool: str) -> None:
    _close(_encoder(subject, layers="all", pool=pool).encode(TARGETS), _expected(texts, pool, LAYERS["all"]))


def test_words_and_layers_are_far_apart(texts: list[plain.PlainText]) -> None:
    """So that a wrong row or a wrong layer fails the tests above."""
    for tokens, text in zip(SENTENCES, texts, strict=True):
        vectors = torch.stack([text.vectors((i, i + 1)) for i in range(len(tokens))])
        words = vectors[:, -1]
        between_words = (words[:, None] - words[None]).abs().amax(-1) + torch.eye(len(words))
        assert between_words.min() > 1000 * TOLERANCE
        assert vectors.diff(dim=1).abs().amax(-1).min() > 1000 * TOLERANCE


def test_sentences_fit_the_models(texts: list[plain.PlainText]) -> None:
    assert max(len(text.ids) for text in texts) <= LIMIT


def test_special_tokens(subject: Any) -> None:
    frame = _hf.WordTokenizer(subject.tokenizer).frame
    assert tuple(subject.tokenizer.convert_ids_to_tokens(frame.prefix)) == subject.family.prefix
    assert tuple(subject.tokenizer.convert_ids_to_tokens(frame.suffix)) == subject.family.suffix


def test_pieces_are_those_of_running_text(subject: Any) -> None:
    """A word has the pieces it has in a string, not those of a word that follows no space."""
    text = "of the old bank and the children who came until evening"
    running = subject.tokenizer(text, add_special_tokens=False)["input_ids"]
    first, *others = _hf.WordTokenizer(subject.tokenizer).encode_words(text.split())
    after_first = [piece for word in others for piece in word]
    assert running[-len(after_first) :] == after_first
    assert len(running) - len(after_first) <= len(first) + 1


def test_position_limit(subject: Any) -> None:
    """As many positions as the model has can be read, and no more."""
    limit = _hf.Backbone(subject.model).limit
    assert limit == subject.family.limit
    tokenizer = _hf.WordTokenizer(subject.tokenizer)
    piece = tokenizer.encode_words(["the"])[0][0]
    ids = torch.full((1, limit), piece)
    assert torch.isfinite(plain.hidden_states(subject.model, input_ids=ids)).all()


@pytest.mark.parametrize("batch_tokens", [1, 60, 100_000])
def test_company_does_not_change_a_vector(subject: Any, batch_tokens: int) -> None:
    """Neither the batch, nor the order, nor the other targets."""
    expected = _encoder(subject).encode(TARGETS)
    order = random.Random(batch_tokens).sample(range(len(TARGETS)), len(TARGETS) // 2)
    found = _encoder(subject, batch_tokens=batch_tokens).encode([TARGETS[i] for i in order])
    _close(found, expected[order])


def test_a_target_alone(subject: Any) -> None:
    encoder = _encoder(subject)
    together = encoder.encode(TARGETS)
    chosen = range(0, len(TARGETS), 17)
    alone = np.concatenate([encoder.encode([TARGETS[i]]) for i in chosen])
    _close(alone, together[chosen])


def test_no_targets(subject: Any) -> None:
    assert _encoder(subject, layers="0,1").encode([]).shape == (0, 2, 32)


def test_the_lean_pass_is_the_model_itself(subject: Any) -> None:
    """With padding and without, any set of layers, any rows."""
    lean, reference = _hf.Backbone(subject.model), _hf.Backbone(subject.model, fused=False)
    generator = torch.Generator().manual_seed(1)
    ids = torch.randint(5, 150, (3, 20), generator=generator)
    padded = torch.arange(20) < torch.tensor([20, 11, 4])[:, None]
    rows = torch.tensor([0, 7, 19, 20, 25, 30, 40, 43])
    for mask in (None, padded):
        for wanted in ([0], [1], [reference.depth], [0, 2], range(reference.depth + 1)):
            with torch.inference_mode():
                found = lean.hidden_rows(ids, mask, None, wanted, rows)
                expected = reference.hidden_rows(ids, mask, None, wanted, rows)
            assert len(found) == len(wanted)
            torch.testing.assert_close(found, expected, rtol=0, atol=TOLERANCE)


def test_bert_shaped_models_take_the_lean_pass(subject: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def forward(*_: Any, **__: Any) -> None:
        raise AssertionError("the whole model was run")

    encoder = _encoder(subject)
    monkeypatch.setattr(type(encoder._backbone.model), "forward", forward)
    if subject.family.name in {"bert", "electra", "roberta", "distilroberta"}:
        encoder.encode(TARGETS[:3])
    else:
        with pytest.raises(AssertionError):
            encoder.encode(TARGETS[:3])


# Long sentences


def _long_sentence(words: int) -> list[str]:
    return random.Random(3).choices(TEXT.split(), k=words)


def test_long_sentences_are_read_through_windows(subject: Any) -> None:
    """A window is a stretch of the text's pieces around the target, run on its own."""
    tokens = _long_sentence(700)
    spans = [(0, 1), (1, 3), (12, 13), (350, 351), (351, 353), (600, 601), (698, 699), (699, 700)]
    tokenizer, backbone = _hf.WordTokenizer(subject.tokenizer), _hf.Backbone(subject.model)
    frame = tokenizer.frame
    room = backbone.limit - len(frame.prefix) - len(frame.suffix)
    targets = np.array([(0, *span) for span in spans])
    table = Pieces(tokenizer.encode_words).table(tokens)
    laid = make_plan(table, np.array([0, len(tokens)]), targets, limit=room, unknown=tokenizer.unknown)

    whole = plain.tokenize(subject, tokens)
    pairs = zip(whole["input_ids"][0].tolist(), whole.word_ids(), strict=True)
    content = [(piece, word) for piece, word in pairs if word is not None]
    found = _encoder(subject, layers="all").encode([(tokens, span) for span in spans])
    for target, span in enumerate(spans):
        start = int(laid.unit_start[laid.target_unit[target]])
        window = content[start : start + room]
        rows = [row for row, (_, word) in enumerate(window) if span[0] <= word < span[1]]
        assert len(window) == room
        assert len(rows) == sum(span[0] <= word < span[1] for _, word in content)
        left, right = rows[0], room - rows[-1] - 1
        fair = room // 2 - room // 8 - len(rows)
        assert left >= fair or start == 0
        assert right >= fair or start + room == len(content)
        ids = [*frame.prefix, *(piece for piece, _ in window), *frame.suffix]
        inputs = {"input_ids": torch.tensor([ids])}
        if frame.segments is not None:
            before, inside, after = frame.segments
            inputs["token_type_ids"] = torch.tensor([[*before, *[inside] * room, *after]])
        states = plain.hidden_states(subject.model, **inputs)
        _close(found[target], states[:, [row + len(frame.prefix) for row in rows]].mean(1).numpy())


def test_ten_thousand_words(subject: Any) -> None:
    tokens = _long_sentence(10_000)
    found = _encoder(subject).encode([(tokens, (i, i + 1)) for i in (0, 1, 5_000, 9_998, 9_999)])
    assert np.isfinite(found).all()
    assert (np.abs(np.diff(found, axis=0)).max(1) > 100 * TOLERANCE).all()


def test_long_and_short_together(bert: Any) -> None:
    """Many targets of a long sentence share windows; a short one beside it is read whole."""
    tokens = _long_sentence(600)
    encoder = _encoder(bert)
    alone = [(tokens, (i, i + 1)) for i in range(0, 600, 7)]
    found = encoder.encode([*TARGETS, *alone])
    _close(found[: len(TARGETS)], encoder.encode(TARGETS))
    _close(found[len(TARGETS) :: 10], encoder.encode(alone[::10]))


def test_a_target_longer_than_the_model_reads(bert: Any) -> None:
    with pytest.raises(UserError, match=r"a target of \d+ pieces does not fit the 94"):
        _encoder(bert).encode([(_long_sentence(200), (0, 200))])


# Words that vanish, and other odd input


WORD_PIECE = ["bert", "distilbert", "electra", "mpnet"]
"""Families whose normalisation deletes some characters."""
ODD = "\u200b"


def test_an_odd_word_shifts_nothing(subject: Any) -> None:
    """Whether it vanishes or not, and whether it is a target or not."""
    tokens = ["the", ODD, "bank", ODD, ODD, "of", "the", "river", ODD]
    text = plain.read(subject, tokens)
    spans = [(i, i + 1) for i, token in enumerate(tokens) if token != ODD]
    spans += [(1, 3), (2, 5), (0, 9)]
    encoder = _encoder(subject, layers="all")
    expected = np.stack([text.vectors(span).numpy() for span in spans])
    _close(encoder.encode([(tokens, span) for span in spans]), expected)
    with_odd = [(tokens, span) for span in [*spans, (1, 2), (3, 4), (3, 5), (8, 9)]]
    _close(encoder.encode(with_odd)[: len(spans)], expected)


@pytest.mark.parametrize("name", WORD_PIECE)
def test_a_vanishing_target_is_read_as_the_unknown_token(name: str, load_family: Any) -> None:
    subject = load_family(name)
    tokens = ["the", ODD, "bank", ODD, ODD, "of"]
    assert plain.read(subject, tokens).rows((3, 5)) == []
    encoder = _encoder(subject, layers="all")
    for span in ((1, 2), (3, 4), (3, 5)):
        seen = [*tokens[: span[0]], subject.tokenizer.unk_token, *tokens[span[0] + 1 :]]
        expected = plain.read(subject, seen).vectors((span[0], span[0] + 1)).numpy()
        _close(encoder.encode([(tokens, span), (tokens, (1, 2)), (tokens, (2, 3))])[0], expected)


def test_a_vanishing_target_in_a_long_sentence(bert: Any) -> None:
    tokens = [*_long_sentence(300), ODD, *_long_sentence(300)]
    encoder = _encoder(bert)
    shown = [*tokens[:300], "[UNK]", *tokens[301:]]
    _close(encoder.encode([(tokens, (300, 301))]), encoder.encode([(shown, (300, 301))]))


def test_a_vocabulary_without_english() -> None:
    """The special tokens are found although every probe word is unknown."""
    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    vocabulary = {piece: i for i, piece in enumerate([*special, "α", "##α", "##β"])}
    tokenizer = transformers.BertTokenizer(vocab=vocabulary)
    found = _hf.WordTokenizer(tokenizer)
    assert found.frame == ((2,), (3,), ((0,), 0, (0,)))
    assert found.encode_words(["αβ", "bank"]) == [[5, 7], [1]]


@pytest.mark.parametrize(
    ("name", "build"),
    [("bert", transformers.AutoModelForTokenClassification), ("gpt2", transformers.AutoModelForCausalLM)],
    ids=["bert", "gpt2"],
)
def test_a_head_makes_no_difference(name: str, build: Any, load_family: Any) -> None:
    """A model with a head on top gives the vectors of its body."""
    subject = load_family(name)
    headed = build.from_pretrained(subject.folder)
    found = Encoder.from_model(headed, subject.tokenizer).encode(TARGETS)
    _close(found, _encoder(subject).encode(TARGETS))


def test_adapters_are_not_skipped(bert: Any) -> None:
    """A layer that was replaced in the model is run, not read past."""

    class Doubled(torch.nn.Module):
        def __init__(self, linear: torch.nn.Linear) -> None:
            super().__init__()
            self.linear, self.weight, self.bias = linear, linear.weight, linear.bias

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return 2 * self.linear(x)

    changed = copy.deepcopy(bert.model)
    attention = changed.encoder.layer[1].attention.self
    attention.value = Doubled(attention.value)
    subject = dataclasses.replace(bert, model=changed)
    expected = plain.read(subject, SENTENCES[1]).vectors((4, 5))[-1].numpy()
    _close(_encoder(subject).encode([(SENTENCES[1], (4, 5))])[0], expected)


@pytest.mark.parametrize("span", [(-1, 1), (2, 2), (3, 2), (5, 7), (6, 7)])
def test_spans_outside_the_sentence(bert: Any, span: tuple[int, int]) -> None:
    with pytest.raises(UserError, match=r"is not inside a sentence of 6 tokens"):
        _encoder(bert).encode([(SENTENCES[1], span)])


def test_slow_tokenizers_are_refused(bert: Any) -> None:
    class Slow:
        is_fast = False

    with pytest.raises(UserError, match="Slow has no fast tokeniser"):
        Encoder.from_model(bert.model, Slow())


def test_a_name_that_is_no_model(tmp_path: Any) -> None:
    with pytest.raises(UserError, match=r"expected a folder with config\.json"):
        _hf.load(str(tmp_path))
