"""Batches of changes that a page observed in the cells of a notebook."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from aiserver.errors import SessionTooNew, StorageFull
from aiserver.models import NewLogEntry, SessionKey
from aiserver.notebooks.change_log import Batch, CellChange, ChangeRecorder, SessionHead
from aiserver.sessions.base import SessionManager
from aiserver.sessions.memory import InMemorySessionManager
from aiserver.sessions.record.merge import digest
from aiserver.testing import Backend
from aiserver.testing.records import NOON, event, in_loop, turn

from ..sessions.conftest import FileBackend

NB = "6f1c0f0e-9a0b-4a7e-8d52-0c9f3f1f0a11"
A, B, C = (SessionKey(NB, cell) for cell in ("aa", "bb", "cc"))


def edit(name: str, source: str, trigger: str = "save") -> Any:
    return event("edit", source=source, data={"trigger": trigger}, id=name)


def batch(name: str, *cells: CellChange, **more: Any) -> Batch:
    return Batch(id=name, timestamp=NOON, cells=cells, **more)


async def logged(store: SessionManager) -> list[dict[str, Any]]:
    log = await store.read_notebook_log(NB)
    entries = [{"type": entry.type} | entry.data for entry in log]
    return [{name: entry[name] for name in entry.keys() - {"digests"}} for entry in entries]


async def kinds(store: SessionManager, key: SessionKey) -> list[str]:
    session = await store.load_session(key)
    return [getattr(item, "type", "turn") for item in session.ordered()]


@in_loop
async def test_a_batch_writes_the_sessions_and_an_entry_with_their_last_seqs(
    local_backend: Backend,
) -> None:
    store = local_backend.open()
    await store.save_interaction(A, turn())
    heads, *_ = await ChangeRecorder(store).record(
        NB,
        batch(
            "b1",
            CellChange(A, [edit("e1", "x = 2"), event("run", id="e2")]),
            CellChange(B, [edit("e3", "# 标题", "first")]),
            order=[("aa", "code"), ("bb", "markdown")],
        ),
    )
    assert heads == {"aa": SessionHead(2, 3), "bb": SessionHead(1, 1)}
    store = local_backend.open()
    assert await kinds(store, A) == ["turn", "edit", "run"]
    assert (await store.load_session(B)).to_dict()["interactions"] == []
    types = {"aa": "code", "bb": "markdown"}
    assert await logged(store) == [
        {"type": "cell_order", "cell_ids": ["aa", "bb"], "types": types},
        {"type": "changed", "cells": {"aa": 3, "bb": 1}, "id": "b1"},
    ]
    last = {key.cell_id: digest((await store.load_session(key)).ordered()[-1]) for key in (A, B)}
    assert (await store.read_notebook_log(NB))[-1].data["digests"] == last
    await ChangeRecorder(store).record(NB, batch("b2", saved=True))
    assert (await logged(store))[2:] == [
        {"type": "changed", "cells": {}, "id": "b2", "saved": True},
    ]


@in_loop
async def test_the_first_order_names_records_from_before_tracking(
    local_backend: Backend,
) -> None:
    """P28: an answer that was accepted before is older, whatever its timestamp."""
    store = local_backend.open()
    await store.save_interaction(B, turn())
    await store.record_events(B, [event("accept", turn_id=1)])
    await store.save_interaction(SessionKey(NB, "deleted"), turn())
    registered = NewLogEntry(type="cell_order", timestamp=NOON, data={"cell_ids": ["aa", "bb"]})
    await store.append_notebook_log(NB, [registered])
    order = [("aa", "code"), ("bb", "code"), ("cc", "code")]
    begin = batch("b1", CellChange(A, [edit("e1", "x", "first")]), order=order)
    assert (await ChangeRecorder(store).record(NB, begin)).heads == {"aa": SessionHead(1, 1)}
    assert (await logged(store))[-1]["cells"] == {"aa": 1, "bb": 2}
    await store.save_interaction(C, turn())
    again = local_backend.open()
    await ChangeRecorder(again).record(NB, batch("b2", order=order[:2]))
    assert (await logged(again))[-1]["cells"] == {}, "already logged"


@in_loop
async def test_a_batch_that_is_sent_again_is_recorded_once(local_backend: Backend) -> None:
    """P36: by the same server or, after it died, by a new one."""
    store = local_backend.open()
    await store.record_events(A, [edit("e0", "x = 1")])
    sent = batch(
        "b1",
        CellChange(B, [event("copy", id="e1", source="x = 1")], fork_of=A),
        CellChange(C, [event("merge", id="e2", source="x")], parents=[A, B]),
        CellChange(A, [event("merge", id="e3")]),
        order=[("aa", "code")],
    )
    changes = ChangeRecorder(store)
    first = await changes.record(NB, sent)
    before = [await store.load_session(key) for key in (A, B, C)]
    assert (await changes.record(NB, sent)).heads == first.heads
    again = local_backend.open()
    assert (await ChangeRecorder(again).record(NB, sent)).heads == first.heads
    assert [await again.load_session(key) for key in (A, B, C)] == before
    assert len(await logged(again)) == 2


@in_loop
async def test_the_same_batch_twice_at_once_is_recorded_once(store: SessionManager) -> None:
    """P23"""
    changes = ChangeRecorder(store)
    sent = batch("b1", CellChange(A, [edit("e1", "x")]), order=[("aa", "code")])
    first, second = await asyncio.gather(changes.record(NB, sent), changes.record(NB, sent))
    assert first.heads == second.heads == {"aa": SessionHead(1, 1)}
    assert len(await logged(store)) == 2


@in_loop
async def test_an_interrupted_batch_is_completed(store: SessionManager) -> None:
    """P19, P20: the disk fills up between two cells; the same batch is sent again."""
    full = {"bb"}
    real = store.record_events

    async def failing(key: SessionKey, *args: Any, **more: Any) -> Any:
        if key.cell_id in full:
            raise StorageFull
        return await real(key, *args, **more)

    store.record_events = failing  # type: ignore[method-assign]
    changes = ChangeRecorder(store)
    sent = batch(
        "b1", CellChange(A, [edit("e1", "x")]), CellChange(B, [edit("e2", "y")], fork_of=A)
    )
    with pytest.raises(StorageFull):
        await changes.record(NB, sent)
    assert await logged(store) == [], "no entry names a missing record"
    full.clear()
    await changes.record(NB, sent)
    assert await kinds(store, A) == ["edit"]
    assert await kinds(store, B) == ["edit"], "its origin had no session at first"
    assert await logged(store) == [{"type": "changed", "cells": {"aa": 1, "bb": 1}, "id": "b1"}]


@in_loop
async def test_a_new_cell_starts_with_the_records_of_its_origin_before_the_batch(
    local_backend: Backend,
) -> None:
    """P28: each piece of a split has a history of its own."""
    store = local_backend.open()
    await store.save_interaction(A, turn())
    pieces = {"pieces": ["bb", "aa"], "from": "aa"}
    split = [event("split", source=part, data=pieces, id=f"s{part}") for part in "12"]
    await ChangeRecorder(store).record(
        NB,
        batch("b1", CellChange(A, [split[1]]), CellChange(B, [split[0]], fork_of=A)),
    )
    store = local_backend.open()
    assert await kinds(store, A) == await kinds(store, B) == ["turn", "split"]
    session = await store.load_session(B)
    assert session.meta.forked_from == {"notebook_id": NB, "cell_id": "aa", "revision": 1}
    assert [recorded.source for recorded in session.events or []] == ["1"]
    await store.save_interaction(B, turn("another"))
    assert await kinds(store, A) == ["turn", "split"]


@in_loop
async def test_a_merged_cell_names_its_parents_in_every_store(local_backend: Backend) -> None:
    """The parents are recorded with their revisions at that time."""
    store = local_backend.open()
    await store.record_events(A, [edit("e1", "x")])
    merged = CellChange(C, [event("merge", source="x\n\ny", id="m")], parents=[A, B])
    await ChangeRecorder(store).record(
        NB, batch("b1", merged, CellChange(A, [event("merge", id="n")]))
    )
    store = local_backend.open()
    session = await store.load_session(C)
    assert session.meta.parents == [{"notebook_id": NB, "cell_id": "aa", "revision": 1}]
    assert await kinds(store, C) == ["merge"]
    await store.save_interaction(C, turn())
    assert (await local_backend.open().load_session(C)).meta.parents == session.meta.parents


@in_loop
async def test_owners_are_separate(store: SessionManager) -> None:
    """P9: an owner's changes are not visible to another owner."""
    hers, his = (SessionKey(NB, "aa", owner) for owner in ("hers", "his"))
    await ChangeRecorder(store, owner="hers").record(
        NB, batch("b1", CellChange(hers, [edit("e1", "x")]), order=[("aa", "code")])
    )
    assert not await store.exists(his)
    assert await store.read_notebook_log(NB, owner="his") == []
    fork = CellChange(SessionKey(NB, "bb", "his"), [edit("e2", "y")], fork_of=his)
    await ChangeRecorder(store, owner="his").record(NB, batch("b1", fork))
    assert await kinds(store, fork.key) == ["edit"]
    assert len(await store.read_notebook_log(NB, owner="his")) == 1


