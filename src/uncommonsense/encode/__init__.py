"""Vectors of words in context, from any transformers model.

>>> from uncommonsense.encode import Encoder
"""

import os

# torch's threads spin at every barrier, for milliseconds if they must; on a machine that others use too, that
# costs up to nine tenths of the speed. It is read when torch is first imported, and left alone if set.
os.environ.setdefault("GOMP_SPINCOUNT", "1000")

from uncommonsense.encode.corpus import Vectors, encode_corpus, vector_root
from uncommonsense.encode.encoder import DEFAULT_MODEL, Encoder, Target
from uncommonsense.encode.layers import Layers

__all__ = ["DEFAULT_MODEL", "Encoder", "Layers", "Target", "Vectors", "encode_corpus", "vector_root"]
