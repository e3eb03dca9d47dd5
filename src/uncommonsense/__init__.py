"""Word senses in language models: search usages by example, measure rare senses, look senses up.

>>> import uncommonsense
>>> corpus = uncommonsense.load_corpus("sampler")
>>> len(corpus)
2381

Names are imported when they are first used, so that ``import uncommonsense`` costs nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from uncommonsense.corpora import load_corpus, open_corpus
    from uncommonsense.encode import Encoder, encode_corpus
    from uncommonsense.errors import UncommonSenseError
    from uncommonsense.inventories import open_inventory
    from uncommonsense.schema import Corpus

__version__ = "0.1.0"

__all__ = [
    "Corpus",
    "Encoder",
    "UncommonSenseError",
    "__version__",
    "encode_corpus",
    "load_corpus",
    "open_corpus",
    "open_inventory",
]

_HOMES = {
    "Corpus": "schema",
    "Encoder": "encode",
    "UncommonSenseError": "errors",
    "encode_corpus": "encode",
    "load_corpus": "corpora",
    "open_corpus": "corpora",
    "open_inventory": "inventories",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return sorted(__all__)
