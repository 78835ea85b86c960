"""Events, and the order of turns and events."""

from __future__ import annotations

from typing import Any

import pytest

from ...models import CONDENSED_TURNS, Session, SessionKey
from ...sessions.base import SessionManager
from ...sessions.record import mutations
from ..backend import Backend
from ..records import KEY, event, in_loop, turn


@in_loop
async def test_turns_and_events_share_one_order(store: SessionManager) -> None:
    """P26: turns and events are numbered together, in the order in which they were saved."""
    await store.save_interaction(KEY, turn("one"))
    saved, revision = await store.record_events(KEY, [event("accept", turn_id=1), event("run")])
    assert [e.seq for e in saved] == [2, 3]
    assert revision == 2, "the two events were written one by one"
    await store.save_interaction(KEY, turn("two"))
    session = await store.load_session(KEY)
    order = [getattr(record, "type", None) or record.turn_id for record in session.ordered()]
    assert order == [1, "accept", "run", 2]


@in_loop
async def test_no_events_write_nothing(store: SessionManager) -> None:
    assert await store.record_events(KEY, []) == ([], 0)
    assert not await store.exists(KEY)
    await store.save_interaction(KEY, turn())
    assert await store.record_events(KEY, []) == ([], 1)


@in_loop
async def test_an_event_that_is_sent_again_is_stored_once(backend: Backend) -> None:
    """P36: an event is stored once, even if it is sent again after a restart of the server.

    A client that got no response sends its events again.
    """
    ids = ["7d2f0c1e-52b8-4c0a-9d6b-0f7a3a5f6c01", "7d2f0c1e-52b8-4c0a-9d6b-0f7a3a5f6c02"]
    first, revision = await backend.open().record_events(KEY, [event("accept", id=ids[0])])
    store = backend.open()
    again, unchanged = await store.record_events(KEY, [event("accept", id=ids[0])])
    assert (again, unchanged) == (first, revision)
    both = [event("accept", id=ids[0]), event("edit", id=ids[1]), event("edit", id=ids[1])]
    saved, _ = await store.record_events(KEY, both)
    assert [e.seq for e in saved] == [1, 2, 2]
    # Events without ids are stored each time that they are sent.
    await store.record_events(KEY, [event("run"), event("run")])
    events = (await store.load_session(KEY)).events or []
    assert [(e.seq, e.id) for e in events] == [(1, ids[0]), (2, ids[1]), (3, None), (4, None)]
    other = SessionKey("notebook", "other")
    same_id, _ = await store.record_events(other, [event("accept", id=ids[0])])
    assert same_id[0].seq == 1, "ids of events are not separate for each session"


@in_loop
async def test_a_summary_of_older_turns_is_stored_like_any_event(backend: Backend) -> None:
    """P16: the data of the event is stored completely, without secrets, and no turn changes."""
    for intent in ("one", "two"):
        await backend.open().save_interaction(KEY, turn(intent))
    before = (await backend.open().load_session(KEY)).interactions
    key = "sk-proj-Ab3dE6gH9jK2mN5pQ8sT1vW4"
    data = {
        "text": f"- 两位小数\n- with {key}",
        "turns": 2,
        "last": "0123456789abcdef",
        "covers": "fedcba9876543210",
        "usage": {"input_tokens": 12, "output_tokens": 3},
        "cost": 0.000012,
    }
    model = {"kind": "model", "name": "openai:gpt-4.1-mini"}
    store = backend.open()
    [saved], revision = await store.record_events(
        KEY, [event(CONDENSED_TURNS, data=data, contributor=model)], if_revision=2
    )
    assert (saved.seq, revision) == (3, 3)
    session = await backend.open().load_session(KEY)
    [stored] = session.events or []
    assert stored.to_dict() == saved.to_dict()
    assert stored.data == data | {"text": "- 两位小数\n- with ‹redacted:openai-key›"}
    assert stored.contributor is not None and stored.contributor.to_dict() == model
    assert session.interactions == before == await backend.open().get_history(KEY)


@in_loop
async def test_the_first_of_several_events_with_the_same_id_counts(
    backend: Backend, example: dict[str, Any]
) -> None:
    """P27: of several events with the same id, ``record_events`` returns the first.

    A merged session may contain such events.
    """
    example["events"] = [
        event(id="one", x_which=which).to_dict() | {"seq": seq}
        for seq, which in ((10, "first"), (11, "second"))
    ]
    assert await backend.open().merge_copy(KEY, Session.model_validate(example))
    for _ in range(2):
        [saved], _ = await backend.open().record_events(KEY, [event(id="one")])
        assert saved.to_dict()["x_which"] == "first"


@in_loop
async def test_order_does_not_come_from_clocks(
    backend: Backend, monkeypatch: pytest.MonkeyPatch
) -> None:
    """P26: turns and events are in the order in which they were saved, whatever their times are."""
    days = ["2026-01-28", "2026-01-26", "2026-01-27", "2026-01-25", "2026-01-29"]
    for number, day in enumerate(days):
        now = f"{day}T12:00:00.000Z"
        monkeypatch.setattr(mutations, "utc_now", lambda now=now: now)
        await backend.open().save_interaction(KEY, turn(str(number), timestamp=now))
        await backend.open().record_events(KEY, [event("run", timestamp=now)])
    session = await backend.open().load_session(KEY)
    assert [record.seq for record in session.ordered()] == list(range(1, 11))
    history = await backend.open().get_history(KEY, max_messages=6)
    assert [t.user_request.intent for t in history] == ["2", "3", "4"]
    [row], _ = await backend.open().list_sessions()
    assert (row.last_intent, row.revision) == ("4", 10)
    await backend.open().record_events(
        KEY, [event("context_reset", timestamp="1999-01-01T00:00:00.000Z")]
    )
    assert await backend.open().get_history(KEY) == []
