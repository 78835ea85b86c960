"""Accepted answers to similar requests in other notebooks: only clean and only the person's own."""

from __future__ import annotations

from typing import Any

from aiserver.memory.past_answers import PastAnswer, find_past_answer
from aiserver.models import NewEvent, SessionKey
from aiserver.search import SearchEngine
from aiserver.sessions.memory import InMemorySessionManager
from aiserver.testing.records import event, in_loop, turn

from ..search.test_engine import InThread

CODE = "df.groupby('city')['price'].mean().plot.bar()"
INTENT = "bar plot of the mean price by city"
ACCEPT = event("accept", turn_id=1, source=CODE)
RUN = event("run", source=CODE, data={"status": "ok"})
FAILED = event("run", source=CODE, data={"status": "error", "ename": "KeyError"})


async def answer_to(
    intent: str, *events: NewEvent, notebook: str = "other", owner: str = "", **more: Any
) -> PastAnswer | None:
    """Store one turn with its events, and return the past answer to another request."""
    store = InMemorySessionManager()
    key = SessionKey(notebook, "c1", owner)
    await store.save_interaction(key, turn(INTENT, CODE, **more))
    if events:
        await store.record_events(key, events)
    engine = SearchEngine(store, process=InThread())
    try:
        return await find_past_answer(engine, store, intent, except_notebook_id="here")
    finally:
        await engine.close()


@in_loop
async def test_an_accepted_answer_is_offered():
    for events in ((ACCEPT,), (ACCEPT, RUN)):
        answer = await answer_to("plot mean price by city as bars", *events)
        assert answer and (answer.notebook_id, answer.cell_id, answer.turn_id) == ("other", "c1", 1)
        assert (answer.intent, answer.code) == (INTENT, CODE)


@in_loop
async def test_answers_that_are_not_clean_are_left_out():
    edit = event("edit", source=f"{CODE}\n", data={"trigger": "run"})
    reject = event("reject", turn_id=1)
    for events in ((), (reject,), (ACCEPT, FAILED), (ACCEPT, edit)):
        assert await answer_to(INTENT, *events) is None
    assert await answer_to(INTENT, status="error") is None


@in_loop
async def test_other_requests_and_other_people_are_left_out():
    assert await answer_to("load the file customers.csv", ACCEPT, RUN) is None
    assert await answer_to(INTENT, ACCEPT, RUN, notebook="here") is None
    assert await answer_to(INTENT, ACCEPT, RUN, owner="somebody") is None
