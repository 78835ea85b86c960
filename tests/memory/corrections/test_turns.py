"""The code that a person made of an accepted suggestion: only the person's own changes count."""

from __future__ import annotations

from typing import Any

import pytest

from aiserver.memory.corrections.turns import CorrectedTurn, corrected_turns
from aiserver.models import NewEvent, NewTurn, SessionKey
from aiserver.sessions.memory import InMemorySessionManager
from aiserver.testing.records import event, in_loop, turn

PLOT, SEABORN, MORE = "df.plot()", "sns.lineplot(df)", "sns.lineplot(df)\nplt.show()"
ACCEPT = event("accept", turn_id=1, source=PLOT)
RUN = event("run", source=SEABORN, data={"status": "ok"})


def edit(source: str, **fields: Any) -> NewEvent:
    return event("edit", source=source, data=fields.pop("data", {"trigger": "save"}), **fields)


def asked(intent: str, code: str, source: str, language: str = "python") -> NewTurn:
    """Return a turn whose request was sent with the source of the cell."""
    new = turn(intent, code)
    new.user_request.current_code, new.user_request.language = source, language
    return new


async def turns_of(
    *records: Any, asked_by: str = "", person: str = "", **more: Any
) -> list[CorrectedTurn]:
    """Store a turn, then events and further turns, and return what is compared."""
    store, key = InMemorySessionManager(), SessionKey("nb", "c1")
    await store.save_interaction(key, turn("plot it", PLOT, user=asked_by or None, **more))
    for record in records:
        if isinstance(record, NewEvent):
            await store.record_events(key, [record])
        else:
            await store.save_interaction(key, record)
    return corrected_turns(await store.load_session(key), person)


async def code_of(*records: Any, **more: Any) -> str | None:
    """Return the person's code of the first turn; None if the turn is left out."""
    turns = await turns_of(*records, **more)
    return turns[0].code if turns and turns[0].turn_id == 1 else None


@in_loop
async def test_edits_by_the_person_count_until_something_else_changes_the_cell():
    [corrected] = await turns_of(ACCEPT, edit(SEABORN))
    assert (corrected.turn_id, corrected.suggestion, corrected.code) == (1, PLOT, SEABORN)
    assert corrected.at > 1_600_000_000
    assert await code_of(ACCEPT, edit(SEABORN), RUN, edit(MORE)) == MORE
    assert await code_of(ACCEPT, edit(SEABORN), edit(PLOT)) == PLOT, "taken back"
    assert await code_of(event("accept", turn_id=1, source=SEABORN)) == SEABORN, "edited before"
    assert await code_of(ACCEPT) == PLOT
    assert await code_of(ACCEPT, edit(SEABORN), asked("explain", "", SEABORN), edit(MORE)) == MORE
    second = asked("add a title", "sns.lineplot(df, title=1)", SEABORN)
    accepted = event("accept", turn_id=2, source="sns.lineplot(df, title=1)")
    assert await code_of(ACCEPT, edit(SEABORN), second, accepted, edit("x")) == SEABORN


@in_loop
async def test_changes_by_others_end_it():
    for contributor in (
        {"kind": "program", "name": "black"},
        {"kind": "agent", "name": "mcp"},
        {"kind": "model"},
        {"kind": "unknown"},
        {"kind": "person", "name": "Bob"},
    ):
        changed = edit(SEABORN, contributor=contributor)
        assert await code_of(ACCEPT, changed) == PLOT
        assert await code_of(ACCEPT, changed, edit(MORE)) == PLOT
    assert await code_of(ACCEPT, event("restore", source=SEABORN)) == PLOT
    assert await code_of(ACCEPT, event("run", source=SEABORN, data={"status": "ok"})) == PLOT, (
        "nobody knows who changed it"
    )


@in_loop
async def test_corrections_by_ai_server_are_not_the_persons():
    corrected = "df.plot(x=1)"
    data = {"corrections": [{"kind": "keyword"}], "corrected": corrected}
    [result] = await turns_of(event("accept", turn_id=1, source=SEABORN, data=data))
    assert (result.suggestion, result.code) == (corrected, SEABORN)


@in_loop
async def test_other_turns_are_left_out():
    assert await turns_of() == []
    assert await turns_of(event("reject", turn_id=1)) == []
    hunks = {"hunks": {"accepted": 1, "of": 2}}
    assert await turns_of(event("accept", turn_id=1, source=SEABORN, data=hunks)) == []
    part = {"part": True, **hunks}
    partial = event("accept", turn_id=1, source=SEABORN, data=part)
    last = event("accept", turn_id=1, source=MORE, data=hunks)
    assert await turns_of(partial, last) == []
    other = asked("plot", "plot(df)", PLOT, "r")
    accept = event("accept", turn_id=2, source="plot(df)")
    assert [item.turn_id for item in await turns_of(ACCEPT, other, accept)] == [1]


@in_loop
@pytest.mark.parametrize(
    ("asked_by", "person", "count"),
    [("", "", 1), ("", "ada", 1), ("ada", "ada", 1), ("bob", "ada", 0), ("bob", "", 0)],
)
async def test_requests_of_other_people_are_left_out(asked_by: str, person: str, count: int):
    """Also on a server without an owner, where the person may have no name."""
    turns = await turns_of(ACCEPT, edit(SEABORN), asked_by=asked_by, person=person)
    assert len(turns) == count
