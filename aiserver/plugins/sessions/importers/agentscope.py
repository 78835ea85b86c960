"""Import AgentScope's sessions.

A session consists of values with names, the "state keys". The session becomes a notebook, each
value a cell. Messages become turns and events, and all other data an event ``state``.

There are four formats:

- a folder with the files ``{key}.json`` and ``{key}.jsonl``
- one JSON file (in older versions of AgentScope)
- rows in a table of a SQL database
- keys in Redis

Invariants: only commands that read are sent to a database. An error message has no password and
nothing from the driver.
"""

from __future__ import annotations

import asyncio
import importlib
import re
from collections.abc import AsyncIterator, Generator, Iterable, Iterator, Mapping
from typing import Any

from ....errors import SettingError, StorageUnreachable
from ....models import Session
from ....sessions.factory import hide_password
from ....sessions.sql.address import resolve_address
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
from .chats import message_event, message_of, records_from

FORMAT = "agentscope"
_HASH_SUFFIX = ":_hash"  # of AgentScope's internal hashes, which aren't imported
# Redis has the set of a session's state keys under `{prefix}{session id}:_keys`, a single value
# under `{prefix}{session id}:{key}`, and a list under `{prefix}{session id}:{key}:list`.
_KEYS_SUFFIX = ":_keys"
_LIST_SUFFIX = ":list"
# `table` or `schema.table`
_TABLE_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_$]{0,63}(\.[A-Za-z_][A-Za-z0-9_$]{0,63})?")
_COLUMNS = ("session_id", "state_key", "item_index", "state_data", "created_at")


def read(file: InputFile) -> ReadResult:
    """Convert a file with one value or, from an older version, all."""
    stem = file.path.stem
    if file.path.suffix == ".jsonl":
        messages, problems = objects_in_lines(file.data)
        sessions = [session_from_value(file.path.parent.name, stem, messages)] if messages else []
        return ReadResult(sessions, unreadable=problems)
    value = load_json(file.data)
    is_value = file.is_in_agentscope_folder or not isinstance(value, dict)
    if not is_value and not _is_value_with_messages(value):
        return ReadResult(sessions_from(stem, value))
    return ReadResult([session_from_value(file.path.parent.name, stem, value)])


def sessions_from(session_id: str, values: Any) -> list[Session]:
    """Convert an object that maps state keys to values. Raises UnreadableInput."""
    if not isinstance(values, Mapping):
        raise UnreadableInput("not an AgentScope session")
    return [session_from_value(session_id, str(key), value) for key, value in values.items()]


def session_from_value(
    session_id: str, key: str, value: Any, created: str | None = None
) -> Session:
    """Convert the value of a state key to the session of a cell."""
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
    """Convert one session's table rows.

    A row contains a single value, or one message of a list; in the older format, the whole session.
    """
    result = ReadResult()
    # The content and time of each row, by session id and state key.
    row_contents: dict[tuple[str, str], list[tuple[Any, str | None]]] = {}
    for row in sorted(rows, key=lambda row: row.get("item_index") or 0):
        session_id, data = str(row["session_id"]), row["state_data"]
        key = str(row.get("state_key") or "")
        if key.endswith(_HASH_SUFFIX):
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
        # One row is a single value, or a list's only message: both result in the same session.
        value = contents[0][0] if len(contents) == 1 else [content for content, _ in contents]
        created = contents[0][1]
        result.sessions.append(session_from_value(session_id, key, value, created))
    return result


def has_messages(value: Any) -> bool:
    """Return whether a value contains a list of messages."""
    return bool(_split_messages(value)[0])


def _is_value_with_messages(content: dict[str, Any]) -> bool:
    """Return whether an object is a message, or has a list of messages.

    Any other is a whole session, and its fields are values.
    """
    lists = [inner for inner in content.values() if isinstance(inner, list)]
    return _is_message(content) or any(_split_messages(inner)[0] for inner in lists)


def _split_messages(value: Any) -> tuple[list[dict[str, Any]], Any]:
    """Return a value's messages, and its other data.

    Of several lists of messages, only the first one counts.
    """
    if _is_message(value):
        return [value], None
    if isinstance(value, list) and value:
        if all(_is_message(element) for element in value):
            return value, None
        # AgentScope for Python stores [message, [mark, …]].
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


