"""nanobot's sessions: a line of metadata, then a line for each message.

Other records of its own (``_type`` is something else) are kept as events. The session's key is in
the metadata; older files have it in their name, with ``_`` for ``:``.
"""

from __future__ import annotations

import base64
import binascii
from typing import Any

from .base import NotUnderstood, Read, Source, made_id, session_of, time_of
from .lines import lines_of
from .messages import Message, items_of, kept, role_of, text_of

FORMAT = "nanobot"


def read(source: Source) -> Read:
    """The one session of a file."""
    lines, complaints = lines_of(source.data)
    about = next((line for line in lines if line.get("_type") == "metadata"), {})
    key = about.get("key") or _key_in(source.path.stem)
    origin = {"format": FORMAT, "name": str(key)}
    messages, others = [], []
    for line in lines:
        if "role" in line:
            messages.append(_message(line))
        elif line.get("_type") != "metadata":
            others.append(kept("state", [line], origin))
    if not messages and not others:
        if complaints:
            return Read(not_understood=complaints)
        if not about:
            raise NotUnderstood("no messages found")
        return Read()
    session = session_of(
        made_id(FORMAT, str(key)),
        made_id(FORMAT, str(key), "messages"),
        items_of(messages, origin) + others,
        origin=origin | {"metadata": about},
        created=time_of(about.get("created_at")),
    )
    return Read([session], not_understood=complaints)


def _message(line: dict[str, Any]) -> Message:
    return Message(
        role=role_of(line["role"]),
        text=text_of(line.get("content")),
        raw=line,
        timestamp=time_of(line.get("timestamp")),
    )


def _key_in(stem: str) -> str:
    """The key that a file's name stands for: base64 in newer versions."""
    try:
        key = base64.urlsafe_b64decode(stem + "=" * (-len(stem) % 4)).decode("utf-8")
    except (binascii.Error, ValueError):
        return stem
    return key if ":" in key and key.isprintable() else stem
