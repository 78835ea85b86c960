"""Import AgentScope's tables and keys from a real MariaDB and a real Redis."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.servers import PASSWORD, new_database

from ..conftest import IMPORTS, Run, stored, tree

FOLDER = IMPORTS / "agentscope" / "user123"
MESSAGES = [
    json.loads(line) for line in (FOLDER / "memory_messages.jsonl").read_text().split("\n") if line
]
PLAN = json.loads((FOLDER / "plan_notebook.json").read_text())
LEGACY = json.loads((IMPORTS / "agentscope-legacy" / "user123.json").read_text())

_TABLE = """
CREATE TABLE agentscope_sessions (
  session_id VARCHAR(255) NOT NULL, state_key VARCHAR(255) NOT NULL,
  item_index INT NOT NULL DEFAULT 0, state_data LONGTEXT NOT NULL,
  created_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP,
  updated_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP ON UPDATE CURRENT_TIMESTAMP,
  PRIMARY KEY (session_id, state_key, item_index)
) DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_unicode_ci
"""
_OLD_TABLE = """
CREATE TABLE old_sessions (
  session_id VARCHAR(255) NOT NULL PRIMARY KEY, state_data JSON NOT NULL,
  created_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP, updated_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP
) DEFAULT CHARACTER SET utf8mb4
"""


def _execute(url: str, *statements: tuple[str, list[dict[str, Any]]]) -> list[Any]:
    from sqlalchemy import create_engine, text

    engine = create_engine(url.replace("mysql:", "mysql+pymysql:"))
    rows: list[Any] = []
    with engine.begin() as connection:
        for statement, values in statements:
            result = connection.execute(text(statement), values or None)
            rows = list(result) if result.returns_rows else []
    engine.dispose()
    return rows


@pytest.fixture
def agentscope_mysql(mysql_url: str) -> str:
    """Create an AgentScope database with the current and the old table."""
    url = new_database(mysql_url)
    rows = [
        {"s": "user123", "k": "memory_messages", "i": number, "d": json.dumps(message)}
        for number, message in enumerate(MESSAGES)
    ]
    rows += [
        {"s": "user123", "k": "plan_notebook", "i": 0, "d": json.dumps(PLAN)},
        {"s": "user123", "k": "memory_messages:_hash", "i": 0, "d": "1234abcd"},
        {"s": "broken", "k": "plan", "i": 0, "d": "{no json"},
    ]
    insert = (
        "INSERT INTO {} (session_id, state_key, item_index, state_data) VALUES (:s, :k, :i, :d)"
    )
    old = "INSERT INTO old_sessions (session_id, state_data) VALUES (:s, :d)"
    _execute(
        url,
        (_TABLE, []),
        (_OLD_TABLE, []),
        (insert.format("agentscope_sessions"), rows),
        (old, [{"s": "user123", "d": json.dumps(LEGACY)}]),
    )
    return url


def test_importing_a_table_equals_importing_its_folder(run: Run, work: Path, agentscope_mysql: str):
    url = agentscope_mysql
    checksum: tuple[str, list[Any]] = ("CHECKSUM TABLE agentscope_sessions", [])
    before = _execute(url, checksum)
    done = run("import", url)
    assert done.status == 1  # one row is not JSON
    assert "broken plan 0: not valid or complete JSON" in done.err
    assert "2 histories with 2 requests and 1 events" in done.out
    folder = work / "folder"
    run("import", FOLDER, "--store", folder)
    from_table, from_folder = stored(work), stored(folder)
    assert from_table.keys() == from_folder.keys()  # the same names as from files
    for name, session in from_table.items():
        actual = [turn.to_dict() for turn in session.interactions]
        expected = [turn.to_dict() for turn in from_folder[name].interactions]
        assert [turn | {"timestamp": ""} for turn in actual] == [
            turn | {"timestamp": ""} for turn in expected
        ]
    imported = tree(work / ".aiserver_sessions")
    assert "added      0 requests, 0 events" in run("import", url).out
    assert tree(work / ".aiserver_sessions") == imported
    assert _execute(url, checksum) == before


def test_the_old_table_is_imported(run: Run, work: Path, agentscope_mysql: str):
    done = run("import", agentscope_mysql, "--table", "old_sessions")
    assert done.status == 0, done.err
    intents = {
        turn.user_request.intent
        for session in stored(work).values()
        for turn in session.interactions
    }
    assert intents == {"Hello", "print the even numbers below 10"}


def test_database_errors_do_not_contain_the_password(run: Run, mysql_url: str):
    """P8"""
    empty = new_database(mysql_url)
    for url in (
        empty,
        empty.replace(PASSWORD, f"{PASSWORD}x"),
        empty.replace("127.0.0.1", "127.0.0.2"),
    ):
        done = run("import", url)
        assert done.status == 1 and done.err.endswith((".\n", ".)\n"))
        assert PASSWORD not in done.out + done.err
    done = run("import", empty, "--table", "x; DROP TABLE y")
    assert done.status == 1 and "not a valid table name" in done.err
    done = run("import", f"nothing://me:{PASSWORD}@127.0.0.1/x")
    assert done.status == 1 and PASSWORD not in done.out + done.err


@pytest.fixture
def agentscope_redis(redis_url: str) -> str:
    """Create AgentScope's keys, current and old."""
    import redis

    with redis.Redis.from_url(redis_url) as client:
        for name in client.scan_iter("agentscope:*"):
            client.delete(name)
        base = "agentscope:session:team:user123"  # a session's name may contain a colon
        client.rpush(f"{base}:memory_messages:list", *map(json.dumps, MESSAGES))
        client.set(f"{base}:memory_messages:list:_hash", "1234abcd")
        client.set(f"{base}:plan_notebook", json.dumps(PLAN))
        client.sadd(f"{base}:_keys", "memory_messages:list", "plan_notebook")
        client.set("agentscope:session:older", json.dumps(LEGACY))
        client.set("agentscope:session:broken", "{no json")
        client.set("someone:else", "x")
    return redis_url


def test_redis_keys_are_imported_and_only_read(run: Run, work: Path, agentscope_redis: str):
    import redis

    def dump() -> dict[bytes, bytes]:
        with redis.Redis.from_url(agentscope_redis) as client:
            return {name: client.dump(name) for name in client.scan_iter()}

    before = dump()
    done = run("import", agentscope_redis)
    assert done.status == 1
    assert "broken: not valid or complete JSON" in done.err
    assert "4 histories with 4 requests and 2 events" in done.out
    intents = {
        turn.user_request.intent
        for session in stored(work).values()
        for turn in session.interactions
    }
    assert {"改成柱状图，标题用中文", "Hello"} < intents
    assert "added      0 requests, 0 events" in run("import", agentscope_redis).out
    assert dump() == before


def test_redis_errors_do_not_contain_the_password(run: Run, redis_url: str):
    """P8"""
    for url in (redis_url.replace(PASSWORD, f"{PASSWORD}x"), redis_url.replace(".1:", ".2:")):
        done = run("import", url)
        assert done.status == 1 and "Can't read the sessions" in done.err
        assert PASSWORD not in done.out + done.err
