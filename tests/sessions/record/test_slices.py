"""Large sessions are read record by record, and not all records are in memory."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, given, settings

from aiserver.models import Interaction, Session
from aiserver.sessions.record import codec, slices
from aiserver.sessions.record.lazy_session import LazySession, LazyTurn, parse_lazily
from aiserver.sessions.record.mutations import append_events
from aiserver.sessions.record.slices import slice_session
from aiserver.sessions.record.splice import SessionBytes
from aiserver.testing.records import EXAMPLE_FILE, KEY, OTHER_CELL, event, turn

from ..strategies import sessions


@pytest.fixture(autouse=True)
def everything_is_large() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(slices, "LARGE", -1)
        yield


def lazy(data: bytes) -> LazySession:
    session = parse_lazily(data, KEY)
    assert session
    return session


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(session=sessions(KEY))
def test_a_lazy_session_has_the_same_records(session: Session) -> None:
    data = codec.dumps(session)
    if not (session.interactions or session.events):
        assert slice_session(data) is None
        return
    if parse_lazily(data, KEY) is None:  # pydantic's parser rejects lone surrogates
        assert b"\\ud" in data
        return
    lazily = lazy(data)
    assert lazily.meta == session.meta and lazily.revision == session.revision
    assert lazily.next_turn_id == session.next_turn_id
    assert [each.load() for each in lazily.interactions] == session.interactions
    for lazy_record, record in zip(lazily.ordered(), session.ordered(), strict=True):
        assert isinstance(lazy_record, LazyTurn) == isinstance(record, Interaction)
        assert lazy_record.seq == record.seq
    half = session.next_seq // 2
    assert [each.load() for each in lazily.until(half).interactions] == session.until(
        half
    ).interactions


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(session=sessions(KEY))
def test_records_are_appended_to_a_large_session(session: Session) -> None:
    """P25: the bytes are the same as after the whole session was parsed."""
    data = codec.dumps(session)
    content, expected = SessionBytes.of_large(data, KEY), SessionBytes(session)
    if content is None:
        assert b"\\ud" in data or not (session.interactions or session.events)
        return
    assert content.to_bytes() == data
    for each in (content, expected):
        each.add_turn(turn("next"))
        each.add_events([event(id="1"), event(id="new")])
    # The times of the two changes may differ.
    written, parsed = codec.parse(content.to_bytes()), codec.parse(expected.to_bytes())
    assert written.interactions == parsed.interactions and written.events == parsed.events
    assert written.model_extra == parsed.model_extra and written.revision == parsed.revision


@pytest.mark.parametrize("part", ["turn", "event", "meta", "other"])
def test_other_layouts_are_left_to_the_parser(part: str) -> None:
    """P22: duplicate keys are found in each part of a session."""
    session = Session.model_validate(json.loads(EXAMPLE_FILE.read_bytes()) | {"x": {"y": 1}})
    append_events(session, [event()])
    content = codec.dumps(session)
    keys = {"turn": b'"intent": ', "event": b'"type": ', "meta": b'"version": ', "other": b'"y": '}
    start = content.index(keys[part])
    end = content.index(b"\n", start)
    line = content[start:end].removesuffix(b",")
    doubled = content[:start] + line + b", " + content[start:]
    assert parse_lazily(content, KEY)
    assert parse_lazily(doubled, KEY) is None and SessionBytes.of_large(doubled, KEY) is None
    with pytest.raises(codec.DuplicateKey):
        codec.parse(doubled)


def test_what_cannot_be_written_is_not_read_lazily() -> None:
    """P25: another cell's session, a newer format, and bytes that end early."""
    data = codec.dumps(codec.parse(EXAMPLE_FILE.read_bytes()))
    assert parse_lazily(data, KEY)
    assert parse_lazily(data, OTHER_CELL) is None
    assert parse_lazily(data.replace(b'"version": "1.0"', b'"version": "2.0"'), KEY) is None
    for end in range(0, len(data), 97):
        assert parse_lazily(data[:end], KEY) is None
