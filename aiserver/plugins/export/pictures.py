"""Load the thumbnails of outputs for an exported file.

The first bytes of a blob decide whether it is a picture, whatever its declared type. SVG is left
out, because it can contain scripts. The newest pictures come first, up to ``LIMIT`` bytes.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Mapping, Sequence

from ...notebooks.history import History
from ...requests import picture_type
from ...sessions.base import SessionManager

LIMIT = 12 * 1024 * 1024  # bytes of pictures in one file
_SHA256 = re.compile(r"[0-9a-f]{64}")


async def load_pictures(
    store: SessionManager, hashes: Sequence[str], *, owner: str
) -> dict[str, bytes]:
    """Load pictures in the order of ``hashes``, and return them by hash, up to ``LIMIT`` bytes."""
    pictures: dict[str, bytes] = {}
    remaining = LIMIT
    for sha256 in hashes:
        data = await store.get_blob(sha256, owner=owner)
        if data is None or picture_type(data) is None:
            continue
        remaining -= len(data)
        if remaining < 0:
            break
        pictures[sha256] = data
    return pictures


def data_urls(pictures: Mapping[str, bytes]) -> dict[str, str]:
    """Return the pictures as ``data:`` URLs, by hash."""
    return {
        sha256: f"data:{picture_type(data)};base64,{base64.b64encode(data).decode('ascii')}"
        for sha256, data in pictures.items()
    }


def output_hashes(data: Mapping[str, object] | None) -> list[str]:
    """Return the hashes of the pictures in a run's ``data``."""
    outputs = (data or {}).get("outputs")
    images = outputs.get("images") if isinstance(outputs, dict) else None
    items = images if isinstance(images, list) else []
    hashes = [image.get("sha256") for image in items if isinstance(image, dict)]
    return [sha256 for sha256 in hashes if isinstance(sha256, str) and _SHA256.fullmatch(sha256)]


def referenced_pictures(history: History) -> list[str]:
    """Return the hashes of the pictures in a notebook's runs, newest first."""
    timed_hashes = [
        (step.timestamp, sha256)
        for cell_id in history.sessions  # only the ids, so that no session is parsed
        for step in history.timeline.steps(cell_id)
        if step.kind == "run"
        for sha256 in output_hashes(step.data)
    ]
    return list(dict.fromkeys(sha256 for _, sha256 in sorted(timed_hashes, reverse=True)))
