"""The tests' own servers: they start, keep what they were given when killed, and leave nothing."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from .servers import MariaDB, PostgreSQL, Redis, Server, need, new_database, run


@pytest.mark.parametrize("kind", [PostgreSQL, MariaDB, Redis])
def test_a_server_runs_on_loopback_and_leaves_nothing(kind: type[Server]) -> None:
    need(kind)
    with kind() as server:
        folder, pid = server.folder, server.pid
        server.kill()
        server.start()
        if kind is not Redis:
            assert new_database(server.url).startswith(server.url.rpartition("/")[0])
        pid = server.pid
    assert not folder.exists()
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


def test_redis_keeps_what_it_acknowledged() -> None:
    import redis.asyncio

    need(Redis)

    async def put(url: str) -> None:
        async with redis.asyncio.Redis.from_url(url) as client:
            await client.set("名", "值")

    async def get(url: str) -> bytes | None:
        async with redis.asyncio.Redis.from_url(url) as client:
            return await client.get("名")

    with Redis() as server:
        run(put(server.url))
        server.kill()
        server.start()
        assert run(get(server.url)) == "值".encode()
        assert Path(f"/proc/{server.pid}").exists() or os.name != "posix"
