"""Bytes written in pieces are the bytes written whole."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aiserver.errors import InvalidRequest
from aiserver.models import Session, new_session
from aiserver.sessions import codec
from aiserver.sessions.pieces import Pieces
from aiserver.sessions.steps import append_events, append_turn

from .records import KEY, event, turn

EXAMPLE = Path(__file__).parent.parent / "data" / "session-1.0.json"
texts = st.text() | st.sampled_from(['"\\\n\r\t\u2028', "中\n\n", "\x00"])
edits = st.lists(
    st.tuples(st.just("turn"), texts) | st.tuples(st.just("event"), texts), min_size=1, max_size=8
)


@given(edits=edits, extra=st.booleans(), start=st.sampled_from(["empty", "example", "null events"]))
def test_pieces_make_the_same_whole(edits: list[tuple[str, str]], extra: bool, start: str) -> None:
    session = new_session(KEY)
    if start != "empty":
        session = codec.parse(EXAMPLE.read_bytes(), KEY)
    if start == "null events":
        session.events = None
    pieces = Pieces()
    for kind, text in edits:
        more = {"x_unknown": {"a": [text, {}]}} if extra else {}
        if kind == "turn":
            append_turn(session, turn(text, text, **more))
        else:
            append_events(session, [event(source=text, data={text: [text, None]}, **more)] * 2)
        assert pieces.encode(session) == codec.encode(session)
        assert codec.parse(pieces.encode(session), KEY) == session


def test_unknown_keys_at_the_top_keep_their_place() -> None:
    session = Session.model_validate(codec.parse(EXAMPLE.read_bytes()).to_dict() | {"x": [1]})
    pieces = Pieces()
    append_turn(session, turn())
    assert pieces.encode(session) == codec.encode(session)


def test_what_json_cannot_hold_leaves_the_pieces_alone() -> None:
    session = new_session(KEY)
    pieces = Pieces()
    append_turn(session, turn())
    before = pieces.encode(session)
    session.meta.parents = [{"o": object()}]
    with pytest.raises(InvalidRequest):
        pieces.encode(session)
    session.meta.parents = None
    session.meta.model_fields_set.discard("parents")
    assert pieces.encode(session) == before
