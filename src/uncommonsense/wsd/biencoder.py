"""The gloss bi-encoder: a sense is what its gloss says, also one that was never seen."""

from __future__ import annotations

import json
import logging
import re
import shutil
import weakref
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from pathlib import Path
from tempfile import mkdtemp
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np

from uncommonsense.encode import DEFAULT_MODEL, Encoder, encode_corpus
from uncommonsense.encode.corpus import Progress
from uncommonsense.encode.models import ALIASES
from uncommonsense.errors import MissingResourceError, UnknownNameError, UserError
from uncommonsense.inventories.protocol import Inventory
from uncommonsense.schema import Corpus
from uncommonsense.wsd.choices import Choices, choices_of
from uncommonsense.wsd.development import Development, compare, corpus_digest
from uncommonsense.wsd.glosses import GLOSSES, GlossVectors, gloss_texts
from uncommonsense.wsd.saved import ABOUT, read_about, write_about
from uncommonsense.wsd.system import System

if TYPE_CHECKING:
    from uncommonsense.train.biencoder import BiEncoderRecipe
    from uncommonsense.train.encoder import TrainableEncoder
    from uncommonsense.train.examples import Examples
    from uncommonsense.train.two_encoders import TwoEncoders

__all__ = ["BiEncoder", "Stage", "starting_recipe", "train_stages"]

_KEPT = ("needed", "inventory", "none")
_READING = ("layers", "pool", "gloss_pool", "context_length", "gloss_length")
_LAST = "last_stage"
_MEAN_POOLED = "minilm"

_log = logging.getLogger(__name__)


