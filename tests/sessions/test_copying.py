"""A project survives a round trip through each store unchanged."""

from __future__ import annotations

import hashlib
from pathlib import Path

from aiserver.plugins.sessions.cli.copy import copy
from aiserver.sessions.file.manager import FileSessionManager
from aiserver.sessions.memory import InMemorySessionManager
from aiserver.testing import Backend
from aiserver.testing.records import in_loop

from .projects import BLOB, NOTEBOOKS, all_of, fill


@in_loop
async def test_a_project_survives_a_round_trip_through_each_store(backend: Backend, tmp_path: Path):
    """P25: a project can be copied between any two stores and back."""
    first = FileSessionManager(root=str(tmp_path / "first"))
    back = FileSessionManager(root=str(tmp_path / "back"))
    store = backend.open()
    for place in (first, back):
        Path(place.root).mkdir()
    try:
        await fill(first)
        wanted = await all_of(first)
        assert len(wanted["sessions"]) == 2 * len(NOTEBOOKS) + 1  # type: ignore[arg-type]
        assert wanted["blobs"] == {hashlib.sha256(BLOB).hexdigest(): BLOB}
        report = await copy(first, store, "", "Alice Ü")
        assert not report.skipped and report.new_session_count == 2 * len(NOTEBOOKS) + 1
        assert await all_of(store, "Alice Ü") == wanted
        assert not (await store.list_sessions())[1]  # other owners have nothing
        between = InMemorySessionManager()
        await copy(store, between, "Alice Ü", "bob")
        assert await all_of(between, "bob") == wanted
        await copy(between, store, "bob", "carol")
        assert await all_of(store, "carol") == wanted
        await copy(store, back, "carol", "")
        assert await all_of(back) == wanted
        # The files are identical after a copy through another store.
        ours, theirs = _files(tmp_path / "first"), _files(tmp_path / "back")
        assert ours.keys() == theirs.keys()
        for name, data in ours.items():
            assert data == theirs[name], name
    finally:
        for each in (first, store, back):
            await each.close()


def _files(root: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(root)): path.read_bytes()
        for path in root.rglob("*")
        if path.is_file() and path.suffix != ".lock"
    }