class AgentScopeDatabase:
    """Sessions in a table of a SQL database."""

    def __init__(self, url: str, table: str) -> None:
        if not _TABLE_NAME.fullmatch(table):
            raise SettingError(f"“{table}” is not a valid table name.")
        self._url, self._table = url, table

    async def results(self) -> AsyncIterator[tuple[str, ReadResult]]:
        results = await asyncio.to_thread(self._read)
        try:
            while result := await asyncio.to_thread(next, results, None):
                yield result
        finally:
            await asyncio.to_thread(results.close)

    def _read(self) -> Generator[tuple[str, ReadResult], None, None]:
        address = resolve_address(self._url, "", "")
        sqlalchemy = _import_optional("sqlalchemy", "sql")
        engine = sqlalchemy.create_engine(address.url, connect_args=address.connect_args)
        try:
            with engine.connect() as connection:
                yield from self._read_table(sqlalchemy, connection)
        except (sqlalchemy.exc.SQLAlchemyError, OSError) as error:
            raise StorageUnreachable(
                f"Can't read the sessions in {hide_password(self._url)}. "
                "Check the URL, the login, and that the database is running."
            ) from error
        finally:
            engine.dispose()

    def _read_table(self, sqlalchemy: Any, connection: Any) -> Iterator[tuple[str, ReadResult]]:
        """Yield each session's id and content. Raises SettingError for another table."""
        schema, _, name = self._table.rpartition(".")
        inspector = sqlalchemy.inspect(connection)
        existing_columns: set[str] = set()
        if inspector.has_table(name, schema=schema or None):
            columns = inspector.get_columns(name, schema or None)
            existing_columns = {column["name"] for column in columns}
        if not {"session_id", "state_data"} <= existing_columns:
            raise SettingError(
                f"No AgentScope table “{self._table}” in {hide_password(self._url)}. "
                "Set its name with --table. (To copy an AI Server store, use “sessions copy”.)"
            )
        selected = [sqlalchemy.column(column) for column in _COLUMNS if column in existing_columns]
        order = [column for column in selected if column.name in ("state_key", "item_index")]
        table = sqlalchemy.table(name, *selected, schema=schema or None)
        # One query for each session, because the table may be too large for the memory.
        id_column = table.c.session_id
        ids = connection.execute(sqlalchemy.select(id_column).distinct())
        for session_id in sorted(ids.scalars().all(), key=str):
            query = sqlalchemy.select(table).where(id_column == session_id).order_by(*order)
            rows = connection.execute(query).mappings().all()
            # Some databases ignore case, and return other sessions' rows, too.
            session_rows = [row for row in rows if row["session_id"] == session_id]
            yield str(session_id), read_rows(session_rows)


class AgentScopeRedis:
    """Sessions in Redis, in keys that begin with a prefix.

    Here, a "name" is that of a Redis key, and a "key" a state key.
    """

    def __init__(self, url: str, prefix: str) -> None:
        self._url, self._prefix = url, prefix

    async def results(self) -> AsyncIterator[tuple[str, ReadResult]]:
        redis = _import_optional("redis.asyncio", "redis")
        errors = _import_optional("redis.exceptions", "redis")
        try:
            client = redis.Redis.from_url(self._url, decode_responses=True)
        except ValueError as error:
            raise SettingError(f"“{hide_password(self._url)}” is not a valid Redis URL.") from error
        try:
            async for result in self._read(client):
                yield result
        except (errors.RedisError, OSError, UnicodeDecodeError) as error:
            raise StorageUnreachable(
                f"Can't read the sessions in {hide_password(self._url)}. "
                "Check the URL, the login, and that Redis is running."
            ) from error
        finally:
            await client.aclose()

    async def _read(self, client: Any) -> AsyncIterator[tuple[str, ReadResult]]:
        prefix = self._prefix
        pattern = re.sub(r"([*?\[\]\\])", r"\\\1", prefix) + "*"
        names = {name async for name in client.scan_iter(match=pattern, count=1000)}
        key_sets = [name for name in names if name.endswith(_KEYS_SUFFIX)]
        session_ids = {name[len(prefix) : -len(_KEYS_SUFFIX)] for name in key_sets}
        read_names: set[str] = set()
        for session_id in sorted(session_ids):
            result = ReadResult()
            state_keys = await client.smembers(f"{prefix}{session_id}{_KEYS_SUFFIX}")
            for key in sorted({state_key.removesuffix(_LIST_SUFFIX) for state_key in state_keys}):
                name = f"{prefix}{session_id}:{key}"
                read_names |= {name, name + _LIST_SUFFIX}
                await self._read_value(client, session_id, key, result)
            read_names.add(f"{prefix}{session_id}{_KEYS_SUFFIX}")
            yield session_id, result
        # The rest are sessions in the older format, and internal hashes.
        for name in sorted(names - read_names):
            suffix = name[len(prefix) :]
            belongs_to_session = any(suffix.startswith(f"{each}:") for each in session_ids)
            if belongs_to_session and name.endswith(_HASH_SUFFIX):
                continue
            yield suffix, await self._read_older_session(client, name, suffix)

    async def _read_value(self, client: Any, session_id: str, key: str, result: ReadResult) -> None:
        value_name = f"{self._prefix}{session_id}:{key}"
        for name in (value_name, value_name + _LIST_SUFFIX):
            kind = await client.type(name)
            texts = [await client.get(name)] if kind == "string" else []
            if kind == "list":
                texts = await client.lrange(name, 0, -1)
            values = []
            for number, text in enumerate(texts):
                try:
                    values.append(loads(text))
                except UnreadableInput as reason:
                    result.unreadable.append(f"{session_id} {key} {number}: {reason}")
            if values:
                value = values if kind == "list" else values[0]
                result.sessions.append(session_from_value(session_id, key, value))

    async def _read_older_session(self, client: Any, name: str, session_id: str) -> ReadResult:
        try:
            if await client.type(name) != "string":
                raise UnreadableInput("not an AgentScope session")
            return ReadResult(sessions_from(session_id, loads(await client.get(name))))
        except UnreadableInput as reason:
            return ReadResult(unreadable=[f"{session_id}: {reason}"])


def _import_optional(name: str, extra: str) -> Any:
    """Import an optional module. Raises SettingError if it isn't installed."""
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise SettingError(
            f"This needs one more Python package: pip install 'aiserver[{extra}]'"
        ) from error
