"""Lists of sessions, and the marks that change with each write to a session."""

from __future__ import annotations

from collections.abc import Hashable

import pytest

from ...errors import InvalidRequest
from ...models import SessionKey
from ...sessions.base import SessionManager
from ...sessions.record import codec
from ..records import KEY, event, in_loop, turn


@in_loop
async def test_lists_are_ordered_and_paged(store: SessionManager) -> None:
    keys = [SessionKey(n, c) for n in ("B", "a", "a_b") for c in ("z", "Z", "_", "0", "c_d")]
    for key in reversed(keys):
        await store.save_interaction(key, turn(f"for {key.cell_id}", code="a\n" * 30))
    await store.save_interaction(SessionKey("a", "z", owner="somebody else"), turn())

    rows, total = await store.list_sessions()
    assert [(r.notebook_id, r.cell_id) for r in rows] == sorted(
        (k.notebook_id, k.cell_id) for k in keys
    )
    assert total == len(keys)
    assert await store.list_sessions(offset=3, limit=4) == (rows[3:7], total)
    assert await store.list_sessions(offset=99) == ([], total)

    rows, total = await store.list_sessions("a", limit=2)
    assert ([r.cell_id for r in rows], total) == (["0", "Z"], 5)
    assert (rows[0].last_intent, rows[0].last_status) == ("for 0", "success")
    assert rows[0].last_source.startswith("a\na\n")
    assert len(rows[0].last_source) < 40, "the source is not shortened"
    with pytest.raises(InvalidRequest):
        await store.list_sessions("../a")


@in_loop
async def test_a_list_follows_every_write(store: SessionManager) -> None:
    for count in range(1, 6):
        await store.save_interaction(KEY, turn(f"turn {count}"))
        [row], _ = await store.list_sessions(KEY.notebook_id)
        assert (row.turns, row.last_intent, row.revision) == (count, f"turn {count}", count)
    await store.record_events(KEY, [event("edit", source="by hand\n")])
    [row], _ = await store.list_sessions(KEY.notebook_id)
    assert (row.events, row.last_source) == (1, "by hand\n")
    await store.delete(KEY)
    assert await store.list_sessions(KEY.notebook_id) == ([], 0)


@in_loop
async def test_marks_change_with_their_sessions(store: SessionManager) -> None:
    keys = [SessionKey("a", "1"), SessionKey("a", "Two_2"), SessionKey("b", "1")]
    for key in keys:
        await store.save_interaction(key, turn())
    cells = [(key.notebook_id, key.cell_id) for key in keys]

    async def stable_marks() -> dict[tuple[str, str], Hashable]:
        """Read the marks until two reads are equal, and return them.

        Shortly after a write to a file, the file store returns a different mark at each read.
        """
        before: dict[tuple[str, str], Hashable] = {}
        while (now := dict(await store.session_marks())) != before:
            before = now
        return now

    first = await stable_marks()
    assert first.keys() == set(cells)
    assert dict(await store.session_marks("a")).keys() == set(cells[:2])
    assert await store.session_marks("nothing") == {}
    assert await store.session_marks(owner="somebody") == {}
    with pytest.raises(InvalidRequest):
        await store.session_marks("../a")
    await store.record_events(keys[1], [event("run")])
    second = dict(await store.session_marks())
    assert {cell for cell in cells if second[cell] != first[cell]} == {cells[1]}
    await store.delete(keys[0])
    assert (await store.session_marks()).keys() == set(cells[1:])
    stored = await store.load_raw_batch(keys)
    assert stored[0] is None
    assert [codec.parse(data or b"") for data in stored[1:]] == [
        await store.load_session(key) for key in keys[1:]
    ]
