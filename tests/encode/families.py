"""A tiny random model and a tiny trained tokeniser of every family, saved as transformers folders."""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch
import transformers
from tokenizers import Regex, Tokenizer, models, normalizers, pre_tokenizers, processors, trainers

TEXT = """\
The old bank of the river was steep, and the children sat on it until the evening came.
He went to the bank to open an account, but the clerk had gone home early.
A plant grows by the window; another plant makes engines for small boats.
She turned the page and read on, although the light of the lamp was weak.
Don't leave the well-known path, it's easy to lose your way in the fog.
In 1987 the company sold 2,500 machines, and in 1988 only 1,200.
The café at the corner serves crème brûlée, coffee and warm bread.
They played a record of the band while the board met behind closed doors.
Running water carries sand; running shoes carry runners who are running late.
The judge said that the case against the singer was not a strong case.
A light wind moved the leaves, and a heavy silence lay on the whole valley.
Over the hill and under the bridge, through the wood and across the field.
The chair of the committee rose from her chair and thanked everyone who had come.
"Where is the key?" he asked, "the key to the door, not the key of the song."
Fishermen repair their nets on the beach before the spring tide arrives.
The spring of the watch broke in spring, next to the spring behind the house.
Beta testers on the gamma and delta of the great river count birds of the marsh.
"""

SIZE = {"hidden_size": 32, "num_hidden_layers": 3, "num_attention_heads": 4, "intermediate_size": 48}
LIMIT = 96
"""Positions of each tiny model that has a limit."""


@dataclass(frozen=True)
class Family:
    """How to build one family; ``prefix`` and ``suffix`` are its special tokens."""

    name: str
    tokenizer: Callable[[], Any]
    config: Callable[[Any], Any]
    prefix: tuple[str, ...] = ()
    suffix: tuple[str, ...] = ()
    plain_options: dict[str, Any] = field(default_factory=dict)
    """How the tokeniser must be loaded so that transformers itself may be given split words."""
    plain_lead: str = ""
    """What a caller of transformers must write before each word, where no option does it."""
    limit: int = LIMIT

    def save(self, folder: Path) -> Path:
        """Write the model and the tokeniser as ``save_pretrained`` does."""
        tokenizer = self.tokenizer()
        tokenizer.save_pretrained(folder)
        with warnings.catch_warnings():  # DeBERTa uses a deprecated part of torch
            warnings.simplefilter("ignore", DeprecationWarning)
            model = transformers.AutoModel.from_config(self.config(tokenizer))
        _randomise(model)
        model.save_pretrained(folder)
        return folder


def _randomise(model: torch.nn.Module) -> None:
    """Weights that make vectors differ, with no bias zero, no norm neutral, no padding row empty."""
    generator = torch.Generator().manual_seed(0)
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            parameter.normal_(0, 0.2, generator=generator)
            if (
                parameter.dim() == 1
                and "norm" in name.lower().replace("ln_", "norm")
                and name.endswith("weight")
            ):
                parameter.add_(1)


def _ids(tokenizer: Any) -> dict[str, Any]:
    names = ("pad_token_id", "bos_token_id", "eos_token_id")
    return {"vocab_size": len(tokenizer), **{name: getattr(tokenizer, name) for name in names}}


# Training


def _word_piece(special: list[str]) -> dict[str, int]:
    tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer()
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.train_from_iterator(
        TEXT.splitlines(),
        trainers.WordPieceTrainer(vocab_size=220, special_tokens=special, show_progress=False),
    )
    return tokenizer.get_vocab()


def _bpe(tokenizer: Tokenizer, special: list[str], alphabet: Sequence[str] = ()) -> dict[str, Any]:
    """Vocabulary and merges."""
    trainer = trainers.BpeTrainer(
        vocab_size=len(special) + len(alphabet) + 180,
        special_tokens=special,
        initial_alphabet=list(alphabet),
        show_progress=False,
    )
    tokenizer.train_from_iterator(TEXT.splitlines(), trainer)
    trained = json.loads(tokenizer.to_str())["model"]
    return {"vocab": trained["vocab"], "merges": [tuple(merge) for merge in trained["merges"]]}


def _byte_level(special: list[str]) -> dict[str, Any]:
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=True)
    return _bpe(tokenizer, special, sorted(pre_tokenizers.ByteLevel.alphabet()))


