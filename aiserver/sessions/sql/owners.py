"""Owner names as keys in the tables. Pure.

Invariants: two owners never share a key; a key is at most 200 bytes and contains nothing that a
database can't store (NUL, lone surrogates); an ordinary name is its own key, so that a database's
row-level security can refer to it.
"""

from __future__ import annotations

import hashlib

MAX_KEY_BYTES = 200
_HASHED = "~"


def owner_key(owner: str) -> str:
    """The owner's name if it can be stored, otherwise ``~`` and its SHA-256."""
    if is_plain(owner):
        return owner
    return _HASHED + hashlib.sha256(owner.encode("utf-8", "surrogatepass")).hexdigest()


def is_plain(owner: str) -> bool:
    """Whether an owner's name is its own key."""
    try:
        data = owner.encode()
    except UnicodeEncodeError:
        return False
    return len(data) <= MAX_KEY_BYTES and not owner.startswith(_HASHED) and "\0" not in owner
