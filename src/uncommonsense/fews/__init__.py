"""FEWS: low-shot disambiguation data from a Wiktionary dump; checks, figures, human evaluation."""

from __future__ import annotations
