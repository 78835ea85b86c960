"""Read AgentScope's sessions from a SQL database or Redis.

Invariants: only read commands are sent. Messages contain URLs without passwords, and no texts of
the driver.
"""

from __future__ import annotations

import asyncio
import importlib
import re
from collections.abc import AsyncIterator, Generator, Iterator
from typing import Any

from ..errors import SettingError, StorageUnreachable
from ..sessions.factory import hide_password
from ..sessions.sql.address import resolve
from .importers import agentscope
from .importers.base import Read, UnreadableSource, loads

_KEYS = ":_keys"
_LIST = ":list"
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_$]{0,63}(\.[A-Za-z_][A-Za-z0-9_$]{0,63})?")
_COLUMNS = ("session_id", "state_key", "item_index", "state_data", "created_at")


class Database:
    """The sessions in a table of a SQL database."""

    def __init__(self, url: str, table: str) -> None:
        if not _NAME.fullmatch(table):
            raise SettingError(f"“{table}” is not a valid table name.")
        self._url, self._table = url, table

    def __len__(self) -> int:
        return 0

    async def parts(self) -> AsyncIterator[tuple[str, Read]]:
        """Yield the name and content of each session."""
        parts = await asyncio.to_thread(self._parts)
        try:
            while part := await asyncio.to_thread(next, parts, None):
                yield part
        finally:
            await asyncio.to_thread(parts.close)

    def _parts(self) -> Generator[tuple[str, Read], None, None]:
        address = resolve(self._url, "", "")
        sqlalchemy = _package("sqlalchemy", "sql")
        engine = sqlalchemy.create_engine(address.url, connect_args=address.connect_args)
        try:
            with engine.connect() as connection:
                yield from self._sessions(sqlalchemy, connection)
        except (sqlalchemy.exc.SQLAlchemyError, OSError) as error:
            raise StorageUnreachable(
                f"Can't read the sessions in {hide_password(self._url)}. "
                "Check the URL, the login, and that the database is running."
            ) from error
        finally:
            engine.dispose()

    def _sessions(self, sqlalchemy: Any, connection: Any) -> Iterator[tuple[str, Read]]:
        schema, _, name = self._table.rpartition(".")
        inspector = sqlalchemy.inspect(connection)
        names: set[str] = set()
        if inspector.has_table(name, schema=schema or None):
            names = {column["name"] for column in inspector.get_columns(name, schema or None)}
        if not {"session_id", "state_data"} <= names:
            raise SettingError(
                f"No AgentScope table “{self._table}” in {hide_password(self._url)}. "
                "Set its name with --table. (To copy an AI Server store, use “sessions copy”.)"
            )
        selected = [sqlalchemy.column(column) for column in _COLUMNS if column in names]
        order = [column for column in selected if column.name in ("state_key", "item_index")]
        table = sqlalchemy.table(name, *selected, schema=schema or None)
        # One session at a time: all of them may not fit into memory.
        session_id = table.c.session_id
        ids = connection.execute(sqlalchemy.select(session_id).distinct())
        for value in sorted(ids.scalars().all(), key=str):
            query = sqlalchemy.select(table).where(session_id == value).order_by(*order)
            rows = connection.execute(query).mappings().all()
            # A case-insensitive column also returns rows of other sessions.
            session_rows = [row for row in rows if row["session_id"] == value]
            yield str(value), agentscope.read_rows(session_rows)


class Redis:
    """The sessions under a key prefix in Redis."""

    def __init__(self, url: str, prefix: str) -> None:
        self._url, self._prefix = url, prefix

    def __len__(self) -> int:
        return 0

    async def parts(self) -> AsyncIterator[tuple[str, Read]]:
        """Yield the name and content of each session."""
        redis = _package("redis.asyncio", "redis")
        errors = _package("redis.exceptions", "redis")
        try:
            client = redis.Redis.from_url(self._url, decode_responses=True)
        except ValueError as error:
            raise SettingError(f"“{hide_password(self._url)}” is not a valid Redis URL.") from error
        try:
            async for part in self._sessions(client):
                yield part
        except (errors.RedisError, OSError, UnicodeDecodeError) as error:
            raise StorageUnreachable(
                f"Can't read the sessions in {hide_password(self._url)}. "
                "Check the URL, the login, and that Redis is running."
            ) from error
        finally:
            await client.aclose()

    async def _sessions(self, client: Any) -> AsyncIterator[tuple[str, Read]]:
        start = len(self._prefix)
        pattern = re.sub(r"([*?\[\]\\])", r"\\\1", self._prefix) + "*"
        names = {name async for name in client.scan_iter(match=pattern, count=1000)}
        sessions = {name[start : -len(_KEYS)] for name in names if name.endswith(_KEYS)}
        seen: set[str] = set()
        for session_id in sorted(sessions):
            read = Read()
            members = await client.smembers(f"{self._prefix}{session_id}{_KEYS}")
            for key in sorted({member.removesuffix(_LIST) for member in members}):
                base = f"{self._prefix}{session_id}:{key}"
                seen |= {base, base + _LIST}
                await self._value(client, session_id, key, base, read)
            seen.add(f"{self._prefix}{session_id}{_KEYS}")
            yield session_id, read
        for name in sorted(names - seen):
            session_id = name[start:]
            is_part = any(session_id.startswith(f"{other}:") for other in sessions)
            if is_part and name.endswith(agentscope.HASH):
                continue
            yield session_id, await self._single_value(client, name, session_id)

    async def _value(self, client: Any, session_id: str, key: str, base: str, read: Read) -> None:
        """Read a value and a list of the same name; either may exist."""
        for name in (base, base + _LIST):
            kind = await client.type(name)
            texts = [await client.get(name)] if kind == "string" else []
            if kind == "list":
                texts = await client.lrange(name, 0, -1)
            values = []
            for number, text in enumerate(texts):
                try:
                    values.append(loads(text))
                except UnreadableSource as reason:
                    read.unreadable.append(f"{session_id} {key} {number}: {reason}")
            if values:
                value = values if kind == "list" else values[0]
                read.sessions.append(agentscope.cell(session_id, key, value))

    async def _single_value(self, client: Any, name: str, session_id: str) -> Read:
        """Read a session in the older format: one string with all values."""
        try:
            if await client.type(name) != "string":
                raise UnreadableSource("not an AgentScope session")
            return Read(agentscope.cells_of(session_id, loads(await client.get(name))))
        except UnreadableSource as reason:
            return Read(unreadable=[f"{session_id}: {reason}"])


def _package(name: str, extra: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise SettingError(
            f"This needs one more Python package: pip install 'aiserver[{extra}]'"
        ) from error
