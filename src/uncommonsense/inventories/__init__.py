"""Sense inventories: one protocol, several sources.

open_inventory("wordnet")               WordNet 3.0, the fetched resource
open_inventory("wordnet:DIR")           WordNet from a folder of database files
open_inventory("fews:DIR")              FEWS, or a Wiktionary build: a folder or its senses.txt
open_inventory("ontonotes:DIR")         OntoNotes sense groupings
open_inventory("pdep:FILE")             PDEP's definitions of prepositions, an SQL dump
open_inventory("tratz:DIR")             Tratz's definitions of prepositions
open_inventory("sampler")               the prepositions that come with the package
"""

from __future__ import annotations

from pathlib import Path

from uncommonsense.errors import UnknownNameError, UserError
from uncommonsense.inventories.protocol import POS, Inventory, fold_lemma, fold_pos

__all__ = ["POS", "SPECS", "Inventory", "fold_lemma", "fold_pos", "open_inventory"]

SPECS = ("fews:DIR", "ontonotes:DIR", "pdep:FILE", "sampler", "tratz:DIR", "wordnet", "wordnet:DIR")
"""The forms that ``open_inventory`` accepts."""

_SAMPLER = Path(__file__).parent.parent / "corpora" / "sampler" / "prepositions.txt"


def open_inventory(spec: str) -> Inventory:
    """The inventory of a specification such as ``wordnet`` or ``fews:DIR`` (see ``SPECS``)."""
    kind, colon, place = spec.partition(":")
    if kind == "wordnet" and (place or not colon):
        from uncommonsense.inventories.wordnet import WordNet

        return WordNet(place or None)
    if spec == "sampler":
        from uncommonsense.inventories.fews import open_fews

        return open_fews(_SAMPLER, name="sampler")
    if kind not in {each.partition(":")[0] for each in SPECS}:
        raise UnknownNameError("inventory", spec, SPECS)
    if kind == "sampler" or not place:
        raise UserError(f"the inventory {spec!r} is incomplete or overfull; known forms: {', '.join(SPECS)}")
    return _open_at(kind, place)


def _open_at(kind: str, place: str) -> Inventory:
    if kind == "fews":
        from uncommonsense.inventories.fews import open_fews

        return open_fews(place)
    if kind == "ontonotes":
        from uncommonsense.inventories.ontonotes import OntoNotes

        return OntoNotes.open(place)
    from uncommonsense.inventories.prepositions import open_pdep, open_tratz

    return open_pdep(place) if kind == "pdep" else open_tratz(place)
