"""Inoculation by fine-tuning: a little training on supersenses, before a model is measured.

    OUT/MODEL/size-N/seed-S/model/                   the encoder, as ``save_pretrained`` writes it
    OUT/MODEL/size-N/seed-S/manifest.json            what was trained, on what, how, and what came of it
    OUT/MODEL/size-N/seed-S/losses.csv               epoch, loss, seconds
    OUT/MODEL/size-N/seed-S/checkpoint.safetensors   while it is being trained

A folder with a manifest is finished.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import asdict
from pathlib import Path
from typing import Any

from uncommonsense.corpora import load_corpus
from uncommonsense.encode import Encoder, _hf
from uncommonsense.schema import Corpus
from uncommonsense.train.encoder import TrainableEncoder
from uncommonsense.train.files import alone, replacing
from uncommonsense.train.manifest import (
    MANIFEST,
    provenance,
    read_manifest,
    require_same,
    run_name,
    write_manifest,
)
from uncommonsense.train.recipe import Recipe
from uncommonsense.train.sample import digest_sample, draw_sample, labels_of
from uncommonsense.train.training import Epoch, Training

__all__ = ["cell_folder", "inoculate", "manifests", "read_corpus", "read_manifest"]

Progress = Callable[[str, float | None, str], AbstractContextManager[Callable[[float], None]]]

_MODEL, _LOSSES, _CHECKPOINT = "model", "losses.csv", "checkpoint.safetensors"

_log = logging.getLogger(__name__)


def inoculate(
    model: str,
    corpus: str | Corpus,
    *,
    size: int,
    out: str | Path,
    seed: int = 0,
    progress: Progress | None = None,
    tell: Callable[[str], None] = _log.info,
    **recipe: Any,
) -> Path:
    """Train ``model`` on ``size`` supersenses of ``corpus``; return the folder of the model and its manifest.

    ``recipe`` are the settings of :class:`Recipe`. What is finished is not trained again, what was
    interrupted goes on; a folder that holds the result of other settings is an error. ``tell`` hears what is
    trained, for how long, and where it goes.

    >>> folder = inoculate("minilm", "streusle", size=100, out="inoculated")            # doctest: +SKIP
    >>> Encoder(str(folder / "model"))                                                  # doctest: +SKIP
    """
    text = read_corpus(corpus) if isinstance(corpus, str) else corpus
    plan = Recipe.of(**recipe)
    sample = draw_sample(text, size, seed=seed)
    encoder = TrainableEncoder(model, layers=plan.layers, pool=plan.pool)
    folder = cell_folder(out, model, size, seed)
    about = _describe(encoder, sample, plan, size=size, seed=seed)
    with alone(folder):
        if (folder / MANIFEST).exists():
            require_same(folder, about, _IDENTITY)
            tell(f"{folder} is there already, trained with the same settings")
        else:
            training = Training(encoder, encoder.lay_out(sample), labels_of(sample), plan, seed=seed)
            _train(training, folder, about, progress, tell)
            _finish(training, encoder, folder, about, tell)
    return folder


def read_corpus(spec: str) -> Corpus:
    """The corpus that ``spec`` names, under its full specification."""
    corpus = load_corpus(spec)
    corpus.name = spec
    return corpus


def cell_folder(out: str | Path, model: str, size: int, seed: int) -> Path:
    """Where the model of this size and seed goes."""
    place = Path(model).expanduser()
    name = place.resolve().name if place.exists() else model
    slug = re.sub(r"[^\w.-]+", "-", name).strip("-.") or _MODEL
    return Path(out).expanduser() / slug / f"size-{size}" / f"seed-{seed}"


def manifests(out: str | Path) -> Iterator[tuple[Path, dict[str, Any]]]:
    """Every finished folder below ``out`` with its manifest: by model, then size, then seed."""
    found = [(file.parent, read_manifest(file.parent)) for file in Path(out).glob(f"*/*/*/{MANIFEST}")]
    yield from sorted(found, key=lambda each: (each[1]["model"], each[1]["size"], each[1]["seed"]))


def _describe(
    encoder: TrainableEncoder, sample: Corpus, recipe: Recipe, *, size: int, seed: int
) -> dict[str, Any]:
    """The part of the manifest that is known before training."""
    labels = labels_of(sample)
    return {
        "model": encoder.name,
        "fingerprint_before": encoder.fingerprint,
        "corpus": sample.name,
        "size": size,
        "seed": seed,
        "examples": len(sample),
        "supersenses": {label: labels.count(label) for label in sorted(set(labels))},
        "recipe": asdict(recipe),
        "sample_digest": digest_sample(sample),
        "sample": sample.instances["id"].to_pylist(),
    }


_IDENTITY = ("fingerprint_before", "size", "seed", "recipe", "sample_digest")
"""What decides the weights that come out."""


def _train(
    training: Training,
    folder: Path,
    about: dict[str, Any],
    progress: Progress | None,
    tell: Callable[[str], None],
) -> None:
    """Run the epochs that are left, with a checkpoint after each."""
    run = run_name(about, _IDENTITY)
    checkpoint, limit = folder / _CHECKPOINT, about["recipe"]["epochs"]
    what = f"{about['model']} on {about['examples']} examples"
    if checkpoint.exists():
        training.restore(checkpoint, run)
    done = len(training.epochs)
    tell(
        f"{'Going on' if done else 'Training'}: {what} with {len(about['supersenses'])} supersenses, "
        f"epochs {done + 1} to at most {limit}, into {folder}"
    )
    total = float((limit - done) * about["examples"])
    with progress(f"Training {what}", total, "examples") if progress else nullcontext(_ignore) as advance:
        while not training.finished:
            epoch = training.run_epoch(advance)
            training.save(checkpoint, run)
            _write_losses(folder, training.epochs)
            if epoch.epoch == done + 1:
                most = epoch.seconds * (limit - epoch.epoch) / 60
                tell(f"  an epoch takes {epoch.seconds:.1f} s: done in {most:.1f} minutes at most")


def _ignore(_: float) -> None:
    pass


def _finish(
    training: Training,
    encoder: TrainableEncoder,
    folder: Path,
    about: dict[str, Any],
    tell: Callable[[str], None],
) -> None:
    """Save the encoder, then the manifest; the checkpoint is no longer needed."""
    with replacing(folder / _MODEL) as part:
        _hf.save(encoder.model, encoder.tokenizer, part)
    recipe, epochs = about["recipe"], training.epochs
    saved = Encoder(str(folder / _MODEL), layers=recipe["layers"], pool=recipe["pool"])
    seconds = sum(epoch.seconds for epoch in epochs)
    outcome = {
        "fingerprint_after": saved.fingerprint,
        "epochs_run": len(epochs),
        "first_loss": epochs[0].loss,
        "final_loss": epochs[-1].loss,
        "seconds": round(seconds, 3),
        **provenance(),
    }
    sample = {key: about.pop(key) for key in ("sample_digest", "sample")}
    _write_losses(folder, epochs)
    write_manifest(folder, {**about, **outcome, **sample})
    (folder / _CHECKPOINT).unlink(missing_ok=True)
    tell(
        f"  {len(epochs)} epochs, loss {epochs[0].loss:.3f} to {epochs[-1].loss:.3f}, "
        f"{seconds / 60:.1f} minutes: {folder / _MODEL}"
    )


def _write_losses(folder: Path, epochs: list[Epoch]) -> None:
    lines = [",".join(Epoch._fields), *(f"{each.epoch},{each.loss!r},{each.seconds:.3f}" for each in epochs)]
    with replacing(folder / _LOSSES) as part:
        part.write_text("\n".join(lines) + "\n", encoding="utf-8")