@in_loop
async def test_an_unwritable_cell_does_not_block_others() -> None:
    """P25: a session of a newer AI Server is left as it is."""
    store = InMemorySessionManager()
    real = store.record_events

    async def too_new(key: SessionKey, *args: Any, **more: Any) -> Any:
        if key == A:
            raise SessionTooNew
        return await real(key, *args, **more)

    store.record_events = too_new  # type: ignore[method-assign]
    sent = batch("b1", CellChange(A, [edit("e1", "x")]), CellChange(B, [edit("e2", "y")]))
    assert (await ChangeRecorder(store).record(NB, sent)).heads == {"bb": SessionHead(1, 1)}
    assert await logged(store) == [{"type": "changed", "cells": {"bb": 1}, "id": "b1"}]


@in_loop
async def test_no_save_is_marked_while_a_cell_is_unwritable() -> None:
    """The moment would differ from the file."""

    class Store(InMemorySessionManager):
        is_newer = True

        async def record_events(self, key: SessionKey, *args: Any, **more: Any) -> Any:
            if key == A and self.is_newer:
                raise SessionTooNew
            return await super().record_events(key, *args, **more)

    store = Store()
    changes = ChangeRecorder(store)
    order = [("aa", "code"), ("bb", "code")]
    cells = [CellChange(A, [edit("e1", "a")]), CellChange(B, [edit("e2", "b")])]
    await changes.record(NB, batch("b1", *cells, order=order, saved=True))
    await changes.record(NB, batch("b2", CellChange(B, [edit("e3", "c")]), saved=True))
    assert not any(entry.get("saved") for entry in await logged(store))
    store.is_newer = False
    await changes.record(NB, batch("b3", CellChange(A, [edit("e4", "a")]), saved=True))
    assert (await logged(store))[-1]["saved"] is True
    store.is_newer = True
    await changes.record(NB, batch("b4", CellChange(A, [edit("e5", "d")])))
    await changes.record(NB, batch("b5", order=[("bb", "code")], saved=True))
    assert (await logged(store))[-1]["saved"] is True, "the cell is no longer in the notebook"


