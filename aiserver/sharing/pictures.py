"""Small pictures of outputs, as they go into a file.

What must hold: only what its first bytes show to be a picture is taken, never by what somebody
says it is; never SVG, which is a document; at most ``LIMIT`` bytes in all, newest first.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Iterable, Mapping

from ..histories import History
from ..models import Session
from ..sessions.base import SessionManager

LIMIT = 12 * 1024 * 1024
_BEGINNINGS = {
    b"\x89PNG\r\n\x1a\n": "image/png",
    b"\xff\xd8\xff": "image/jpeg",
    b"GIF87a": "image/gif",
    b"GIF89a": "image/gif",
}
_SHA256 = re.compile(r"[0-9a-f]{64}")


async def pictures(store: SessionManager, history: History, *, owner: str) -> dict[str, str]:
    """The pictures that the runs of a notebook name, by hash, as ``data:`` addresses."""
    found: dict[str, str] = {}
    room = LIMIT
    for sha256 in _named(history.sessions.values()):
        data = await store.get_blob(sha256, owner=owner)
        kind = picture_type(data) if data else None
        if data is None or kind is None:
            continue
        room -= len(data)
        if room < 0:
            break
        found[sha256] = f"data:{kind};base64,{base64.b64encode(data).decode('ascii')}"
    return found


def picture_type(data: bytes) -> str | None:
    """The media type of a picture, by its first bytes; None for what is none."""
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return "image/webp"
    return next((kind for start, kind in _BEGINNINGS.items() if data.startswith(start)), None)


def hashes(data: Mapping[str, object] | None) -> list[str]:
    """The hashes of the pictures that a run's ``data`` names."""
    outputs = (data or {}).get("outputs")
    images = outputs.get("images") if isinstance(outputs, dict) else None
    named = [image.get("sha256") for image in images or [] if isinstance(image, dict)]
    return [one for one in named if isinstance(one, str) and _SHA256.fullmatch(one)]


def _named(sessions: Iterable[Session]) -> list[str]:
    rows = [
        (event.timestamp, sha256)
        for session in sessions
        for event in session.events or []
        if event.type == "run"
        for sha256 in hashes(event.data)
    ]
    return list(dict.fromkeys(sha256 for _, sha256 in sorted(rows, reverse=True)))
