"""How fast target words become vectors, against this machine's own matrix product and against peers.

Prints ratios from one run. ``python bench/encode.py --sentences 4000 --wide 800``
Corpus: SemCor below ../shared/data or UNCOMMONSENSE_SHARED, else the sampler.
"""

from __future__ import annotations

import argparse
import os
import statistics
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from uncommonsense import Corpus, Encoder, load_corpus, resources
from uncommonsense.encode.corpus import encode_text
from uncommonsense.encode.models import load_model
from uncommonsense.errors import UserError
from uncommonsense.rank.neighbours import normalised

import torch  # isort: skip  (after the package, which sets how its threads wait)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sentences", type=int, default=4000, help="for MiniLM")
    parser.add_argument("--wide", type=int, default=800, help="for the BERT-base shape")
    parser.add_argument("--rounds", type=int, default=3)
    arguments = parser.parse_args()
    model, tokenizer = load_model("minilm")
    corpus = bench_corpus()
    report("MiniLM", model, tokenizer, spread(corpus, arguments.sentences), arguments.rounds, peers=True)
    report("BERT-base shape", bert_base(), tokenizer, spread(corpus, arguments.wide), arguments.rounds)


def report(
    name: str, model: Any, tokenizer: Any, corpus: Corpus, rounds: int, *, peers: bool = False
) -> None:
    """Interleave our encoder with the bare matrix product, so that noise hits both."""
    encoder = Encoder.from_model(model, tokenizer)
    lengths = piece_counts(tokenizer, corpus)
    work = flops(lengths, model.config.num_hidden_layers, model.config.hidden_size)
    encode_text(encoder, spread(corpus, 50))
    saved = skipped(tokenizer, corpus, lengths, model.config.hidden_size)
    rates, ratios = [], []
    for _ in range(rounds):
        limit = sgemm()
        fresh = Encoder.from_model(model, tokenizer)
        seconds = timed(partial(encode_text, fresh, corpus))
        rates.append(lengths.sum() / seconds)
        ratios.append(work / seconds / max(limit, sgemm()))
    print(f"\n{name}: {len(lengths):,} sentences, {len(corpus):,} targets, {lengths.sum():,} pieces")
    print(f"  pieces per second, tokenising included   {statistics.median(rates):10,.0f}")
    rounds_text = ", ".join(f"{ratio:.2f}" for ratio in ratios)
    print(f"  of the bare matrix product's rate        {statistics.median(ratios):10.2f}   ({rounds_text})")
    done = statistics.median(ratios) * (work - saved) / work
    print(f"  the same, work that is skipped not counted {done:8.2f}   (rows not kept, in the last layer)")
    print(f"  largest difference from plain            {difference(encoder, model, tokenizer, corpus):10.1e}")
    if peers:
        compare(encoder, model, tokenizer, corpus)
        lower_precision(encoder, model, tokenizer, corpus)


def compare(encoder: Encoder, model: Any, tokenizer: Any, corpus: Corpus) -> None:
    part = spread(corpus, 400)
    ours = timed(lambda: encode_text(encoder, part))
    usual = timed(lambda: one_word_at_a_time(model, tokenizer, part))
    print(f"  times the usual way (a forward a word)   {usual / ours:10.1f}")
    try:
        from sentence_transformers import SentenceTransformer
    except ImportError:
        print("  sentence-transformers is not installed")
        return
    peer = SentenceTransformer(str(resources.path("minilm")), device="cpu")
    texts = [" ".join(tokens) for tokens in corpus.sentences["tokens"].to_pylist()]
    theirs = timed(
        lambda: peer.encode(texts, output_value="token_embeddings", batch_size=64, show_progress_bar=False)
    )
    ours = timed(lambda: encode_text(encoder, corpus))
    print(f"  times sentence-transformers' tokens      {theirs / ours:10.2f}")


