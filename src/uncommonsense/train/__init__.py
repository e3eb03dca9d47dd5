"""Training of models: inoculation by fine-tuning, the frozen probe, the gloss bi-encoder.

>>> from uncommonsense.train import inoculate
"""

from uncommonsense.train.inoculation import inoculate, manifests, read_corpus, read_manifest
from uncommonsense.train.recipe import Recipe
from uncommonsense.train.sample import draw_sample

__all__ = ["Recipe", "draw_sample", "inoculate", "manifests", "read_corpus", "read_manifest"]
