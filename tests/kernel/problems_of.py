"""Short forms for the tests of the check."""

from __future__ import annotations

from typing import Any

import pandas

from aiserver.kernel.check import check_suggestion


def check(code: str, variables: dict[str, Any], **options: Any) -> list[dict[str, Any]]:
    problems: list[dict[str, Any]] = check_suggestion(code, variables, **options)["problems"]
    return problems


def problems(code: str, **variables: Any) -> list[tuple[str, str]]:
    """The kind and name of each problem."""
    return [(item["kind"], item["name"]) for item in check(code, variables)]


def names(code: str, **variables: Any) -> list[str]:
    """The names of the problems."""
    return [item["name"] for item in check(code, variables)]


def sales() -> pandas.DataFrame:
    return pandas.DataFrame({"price": [1.0, 2.0], "城市": ["a", "b"], "qty": [1, 2]})
