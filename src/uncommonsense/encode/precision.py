"""Lower precision on request, and the allocator setting that large activations want."""

from __future__ import annotations

import copy
import ctypes
import subprocess
import sys
from collections.abc import Sequence
from functools import cache
from typing import Any

import torch
from torch import nn

from uncommonsense.errors import UserError

__all__ = ["Int8Linear", "keep_freed_memory", "lower_precision"]


def lower_precision(model: Any, dtype: str) -> Any:
    """The model in ``fp32`` (as it is), or a copy in ``bf16`` or with ``int8`` linear layers."""
    if dtype == "fp32":
        return model
    if dtype == "bf16":
        _require_bf16()
        return copy.deepcopy(model).to(torch.bfloat16)
    changed = copy.deepcopy(model)
    for module in changed.modules():
        for name, child in module.named_children():
            if type(child) is nn.Linear:
                setattr(module, name, Int8Linear.quantise(child.weight, child.bias))
            elif type(child).__name__ == "Conv1D":  # GPT-2's linear layer, stored the other way round
                setattr(module, name, Int8Linear.quantise(child.weight.t(), child.bias))
    return changed


class Int8Linear(nn.Module):
    """A linear layer in 8-bit integers: weights scaled per output, activations per row at run time."""

    weight: torch.Tensor
    """``(inputs, outputs) int8``"""
    scale: torch.Tensor
    """``(outputs,) float32``"""
    bias: torch.Tensor
    """``(outputs,) float32``"""

    def __init__(self, weight: torch.Tensor, scale: torch.Tensor, bias: torch.Tensor) -> None:
        super().__init__()
        self.register_buffer("weight", weight.contiguous())
        self.register_buffer("scale", scale)
        self.register_buffer("bias", bias)

    @classmethod
    def quantise(cls, weight: torch.Tensor, bias: torch.Tensor | None) -> Int8Linear:
        """From the ``(outputs, inputs)`` weight of a linear layer."""
        weight = weight.detach().float()
        scale = weight.abs().amax(dim=1).clamp_min(1e-12) / 127
        bias = torch.zeros_like(scale) if bias is None else bias.detach().float()
        return cls((weight / scale[:, None]).round().to(torch.int8).t(), scale, bias)

    @classmethod
    def stack(cls, layers: Sequence[Int8Linear]) -> Int8Linear:
        """One layer whose outputs are those of all, one after the other."""
        weight = torch.cat([layer.weight for layer in layers], dim=1)
        scale = torch.cat([layer.scale for layer in layers])
        return cls(weight, scale, torch.cat([layer.bias for layer in layers]))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Map ``(..., inputs)`` to ``(..., outputs)``."""
        rows = x.reshape(-1, x.shape[-1])
        scale = rows.abs().amax(dim=1, keepdim=True).clamp_min(1e-12) / 127
        product = torch._int_mm((rows / scale).round_().to(torch.int8), self.weight)
        return torch.addcmul(self.bias, product * scale, self.scale).view(*x.shape[:-1], -1)


@cache
def _require_bf16() -> None:
    """Try bf16 in a process that may die.

    Some virtual machines announce matrix instructions (AMX) and kill whoever runs one.
    """
    attempt = "import torch; x = torch.ones(64, 64, dtype=torch.bfloat16); torch.nn.functional.linear(x, x)"
    if subprocess.run([sys.executable, "-c", attempt], capture_output=True, check=False).returncode:
        raise UserError(
            "bf16 arithmetic fails on this processor; use fp32 or int8, "
            "or set ONEDNN_MAX_CPU_ISA=AVX512_CORE_FP16 in the environment"
        )


@cache
def keep_freed_memory() -> None:
    """Ask glibc to keep freed blocks for reuse, in one place for all threads.

    Activations of some megabytes are otherwise mapped and zeroed by the kernel in every layer, which
    costs a fifth of the time. No effect elsewhere than on Linux with glibc.
    """
    if not sys.platform.startswith("linux"):
        return
    m_trim_threshold, m_mmap_threshold, m_arena_max = -1, -3, -8
    try:
        mallopt = ctypes.CDLL("libc.so.6").mallopt
    except (OSError, AttributeError):
        return
    mallopt(m_mmap_threshold, 32 << 20)
    mallopt(m_trim_threshold, 512 << 20)
    mallopt(m_arena_max, 1)
