"""A linear probe: how well the senses of a word can be told apart in the vectors of a frozen model."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from uncommonsense.encode import DEFAULT_MODEL, Encoder, encode_corpus
from uncommonsense.encode.corpus import Progress
from uncommonsense.errors import MissingResourceError, StoreError, UnknownNameError, UserError
from uncommonsense.inventories.protocol import Inventory
from uncommonsense.schema import Corpus
from uncommonsense.wsd.back_off import first_sense_where_silent
from uncommonsense.wsd.choices import Choices, choices_of
from uncommonsense.wsd.development import Development, compare, corpus_digest
from uncommonsense.wsd.saved import ABOUT, read_about, write_about
from uncommonsense.wsd.system import System

if TYPE_CHECKING:
    from uncommonsense.train.examples import Examples

__all__ = ["Probe"]

_MATRIX, _SENSES = "probe.safetensors", "senses.parquet"
_LEARNS = ("seen", "inventory")
_BACK_OFFS = ("none", "first-sense")

_log = logging.getLogger(__name__)


class Probe(System):
    """A linear layer over frozen vectors: one row of weights per sense.

    ``senses`` says which have a row: those ``seen`` in training, or all that the ``inventory`` has for the
    words seen there. A word of which no sense was seen has no answer, or with ``back_off`` ``first-sense``
    that one. ``recipe`` are settings of :class:`uncommonsense.train.probe.ProbeRecipe`; ``shots`` keeps at
    most so many examples of a sense, ``limit`` about so many in all; 0: no limit. ``out`` is where it is
    trained, and where an interrupted training goes on; ``report`` hears what is done.
    """

    name = "probe"

    def __init__(
        self,
        inventory: Inventory,
        *,
        encoder: Encoder | str = DEFAULT_MODEL,
        layers: str = "last",
        pool: str = "mean",
        senses: str = "seen",
        back_off: str = "none",
        shots: int = 0,
        balanced: bool = False,
        limit: int = 0,
        seed: int = 0,
        recipe: Mapping[str, Any] | None = None,
        out: str | Path = "",
        development: Development | None = None,
        report: Callable[[str], None] = _log.info,
        progress: Progress | None = None,
    ) -> None:
        super().__init__(inventory)
        if senses not in _LEARNS:
            raise UnknownNameError("choice of senses", senses, _LEARNS)
        if back_off not in _BACK_OFFS:
            raise UnknownNameError("back-off of the probe", back_off, _BACK_OFFS)
        self._encoder = encoder
        self.reading = {"layers": layers, "pool": pool}
        self.learns, self.back_off = senses, back_off
        self.sampling = {"shots": shots, "balanced": balanced, "limit": limit}
        self.seed = seed
        self.recipe = dict(recipe or {})
        self.out = Path(out) if out else None
        self.development = development
        self.report = report
        self.progress = progress
        self.senses: tuple[str, ...] = ()
        self.matrix: np.ndarray | None = None
        """Weights and bias of each sense: ``(senses, dim + 1) float32``."""

    @property
    def encoder(self) -> Encoder:
        """What makes the vectors; loaded when it is needed."""
        if isinstance(self._encoder, str):
            self._encoder = Encoder(self._encoder, **self.reading)  # type: ignore[arg-type]
        return self._encoder

    def fit(self, corpus: Corpus) -> Self:
        """Encode the annotated words (what the store has is not encoded again) and train the rows."""
        from uncommonsense.train.probe import ProbeRecipe, train_probe

        recipe = ProbeRecipe.of(**self.recipe)
        examples, self.senses = self._examples(corpus)
        self.report(f"{len(corpus):,} words of {corpus.name!r} give {len(examples):,} examples with a choice")
        vectors = self._vectors(examples.corpus)
        development = self.development
        about = {
            "encoder": self.encoder.describe(),
            "vectors": self.encoder.fingerprint,
            "corpus": corpus.name,
            "corpus_digest": corpus_digest(corpus),
            "inventory": self.inventory.name,
            "sampling": self.sampling,
            "development": development.identity if development else None,
        }
        with TemporaryDirectory() as temporary:
            self.matrix = train_probe(
                vectors,
                examples,
                self.senses,
                folder=self.out or Path(temporary),
                recipe=recipe,
                seed=self.seed,
                about=about,
                evaluate=self._evaluation(development) if development else None,
                progress=self.progress,
                tell=self.report,
            )
        if self.out:
            self.save(self.out)
        return self

    def scores(self, corpus: Corpus, choices: Choices) -> np.ndarray:
        """Logits; NaN for a sense that has no row."""
        if self.matrix is None:
            raise UserError(f"the probe is not trained yet; fit it, or: {_command('FOLDER')}")
        scores = self._logits(self._vectors(corpus), choices, self.matrix)
        return first_sense_where_silent(scores, choices) if self.back_off == "first-sense" else scores

    def save(self, folder: Path) -> None:
        """Write the rows, their senses, and ``system.json``."""
        from safetensors.numpy import save_file

        if self.matrix is None:
            raise UserError("the probe is not trained yet: there is nothing to save")
        options = {**self.reading, "senses": self.learns, "back_off": self.back_off}
        described = self.encoder.describe()
        place = Path(described["model"]).expanduser()
        options["encoder"] = str(place.resolve()) if place.is_dir() else described["model"]
        fingerprint = described["fingerprint"]
        write_about(
            folder, self.name, inventory=self.inventory.name, options=options, fingerprint=fingerprint
        )
        pq.write_table(pa.table({"sense": list(self.senses)}), folder / _SENSES, compression="zstd")
        save_file({"matrix": np.ascontiguousarray(self.matrix)}, folder / _MATRIX)

    @classmethod
    def load(cls, folder: Path, inventory: Inventory) -> Self:
        """The inverse of :meth:`save`."""
        from safetensors.numpy import load_file

        if not all((folder / name).is_file() for name in (ABOUT, _MATRIX, _SENSES)):
            raise MissingResourceError(f"{folder} holds no trained probe; train one: {_command(folder)}")
        about = read_about(folder)
        probe = cls(inventory, **about["options"])
        probe.senses = tuple(pq.read_table(folder / _SENSES)["sense"].to_pylist())
        probe.matrix = load_file(folder / _MATRIX)["matrix"]
        if probe.encoder.fingerprint != about["fingerprint"]:
            raise StoreError(
                f"{folder} was trained on vectors of another model than {probe.encoder.name} is now; "
                f"train it again: {_command(folder)}"
            )
        return probe

    def _examples(self, corpus: Corpus) -> tuple[Examples, tuple[str, ...]]:
        """What can be learned from, with candidates as numbers of the senses that have a row, and those."""
        from uncommonsense.train.examples import Examples

        choices = choices_of(corpus, self.inventory)
        chosen = Examples.of(corpus, choices.senses, choices.candidates, choices.offsets)
        if self.sampling["limit"]:
            chosen = chosen.limit(self.sampling["limit"], seed=self.seed)
        if self.sampling["shots"]:
            chosen = chosen.shots(self.sampling["shots"], seed=self.seed)
        if self.learns == "seen":
            chosen = chosen.among(chosen.candidates[chosen.right])
        numbers, candidates = np.unique(chosen.candidates, return_inverse=True)
        chosen = chosen.numbered(candidates).ambiguous()
        if self.sampling["balanced"] and len(chosen):
            chosen = chosen.balanced()
        return chosen, tuple(choices.senses[number] for number in numbers)

    def _vectors(self, corpus: Corpus) -> np.ndarray:
        """Of all instances, layers that are kept apart one after another: ``(instances, dim) float32``."""
        matrix = encode_corpus(self.encoder, corpus, progress=self.progress).matrix
        return matrix.reshape(len(matrix), -1)

    def _evaluation(self, development: Development) -> Callable[[np.ndarray], float]:
        vectors = self._vectors(development.corpus)
        return lambda matrix: development.f1(self._logits(vectors, development.choices, matrix))

    def _logits(self, vectors: np.ndarray, choices: Choices, matrix: np.ndarray) -> np.ndarray:
        """``(places,) float64``, NaN where a sense has no row."""
        number = {sense: row for row, sense in enumerate(self.senses)}
        rows = np.array([number.get(sense, -1) for sense in choices.senses], np.int64)
        ones = np.ones((len(vectors), 1), np.float32)
        found = compare(np.concatenate([vectors, ones], axis=1), matrix[rows], choices)
        return np.where(rows[choices.candidates] >= 0, found, np.nan) if len(found) else found


def _command(folder: str | Path) -> str:
    return f"uncommonsense wsd train probe --corpus semcor --out {folder}"
