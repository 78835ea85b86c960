"""The servers of the tests start, keep their data when killed, and leave no files."""

from __future__ import annotations

import os
import re
import socket
import subprocess
import sys
from pathlib import Path
from subprocess import PIPE

import pytest

from .ports import last_lines
from .servers import MariaDB, PostgreSQL, Redis, Server, need, new_database, run

pytestmark = pytest.mark.thorough

ROOT = Path(__file__).parent.parent


@pytest.mark.parametrize("kind", [PostgreSQL, MariaDB, Redis])
def test_a_server_runs_on_loopback_and_leaves_no_files(kind: type[Server]) -> None:
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


def test_redis_keeps_acknowledged_writes() -> None:
    import redis.asyncio

    need(Redis)

    async def put(url: str) -> None:
        async with redis.asyncio.Redis.from_url(url) as client:
            await client.set("名", "值")

    async def get(url: str) -> bytes | str | None:
        async with redis.asyncio.Redis.from_url(url) as client:
            return await client.get("名")

    with Redis() as server:
        run(put(server.url))
        server.kill()
        server.start()
        assert run(get(server.url)) == "值".encode()
        assert Path(f"/proc/{server.pid}").exists() or os.name != "posix"


def test_a_reserved_port_is_exclusive_before_and_between_starts() -> None:
    """Other programs get other ports, even while a killed server is down."""
    need(Redis)
    with Redis() as server:
        for _ in range(2):
            server.kill()
            with socket.socket() as other, pytest.raises(OSError, match="in use"):
                other.bind(("127.0.0.1", server.port))
            server.start()


def test_a_port_of_a_closed_socket_is_not_reserved() -> None:
    """That is why ``ReservedPort`` keeps its socket open."""
    bound_and_closed = re.compile(
        r"with socket\.socket\(\) as \w+:\n\s+\w+\.bind\(\(.*, 0\)\)\n.*getsockname"
    )
    files = [*(ROOT / "tests").rglob("*.py"), *(ROOT / "benchmarks").rglob("*.py")]
    assert not [path.name for path in files if bound_and_closed.search(path.read_text("utf-8"))]


def test_ports_are_reserved_for_tests_in_another_language() -> None:
    command = [sys.executable, "-m", "tests.ports", "2"]
    with subprocess.Popen(command, stdin=PIPE, stdout=PIPE, text=True, cwd=ROOT) as holder:
        assert holder.stdout and holder.stdin
        numbers = [int(word) for word in holder.stdout.readline().split()[1:]]
        assert len(numbers) == 2
        for number in numbers:
            with socket.socket() as other, pytest.raises(OSError, match="in use"):
                other.bind(("127.0.0.1", number))
        holder.stdin.close()
        assert holder.wait(timeout=30) == 0


def test_a_server_that_does_not_start_shows_the_end_of_its_log() -> None:
    need(Redis)
    with pytest.raises(RuntimeError, match=r"(?s)did not start.*no-such-option"):
        Redis("--no-such-option", "1").__enter__()
    assert last_lines("\n".join(map(str, range(150)))).splitlines()[:2] == [
        "(50 lines before these)",
        "50",
    ]
