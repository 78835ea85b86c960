"""``get_history``, which returns the past turns for a prompt."""

from __future__ import annotations

from typing import Any

from ...sessions.base import SessionManager
from ..records import KEY, event, in_loop, turn


@in_loop
async def test_history_begins_after_a_context_reset(store: SessionManager) -> None:
    await store.save_interaction(KEY, turn("one"))
    await store.record_events(KEY, [event("context_reset")])
    for intent in ("two", "three", "four"):
        await store.save_interaction(KEY, turn(intent))
    history = await store.get_history(KEY)
    assert [t.user_request.intent for t in history] == ["two", "three", "four"]
    assert await store.get_history(KEY, max_messages=0) == []
    assert len((await store.load_session(KEY)).interactions) == 4, "turns were deleted"


@in_loop
async def test_history_is_the_newest_turns_that_fit(store: SessionManager) -> None:
    for intent in ("一", "二二", "三三三"):
        await store.save_interaction(KEY, turn(intent, code=""))

    async def intents(**bounds: Any) -> list[str]:
        turns = await store.get_history(KEY, **bounds)
        return [t.user_request.intent for t in turns]

    assert await intents() == ["一", "二二", "三三三"]
    # A turn has two messages: the request and the answer.
    assert await intents(max_messages=5) == ["二二", "三三三"], "a turn was split"
    assert await intents(max_messages=99) == ["一", "二二", "三三三"]
    assert await intents(max_tokens=4, count_tokens=len) == ["三三三"]
    assert await intents(max_tokens=5, count_tokens=len) == ["二二", "三三三"]
    assert await intents(max_messages=2, max_tokens=5, count_tokens=len) == ["三三三"]
    assert await intents(max_tokens=2, count_tokens=len) == [], "an older turn was returned instead"
    assert await intents(max_tokens=12) == ["一", "二二", "三三三"], (
        "a Chinese character is counted like a Latin letter"
    )
    assert await intents(max_tokens=8) == ["二二", "三三三"]
