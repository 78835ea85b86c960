"""A session's bytes in pieces, so that one more turn doesn't mean writing all the others anew.

What must hold: ``encode`` gives, byte for byte, what ``codec.encode`` gives, as long as the turns
and events that it has seen are not changed; and that is the contract: they are append-only.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..models import Session, Stored
from . import codec

_INDENT = b"  "


class Pieces:
    """The bytes of the turns and events of one session, as far as they were encoded before."""

    def __init__(self) -> None:
        self._turns: list[bytes] = []
        self._events: list[bytes] = []

    def encode(self, session: Session) -> bytes:
        """The session's bytes. Raises InvalidRequest for what JSON can't hold."""
        if session.model_extra or (session.events is None and "events" in session.model_fields_set):
            return codec.encode(session)  # rare, and not worth a second way to write it
        text = b'{\n  "meta": ' + piece(session.meta, 1)
        text += b',\n  "interactions": ' + _array(self._turns, session.interactions)
        if session.events is not None:
            text += b',\n  "events": ' + _array(self._events, session.events)
        return text + b"\n}\n"


def _array(pieces: list[bytes], records: Sequence[Stored]) -> bytes:
    pieces += [piece(record, 2) for record in records[len(pieces) :]]
    if not pieces:
        return b"[]"
    inside = b"\n" + 2 * _INDENT
    return b"[" + inside + (b"," + inside).join(pieces) + b"\n" + _INDENT + b"]"


def piece(record: Stored, depth: int) -> bytes:
    """A record's text where it stands in a session, so many levels deep."""
    # No line break is inside a JSON string, so each of them begins a line of the layout.
    return codec.encode(record)[:-1].replace(b"\n", b"\n" + depth * _INDENT)
