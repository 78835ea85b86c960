"""Import jupyter-ai's chats: the ``.chat`` files of jupyterlab-chat.

Files have no id and may be renamed, so the session's id is derived from its first message's id.
"""

from __future__ import annotations

from typing import Any

from .base import Read, Source, UnreadableSource, create_session, derive_id, load_json, to_timestamp
from .messages import Message, Role, objects_in, records_from

FORMAT = "chat"
_PERSONA = "jupyter-ai-personas::"


def read(source: Source) -> Read:
    """Read the session of a file."""
    content = load_json(source.data)
    if not isinstance(content, dict) or not isinstance(content.get("messages"), list):
        raise UnreadableSource("not a JupyterLab chat")
    raws, problems = objects_in(content["messages"])
    if not raws:
        return Read(unreadable=problems)
    users = content.get("users")
    users = users if isinstance(users, dict) else {}
    first = str(raws[0].get("id") or source.path.stem)
    origin = {"format": FORMAT, "name": source.path.stem}
    session = create_session(
        derive_id(FORMAT, first),
        derive_id(FORMAT, first, "messages"),
        # Not the file's name, which may change, because turns are identified by their content.
        records_from((_message(raw, users) for raw in raws), {"format": FORMAT, "name": first}),
        origin=origin | {"users": users},
    )
    return Read([session], unreadable=problems)


def _message(raw: dict[str, Any], users: dict[str, Any]) -> Message:
    sender = str(raw.get("sender") or "")
    profile = users.get(sender)
    is_bot = (isinstance(profile, dict) and profile.get("bot") is True) or sender.startswith(
        _PERSONA
    )
    role: Role = "assistant" if is_bot else "user"
    if raw.get("deleted"):
        role = "other"
    body = raw.get("body")
    return Message(
        role=role,
        text=body if isinstance(body, str) else "",
        raw=raw,
        timestamp=to_timestamp(raw.get("time")),
        user=None if is_bot else sender or None,
    )
