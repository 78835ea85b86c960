"""Turn owners' names into the keys that identify owners in the tables.

Invariants: two owners never have the same key. A key has at most 200 bytes and contains nothing
that a database can't store, such as NUL or a lone surrogate. If a name fulfils this, the name
itself is the key, so that the rules of a database's row-level security can contain names.
"""

from __future__ import annotations

import hashlib

MAX_KEY_BYTES = 200
_HASH_PREFIX = "~"


def owner_key(owner: str) -> str:
    """Return the owner's name if it can be stored, otherwise ``~`` and the name's SHA-256."""
    if is_own_key(owner):
        return owner
    return _HASH_PREFIX + hashlib.sha256(owner.encode("utf-8", "surrogatepass")).hexdigest()


def is_own_key(owner: str) -> bool:
    """Return whether an owner's name is used as the key without change."""
    try:
        data = owner.encode()
    except UnicodeEncodeError:
        return False
    return len(data) <= MAX_KEY_BYTES and not owner.startswith(_HASH_PREFIX) and "\0" not in owner
