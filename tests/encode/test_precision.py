"""Lower precision: how far vectors move, and that nothing else changes."""

from __future__ import annotations

import subprocess
from typing import Any

import numpy as np
import pytest
import torch

from uncommonsense.encode import Encoder, precision
from uncommonsense.encode.precision import Int8Linear, lower_precision
from uncommonsense.errors import UnknownNameError, UserError

SENTENCES = [
    line.split()
    for line in (
        "the old bank of the river was steep",
        "He went to the bank .",
        "A plant grows by the window ; another plant makes engines for small boats .",
    )
]
TARGETS = [(tokens, (i, i + 1)) for tokens in SENTENCES for i in range(len(tokens))]


def _vectors(subject: Any, **options: Any) -> np.ndarray:
    return Encoder.from_model(subject.model, subject.tokenizer, **options).encode(TARGETS)


def _cosines(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return (a * b).sum(-1) / np.linalg.norm(a, axis=-1) / np.linalg.norm(b, axis=-1)


@pytest.mark.parametrize(("dtype", "least"), [("bf16", 0.998), ("int8", 0.99)])
def test_vectors_stay_close(subject: Any, dtype: str, least: float) -> None:
    exact = _vectors(subject)
    lower = _vectors(subject, dtype=dtype)
    assert lower.dtype == np.float32
    assert _cosines(exact, lower).min() > least
    assert np.abs(exact - lower).max() > 1e-4, "nothing was computed in lower precision"


@pytest.mark.parametrize("dtype", ["bf16", "int8"])
def test_the_model_given_is_left_alone(bert: Any, dtype: str) -> None:
    before = {name: tensor.clone() for name, tensor in bert.model.state_dict().items()}
    lower_precision(bert.model, dtype)
    after = bert.model.state_dict()
    assert before.keys() == after.keys()
    assert all(torch.equal(before[name], after[name]) for name in before)


def test_precision_is_part_of_the_fingerprint(bert: Any) -> None:
    prints = {
        Encoder.from_model(bert.model, bert.tokenizer, dtype=dtype).fingerprint
        for dtype in ("fp32", "bf16", "int8")
    }
    assert len(prints) == 3


@pytest.mark.parametrize("bias", [True, False])
def test_int8_linear(bias: bool) -> None:
    """The error is that of rounding to 1/127 of the largest weight and the largest input."""
    generator = torch.Generator().manual_seed(0)
    linear = torch.nn.Linear(64, 40, bias=bias)
    x = torch.randn(5, 7, 64, generator=generator)
    with torch.inference_mode():
        exact = linear(x)
        found = Int8Linear.quantise(linear.weight, linear.bias)(x)
    bound = 64 * (x.abs().amax() * linear.weight.abs().amax()) / 127
    assert found.shape == exact.shape
    assert 0 < (found - exact).abs().max() < bound
    torch.testing.assert_close(found, exact, rtol=0, atol=0.05)


def test_int8_zeros_stay_zeros() -> None:
    linear = Int8Linear.quantise(torch.zeros(16, 8), None)
    assert torch.equal(linear(torch.zeros(3, 8)), torch.zeros(3, 16))


def test_stacked_int8_layers() -> None:
    x = torch.randn(9, 16, generator=torch.Generator().manual_seed(0))
    layers = [Int8Linear.quantise(*torch.nn.Linear(16, n).parameters()) for n in (8, 8, 24)]
    expected = torch.cat([layer(x) for layer in layers], dim=1)
    torch.testing.assert_close(Int8Linear.stack(layers)(x), expected)


def test_a_processor_that_cannot_do_bf16(bert: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """The attempt dies, this process does not."""

    def dies(*args: Any, **_: Any) -> Any:
        return subprocess.CompletedProcess(args, -4)

    precision._require_bf16.cache_clear()
    monkeypatch.setattr(precision.subprocess, "run", dies)
    with pytest.raises(UserError, match="bf16 arithmetic fails on this processor; use fp32 or int8"):
        lower_precision(bert.model, "bf16")


def test_an_unknown_dtype(bert: Any) -> None:
    with pytest.raises(UnknownNameError, match="unknown dtype 'fp8'"):
        _vectors(bert, dtype="fp8")
