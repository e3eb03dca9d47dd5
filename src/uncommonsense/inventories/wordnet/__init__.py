"""WordNet 3.0, from the database files of any build, compiled once into memory-mapped columns."""

from __future__ import annotations

from uncommonsense.inventories.wordnet.database import WordNet
from uncommonsense.inventories.wordnet.names import LEXFILES, PARTS, RELATIONS
from uncommonsense.inventories.wordnet.rows import Pointers, Synset

__all__ = ["LEXFILES", "PARTS", "RELATIONS", "Pointers", "Synset", "WordNet"]
