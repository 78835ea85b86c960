"""Import AgentScope's sessions, in its four storage formats.

A session has values by name ("state keys"). Each becomes a cell of one notebook: a list of messages
becomes turns, anything else an event ``state``. The values are stored in a folder per session
(``{key}.json``, ``{key}.jsonl``), in one JSON file per session (older), in a table, or in Redis.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ...models import Session
from .base import (
    Read,
    Source,
    UnreadableSource,
    create_session,
    derive_id,
    load_json,
    loads,
    to_timestamp,
)
from .lines import lines_of
from .messages import message_event, message_of, records_from

FORMAT = "agentscope"
HASH = ":_hash"
"""The suffix of AgentScope's internal hashes, which are skipped."""


def read(source: Source) -> Read:
    """Read a file of a session's folder, or an older file with a whole session."""
    stem = source.path.stem
    if source.path.suffix == ".jsonl":
        values, problems = lines_of(source.data)
        sessions = [cell(source.folder, stem, values)] if values else []
        return Read(sessions, unreadable=problems)
    value = load_json(source.data)
    if not source.agentscope and isinstance(value, dict) and not _has_message_list(value):
        return Read(cells_of(stem, value))
    return Read([cell(source.folder, stem, value)])


def cells_of(session_id: str, values: Any) -> list[Session]:
    """Convert a session stored as one object with all values."""
    if not isinstance(values, Mapping):
        raise UnreadableSource("not an AgentScope session")
    return [cell(session_id, str(key), value) for key, value in values.items()]


def cell(session_id: str, key: str, value: Any, created: str | None = None) -> Session:
    """Convert one value of a session."""
    origin = {"format": FORMAT, "name": f"{session_id}/{key}"}
    messages, rest = _messages_in(value)
    items = records_from(map(message_of, messages), origin)
    if rest not in ({}, [], None) or not messages:
        items.append(message_event("state", [rest], origin))
    return create_session(
        derive_id(FORMAT, session_id),
        derive_id(FORMAT, session_id, key),
        items,
        origin=origin,
        created=created,
    )


def read_rows(rows: Iterable[Mapping[str, Any]]) -> Read:
    """Convert the rows of one session, in the newer or older table format."""
    read = Read()
    values: dict[tuple[str, str], list[tuple[Any, str | None]]] = {}
    for row in sorted(rows, key=lambda row: row.get("item_index") or 0):
        session_id, state = str(row["session_id"]), row["state_data"]
        key = str(row.get("state_key") or "")
        if key.endswith(HASH):
            continue
        created = to_timestamp(row.get("created_at"))
        try:
            value = loads(state) if isinstance(state, str) else state
            if "state_key" in row:
                values.setdefault((session_id, key), []).append((value, created))
            else:
                read.sessions += cells_of(session_id, value)
        except UnreadableSource as reason:
            where = f"{session_id} {key} {row.get('item_index', '')}".strip()
            read.unreadable.append(f"{where}: {reason}")
    for (session_id, key), states in values.items():
        # A single row may be a value or a list of one; both give the same session.
        value = states[0][0] if len(states) == 1 else [state for state, _ in states]
        read.sessions.append(cell(session_id, key, value, states[0][1]))
    return read


def has_messages(value: Any) -> bool:
    """Return whether a value contains a list of messages."""
    return bool(_messages_in(value)[0])


def _has_message_list(value: dict[str, Any]) -> bool:
    """Return whether this is a value with messages, not a session, which nests values deeper."""
    lists = [inner for inner in value.values() if isinstance(inner, list)]
    return _is_message(value) or any(_messages_in(inner)[0] for inner in lists)


def _messages_in(value: Any) -> tuple[list[dict[str, Any]], Any]:
    """Split a value into its list of messages and the rest."""
    if _is_message(value):
        return [value], None
    if isinstance(value, list) and value:
        # AgentScope for Python stores each message with its marks: [message, [mark, …]].
        if all(_is_message(item) for item in value):
            return value, None
        pairs = [item for item in value if isinstance(item, list) and item]
        if len(pairs) == len(value) and all(_is_message(item[0]) for item in pairs):
            return [item[0] | {"marks": item[1:]} for item in pairs], None
    if isinstance(value, dict):
        for name, inner in value.items():
            messages, rest = _messages_in(inner) if isinstance(inner, list | dict) else ([], None)
            if messages:
                others = {key: item for key, item in value.items() if key != name}
                return messages, others | ({name: rest} if rest not in ({}, None) else {})
    return [], value


def _is_message(value: Any) -> bool:
    return isinstance(value, dict) and isinstance(value.get("role"), str) and "content" in value
