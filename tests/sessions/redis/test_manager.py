"""The Redis store: its URL, notices at start, verify and repair."""

from __future__ import annotations

import asyncio
import itertools
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import pytest
import redis
from hypothesis import given
from hypothesis import strategies as st

from aiserver.errors import InvalidRequest, SettingError
from aiserver.models import SessionKey
from aiserver.sessions.base import SessionManager, VerifyResult
from aiserver.sessions.factory import create_session_manager
from aiserver.sessions.record import codec
from aiserver.sessions.redis import RedisSessionManager
from aiserver.sessions.redis.guarantees import is_full, missing_guarantees
from aiserver.sessions.redis.keys import (
    Keyspace,
    cell_name,
    decode_owner,
    encode_owner,
    parse_cell_name,
)
from aiserver.testing.records import KEY, event, in_loop, log_entry, turn

from ...servers import PASSWORD, Redis
from ..conftest import RedisBackend

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


def test_a_missing_package_is_reported_with_its_install_command() -> None:
    script = (
        "import sys; sys.modules['redis'] = None\n"
        "from aiserver.sessions.factory import create_session_manager\n"
        "from aiserver.errors import SettingError\n"
        "try: create_session_manager('redis://localhost')\n"
        "except SettingError as error: print(error.message)\n"
    )
    output = subprocess.check_output([sys.executable, "-c", script], text=True)
    assert output.strip().endswith("pip install 'aiserver[redis]'")


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
ids = st.from_regex(r"[A-Za-z0-9_-]{1,64}", fullmatch=True)


@given(owner=owners, other=owners, notebook=ids, cell=ids)
def test_names_are_one_to_one(owner: str, other: str, notebook: str, cell: str) -> None:
    """P9"""
    names, key = Keyspace("p:"), SessionKey(notebook, cell, owner)
    assert decode_owner(encode_owner(owner)) == owner
    assert parse_cell_name(cell_name(key), owner) == key
    ours = names.session_keys(key)[3:]
    theirs = names.session_keys(SessionKey(notebook, cell, other))[3:]
    assert (ours == theirs) is (owner == other)
    assert len(set(ours)) == 4


@given(keys=st.lists(st.tuples(ids, ids), max_size=8))
def test_names_are_in_the_order_of_ids(keys: list[tuple[str, str]]) -> None:
    names = {cell_name(SessionKey(*pair)): pair for pair in keys}
    assert [names[name] for name in sorted(names)] == sorted(names.values())


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


async def problems_of(store: SessionManager, **options: Any) -> list[VerifyResult]:
    return [checked async for checked in store.verify(**options) if checked.problem]


Break = Callable[[RedisBackend, list[str]], Any]
BREAKS: dict[str, Break] = {
    "counter": lambda b, n: b.server.hset(n[3], "seq", 1),
    "since": lambda b, n: b.server.hdel(n[3], "since"),
    "row": lambda b, n: b.server.hset(n[2], cell_name(KEY), "{}"),
    "no row": lambda b, n: b.server.delete(n[2]),
    "not listed": lambda b, n: b.server.delete(n[1]),
    "owner not listed": lambda b, n: b.server.delete(n[0]),
    "ids": lambda b, n: b.server.delete(n[6]),
}


@pytest.mark.parametrize("how", BREAKS)
@in_loop
async def test_counters_and_indexes_are_rebuilt(redis_backend: RedisBackend, how: str) -> None:
    store = redis_backend.open()
    for number in range(3):
        await store.save_interaction(KEY, turn(str(number)))
        await store.record_events(KEY, [event("context_reset", id=str(number))])
    expected = await store.load_raw(KEY)
    listed = await store.list_sessions()
    assert await problems_of(store) == []
    BREAKS[how](redis_backend, redis_backend.names.session_keys(KEY))
    [flaw] = await problems_of(store)
    assert "out of date" in (flaw.problem or "")
    assert not flaw.repaired
    [flaw] = await problems_of(store, repair=True)
    assert flaw.repaired
    assert await problems_of(store) == []
    assert await store.load_raw(KEY) == expected
    assert await store.list_sessions() == listed
    assert await store.list_owners() == [""]
    [again], _ = await store.record_events(KEY, [event(id="1")])
    assert again.seq == 4
    assert (await store.save_interaction(KEY, turn()))[0].turn_id == 4


@pytest.mark.parametrize("text", [b"", b"{", b"[]", b'{"turn_id": 9}', b"\xff\xfe"])
@in_loop
async def test_invalid_turns_are_quarantined(redis_backend: RedisBackend, text: bytes) -> None:
    """P22: intact records are read, even before the repair, and no byte is lost."""
    store, server = redis_backend.open(), redis_backend.server
    for number in range(3):
        await store.save_interaction(KEY, turn(str(number)))
    await store.save_interaction(OTHER, turn())
    names = redis_backend.names.session_keys(KEY)
    cast("Any", server).lset(names[4], 1, text)
    for _ in range(2):
        session = await redis_backend.open().load_session(KEY)
        assert [t.user_request.intent for t in session.interactions] == ["0", "2"]
        assert [e.type for e in session.events or []] == ["recovered"]
        raw, _ = await store.load_raw(KEY) or (b"", 0)
        assert codec.parse(raw, KEY) == session
        assert len(await store.get_history(KEY)) == 2
    await store.save_interaction(KEY, turn("3"))
    [flaw] = await problems_of(store, repair=True)
    assert flaw.repaired
    assert flaw.location == f"{KEY.notebook_id}/{KEY.cell_id}"
    assert await problems_of(store) == []
    session = await store.load_session(KEY)
    assert [t.user_request.intent for t in session.interactions] == ["0", "2", "3"]
    [quarantined] = server.lrange(
        redis_backend.names.owner_key("damaged", "", *cell_name(KEY).split()), 0, -1
    )
    assert text in quarantined
    assert len(await store.get_history(OTHER)) == 1


