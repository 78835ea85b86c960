"""Call the profiling functions as the kernel does: the joined text, in a namespace of its own."""

from __future__ import annotations

import base64
import json
from typing import Any

from aiserver.kernel.bundle import PROFILE_MODULES, bundle

_space: dict[str, Any] = {"__name__": "aiserver"}
exec(compile(bundle(PROFILE_MODULES), "<profile>", "exec"), _space)


def listed(variables: dict[str, Any]) -> dict[str, Any]:
    """Return the items of ``list_data`` by name."""
    result = _decode(_space["list_data"](variables))
    return {item["name"]: item for item in result["items"]}


def profile_of(value: Any, first: int = 0, count: int = 5000) -> Any:
    """Return the profile of some columns, in as many calls as it takes."""
    result = _decode(_space["profile_columns"]({"df": value}, "df", first, count))
    while result.get("next") is not None:
        start = result["next"]
        rest = first + count - start
        more = _decode(_space["profile_columns"]({"df": value}, "df", start, rest))
        result["columns"] += more["columns"]
        result["next"] = more["next"]
    return result


def lazy_columns_of(value: Any) -> Any:
    """Return the columns of lazy data by name, or the problem."""
    result = _decode(_space["list_lazy_columns"]({"df": value}, "df"))
    if "problem" in result:
        return result["problem"]
    return {column["name"]: column["dtype"] for column in result["columns"]}


def columns_of(value: Any) -> dict[str, Any]:
    """Return the profiles of all columns by name."""
    return {column["name"]: column for column in profile_of(value)["columns"]}


def keys_of(tables: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the candidates for joining tables, the most likely first."""
    return list(_decode(_space["join_keys"](tables, list(tables)))["keys"])


def _decode(text: str) -> Any:
    return json.loads(base64.b64decode(text), parse_constant=_refuse)


def _refuse(constant: str) -> None:
    raise ValueError(f"{constant} isn't JSON")
