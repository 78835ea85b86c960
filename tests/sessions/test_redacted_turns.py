"""P16: each code path stores turns without secrets."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from aiserver.models import Interaction, NewTurn
from aiserver.redact import redact, redact_json
from aiserver.sessions.record import codec
from aiserver.sessions.record.prepared_turn import PreparedTurn

from .strategies import turns

SECRETS = st.sampled_from(
    [
        'to\u212aen = "abcd1234efgh5678ijkl"',
        "sk-" + "a1" * 20,
        "AKIA" + "Q1" * 8,
        'PASSWORD = "hunter22"',
        "postgresql://ada:hunter22@db/x",
        "my password is hunter22",
        "密码是 hunter22",
        "-----BEGIN PRIVATE KEY-----\nMIIB\n-----END PRIVATE KEY-----",
        "a monkey with a token",
    ]
)


def put(turn: dict[str, Any], place: int, secret: str) -> None:
    """Put a text into one of a turn's fields."""
    request, response = turn["user_request"], turn["ai_response"]
    if place < 3:
        request[("intent", "current_code", "x_other")[place]] = f"x = 1\n{secret}\ny"
    elif place < 5:
        response[("suggestion", "explanation")[place - 3]] = secret
    else:
        turn["usage"] = {"input_tokens": 3, "output_tokens": 5, "x": [{secret: secret}]}


@given(
    turns(),
    st.lists(st.tuples(st.integers(0, 5), SECRETS), max_size=2),
    st.sets(st.sampled_from(["cls", "self", "_fields_set", "values", "turn_id", "model"])),
)
def test_the_fast_path_stores_the_same_as_the_slow_path(
    turn: dict[str, Any], secrets: list[tuple[int, str]], names: set[str]
) -> None:
    """P16"""
    for place, secret in secrets:
        put(turn, place, secret)
    for name in names:  # unknown keys may have any name
        turn[name] = name
    new = NewTurn.model_validate(turn)
    saved, data = PreparedTurn(new).with_numbers(3, 7)

    fields = redact_json(codec.to_dict(new))
    fields["user_request"]["intent"] = redact(fields["user_request"]["intent"], is_prose=True)
    expected = Interaction.model_validate(fields | {"turn_id": 3, "seq": 7})
    assert saved.to_dict() == expected.to_dict()
    assert data == codec.encode(expected) == codec.encode(saved)
    assert json.loads(data)["turn_id"] == 3
