"""Import AgentScope's sessions, which AgentScope stores in one of four formats.

An AgentScope session consists of values, each of which has a name, its "state key". The session
becomes one notebook, and each of its values becomes one cell. Messages in a value become turns and
events. All other data in a value is stored in an event of the type ``state``.

The four formats are:

- a folder with the files ``{key}.json`` and ``{key}.jsonl``
- one JSON file (in older versions of AgentScope)
- rows in a table of a SQL database
- keys in Redis
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ....models import Session
from .base import (
    InputFile,
    ReadResult,
    UnreadableInput,
    create_session,
    derive_id,
    load_json,
    loads,
    objects_in_lines,
    to_timestamp,
)
from .messages import message_event, message_of, records_from

FORMAT = "agentscope"
HASH_SUFFIX = ":_hash"
"""The end of the names of AgentScope's internal hashes, which are not imported."""


def read(file: InputFile) -> ReadResult:
    """Convert a file: one value of an AgentScope session or, from an older version, all values."""
    stem = file.path.stem
    if file.path.suffix == ".jsonl":
        messages, problems = objects_in_lines(file.data)
        sessions = [session_from_value(file.folder, stem, messages)] if messages else []
        return ReadResult(sessions, unreadable=problems)
    value = load_json(file.data)
    is_value = file.is_in_agentscope_folder or not isinstance(value, dict)
    if not is_value and not _is_value_with_messages(value):
        return ReadResult(sessions_from(stem, value))
    return ReadResult([session_from_value(file.folder, stem, value)])


def sessions_from(session_id: str, values: Any) -> list[Session]:
    """Convert a session that is one object, which maps state keys to values.

    Raises UnreadableInput if ``values`` isn't an object.
    """
    if not isinstance(values, Mapping):
        raise UnreadableInput("not an AgentScope session")
    return [session_from_value(session_id, str(key), value) for key, value in values.items()]


def session_from_value(
    session_id: str, key: str, value: Any, created: str | None = None
) -> Session:
    """Convert one value, whose state key is ``key``, to the session of one cell."""
    origin = {"format": FORMAT, "name": f"{session_id}/{key}"}
    messages, other_data = _split_messages(value)
    records = records_from(map(message_of, messages), origin)
    if other_data not in ({}, [], None) or not messages:
        records.append(message_event("state", [other_data], origin))
    return create_session(
        derive_id(FORMAT, session_id),
        derive_id(FORMAT, session_id, key),
        records,
        origin=origin,
        created=created,
    )


def read_rows(rows: Iterable[Mapping[str, Any]]) -> ReadResult:
    """Convert the table rows of one AgentScope session.

    In the newer format, a row contains a single value, or one message of a value that is a list. In
    the older format, a row contains the whole session.
    """
    result = ReadResult()
    # Maps a session id and a state key to the content and time of each row of this value.
    row_contents: dict[tuple[str, str], list[tuple[Any, str | None]]] = {}
    for row in sorted(rows, key=lambda row: row.get("item_index") or 0):
        session_id, data = str(row["session_id"]), row["state_data"]
        key = str(row.get("state_key") or "")
        if key.endswith(HASH_SUFFIX):
            continue
        created = to_timestamp(row.get("created_at"))
        try:
            content = loads(data) if isinstance(data, str) else data
            if "state_key" in row:
                row_contents.setdefault((session_id, key), []).append((content, created))
            else:
                result.sessions += sessions_from(session_id, content)
        except UnreadableInput as reason:
            row_name = f"{session_id} {key} {row.get('item_index', '')}".strip()
            result.unreadable.append(f"{row_name}: {reason}")
    for (session_id, key), contents in row_contents.items():
        # A single row contains a single value, or the only message of a list. Both are converted as
        # a single value: a message and a list with only this message result in the same session.
        value = contents[0][0] if len(contents) == 1 else [content for content, _ in contents]
        created = contents[0][1]
        result.sessions.append(session_from_value(session_id, key, value, created))
    return result


def has_messages(value: Any) -> bool:
    """Return whether a value contains a list of messages."""
    return bool(_split_messages(value)[0])


def _is_value_with_messages(content: dict[str, Any]) -> bool:
    """Return whether an object from a file is one value: a message, or one with a list of messages.

    Any other object is a whole session, and its fields are the session's values.
    """
    lists = [inner for inner in content.values() if isinstance(inner, list)]
    return _is_message(content) or any(_split_messages(inner)[0] for inner in lists)


def _split_messages(value: Any) -> tuple[list[dict[str, Any]], Any]:
    """Return the messages that a value contains, and the value's other data.

    Of several lists of messages, only the first one is returned as messages.
    """
    if _is_message(value):
        return [value], None
    if isinstance(value, list) and value:
        if all(_is_message(element) for element in value):
            return value, None
        # AgentScope for Python stores each message with labels, called marks: [message, [mark, …]].
        pairs = [element for element in value if isinstance(element, list) and element]
        if len(pairs) == len(value) and all(_is_message(pair[0]) for pair in pairs):
            return [pair[0] | {"marks": pair[1:]} for pair in pairs], None
    if isinstance(value, dict):
        for name, inner in value.items():
            if not isinstance(inner, list | dict):
                continue
            messages, inner_data = _split_messages(inner)
            if messages:
                other_data = {key: data for key, data in value.items() if key != name}
                if inner_data not in ({}, None):
                    other_data[name] = inner_data
                return messages, other_data
    return [], value


def _is_message(value: Any) -> bool:
    return isinstance(value, dict) and isinstance(value.get("role"), str) and "content" in value
