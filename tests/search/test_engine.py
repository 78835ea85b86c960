"""The engine over stores: real sessions, and what must hold whatever is in them."""

from __future__ import annotations

import asyncio
import shutil
from operator import attrgetter
from pathlib import Path

import pytest

from aiserver.errors import SessionCorrupt, StorageUnreachable
from aiserver.models import Contributor, SessionKey
from aiserver.plugins.search import SearchEngine, SearchResult
from aiserver.plugins.search import engine as indexes
from aiserver.plugins.search.process import SearchProcess
from aiserver.plugins.search.text_index import TextIndex
from aiserver.sessions.file.manager import FileSessionManager
from aiserver.sessions.memory import InMemorySessionManager
from aiserver.sessions.record.recovery import parse_or_recover
from aiserver.testing.records import event, in_loop, turn

DATA = Path(__file__).parent.parent / "data"
LONG = 60.0  # no search here takes that


class Watched(InMemorySessionManager):
    """Counts what is read, and fails where it is told to."""

    def __init__(self) -> None:
        super().__init__()
        self.loaded: list[SessionKey] = []
        self.faults: dict[str, Exception] = {}
        self.gate: asyncio.Event | None = None

    async def load_raw(self, key):
        if self.gate:
            await self.gate.wait()
        self.loaded.append(key)
        if key.cell_id in self.faults:
            raise self.faults[key.cell_id]
        return await super().load_raw(key)


class InThread(SearchProcess):
    """The same without a process: starting one takes longer than most of these tests."""

    _text_index: TextIndex | None = None

    def _start(self) -> int:
        self._text_index = self._text_index or TextIndex()
        return 1

    def _call(self, number, name, arguments):
        return attrgetter(name)(self._text_index)(*arguments)


def searching(store) -> SearchEngine:
    return SearchEngine(store, process=InThread())


async def fill(store, count=5, notebook="nb", owner="") -> None:
    for number in range(count):
        key = SessionKey(notebook, f"c{number}", owner)
        await store.save_interaction(key, turn(f"question {number}", f"answer_{number} = 1"))


def named(result: SearchResult) -> list[str]:
    return [hit.cell_id for hit in result.hits]


@pytest.fixture
def old_sessions(tmp_path):
    """Real requests and answers about three notebooks, as the predecessor kept them."""
    folder = tmp_path / ".aiserver_sessions"
    shutil.copytree(DATA / "predecessor", folder)
    return FileSessionManager(root=str(tmp_path))


@in_loop
async def test_real_sessions_match_at_their_step(old_sessions):
    engine = searching(old_sessions)
    result = await engine.search("churn", patience=LONG)
    assert result.total and not result.unread
    for hit in result.hits:
        key = SessionKey(hit.notebook_id, hit.cell_id)
        session = await old_sessions.load_session(key)
        (turn_,) = [t for t in session.interactions if t.turn_id == hit.turn_id]
        everything = turn_.user_request.intent + turn_.ai_response.suggestion
        assert "churn" in everything.lower() and hit.intent == turn_.user_request.intent
        assert any(piece.is_hit for piece in hit.snippet)
        assert hit.step is not None
    notebook = result.hits[0].notebook_id
    in_notebook = await engine.search("churn", notebook_id=notebook, patience=LONG)
    assert 0 < in_notebook.total <= result.total
    assert {hit.notebook_id for hit in in_notebook.hits} == {notebook}
    # A request is found by its own words, first of all.
    for row in (await old_sessions.list_sessions())[0]:
        again = await engine.search(row.last_intent, limit=50, patience=LONG)
        assert any(hit.intent.startswith(row.last_intent) for hit in again.hits[:3])
    await engine.close()


