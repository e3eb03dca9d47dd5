"""A training in a folder, from its beginning or from where it stopped, to its manifest."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from uncommonsense.train.loop import Learner, Loop, Progress
from uncommonsense.train.manifest import MANIFEST, provenance, require_same, run_name, write_manifest
from uncommonsense.train.recipe import LoopRecipe

__all__ = ["Run"]


@dataclass(frozen=True)
class Run:
    """What is trained where, and who hears of it."""

    folder: Path
    about: Mapping[str, Any]
    """What the manifest says, as far as it is known before."""
    identity: Sequence[str]
    """The entries of ``about`` that decide the outcome."""
    seed: int = 0
    progress: Progress | None = None
    tell: Callable[[str], None] = lambda _: None
    checkpoint_minutes: float = 10.0

    @property
    def finished(self) -> bool:
        """Whether it was done before, with the same settings; other settings are an error."""
        if not (self.folder / MANIFEST).exists():
            return False
        require_same(self.folder, self.about, self.identity)
        self.tell(f"{self.folder} is there already, trained with the same settings")
        return True

    def train(
        self,
        learner: Learner,
        recipe: LoopRecipe,
        *,
        evaluate: Callable[[], float] | None,
        save: Callable[[], Mapping[str, Any]],
    ) -> None:
        """Run the loop, ``save`` what was learned, then write the manifest with what ``save`` returns."""
        loop = Loop(
            learner,
            recipe,
            self.folder,
            run=run_name(self.about, self.identity),
            seed=self.seed,
            evaluate=evaluate,
            tell=self.tell,
            checkpoint_minutes=self.checkpoint_minutes,
        )
        position = loop.run(self.progress)
        write_manifest(self.folder, {**self.about, **save(), **position.outcome(), **provenance()})
        loop.clean()
