"""Whose a row is, as the tables say it. Pure.

What must hold: two owners never share a key; a key is at most 200 bytes and holds nothing that a
database can't (NUL, halves of characters); an ordinary name stands there as it is, so that the
rules of a database ("a row is its owner's") can speak of it.
"""

from __future__ import annotations

import hashlib

LONGEST = 200  # bytes
_HASHED = "~"


def owner_key(owner: str) -> str:
    """What the tables call an owner: the name, or ``~`` and its SHA-256 where that can't be."""
    data = owner.encode("utf-8", "surrogatepass")
    if is_plain(owner):
        return owner
    return _HASHED + hashlib.sha256(data).hexdigest()


def is_plain(owner: str) -> bool:
    """Whether an owner's name is its key."""
    try:
        data = owner.encode()
    except UnicodeEncodeError:
        return False
    return len(data) <= LONGEST and not owner.startswith(_HASHED) and "\0" not in owner
