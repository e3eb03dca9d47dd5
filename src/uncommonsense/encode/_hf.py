"""The one file that knows transformers' names: loading, tokenising, hidden states."""

from __future__ import annotations

import contextlib
import hashlib
import io
import json
import logging
import os
import shutil
import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError

from uncommonsense.encode.fused import FusedEncoder, FusedLayer, stack_linears
from uncommonsense.encode.pieces import Frame
from uncommonsense.errors import MissingResourceError, UserError

__all__ = ["Backbone", "WordTokenizer", "load", "load_gguf", "save"]

_UNLIMITED = 512
"""Pieces read at once by families without a position limit (XLNet, relative positions)."""

_BERT_SHAPED = {"bert", "roberta", "xlm-roberta", "camembert", "electra"}
_PROBE = ("alpha", "beta", "gamma", "delta", "on", "the", "of")


def load(name: str, *, revision: str | None = None, trust_remote_code: bool = False) -> tuple[Any, Any]:
    """The transformers model (no head, evaluation mode, float32) and tokeniser behind ``name``."""
    import transformers

    if Path(name).exists() and not (Path(name) / "config.json").is_file():
        raise UserError(
            f"{name} is no model: expected a folder with config.json, as save_pretrained writes it"
        )
    options: dict[str, Any] = {"revision": revision, "trust_remote_code": trust_remote_code}
    with _quiet():
        try:
            tokenizer = transformers.AutoTokenizer.from_pretrained(name, use_fast=True, **options)
            model = transformers.AutoModel.from_pretrained(name, dtype=torch.float32, **options)
        except (OSError, ValueError, ImportError, KeyError, SafetensorError) as error:
            raise _cannot_load(name, error) from error
    return model.eval(), tokenizer


def load_gguf(file: Path, converted: Path) -> Path:
    """Turn a GGUF file into a plain transformers folder (dequantised, float32), once; return the folder.

    The folder appears under its name when it is complete.
    """
    import transformers

    if (converted / "config.json").exists():
        return converted
    try:
        import accelerate  # noqa: F401
        import gguf  # noqa: F401
    except ImportError as error:
        raise MissingResourceError(
            f"reading {file.name} needs an extra: pip install 'uncommonsense[gguf]' (in a clone: '.[gguf]')"
        ) from error
    # The reader's progress bar has no switch; what it writes is not wanted.
    with _quiet(), contextlib.redirect_stderr(io.StringIO()):
        tokenizer = transformers.AutoTokenizer.from_pretrained(file.parent, gguf_file=file.name)
        model = transformers.AutoModelForCausalLM.from_pretrained(
            file.parent, gguf_file=file.name, dtype=torch.float32
        )
        # A model marked as quantised refuses to be saved; its weights are plain by now.
        plain = type(model)(transformers.AutoConfig.for_model(**_plain_config(model.config)))
        plain.load_state_dict(model.state_dict())
    part = converted.with_name(f"{converted.name}.{os.getpid()}.part")
    try:
        save(plain, tokenizer, part)
        part.rename(converted)
    except OSError:
        if not (converted / "config.json").exists():  # or else another process was faster
            raise
    finally:
        shutil.rmtree(part, ignore_errors=True)
    return converted


def save(model: Any, tokenizer: Any, folder: Path) -> None:
    """Write both as a folder that transformers loads."""
    with _quiet():
        model.save_pretrained(folder)
        tokenizer.save_pretrained(folder)


class WordTokenizer:
    """A fast tokeniser seen word by word; see :class:`uncommonsense.encode.pieces.Tokenizer`."""

    def __init__(self, tokenizer: Any) -> None:
        if not getattr(tokenizer, "is_fast", False):
            raise UserError(
                f"{type(tokenizer).__name__} has no fast tokeniser, which word alignment needs; "
                "convert it to tokenizer.json (tokenizers library) first"
            )
        self._backend = type(tokenizer.backend_tokenizer).from_str(tokenizer.backend_tokenizer.to_str())
        self._backend.no_truncation()
        self._backend.no_padding()
        self._lead = self._find_lead()
        self.frame = _find_frame(tokenizer, self._lead)
        self.unknown: int | None = tokenizer.unk_token_id
        self.pad: int = tokenizer.pad_token_id if tokenizer.pad_token_id is not None else 0

    def encode_words(self, words: Sequence[str]) -> list[list[int]]:
        """The pieces of each word as it stands after a space."""
        marked = [[self._lead + word] for word in words]
        encodings = self._backend.encode_batch(marked, is_pretokenized=True, add_special_tokens=False)
        return [encoding.ids for encoding in encodings]

    def identity(self) -> str:
        """What decides the pieces, as text to be hashed."""
        return json.dumps([self._backend.to_str(), self._lead, self.frame])

    def _find_lead(self) -> str:
        """What must stand before a lone word so that its pieces are those it has in running text.

        Byte-level BPE needs the space; WordPiece and SentencePiece bring their own mark.
        """
        text = " ".join(_PROBE)
        encoding = self._backend.encode(text, add_special_tokens=False)
        places = zip(encoding.ids, encoding.offsets, strict=True)
        running = [piece for piece, (start, _) in places if start >= len(_PROBE[0])]
        for lead in ("", " "):
            alone = self._backend.encode_batch(
                [[lead + word] for word in _PROBE[1:]], is_pretokenized=True, add_special_tokens=False
            )
            if [piece for word in alone for piece in word.ids] == running:
                return lead
        raise UserError(
            "this tokeniser does not cut text into the same pieces word by word as it does in running text, "
            "so words cannot be aligned with their vectors; use another model"
        )