class BiEncoder(System):
    """A context encoder and a gloss encoder, trained to agree on the right sense (BEM).

    Candidates and glosses are those of the inventory at hand, whichever it was trained with. ``model`` is
    what both encoders start from: a model, or the folder of a trained bi-encoder. ``recipe`` are settings of
    :class:`uncommonsense.train.biencoder.BiEncoderRecipe`; ``shots`` keeps at most so many examples of a
    sense, ``limit`` about so many in all; 0: no limit. ``keep`` says which glosses are encoded at the end of
    the training: those ``needed`` for its corpora, those of the whole ``inventory``, or ``none``; others
    are when they are asked for. ``out`` is where it is trained, and where an interrupted training goes on.
    """

    name = "biencoder"

    def __init__(
        self,
        inventory: Inventory,
        *,
        model: str = DEFAULT_MODEL,
        shots: int = 0,
        balanced: bool = False,
        limit: int = 0,
        seed: int = 0,
        keep: str = "needed",
        half: bool = False,
        recipe: Mapping[str, Any] | None = None,
        out: str | Path = "",
        development: Development | None = None,
        device: str = "",
        checkpoint_minutes: float = 10.0,
        report: Callable[[str], None] = _log.info,
        progress: Progress | None = None,
    ) -> None:
        super().__init__(inventory)
        if keep not in _KEPT:
            raise UnknownNameError("choice of glosses", keep, _KEPT)
        self.model = model
        self.sampling = {"shots": shots, "balanced": balanced, "limit": limit}
        self.seed = seed
        self.keep = keep
        self.half = half
        """Whether gloss vectors are stored in half precision."""
        self.recipe = dict(recipe or {})
        self.out = Path(out) if out else None
        self.development = development
        self.device = device
        self.checkpoint_minutes = checkpoint_minutes
        self.report = report
        self.progress = progress
        self._folder: Path | None = None
        self._context: Encoder | None = None
        self._gloss: TrainableEncoder | None = None
        self._glosses = GlossVectors(dtype=self._dtype)

    def fit(self, corpus: Corpus) -> Self:
        """Train both encoders on the annotated words of ``corpus``."""
        from uncommonsense.train.biencoder import train_biencoder

        recipe = starting_recipe(self.model, self.recipe, self.report)
        choices = choices_of(corpus, self.inventory)
        examples = self._examples(corpus, choices)
        self.report(f"{len(corpus):,} words of {corpus.name!r} give {len(examples):,} examples with a choice")
        development = self.development
        about = {
            "corpus": corpus.name,
            "corpus_digest": corpus_digest(corpus),
            "inventory": self.inventory.name,
            "sampling": self.sampling,
            "development": development.identity if development else None,
        }
        folder = self._training_folder()
        if not (folder / "manifest.json").exists():
            (folder / GLOSSES).unlink(missing_ok=True)  # of encoders that are no longer there
        train_biencoder(
            self.model,
            examples,
            choices.senses,
            gloss_texts(self.inventory, choices.senses),
            folder=folder,
            recipe=recipe,
            seed=self.seed,
            about=about,
            evaluate=_evaluation(development, recipe.freeze) if development else None,
            device=self.device or None,
            progress=self.progress,
            tell=self.report,
            checkpoint_minutes=self.checkpoint_minutes,
        )
        self._open(folder)
        self._encode_kept([choices.senses[number] for number in np.unique(examples.candidates)])
        self._describe(folder)
        return self

    def scores(self, corpus: Corpus, choices: Choices) -> np.ndarray:
        """Dot products of target and gloss."""
        if self._context is None:
            raise UserError(f"the bi-encoder is not trained yet; fit it, or: {_command('FOLDER')}")
        contexts = encode_corpus(self._context, corpus, progress=self.progress).matrix
        return compare(contexts, self.gloss_vectors(choices.senses), choices)

    def gloss_vectors(self, senses: Sequence[str]) -> np.ndarray:
        """Of the glosses of senses of the inventory, each encoded once: ``(senses, dim) float32``."""
        return self._glosses.of(gloss_texts(self.inventory, senses), self._encode_glosses)

    def save(self, folder: Path) -> None:
        """Write both encoders, the gloss vectors, and ``system.json``."""
        if self._folder is None:
            raise UserError("the bi-encoder is not trained yet: there is nothing to save")
        if folder.resolve() != self._folder.resolve():
            shutil.copytree(self._folder, folder, dirs_exist_ok=True)
        self._glosses.save(folder / GLOSSES)
        self._describe(folder)

    @classmethod
    def load(cls, folder: Path, inventory: Inventory) -> Self:
        """The inverse of :meth:`save`; of a folder of stages, the last one."""
        if not (folder / ABOUT).is_file():
            raise MissingResourceError(f"{folder} holds no trained bi-encoder; train one: {_command(folder)}")
        about = read_about(folder)
        if _LAST in about:
            return cls.load(folder / about[_LAST], inventory)
        system = cls(inventory, recipe=about["reading"], half=about["half"])
        system._open(folder)
        return system

    @property
    def _dtype(self) -> str:
        return "float16" if self.half else "float32"

    def _training_folder(self) -> Path:
        """Where it is asked to be trained, or a folder that goes with this object."""
        if self.out is None:
            self.report("no folder is given to train in: an interrupted training would start anew")
            self.out = Path(mkdtemp())
            weakref.finalize(self, shutil.rmtree, self.out, ignore_errors=True)
        return self.out

    def _open(self, folder: Path) -> None:
        """Make ready to predict with the encoders of a folder; the gloss encoder waits until it is needed."""
        from uncommonsense.train.two_encoders import open_context_encoder

        recipe = starting_recipe(str(folder), self.recipe, self.report)
        self._context, self._gloss = open_context_encoder(folder, recipe.reading), None
        self._folder, self._reading = folder, recipe.reading
        self._glosses = GlossVectors.open(folder / GLOSSES, dtype=self._dtype)

    def _encode_glosses(self, texts: Sequence[str]) -> np.ndarray:
        from uncommonsense.train.two_encoders import encode_texts, open_gloss_encoder

        if self._folder is None:
            raise UserError(f"the bi-encoder is not trained yet; fit it, or: {_command('FOLDER')}")
        if self._gloss is None:
            self._gloss = open_gloss_encoder(self._folder, self._reading)
        show = (
            self.progress("Encoding", float(len(texts)), "glosses")
            if self.progress
            else nullcontext(lambda _: None)
        )
        with show as advance:
            return encode_texts(self._gloss, texts, advance=advance)

    def _encode_kept(self, needed: Sequence[str]) -> None:
        if self.keep == "none":
            return
        texts = gloss_texts(self.inventory, self.inventory.senses() if self.keep == "inventory" else needed)
        if self.development:
            texts += gloss_texts(self.development.inventory, self.development.choices.senses)
        self._glosses.of(texts, self._encode_glosses)
        self.report(f"  {len(self._glosses):,} gloss vectors are kept in {self._glosses.file}")

    def _describe(self, folder: Path) -> None:
        write_about(
            folder,
            self.name,
            trained_with=self.inventory.name,
            reading=self._reading._asdict(),
            half=self.half,
        )

    def _examples(self, corpus: Corpus, choices: Choices) -> Examples:
        from uncommonsense.train.examples import Examples

        found = Examples.of(corpus, choices.senses, choices.candidates, choices.offsets).ambiguous()
        if self.sampling["limit"]:
            found = found.limit(self.sampling["limit"], seed=self.seed)
        if self.sampling["shots"]:
            found = found.shots(self.sampling["shots"], seed=self.seed)
        return found.balanced() if self.sampling["balanced"] and len(found) else found


