"""The state of a training run as tensors, and back: weights and the optimiser's moments."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError, safe_open
from torch import nn

from uncommonsense.errors import StoreError, UserError

__all__ = ["adam_state", "load_adam_state", "load_weights", "reading_checkpoint", "trained_weights"]

_WEIGHT = "weight"
_MOMENTS = ("step", "exp_avg", "exp_avg_sq")
"""Adam's state of one parameter, as torch names it."""

Tensors = dict[str, torch.Tensor]


def adam_state(parameters: Mapping[str, nn.Parameter], optimizer: torch.optim.Optimizer) -> Tensors:
    """Weights and moments; parameters that are not trained are left out."""
    tensors = {}
    for name, parameter in parameters.items():
        if state := optimizer.state.get(parameter):
            tensors[f"{_WEIGHT}.{name}"] = parameter.detach().contiguous()
            tensors |= {f"{moment}.{name}": state[moment].contiguous() for moment in _MOMENTS}
    return tensors


def load_adam_state(
    parameters: Mapping[str, nn.Parameter], optimizer: torch.optim.Optimizer, tensors: Tensors
) -> None:
    """The inverse of :func:`adam_state`."""
    load_weights(parameters, tensors)
    for name, parameter in parameters.items():
        if f"{_WEIGHT}.{name}" in tensors:
            optimizer.state[parameter] = {
                moment: tensors[f"{moment}.{name}"].to(parameter.device) for moment in _MOMENTS
            }


def trained_weights(tensors: Tensors) -> Tensors:
    """The weights among what :func:`adam_state` gave."""
    return {name: tensor for name, tensor in tensors.items() if name.startswith(f"{_WEIGHT}.")}


def load_weights(parameters: Mapping[str, nn.Parameter], tensors: Tensors) -> None:
    """Copy the weights into the parameters that have any."""
    with torch.no_grad():
        for name, parameter in parameters.items():
            if f"{_WEIGHT}.{name}" in tensors:
                parameter.copy_(tensors[f"{_WEIGHT}.{name}"])


@contextmanager
def reading_checkpoint(file: Path, run: str) -> Iterator[tuple[Tensors, dict[str, Any]]]:
    """Tensors and metadata (JSON values) of a checkpoint, which must be of the run of this name.

    What goes wrong while it is read or taken up is a damaged file.
    """
    try:
        with safe_open(file, "pt") as stored:
            about = stored.metadata()
            tensors = {name: stored.get_tensor(name) for name in stored.keys()}  # noqa: SIM118
        if about["run"] != run:
            raise UserError(
                f"{file} is the checkpoint of a run with another model, sample or recipe; "
                "choose another folder, or delete it"
            )
        yield tensors, {key: json.loads(value) for key, value in about.items() if key != "run"}
    except (SafetensorError, LookupError, TypeError, ValueError) as error:
        raise StoreError(f"{file} is damaged ({error}); delete it, and the run starts anew") from error
