"""Exports run in their own process."""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path

import pytest

from aiserver.errors import ExportFailed, ExportTimeout, InvalidRequest, NotFound
from aiserver.notebooks.history import Histories
from aiserver.sessions.file.manager import FileSessionManager
from aiserver.sessions.memory import InMemorySessionManager
from aiserver.sessions.record import codec
from aiserver.sharing.export import FORMATS, export
from aiserver.sharing.process import Exporter

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
            patch.setattr("aiserver.notebooks.history.parse_or_recover", fail)
            exported = json.loads(await exporter.export(NOTEBOOK, "md"))
        assert exported["name"] == "sales-replay.md" and "读取 sales.csv" in exported["content"]

    asyncio.run(work())


def test_exporting_an_unknown_notebook_is_an_error() -> None:
    exporter = Exporter(InMemorySessionManager())
    with pytest.raises(NotFound):
        asyncio.run(exporter.export("nobody", "html"))
    with pytest.raises(InvalidRequest):
        asyncio.run(exporter.export("../x", "html"))


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
