"""Texts that JSON can represent and UTF-8, or a browser, can't."""

from __future__ import annotations

import json
from typing import Any

from aiserver.surrogates import json_bytes


def _refuse(name: str) -> Any:
    raise AssertionError(name)


def test_answers_are_json_that_a_browser_reads() -> None:
    """Another program may have written NaN."""
    data = {"a": float("nan"), "b": [float("inf"), 1.5, "\ud83d"]}
    read = json.loads(json_bytes(data).decode("utf-8"), parse_constant=_refuse)
    assert read == {"a": None, "b": [None, 1.5, "\ud83d"]}
