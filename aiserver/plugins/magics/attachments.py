"""Choose the DataFrames and variables that are described in a request.

The functions mirror ``src/ask/model/context/attachments.ts``. The tests of both run
``attachmentCases.json`` there.
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
    """Return a request's DataFrames and variables.

    ``texts`` are the intent, the cell's code and that of the cell above.
    """
    return {
        "dataframes": named_frames(described, texts),
        "variables": relevant_variables(described, texts),
    }


def named_frames(described: dict[str, Any], texts: Sequence[str]) -> list[dict[str, Any]]:
    """Return the DataFrames that the texts name, or else the only one: ``namedFrames``.

    The only DataFrame is left out if the first text, the intent, is about other data.
    """
    frames = described["frames"]
    named = _named(frames, texts, described)
    if not named and len(frames) == 1:
        return [] if _is_about_other_data(texts[0], described) else list(frames)
    return named[:MAX_ATTACHED]


def _named(
    items: list[dict[str, Any]], texts: Sequence[str], described: dict[str, Any]
) -> list[dict[str, Any]]:
    return [
        item for item in items if any(mentions(text, item["name"], described) for text in texts)
    ]


def _is_about_other_data(intent: str, described: dict[str, Any]) -> bool:
    return _DATA_FILE.search(intent) is not None or any(
        _DATA_KIND.match(variable["kind"])
        and not re.fullmatch(r"\w{1,2}", variable["name"], re.A)
        and mentions(intent, variable["name"], described)
        for variable in described["variables"]
    )


def relevant_variables(described: dict[str, Any], texts: Sequence[str]) -> list[dict[str, Any]]:
    """Return variables without modules and values, first those named: ``relevantVariables``."""
    listed = [item for item in described["variables"] if item["kind"] != "module"]
    named = _named(listed, texts, described)
    chosen = [*named, *(item for item in listed if item not in named)][:MAX_VARIABLES]
    return [{"name": item["name"], "kind": item["kind"]} for item in chosen]


def mentions(text: str, name: str, described: dict[str, Any]) -> bool:
    """Return whether a text contains a name as a whole word: ``mentions``."""
    at = text.find(name)
    while at >= 0:
        if _is_name_at(text, at, name, described):
            return True
        at = text.find(name, at + 1)
    return False


def _is_name_at(text: str, at: int, name: str, described: dict[str, Any]) -> bool:
    """Mirror ``isNameAt``; ``described`` may name another language than Python."""
    before, after = text[max(0, at - 1) : at], text[at + len(name) :]
    is_ascii = re.fullmatch(r"[\w.]+", name, re.A) is not None
    if is_ascii and (re.match(r"\w", before, re.A) or re.match(r"\w", after, re.A)):
        return False
    if described.get("language") != "r":
        return True
    frames = [frame["name"] for frame in described["frames"]]
    is_in_longer = any(
        longer.startswith(f"{name}.")
        and text.startswith(longer, at)
        and not re.match(r"\w", text[at + len(longer) :], re.A)
        for longer in [*frames, *(variable["name"] for variable in described["variables"])]
    )
    is_column = before == "@" and name in frames
    is_whole = is_column or not re.match(r"\.+\w", after, re.A)
    return not is_in_longer and before != "." and is_whole
