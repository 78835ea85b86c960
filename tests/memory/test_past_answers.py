"""Accepted answers to similar requests in other notebooks: only clean and only the person's own."""

from __future__ import annotations

from typing import Any

import pytest

from aiserver.models import Contributor, NewEvent, NewTurn, SessionKey
from aiserver.plugins.memory import past_answers
from aiserver.plugins.memory.past_answers import PastAnswer, find_past_answer
from aiserver.plugins.search import Hit, SearchEngine, SearchResult
from aiserver.prompts.language import cell_language
from aiserver.sessions.memory import InMemorySessionManager
from aiserver.testing.records import event, in_loop, turn

from ..search.test_engine import InThread

PYTHON = cell_language("python")
CODE = "df.groupby('city')['price'].mean().plot.bar()"
INTENT = "bar plot of the mean price by city"
ACCEPT = event("accept", turn_id=1, source=CODE)
RUN = event("run", source=CODE, data={"status": "ok"})
FAILED = event("run", source=CODE, data={"status": "error", "ename": "KeyError"})
ABORTED = event("run", source=CODE, data={"status": "aborted"})
EDIT = event("edit", source=f"{CODE}\n", data={"trigger": "run"})
REJECT = event("reject", turn_id=1)
# After a run in between, the acceptance is a step of its own.
LATE = (event("run", source="", data={"status": "ok"}), ACCEPT)


async def answer_to(
    intent: str,
    *events: NewEvent,
    notebook: str = "other",
    owner: str = "",
    owner_name: str = "",
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
    return await found_in(store, intent, owner_name)


async def found_in(
    store: InMemorySessionManager, intent: str = INTENT, owner_name: str = ""
) -> PastAnswer | None:
    engine = SearchEngine(store, process=InThread())
    try:
        return await find_past_answer(
            engine, store, intent, PYTHON, owner_name=owner_name, except_notebook_id="here"
        )
    finally:
        await engine.close()


async def save(store: InMemorySessionManager, notebook: str, cell: str, *records: Any) -> None:
    """Save turns and events of a cell, in their order."""
    key = SessionKey(notebook, cell)
    for record in records:
        if isinstance(record, NewTurn):
            await store.save_interaction(key, record)
        else:
            await store.record_events(key, (record,))


@pytest.mark.parametrize(
    "events",
    [
        (ACCEPT,),
        (ACCEPT, RUN),
        (ACCEPT, RUN, FAILED),  # such as after a restart of the kernel
        (ACCEPT, ABORTED, RUN),
        (ACCEPT, event("edit", source=CODE, data={"trigger": "first"})),
        LATE,
        (*LATE, RUN),
    ],
)
@in_loop
async def test_an_accepted_answer_is_offered(events):
    answer = await answer_to("plot mean price by city as bars", *events)
    assert answer and (answer.notebook_id, answer.cell_id, answer.turn_id) == ("other", "c1", 1)
    assert (answer.intent, answer.code) == (INTENT, CODE)


def accept(source: str, **data: Any) -> NewEvent:
    return event("accept", turn_id=1, source=source, data=data or None)


FIRST = "df.groupby('city')['price']"
HUNKS = {"accepted": 1, "of": 2}


@pytest.mark.parametrize(
    "events",
    [
        (),
        (REJECT,),
        (ACCEPT, FAILED),
        (ACCEPT, ABORTED, FAILED),
        (ACCEPT, EDIT),
        (ACCEPT, RUN, EDIT),
        (ACCEPT, RUN, EDIT, event("run", source=f"{CODE}\n", data={"status": "error"})),
        (ACCEPT, RUN, event("run", source=f"{CODE}\n", data={"status": "ok"})),
        (ACCEPT, RUN, event("edit", data={"too_long": 9_000_000})),
        (ACCEPT, RUN, event("restore", source="x = 0")),
        (*LATE, EDIT),
        (*LATE, FAILED),
        (*LATE, RUN, EDIT),
        (LATE[0], accept(f"{CODE}\n")),  # edited before it was accepted
        (accept(FIRST, hunks=HUNKS),),
        (accept(FIRST, part=True, hunks=HUNKS), REJECT),
        (accept(FIRST, part=True, hunks=HUNKS), accept(CODE, hunks={"accepted": 2, "of": 2})),
        (LATE[0], accept(FIRST, part=True, hunks=HUNKS), REJECT),
    ],
)
@in_loop
async def test_answers_that_are_not_clean_are_left_out(events):
    assert await answer_to(INTENT, *events) is None


@in_loop
async def test_answers_that_failed_are_left_out():
    assert await answer_to(INTENT, status="error") is None


@in_loop
async def test_proposals_of_agents_are_left_out():
    agent = Contributor(kind="agent", name="Codex")
    assert await answer_to(INTENT, ACCEPT, mode="agent", contributor=agent) is None


@in_loop
async def test_edits_of_the_next_answer_do_not_count():
    store = InMemorySessionManager()
    other = turn("sort the bars", "df.sort()")
    other.user_request.current_code = CODE
    accepted = event("accept", turn_id=2, source="df.sort()")
    edit = event("edit", source="df.sort(1)")
    await save(store, "other", "c1", turn(INTENT, CODE), ACCEPT, RUN, other, accepted, edit)
    answer = await found_in(store)
    assert answer and (answer.turn_id, answer.code) == (1, CODE)


@in_loop
async def test_an_answer_that_was_replaced_by_an_older_one_is_left_out():
    store = InMemorySessionManager()
    older = turn("sort the rows", "df.sort()")
    newer = event("accept", turn_id=2, source=CODE)
    again = event("accept", turn_id=1, source="df.sort()")
    await save(store, "other", "c1", older, turn(INTENT, CODE), newer, again)
    assert await found_in(store) is None


@in_loop
async def test_requests_of_other_users_are_left_out():
    assert await answer_to(INTENT, ACCEPT, RUN, user="ben", owner_name="anna") is None
    assert await answer_to(INTENT, ACCEPT, RUN, user="anna", owner_name="anna")
    assert await answer_to(INTENT, ACCEPT, RUN, owner_name="anna")
    assert await answer_to(INTENT, ACCEPT, RUN, user="ben")


@in_loop
async def test_similar_requests_in_the_present_notebook_hide_no_others():
    store = InMemorySessionManager()
    for number in range(100):
        await save(store, "here", f"c{number}", turn(INTENT, CODE), ACCEPT)
    await save(store, "other", "c1", turn("bar plot of the mean price", CODE), ACCEPT)
    answer = await found_in(store)
    assert answer and answer.notebook_id == "other"


@in_loop
async def test_a_limited_number_of_answers_that_are_not_clean_is_skipped(monkeypatch):
    monkeypatch.setattr(past_answers, "is_installed", lambda: False)
    store = InMemorySessionManager()
    for number in range(20):
        await save(store, "third", f"c{number}", turn(INTENT, CODE))
    await save(store, "other", "c1", turn("bar plot of the mean price", CODE), ACCEPT)
    assert await found_in(store)
    monkeypatch.setattr(past_answers, "_PAGES", ((0, 16),))
    assert await found_in(store) is None


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
    time = "2026-01-01T00:00:00.000Z"
    hit = Hit("other", "c1", 1, 1, 0, time, "model", None, INTENT, "intent", [], 0.9)

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