@in_loop
async def test_only_what_changed_is_read_again():
    store = Watched()
    await fill(store)
    engine = searching(store)
    assert (await engine.search("question", limit=1, patience=LONG)).total == 5
    store.loaded.clear()
    assert (await engine.search("nothing_of_that", patience=LONG)).total == 0
    assert store.loaded == []
    await store.save_interaction(SessionKey("nb", "c3"), turn("nothing_of_that", "x"))
    assert named(await engine.search("nothing_of_that", patience=LONG)) == ["c3"]
    assert {key.cell_id for key in store.loaded} == {"c3"}
    await store.delete(SessionKey("nb", "c3"))
    assert (await engine.search("nothing_of_that", patience=LONG)).total == 0
    await engine.close()


@in_loop
async def test_a_session_with_a_lower_revision_is_read_again():
    store = InMemorySessionManager()
    key = SessionKey("nb", "c")
    await store.save_interaction(key, turn("before", ""))
    engine = searching(store)
    assert (await engine.search("before", patience=LONG)).total == 1
    await store.delete(key)
    await store.save_interaction(key, turn("after", ""))
    assert (await engine.search("before", patience=LONG)).total == 0
    assert (await engine.search("after", patience=LONG)).total == 1
    await engine.close()


@in_loop
async def test_owners_are_isolated():
    """P9: nobody finds what is another's, also where notebook and cell have the same ids."""
    store = InMemorySessionManager()
    await store.save_interaction(SessionKey("nb", "c", "ann"), turn("secret of ann", ""))
    await store.save_interaction(SessionKey("nb", "c", "bob"), turn("bob's own", ""))
    engine = searching(store)
    for by in ("words", "meaning"):
        ann = await engine.search("secret", owner="ann", by=by, patience=LONG)
        bob = await engine.search("secret", owner="bob", by=by, patience=LONG)
        assert [hit.intent for hit in ann.hits] == ["secret of ann"]
        assert "secret of ann" not in [hit.intent for hit in bob.hits]
        assert by == "meaning" or not bob.total
        assert not (await engine.search("secret", by=by, patience=LONG)).total
    await engine.close()


@in_loop
async def test_a_search_without_patience_reports_unread_sessions():
    store = Watched()
    await fill(store, indexes.SESSIONS_PER_READ + 8)
    store.gate = asyncio.Event()
    engine = searching(store)
    result = await engine.search("question", patience=0)
    assert (result.total, result.unread) == (0, indexes.SESSIONS_PER_READ + 8)
    store.gate.set()
    result = await engine.search("question", patience=LONG)
    assert (result.total, result.unread) == (indexes.SESSIONS_PER_READ + 8, 0)
    await engine.close()


@in_loop
async def test_the_requested_notebook_is_read_first():
    store = Watched()
    await fill(store, indexes.SESSIONS_PER_READ * 2, notebook="large")
    await store.save_interaction(
        SessionKey("small", "c"), turn("question", "", timestamp="2020-01-01T00:00:00Z")
    )
    engine = searching(store)
    result = await engine.search("question", notebook_id="small", patience=LONG)
    assert result.total == 1 and len(store.loaded) <= 2
    await engine.close()


@in_loop
async def test_an_unreadable_session_hides_no_other():
    store = Watched()
    await fill(store)
    store.faults["c2"] = SessionCorrupt()
    engine = searching(store)
    assert (await engine.search("question", patience=LONG)).total == 4
    store.loaded.clear()
    await engine.search("nothing_of_that", patience=LONG)
    assert store.loaded == []  # it is not tried again till it changes
    await engine.close()


@in_loop
async def test_an_unreachable_store_raises_and_is_retried():
    store = Watched()
    await fill(store)
    engine = searching(store)
    store.faults["c2"] = StorageUnreachable()
    with pytest.raises(StorageUnreachable):
        await engine.search("question", patience=LONG)
    store.faults.clear()
    assert (await engine.search("question", patience=LONG)).total == 5
    await engine.close()


@in_loop
async def test_pages_are_parts_of_one_order():
    store = InMemorySessionManager()
    await fill(store, 23)
    engine = searching(store)
    everything = await engine.search("question", limit=50, patience=LONG)
    parts = [await engine.search("question", offset=at, limit=10) for at in (0, 10, 20, 30)]
    assert [hit for part in parts for hit in part.hits] == everything.hits
    assert {part.total for part in parts} == {23}
    await engine.close()


