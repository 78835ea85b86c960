"""A notebook's history is the present state of the store, and only changes are read again."""

from __future__ import annotations

import asyncio
import gc
import os
import sys
import weakref
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from aiserver.errors import InvalidRequest
from aiserver.models import NewEvent, NewLogEntry, SessionKey
from aiserver.notebooks import history as history_module
from aiserver.notebooks.history import Histories
from aiserver.replay import report, trace
from aiserver.sessions.file import session_files as reading
from aiserver.sessions.file.directory import SessionDirectory
from aiserver.sessions.file.manager import FileSessionManager
from aiserver.sessions.record.filenames import session_name

NOW = "2026-01-27T10:00:00.000Z"


class Counting(FileSessionManager):
    """Counts which cells are loaded, and how often a log is read."""

    loaded: list[str]
    logs = 0

    async def load_raw_batch(self, keys: Sequence[SessionKey]) -> list[bytes | None]:
        self.loaded += [key.cell_id for key in keys]
        return await super().load_raw_batch(keys)

    async def read_notebook_log(self, notebook_id, *, owner=""):
        self.logs += 1
        return await super().read_notebook_log(notebook_id, owner=owner)


def store_in(folder: Path) -> Counting:
    store = Counting(root=str(folder))
    store.loaded = []
    return store


async def edit(store: FileSessionManager, cell_id: str, source: str) -> None:
    event = NewEvent(type="edit", timestamp=NOW, source=source)
    await store.record_events(SessionKey("nb", cell_id), [event])


async def order(store: FileSessionManager, *cell_ids: str) -> None:
    entry = NewLogEntry(type="cell_order", timestamp=NOW, data={"cell_ids": list(cell_ids)})
    await store.append_notebook_log("nb", [entry])


@pytest.fixture(autouse=True)
def sure_stamps(monkeypatch: pytest.MonkeyPatch) -> None:
    """Trust the stamps of new files as well, so that no count depends on the clock."""
    monkeypatch.setattr(reading, "_MIN_AGE_NS", -(10**18))


def test_only_what_has_changed_is_read_again(tmp_path: Path):
    async def work() -> None:
        store = store_in(tmp_path)
        histories = Histories(store)
        for cell_id in ("a", "b", "c"):
            await edit(store, cell_id, cell_id)
        await order(store, "a", "b", "c")
        first = await histories.load("nb")
        assert sorted(store.loaded) == ["a", "b", "c"] and store.logs == 1
        assert await histories.load("nb") is first
        assert len(store.loaded) == 3 and store.logs == 1
        await edit(store, "b", "new")
        second = await histories.load("nb")
        assert store.loaded[3:] == ["b"] and store.logs == 1
        assert second.version != first.version
        assert [cell.source for cell in second.timeline.last().cells] == ["a", "new", "c"]
        await order(store, "c", "b")
        third = await histories.load("nb")
        assert store.loaded[4:] == [] and store.logs == 2
        assert [cell.cell_id for cell in third.timeline.last().cells] == ["c", "b"]
        await store.delete(SessionKey("nb", "c"))
        fourth = await histories.load("nb")
        assert set(fourth.sessions) == {"a", "b"} and store.loaded[4:] == []
        # Earlier histories don't change.
        assert [cell.source for cell in first.timeline.last().cells] == ["a", "b", "c"]
        await store.close()

    asyncio.run(work())


def test_writes_of_another_process_are_visible_at_once(tmp_path: Path):
    async def work() -> None:
        ours, theirs = store_in(tmp_path), store_in(tmp_path)
        histories = Histories(ours)
        assert (await histories.load("nb")).timeline.moments == []
        await edit(theirs, "a", "x")
        assert (await histories.load("nb")).timeline.last().cells[0].source == "x"
        await edit(theirs, "a", "y")
        await order(theirs, "a")
        assert (await histories.load("nb")).timeline.last().cells[0].source == "y"
        await ours.close()
        await theirs.close()

    asyncio.run(work())


@pytest.mark.parametrize("disk", ["sure", "not sure yet", "without stamps"])
def test_a_file_that_was_edited_by_hand_is_read_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, disk: str
):
    """Also if the revision, the counts and the times are unchanged."""
    if disk == "not sure yet":
        monkeypatch.setattr(reading, "_MIN_AGE_NS", 10**18)
    if disk == "without stamps":
        monkeypatch.setattr(SessionDirectory, "trusts_stamps", False)

    async def work() -> None:
        store = store_in(tmp_path)
        histories = Histories(store)
        await edit(store, "a", "password = 1")
        before = await histories.load("nb")
        path = tmp_path / ".aiserver_sessions" / session_name(SessionKey("nb", "a"))
        path.write_bytes(path.read_bytes().replace(b"password", "‹removed›".encode()))
        after = await histories.load("nb")
        assert after.timeline.last().cells[0].source == "‹removed› = 1"
        assert after.sessions["a"].events[0].source == "‹removed› = 1"
        assert after.version != before.version
        assert await histories.load("nb") is after
        os.utime(path, ns=(1, 1))
        assert await histories.load("nb") is after, "touched, not changed"
        await store.close()

    asyncio.run(work())


