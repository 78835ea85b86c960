"""Create a project with data that is hard to preserve, and read all of it."""

from __future__ import annotations

import base64
from typing import Any

from aiserver.models import Session, SessionKey
from aiserver.plugins.memory.stores.base import KeyValueMemoryStore
from aiserver.sessions.base import SessionManager
from aiserver.sessions.key_value import KeyValueSessionManager
from aiserver.testing.records import event, log_entry, turn

NOTEBOOKS = ("book", "Book", "b_k", "x" * 64)
BLOB = b"\x00\xff thumbnail" * 1000


async def fill(store: SessionManager, owner: str = "") -> None:
    """Save a project with odd ids, unknown keys, forks, logs and blobs."""
    blob = await store.put_blob(BLOB, owner=owner)
    for number, notebook_id in enumerate(NOTEBOOKS):
        key = SessionKey(notebook_id, f"cell_{number}", owner)
        await store.save_interaction(key, turn("读取数据", "x = 1\n", odd={"ключ": [1, None, 2.5]}))
        await store.record_events(key, [event("run", data={"thumbnail": blob}), event("accept")])
        await store.save_interaction(key, turn("again", status="cancelled", seq=None))
        await store.fork(key, SessionKey(notebook_id, "COPY", owner))
        entries = [log_entry(path=f"{notebook_id}.ipynb"), log_entry(path="笔记.ipynb", odd=1)]
        await store.append_notebook_log(notebook_id, entries, owner=owner)
    planted = Session.model_validate(
        {
            "meta": {
                "version": "1.0",
                "notebook_id": "old",
                "cell_id": "c",
                "created_at": "2020-01-01T00:00:00",
                "last_updated": "2020-01-01 00:00:00.5",
                "other": {"tool": "x"},
            },
            "interactions": [
                turn("no seq").to_dict() | {"turn_id": 3},
                turn("no seq either").to_dict() | {"turn_id": 7, "parent_turn_id": 3},
            ],
            "else": [1, "two"],
        }
    )
    await store.merge_copy(SessionKey("old", "c", owner), planted)


async def all_of(store: SessionManager, owner: str = "") -> dict[str, object]:
    """Return all data of an owner."""
    rows, _ = await store.list_sessions(owner=owner)
    sessions = {}
    for row in rows:
        key = SessionKey(row.notebook_id, row.cell_id, owner)
        session = await store.load_if_exists(key)
        assert session is not None
        content = session.to_dict()
        assert content["meta"].pop("owner", "") == owner
        sessions[f"{row.notebook_id}/{row.cell_id}"] = content
    logs = {
        id_: [entry.to_dict() for entry in await store.read_notebook_log(id_, owner=owner)]
        for id_ in await store.list_notebooks(owner=owner)
    }
    blobs = {
        digest: await store.get_blob(digest, owner=owner)
        for digest in await store.list_blobs(owner=owner)
    }
    return {"sessions": sessions, "logs": logs, "blobs": blobs}


async def contents(store: KeyValueSessionManager) -> dict[str, object]:
    """Return what each owner has, as ``tests/sessions/*/earlier-version.json`` lists it.

    The damaged session of the notebook “damaged” is left out.
    """
    everything: dict[str, object] = {}
    for owner in await store.list_owners():
        sessions = {}
        for row in (await store.list_sessions(owner=owner))[0]:
            raw = await store.load_raw(SessionKey(row.notebook_id, row.cell_id, owner))
            if raw and row.notebook_id != "damaged":
                sessions[f"{row.notebook_id}/{row.cell_id}"] = raw[0].decode()
        project = await all_of(store, owner)
        blobs: Any = project["blobs"]
        memory = await KeyValueMemoryStore(store).read("memory", owner=owner)
        everything[owner] = {
            "sessions": sessions,
            "logs": project["logs"],
            "blobs": {name: base64.b64encode(data).decode() for name, data in blobs.items()},
            "memory": (memory or b"").decode(),
        }
    return everything
