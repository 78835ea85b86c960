"""The blobs of deleted sessions are deleted, unless another session uses them."""

from __future__ import annotations

from pathlib import Path

import pytest

from aiserver.models import SessionKey
from aiserver.notebooks.unused_blobs import delete_unused_blobs
from aiserver.sessions.file.manager import FileSessionManager
from aiserver.testing.records import in_loop, turn


@in_loop
async def test_no_session_is_parsed_and_reading_ends_once_all_blobs_are_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Deleting a cell of a notebook of 10,000 cells took half a minute."""
    store = FileSessionManager(root=str(tmp_path))
    used, unused = await store.put_blob(b"used"), await store.put_blob(b"unused")
    for number in range(130):
        await store.save_interaction(SessionKey("nb", f"c{number}"), turn(prompt=used))
    reads = []
    load = store.load_raw_batch

    async def load_raw_batch(keys):
        reads.append(len(keys))
        return await load(keys)

    monkeypatch.setattr(store, "load_raw_batch", load_raw_batch)
    monkeypatch.setattr(store._listing, "_read_summary", None)  # which would parse each session
    await delete_unused_blobs(store, [used])
    assert reads == [64]
    await delete_unused_blobs(store, [used, unused])
    assert await store.list_blobs() == [used]
