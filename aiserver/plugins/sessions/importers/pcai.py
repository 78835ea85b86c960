"""Import PCAI's sessions: JSON objects with ``id``, ``messages`` and ``last_update``.

Some versions of PCAI write these names differently, for example ``lastUpdate`` or ``LastUpdate``.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from .base import (
    InputFile,
    ReadResult,
    UnreadableInput,
    create_session,
    derive_id,
    load_json,
    to_timestamp,
)
from .messages import Message, message_of, objects_in, records_from

FORMAT = "pcai"


def read(file: InputFile) -> ReadResult:
    """Convert the PCAI session in a file to one session."""
    content = normalize_names(load_json(file.data))
    messages = content.get("messages")
    if not isinstance(messages, list):
        raise UnreadableInput("no messages found")
    name = str(content.get("id") or file.path.stem)
    origin = {"format": FORMAT, "name": name}
    raws, problems = objects_in(messages)
    session_time = to_timestamp(content.get("lastupdate"))
    records = records_from((_message(raw, session_time) for raw in raws), origin)
    if not records:
        return ReadResult(unreadable=problems)
    session = create_session(
        derive_id(FORMAT, name),
        derive_id(FORMAT, name, "messages"),
        records,
        origin=origin,
        created=to_timestamp(content.get("createdat")),
    )
    return ReadResult([session], unreadable=problems)


def normalize_names(content: Any) -> dict[str, Any]:
    """Return a JSON object with names such as ``lastupdate``; an empty one for other data."""
    if not isinstance(content, dict):
        return {}
    return {str(name).replace("_", "").lower(): value for name, value in content.items()}


def _message(raw: dict[str, Any], session_time: str | None) -> Message:
    message = message_of(raw, normalize_names(raw))
    return message if message.timestamp else replace(message, timestamp=session_time)
