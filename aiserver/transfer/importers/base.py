"""What every importer takes and gives.

What must hold:

- Reading the same thing twice gives the same sessions to the letter, on any machine and at any
  time: ids come from the source's own names (``made_id``), times from its records. So an import
  can be repeated, and a source that has grown brings only what is new.
- Nothing that the source says is lost: each record stands, as it was, in what was made of it.
- What can't be understood is said, with a reason for a person; the rest goes on.
- Keys and passwords are taken out, as of everything that is saved. What AI Server itself kept is
  taken to the letter.
"""

from __future__ import annotations

import json
import math
import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timezone
from pathlib import PurePath
from typing import Any

from pydantic import TypeAdapter, ValidationError

from ...models import (
    Event,
    Interaction,
    NotebookLogEntry,
    Session,
    SessionKey,
    SessionMeta,
    Timestamp,
    new_session,
)
from ...redact import redact_json
from ...sessions.record import codec
from ...sessions.record.mutations import number_turn

_NAMESPACE = uuid.UUID("6ad4d1a5-0b1c-5f43-9a53-7c7f0f2b8a11")
_TIME: TypeAdapter[str] = TypeAdapter(Timestamp)
NO_TIME = "1970-01-01T00:00:00Z"
"""Stands where a source has no time: the moment of the import would make each one another."""


class NotUnderstood(ValueError):
    """The bytes are nothing that can be imported; the message tells a person why."""


@dataclass(frozen=True)
class Source:
    """One file, or what plays one."""

    path: PurePath
    data: bytes
    notebook: bytes | None = None
    """The notebook of the same name beside it."""
    agentscope: bool = False
    """Whether it lies in a session folder of AgentScope's, where any JSON is a value."""

    @property
    def folder(self) -> str:
        """The name of the folder that it lies in."""
        return self.path.parent.name


@dataclass
class Read:
    """What a source holds."""

    sessions: list[Session] = field(default_factory=list)
    logs: dict[tuple[str, str], list[NotebookLogEntry]] = field(default_factory=dict)
    """Of AI Server's own: logs by owner and notebook id …"""
    blobs: list[tuple[str, bytes]] = field(default_factory=list)
    """… and blobs with their owners."""
    owned: bool = False
    """Whether the owners that the sessions name are meant (a backup), or the caller's is."""
    not_understood: list[str] = field(default_factory=list)
    cells: int | None = None
    """The sessions of the whole source, where this is one part of it."""

    def add(self, other: Read) -> None:
        """Join what another holds."""
        self.sessions += other.sessions
        self.logs.update(other.logs)
        self.blobs += other.blobs
        self.owned = self.owned or other.owned
        self.not_understood += other.not_understood


Importer = Callable[[Source], Read]


def made_id(*names: str) -> str:
    """An id for what has another name elsewhere; the same names give the same id."""
    return str(uuid.uuid5(_NAMESPACE, json.dumps(names)))


def loads(text: str) -> Any:
    """JSON, or NotUnderstood. What JSON doesn't have (NaN) is null, as it is when it is kept."""
    try:
        return json.loads(text, parse_constant=lambda name: None, parse_float=_finite)
    except RecursionError as exc:
        raise NotUnderstood("nested too deeply") from exc
    except ValueError as exc:
        raise NotUnderstood("not valid or complete JSON") from exc


def _finite(text: str) -> float | None:
    number = float(text)
    return number if math.isfinite(number) else None


def decoded(data: bytes) -> str:
    """The text in a file's bytes, or NotUnderstood."""
    encoding = "utf-16" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig"
    try:
        return data.decode(encoding)
    except UnicodeError as exc:
        raise NotUnderstood("not UTF-8 text") from exc


def time_of(value: Any) -> str | None:
    """A time as it is kept, or None if this is none.

    A text is left as it stands, also without a zone: nobody knows where it was written. A number
    counts from 1970, in seconds or milliseconds.
    """
    if isinstance(value, datetime):
        value = value.isoformat()
    if isinstance(value, str):
        return _time_text(value)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    seconds = value / 1000 if abs(value) > 1e11 else value
    try:
        moment = datetime.fromtimestamp(seconds, timezone.utc)
    except (OverflowError, OSError, ValueError):
        return None
    return moment.isoformat().replace("+00:00", "Z")


def _time_text(text: str) -> str | None:
    for form in (text, text.replace(",", ".")):
        try:
            return _TIME.validate_python(form)
        except ValidationError:
            pass
    try:
        return datetime.fromisoformat(text).isoformat()
    except ValueError:
        return None


def session_of(
    notebook_id: str,
    cell_id: str,
    items: Sequence[dict[str, Any]],
    *,
    origin: dict[str, Any],
    created: str | None = None,
) -> Session:
    """A session of turns and events, given as data in their order, without secrets.

    They get their numbers here; one without a ``timestamp`` gets that of the one before it.
    ``origin`` is kept in ``meta.imported_from``.
    """
    last = created or NO_TIME
    turns: list[Interaction] = []
    events: list[Event] = []
    for seq, item in enumerate(items, 1):
        last = item.get("timestamp") or last
        fields = item | {"timestamp": last, "seq": seq}
        if "user_request" in fields:
            turn = Interaction.model_validate(fields | {"turn_id": len(turns) + 1})
            turns.append(number_turn(turn, turn.turn_id, seq))
        else:
            events.append(Event.model_validate(redact_json(fields)))
    session = new_session(SessionKey(notebook_id, cell_id), NO_TIME)
    first = items[0].get("timestamp") if items else None
    fields = session.meta.to_dict() | {
        "created_at": created or first or NO_TIME,
        "last_updated": last,
        "revision": 1,
        "imported_from": redact_json(origin),
    }
    session.meta = SessionMeta.model_validate(fields)
    session.interactions = turns
    if events:
        session.events = events
    codec.to_dict(session)  # what can't be kept as JSON is said now
    return session


def moved(session: Session, notebook_id: str | None, cell_id: str | None) -> Session:
    """The session as that of another notebook or cell."""
    copy = session.model_copy(deep=True)
    if notebook_id is not None:
        copy.meta.notebook_id = notebook_id
    if cell_id is not None:
        copy.meta.cell_id = cell_id
    return copy
