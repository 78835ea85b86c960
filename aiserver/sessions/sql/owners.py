"""Turn owners' names into the keys that identify owners in the tables.

Invariants: two owners never have the same key. A key has at most 200 bytes and contains nothing
that a database can't store, such as NUL or a lone surrogate. A name that meets these conditions is
used as the key, unless it begins with ``~``. So an administrator can write most names directly in
rules for row-level security.
"""

from __future__ import annotations

import hashlib

MAX_KEY_BYTES = 200
_HASH_PREFIX = "~"


def owner_key(owner: str) -> str:
    """Return the owner's name if it can be the key, otherwise ``~`` and the name's SHA-256."""
    if can_be_key(owner):
        return owner
    return _HASH_PREFIX + hashlib.sha256(owner.encode("utf-8", "surrogatepass")).hexdigest()


def can_be_key(owner: str) -> bool:
    """Return whether an owner's name is also the owner's key."""
    try:
        data = owner.encode()
    except UnicodeEncodeError:
        return False
    return len(data) <= MAX_KEY_BYTES and not owner.startswith(_HASH_PREFIX) and "\0" not in owner
