"""A summary is used only for requests to which all turns that it covers belong."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aiserver.generation.condense import REACH, Plan, plan_summary
from aiserver.generation.condensed_turns import CondensedTurns, newest_valid, to_event
from aiserver.generation.past_turns import HISTORY_TURNS, PastTurns, conversation, load_past_turns
from aiserver.models import Event, NewEvent, NewTurn, SessionKey, new_session
from aiserver.prompts.receipt import ContextItem
from aiserver.sessions.memory import InMemorySessionManager
from aiserver.sessions.record.git_merge import merge_branch
from aiserver.sessions.record.mutations import append_events, append_turn

from .test_past_turns import History, key

NOW = "2026-01-27T10:00:00.000Z"
KEY = SessionKey("nb", "c1")


def new_turn(intent: str, parent: int | None = None, **answer: Any) -> NewTurn:
    fields: dict[str, Any] = {
        "timestamp": NOW,
        "user_request": {"intent": intent, "current_code": ""},
        "ai_response": {"suggestion": intent, "status": "success"} | answer,
    }
    return NewTurn.model_validate(fields | ({"parent_turn_id": parent} if parent else {}))


def reset() -> NewEvent:
    return NewEvent(type="context_reset", timestamp=NOW)


def contents(turns: Any) -> list[str]:
    return [turn.user_request.intent for turn in turns]


def contains(outer: list[str], inner: list[str]) -> bool:
    size = len(inner)
    return any(outer[i : i + size] == inner for i in range(len(outer) - size + 1))


# Few different texts, so that different branches often contain equal turns.
TURN = st.tuples(st.just("turn"), st.sampled_from("abc"), st.none() | st.integers(1, 12))
RESET = st.tuples(st.just("reset"), st.just(""), st.none())
SUMMARY = st.tuples(
    st.just("summary"),
    st.tuples(st.integers(0, 9), st.integers(1, 9)),
    st.none() | st.integers(1, 12),
)
STEPS = st.lists(TURN | TURN | TURN | SUMMARY | RESET, max_size=30)


@given(STEPS, st.none() | st.integers(1, 12))
def test_a_summary_contains_only_past_turns_of_the_request(
    steps: list[Any], parent: int | None
) -> None:
    """For any tree of turns, with branches, new conversations and summaries of any of them."""
    session = new_session(KEY)
    for kind, value, other in steps:
        existing = {turn.turn_id for turn in session.interactions}
        if kind == "turn":
            append_turn(session, new_turn(value, other if other in existing else None))
        elif kind == "reset":
            append_events(session, [reset()])
        elif turns := conversation(session, other):
            start = value[0] % len(turns)
            end = min(start + value[1], len(turns))
            text = json.dumps(contents(turns[start:end]))
            append_events(session, [to_event(CondensedTurns(text, start, end), turns, "a:b")])
    past = conversation(session, parent)
    condensed = newest_valid(session.events or [], past)
    if condensed is not None:
        covered = json.loads(condensed.text)
        assert contains(contents(past), covered)
        assert contents(past)[condensed.start : condensed.end] == covered
    # Of all summaries, none that is valid and newer was passed over.
    texts = [
        (event.data or {})["text"]
        for event in reversed(session.events or [])
        if event.type == "condensed_turns"
    ]
    usable = [text for text in texts if contains(contents(past), json.loads(text))]
    assert (condensed.text if condensed else None) == (usable[0] if usable else None)


@pytest.mark.parametrize(
    "data",
    [
        {},
        {"text": 3},
        {"text": " "},
        {"text": "a", "turns": 0},
        {"text": "a", "turns": "2"},
        {"text": "a", "turns": 2, "last": ["x"]},
        {"text": "a", "turns": 99, "last": "LAST", "covers": "COVERS"},
        {"text": "a", "turns": 2, "last": "LAST", "covers": None},
    ],
)
def test_an_event_that_another_tool_has_written_is_ignored(data: dict[str, Any]) -> None:
    session = new_session(KEY)
    for intent in "abc":
        append_turn(session, new_turn(intent))
    turns = session.history()
    valid = to_event(CondensedTurns("valid", 0, 2), turns, "a:b")
    assert valid.data is not None
    real = {"LAST": valid.data["last"], "COVERS": valid.data["covers"]}
    odd = {
        name: real.get(value, value) if isinstance(value, str) else value
        for name, value in data.items()
    }
    append_events(session, [valid, NewEvent(type="condensed_turns", timestamp=NOW, data=odd)])
    condensed = newest_valid(session.events or [], turns)
    assert condensed == CondensedTurns("valid", 0, 2)


async def test_a_merge_of_branches_and_a_copy_change_nothing() -> None:
    """P39: the merge changes the numbers of turns, but the summary still covers the same turns."""
    ours, theirs = new_session(KEY), new_session(KEY)
    for intent in ("x", "y"):
        append_turn(ours, new_turn(intent))
    append_events(ours, [reset()])
    for intent in "abc":
        append_turn(theirs, new_turn(intent))
    turns = theirs.history()
    append_events(theirs, [to_event(CondensedTurns("a and b", 0, 2), turns, "a:b")])
    assert merge_branch(ours, theirs, "m1")
    merged = ours.history()
    assert [turn.turn_id for turn in merged] == [3, 4, 5]
    assert newest_valid(ours.events or [], merged) == CondensedTurns("a and b", 0, 2)
    store = InMemorySessionManager()
    await store.merge_copy(KEY, ours)
    await store.fork(KEY, SessionKey("nb", "copy"))
    past = await load_past_turns(store, SessionKey("nb", "copy"))
    assert past.condensed == CondensedTurns("a and b", 0, 2)


async def test_a_summary_can_cover_turns_of_merged_cells() -> None:
    history = History()
    await history.ask("a", "a1", "a2")
    await history.ask("b", "b1")
    await history.merge("m", "a", "b")
    await history.ask("m", "m1", "m2")
    past = await load_past_turns(history.store, key("m"))
    assert contents(past.all) == ["a1", "a2", "b1", "m1", "m2"]
    event = to_event(CondensedTurns("four", 0, 4), past.all, "a:b")
    await history.store.record_events(key("m"), [event])
    await history.ask("m", *(f"later {n}" for n in range(HISTORY_TURNS)))
    past = await load_past_turns(history.store, key("m"))
    assert past.condensed == CondensedTurns("four", 0, 4)
    assert contents(past.recent)[0] == "later 0"
    # The summary doesn't belong to the cells that were merged, or to a new conversation.
    assert (await load_past_turns(history.store, key("a"))).condensed is None
    await history.store.record_events(key("m"), [reset()])
    await history.ask("m", "afresh")
    assert (await load_past_turns(history.store, key("m"))).condensed is None


def past_of(count: int, condensed: CondensedTurns | None = None, **answer: Any) -> PastTurns:
    session = new_session(KEY)
    for number in range(count):
        append_turn(session, new_turn(f"w{number}", **answer))
    return PastTurns(session.history(), condensed)


def sent(*turn_ids: int, left_out: int = 0) -> list[ContextItem]:
    items = [ContextItem("turn", tokens=1, turn_ids=(id_,)) for id_ in turn_ids]
    more = ContextItem("turn", tokens=1, is_included=False, count=left_out)
    return [ContextItem("rules", tokens=9), *items, *([more] if left_out else [])]


def test_a_summary_covers_the_turns_left_out_and_half_of_the_others() -> None:
    # Of 10 turns, those with the ids 5 to 10 were sent.
    assert plan_summary(past_of(10), sent(5, 6, 7, 8, 9, 10, left_out=4)) == Plan("", 0, 0, 7)
    # All were sent, none were sent, or there were none.
    assert plan_summary(past_of(3), sent(1, 2, 3)) is None
    assert plan_summary(past_of(3), sent(left_out=3)) == Plan("", 0, 0, 3)
    assert plan_summary(PastTurns(), sent()) is None
    # A small model that explains code gets no turns, whether they would fit or not.
    assert plan_summary(past_of(3), sent()) is None


def test_a_further_summary_continues_the_previous_one() -> None:
    items = sent(8, 9, 10, left_out=7)
    previous = CondensedTurns("so far", 0, 4)
    assert plan_summary(past_of(10, previous), items) == Plan("so far", 0, 4, 8)
    assert plan_summary(past_of(10, CondensedTurns("so far", 0, 7)), items) is None
    assert plan_summary(past_of(10, CondensedTurns("so far", 0, 9)), items) is None


def test_failed_turns_need_no_summary() -> None:
    past = past_of(5, status="error")
    answered = past_of(10).all[5:]
    mixed = [*past.all, *answered]
    assert plan_summary(PastTurns(mixed), sent(6, 7, 8, 9, 10)) is None


def test_a_first_summary_of_a_very_long_history_begins_near_its_end() -> None:
    count = REACH + 500
    past = past_of(count)
    last = [turn.turn_id for turn in past.recent]
    first_sent = count - HISTORY_TURNS
    plan = plan_summary(past, sent(*last))
    assert plan == Plan("", first_sent - REACH, first_sent - REACH, first_sent + HISTORY_TURNS // 2)
    outdated = PastTurns(past.all, CondensedTurns("long ago", 0, 50))
    assert plan_summary(outdated, sent(*last)) == plan


def test_the_turn_that_was_sent_is_found_among_turns_with_equal_ids() -> None:
    """Turns of merged cells have ids of their own cells."""
    past = past_of(4)
    turns = [*past.all, *past.all]  # the ids 1 2 3 4 1 2 3 4
    assert plan_summary(PastTurns(turns), sent(4, 1, 2, 3, 4, left_out=3)) == Plan("", 0, 0, 5)


def test_events_with_the_same_summary_are_equal_for_each_store() -> None:
    """The event has no field that a store or a merge would change."""
    turns = past_of(3).all
    event = to_event(CondensedTurns("a", 0, 2), turns, "local:a")
    assert event.turn_id is None and event.contributor is not None
    assert set(event.data or {}) == {"text", "turns", "last", "covers"}
    assert newest_valid([Event(seq=9, **event.to_dict())], turns) == CondensedTurns("a", 0, 2)