def _unigram(special: list[str], unknown: str) -> list[tuple[str, float]]:
    tokenizer = Tokenizer(models.Unigram())
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    trainer = trainers.UnigramTrainer(
        vocab_size=220, special_tokens=special, unk_token=unknown, show_progress=False
    )
    tokenizer.train_from_iterator(TEXT.lower().splitlines(), trainer)
    return [(piece, score) for piece, score in json.loads(tokenizer.to_str())["model"]["vocab"]]


# Tokenisers


_BERT_SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
_ROBERTA_SPECIAL = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]


def _llama_2() -> Any:
    """Merges over ``▁``-marked words, bytes for what they do not cover, the beginning token in front."""
    tokenizer = Tokenizer(models.BPE(unk_token="<unk>"))
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    special = ["<unk>", "<s>", "</s>", *(f"<0x{byte:02X}>" for byte in range(256))]
    return transformers.LlamaTokenizer(**_bpe(tokenizer, special), add_bos_token=True)


def _llama_3() -> Any:
    """Byte-level merges behind a regular expression of its own, no unknown token, no padding token."""
    split = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s+"
    tokenizer = Tokenizer(models.BPE(ignore_merges=True))
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(Regex(split), behavior="isolated"),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
        ]
    )
    special = ["<|begin_of_text|>", "<|end_of_text|>"]
    _bpe(tokenizer, special, sorted(pre_tokenizers.ByteLevel.alphabet()))
    tokenizer.post_processor = processors.TemplateProcessing(
        single="<|begin_of_text|> $A", special_tokens=[("<|begin_of_text|>", 0)]
    )
    return transformers.PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        bos_token="<|begin_of_text|>",
        eos_token="<|end_of_text|>",
        model_input_names=["input_ids", "attention_mask"],
    )


def _albert() -> Any:
    special = ["<pad>", "<unk>", "[CLS]", "[SEP]", "[MASK]"]
    return transformers.AlbertTokenizer(vocab=_unigram(special, "<unk>"))


def _xlnet() -> Any:
    """With segment ids, which the published models were trained with: 0, and 2 for ``<cls>``."""
    special = ["<unk>", "<s>", "</s>", "<cls>", "<sep>", "<pad>", "<mask>", "<eod>", "<eop>"]
    inputs = ["input_ids", "token_type_ids", "attention_mask"]
    return transformers.XLNetTokenizer(vocab=_unigram(special, "<unk>"), model_input_names=inputs)


def _deberta_v2() -> Any:
    special = ["[PAD]", "[CLS]", "[SEP]", "[UNK]", "[MASK]"]
    return transformers.DebertaV2Tokenizer(vocab=_unigram(special, "[UNK]"), unk_id=3)


def _t5() -> Any:
    return transformers.T5Tokenizer(vocab=_unigram(["<pad>", "</s>", "<unk>"], "<unk>"), extra_ids=0)


# Configurations


def _roberta_config(tokenizer: Any, **changes: Any) -> Any:
    sizes = {**SIZE, "max_position_embeddings": LIMIT + 2, "type_vocab_size": 1, **changes}
    return transformers.RobertaConfig(**_ids(tokenizer), **sizes)


def _gpt2_config(tokenizer: Any) -> Any:
    return transformers.GPT2Config(**_ids(tokenizer), n_embd=32, n_layer=3, n_head=4, n_positions=LIMIT)


def _llama_config(tokenizer: Any) -> Any:
    sizes = {**SIZE, "num_key_value_heads": 2, "max_position_embeddings": LIMIT}
    return transformers.LlamaConfig(**_ids(tokenizer), **sizes)


def _xlnet_config(tokenizer: Any) -> Any:
    return transformers.XLNetConfig(**_ids(tokenizer), d_model=32, n_layer=3, n_head=4, d_inner=48)


def _distilbert_config(tokenizer: Any) -> Any:
    return transformers.DistilBertConfig(
        vocab_size=len(tokenizer), dim=32, n_layers=3, n_heads=4, hidden_dim=48, max_position_embeddings=LIMIT
    )


