"""Models, inventories and corpora: where they are, how to get them, whether they are intact.

>>> from uncommonsense import resources
>>> resources.index()["wordnet"].licence
'WordNet 3.0 License (Princeton University)'

``get`` fetches from the first source that works and verifies sha256; ``path`` says where a resource is
and never fetches.
"""

from uncommonsense.resources.access import Finding, Status, check, get, path, register, status
from uncommonsense.resources.catalogue import Resource, index
from uncommonsense.resources.store import cache_dir

__all__ = [
    "Finding",
    "Resource",
    "Status",
    "cache_dir",
    "check",
    "get",
    "index",
    "path",
    "register",
    "status",
]
