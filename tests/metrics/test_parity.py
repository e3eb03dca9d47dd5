"""The same numbers as other people's evaluators, on random rankings."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pytest

from uncommonsense.metrics.measures import parse_measure

TREC = {
    "P": "P.{}",
    "recall": "recall.{}",
    "map": "map_cut.{}",
    "ndcg": "ndcg_cut.{}",
}
RANX = {"P": "precision@{}", "recall": "recall@{}", "map": "map@{}", "mrr": "mrr@{}", "ndcg": "ndcg@{}"}


def pairs(table: dict[str, str], **whole: str) -> list[tuple[str, str]]:
    """Our name and theirs, at several cutoffs; ``whole`` are theirs that take the whole ranking."""
    cut = [(f"{name}@{k}", theirs.format(k)) for name, theirs in table.items() for k in (1, 5, 10, 20)]
    return [*cut, *((name if name == "r_precision" else f"{name}@60", each) for name, each in whole.items())]


class Rankings(NamedTuple):
    """Rankings of pools, some shorter than the cutoffs, with relevant candidates that are never retrieved."""

    hits: np.ndarray
    relevant: np.ndarray
    judgements: dict[str, dict[str, int]]
    run: dict[str, dict[str, float]]


def retrieved(judged: list[bool], unseen: int, query: str) -> tuple[dict[str, int], dict[str, float]]:
    """Judgements and scores of one query; scores decrease, since evaluators break ties each in its way."""
    judgements = {f"{query}-{rank}": int(hit) for rank, hit in enumerate(judged)}
    judgements |= {f"{query}-unseen{i}": 1 for i in range(unseen)}
    return judgements, {f"{query}-{rank}": float(len(judged) - rank) for rank in range(len(judged))}


@pytest.fixture(scope="module")
def rankings() -> Rankings:
    rng = np.random.default_rng(5)
    queries, ranks = 300, 60
    hits = np.zeros((queries, ranks), bool)
    unseen = rng.integers(0, 40, queries)
    unseen[::3] = 0
    judgements, run = {}, {}
    for query in range(queries):
        size = int(rng.integers(1, ranks + 1))
        hits[query, :size] = rng.random(size) < rng.random()
        if not hits[query].any() and not unseen[query]:
            unseen[query] = 1  # evaluators leave out queries without a relevant document
        name = f"q{query:03}"
        judgements[name], run[name] = retrieved(hits[query, :size].tolist(), int(unseen[query]), name)
    return Rankings(hits, hits.sum(axis=1) + unseen, judgements, run)


def ours(name: str, rankings: Rankings) -> np.ndarray:
    return parse_measure(name)(rankings.hits, rankings.relevant).numerator


@pytest.mark.parametrize(("name", "asked"), pairs(TREC, mrr="recip_rank", map="map", r_precision="Rprec"))
def test_trec_eval_agrees(name: str, asked: str, rankings: Rankings) -> None:
    pytrec_eval = pytest.importorskip("pytrec_eval", reason="pytrec-eval-terrier is not installed")
    found = pytrec_eval.RelevanceEvaluator(rankings.judgements, {asked}).evaluate(rankings.run)
    theirs = [found[query][asked.replace(".", "_")] for query in rankings.run]
    assert ours(name, rankings) == pytest.approx(theirs, abs=1e-9)


@pytest.mark.filterwarnings("ignore")  # numba warns about types of its own
def test_ranx_agrees(rankings: Rankings) -> None:
    ranx = pytest.importorskip("ranx", reason="ranx is not installed")
    relevant = {q: {d: 1 for d, judged in of.items() if judged} for q, of in rankings.judgements.items()}
    named = dict(pairs(RANX, r_precision="r-precision"))
    theirs = ranx.evaluate(
        ranx.Qrels(relevant), ranx.Run(rankings.run), list(named.values()), return_mean=False
    )
    for name, asked in named.items():
        assert ours(name, rankings) == pytest.approx(theirs[asked], abs=1e-9), name
