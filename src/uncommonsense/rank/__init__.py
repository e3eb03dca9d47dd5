"""Rank the usages of a word by their similarity to one usage, and measure how well a model does it."""

from uncommonsense.rank.evaluate import RankingResult, baselines, evaluate
from uncommonsense.rank.example import Example, Neighbour, nearest, parse_example
from uncommonsense.rank.neighbours import rank_neighbours
from uncommonsense.rank.protocol import PROTOCOLS, Protocol
from uncommonsense.rank.selection import Selection, select

__all__ = [
    "PROTOCOLS",
    "Example",
    "Neighbour",
    "Protocol",
    "RankingResult",
    "Selection",
    "baselines",
    "evaluate",
    "nearest",
    "parse_example",
    "rank_neighbours",
    "select",
]