class Stage(NamedTuple):
    """A corpus to be trained on, after others or before them."""

    name: str
    corpus: Corpus
    inventory: Inventory
    development: Development | None = None


def train_stages(
    stages: Sequence[Stage], *, out: Path, model: str = DEFAULT_MODEL, **options: Any
) -> BiEncoder:
    """Train a bi-encoder on one corpus after the other, in folders ``OUT/1-NAME``, ``OUT/2-NAME``, ...

    A single stage is trained in ``out`` itself. ``options`` are those of :class:`BiEncoder`.
    """
    if not stages:
        raise UserError("there is no corpus to train the bi-encoder on")
    folders = [out / f"{number}-{_slug(stage.name)}" for number, stage in enumerate(stages, 1)]
    for number, stage in enumerate(stages):
        system = BiEncoder(
            stage.inventory,
            model=str(folders[number - 1]) if number else model,
            out=folders[number] if len(stages) > 1 else out,
            development=stage.development,
            **options,
        ).fit(stage.corpus)
    if len(stages) > 1:
        write_about(out, BiEncoder.name, **{_LAST: folders[-1].name})
    return system


def starting_recipe(
    model: str, settings: Mapping[str, Any], report: Callable[[str], None] = _log.info
) -> BiEncoderRecipe:
    """The recipe with ``settings``; what they leave open about reading is as the model was trained.

    MiniLM was trained to say what a text means by the mean of its pieces, not by the first one.
    """
    from uncommonsense.train.biencoder import BiEncoderRecipe

    defaults: dict[str, Any] = {}
    about = Path(model).expanduser() / "manifest.json"
    if about.is_file():
        recipe = json.loads(about.read_text(encoding="utf-8")).get("recipe", {})
        defaults = {name: recipe[name] for name in (*_READING, "tied") if name in recipe}
    elif ALIASES.get(model) == _MEAN_POOLED and "gloss_pool" not in settings:
        report(f"{model} is made for the mean of a text's pieces: gloss_pool is mean, not first")
        defaults = {"gloss_pool": "mean"}
    return BiEncoderRecipe.of(**{**defaults, **settings})


def _evaluation(development: Development, frozen: str) -> Callable[[TwoEncoders], float]:
    """F1 of the development set; vectors of an encoder that is not trained are made once."""
    texts = gloss_texts(development.inventory, development.choices.senses)
    kept: dict[str, np.ndarray] = {}

    def evaluate(encoders: TwoEncoders) -> float:
        if frozen != "context" or "context" not in kept:
            kept["context"] = encoders.context_vectors(development.corpus)
        if frozen != "gloss" or "gloss" not in kept:
            kept["gloss"] = GlossVectors().of(texts, encoders.gloss_vectors)
        return development.f1(compare(kept["context"], kept["gloss"], development.choices))

    return evaluate


def _slug(name: str) -> str:
    return re.sub(r"[^\w.-]+", "-", name).strip("-.") or "stage"


def _command(folder: str | Path) -> str:
    return f"uncommonsense wsd train biencoder --corpus semcor --out {folder}"
