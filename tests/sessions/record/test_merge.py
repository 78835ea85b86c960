"""Merging two sessions of a cell loses and duplicates nothing."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from aiserver.models import Interaction, NewEvent, Session, SessionKey, new_session
from aiserver.sessions.record.codec import encode
from aiserver.sessions.record.git_merge import merge_branch
from aiserver.sessions.record.merge import count_records, digest, merge_into
from aiserver.sessions.record.mutations import append_events, append_turn
from aiserver.testing.records import turn

KEY = SessionKey("nb", "c1")
TIME = "2026-01-27T10:00:00.000Z"


def texts(session: Session) -> list[str]:
    return [
        item.user_request.intent if isinstance(item, Interaction) else f"{item.type} {item.source}"
        for item in session.ordered()
    ]


def make(*items: str) -> Session:
    """Create turns from intents; ``!x`` accepts the turn before."""
    return grow(new_session(KEY, TIME), *items)


def grow(session: Session, *items: str) -> Session:
    for item in items:
        if item.startswith("!"):
            event: dict[str, Any] = {"type": "accept", "timestamp": TIME, "source": item[1:]}
            if session.interactions:
                event["turn_id"] = session.interactions[-1].turn_id
            append_events(session, [NewEvent(**event)])
        else:
            append_turn(session, turn(item).model_copy(update={"timestamp": TIME}))
    return session


def test_an_empty_session_becomes_an_exact_copy() -> None:
    theirs = make("a", "!b")
    theirs.meta.revision = 7
    theirs = theirs.model_copy(update={"unknown": {"kept": True}})
    ours = new_session(KEY)
    assert merge_into(ours, theirs)
    assert encode(ours) == encode(theirs)
    assert not merge_into(ours, theirs)


def test_missing_records_are_appended_with_new_numbers() -> None:
    ours, theirs = make("a", "ours", "!ours"), make("a", "theirs", "!theirs")
    theirs.interactions[1].parent_turn_id = 1
    grow(theirs, "again")
    theirs.interactions[2].repeats_turn_id = 2
    assert merge_into(ours, theirs)
    assert texts(ours) == ["a", "ours", "accept ours", "theirs", "accept theirs", "again"]
    assert [each.turn_id for each in ours.interactions] == [1, 2, 3, 4]
    assert [each.turn_id for each in ours.events or []] == [2, 3]
    assert ours.interactions[2].parent_turn_id == 1
    assert ours.interactions[3].repeats_turn_id == 3
    revision = ours.revision
    assert not merge_into(ours, theirs)
    assert ours.revision == revision


def test_deleted_records_stay_deleted() -> None:
    theirs = make("a", "b")
    ours = new_session(KEY)
    before = {digest(item) for item in theirs.ordered()}
    assert not merge_into(ours, theirs, before)
    assert count_records(ours) == 0
    grow(theirs, "c")
    assert merge_into(ours, theirs, before)
    assert texts(ours) == ["c"]


ITEMS = st.lists(st.sampled_from(["a", "b", "c", "!x", "!y"]), max_size=6)


@given(ITEMS, ITEMS, ITEMS)
def test_nothing_is_lost_or_duplicated(
    common: list[str], ours_only: list[str], theirs_only: list[str]
) -> None:
    ours, theirs = make(*common, *ours_only), make(*common, *theirs_only)
    before, their = texts(ours), texts(theirs)
    merge_into(ours, theirs)
    after = texts(ours)
    assert after[: len(before)] == before, "our records changed"
    for item in {*before, *their}:
        assert after.count(item) == max(before.count(item), their.count(item))
    numbers = [item.seq for item in ours.ordered()]
    assert numbers == sorted(set(numbers))
    assert [each.turn_id for each in ours.interactions] == [*range(1, len(ours.interactions) + 1)]
    # Merging back converges after one round.
    merge_into(theirs, ours)
    assert sorted(texts(theirs)) == sorted(after)
    assert not merge_into(ours, theirs)


def test_an_odd_earlier_merge_stops_no_merge() -> None:
    ours, theirs = make("a", "ours"), make("a", "theirs")
    theirs.meta.merged = [{"id": ["odd"]}]
    assert merge_branch(ours, theirs, "m")
    assert texts(ours) == ["a", "ours", "theirs"]
