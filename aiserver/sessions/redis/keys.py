"""The names of what is kept in Redis. Pure.

What must hold: two owners, cells or notebooks never share a name, whatever text an owner is. An
owner is written with ``%`` and hex for all but letters, digits and ``_.-~``, so that ``:`` ends it;
ids hold no ``:`` and no space.

===============================  ==========  =====================================================
``owners``                       set         who has anything
``cells:OWNER``                  sorted set  ``NOTEBOOK CELL`` of each session, in their order
``rows:OWNER``                   hash        the same name: its line in a list, as JSON
``head:OWNER:NOTEBOOK:CELL``     hash        ``meta``, unknown keys (``rest``) and the counters
``turns:OWNER:NOTEBOOK:CELL``    list        the turns, each the text that it has in the session
``events:OWNER:NOTEBOOK:CELL``   list        the events, likewise
``ids:OWNER:NOTEBOOK:CELL``      hash        ``=ID`` of an event: its place in the list
``damaged:OWNER:NOTEBOOK:CELL``  list        texts that a repair has set aside
``notebooks:OWNER``              hash        a notebook with a log: its last number, and a stamp
``log:OWNER:NOTEBOOK``           list        the lines of its log
``blobs:OWNER``                  hash        SHA-256: bytes
``once:…``                       string      the answer to one write, for ten minutes
``alone:OWNER``                  string      who says now which notebook is which
===============================  ==========  =====================================================
"""

from __future__ import annotations

from urllib.parse import quote, unquote_to_bytes

from ...models import SessionKey

# A space comes before all that an id may hold: so names are in the order of (notebook, cell).
_BETWEEN = " "


def owner_text(owner: str) -> str:
    """An owner's name as it is written here."""
    return quote(owner.encode("utf-8", "surrogatepass"), safe="")


def owner_of(text: str) -> str:
    """The owner that was written so."""
    return unquote_to_bytes(text).decode("utf-8", "surrogatepass")


def cell_name(key: SessionKey) -> str:
    """A session's name in the indexes of its owner."""
    return f"{key.notebook_id}{_BETWEEN}{key.cell_id}"


def cell_key(name: str, owner: str) -> SessionKey:
    """The session that has this name. Raises InvalidRequest for what is no such name."""
    notebook_id, _, cell_id = name.partition(_BETWEEN)
    return SessionKey(notebook_id, cell_id, owner)


def cells_of(notebook_id: str | None) -> tuple[str, str]:
    """Where the names of a notebook's sessions begin and end, for ZRANGEBYLEX."""
    if notebook_id is None:
        return "-", "+"
    return f"[{notebook_id}{_BETWEEN}", f"({notebook_id}{chr(ord(_BETWEEN) + 1)}"


class Names:
    """The names under one prefix."""

    def __init__(self, prefix: str) -> None:
        self.prefix = prefix
        self.owners = f"{prefix}owners"

    def once(self, stamp: str) -> str:
        """Where the answer to one write is kept for a while."""
        return f"{self.prefix}once:{stamp}"

    def of(self, kind: str, owner: str, *ids: str) -> str:
        """One of the names that begin with an owner."""
        return ":".join((self.prefix + kind, owner_text(owner), *ids))

    def session(self, key: SessionKey) -> list[str]:
        """What a write of a session touches: owners, cells, rows, head, turns, events, ids."""
        ids = key.notebook_id, key.cell_id
        indexes = [self.of(kind, key.owner) for kind in ("cells", "rows")]
        parts = [self.of(kind, key.owner, *ids) for kind in ("head", "turns", "events", "ids")]
        return [self.owners, *indexes, *parts]
