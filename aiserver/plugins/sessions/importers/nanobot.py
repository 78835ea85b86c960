"""Import nanobot's sessions: JSON Lines files with a line of metadata and a line for each message.

Lines that are neither metadata nor a message become events of the type ``state``.

nanobot identifies a session by a key such as ``telegram:42``. Newer files contain the key in their
metadata. The name of an older file is the key in base64. The name of an even older file is the key
with ``_`` instead of ``:``, such as ``telegram_42``; it is used as the key unchanged. The session
of the terminal has the same key in each workspace, so it is also identified by its beginning.
"""

from __future__ import annotations

import base64
import binascii

from .base import (
    InputFile,
    ReadResult,
    UnreadableInput,
    create_session,
    derive_id,
    objects_in_lines,
    to_timestamp,
)
from .messages import message_event, message_of, records_from

FORMAT = "nanobot"


def read(file: InputFile) -> ReadResult:
    """Convert the nanobot session in a file to one session."""
    lines, problems = objects_in_lines(file.data)
    metadata = next((line for line in lines if line.get("_type") == "metadata"), {})
    key = metadata.get("key") or _key_from(file.path.stem)
    origin = {"format": FORMAT, "name": str(key)}
    messages, state_events = [], []
    for line in lines:
        if "role" in line:
            messages.append(message_of(line))
        elif line.get("_type") != "metadata":
            state_events.append(message_event("state", [line], origin))
    if not messages and not state_events:
        if problems:
            return ReadResult(unreadable=problems)
        if not metadata:
            raise UnreadableInput("no messages found")
        return ReadResult()
    names = [FORMAT, str(key)]
    if names[1].startswith("cli:") and (created := metadata.get("created_at")):
        names.append(str(created))
    session = create_session(
        derive_id(*names),
        derive_id(*names, "messages"),
        records_from(messages, origin) + state_events,
        origin=origin | {"metadata": metadata},
        created=to_timestamp(metadata.get("created_at")),
    )
    return ReadResult([session], unreadable=problems)


def _key_from(stem: str) -> str:
    """Return the key that a file's name is in base64, or the name itself."""
    try:
        key = base64.urlsafe_b64decode(stem + "=" * (-len(stem) % 4)).decode("utf-8")
    except (binascii.Error, ValueError):
        return stem
    return key if ":" in key and key.isprintable() else stem
