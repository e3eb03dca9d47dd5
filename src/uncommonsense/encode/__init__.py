"""Vectors of words in context, from any transformers model.

>>> from uncommonsense.encode import Encoder
"""

from uncommonsense.encode.corpus import Vectors, encode_corpus, vector_root
from uncommonsense.encode.encoder import DEFAULT_MODEL, Encoder, Target
from uncommonsense.encode.layers import Layers

__all__ = ["DEFAULT_MODEL", "Encoder", "Layers", "Target", "Vectors", "encode_corpus", "vector_root"]
