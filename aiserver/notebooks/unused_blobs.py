"""Delete the blobs of deleted sessions.

Invariant: a blob that another session of the owner may use is never deleted, nor any if a session
can't be read.
"""

from __future__ import annotations

import asyncio
from collections.abc import Collection

from ..models import SessionKey
from ..sessions.base import SessionManager
from .other_roots import blobs_in

_SESSIONS_PER_READ = 64


async def delete_unused_blobs(
    store: SessionManager, blobs: Collection[str], *, owner: str = ""
) -> None:
    """Delete those of ``blobs`` that no session uses. Raises StorageError."""
    unused = set(blobs)
    if not unused:
        return
    # Unlike a list, marks need no session to be parsed.
    keys = [SessionKey(*cell, owner) for cell in await store.session_marks(owner=owner)]
    for start in range(0, len(keys), _SESSIONS_PER_READ):
        if not unused:
            return
        stored = await store.load_raw_batch(keys[start : start + _SESSIONS_PER_READ])
        if None in stored:
            return
        used = await asyncio.to_thread(lambda data: [blobs_in(raw) for raw in data if raw], stored)
        unused.difference_update(*used)
    for sha256 in unused:
        await store.delete_blob(sha256, owner=owner)
