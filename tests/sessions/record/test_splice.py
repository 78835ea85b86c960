"""Extended bytes equal the bytes of a session that is encoded as a whole."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aiserver.errors import InvalidRequest
from aiserver.models import Session, new_session
from aiserver.sessions.record import codec
from aiserver.sessions.record.mutations import append_events, append_turn
from aiserver.sessions.record.splice import SessionBytes
from aiserver.testing.records import EXAMPLE_FILE, KEY, NOON, event, turn

texts = st.text() | st.sampled_from(
    ['"\\\n\r\t\u2028', "中\n\n", "\x00", '\n  "events": [', "]\n}\n"]
)
edits = st.lists(
    st.tuples(st.just("turn"), texts) | st.tuples(st.just("event"), texts), min_size=1, max_size=8
)
STARTS = ["empty", "example", "null events", "no events", "unknown keys", "half a character"]


def started(start: str) -> Session:
    """Return the initial session."""
    if start == "empty":
        return new_session(KEY)
    content = codec.parse(EXAMPLE_FILE.read_bytes()).to_dict()
    if start == "null events":
        content["events"] = None
    elif start == "no events":
        content["events"] = []
    elif start == "unknown keys":
        content |= {"x": [1, {"y": {}}], 'interactions": []': '\n  "interactions": ['}
    elif start == "half a character":
        content["x"] = ["\ud83d"]
    return Session.model_validate(content)


@given(edits=edits, extra=st.booleans(), start=st.sampled_from(STARTS))
def test_extended_bytes_equal_encoded_bytes(
    edits: list[tuple[str, str]], extra: bool, start: str
) -> None:
    session = started(start)
    pieces = SessionBytes(session.model_copy(deep=True))
    for kind, text in edits:
        more: dict[str, Any] = {"x_unknown": {"a": [text, {}]}} if extra else {}
        if kind == "turn":
            new = turn(text, text, **more)
            assert pieces.add_turn(new) == append_turn(session, new)
        else:
            again = [event(source=text, id=text, data={text: [text, None]}, **more)] * 2
            assert pieces.add_events(again) == append_events(session, again)
        assert pieces.revision == session.revision
        data = pieces.to_bytes()
        session.meta.last_updated = codec.parse(data, KEY).meta.last_updated
        assert data == codec.encode(session) == SessionBytes(session).to_bytes()
        assert codec.parse(data, KEY) == session


def test_unencodable_data_changes_nothing() -> None:
    pieces = SessionBytes(started("example"))
    before = pieces.to_bytes()
    bad = turn()
    bad.usage = {"o": object()}
    good = event(id="known")
    for add in (
        lambda: pieces.add_turn(bad),
        lambda: pieces.add_events([good, event(data=bad.usage)]),
    ):
        with pytest.raises(InvalidRequest):
            add()
        assert pieces.to_bytes() == before
    [saved] = pieces.add_events([good])
    assert pieces.add_events([good]) == [saved] and saved.timestamp == NOON