def lower_precision(encoder: Encoder, model: Any, tokenizer: Any, corpus: Corpus) -> None:
    """What bf16 and int8 cost in accuracy and bring in speed."""
    part = spread(corpus, 600)
    reference = encode_text(encoder, part)
    for dtype in ("bf16", "int8"):
        try:
            other = Encoder.from_model(model, tokenizer, dtype=dtype)
        except UserError as refusal:
            print(f"  {dtype}: {refusal}")
            continue
        encode_text(other, spread(corpus, 50))
        cosine = (normalised(encode_text(other, part)) * normalised(reference)).sum(axis=1)
        speed = min(timed(partial(encode_text, encoder, part)) for _ in range(3))
        speed /= min(timed(partial(encode_text, other, part)) for _ in range(3))
        error = f"cosine to fp32 {cosine.mean():.5f} (least {cosine.min():.4f})"
        print(f"  {dtype}: {error}, {speed:.2f} x the speed of fp32")


def bench_corpus() -> Corpus:
    shared = Path(os.environ.get("UNCOMMONSENSE_SHARED") or Path(__file__).parents[2] / "shared" / "data")
    return load_corpus(f"semcor:{shared / 'semcor3.0'}" if (shared / "semcor3.0").exists() else "sampler")


def spread(corpus: Corpus, sentences: int) -> Corpus:
    """Evenly spaced sentences that have targets, and their targets."""
    annotated = np.unique(corpus.rows)
    chosen = annotated[np.linspace(0, len(annotated) - 1, min(sentences, len(annotated))).astype(int)]
    mask = np.isin(corpus.rows, chosen)
    kept = corpus.select(mask)
    return Corpus(corpus.sentences.take(chosen), kept.instances, name=corpus.name)


def piece_counts(tokenizer: Any, corpus: Corpus) -> np.ndarray:
    encoded = tokenizer(corpus.sentences["tokens"].to_pylist(), is_split_into_words=True)["input_ids"]
    return np.array([len(ids) for ids in encoded])


def flops(lengths: np.ndarray, layers: int, width: int) -> float:
    """Of a whole forward pass: linear layers 24 w^2 a token, attention 4 w a pair of tokens; no padding."""
    return float((layers * (24 * width**2 * lengths + 4 * width * lengths**2)).sum())


def skipped(tokenizer: Any, corpus: Corpus, lengths: np.ndarray, width: int) -> float:
    """Operations that are left out: in the last layer, what follows attention is done for targets only."""
    encoded = tokenizer(corpus.sentences["tokens"].to_pylist(), is_split_into_words=True)
    kept = 0
    for row, start, end in zip(
        corpus.rows, corpus.instances["start"].to_pylist(), corpus.instances["end"].to_pylist(), strict=True
    ):
        kept += sum(word is not None and start <= word < end for word in encoded.word_ids(int(row)))
    return float(18 * width**2 * (lengths.sum() - kept))


def sgemm(size: int = 2048) -> float:
    """Floating-point operations per second of a large matrix product, the best of several."""
    left, right = torch.rand(size, size), torch.rand(size, size)
    return max(2 * size**3 / timed(lambda: left @ right) for _ in range(8))


def timed(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def bert_base() -> Any:
    from transformers import BertConfig, BertModel

    torch.manual_seed(0)
    return BertModel(BertConfig()).eval()


def one_word_at_a_time(model: Any, tokenizer: Any, corpus: Corpus) -> list[np.ndarray]:
    """What most scripts do: a forward pass for each annotated word."""
    sentences = corpus.sentences["tokens"].to_pylist()
    vectors = []
    for row, instance in zip(corpus.rows, corpus.instances.to_pylist(), strict=True):
        encoding = tokenizer(sentences[row], is_split_into_words=True, return_tensors="pt", truncation=True)
        with torch.inference_mode():
            hidden = model(**encoding).last_hidden_state[0]
        span = range(instance["start"], instance["end"])
        vectors.append(
            hidden[[i for i, word in enumerate(encoding.word_ids()) if word in span]].mean(0).numpy()
        )
    return vectors


def difference(encoder: Encoder, model: Any, tokenizer: Any, corpus: Corpus) -> float:
    part = spread(corpus, 40)
    return float(
        np.abs(encode_text(encoder, part) - np.stack(one_word_at_a_time(model, tokenizer, part))).max()
    )


if __name__ == "__main__":
    main()