@in_loop
async def test_sessions_missing_in_an_index_are_found(redis_backend: RedisBackend) -> None:
    store, server = redis_backend.open(), redis_backend.server
    for key in (KEY, OTHER):
        await store.save_interaction(key, turn("kept"))
    server.delete(redis_backend.names.session_keys(KEY)[3])  # its head
    server.delete(*redis_backend.names.session_keys(OTHER)[3:])  # all of it
    flaws = await problems_of(store, repair=True)
    assert [(flaw.repaired, "has no data" in (flaw.problem or "")) for flaw in flaws] == [
        (True, False),
        (True, True),
    ]
    assert await problems_of(store) == []
    rows, total = await store.list_sessions()
    assert ([row.cell_id for row in rows], total) == ([KEY.cell_id], 1)
    assert [t.user_request.intent for t in await store.get_history(KEY)] == ["kept"]


@in_loop
async def test_damaged_logs_and_blobs_are_reported(redis_backend: RedisBackend) -> None:
    store, server, names = redis_backend.open(), redis_backend.server, redis_backend.names
    for notebook_id in ("a", "b", "c"):
        await store.append_notebook_log(notebook_id, [log_entry(path="1"), log_entry(path="2")])
    digest = await store.put_blob(b"right")
    assert await problems_of(store) == []
    server.rpush(names.owner_key("log", "", "a"), "no line")
    server.hset(names.owner_key("notebooks", ""), "b", "1 x")
    server.delete(names.owner_key("log", "", "c"))
    server.hset(names.owner_key("blobs", ""), digest, b"wrong")
    flaws = await problems_of(store, repair=True)
    assert [flaw.repaired for flaw in flaws] == [True, True, True, False]
    assert [flaw.location for flaw in await problems_of(store)] == [f"blob {digest}"]
    assert server.lrange(names.owner_key("damaged", "", "a"), 0, -1) == [b"no line"]
    assert await store.list_notebooks() == ["a", "b"]
    for notebook_id in ("a", "b"):
        [saved] = await store.append_notebook_log(notebook_id, [log_entry(path="3")])
        assert saved.seq == 3


@in_loop
async def test_a_newer_session_is_not_changed(
    redis_backend: RedisBackend, example: dict[str, Any]
) -> None:
    """P25"""
    example["meta"]["version"] = "2.0"
    redis_backend.plant(KEY, json.dumps(example).encode())
    redis_backend.server.hset(redis_backend.names.session_keys(KEY)[3], "seq", 99)
    before = redis_backend.content()
    assert await problems_of(redis_backend.open(), repair=True) == []
    assert redis_backend.content() == before


@in_loop
async def test_only_the_requested_part_of_a_history_is_read(redis_backend: RedisBackend) -> None:
    store = redis_backend.open()
    for number in range(300):
        await store.save_interaction(KEY, turn(f"{number}", code=""))
    for bounds, first in (
        ({"max_messages": 10}, 295),
        ({"max_tokens": 900, "count_tokens": lambda text: 1}, 0),
        ({"max_tokens": 450, "count_tokens": lambda text: 1}, 150),
        ({"max_tokens": 30, "count_tokens": lambda text: 1}, 290),
        ({"max_messages": 500, "max_tokens": 600, "count_tokens": lambda text: 1}, 100),
        ({"max_messages": 20, "max_tokens": 600, "count_tokens": lambda text: 1}, 290),
    ):
        turns = await store.get_history(KEY, **bounds)
        assert [t.user_request.intent for t in turns] == [str(n) for n in range(first, 300)]


@in_loop
async def test_long_lists_are_read_in_pages(
    redis_backend: RedisBackend, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("aiserver.sessions.redis.sessions._SUMMARIES_PER_CALL", 3)
    store = redis_backend.open()
    keys = [SessionKey(n, c) for n, c in itertools.product("ab", "12345")]
    await asyncio.gather(*(store.save_interaction(key, turn()) for key in keys))
    rows, total = await store.list_sessions()
    assert ([(r.notebook_id, r.cell_id) for r in rows], total) == (
        [(k.notebook_id, k.cell_id) for k in keys],
        10,
    )
    for offset, limit in itertools.product((0, 1, 4, 9, 20), (0, 1, 3, 6, 7, 20)):
        assert await store.list_sessions(offset=offset, limit=limit) == (
            rows[offset : offset + limit],
            10,
        )
    assert await store.list_sessions("b", offset=2, limit=9) == (rows[7:], 5)
    with pytest.raises(InvalidRequest):
        await store.list_sessions("a b")
