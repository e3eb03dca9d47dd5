"""WordNet 3.0: senses by key, synsets by name, and their relations."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property

import numpy as np

from uncommonsense.errors import MissingResourceError, UnknownNameError
from uncommonsense.inventories.protocol import fold_lemma, fold_pos
from uncommonsense.inventories.wordnet.morphy import Morphy
from uncommonsense.inventories.wordnet.names import LEXFILES, MARKERS, PARTS, RELATIONS
from uncommonsense.inventories.wordnet.rows import FILE_ORDER, Rows, Synset, relation_number
from uncommonsense.schema import Sense

__all__ = ["WordNet"]

_NAME = re.compile(r"(.+)\.([nvars])\.(\d+)")


class WordNet(Rows):
    """The inventory of WordNet 3.0; a sense id is a sense key such as ``mouse%1:06:00::``.

    ``folder`` holds the database files; without it the resource ``wordnet`` is used. The columns of
    all senses and synsets, for work on many at once, are those of :class:`Rows`.
    """

    # -- the protocol of inventories

    def __len__(self) -> int:
        return len(self._keys)

    def __contains__(self, sense_id: object) -> bool:
        return isinstance(sense_id, str) and self._find(sense_id) >= 0

    def sense(self, sense_id: str) -> Sense:
        """A sense: its own lemma first, then its synonyms; its lexicographer file and marker as tags."""
        row = self.sense_row(sense_id)
        synset = self.synset_at(int(self.sense_synset[row]))
        own = synset.keys.index(sense_id)
        others = [word for word, key in zip(synset.lemmas, synset.keys, strict=True) if key != sense_id]
        marker = self._senses["marker"][row].as_py()
        tags = (synset.lexfile, *((MARKERS[marker - 1][1],) if marker else ()))
        lemmas = (synset.lemmas[own], *others)
        return Sense(
            sense_id,
            lemmas,
            fold_pos(synset.pos),
            synset.gloss,
            synset.examples,
            self.relations(sense_id),
            tags,
        )

    def candidates(self, lemma: str, pos: str | None = None) -> tuple[str, ...]:
        """Keys of the lemma's senses, in the order of the index files."""
        rows = self.rows(lemma, pos)
        return self._keys[rows.start : rows.stop]

    def gloss(self, sense_id: str) -> str:
        """The definition of a sense's synset."""
        return self._glosses[self._synset_row(sense_id)]

    def lemmas(self) -> Iterator[str]:
        """Every lemma, lower case, sorted."""
        return iter(self._index.lemmas)

    def senses(self) -> Iterator[str]:
        """Every sense key, in row order."""
        return iter(self._keys)

    # -- words

    def first_sense(self, lemma: str, pos: str | None = None) -> str | None:
        """The key of a lemma's first sense, or None for an unknown lemma."""
        rows = self.rows(lemma, pos)
        return self._keys[rows.start] if rows else None

    def morphy(self, form: str, pos: str | None = None) -> list[str]:
        """Base forms of ``form`` in WordNet, itself first if it is one; without ``pos``, of all parts."""
        folded = fold_lemma(form)
        parts = FILE_ORDER if pos is None else fold_pos(pos)
        bases = (base for part in parts if part in FILE_ORDER for base in self._morphy.bases(folded, part))
        return list(dict.fromkeys(bases))

    # -- senses and synsets

    def sense_row(self, key: str) -> int:
        """The row of a sense key."""
        row = self._find(key)
        if row < 0:
            near = self.candidates(key.partition("%")[0])
            hint = "" if near else "Look for its word with 'uncommonsense senses WORD'."
            raise UnknownNameError("WordNet sense key", key, near, hint=hint)
        return row

    def count(self, key: str) -> int:
        """How often a sense is tagged in the concordance that WordNet was ordered by."""
        return int(self.sense_count[self.sense_row(key)])

    def number(self, key: str) -> int:
        """The sense number among the lemma's senses of that part of speech, from 1."""
        return int(self.sense_number[self.sense_row(key)])

    def synset(self, name_or_key: str) -> Synset:
        """The synset of a name (``mouse.n.01``, by any of its words) or of a sense key."""
        return self.synset_at(self._synset_row(name_or_key))

    def synset_of(self, key: str) -> Synset:
        """The synset that a sense key belongs to."""
        return self.synset_at(int(self.sense_synset[self.sense_row(key)]))

    def synset_by_offset(self, offset: int, pos: str) -> Synset:
        """The synset at an offset of this build's ``data`` file; satellites lie among the adjectives."""
        part = self._index.part(fold_pos(pos))
        start, end = self.file_bounds[part : part + 2] if part >= 0 else (0, 0)
        row = int(start + np.searchsorted(self.synset_offset[start:end], offset))
        if row >= end or self.synset_offset[row] != offset:
            hint = "Offsets differ between builds of WordNet: is the map made for this one?"
            raise UnknownNameError("WordNet offset", f"{offset:08d}-{pos}", (), hint=hint)
        return self.synset_at(row)

    def synsets(self) -> Iterator[str]:
        """The name of every synset, in row order."""
        return map(self.synset_name, range(len(self._glosses)))

    def name_of(self, key: str) -> str:
        """The name of the synset that a key belongs to."""
        return self.synset_name(int(self.sense_synset[self.sense_row(key)]))

    def key_of(self, name: str, lemma: str | None = None) -> str:
        """The key of ``lemma`` in the synset ``name``; by default of the word in the name."""
        if lemma is None:
            return self._keys[self._row_of_name(name)]
        synset = self.synset(name)
        keys = {fold_lemma(word): key for word, key in zip(synset.lemmas, synset.keys, strict=True)}
        if fold_lemma(lemma) not in keys:
            raise UnknownNameError(f"lemma of {synset.name}", lemma, keys)
        return keys[fold_lemma(lemma)]

    def lexfile(self, name_or_key: str) -> str:
        """The lexicographer file, such as ``noun.animal``."""
        return LEXFILES[int(self.synset_lexfile[self._synset_row(name_or_key)])]

    def frames(self, key: str) -> tuple[int, ...]:
        """The numbers of a verb sense's sentence frames, as in WordNet's ``frames.vrb``."""
        row = self.sense_row(key)
        frames = self._synsets["frames"][int(self.sense_synset[row])].as_py()
        return tuple(each["frame"] for each in frames if each["sense"] in (-1, row))

    # -- relations

    def relations(self, name_or_key: str | Synset) -> tuple[tuple[str, str], ...]:
        """(relation, target) pairs in the order of the database.

        Of a synset or its name: the relations between synsets, targets as names. Of a sense key: these
        and the sense's own (antonyms, derivations, ...), targets as keys; a whole synset is then
        represented by its first key.
        """
        if isinstance(name_or_key, Synset) or "%" not in name_or_key:
            return self._synset_relations(self._synset_row(name_or_key))
        sense = self.sense_row(name_or_key)
        pointers = self.pointers
        indptr, senses = self.synset_senses
        pairs = []
        for at in self.pointer_range(int(self.sense_synset[sense])):
            if pointers.source_sense[at] in (-1, sense):
                target = int(pointers.target_sense[at])
                row = target if target >= 0 else int(senses[indptr[pointers.target[at]]])
                pairs.append((RELATIONS[pointers.relation[at]], self._keys[row]))
        return tuple(pairs)

    def related(self, name_or_key: str | Synset, relation: str) -> tuple[Synset, ...]:
        """The synsets that a relation leads to from a whole synset."""
        row = self._synset_row(name_or_key)
        number = relation_number(relation)
        pointers = self.pointers
        return tuple(
            self.synset_at(int(pointers.target[at]))
            for at in self.pointer_range(row)
            if pointers.relation[at] == number and pointers.source_sense[at] < 0
        )

    def hypernyms(self, name_or_key: str | Synset, *, instances: bool = False) -> tuple[Synset, ...]:
        """More general synsets; with ``instances`` also the classes that an individual belongs to."""
        classes = self.related(name_or_key, "instance_hypernym") if instances else ()
        return self.related(name_or_key, "hypernym") + classes

    def hyponyms(self, name_or_key: str | Synset, *, instances: bool = False) -> tuple[Synset, ...]:
        """More specific synsets; with ``instances`` also the individuals of a class."""
        individuals = self.related(name_or_key, "instance_hyponym") if instances else ()
        return self.related(name_or_key, "hyponym") + individuals

    # -- within

    @cached_property
    def _morphy(self) -> Morphy:
        table = self.tables["exceptions"]
        if not table.num_rows:
            raise MissingResourceError(
                "this copy of WordNet has no exception lists, so base forms cannot be found; "
                "put noun.exc, verb.exc, adj.exc and adv.exc beside data.noun"
            )
        exceptions: dict[str, dict[str, tuple[str, ...]]] = {pos: {} for pos in FILE_ORDER}
        for pos, form, bases in zip(*(column.to_pylist() for column in table.columns), strict=True):
            exceptions[pos][form] = exceptions[pos].get(form, ()) + tuple(bases)
        return Morphy(lambda lemma, pos: bool(self._index.rows(lemma, pos)), exceptions)

    def _find(self, key: str) -> int:
        """The row of a key, or -1: a lemma's senses are few, so they are compared one by one."""
        for row in self._index.rows(key.rpartition("%")[0]):
            if self._keys[row] == key:
                return row
        return -1

    def _synset_row(self, name_or_key: str | Synset) -> int:
        if isinstance(name_or_key, Synset):
            return name_or_key.row
        find = self.sense_row if "%" in name_or_key else self._row_of_name
        return int(self.sense_synset[find(name_or_key)])

    def _row_of_name(self, name: str) -> int:
        """The sense row that a synset name such as ``mouse.n.01`` points to.

        ``able.a.02`` may stand for the satellite able.s.02. ``able.s.01`` does not stand for able.a.01:
        NLTK, which counts satellites apart since 3.9.2, means another sense by it.
        """
        match = _NAME.fullmatch(name)
        if not match:
            hint = "Expected a name such as mouse.n.01 or a sense key."
            raise UnknownNameError("synset", name, (), hint=hint)
        lemma, pos, number = match.groups()
        rows = self.rows(lemma, pos)
        parts = [PARTS[self.synset_pos[self.sense_synset[row]]] for row in rows]
        at = int(number) - 1
        if not 0 <= at < len(rows) or (pos == "s" and parts[at] == "a"):
            known = [f"{fold_lemma(lemma)}.{part}.{i:02d}" for i, part in enumerate(parts, start=1)]
            hint = "" if known else f"WordNet has no {lemma!r} with the part of speech {pos!r}."
            raise UnknownNameError("synset", name, known, hint=hint)
        return rows[at]

    def _synset_relations(self, row: int) -> tuple[tuple[str, str], ...]:
        pointers = self.pointers
        return tuple(
            (RELATIONS[pointers.relation[at]], self.synset_name(int(pointers.target[at])))
            for at in self.pointer_range(row)
            if pointers.source_sense[at] < 0
        )
