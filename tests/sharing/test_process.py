"""Exports in a process of their own."""

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


def test_the_file_is_that_of_the_same_history() -> None:
    """Each form, with its pictures."""

    async def work() -> None:
        store = InMemorySessionManager()
        await fill(store)
        history = await Histories(store).load(NOTEBOOK)
        wanted = [
            await export(store, history, format_, "a.ipynb", notebook=notebook())
            for format_ in FORMATS
        ]
        exporter = Exporter(store)
        made = await asyncio.gather(
            *(
                exporter.export(NOTEBOOK, format_, name="a.ipynb", notebook=notebook())
                for format_ in FORMATS
            )
        )
        assert [json.loads(data) for data in made] == [
            {"name": one.name, "content": one.content} for one in wanted
        ]

    asyncio.run(work())


def test_no_session_is_parsed_in_the_server(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Pydantic holds Python's lock for all of a large session, and so the event loop."""
    asyncio.run(fill(FileSessionManager(root=str(tmp_path))))

    def refused(*_: object) -> None:
        raise AssertionError("a session was parsed in the server's process")

    async def work() -> None:
        exporter = Exporter(FileSessionManager(root=str(tmp_path)))
        with monkeypatch.context() as patched:
            patched.setattr(codec, "read", refused)
            patched.setattr(codec, "parse", refused)
            patched.setattr("aiserver.notebooks.history.parse_or_recover", refused)
            made = json.loads(await exporter.export(NOTEBOOK, "md"))
        assert made["name"] == "sales-replay.md" and "读取 sales.csv" in made["content"]

    asyncio.run(work())


def test_a_notebook_without_a_history_has_no_file() -> None:
    exporter = Exporter(InMemorySessionManager())
    with pytest.raises(NotFound):
        asyncio.run(exporter.export("nobody", "html"))
    with pytest.raises(InvalidRequest):
        asyncio.run(exporter.export("../x", "html"))


def test_a_process_that_dies_is_an_error_and_no_hang() -> None:
    async def work() -> None:
        store = InMemorySessionManager()
        await fill(store)
        exporter = Exporter(store, command=(sys.executable, "-c", "pass"))
        for _ in range(2):  # the next one is not kept waiting
            with pytest.raises(ExportFailed):
                await exporter.export(NOTEBOOK, "html")

    asyncio.run(work())


@pytest.mark.parametrize("size", [10, 1_000_000], ids=["reads it", "reads nothing"])
def test_a_process_that_hangs_is_stopped_with_a_sentence(size: int) -> None:
    """P17: also while the server still writes to its pipe; the next export goes on."""

    async def work() -> None:
        store = InMemorySessionManager()
        await fill(store)
        hangs = (sys.executable, "-c", "import time; time.sleep(600)")
        exporter = Exporter(store, command=hangs, limit=0.05)
        for _ in range(2):
            with pytest.raises(ExportTimeout) as stopped:
                await exporter.export(NOTEBOOK, "html", notebook={"x": "a" * size})
            assert "replay export" in stopped.value.message

    asyncio.run(asyncio.wait_for(work(), 60))
