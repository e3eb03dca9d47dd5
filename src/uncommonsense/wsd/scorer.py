"""The scorer of senses: definitions, usages and frequency weighed by training, in one vector a sense.

FOLDER/encoder/, head.safetensors, manifest.json    what was trained (see train.scorer)
FOLDER/senses.safetensors                           a vector (8 bits a number) and a bias for each sense
FOLDER/senses.parquet                               their ids
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Self

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from safetensors.numpy import load_file, save_file

from uncommonsense.encode import DEFAULT_MODEL, Encoder, encode_corpus
from uncommonsense.encode.corpus import Progress, encode_text
from uncommonsense.errors import UserError
from uncommonsense.inventories.protocol import Inventory
from uncommonsense.rank.neighbours import normalised
from uncommonsense.schema import Corpus
from uncommonsense.wsd.choices import Choices, choices_of
from uncommonsense.wsd.definitions import definition_corpus
from uncommonsense.wsd.development import Development, compare
from uncommonsense.wsd.saved import read_about, require_inventory, write_about
from uncommonsense.wsd.scoring import annotated
from uncommonsense.wsd.system import System

if TYPE_CHECKING:
    from uncommonsense.train.encoder import TrainableEncoder
    from uncommonsense.train.examples import Examples
    from uncommonsense.train.scorer import KnownSenses, ScorerHead, ScorerRecipe, SenseWeights

__all__ = ["SenseScorer"]

_IDS, _WEIGHTS = "senses.parquet", "senses.safetensors"


class SenseTable(NamedTuple):
    """What a trained scorer knows of senses: numbers of 8 bits, a scale and a bias for each."""

    ids: pa.Array
    vector: np.ndarray
    """``(senses, dim) int8``"""
    scale: np.ndarray
    """Of a row: ``(senses,) float32``."""
    bias: np.ndarray
    """``(senses,) float32``"""

    @classmethod
    def of(cls, ids: pa.Array, weights: SenseWeights) -> SenseTable:
        """Round to 8 bits, the largest number of a row to 127."""
        scale = np.maximum(np.abs(weights.vector).max(axis=1), 1e-12) / 127
        rounded = np.rint(weights.vector / scale[:, None]).astype(np.int8)
        return cls(ids, rounded, scale.astype(np.float32), weights.bias)

    def rows(self, senses: tuple[str, ...]) -> tuple[np.ndarray, np.ndarray]:
        """Vectors ``(senses, dim)`` and biases ``(senses,)``; a sense that is not there is all NaN."""
        found = pc.index_in(pa.array(senses, pa.string()), value_set=self.ids)
        place = np.asarray(pc.fill_null(found, 0), np.int64)
        vectors = self.vector[place] * self.scale[place, None]
        bias = np.where(np.asarray(pc.is_valid(found)), self.bias[place], np.nan)
        return vectors, bias

    def write(self, folder: Path) -> None:
        """Keep it in ``folder``."""
        pq.write_table(pa.table({"sense": self.ids}), folder / _IDS, compression="zstd")
        save_file({name: getattr(self, name) for name in ("vector", "scale", "bias")}, folder / _WEIGHTS)

    @classmethod
    def read(cls, folder: Path) -> SenseTable:
        """The inverse of :meth:`write`."""
        try:
            ids = pq.read_table(folder / _IDS)["sense"].combine_chunks()
            return cls(ids, **load_file(folder / _WEIGHTS))
        except FileNotFoundError as error:
            raise UserError(f"{error.filename or folder}: no such file; train the scorer again") from None


class SenseScorer(System):
    """An encoder tuned on annotated text, with definitions, usages and frequency of every sense."""

    name: ClassVar[str] = "scorer"

    def __init__(
        self,
        inventory: Inventory,
        *,
        model: str = DEFAULT_MODEL,
        also: Corpus | None = None,
        seed: int = 0,
        limit: int = 0,
        recipe: Mapping[str, Any] | None = None,
        out: Path | str = "",
        development: Development | None = None,
        report: Callable[[str], None] = lambda _: None,
        progress: Progress | None = None,
    ) -> None:
        super().__init__(inventory)
        self.model = model
        self.also = also
        self.seed = seed
        self.limit = limit
        self.recipe = dict(recipe or {})
        self.out = Path(out) if out else None
        self.development = development
        self.report = report
        self.progress = progress
        self._encoder: Encoder | None = None
        self._head: ScorerHead | None = None
        self._table: SenseTable | None = None
        self._folder: Path | None = None

    def fit(self, corpus: Corpus) -> Self:
        """Train on ``corpus``, and on ``also``, which is taken not to show how frequent senses are.

        What is trained is in ``out`` as it goes, and goes on there after an interruption.
        """
        from uncommonsense.train.scorer import ScorerRecipe, open_head, train_scorer, weigh_senses

        if self.out is None:
            raise UserError("the scorer is trained in a folder: give it out=FOLDER")
        recipe = ScorerRecipe.of(**self.recipe)
        parts = [annotated(part) for part in (corpus, self.also) if part is not None]
        text, ids = Corpus.concatenate(parts), list(self.inventory.senses())
        vectors, known = self._known(text, len(parts[0]), ids, recipe)
        examples, rows = self._examples(text, ids)
        train_scorer(
            self.model,
            examples,
            vectors[rows],
            rows < len(parts[0]),
            known,
            ids,
            folder=self.out,
            about=self._about([part.name for part in parts]),
            recipe=recipe,
            seed=self.seed,
            evaluate=self._evaluation(known, ids),
            tell=self.report,
            progress=self.progress,
        )
        table = SenseTable.of(pa.array(ids, pa.string()), weigh_senses(open_head(self.out), known))
        table.write(self.out)
        self._describe(self.out, recipe.layers, recipe.pool, text.name)
        self._open(self.out)
        return self

    def scores(self, corpus: Corpus, choices: Choices) -> np.ndarray:
        """What words and senses come to together: logits of a softmax over the candidates."""
        from uncommonsense.train.scorer import queries_of

        if self._encoder is None or self._head is None or self._table is None:
            raise UserError("the scorer is not trained yet; fit it, or load a trained one")
        vectors, bias = self._table.rows(choices.senses)
        queries = queries_of(self._head, encode_text(self._encoder, corpus))
        return np.asarray(compare(queries, vectors, choices) + bias[choices.candidates])

    def save(self, folder: Path) -> None:
        """Copy what was trained."""
        if self._folder is None:
            raise UserError("the scorer is not trained yet: there is nothing to save")
        if folder.resolve() != self._folder.resolve():
            shutil.copytree(self._folder, folder, dirs_exist_ok=True)

    @classmethod
    def load(cls, folder: Path, inventory: Inventory) -> Self:
        """A scorer that was trained in ``folder``."""
        about = read_about(folder)
        require_inventory(folder, about, inventory)
        system = cls(inventory)
        system._open(folder)
        return system

    def _known(
        self, text: Corpus, counted: int, ids: list[str], recipe: ScorerRecipe
    ) -> tuple[np.ndarray, KnownSenses]:
        """The words of ``text`` as vectors of length 1, and what follows for the senses.

        The first ``counted`` words show how frequent senses are.
        """
        from uncommonsense.train.scorer import KnownSenses

        encoder = Encoder(self.model, layers=recipe.layers, pool=recipe.pool)
        vectors = normalised(encode_corpus(encoder, text, progress=self.progress).matrix)
        defined = definition_corpus(self.inventory, ids)
        definitions = normalised(encode_corpus(encoder, defined, progress=self.progress).matrix)
        lists = text.instances["senses"].combine_chunks()
        usage = np.asarray(pc.list_parent_indices(lists), np.int64)
        found = pc.index_in(pc.list_flatten(lists), value_set=pa.array(ids, pa.string()))
        sense = np.asarray(pc.fill_null(found, -1), np.int64)
        usage, sense = usage[sense >= 0], sense[sense >= 0]
        sums = np.zeros_like(definitions)
        np.add.at(sums, sense, vectors[usage])
        seen, occurrences = (
            np.bincount(sense[chosen], minlength=len(ids)) for chosen in (usage >= 0, usage < counted)
        )
        return vectors, KnownSenses(definitions, sums, seen, occurrences, self._ranks(ids))

    def _ranks(self, ids: list[str]) -> np.ndarray:
        """The place of each sense among those of its lemma and part of speech, from 0."""
        number = {sense: place for place, sense in enumerate(ids)}
        ranks = np.zeros(len(ids), np.int64)
        for sense in ids:
            known = self.inventory.sense(sense)
            candidates = self.inventory.candidates(known.lemmas[0], known.pos)
            ranks[number[sense]] = candidates.index(sense) if sense in candidates else len(candidates)
        return ranks

    def _examples(self, text: Corpus, ids: list[str]) -> tuple[Examples, np.ndarray]:
        """Words with several candidates, one of which is right, and their rows in ``text``."""
        from uncommonsense.train.examples import Examples

        choices = choices_of(text, self.inventory)
        number = {sense: place for place, sense in enumerate(ids)}
        own = np.array([number[sense] for sense in choices.senses], np.int64)
        rows = pa.array(np.arange(len(text)))
        numbered = Corpus(text.sentences, text.instances.append_column("row", rows), name=text.name)
        numbered.__dict__["rows"] = text.rows
        chosen = Examples.of(numbered, ids, own[choices.candidates], choices.offsets).ambiguous()
        if self.limit:
            chosen = chosen.limit(self.limit, seed=self.seed)
        return chosen, np.asarray(chosen.corpus.instances["row"])

    def _evaluation(
        self, known: KnownSenses, ids: list[str]
    ) -> Callable[[TrainableEncoder, ScorerHead], float] | None:
        """F1 of the development set."""
        from uncommonsense.train.scorer import queries_of, weigh_senses

        development = self.development
        if development is None:
            return None
        names = pa.array(ids, pa.string())

        def evaluate(encoder: TrainableEncoder, head: ScorerHead) -> float:
            vectors, bias = SenseTable.of(names, weigh_senses(head, known)).rows(development.choices.senses)
            queries = queries_of(head, encoder.vectors(encoder.lay_out(development.corpus)))
            found = compare(queries, vectors, development.choices)
            return development.f1(found + bias[development.choices.candidates])

        return evaluate

    def _about(self, corpora: list[str]) -> dict[str, Any]:
        development = self.development.identity if self.development else None
        return {"inventory": self.inventory.name, "corpora": corpora, "development": development}

    def _describe(self, folder: Path, layers: str, pool: str, corpus: str) -> None:
        write_about(folder, self.name, inventory=self.inventory.name, corpus=corpus, layers=layers, pool=pool)

    def _open(self, folder: Path) -> None:
        from uncommonsense.train.scorer import ENCODER, open_head

        about = read_about(folder)
        self._encoder = Encoder(str(folder / ENCODER), layers=about["layers"], pool=about["pool"])
        self._head, self._table, self._folder = open_head(folder), SenseTable.read(folder), folder