@in_loop
async def test_a_session_with_many_hits_is_read_once(monkeypatch):
    """A page of hits in one large session costs one look at it, not one for each row."""
    store = Watched()
    key = SessionKey("nb", "c")
    for number in range(20):
        await store.save_interaction(key, turn(f"question {number}", f"answer_{number} = 1"))
    await fill(store, 2)
    engine = searching(store)
    await engine.search("question", patience=LONG)
    loaded_keys = []
    store.loaded.clear()
    monkeypatch.setattr(
        "aiserver.plugins.search.text_index.parse_or_recover",
        lambda data, key: loaded_keys.append(key) or parse_or_recover(data, key),
    )
    result = await engine.search("question", limit=22, patience=LONG)
    assert sorted(hit.turn_id for hit in result.hits if hit.cell_id == "c") == list(range(1, 21))
    own = [hit for hit in result.hits if hit.cell_id == "c"]
    assert all(hit.intent == f"question {hit.turn_id - 1}" for hit in own)
    assert [hit.step for hit in own] == [hit.turn_id - 1 for hit in own]
    cells = [key.cell_id for key in loaded_keys]
    assert sorted(cells) == ["c", "c0", "c1"]
    assert sorted(key.cell_id for key in store.loaded) == ["c", "c0", "c1"]
    await engine.close()


@in_loop
async def test_errors_of_runs_are_found():
    store = InMemorySessionManager()
    key = SessionKey("nb", "c")
    await store.save_interaction(key, turn("load", "df['price']"))
    failed = {"status": "error", "ename": "KeyError", "evalue": "'价格'"}
    await store.record_events(key, [event("run", source="df['price']", data=failed)])
    engine = searching(store)
    (hit,) = (await engine.search("keyerror 价格", patience=LONG)).hits
    assert (hit.where, hit.turn_id, hit.step) == ("error", 1, 0)
    assert "".join(piece.text for piece in hit.snippet) == "KeyError: '价格'"
    await engine.close()


@in_loop
async def test_closing_stops_the_reading():
    store = Watched()
    await fill(store)
    store.gate = asyncio.Event()
    engine = searching(store)
    await engine.search("question", patience=0)
    await engine.close()
    assert store.loaded == []


@in_loop
async def test_cancelling_a_search_stops_the_reading():
    """P30: of what nobody waits for only the batch at hand is read."""
    store = Watched()
    await fill(store, indexes.SESSIONS_PER_READ * 3)
    store.gate = asyncio.Event()
    engine = searching(store)
    task = asyncio.ensure_future(engine.search("question", patience=LONG))
    while engine._indexes.get("") is None or engine._indexes[""]._reading is None:
        await asyncio.sleep(0)
    reading = engine._indexes[""]._reading
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    store.gate.set()
    await reading
    assert len(store.loaded) == indexes.SESSIONS_PER_READ
    assert (await engine.search("question", patience=LONG)).total == indexes.SESSIONS_PER_READ * 3
    await engine.close()


@in_loop
async def test_a_later_search_does_not_raise_an_older_error():
    store = Watched()
    await fill(store)
    store.gate = asyncio.Event()
    store.faults["c2"] = StorageUnreachable()
    engine = searching(store)
    await engine.search("question", patience=0)
    store.gate.set()
    await asyncio.wait([engine._indexes[""]._reading])
    store.faults.clear()
    assert (await engine.search("question", patience=LONG)).total == 5
    await engine.close()


@pytest.mark.parametrize("by", ["words", "request", "meaning"])
@in_loop
async def test_a_notebook_can_be_left_out(by):
    store = InMemorySessionManager()
    await fill(store, 20, "here")
    await fill(store, 2, "other")
    engine = searching(store)
    result = await engine.search(
        "question 1", by=by, except_notebook_id="here", limit=5, patience=LONG
    )
    assert result.total and {hit.notebook_id for hit in result.hits} == {"other"}
    await engine.close()


