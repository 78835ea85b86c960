"""The keys in Redis. Pure.

Invariants: two owners, cells or notebooks never share a key, whatever text an owner is. Owners are
percent-encoded except for letters, digits and ``_.-~``, so that ``:`` ends them; ids contain
neither ``:`` nor space.

===============================  ==========  =====================================================
``owners``                       set         the owners of sessions, logs or blobs
``cells:OWNER``                  sorted set  ``NOTEBOOK CELL`` of each session, in their order
``rows:OWNER``                   hash        the same name: the session's summary as JSON
``head:OWNER:NOTEBOOK:CELL``     hash        ``meta``, unknown keys (``rest``) and the counters
``turns:OWNER:NOTEBOOK:CELL``    list        the turns, each with its text in the session
``events:OWNER:NOTEBOOK:CELL``   list        the events, likewise
``ids:OWNER:NOTEBOOK:CELL``      hash        ``=ID`` of an event: its index in the list
``damaged:OWNER:NOTEBOOK:CELL``  list        texts that a repair has quarantined
``notebooks:OWNER``              hash        a notebook with a log: its last seq, and a stamp
``log:OWNER:NOTEBOOK``           list        the entries of its log
``blobs:OWNER``                  hash        SHA-256: bytes
``once:…``                       string      the answer to one write, for ten minutes
``alone:OWNER``                  string      the holder of the notebook lock
===============================  ==========  =====================================================
"""

from __future__ import annotations

from urllib.parse import quote, unquote_to_bytes

from ...models import SessionKey

# A space sorts before all characters of ids, so names sort by (notebook, cell).
_SEPARATOR = " "


def encode_owner(owner: str) -> str:
    """Encode an owner's name for a key."""
    return quote(owner.encode("utf-8", "surrogatepass"), safe="")


def decode_owner(text: str) -> str:
    """The inverse of ``encode_owner``."""
    return unquote_to_bytes(text).decode("utf-8", "surrogatepass")


def cell_name(key: SessionKey) -> str:
    """A session's name in the indexes of its owner."""
    return f"{key.notebook_id}{_SEPARATOR}{key.cell_id}"


def parse_cell_name(name: str, owner: str) -> SessionKey:
    """The inverse of ``cell_name``. Raises InvalidRequest for an invalid name."""
    notebook_id, _, cell_id = name.partition(_SEPARATOR)
    return SessionKey(notebook_id, cell_id, owner)


def lex_range(notebook_id: str | None) -> tuple[str, str]:
    """The range of the names of a notebook's sessions, for ZRANGEBYLEX."""
    if notebook_id is None:
        return "-", "+"
    return f"[{notebook_id}{_SEPARATOR}", f"({notebook_id}{chr(ord(_SEPARATOR) + 1)}"


class Keyspace:
    """The keys with one prefix."""

    def __init__(self, prefix: str) -> None:
        self.prefix = prefix
        self.owners = f"{prefix}owners"

    def once(self, stamp: str) -> str:
        """The key of the stored answer to a write."""
        return f"{self.prefix}once:{stamp}"

    def of(self, kind: str, owner: str, *ids: str) -> str:
        """A key of an owner, such as ``log:OWNER:NOTEBOOK``."""
        return ":".join((self.prefix + kind, encode_owner(owner), *ids))

    def session(self, key: SessionKey) -> list[str]:
        """The keys that a write of a session touches.

        They are: owners, cells, rows, head, turns, events, ids.
        """
        ids = key.notebook_id, key.cell_id
        indexes = [self.of(kind, key.owner) for kind in ("cells", "rows")]
        parts = [self.of(kind, key.owner, *ids) for kind in ("head", "turns", "events", "ids")]
        return [self.owners, *indexes, *parts]
