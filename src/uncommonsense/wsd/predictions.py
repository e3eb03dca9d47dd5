"""What a system answers, instance by instance."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pyarrow as pa

from uncommonsense.schema import Corpus
from uncommonsense.wsd.choices import Choices

__all__ = ["PREDICTION_SCHEMA", "Predictions"]

PREDICTION_SCHEMA = pa.schema(
    [("instance", pa.string()), ("sense", pa.string()), ("score", pa.float64()), ("system", pa.string())]
)


class Predictions(NamedTuple):
    """Scores of all candidates, and the best one of each instance.

    Among equals the first in the order of the inventory wins. A score of NaN is no opinion; an instance
    without any opinion, or without candidates, has no answer.
    """

    system: str
    instances: pa.ChunkedArray
    """Instance ids."""
    choices: Choices
    scores: np.ndarray
    """Larger is better: ``(places,) float64``."""

    @property
    def best(self) -> np.ndarray:
        """The place of each instance's answer, -1 where there is none: ``(instances,) int64``."""
        scores = np.where(np.isnan(self.scores), -np.inf, self.scores)
        owner, sizes = self.choices.instance, self.choices.sizes
        best = np.full(len(sizes), -1, np.int64)
        order = np.lexsort((-np.arange(len(scores)), scores, owner))  # the last of each instance is its best
        ends = self.choices.offsets[1:][sizes > 0] - 1
        chosen = order[ends]
        best[sizes > 0] = np.where(np.isneginf(scores[chosen]), -1, chosen)
        return best

    def answers(self) -> list[str | None]:
        """The sense of each instance, None where there is no answer."""
        places = self.best
        numbers = np.where(places < 0, -1, self.choices.candidates[places] if len(self.scores) else -1)
        return [None if number < 0 else self.choices.senses[number] for number in numbers.tolist()]

    def table(self) -> pa.Table:
        """One row per answered instance, of ``PREDICTION_SCHEMA``."""
        places = self.best
        answered = places >= 0
        columns = {
            "instance": self.instances.filter(pa.array(answered)),
            "sense": [answer for answer in self.answers() if answer is not None],
            "score": self.scores[places[answered]],
            "system": [self.system] * int(answered.sum()),
        }
        return pa.table(columns, PREDICTION_SCHEMA)

    def probabilities(self, temperature: float = 1.0) -> np.ndarray:
        """A softmax over the scores of each instance; 0 without an opinion: ``(places,) float64``."""
        owner = self.choices.instance
        scores = np.where(np.isnan(self.scores), -np.inf, self.scores) / temperature
        highest = np.full(len(self.choices.sizes), -np.inf)
        np.maximum.at(highest, owner, scores)
        weights = np.exp(scores - np.where(np.isneginf(highest), 0, highest)[owner])
        totals = np.bincount(owner, weights, minlength=len(highest))
        shares: np.ndarray = np.zeros_like(weights)
        np.divide(weights, totals[owner], out=shares, where=totals[owner] > 0)
        return shares


def predict(system: str, corpus: Corpus, choices: Choices, scores: np.ndarray) -> Predictions:
    """The predictions that ``scores`` ``(places,)`` of the candidates make."""
    return Predictions(system, corpus.instances["id"], choices, np.asarray(scores, np.float64))