RUN = "3f2a0c4d" * 4


async def by_several_authors(store) -> None:
    """Requests of a person, a proposal and a change of an agent, and a change by hand."""
    codex = Contributor(kind="agent", name="codex-mcp-client", version="1.2")
    claude = Contributor(kind="agent", name="Claude Code")
    key = SessionKey("nb", "asked")
    model = "local:qwen2.5-coder-0.5b"
    await store.save_interaction(key, turn("plot prices", "a = 1", model=model, user="ann"))
    hand = event("edit", source="a = 2", contributor=Contributor(kind="person"))
    await store.record_events(key, [hand])
    proposal = turn("plot by month", "b = 1", mode="agent", contributor=codex, run=RUN)
    await store.save_interaction(SessionKey("nb", "proposed"), proposal)
    data = {"intent": "画价格直方图", "tool": "cell_edit"}
    applied = event("edit", source="c = 1", contributor=claude, run="77" * 16, data=data)
    failed = {"status": "error", "ename": "KeyError", "evalue": "'price'"}
    key = SessionKey("nb", "applied")
    await store.record_events(key, [applied, event("run", source="c = 1", data=failed)])


@pytest.mark.parametrize(
    ("query", "cells"),
    [
        ("by:me", {"asked"}),
        ("by:qwen", {"asked"}),
        ("by:ann plot", {"asked"}),
        ("BY:Agent", {"proposed", "applied"}),
        ("by:codex", {"proposed"}),
        ("plot by:claude-code", set()),
        ('by:"claude code"', {"applied"}),
        ("by:codex by:claude", {"proposed", "applied"}),
        ("by:hand", set()),
        ("plot", {"asked", "proposed"}),
        ("plot by:agent", {"proposed"}),
        ("run:3f2a", {"proposed"}),
        (f"run:{RUN}", {"proposed"}),
        ("run:2a0c", set()),
        ("run:77 by:codex", set()),
        ("keyerror by:agent", {"applied"}),
        ("作者：智能体", {"proposed", "applied"}),
        ("作者:我", {"asked"}),
        ("作者:代理 直方圖", {"applied"}),
        ("直方图", {"applied"}),
        ("任务:7777", {"applied"}),
        ('"by month"', {"proposed"}),
        ('"plot by:codex"', set()),
    ],
)
@in_loop
async def test_a_query_may_name_an_author_or_a_run(query, cells):
    store = InMemorySessionManager()
    await by_several_authors(store)
    engine = searching(store)
    result = await engine.search(query, patience=LONG)
    assert {hit.cell_id for hit in result.hits} == cells
    assert result.total == len(cells)
    await engine.close()


@in_loop
async def test_a_hit_names_the_agent_and_its_run():
    store = InMemorySessionManager()
    await by_several_authors(store)
    engine = searching(store)
    hits = {hit.cell_id: hit for hit in (await engine.search("by:agent", patience=LONG)).hits}
    proposed, applied = hits["proposed"], hits["applied"]
    assert (proposed.author, proposed.name, proposed.run) == ("agent", "codex-mcp-client", RUN)
    assert (proposed.turn_id, proposed.step) == (1, 0)
    assert (applied.turn_id, applied.seq, applied.step) == (None, 1, 0)
    assert (applied.name, applied.intent) == ("Claude Code", "画价格直方图")
    await engine.close()


@in_loop
async def test_a_search_for_similar_requests_finds_no_agents_and_has_no_filters():
    store = InMemorySessionManager()
    await by_several_authors(store)
    await store.save_interaction(SessionKey("nb", "odd"), turn("group sales by:month", "d = 1"))
    engine = searching(store)
    similar = await engine.search("plot by month", by="request", patience=LONG)
    assert "proposed" not in named(similar)
    assert named(await engine.search("group sales by:month", by="request")) == ["odd"]
    await engine.close()
