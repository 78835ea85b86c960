"""Build the keys under which Redis stores the data.

Invariants: two owners never share a key, whatever characters their names contain. A key that
contains ids belongs to only one session or change log. In a key, all characters of an owner's name
except ASCII letters, digits and ``_.-~`` are percent-encoded, so the name ends at the next ``:``.
Ids contain neither ``:`` nor a space.

A *write id* is a random text that identifies one write. Redis stores the id of the last write to a
session in the field ``stamp`` of the session's head.

In the descriptions of hashes, the text before the colon is the field, and the text after it is the
value.

===============================  ==========  =======================================================
``owners``                       set         the owners of sessions, change logs or blobs
``cells:OWNER``                  sorted set  ``NOTEBOOK CELL`` of each session, sorted
``rows:OWNER``                   hash        ``NOTEBOOK CELL``: the session's summary as JSON
``head:OWNER:NOTEBOOK:CELL``     hash        ``meta``, unknown keys (``rest``), counters, ``stamp``
``turns:OWNER:NOTEBOOK:CELL``    list        the session's turns as JSON
``events:OWNER:NOTEBOOK:CELL``   list        the session's events as JSON
``ids:OWNER:NOTEBOOK:CELL``      hash        ``=ID``: the index of the event with this id
``damaged:OWNER:NOTEBOOK:CELL``  list        the damaged session as it was before each repair
``damaged:OWNER:NOTEBOOK``       list        entries of the change log that were quarantined
``notebooks:OWNER``              hash        notebook id: its change log's mark (seq and write id)
``log:OWNER:NOTEBOOK``           list        the entries of the notebook's change log
``blobs:OWNER``                  hash        SHA-256: bytes
``memory:OWNER``                 hash        the owner's ``memory``, ``proposals`` and ``reviews``
``once:WRITEID``                 string      the result of a write, stored for ten minutes
``alone:OWNER``                  string      the holder of the lock for notebook ids
===============================  ==========  =======================================================
"""

from __future__ import annotations

from urllib.parse import quote, unquote_to_bytes

from ...models import SessionKey

# A space sorts before all characters of ids, so cell names are sorted by notebook, then by cell.
_SEPARATOR = " "


def encode_owner(owner: str) -> str:
    """Encode an owner's name for a key."""
    return quote(owner.encode("utf-8", "surrogatepass"), safe="")


def decode_owner(text: str) -> str:
    """Decode the result of ``encode_owner``."""
    return unquote_to_bytes(text).decode("utf-8", "surrogatepass")


def cell_name(key: SessionKey) -> str:
    """Return a session's name in ``cells:OWNER`` and ``rows:OWNER``."""
    return f"{key.notebook_id}{_SEPARATOR}{key.cell_id}"


def parse_cell_name(name: str, owner: str) -> SessionKey:
    """Parse the result of ``cell_name``. Raises InvalidRequest for an invalid name."""
    notebook_id, _, cell_id = name.partition(_SEPARATOR)
    return SessionKey(notebook_id, cell_id, owner)


def lex_range(notebook_id: str | None) -> tuple[str, str]:
    """Return the arguments ``min`` and ``max`` of ZRANGEBYLEX that select a notebook's cell names.

    If ``notebook_id`` is None, the arguments select the cell names of all notebooks.
    """
    if notebook_id is None:
        return "-", "+"
    return f"[{notebook_id}{_SEPARATOR}", f"({notebook_id}{chr(ord(_SEPARATOR) + 1)}"


class Keyspace:
    """Builds all keys of a store, which have the same prefix."""

    def __init__(self, prefix: str) -> None:
        self.prefix = prefix
        self.owners = f"{prefix}owners"

    def write_result_key(self, write_id: str) -> str:
        """Return the key under which the result of a write is stored."""
        return f"{self.prefix}once:{write_id}"

    def owner_key(self, kind: str, owner: str, *ids: str) -> str:
        """Return a key that contains the owner's name, such as ``log:OWNER:NOTEBOOK``.

        ``kind`` is the first word of the key, such as ``log``.
        """
        return ":".join((self.prefix + kind, encode_owner(owner), *ids))

    def session_keys(self, key: SessionKey) -> list[str]:
        """Return the keys of the values that a write to a session may change.

        The order of the keys is: owners, cells, rows, head, turns, events, ids.
        """
        ids = key.notebook_id, key.cell_id
        indexes = [self.owner_key(kind, key.owner) for kind in ("cells", "rows")]
        kinds = ("head", "turns", "events", "ids")
        return [self.owners, *indexes, *(self.owner_key(kind, key.owner, *ids) for kind in kinds)]
