"""AgentScope's sessions, in the four ways it has kept them.

A session has values by name ("state keys"). Each becomes a cell of one notebook: a list of
messages its turns, anything else an event ``state``. They lie in a folder per session
(``{key}.json``, ``{key}.jsonl``), in a single JSON per session (older), in a table, or in Redis.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ...models import Session
from .base import NotUnderstood, Read, Source, decoded, loads, made_id, session_of, time_of
from .lines import lines_of
from .messages import Message, items_of, kept, role_of, text_of

FORMAT = "agentscope"
HASH = ":_hash"
"""What its own bookkeeping of a value ends with; nothing that was said."""


def read(source: Source) -> Read:
    """A file of a session's folder, or an older file with a whole session."""
    stem = source.path.stem
    if source.path.suffix == ".jsonl":
        values, complaints = lines_of(source.data)
        sessions = [cell(source.folder, stem, values)] if values else []
        return Read(sessions, not_understood=complaints)
    value = loads(decoded(source.data))
    if not source.agentscope and isinstance(value, dict) and not _holds_list(value):
        return Read(whole(stem, value))
    return Read([cell(source.folder, stem, value)])


def whole(session_id: str, values: Any) -> list[Session]:
    """A session that was kept as one value with all of them in it."""
    if not isinstance(values, Mapping):
        raise NotUnderstood("not an AgentScope session")
    return [cell(session_id, str(key), value) for key, value in values.items()]


def cell(session_id: str, key: str, value: Any, created: str | None = None) -> Session:
    """One value of a session."""
    origin = {"format": FORMAT, "name": f"{session_id}/{key}"}
    messages, rest = _messages_in(value)
    items = items_of(map(_message, messages), origin)
    if rest not in ({}, [], None) or not messages:
        items.append(kept("state", [rest], origin))
    return session_of(
        made_id(FORMAT, session_id),
        made_id(FORMAT, session_id, key),
        items,
        origin=origin,
        created=created,
    )


def rows(found: Iterable[Mapping[str, Any]]) -> Read:
    """The rows of one session of its table, of the newer shape or the older."""
    read = Read()
    values: dict[tuple[str, str], list[tuple[Any, str | None]]] = {}
    for row in sorted(found, key=lambda row: row.get("item_index") or 0):
        session_id, state = str(row["session_id"]), row["state_data"]
        key = str(row.get("state_key") or "")
        if key.endswith(HASH):
            continue
        created = time_of(row.get("created_at"))
        try:
            value = loads(state) if isinstance(state, str) else state
            if "state_key" in row:
                values.setdefault((session_id, key), []).append((value, created))
            else:
                read.sessions += whole(session_id, value)
        except NotUnderstood as reason:
            where = f"{session_id} {key} {row.get('item_index', '')}".strip()
            read.not_understood.append(f"{where}: {reason}")
    for (session_id, key), states in values.items():
        # One row may be a value, or a list of one: the same is made of both.
        value = states[0][0] if len(states) == 1 else [state for state, _ in states]
        read.sessions.append(cell(session_id, key, value, states[0][1]))
    return read


def has_messages(value: Any) -> bool:
    """Whether there is a list of messages anywhere in a value."""
    return bool(_messages_in(value)[0])


def _holds_list(value: dict[str, Any]) -> bool:
    """Whether the messages stand right in it, as in a value; a session has them one name deeper."""
    lists = [inner for inner in value.values() if isinstance(inner, list)]
    return _is_message(value) or any(_messages_in(inner)[0] for inner in lists)


def _messages_in(value: Any) -> tuple[list[dict[str, Any]], Any]:
    """The list of messages in a value, and what else is in it."""
    if _is_message(value):
        return [value], None
    if isinstance(value, list) and value:
        # Its Python version keeps each message with its marks: [message, [mark, …]].
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


def _message(raw: dict[str, Any]) -> Message:
    return Message(
        role=role_of(raw["role"]),
        text=text_of(raw["content"]),
        raw=raw,
        timestamp=time_of(raw.get("timestamp")),
    )
