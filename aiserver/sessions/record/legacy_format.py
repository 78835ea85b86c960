"""The flat files that AI Server's predecessor wrote, as sessions of ours. Pure.

They hold ``{notebook_id, cell_id, created_at, last_updated, interactions}`` without a ``meta``, and
lie in the same folder, under the raw ``<notebook_id>_<cell_id>.json``.

What must hold:

- What a turn says is kept to the letter, also in keys that are not ours; a key at the top that is
  not known becomes one of the session.
- Whose such a file is, it says itself: of its name nobody can tell where one id ends.
"""

from __future__ import annotations

import re
from typing import Any

from ...models import SCHEMA_VERSION, SessionKey

_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}_[A-Za-z0-9_-]{1,64}\.json")
_SAYS = re.compile(rb'"(notebook_id|cell_id)"\s{0,20}:\s{0,20}"([A-Za-z0-9_-]{1,64})"')
_META = ("notebook_id", "cell_id", "created_at", "last_updated")
_OLDER = {"request": "user_request", "response": "ai_response"}


def legacy_name(notebook_id: str, cell_id: str) -> str:
    """The name under which the predecessor kept a cell."""
    return f"{notebook_id}_{cell_id}.json"


def is_legacy_name(name: str) -> bool:
    """Whether a file of this name may be the predecessor's."""
    return _NAME.fullmatch(name) is not None


def is_legacy_name_of(name: str, notebook_id: str) -> bool:
    """Whether a file of this name may be the predecessor's of that notebook."""
    return name.startswith(f"{notebook_id}_") and is_legacy_name(name)


def is_legacy(content: Any) -> bool:
    """Whether this is the content of such a file."""
    return (
        isinstance(content, dict)
        and "meta" not in content
        and isinstance(content.get("interactions"), list)
        and {"notebook_id", "cell_id"} <= content.keys()
    )


def convert_legacy(content: dict[str, Any]) -> dict[str, Any]:
    """The content of such a file in the shape of ours; not checked yet."""
    turns = [_turn(item) for item in content["interactions"]]
    times = [item["timestamp"] for item in turns if isinstance(item, dict) and "timestamp" in item]
    first, last = (times[0], times[-1]) if times else (None, None)
    meta = {"version": SCHEMA_VERSION} | {name: content.get(name) for name in _META}
    meta["created_at"] = meta["created_at"] or first
    meta["last_updated"] = meta["last_updated"] or last
    others = {name: value for name, value in content.items() if name not in _META}
    return {"meta": meta, **others, "interactions": turns}


def find_ids(data: bytes) -> tuple[str, str] | None:
    """The notebook and the cell that a file names first, however damaged the rest is."""
    found: dict[bytes, str] = {}
    for match in _SAYS.finditer(data):
        found.setdefault(match[1], match[2].decode("ascii"))
        if len(found) == 2:
            return found[b"notebook_id"], found[b"cell_id"]
    return None


def belongs_to(data: bytes, key: SessionKey) -> bool:
    """Whether a file says that it is this cell's."""
    return find_ids(data) == (key.notebook_id, key.cell_id)


def _turn(item: Any) -> Any:
    if not isinstance(item, dict):
        return item
    return {_OLDER.get(name, name): value for name, value in item.items()}
