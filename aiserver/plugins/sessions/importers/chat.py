"""Import jupyter-ai's chats: the ``.chat`` files of jupyterlab-chat.

A chat has no id, and its file may be renamed. So the notebook id and the cell id of the imported
session are derived from the id of the chat's first message. If that message has no id, they are
derived from the file's name instead.
"""

from __future__ import annotations

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
from .messages import Message, Role, objects_in, records_from

FORMAT = "chat"
_PERSONA_PREFIX = "jupyter-ai-personas::"  # the ids of jupyter-ai's assistants begin with this


def read(file: InputFile) -> ReadResult:
    """Convert the chat in a file to one session."""
    content = load_json(file.data)
    if not isinstance(content, dict) or not isinstance(content.get("messages"), list):
        raise UnreadableInput("not a JupyterLab chat")
    raws, problems = objects_in(content["messages"])
    if not raws:
        return ReadResult(unreadable=problems)
    users = content.get("users")
    users = users if isinstance(users, dict) else {}
    first_id = str(raws[0].get("id") or file.path.stem)
    # If a chat is imported again, existing turns are recognised by their content. So a turn must
    # not contain the file's name, which may have changed.
    turn_origin = {"format": FORMAT, "name": first_id}
    session = create_session(
        derive_id(FORMAT, first_id),
        derive_id(FORMAT, first_id, "messages"),
        records_from((_message(raw, users) for raw in raws), turn_origin),
        origin={"format": FORMAT, "name": file.path.stem, "users": users},
    )
    return ReadResult([session], unreadable=problems)


def _message(raw: dict[str, Any], users: dict[str, Any]) -> Message:
    sender = str(raw.get("sender") or "")
    profile = users.get(sender)
    has_bot_profile = isinstance(profile, dict) and profile.get("bot") is True
    is_bot = has_bot_profile or sender.startswith(_PERSONA_PREFIX)
    role: Role = "assistant" if is_bot else "user"
    if raw.get("deleted"):  # jupyterlab-chat empties a deleted message but keeps it in the list
        role = "other"
    body = raw.get("body")
    return Message(
        role=role,
        text=body if isinstance(body, str) else "",
        raw=raw,
        timestamp=to_timestamp(raw.get("time")),
        user=None if is_bot else sender or None,
    )
