"""Exports run in their own process."""

from __future__ import annotations

import asyncio
import json
import re
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from aiserver.errors import ExportFailed, ExportTimeout
from aiserver.models import NewEvent, NewLogEntry, SessionKey
from aiserver.notebooks import history as notebook_history
from aiserver.notebooks.history import Histories
from aiserver.plugins.export import process
from aiserver.plugins.export.export import FORMATS, export
from aiserver.plugins.export.process import Exporter
from aiserver.sessions.file.manager import FileSessionManager
from aiserver.sessions.memory import InMemorySessionManager
from aiserver.sessions.record import codec

from .demo import NOTEBOOK, fill, notebook


def test_exported_files_equal_those_of_a_direct_export() -> None:
    """This includes each format and its pictures."""

    async def work() -> None:
        store = InMemorySessionManager()
        await fill(store)
        history = await Histories(store).load(NOTEBOOK)
        expected = [
            await export(store, history, format_, "a.ipynb", notebook=notebook())
            for format_ in FORMATS
        ]
        exporter = Exporter(store)
        actual = await asyncio.gather(
            *(
                exporter.export(NOTEBOOK, format_, name="a.ipynb", notebook=notebook())
                for format_ in FORMATS
            )
        )
        assert [json.loads(data) for data in actual] == [
            {"name": file.name, "content": file.content} for file in expected
        ]

    asyncio.run(work())


def test_no_session_is_parsed_in_the_server(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Pydantic holds the GIL while it parses a session, which would block the event loop."""
    asyncio.run(fill(FileSessionManager(root=str(tmp_path))))

    def fail(*_: object) -> None:
        raise AssertionError("a session was parsed in the server's process")

    async def work() -> None:
        exporter = Exporter(FileSessionManager(root=str(tmp_path)))
        with monkeypatch.context() as patch:
            patch.setattr(codec, "read", fail)
            patch.setattr(codec, "parse", fail)
            patch.setattr("aiserver.notebooks.history.recover", fail)
            exported = json.loads(await exporter.export(NOTEBOOK, "md"))
        assert exported["name"] == "sales-replay.md" and "读取 sales.csv" in exported["content"]

    asyncio.run(work())


def test_of_a_very_large_notebook_the_newest_cells_are_exported(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The file says how many are left out. Their sessions aren't even loaded."""
    stamp, ids = "2026-01-{:02}T00:00:00Z", [f"cell-{number}" for number in range(9)]

    async def work() -> None:
        store = InMemorySessionManager()
        for number, cell_id in enumerate(ids, 1):
            event = NewEvent(type="edit", timestamp=stamp.format(number), source=f"{cell_id} = 1")
            await store.record_events(SessionKey("nb", cell_id), [event])
        damaged = [*ids, ["x"], None]  # an export doesn't fail because of them
        log = NewLogEntry(type="cell_order", timestamp=stamp.format(1), data={"cell_ids": damaged})
        await store.append_notebook_log("nb", [log])
        marks = [cell for _, cell in await store.session_marks("nb")]
        size = len((await store.load_raw(SessionKey("nb", ids[0])))[0])
        monkeypatch.setattr(process, "_MAX_BYTES", 5 * size // 2)
        monkeypatch.setattr(notebook_history, "_SESSIONS_PER_READ", 2)
        loaded: list[str] = []
        load = store.load_raw_batch

        async def load_raw_batch(keys: Sequence[SessionKey]) -> list[bytes | None]:
            loaded.extend(key.cell_id for key in keys)
            return await load(keys)

        monkeypatch.setattr(store, "load_raw_batch", load_raw_batch)
        exporter = Exporter(store)
        content = json.loads(await exporter.export("nb", "html"))["content"]
        match = re.search(r'id="replay-data">(.*?)</script>', content)
        data = json.loads(match[1])
        assert {cell["id"] for cell in data["cells"]} == set(marks[:2]) and data["leftOut"] == 7
        assert len(data["report"]["cells"]) == 2 and loaded == marks[:4]
        for format_ in ("md", "ipynb"):
            content = json.loads(await exporter.export("nb", format_))["content"]
            assert "Cells that are left out: 7." in content
            assert [id_ for id_ in ids if f"{id_} = 1" in content] == sorted(marks[:2])

    asyncio.run(work())


def test_a_process_that_exits_early_is_an_error() -> None:
    async def work() -> None:
        store = InMemorySessionManager()
        await fill(store)
        exporter = Exporter(store, command=(sys.executable, "-c", "pass"))
        for _ in range(2):  # the next export doesn't wait
            with pytest.raises(ExportFailed):
                await exporter.export(NOTEBOOK, "html")

    asyncio.run(work())


@pytest.mark.parametrize("size", [10, 1_000_000], ids=["reads it", "reads nothing"])
def test_a_process_that_hangs_is_stopped_and_reported(size: int) -> None:
    """P17: even while the server still writes to its pipe; the next export works."""

    async def work() -> None:
        store = InMemorySessionManager()
        await fill(store)
        hangs = (sys.executable, "-c", "import time; time.sleep(600)")
        exporter = Exporter(store, command=hangs, limit=0.05)
        for _ in range(2):
            with pytest.raises(ExportTimeout) as caught:
                await exporter.export(NOTEBOOK, "html", notebook={"x": "a" * size})
            assert "replay export" in caught.value.message

    asyncio.run(asyncio.wait_for(work(), 60))
