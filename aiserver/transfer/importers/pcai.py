"""Import PCAI's sessions: JSON with ``id``, ``messages`` and ``last_update``, in any case."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from .base import Read, Source, UnreadableSource, create_session, derive_id, load_json, to_timestamp
from .messages import Message, message_of, objects_in, records_from

FORMAT = "pcai"


def read(source: Source) -> Read:
    """Read the session of a file."""
    content = normalize_names(load_json(source.data))
    messages = content.get("messages")
    if not isinstance(messages, list):
        raise UnreadableSource("no messages found")
    name = str(content.get("id") or source.path.stem)
    origin = {"format": FORMAT, "name": name}
    raws, problems = objects_in(messages)
    updated = to_timestamp(content.get("lastupdate"))
    items = records_from((_message(raw, updated) for raw in raws), origin)
    if not items:
        return Read(unreadable=problems)
    session = create_session(
        derive_id(FORMAT, name),
        derive_id(FORMAT, name, "messages"),
        items,
        origin=origin,
        created=to_timestamp(content.get("createdat")),
    )
    return Read([session], unreadable=problems)


def normalize_names(content: Any) -> dict[str, Any]:
    """Return the object with names in lower case without ``_``, such as ``lastupdate``."""
    if not isinstance(content, dict):
        return {}
    return {str(name).replace("_", "").lower(): value for name, value in content.items()}


def _message(raw: dict[str, Any], updated: str | None) -> Message:
    """Convert a message; without a time of its own it gets the session's."""
    message = message_of(raw, normalize_names(raw))
    return message if message.timestamp else replace(message, timestamp=updated)
