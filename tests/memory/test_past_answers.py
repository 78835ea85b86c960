"""Accepted answers to similar requests in other notebooks: only clean and only the person's own."""

from __future__ import annotations

from typing import Any

import pytest

from aiserver.memory import past_answers
from aiserver.memory.past_answers import PastAnswer, find_past_answer
from aiserver.models import NewEvent, SessionKey
from aiserver.prompts.language import cell_language
from aiserver.search import Hit, SearchEngine, SearchResult
from aiserver.sessions.memory import InMemorySessionManager
from aiserver.testing.records import event, in_loop, turn

from ..search.test_engine import InThread

PYTHON = cell_language("python")
CODE = "df.groupby('city')['price'].mean().plot.bar()"
INTENT = "bar plot of the mean price by city"
ACCEPT = event("accept", turn_id=1, source=CODE)
RUN = event("run", source=CODE, data={"status": "ok"})
FAILED = event("run", source=CODE, data={"status": "error", "ename": "KeyError"})


async def answer_to(
    intent: str,
    *events: NewEvent,
    notebook: str = "other",
    owner: str = "",
    language: str = "python",
    **more: Any,
) -> PastAnswer | None:
    """Store one turn with its events, and return the past answer to another request."""
    store = InMemorySessionManager()
    key = SessionKey(notebook, "c1", owner)
    stored = turn(more.pop("asked", INTENT), CODE, **more)
    stored.user_request.language = language
    await store.save_interaction(key, stored)
    if events:
        await store.record_events(key, events)
    engine = SearchEngine(store, process=InThread())
    try:
        return await find_past_answer(engine, store, intent, PYTHON, except_notebook_id="here")
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


@pytest.mark.parametrize(
    ("asked", "intent"),
    [
        ("/visualise 画出各城市的平均价格", "画出每个城市的平均价格"),
        ("Plot the MEAN price by city.", "plot mean price, city"),
    ],
)
@in_loop
async def test_slash_words_case_and_marks_make_no_difference(asked, intent):
    assert await answer_to(intent, ACCEPT, asked=asked, mode="visualise")


@pytest.mark.parametrize("package", [True, False])
@in_loop
async def test_without_similar_words_only_a_similar_meaning_counts(monkeypatch, package):
    """Without the package for embeddings, other words in the code don't make a request similar."""
    monkeypatch.setattr(past_answers, "is_installed", lambda: package)
    hit = Hit("other", "c1", 1, 1, 0, "2026-01-01T00:00:00.000Z", None, INTENT, "intent", [], 0.9)

    class ByMeaning(SearchEngine):
        async def search(self, query, *, by="words", **options):
            return SearchResult([hit] if by in ("meaning", "words") else [], 1)

    store = InMemorySessionManager()
    key = SessionKey("other", "c1")
    await store.save_interaction(key, turn(INTENT, CODE))
    await store.record_events(key, (ACCEPT,))
    answer = await find_past_answer(ByMeaning(store), store, "towns and what they cost", PYTHON)
    assert (answer is not None) == package


@in_loop
async def test_answers_in_another_language_are_left_out():
    assert await answer_to(INTENT, ACCEPT, language="R") is None
    assert await answer_to(INTENT, ACCEPT, language="ipython")
