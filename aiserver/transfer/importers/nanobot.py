"""Import nanobot's sessions: a line of metadata, then a line for each message.

Records with other values of ``_type`` become events. The session's key is in the metadata; older
files have it in their name, with ``_`` for ``:``.
"""

from __future__ import annotations

import base64
import binascii

from .base import Read, Source, UnreadableSource, create_session, derive_id, to_timestamp
from .lines import lines_of
from .messages import message_event, message_of, records_from

FORMAT = "nanobot"


def read(source: Source) -> Read:
    """Read the session of a file."""
    lines, problems = lines_of(source.data)
    about = next((line for line in lines if line.get("_type") == "metadata"), {})
    key = about.get("key") or _key_from(source.path.stem)
    origin = {"format": FORMAT, "name": str(key)}
    messages, others = [], []
    for line in lines:
        if "role" in line:
            messages.append(message_of(line))
        elif line.get("_type") != "metadata":
            others.append(message_event("state", [line], origin))
    if not messages and not others:
        if problems:
            return Read(unreadable=problems)
        if not about:
            raise UnreadableSource("no messages found")
        return Read()
    session = create_session(
        derive_id(FORMAT, str(key)),
        derive_id(FORMAT, str(key), "messages"),
        records_from(messages, origin) + others,
        origin=origin | {"metadata": about},
        created=to_timestamp(about.get("created_at")),
    )
    return Read([session], unreadable=problems)


def _key_from(stem: str) -> str:
    """Return the key in a file's name, which newer versions encode as base64."""
    try:
        key = base64.urlsafe_b64decode(stem + "=" * (-len(stem) % 4)).decode("utf-8")
    except (binascii.Error, ValueError):
        return stem
    return key if ":" in key and key.isprintable() else stem
