"""Large sessions are parsed in another way, with the same results."""

from __future__ import annotations

import gc
import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings

from aiserver.models import Interaction, Session, SessionKey
from aiserver.sessions.record import codec, slices
from aiserver.testing.records import KEY

from ..strategies import sessions

META = {
    "notebook_id": KEY.notebook_id,
    "cell_id": KEY.cell_id,
    "created_at": "2026-01-01T00:00:00Z",
    "last_updated": "2026-01-01T00:00:00Z",
}


def parsed(data: bytes, key: SessionKey | None = None) -> Any:
    """Return the session as it would be written again, or the class of the error."""
    try:
        session, is_legacy = codec.read(data, key)
    except codec.DamagedData as error:
        return type(error)
    return codec.dumps(session), is_legacy


def is_read_alike(data: bytes, monkeypatch: pytest.MonkeyPatch) -> bool:
    small = parsed(data)
    with monkeypatch.context() as patched:
        patched.setattr(slices, "LARGE", -1)
        return parsed(data) == small


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(session=sessions(KEY))
def test_a_large_session_is_read_like_a_small_one(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert is_read_alike(codec.dumps(session), monkeypatch)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"[]",
        b"{}",
        b'{"interactions": 3}',
        b'{"meta": {}, "interactions": []}',
        b'{"meta": {}, "interactions": [3, {"turn_id": 1}]}',
        b'{"meta": {}, "interactions": [NaN, 1' + b"0" * 5000 + b"]}",
        b'{"interactions": [' + b"[" * 3000,
        json.dumps({"meta": META | {"version": "9.0"}, "interactions": [{"x": 1}]}).encode(),
    ],
)
def test_damaged_data_is_read_alike(data: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    """P22"""
    assert is_read_alike(data, monkeypatch)


def test_odd_values_are_read_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    """P25: values of other tools, unknown keys, duplicate keys and lone surrogates."""
    turn = '{"turn_id": %s, "timestamp": %s, "user_request": {"intent": %s, "x": [1.0, null]}, %s}'
    answer = '"ai_response": {"suggestion": "", "status": "success"}, "x": {"y": 1e400}'
    time = '"2026-01-01T00:00:00Z"'
    for values in (
        ("1", time, '"a"'),
        ('"1"', time, '"a"'),
        ("1.0", time, '"a"'),
        ("true", time, '"a"'),
        ("0", time, '"a"'),
        ("1", "3", '"a"'),
        ("1", time, "3"),
        ("1", time, '"\\ud800"'),
        ("1", time, '"a", "intent": "b"'),
    ):
        fields = turn % (*values, answer)
        data = f'{{"meta": {json.dumps(META)}, "interactions": [{fields}], "z": 1}}'.encode()
        assert is_read_alike(data, monkeypatch), values


def test_the_garbage_collector_is_paused_for_large_sessions(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    states = []
    validate = Interaction.model_validate

    def recording(value: Any) -> Interaction:
        states.append(gc.isenabled())
        return validate(value)

    monkeypatch.setattr(Interaction, "model_validate", recording)
    monkeypatch.setattr(slices, "LARGE", 10)
    turn = {
        "turn_id": 1,
        "timestamp": "2026-01-01T00:00:00Z",
        "user_request": {"intent": "a"},
        "ai_response": {"suggestion": "", "status": "success"},
    }
    assert codec.parse(json.dumps({"meta": META, "interactions": [turn]}).encode(), KEY)
    assert states == [False] and gc.isenabled()
