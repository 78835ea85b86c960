"""Choose the DataFrames and variables that are described in a request.

The functions mirror those of ``src/ask/model/context/attachments.ts``. The tests of both run the
cases in ``attachmentCases.json`` next to that file.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

MAX_ATTACHED = 5
MAX_VARIABLES = 30
_DATA_KIND = re.compile(
    r"(numpy\.ndarray|(pandas|polars)\.\w+|matrix"
    r"|(list|dict|set|tuple|numeric|character|factor) of) ",
    re.A,
)
_DATA_FILE = re.compile(
    r"[^\s'\"]\.(csv|tsv|parquet|pq|xlsx?|xlsm|jsonl?|ndjson|sqlite3?|db|duckdb)"
    r"(?![A-Za-z0-9_])",
    re.IGNORECASE,
)


def attach(described: dict[str, Any], texts: Sequence[str]) -> dict[str, Any]:
    """Return the DataFrames and variables of a request's context.

    ``texts`` are the intent, the cell's code and the code of the cell above.
    """
    return {
        "dataframes": named_frames(described["frames"], described["variables"], texts),
        "variables": relevant_variables(described["variables"], texts),
    }


def named_frames(
    frames: list[dict[str, Any]], variables: list[dict[str, Any]], texts: Sequence[str]
) -> list[dict[str, Any]]:
    """Return the DataFrames that the texts name, or else the only one: ``namedFrames``.

    The only DataFrame is left out if the first text, the intent, is about other data.
    """
    named = [frame for frame in frames if any(mentions(text, frame["name"]) for text in texts)]
    if not named and len(frames) == 1:
        return [] if _is_about_other_data(texts[0], variables) else list(frames)
    return named[:MAX_ATTACHED]


def _is_about_other_data(intent: str, variables: list[dict[str, Any]]) -> bool:
    return _DATA_FILE.search(intent) is not None or any(
        _DATA_KIND.match(variable["kind"])
        and not re.fullmatch(r"\w{1,2}", variable["name"], re.A)
        and mentions(intent, variable["name"])
        for variable in variables
    )


def relevant_variables(
    variables: list[dict[str, Any]], texts: Sequence[str]
) -> list[dict[str, Any]]:
    """Return variables without modules and values, first those named: ``relevantVariables``."""
    listed = [variable for variable in variables if variable["kind"] != "module"]
    named = [item for item in listed if any(mentions(text, item["name"]) for text in texts)]
    chosen = [*named, *(item for item in listed if item not in named)][:MAX_VARIABLES]
    return [{"name": item["name"], "kind": item["kind"]} for item in chosen]


def mentions(text: str, name: str) -> bool:
    """Return whether a text contains a name as a whole word: ``mentions``."""
    is_ascii = re.fullmatch(r"\w+", name, re.A) is not None
    at = text.find(name)
    while at >= 0:
        around = text[max(0, at - 1) : at] + text[at + len(name) : at + len(name) + 1]
        if not is_ascii or not re.search(r"\w", around, re.A):
            return True
        at = text.find(name, at + 1)
    return False
