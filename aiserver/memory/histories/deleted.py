"""Remove what was kept beside histories after the person has deleted them.

Entries that the person has confirmed stay: they no longer depend on the history.
"""

from __future__ import annotations

from collections.abc import Collection

from ...models import SessionKey
from ...sessions.base import SessionManager
from ..manager import MemoryManager


async def forget_deleted(
    sessions: SessionManager, memory: MemoryManager, keys: Collection[SessionKey]
) -> None:
    """Remove the proposals and notes of deleted sessions, which have one owner.

    A note is removed when its notebook has no session left. Raises StorageError.
    """
    owners = {key.notebook_id: key.owner for key in keys}
    notebook_ids = {
        notebook_id
        for notebook_id, owner in owners.items()
        if not await sessions.session_marks(notebook_id, owner=owner)
    }
    cells = {(key.notebook_id, key.cell_id) for key in keys}
    await memory.forget_histories(cells, notebook_ids)
