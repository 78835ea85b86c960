"""Read legacy files, which AI Server's predecessor wrote, and convert them to sessions. Pure.

A legacy file contains ``{notebook_id, cell_id, created_at, last_updated, interactions}`` and no
``meta``. It is in the same folder as session files. In its name ``<notebook_id>_<cell_id>.json``,
no characters are escaped.

Invariants:

- The values in turns are preserved exactly, including those of unknown keys. Unknown keys at the
  top level of the file become keys of the session.
- The ids in a legacy file's content decide to which cell the file belongs. The file's name doesn't
  decide this, because ids may contain ``_``: the name doesn't show where the first id ends.
"""

from __future__ import annotations

import re
from typing import Any

from ...models import SCHEMA_VERSION

_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}_[A-Za-z0-9_-]{1,64}\.json")
_ID_FIELD = re.compile(rb'"(notebook_id|cell_id)"\s{0,20}:\s{0,20}"([A-Za-z0-9_-]{1,64})"')
_META_KEYS = ("notebook_id", "cell_id", "created_at", "last_updated")
# The keys of a turn that have new names in the current format.
_NEW_KEYS = {"request": "user_request", "response": "ai_response"}


def legacy_name(notebook_id: str, cell_id: str) -> str:
    """Return the legacy file name of a cell."""
    return f"{notebook_id}_{cell_id}.json"


def is_legacy_name(name: str) -> bool:
    """Return whether a file of this name may be a legacy file."""
    return _NAME.fullmatch(name) is not None


def is_legacy(content: Any) -> bool:
    """Return whether parsed JSON is the content of a legacy file."""
    return (
        isinstance(content, dict)
        and "meta" not in content
        and isinstance(content.get("interactions"), list)
        and {"notebook_id", "cell_id"} <= content.keys()
    )


def convert_legacy(content: dict[str, Any]) -> dict[str, Any]:
    """Convert the content of a legacy file to the content of a session, without validating it."""
    turns = [_convert_turn(turn) for turn in content["interactions"]]
    times = [turn["timestamp"] for turn in turns if isinstance(turn, dict) and "timestamp" in turn]
    first, last = (times[0], times[-1]) if times else (None, None)
    meta = {"version": SCHEMA_VERSION} | {name: content.get(name) for name in _META_KEYS}
    meta["created_at"] = meta["created_at"] or first
    meta["last_updated"] = meta["last_updated"] or last
    unknown_keys = {name: value for name, value in content.items() if name not in _META_KEYS}
    return {"meta": meta, **unknown_keys, "interactions": turns}


def find_ids(data: bytes) -> tuple[str, str] | None:
    """Return the first notebook id and the first cell id in a file, which may be damaged.

    Return None if one of them is missing.
    """
    ids: dict[bytes, str] = {}
    for match in _ID_FIELD.finditer(data):
        ids.setdefault(match[1], match[2].decode("ascii"))
        if len(ids) == 2:
            return ids[b"notebook_id"], ids[b"cell_id"]
    return None


def _convert_turn(turn: Any) -> Any:
    if not isinstance(turn, dict):
        return turn
    return {_NEW_KEYS.get(name, name): value for name, value in turn.items()}
