"""jupyter-ai's chats: the ``.chat`` files of jupyterlab-chat.

A file has no name of its own and may be renamed, so the session is known by its first message's id.
"""

from __future__ import annotations

from typing import Any

from .base import NotUnderstood, Read, Source, decoded, loads, made_id, session_of, time_of
from .messages import Message, Role, items_of

FORMAT = "chat"
_PERSONA = "jupyter-ai-personas::"


def read(source: Source) -> Read:
    """The one session of a file."""
    content = loads(decoded(source.data))
    if not isinstance(content, dict) or not isinstance(content.get("messages"), list):
        raise NotUnderstood("not a JupyterLab chat")
    messages: list[Any] = content["messages"]
    complaints = [
        f"message {number}: not a JSON object"
        for number, raw in enumerate(messages, 1)
        if not isinstance(raw, dict)
    ]
    raws = [raw for raw in messages if isinstance(raw, dict)]
    if not raws:
        return Read(not_understood=complaints)
    users = content.get("users")
    users = users if isinstance(users, dict) else {}
    first = str(raws[0].get("id") or source.path.stem)
    origin = {"format": FORMAT, "name": source.path.stem}
    session = session_of(
        made_id(FORMAT, first),
        made_id(FORMAT, first, "messages"),
        # Not the file's name, which may change: a turn is known again by all that it says.
        items_of((_message(raw, users) for raw in raws), {"format": FORMAT, "name": first}),
        origin=origin | {"users": users},
    )
    return Read([session], not_understood=complaints)


def _message(raw: dict[str, Any], users: dict[str, Any]) -> Message:
    sender = str(raw.get("sender") or "")
    known = users.get(sender)
    is_bot = (isinstance(known, dict) and known.get("bot") is True) or sender.startswith(_PERSONA)
    role: Role = "assistant" if is_bot else "user"
    if raw.get("deleted"):
        role = "other"
    body = raw.get("body")
    return Message(
        role=role,
        text=body if isinstance(body, str) else "",
        raw=raw,
        timestamp=time_of(raw.get("time")),
        user=None if is_bot else sender or None,
    )
