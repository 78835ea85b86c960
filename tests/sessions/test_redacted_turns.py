"""P16: each code path stores turns without secrets."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from aiserver.models import NewTurn
from aiserver.redact import redact, redact_json
from aiserver.sessions.record.mutations import number_turn

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
def test_a_saved_turn_has_no_secrets_and_all_of_its_keys(
    turn: dict[str, Any], secrets: list[tuple[int, str]], names: set[str]
) -> None:
    """P16"""
    for place, secret in secrets:
        put(turn, place, secret)
    for name in names:  # unknown keys may have any name
        turn[name] = name
    new = NewTurn.model_validate(turn)
    saved = number_turn(new, 3, 7).to_dict()

    assert saved.keys() == new.to_dict().keys() | {"turn_id", "seq"}
    assert (saved["turn_id"], saved["seq"]) == (3, 7)
    for name in names - {"turn_id"}:
        assert saved[name] == name
    assert redact_json(saved) == saved
    intent = saved["user_request"]["intent"]
    assert redact(intent, is_prose=True) == intent