def _deberta_config(tokenizer: Any) -> Any:
    relative = {"relative_attention": True, "pos_att_type": ["c2p", "p2c"], "position_biased_input": False}
    return transformers.DebertaConfig(
        **_ids(tokenizer), **SIZE, **relative, max_position_embeddings=LIMIT, type_vocab_size=0
    )


def _deberta_v2_config(tokenizer: Any) -> Any:
    relative = {"relative_attention": True, "pos_att_type": ["p2c", "c2p"], "position_biased_input": False}
    relative |= {"position_buckets": 8, "share_att_key": True, "norm_rel_ebd": "layer_norm"}
    return transformers.DebertaV2Config(
        **_ids(tokenizer), **SIZE, **relative, max_position_embeddings=LIMIT, type_vocab_size=0
    )


def _t5_config(tokenizer: Any) -> Any:
    return transformers.T5Config(
        vocab_size=len(tokenizer),
        d_model=32,
        d_kv=8,
        d_ff=48,
        num_layers=3,
        num_heads=4,
        decoder_start_token_id=0,
    )


def _sized(config_class: Any, **changes: Any) -> Callable[[Any], Any]:
    def config(tokenizer: Any) -> Any:
        return config_class(**_ids(tokenizer), **{**SIZE, "max_position_embeddings": LIMIT, **changes})

    return config


_BERT_FRAME = {"prefix": ("[CLS]",), "suffix": ("[SEP]",)}
_ROBERTA_FRAME = {"prefix": ("<s>",), "suffix": ("</s>",)}
_SPACE = {"plain_options": {"add_prefix_space": True}}

FAMILIES = {
    family.name: family
    for family in (
        Family(
            "bert",
            lambda: transformers.BertTokenizer(vocab=_word_piece(_BERT_SPECIAL)),
            _sized(transformers.BertConfig),
            **_BERT_FRAME,
        ),
        Family(
            "distilbert",
            lambda: transformers.DistilBertTokenizer(vocab=_word_piece(_BERT_SPECIAL)),
            _distilbert_config,
            **_BERT_FRAME,
        ),
        Family(
            "electra",  # embeddings are narrower than the layers
            lambda: transformers.ElectraTokenizer(vocab=_word_piece(_BERT_SPECIAL)),
            _sized(transformers.ElectraConfig, embedding_size=16),
            **_BERT_FRAME,
        ),
        Family(
            "mpnet",
            lambda: transformers.MPNetTokenizer(
                vocab=_word_piece(["<s>", "<pad>", "</s>", "[UNK]", "<mask>"])
            ),
            _sized(transformers.MPNetConfig, max_position_embeddings=LIMIT + 2),
            **_ROBERTA_FRAME,
        ),
        Family(
            "roberta",
            lambda: transformers.RobertaTokenizer(**_byte_level(_ROBERTA_SPECIAL)),
            _roberta_config,
            **_ROBERTA_FRAME,
            **_SPACE,
        ),
        Family(
            "distilroberta",
            lambda: transformers.RobertaTokenizer(**_byte_level(_ROBERTA_SPECIAL)),
            lambda tokenizer: _roberta_config(tokenizer, num_hidden_layers=2),
            **_ROBERTA_FRAME,
            **_SPACE,
        ),
        Family(
            "gpt2",
            lambda: transformers.GPT2Tokenizer(**_byte_level(["<|endoftext|>"])),
            _gpt2_config,
            **_SPACE,
        ),
        Family("llama2", _llama_2, _llama_config, prefix=("<s>",)),
        Family("llama3", _llama_3, _llama_config, prefix=("<|begin_of_text|>",), plain_lead=" "),
        Family("albert", _albert, _sized(transformers.AlbertConfig, embedding_size=16), **_BERT_FRAME),
        Family("xlnet", _xlnet, _xlnet_config, suffix=("<sep>", "<cls>"), limit=512),
        Family(
            "deberta",
            lambda: transformers.DebertaTokenizer(
                **_byte_level(["[CLS]", "[PAD]", "[SEP]", "[UNK]", "[MASK]"])
            ),
            _deberta_config,
            **_BERT_FRAME,
            **_SPACE,
        ),
        Family("deberta-v2", _deberta_v2, _deberta_v2_config, **_BERT_FRAME),
        Family("t5", _t5, _t5_config, suffix=("</s>",), limit=512),
    )
}
