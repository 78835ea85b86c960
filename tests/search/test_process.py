"""The search process: start, calls, death, end."""

from __future__ import annotations

import asyncio
import io
import os
import select
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from aiserver.child_process import ChildEnded, send
from aiserver.errors import SearchFailed
from aiserver.models import AIResponse, Interaction, SessionKey, UserRequest, new_session
from aiserver.plugins.search import SearchEngine
from aiserver.plugins.search.process import SearchProcess
from aiserver.plugins.search.text_index import TextIndex
from aiserver.plugins.search.worker import serve
from aiserver.sessions.file.manager import FileSessionManager
from aiserver.sessions.memory import InMemorySessionManager
from aiserver.sessions.record.codec import encode
from aiserver.testing.records import NOON, in_loop, turn

LONG = 60.0


@in_loop
async def test_a_killed_process_is_restarted_with_the_same_results(tmp_path):
    store = FileSessionManager(root=str(tmp_path))
    for cell in "abc":
        await store.save_interaction(SessionKey("nb", cell), turn("画直方图"))
    process = SearchProcess()
    engine = SearchEngine(store, process=process)
    before = await engine.search("直方", patience=LONG)
    first = process.pid
    assert before.total == 3 and first
    os.kill(first, signal.SIGTERM)
    assert await engine.search("直方", patience=LONG) == before
    assert process.pid and process.pid != first
    await engine.close()
    assert process.pid is None
    await store.close()


@in_loop
async def test_an_idle_process_ends():
    process = SearchProcess(idle=0.0)
    number = await process.start()
    while process.pid is not None:
        await asyncio.sleep(0)
    with pytest.raises(ChildEnded):
        await process.call(number, "remove", "", [])
    assert await process.start() == number + 1
    await process.close()


@in_loop
async def test_closing_does_not_wait_for_a_call():
    process = SearchProcess([sys.executable, "-c", "import time; time.sleep(60)"])
    number = await process.start()
    call = asyncio.ensure_future(process.call(number, "remove", "", []))
    await asyncio.sleep(0)
    await asyncio.wait_for(process.close(), 30)
    with pytest.raises(ChildEnded):
        await call


@in_loop
async def test_a_process_that_cannot_start_raises_search_failed():
    store = InMemorySessionManager()
    await store.save_interaction(SessionKey("nb", "c"), turn("x"))
    nowhere = str(Path(__file__).with_name("nowhere"))
    for command in ([nowhere], [sys.executable, "-c", "raise SystemExit(1)"]):
        engine = SearchEngine(store, process=SearchProcess(command))
        with pytest.raises(SearchFailed) as failure:
            await engine.search("x", patience=LONG)
        assert nowhere not in failure.value.message
        await engine.close()


@in_loop
async def test_an_error_does_not_end_the_process():
    process = SearchProcess()
    number = await process.start()
    with pytest.raises(SearchFailed) as failure:
        await process.call(number, "remove", "secret", 1)
    assert "secret" not in repr(failure.value.__cause__)  # P8
    assert not await process.call(number, "remove", "", [])
    assert await process.call(number, "search", "x", "", None, "words") == ([], 0)
    await process.close()


def test_a_damaged_index_ends_the_process():
    """The next call begins with an empty one."""
    calls, answers = io.BytesIO(), io.BytesIO()
    for _ in range(2):
        send(calls, ("put", ("", [])))
    calls.seek(0)
    index = TextIndex()
    index._db.close()  # raises a subclass of DatabaseError from now on
    serve(index, calls, answers)
    assert not answers.getvalue()


@in_loop
async def test_it_loads_nothing_from_the_working_folder(tmp_path, monkeypatch):
    """P13: a person's file is not run because it is named like a module."""
    for name in ("json.py", "aiserver.py", "pydantic.py", "sqlite3.py"):
        (tmp_path / name).write_text("open('was run', 'w').close()")
    monkeypatch.chdir(tmp_path)
    process = SearchProcess()
    number = await process.start()
    assert await process.call(number, "search", "x", "", None, "words") == ([], 0)
    await process.close()
    assert not (tmp_path / "was run").exists()


def test_texts_beyond_the_cache_are_searched():
    """They go to a temporary file of SQLite's."""
    tight, roomy = TextIndex(cache=1024), TextIndex()
    for number in range(100):
        session = new_session(SessionKey("nb", f"c{number}"))
        session.interactions = [
            Interaction(
                turn_id=1,
                timestamp=NOON,
                user_request=UserRequest(intent=f"画直方图 {number}"),
                ai_response=AIResponse(suggestion="x" * 30_000, status="success"),
            )
        ]
        for index in (tight, roomy):
            index.put("", [(("nb", f"c{number}"), encode(session))])
    results = []
    for index in (tight, roomy):
        results.append(index.search("直方 7", "", None, "words", limit=50))
    assert results[0] == results[1] and results[0][1] == 19


class Marks(dict):
    """A mapping that records which threads iterate over it."""

    def __init__(self, marks) -> None:
        super().__init__(marks)
        self.threads: set[int] = set()

    def _seen(self) -> None:
        self.threads.add(threading.get_ident())

    def __iter__(self):
        self._seen()
        return super().__iter__()

    def keys(self):
        self._seen()
        return super().keys()

    def values(self):
        self._seen()
        return super().values()

    def items(self):
        self._seen()
        return super().items()


def test_the_event_loop_never_goes_through_all_sessions():
    marks = Marks({(f"nb{n // 50}", f"c{n}"): n for n in range(500)})

    class Many(InMemorySessionManager):
        async def session_marks(self, notebook_id=None, *, owner=""):
            return marks

        async def load_raw_batch(self, keys):
            return [None] * len(keys)

    async def search() -> None:
        engine = SearchEngine(Many())
        for _ in range(2):
            await engine.search("x", patience=LONG)
        await engine.close()

    asyncio.run(search())
    assert marks.threads and threading.get_ident() not in marks.threads


@pytest.mark.skipif(not hasattr(os, "pidfd_open"), reason="only Linux tells of others' ends")
def test_it_does_not_outlive_a_server_that_was_killed():
    code = (
        "import asyncio\n"
        "from aiserver.plugins.search.process import SearchProcess\n"
        "async def main():\n"
        "    process = SearchProcess()\n"
        "    number = await process.start()\n"
        "    await process.call(number, 'remove', '', [])\n"
        "    print(process.pid, flush=True)\n"
        "    await asyncio.sleep(600)\n"
        "asyncio.run(main())\n"
    )
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE) as server:
        assert server.stdout is not None
        child = os.pidfd_open(int(server.stdout.readline()))
        server.kill()
    ended, _, _ = select.select([child], [], [], 30)
    os.close(child)
    assert ended