@in_loop
async def test_an_initial_observation_of_a_deleted_cell_is_recorded() -> None:
    """The page was closed without saving, so the cell is in the notebook again."""
    store = InMemorySessionManager()
    changes = ChangeRecorder(store)
    await changes.record(NB, batch("b1", CellChange(A, [edit("e1", "x", "first")])))
    deletion = event("delete", source="x", id="e2")
    await changes.record(NB, batch("b2", CellChange(A, [deletion])))
    await changes.record(NB, batch("b3", CellChange(A, [edit("e3", "x", "first")])))
    assert await kinds(store, A) == ["edit", "delete", "edit"]


@in_loop
async def test_an_initial_observation_without_news_is_not_recorded() -> None:
    store = InMemorySessionManager()
    changes = ChangeRecorder(store)
    numbers = iter(range(100))

    async def first(source: str) -> list[str]:
        name = f"first-{next(numbers)}"
        await changes.record(NB, batch(name, CellChange(A, [edit(name, source, "first")])))
        return await kinds(store, A)

    assert await first("x = 1") == ["edit"]
    assert await first("x = 1") == ["edit"]
    asked = turn(code="x = 2")
    asked.user_request.current_code = "x = 1"
    await store.save_interaction(A, asked)
    assert await first("x = 1") == ["edit", "turn"], "a suggestion is not yet in the cell"
    await store.record_events(A, [event("accept", turn_id=1)])
    assert await first("x = 2") == ["edit", "turn", "accept"]
    assert (await changes.record(NB, batch("e", CellChange(A)))).heads["aa"].seq == 3
    assert (await first("x = 3"))[-1] == "edit", (
        "changed by another program, while the notebook was closed"
    )
    await changes.record(NB, batch("s", CellChange(A, [edit("s", "x = 3", "save")])))
    assert len(await kinds(store, A)) == 5, "only initial observations are left out"
    count = len(await logged(store))
    assert len(await first("x = 3")) == 5
    assert len(await logged(store)) == count, "opening without news adds no entry"
    again = turn(code="x = 5")
    again.user_request.current_code, again.repeats_turn_id = "x = 1", 1
    await store.save_interaction(A, again)
    assert len(await first("x = 3")) == 6, "a request that is asked again changes no code"


