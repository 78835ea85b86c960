"""The input and output of importers.

Invariants:

- Importing is deterministic: ids are derived from the source's own names (``derive_id``), times
  come from its records. So an import can be repeated, and adds only what is new.
- No information is lost: each converted record contains its original.
- What can't be read is reported with a reason, and the rest is imported.
- Secrets are redacted, as in everything that is saved, except in AI Server's own files, which are
  imported unchanged.
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
"""The time of records without one; the time of the import would not be deterministic."""


class UnreadableSource(ValueError):
    """The source can't be imported; the message gives the reason."""


@dataclass(frozen=True)
class Source:
    """One file."""

    path: PurePath
    data: bytes
    notebook: bytes | None = None
    """The notebook of the same name in the same folder."""
    agentscope: bool = False
    """Whether the file is in a session folder of AgentScope, where any JSON is a value."""

    @property
    def folder(self) -> str:
        """The name of the file's folder."""
        return self.path.parent.name


@dataclass
class Read:
    """The content of a source."""

    sessions: list[Session] = field(default_factory=list)
    logs: dict[tuple[str, str], list[NotebookLogEntry]] = field(default_factory=dict)
    """Logs by owner and notebook id (AI Server's formats only)."""
    blobs: list[tuple[str, bytes]] = field(default_factory=list)
    """Blobs with their owners (AI Server's formats only)."""
    owned: bool = False
    """Whether the sessions keep their owners (a backup) or get the caller's."""
    unreadable: list[str] = field(default_factory=list)
    cells: int | None = None
    """The number of sessions in the whole source, if this is one part of it."""


Importer = Callable[[Source], Read]


def derive_id(*names: str) -> str:
    """Derive an id from the source's names; the same names give the same id."""
    return str(uuid.uuid5(_NAMESPACE, json.dumps(names)))


def load_json(data: bytes) -> Any:
    """Parse a JSON file. Raises UnreadableSource."""
    return loads(decode_text(data))


def loads(text: str) -> Any:
    """Parse JSON; NaN and infinity become null. Raises UnreadableSource."""
    try:
        return json.loads(text, parse_constant=lambda name: None, parse_float=_finite)
    except RecursionError as exc:
        raise UnreadableSource("nested too deeply") from exc
    except ValueError as exc:
        raise UnreadableSource("not valid or complete JSON") from exc


def _finite(text: str) -> float | None:
    number = float(text)
    return number if math.isfinite(number) else None


def decode_text(data: bytes) -> str:
    """Decode a text file. Raises UnreadableSource."""
    encoding = "utf-16" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig"
    try:
        return data.decode(encoding)
    except UnicodeError as exc:
        raise UnreadableSource("not UTF-8 text") from exc


def to_timestamp(value: Any) -> str | None:
    """Convert a time to a timestamp; None if it isn't one.

    Strings stay unchanged, also without a time zone, which is unknown. Numbers are seconds or
    milliseconds since 1970.
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


def create_session(
    notebook_id: str,
    cell_id: str,
    items: Sequence[dict[str, Any]],
    *,
    origin: dict[str, Any],
    created: str | None = None,
) -> Session:
    """Create a session from the data of turns and events, with secrets redacted.

    Records are numbered in order; a record without ``timestamp`` gets the previous record's.
    ``origin`` is stored in ``meta.imported_from``.
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
    codec.to_dict(session)  # raises early if it isn't valid JSON
    return session


def move_session(session: Session, notebook_id: str | None, cell_id: str | None) -> Session:
    """Return a copy of the session for another notebook or cell."""
    copy = session.model_copy(deep=True)
    if notebook_id is not None:
        copy.meta.notebook_id = notebook_id
    if cell_id is not None:
        copy.meta.cell_id = cell_id
    return copy
