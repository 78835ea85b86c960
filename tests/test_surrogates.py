"""Texts that JSON can represent and UTF-8, or a browser, can't."""

from __future__ import annotations

import json
from typing import Any

import pytest

from aiserver.surrogates import json_bytes, without_nan


def _refuse(name: str) -> Any:
    raise AssertionError(name)


def test_answers_are_json_that_a_browser_reads() -> None:
    """Another program may have written NaN."""
    data = {"a": float("nan"), "b": [float("inf"), 1.5, "\ud83d"]}
    read = json.loads(json_bytes(data).decode("utf-8"), parse_constant=_refuse)
    assert read == {"a": None, "b": [None, 1.5, "\ud83d"]}


@pytest.mark.parametrize(
    ("stored", "sent"),
    [
        ('{"a": NaN, "b": [-Infinity,Infinity]}', '{"a": null, "b": [null,null]}'),
        (r'{"NaN": "Infinity, \"NaN", "b": NaN}', r'{"NaN": "Infinity, \"NaN", "b": null}'),
        (r'["\\", NaN, "\\\"", NaN]', r'["\\", null, "\\\"", null]'),
        ("[1e999, -0.0, 12345678901234567890123]", "[1e999, -0.0, 12345678901234567890123]"),
    ],
)
def test_only_what_is_not_json_is_replaced(stored: str, sent: str) -> None:
    assert without_nan(stored.encode()).decode() == sent