@in_loop
@pytest.mark.parametrize(
    "observation",
    [{"source": 'password = "hunter22"'}, {"data": {"trigger": "first", "too_long": 1_234_567}}],
    ids=["a secret", "too long"],
)
async def test_opening_adds_nothing_if_the_source_is_recorded_in_part(
    observation: dict[str, Any],
) -> None:
    """Secrets are not recorded, and only the length of a source that is too large."""
    store = InMemorySessionManager()
    changes = ChangeRecorder(store)
    for number in range(3):
        seen = event("edit", id=f"e{number}", **{"data": {"trigger": "first"}} | observation)
        order = [("aa", "code")]
        await changes.record(NB, batch(f"b{number}", CellChange(A, [seen]), order=order))
    assert await kinds(store, A) == ["edit"]
    assert [entry["type"] for entry in await logged(store)] == ["cell_order", "changed"]


@in_loop
async def test_a_long_log_is_read_once() -> None:
    """Batches are recognised without reading the log again."""
    store = InMemorySessionManager()
    old = NewLogEntry(type="changed", timestamp=NOON, data={"cells": {}, "id": "old"})
    await store.append_notebook_log(NB, [old])
    reads = 0
    real = store.read_notebook_log

    async def counted(notebook_id: str, *, owner: str = "") -> Any:
        nonlocal reads
        reads += 1
        return await real(notebook_id, owner=owner)

    store.read_notebook_log = counted  # type: ignore[method-assign]
    changes = ChangeRecorder(store)
    await changes.record(NB, batch("old"))
    for number in range(20):
        edited = CellChange(A, [edit(f"e{number}", f"x = {number}", "run")])
        await changes.record(NB, batch(f"b{number}", edited))
    assert reads == 1
    assert len(await real(NB)) == 21


