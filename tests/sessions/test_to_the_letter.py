"""Copied and extended sessions are read again exactly (P25)."""

from __future__ import annotations

import asyncio
import json
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from aiserver.models import NewEvent, NewTurn, Session, SessionKey
from aiserver.sessions.base import SessionManager
from aiserver.sessions.record import codec
from aiserver.sessions.record.mutations import append_events, append_turn, set_owner, summarise
from aiserver.testing import Backend
from aiserver.testing.records import fresh_key

from ..examples import examples
from .strategies import events, sessions, turns

KEY = SessionKey("notebook", "cell")
owners = st.sampled_from(["", "ada", "\0", "\ud83d", "名" * 500, "a:b", "a%3Ab", "*[?]"])
growth = st.lists(turns() | st.lists(events(), max_size=3), max_size=4)


@settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
    deadline=None,
    max_examples=examples(80),
    derandomize=True,
)
@given(session=sessions(KEY), owner=owners, more=growth)
def test_an_exact_copy(backend: Backend, session: Session, owner: str, more: list[Any]) -> None:
    """P25, P27: a copy is identical, and stays equal while both grow, with counters and history."""
    asyncio.run(_copied_and_grown(backend.open(), session, owner, more))


async def _copied_and_grown(
    store: SessionManager, session: Session, owner: str, more: list[Any]
) -> None:
    key = SessionKey(KEY.notebook_id, fresh_key().cell_id, owner)
    assert await store.merge_copy(key, session)
    session.meta.cell_id = key.cell_id
    set_owner(session, owner)
    await _is(store, key, session)
    for addition in more:
        if isinstance(addition, dict):
            turn = NewTurn.model_validate(addition)
            saved = append_turn(session, turn)
            assert await store.save_interaction(key, turn) == (saved, session.revision)
        else:
            new = [NewEvent.model_validate(event) for event in addition]
            expected_events = append_events(session, new)
            assert await store.record_events(key, new) == (expected_events, session.revision)
        stored = await store.load_session(key)
        session.meta.last_updated = stored.meta.last_updated
    await _is(store, key, session)
    assert not await store.merge_copy(key, session)


async def _is(store: SessionManager, key: SessionKey, session: Session) -> None:
    stored = await store.load_session(key)
    assert codec.encode(stored) == codec.encode(session)
    raw, revision = await store.load_raw(key) or (b"", 0)
    assert (json.loads(raw), revision) == (session.to_dict(), session.revision)
    assert raw == codec.encode(session)
    turns = session.history()
    assert await store.get_history(key) == turns
    assert await store.get_history(key, max_messages=0) == []
    assert await store.get_history(key, max_messages=5) == turns[-2:]
    assert await store.get_history(key, max_tokens=10**9) == turns
    rows, _ = await store.list_sessions(key.notebook_id, owner=key.owner)
    [row] = [row for row in rows if row.cell_id == key.cell_id]
    assert row == summarise(session)
