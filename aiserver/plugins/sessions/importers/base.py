"""The input and output of all importers, and conversions that they share.

Invariants of each importer:

- Importing is deterministic: ids are derived from the file's data or name (``derive_id``), and
  times are its own. So a repeated import adds only new records.
- Each converted record contains the original data, except for secrets.
- Data that can't be read is reported with a reason, and all other data is imported.
- Secrets are redacted. AI Server's own files are imported unchanged, because they were redacted
  before (except for legacy files; see ``detect.py``).
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

from ....models import (
    Event,
    Interaction,
    NotebookLogEntry,
    Session,
    SessionKey,
    SessionMeta,
    Timestamp,
    new_session,
)
from ....redact import redact_json
from ....sessions.record import codec
from ....sessions.record.mutations import number_turn

# This never changes, because ids are derived from it.
_NAMESPACE = uuid.UUID("6ad4d1a5-0b1c-5f43-9a53-7c7f0f2b8a11")
_TIME: TypeAdapter[str] = TypeAdapter(Timestamp)
NO_TIME = "1970-01-01T00:00:00Z"
"""The timestamp of records whose time is unknown."""


class UnreadableInput(ValueError):
    """A file, or some data in it, can't be imported. The message is the reason."""


@dataclass(frozen=True)
class InputFile:
    """A file to import; ``path`` has the names of its folder and of the file.

    ``notebook`` is that beside a Verdant history, if any. In a session folder of AgentScope, files
    can contain any JSON.
    """

    path: PurePath
    data: bytes
    notebook: bytes | None = None
    is_in_agentscope_folder: bool = False


@dataclass
class ReadResult:
    """The histories that an importer has read from a file or database.

    AI Server's own formats also have change ``logs``, by owner and notebook id, and owners with
    ``blobs``. Sessions keep their owners only from a backup; otherwise, they are those of the
    person who runs the import. ``unreadable`` are messages with reasons. ``session_count`` is that
    of a whole backup, which has several results. Without ``has_times``, the records' times may
    differ at the next import.
    """

    sessions: list[Session] = field(default_factory=list)
    logs: dict[tuple[str, str], list[NotebookLogEntry]] = field(default_factory=dict)
    blobs: list[tuple[str, bytes]] = field(default_factory=list)
    keeps_owners: bool = False
    unreadable: list[str] = field(default_factory=list)
    session_count: int | None = None
    has_times: bool = True


Importer = Callable[[InputFile], ReadResult]


def derive_id(*names: str) -> str:
    """Derive an id from names, always the same one."""
    return str(uuid.uuid5(_NAMESPACE, json.dumps(names)))


def load_json(data: bytes) -> Any:
    """Parse the content of a JSON file. Raises UnreadableInput."""
    return loads(decode_text(data))


def loads(text: str) -> Any:
    """Parse JSON; NaN, infinity and too large numbers become None. Raises UnreadableInput."""
    try:
        return json.loads(text, parse_constant=lambda name: None, parse_float=_parse_float)
    except RecursionError as exc:
        raise UnreadableInput("nested too deeply") from exc
    except ValueError as exc:
        raise UnreadableInput("not valid or complete JSON") from exc


def normalize_names(content: Any) -> dict[str, Any]:
    """Return a JSON object with names such as ``lastupdate``, or {}."""
    if not isinstance(content, dict):
        return {}
    return {str(name).replace("_", "").lower(): value for name, value in content.items()}


def _parse_float(text: str) -> float | None:
    number = float(text)
    return number if math.isfinite(number) else None


def decode_text(data: bytes) -> str:
    """Decode the content of a text file. Raises UnreadableInput."""
    try:
        return data.decode(encoding_of(data))
    except UnicodeError as exc:
        raise UnreadableInput("not UTF-8 text") from exc


def encoding_of(start: bytes) -> str:
    """Return the encoding by a file's first bytes."""
    return "utf-16" if start[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig"


def to_timestamp(value: Any) -> str | None:
    """Convert a time to a timestamp, or None.

    A valid timestamp stays unchanged, even without a time zone. A number counts seconds or
    milliseconds since 1970.
    """
    if isinstance(value, datetime):
        value = value.isoformat()
    if isinstance(value, str):
        return _parse_time(value)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    # Larger numbers are milliseconds: 1e11 of them end in 1973, 1e11 seconds in 5138.
    try:
        seconds = value / 1000 if abs(value) > 1e11 else value
        time = datetime.fromtimestamp(seconds, timezone.utc)
    except (OverflowError, OSError, ValueError):
        return None
    return time.isoformat().replace("+00:00", "Z")


def _parse_time(text: str) -> str | None:
    # `logging` writes a comma before the milliseconds.
    for candidate in (text, text.replace(",", ".")):
        try:
            return _TIME.validate_python(candidate)
        except ValidationError:
            pass
    try:
        return datetime.fromisoformat(text).isoformat()
    except ValueError:
        return None


def create_session(
    notebook_id: str,
    cell_id: str,
    records: Sequence[dict[str, Any]],
    *,
    origin: dict[str, Any],
    created: str | None = None,
) -> Session:
    """Create a session from the data of turns and events, and redact secrets.

    A record without ``timestamp`` gets that of the one before. ``origin`` is stored in
    ``meta.imported_from``.
    """
    last_timestamp = created or NO_TIME
    turns: list[Interaction] = []
    events: list[Event] = []
    for seq, record in enumerate(records, 1):
        last_timestamp = record.get("timestamp") or last_timestamp
        fields = record | {"timestamp": last_timestamp, "seq": seq}
        if "user_request" in fields:
            turn = Interaction.model_validate(fields | {"turn_id": len(turns) + 1})
            turns.append(number_turn(turn, turn.turn_id, seq))
        else:
            events.append(Event.model_validate(redact_json(fields)))
    session = new_session(SessionKey(notebook_id, cell_id), NO_TIME)
    first_timestamp = records[0].get("timestamp") if records else None
    fields = session.meta.to_dict() | {
        "created_at": created or first_timestamp or NO_TIME,
        "last_updated": last_timestamp,
        "revision": 1,
        "imported_from": redact_json(origin),
    }
    session.meta = SessionMeta.model_validate(fields)
    session.interactions = turns
    if events:
        session.events = events
    codec.to_dict(session)  # raises if it can't be stored as JSON
    return session


def objects_in_lines(data: bytes) -> tuple[list[dict[str, Any]], list[str]]:
    """Return the lines' JSON objects, and a message about each other line. Skip blank lines."""
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        data = decode_text(data).encode("utf-8", "surrogatepass")
    objects: list[dict[str, Any]] = []
    problems: list[str] = []
    for number, line in enumerate(data.removeprefix(b"\xef\xbb\xbf").split(b"\n"), 1):
        if not line.strip():
            continue
        try:
            value = loads(decode_text(line))
            if not isinstance(value, dict):
                raise UnreadableInput("not a JSON object")
            objects.append(value)
        except UnreadableInput as reason:
            problems.append(f"line {number}: {reason}")
    return objects, problems
