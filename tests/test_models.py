"""Stored records: reading, writing and order."""

from __future__ import annotations

import json
from typing import Any

import pytest
from pydantic import ValidationError

from aiserver.errors import InvalidRequest
from aiserver.models import (
    AIResponse,
    Event,
    Interaction,
    NewEvent,
    Session,
    SessionKey,
    UserRequest,
    new_session,
    utc_now,
)
from aiserver.sessions.record.codec import encode
from aiserver.testing.records import EXAMPLE_FILE

NOON = "2026-01-27T12:00:00.000Z"


def interaction(turn_id: int, **more: Any) -> Interaction:
    return Interaction(
        turn_id=turn_id,
        timestamp=NOON,
        user_request=UserRequest(intent=f"turn {turn_id}"),
        ai_response=AIResponse(suggestion="x", status="success"),
        **more,
    )


def test_the_example_is_written_unchanged() -> None:
    """P25"""
    content = json.loads(EXAMPLE_FILE.read_bytes())
    session = Session.model_validate_json(EXAMPLE_FILE.read_bytes())
    assert json.loads(encode(session)) == content
    assert list(json.loads(encode(session))["meta"]) == list(content["meta"]), (
        "the order of keys changed"
    )
    assert encode(Session.model_validate_json(encode(session))) == encode(session)


def test_the_bytes_equal_those_of_the_json_module() -> None:
    session = Session.model_validate_json(EXAMPLE_FILE.read_bytes())
    session.interactions[0].ai_response.suggestion = 'a\t"b"\\ \x00\x1f\x7f é 中 📈 \u2028\n'
    session.events = [Event(seq=2, type="run", timestamp=NOON, data={"": [], "x": {}, "n": -0.5})]
    content = json.dumps(session.to_dict(), ensure_ascii=False, indent=2) + "\n"
    assert encode(session) == content.encode()
    assert encode(session, None).count(b"\n") == 1


def test_nan_is_not_written() -> None:
    """P29: browsers can't parse NaN."""
    event = NewEvent(type="run", timestamp=NOON, data={"n": [float("nan"), float("inf")]})
    assert json.loads(encode(event))["data"] == {"n": [None, None]}


def test_a_lone_surrogate_in_an_unknown_key_is_preserved() -> None:
    event = NewEvent.model_validate({"type": "run", "timestamp": NOON, "x": "\ud83d", "y": "中"})
    assert json.loads(encode(event))["x"] == "\ud83d"
    assert "中".encode() in encode(event)


@pytest.mark.parametrize(
    "time",
    [
        NOON,
        "now",
        "2026-01-27T12:00:00Z",
        "2026-01-27T12:00:00.1Z",
        "2026-01-27T12:00:00.123456789+08:00",
        "2026-01-27 12:00:00",
    ],
)
def test_times_of_other_tools_are_valid(time: str) -> None:
    time = utc_now() if time == "now" else time
    assert NewEvent(type="run", timestamp=time).timestamp == time


@pytest.mark.parametrize(
    "time", ["", "noon", "2026-01-27", "2026-13-27T12:00:00Z", "2026-01-27T25:00:00Z", NOON + "\n"]
)
def test_invalid_times_are_rejected(time: str) -> None:
    with pytest.raises(ValidationError):
        NewEvent(type="run", timestamp=time)


@pytest.mark.parametrize("bad", ["", "a" * 65, "a/b", "..", "a\n", "é", "a b", "%2e", "\0", None])
def test_keys_follow_the_ids_of_nbformat(bad: Any) -> None:
    """P5"""
    for ids in ((bad, "c"), ("n", bad)):
        with pytest.raises(InvalidRequest):
            SessionKey(*ids)
    meta = new_session(SessionKey("n", "c")).meta.to_dict()
    for name in ("notebook_id", "cell_id"):
        with pytest.raises(ValidationError):
            Session.model_validate({"meta": meta | {name: bad}, "interactions": []})


def test_without_seq_turns_are_ordered_by_id() -> None:
    """P26: old files have no seq; new records come after theirs."""
    session = new_session(SessionKey("n", "c"))
    session.interactions = [interaction(2), interaction(1)]
    assert session.next_seq == 3
    session.events = [Event(seq=3, type="context_reset", timestamp="1999-01-01T00:00:00Z")]
    session.interactions.append(interaction(3, seq=4))
    assert [getattr(item, "turn_id", 0) for item in session.ordered()] == [1, 2, None, 3]
    assert [turn.turn_id for turn in session.history()] == [3]
    assert (session.next_turn_id, session.next_seq) == (4, 5)
