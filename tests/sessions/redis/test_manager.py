"""The Redis store: its URL, notices at start, data of earlier versions."""

from __future__ import annotations

import asyncio
import base64
import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
import redis
from hypothesis import given
from hypothesis import strategies as st

from aiserver.errors import SettingError
from aiserver.models import SessionKey
from aiserver.sessions.factory import create_session_manager
from aiserver.sessions.key_value import DAMAGED as KEPT
from aiserver.sessions.redis import RedisSessionManager
from aiserver.sessions.redis.client import Client, connection_options
from aiserver.sessions.redis.guarantees import is_full, missing_guarantees
from aiserver.sessions.redis.transaction import decode_owner, encode_owner
from aiserver.testing.records import KEY, in_loop, turn

from ...servers import PASSWORD, Redis
from ..conftest import RedisBackend
from ..projects import contents

OTHER = SessionKey(KEY.notebook_id, "other")
BAD = "redis://:canary@127.0.0.1:"


@pytest.mark.parametrize(
    "url",
    [
        BAD + "port",
        BAD + "6379/zero",
        BAD + "6379?protocol=new",
        BAD + "6379?nonsense=1",
        BAD + "6379?socket_timeout=soon",
        "redis://[::1",
    ],
)
def test_an_invalid_url_is_rejected_immediately(url: str) -> None:
    """P8"""
    with pytest.raises(SettingError) as caught:
        create_session_manager(url)
    assert "canary" not in f"{caught.value!r}"


@in_loop
async def test_the_password_may_be_in_a_file(redis_server: Redis, tmp_path: Path) -> None:
    """P8"""
    file = tmp_path / "password"
    url = redis_server.url.replace(f":{PASSWORD}@", "")
    store = RedisSessionManager(url=url, password_file=str(file), patience=0.1)
    with pytest.raises(SettingError, match="file"):
        await store.exists(KEY)
    file.write_text(f"{PASSWORD}\r\nand a note\n")
    await store.save_interaction(KEY, turn())
    await store.close()
    assert await store.exists(KEY), "a closed store does not reconnect"
    await store.close()


def test_closing_unused_connections_disturbs_no_command(redis_server: Redis) -> None:
    """P8: a command may begin just before the connections have been unused for a minute."""
    client = Client(lambda: connection_options(redis_server.url), patience=0.1)
    with ThreadPoolExecutor(1) as threads:
        waiting = threads.submit(client.command, "BLPOP", "no-such-list", "0.5")
        while b"cmd=blpop" not in client.command("CLIENT", "LIST"):
            pass
        client.close_idle()
        assert waiting.result() is None
    client.dispose()


@in_loop
async def test_prefixes_are_separate(redis_backend: RedisBackend) -> None:
    first = redis_backend.open()
    url, _, _ = redis_backend.url.partition("?")
    second = RedisSessionManager(url=url, prefix=f"{redis_backend.prefix}two:")
    await first.save_interaction(KEY, turn("one"))
    assert not await second.exists(KEY)
    assert await second.list_sessions() == ([], 0)
    await second.save_interaction(OTHER, turn("two"))
    assert (await first.list_sessions())[1] == 1
    locations = [checked.location async for checked in first.verify()]
    assert locations == [f"{KEY.notebook_id}/{KEY.cell_id}"]
    await second.close()


owners = st.text(st.characters(codec=None), max_size=6) | st.sampled_from(
    ["", ":", "%3A", "a:b", "\ud83d", "*[?]^\\", " "]
)


@given(owner=owners, other=owners)
def test_names_are_one_to_one(owner: str, other: str) -> None:
    """P9"""
    assert decode_owner(encode_owner(owner)) == owner
    assert (encode_owner(owner) == encode_owner(other)) is (owner == other)
    assert ":" not in encode_owner(owner)


LOG = {"aof_enabled": "1", "aof_last_write_status": "ok", "rdb_last_bgsave_status": "ok"}
MEMORY = LOG | {"aof_enabled": "0"}