@in_loop
async def test_a_restored_older_log_is_followed(files: FileBackend) -> None:
    """A page that saw the newer log gets all cells until an answer has reached it."""
    changes = ChangeRecorder(files.open())
    ours, theirs = {"page": "ours"}, {"page": "theirs"}
    await changes.record(NB, batch("b0", CellChange(A, [edit("e0", "x = 0")]), **ours))
    [log] = (files.folder / "notebooks").iterdir()
    old = log.read_bytes()
    for number in range(1, 4):
        change = CellChange(A, [edit(f"e{number}", f"x = {number}")])
        seen = (await changes.record(NB, batch(f"b{number}", change, **ours))).seq
    log.write_bytes(old)

    their = batch("t1", CellChange(B, [edit("f1", "y = 1")]), **theirs)
    for _ in range(2):
        await changes.record(NB, their)
    assert [entry["id"] for entry in await logged(files.open())] == ["b0", "t1"], "once"
    for name in ("s1", "s2"):  # the first answer may be lost
        answer = await changes.record(NB, batch(name, saved=True, seen=seen, **ours))
        assert answer.changed_by_others == ["aa", "bb"]
    answer = await changes.record(NB, batch("s3", saved=True, seen=answer.seq, **ours))
    assert answer.changed_by_others is None
    assert (await logged(files.open()))[-1].get("saved") is True


@in_loop
async def test_a_save_over_another_pages_records_is_no_moment_until_it_is_answered(
    local_backend: Backend,
) -> None:
    """P26: the records of a save match the file, also after a restart."""
    first = ChangeRecorder(local_backend.open())
    ours, theirs = {"page": "ours"}, {"page": "theirs"}
    begin = batch("b1", CellChange(A, [edit("e1", "x = 1", "first")]), **ours)
    seen = (await first.record(NB, begin)).seq
    their = CellChange(A, [edit("e2", "x = 2")])
    other = await first.record(NB, batch("b2", their, order=[("aa", "code")], saved=True, **theirs))
    assert other.changed_by_others is None

    again = ChangeRecorder(local_backend.open())
    mine = CellChange(B, [edit("e3", "y = 1")])
    save = batch("b3", mine, saved=True, seen=seen, **ours)
    for _ in range(2):  # the first answer may be lost
        answer = await again.record(NB, save)
        assert answer.changed_by_others == ["aa"]
    observed = event("edit", source="x = 1", data={"trigger": "save", "again": True}, id="e4")
    reply = batch("b4", CellChange(A, [observed]), saved=True, seen=answer.seq, **ours)
    answer = await again.record(NB, reply)
    assert answer.changed_by_others is None
    log = [entry for entry in await logged(local_backend.open()) if entry["type"] == "changed"]
    assert [(entry["id"], entry.get("saved", False)) for entry in log] == [
        ("b1", False),
        ("b2", True),
        ("b3", False),
        ("b4", True),
    ]

    # Saving again without changes writes nothing.
    before = await logged(local_backend.open())
    for name in ("b5", "b6"):
        answer = await again.record(NB, batch(name, saved=True, seen=answer.seq, **ours))
        assert answer.changed_by_others is None
    assert await logged(local_backend.open()) == before
    session = await local_backend.open().load_session(A)
    assert [e.source for e in session.events or []] == ["x = 1", "x = 2", "x = 1"]


@in_loop
async def test_a_repeated_observation_is_recorded_if_it_is_new(local_backend: Backend) -> None:
    changes = ChangeRecorder(local_backend.open())
    for number, source in enumerate(["x = 1", "x = 1", "x = 2"]):
        observed = event("edit", source=source, data={"again": True}, id=f"e{number}")
        await changes.record(NB, batch(f"b{number}", CellChange(A, [observed])))
    session = await local_backend.open().load_session(A)
    assert [e.source for e in session.events or []] == ["x = 1", "x = 2"]


@in_loop
async def test_other_line_breaks_are_no_change(local_backend: Backend) -> None:
    """P40: earlier versions and other programs recorded the line breaks of Windows, too."""
    changes = ChangeRecorder(local_backend.open())
    for number, source in enumerate(["x\r\ny\rz", "x\ny\nz"]):
        observed = event("edit", source=source, data={"trigger": "first"}, id=f"e{number}")
        await changes.record(NB, batch(f"b{number}", CellChange(A, [observed])))
    session = await local_backend.open().load_session(A)
    assert [e.source for e in session.events or []] == ["x\r\ny\rz"]
