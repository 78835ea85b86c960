"""Small pictures of outputs, as they go into a file.

What must hold: only what its first bytes show to be a picture is taken, never by what somebody
says it is; never SVG, which is a document; at most ``LIMIT`` bytes in all, newest first.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Mapping, Sequence

from ..notebooks.history import History
from ..sessions.base import SessionManager

LIMIT = 12 * 1024 * 1024
_BEGINNINGS = {
    b"\x89PNG\r\n\x1a\n": "image/png",
    b"\xff\xd8\xff": "image/jpeg",
    b"GIF87a": "image/gif",
    b"GIF89a": "image/gif",
}
_SHA256 = re.compile(r"[0-9a-f]{64}")


async def load_pictures(
    store: SessionManager, named: Sequence[str], *, owner: str
) -> dict[str, bytes]:
    """The pictures of these hashes that the store has, as many as there is room for."""
    found: dict[str, bytes] = {}
    room = LIMIT
    for sha256 in named:
        data = await store.get_blob(sha256, owner=owner)
        if data is None or picture_type(data) is None:
            continue
        room -= len(data)
        if room < 0:
            break
        found[sha256] = data
    return found


def addresses(pictures: Mapping[str, bytes]) -> dict[str, str]:
    """The pictures as ``data:`` addresses."""
    return {
        sha256: f"data:{picture_type(data)};base64,{base64.b64encode(data).decode('ascii')}"
        for sha256, data in pictures.items()
    }


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


def named_pictures(history: History) -> list[str]:
    """The hashes that the runs of a notebook name, newest first. Reads all sessions."""
    rows = [
        (event.timestamp, sha256)
        for session in history.sessions.values()
        for event in session.events or []
        if event.type == "run"
        for sha256 in hashes(event.data)
    ]
    return list(dict.fromkeys(sha256 for _, sha256 in sorted(rows, reverse=True)))