@pytest.mark.parametrize(
    ("info", "config", "words"),
    [
        (LOG, {"appendfsync": "always"}, []),
        (LOG, {"appendfsync": "everysec"}, ["one second"]),
        (LOG, {"appendfsync": "no"}, ["Up to a minute"]),
        (LOG, None, ["does not report"]),
        (LOG, {"appendfsync": "always", "no-appendfsync-on-rewrite": "yes"}, ["rewrites"]),
        (MEMORY, {"save": "3600 1"}, ["only takes snapshots"]),
        (MEMORY, {"save": ""}, ["memory only"]),
        (MEMORY, None, ["does not report"]),
        (LOG | {"aof_last_write_status": "err"}, {"appendfsync": "always"}, ["recently failed"]),
        (LOG | {"rdb_last_bgsave_status": "err"}, {"appendfsync": "always"}, ["last snapshot"]),
        (LOG | {"role": "slave"}, {"appendfsync": "always"}, ["a replica"]),
        (LOG | {"redis_mode": "cluster"}, {"appendfsync": "always"}, ["Cluster"]),
        (
            LOG | {"maxmemory": "9", "maxmemory_policy": "allkeys-lru"},
            {"appendfsync": "always"},
            ["deletes data"],
        ),
        (
            LOG | {"maxmemory": "9", "maxmemory_policy": "noeviction"},
            {"appendfsync": "always"},
            [],
        ),
    ],
)
def test_missing_guarantees_are_reported(
    info: dict[str, str], config: dict[str, str] | None, words: list[str]
) -> None:
    notices = missing_guarantees(info, config)
    assert len(notices) == len(words), notices
    assert all(word in sentence for word, sentence in zip(words, notices, strict=True))


def test_when_memory_is_full() -> None:
    assert not is_full({"maxmemory": "0", "used_memory": "9"})
    assert is_full({"maxmemory": "9", "used_memory": "9", "maxmemory_policy": "noeviction"})
    assert not is_full({"maxmemory": "9", "used_memory": "9", "maxmemory_policy": "allkeys-lru"})


@in_loop
async def test_a_real_server_is_checked_at_start(redis_server: Redis) -> None:
    store = RedisSessionManager(url=redis_server.url)
    assert await store.start() == []
    with redis.Redis.from_url(redis_server.url) as admin:
        admin.config_set("appendfsync", "everysec")
        rules = {"categories": ["+@all"], "commands": ["-config"], "keys": ["*"]}
        admin.acl_setuser("plain", enabled=True, passwords=["+" + PASSWORD], **rules)
    [notice] = await store.start()
    assert "appendfsync always" in notice
    plain = RedisSessionManager(url=redis_server.url.replace("://:", "://plain:"))
    [notice] = await plain.start()
    assert "does not report" in notice
    await plain.save_interaction(KEY, turn())
    for each in (store, plain):
        await each.close()


EARLIER: dict[str, Any] = json.loads(
    Path(__file__).with_name("earlier-version.json").read_text("utf-8")
)
DAMAGED = SessionKey("damaged", "cell")


def decoded(value: Any) -> Any:
    return base64.b64decode(value["base64"]) if isinstance(value, dict) else value


@in_loop
async def test_data_of_earlier_versions_is_converted(redis_backend: RedisBackend) -> None:
    """P25: completely, once, also if two servers start; a damaged session loses no byte."""
    server: Any = redis_backend.server
    for name, (kind, values) in EARLIER["stored"].items():
        key = name.replace("aiserver:", redis_backend.prefix, 1)
        if kind == "hash":
            server.hset(key, mapping={decoded(a): decoded(b) for a, b in values})
        elif kind == "list":
            server.rpush(key, *map(decoded, values))
        elif kind == "set":
            server.sadd(key, *values)
        else:
            server.zadd(key, dict.fromkeys(values, 0))
    stores = [redis_backend.open(), redis_backend.open()]
    await asyncio.gather(*(store.list_owners() for store in stores))
    assert await contents(stores[0]) == EARLIER["expected"]
    intents = [each.user_request.intent for each in await stores[1].get_history(DAMAGED)]
    assert intents == ["intact"]
    assert (await stores[0].save_interaction(DAMAGED, turn("later")))[0].turn_id == 2
    preserved = await stores[0].read(lambda stored: stored.values(KEPT, "", "damaged/cell/"))
    assert b'"turn_id": 2, "te' in b"".join(preserved.values())
    present = f"{redis_backend.prefix}2:".encode()
    assert all(name.startswith(present) for name in redis_backend.content())
    for store in stores:
        await store.close()
