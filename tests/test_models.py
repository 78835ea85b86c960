"""What is stored: reading, writing, order."""

from __future__ import annotations

import json
from pathlib import Path
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
    dumps,
    new_session,
    utc_now,
)

EXAMPLE = Path(__file__).parent / "data" / "session-1.0.json"
NOON = "2026-01-27T12:00:00.000Z"


def interaction(turn_id: int, **more: Any) -> Interaction:
    return Interaction(
        turn_id=turn_id,
        timestamp=NOON,
        user_request=UserRequest(intent=f"turn {turn_id}"),
        ai_response=AIResponse(suggestion="x", status="success"),
        **more,
    )


def test_the_example_is_written_back_as_it_was_read() -> None:
    """P25"""
    content = json.loads(EXAMPLE.read_bytes())
    session = Session.model_validate_json(EXAMPLE.read_bytes())
    assert json.loads(dumps(session)) == content
    assert list(json.loads(dumps(session))["meta"]) == list(content["meta"]), "in the same order"
    assert dumps(Session.model_validate_json(dumps(session))) == dumps(session)


def test_the_bytes_are_those_that_json_would_give() -> None:
    session = Session.model_validate_json(EXAMPLE.read_bytes())
    session.interactions[0].ai_response.suggestion = 'a\t"b"\\ \x00\x1f\x7f é 中 📈 \u2028\n'
    session.events = [Event(seq=2, type="run", timestamp=NOON, data={"": [], "x": {}, "n": -0.5})]
    content = json.dumps(session.to_dict(), ensure_ascii=False, indent=2) + "\n"
    assert dumps(session) == content.encode()
    assert dumps(session, None).count(b"\n") == 1


def test_no_number_breaks_the_json() -> None:
    """P29: a browser can't read NaN."""
    event = NewEvent(type="run", timestamp=NOON, data={"n": [float("nan"), float("inf")]})
    assert json.loads(dumps(event))["data"] == {"n": [None, None]}


def test_half_a_character_in_an_unknown_key_is_kept() -> None:
    event = NewEvent.model_validate({"type": "run", "timestamp": NOON, "x": "\ud83d", "y": "中"})
    assert json.loads(dumps(event))["x"] == "\ud83d"
    assert "中".encode() in dumps(event)


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
def test_times_of_other_tools(time: str) -> None:
    time = utc_now() if time == "now" else time
    assert NewEvent(type="run", timestamp=time).timestamp == time


@pytest.mark.parametrize(
    "time", ["", "noon", "2026-01-27", "2026-13-27T12:00:00Z", "2026-01-27T25:00:00Z", NOON + "\n"]
)
def test_what_is_no_time(time: str) -> None:
    with pytest.raises(ValidationError):
        NewEvent(type="run", timestamp=time)


@pytest.mark.parametrize("bad", ["", "a" * 65, "a/b", "..", "a\n", "é", "a b", "%2e", "\0", None])
def test_keys_are_nbformat_s_ids(bad: Any) -> None:
    """P5"""
    for ids in ((bad, "c"), ("n", bad)):
        with pytest.raises(InvalidRequest):
            SessionKey(*ids)
    meta = new_session(SessionKey("n", "c")).meta.to_dict()
    for name in ("notebook_id", "cell_id"):
        with pytest.raises(ValidationError):
            Session.model_validate({"meta": meta | {name: bad}, "interactions": []})


def test_order_without_seq_is_that_of_turn_ids() -> None:
    """P26: an older file has no seq; what is new comes behind it."""
    session = new_session(SessionKey("n", "c"))
    session.interactions = [interaction(2), interaction(1)]
    assert session.next_seq == 3
    session.events = [Event(seq=3, type="context_reset", timestamp="1999-01-01T00:00:00Z")]
    session.interactions.append(interaction(3, seq=4))
    assert [getattr(item, "turn_id", 0) for item in session.ordered()] == [1, 2, None, 3]
    assert [turn.turn_id for turn in session.history()] == [3]
    assert (session.next_turn_id, session.next_seq) == (4, 5)


def test_the_history_of_a_branch_is_the_line_that_led_to_it() -> None:
    """A request that goes on from an older version knows nothing of what was tried after it."""
    session = new_session(SessionKey("n", "c"))
    parents = {3: 1, 5: 3}
    session.interactions = [
        interaction(turn, parent_turn_id=parents.get(turn)) for turn in range(1, 7)
    ]

    def told(parent: int | None) -> list[int]:
        return [turn.turn_id for turn in session.history(parent)]

    assert told(None) == [1, 2, 3, 4, 5, 6]
    assert told(2) == [1, 2]
    assert told(4) == [1, 3, 4]
    assert told(6) == [1, 3, 5, 6]
    assert told(9) == []
    # What another tool wrote may go round in a circle, or forward.
    session.interactions[0].parent_turn_id = 1
    session.interactions[2].parent_turn_id = 5
    assert told(3) == [3]
    assert told(2) == [1, 2]