class Backbone:
    """A transformers model as the encoder sees it: pieces in, rows of hidden states out."""

    def __init__(self, model: Any, *, fused: bool = True) -> None:
        config = model.config
        model = model.base_model  # without the head, if it has one
        if config.is_encoder_decoder:
            model = model.get_encoder()
        self.model = model
        self.dim: int = config.hidden_size
        self.depth: int = config.num_hidden_layers
        self.limit = _position_limit(model)
        self._fused = _fuse(model) if fused else None

    def identity(self) -> str:
        """What decides the hidden states, as text to be hashed: weights and settings, not where they lie."""
        digest = hashlib.sha256()
        for name, tensor in sorted(self.model.state_dict().items()):
            digest.update(f"{name} {tensor.dtype} {tuple(tensor.shape)}".encode())
            digest.update(tensor.reshape(-1).contiguous().view(torch.uint8).numpy())
        config = {k: v for k, v in _plain_config(self.model.config).items() if k not in _IRRELEVANT_SETTINGS}
        return json.dumps([digest.hexdigest(), config], sort_keys=True, default=str)

    def version(self) -> int:
        """A number that changes when weights are changed in place."""
        return sum(parameter._version for parameter in self.model.parameters())

    def hidden_rows(
        self,
        ids: torch.Tensor,
        mask: torch.Tensor | None,
        segments: torch.Tensor | None,
        wanted: Sequence[int],
        rows: torch.Tensor,
    ) -> list[torch.Tensor]:
        """Hidden states ``(rows, dim)`` after each wanted layer; see :meth:`FusedEncoder.hidden_rows`."""
        if self._fused is not None:
            return self._fused.hidden_rows(ids, mask, segments, wanted, rows)
        inputs: dict[str, Any] = {"input_ids": ids}
        inputs["attention_mask"] = torch.ones_like(ids) if mask is None else mask.long()
        if segments is not None:
            inputs["token_type_ids"] = segments
        states = self.model(**inputs, output_hidden_states=True, return_dict=True).hidden_states
        return [states[layer].reshape(-1, self.dim)[rows] for layer in wanted]


_IRRELEVANT_SETTINGS = {
    "_attn_implementation", "_name_or_path", "architectures", "dtype", "gradient_checkpointing",
    "output_attentions", "output_hidden_states", "return_dict", "torch_dtype",
    "transformers_version", "use_cache",
}  # fmt: skip


def _plain_config(config: Any) -> dict[str, Any]:
    settings: dict[str, Any] = config.to_dict()
    settings.pop("quantization_config", None)
    return settings


def _find_frame(tokenizer: Any, lead: str) -> Frame:
    """Read the special tokens off the tokeniser's own treatment of a one-word text."""
    text = {"text": lead + "the"} if lead else {"text": ["the"], "is_split_into_words": True}
    encoding = tokenizer(**text, return_special_tokens_mask=True)
    ids, special = encoding["input_ids"], encoding["special_tokens_mask"]
    before, after = special.index(0), len(ids) - special[::-1].index(0)
    types = encoding.get("token_type_ids")
    segments = None
    if types is not None:
        segments = (tuple(types[:before]), types[before], tuple(types[after:]))
    return Frame(tuple(ids[:before]), tuple(ids[after:]), segments)


def _position_limit(model: Any) -> int:
    limit = getattr(model.config, "max_position_embeddings", None) or -1
    if limit <= 0:
        return _UNLIMITED
    table = getattr(getattr(model, "embeddings", None), "position_embeddings", None)
    if (padding := getattr(table, "padding_idx", None)) is not None:
        limit -= padding + 1  # RoBERTa and its kin count positions from the padding id on
    return min(int(limit), 8192)


def _fuse(model: Any) -> FusedEncoder | None:
    """Fused layers for a BERT-shaped encoder; None for every other model."""
    config = model.config
    own_code = type(model).__module__.startswith("transformers.")
    if config.model_type not in _BERT_SHAPED or not own_code or config.is_decoder:
        return None
    if getattr(config, "position_embedding_type", "absolute") != "absolute":
        return None
    embed = model.embeddings
    if (project := getattr(model, "embeddings_project", None)) is not None:

        def embed(**inputs: Any) -> Any:
            return project(model.embeddings(**inputs))

    return FusedEncoder(embed, [_fuse_layer(layer, config) for layer in model.encoder.layer])


def _fuse_layer(layer: Any, config: Any) -> FusedLayer:
    attention, attention_out = layer.attention.self, layer.attention.output
    return FusedLayer(
        qkv=stack_linears((attention.query, attention.key, attention.value)),
        attention_out=attention_out.dense,
        attention_norm=attention_out.LayerNorm,
        inner=layer.intermediate.dense,
        activation=layer.intermediate.intermediate_act_fn,
        outer=layer.output.dense,
        output_norm=layer.output.LayerNorm,
        heads=config.num_attention_heads,
    )


def _cannot_load(name: str, error: Exception) -> UserError:
    first_line = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
    if Path(name).exists():
        return UserError(f"{name} is not a folder that transformers can load: {first_line}")
    return MissingResourceError(
        f"cannot load the model {name!r}: it is no local folder, and the hub gave: {first_line} "
        "Give a folder with config.json, tokenizer.json and model.safetensors, a hub id while online, "
        "or a built-in model (minilm, smollm2)."
    )


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """Keep transformers' own bars and advice off the terminal."""
    from transformers.utils import logging as hf_logging

    hub = logging.getLogger("huggingface_hub")
    hub_level = hub.level
    hub.setLevel(logging.ERROR)
    shown = hf_logging.is_progress_bar_enabled()
    level = hf_logging.get_verbosity()
    hf_logging.disable_progress_bar()
    hf_logging.set_verbosity(logging.ERROR)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        hub.setLevel(hub_level)
        hf_logging.set_verbosity(level)
        if shown:
            hf_logging.enable_progress_bar()