def test_concurrent_calls_read_once(tmp_path: Path):
    async def work() -> None:
        store = store_in(tmp_path)
        await edit(store, "a", "x")
        histories = Histories(store)
        results = await asyncio.gather(*(histories.load("nb") for _ in range(20)))
        assert {id(history) for history in results} == {id(results[0])}
        assert store.loaded == ["a"]
        await store.close()

    asyncio.run(work())


def test_a_cached_version_is_returned_without_the_store(tmp_path: Path):
    async def work() -> None:
        store = store_in(tmp_path)
        await edit(store, "a", "x")
        histories = Histories(store)
        first = await histories.load("nb")
        await edit(store, "a", "y")
        assert await histories.load("nb", version=first.version) is first
        second = await histories.load("nb")
        assert second.version != first.version
        # An older or unknown version gives the present history.
        assert await histories.load("nb", version="never") is second
        await store.close()

    asyncio.run(work())


def test_an_unused_notebook_is_evicted_and_loaded_again(tmp_path: Path):
    async def work() -> None:
        store = store_in(tmp_path)
        await edit(store, "a", "x")
        histories = Histories(store)
        await histories.load("nb")
        for number in range(10):
            await histories.load(f"other{number}")
        assert (await histories.load("nb")).timeline.last().cells[0].source == "x"
        assert store.loaded == ["a", "a"]
        with pytest.raises(InvalidRequest):
            await histories.load("no/id")
        await store.close()

    asyncio.run(work())


def test_a_large_history_is_frozen_and_freed_without_the_garbage_collector(tmp_path: Path):
    """A collection of all its objects would block the server."""

    async def work() -> None:
        store = store_in(tmp_path)
        events = [NewEvent(type="edit", timestamp=NOW, source=f"x = {n}") for n in range(1500)]
        for cell_id in ("a", "b", "c", "d"):
            await store.record_events(SessionKey("nb", cell_id), events)
        await order(store, "a", "b", "c", "d")
        histories = Histories(store)
        before = gc.get_freeze_count()
        history = await histories.load("nb")
        large = gc.get_freeze_count()
        assert large > before + 6000
        await edit(store, "a", "y")
        history = await histories.load("nb")
        assert gc.get_freeze_count() <= large, "a single step is not frozen"
        reference = weakref.ref(history.timeline)
        gc.disable()
        try:
            del history, histories
            await asyncio.sleep(0)  # the loop still references the last result
            assert reference() is None
        finally:
            gc.enable()
        await store.close()

    try:
        asyncio.run(work())
    finally:
        gc.unfreeze()


def test_a_report_counts_only_the_lines_of_changed_cells(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also if a cell has lines of another cell, which may have changed."""
    traced: list[str] = []

    def counting_trace(cell_id: str, *rest: Any) -> Any:
        traced.append(cell_id)
        return trace(cell_id, *rest)

    monkeypatch.setattr(sys.modules["aiserver.replay.report"], "trace", counting_trace)

    async def work() -> None:
        store = store_in(tmp_path)
        for cell_id in ("a", "b", "c"):
            await edit(store, cell_id, f"{cell_id} = 1")
        data = {"from_cell": "a", "from_seq": 1}
        restore = NewEvent(type="restore", timestamp=NOW, source="a = 1", data=data)
        await store.record_events(SessionKey("nb", "copy"), [restore])
        histories = Histories(store)

        async def lines() -> int:
            traced.clear()
            history = await histories.load("nb")
            counted = report(history.timeline, history.sessions, history.counts)
            assert counted == report(history.timeline, history.sessions)
            return counted["total"]["byPerson"]

        assert await lines() == 4 and traced[:4] == ["a", "b", "c", "copy"]
        assert await lines() == 4 and traced[:-4] == ["copy"]
        await edit(store, "b", "b = 1\nb = 2")
        await store.delete(SessionKey("nb", "c"))
        assert await lines() == 4 and traced[:-3] == ["b", "copy"]
        assert set((await histories.load("nb")).counts) == {"a", "b"}
        await store.close()

    asyncio.run(work())


def test_large_notebooks_are_not_cached_together(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Four notebooks of 10,000 cells would need gigabytes. The last one stays cached."""
    monkeypatch.setattr(history_module, "_MAX_BYTES", 10_000)

    async def work() -> None:
        store = store_in(tmp_path)
        for notebook_id in ("one", "two"):
            event = NewEvent(type="edit", timestamp=NOW, source="x" * 6000)
            await store.record_events(SessionKey(notebook_id, notebook_id), [event])
        histories = Histories(store)
        for notebook_id in ("one", "one", "two", "two", "one"):
            await histories.load(notebook_id)
        assert store.loaded == ["one", "two", "one"]
        large = NewEvent(type="edit", timestamp=NOW, source="x" * 20_000)
        await store.record_events(SessionKey("one", "large"), [large])
        for _ in range(2):
            await histories.load("one")
        assert store.loaded[3:] == ["large"]
        await store.close()

    asyncio.run(work())


def test_memory_is_freed_after_a_while(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(history_module, "_IDLE", 0)

    async def work() -> None:
        store = store_in(tmp_path)
        await edit(store, "a", "x")
        histories = Histories(store)
        reference = weakref.ref((await histories.load("nb")).timeline)
        while reference() is not None:
            await asyncio.sleep(0)
        assert (await histories.load("nb")).timeline.last().cells[0].source == "x"
        await store.close()

    asyncio.run(work())
