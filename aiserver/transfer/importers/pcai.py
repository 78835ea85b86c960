"""PCAI's sessions: one JSON with ``id``, ``messages`` and ``last_update``, in any capitals."""

from __future__ import annotations

from typing import Any

from .base import NotUnderstood, Read, Source, decoded, loads, made_id, session_of, time_of
from .messages import Message, items_of, role_of, text_of

FORMAT = "pcai"


def read(source: Source) -> Read:
    """The one session of a file."""
    content = plain_names(loads(decoded(source.data)))
    messages = content.get("messages")
    if not isinstance(messages, list):
        raise NotUnderstood("no messages found")
    name = str(content.get("id") or source.path.stem)
    origin = {"format": FORMAT, "name": name}
    complaints = [
        f"message {number}: not a JSON object"
        for number, raw in enumerate(messages, 1)
        if not isinstance(raw, dict)
    ]
    updated = time_of(content.get("lastupdate"))
    asked = (_message(raw, updated) for raw in messages if isinstance(raw, dict))
    items = items_of(asked, origin)
    if not items:
        return Read(not_understood=complaints)
    session = session_of(
        made_id(FORMAT, name),
        made_id(FORMAT, name, "messages"),
        items,
        origin=origin,
        created=time_of(content.get("createdat")),
    )
    return Read([session], not_understood=complaints)


def plain_names(content: Any) -> dict[str, Any]:
    """An object with its names in small letters, without ``_``: ``lastupdate``."""
    if not isinstance(content, dict):
        return {}
    return {str(name).replace("_", "").lower(): value for name, value in content.items()}


def _message(raw: dict[str, Any], updated: str | None) -> Message:
    """A message; one without a time of its own has the session's."""
    names = plain_names(raw)
    return Message(
        role=role_of(names.get("role")),
        text=text_of(names.get("content")),
        raw=raw,
        timestamp=time_of(names.get("timestamp")) or updated,
    )
