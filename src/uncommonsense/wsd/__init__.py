"""Word sense disambiguation: systems behind one protocol, official scoring, raw text."""

from __future__ import annotations

from uncommonsense.wsd.choices import Choices, choices_of
from uncommonsense.wsd.predictions import PREDICTION_SCHEMA, Predictions
from uncommonsense.wsd.system import System

__all__ = ["PREDICTION_SCHEMA", "Choices", "Predictions", "System", "choices_of"]
