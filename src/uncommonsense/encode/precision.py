"""Lower precision on request, and the allocator setting that large activations want."""

from __future__ import annotations

import ctypes
import sys
from functools import cache
from typing import Any

import torch
from torch import nn

__all__ = ["keep_freed_memory", "lower_precision"]


def lower_precision(model: Any, dtype: str) -> Any:
    """The model in ``fp32`` (as it is), ``bf16``, or with ``int8`` linear layers; the argument is not changed."""
    if dtype == "fp32":
        return model
    import copy

    changed = copy.deepcopy(model)
    if dtype == "bf16":
        return changed.to(torch.bfloat16)
    for module in changed.modules():
        for name, child in module.named_children():
            if isinstance(child, nn.Linear):
                setattr(module, name, Int8Linear(child))
    return changed


class Int8Linear(nn.Module):
    """A linear layer in 8-bit integers: weights scaled per output, activations per row at run time."""

    def __init__(self, linear: nn.Linear) -> None:
        super().__init__()
        weight = linear.weight.detach().float()
        scale = weight.abs().amax(dim=1).clamp_min(1e-12) / 127
        self.register_buffer("weight", (weight / scale[:, None]).round().to(torch.int8).t().contiguous())
        self.register_buffer("scale", scale)
        self.bias = linear.bias

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Map ``(..., inputs)`` to ``(..., outputs)``."""
        rows = x.reshape(-1, x.shape[-1])
        scale = rows.abs().amax(dim=1, keepdim=True).clamp_min(1e-12) / 127
        product = torch._int_mm((rows / scale).round().to(torch.int8), self.weight)
        out = product.float().mul_(scale).mul_(self.scale)
        if self.bias is not None:
            out += self.bias
        return out.view(*x.shape[:-1], -1)


@cache
def keep_freed_memory() -> None:
    """Ask glibc to keep freed blocks for reuse.

    Activations of some megabytes are otherwise mapped and zeroed by the kernel in every layer, which
    costs a fifth of the time. No effect elsewhere than on Linux with glibc.
    """
    if not sys.platform.startswith("linux"):
        return
    m_trim_threshold, m_mmap_threshold = -1, -3
    try:
        mallopt = ctypes.CDLL("libc.so.6").mallopt
    except (OSError, AttributeError):
        return
    mallopt(m_mmap_threshold, 32 << 20)
    mallopt(m_trim_threshold, 512 << 20)
