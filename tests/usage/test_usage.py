"""Sums and tables of usage, from real stores."""

from __future__ import annotations

import csv
import io
from datetime import datetime, timezone

import pytest

from aiserver.models import (
    CONDENSED_TURNS,
    AIResponse,
    Contributor,
    NewEvent,
    NewTurn,
    SessionKey,
    UserRequest,
)
from aiserver.plugins.usage import reader as usage_reader
from aiserver.plugins.usage.reader import UsageReader
from aiserver.plugins.usage.records import time_of
from aiserver.sessions.file import FileSessionManager, session_files
from aiserver.sessions.memory import InMemorySessionManager

KEY = SessionKey("nb", "c1")


def turn(minute: int = 0, **fields) -> NewTurn:
    new = NewTurn(
        timestamp=f"2026-05-01T10:{minute:02}:00.000Z",
        user_request=UserRequest(intent=f"request {minute}", current_code="", language="python"),
        ai_response=AIResponse(suggestion="x = 1", explanation="", status="success", error=None),
        mode="create",
        model="openai:gpt-4o",
    )
    for name, value in fields.items():
        setattr(new, name, value)
    return new


def summary(minute: int, **data) -> NewEvent:
    return NewEvent(
        type=CONDENSED_TURNS,
        timestamp=f"2026-05-01T10:{minute:02}:00.000Z",
        data={"text": f"summary {minute}", "turns": 1, **data},
        contributor=Contributor(kind="model", name="openai:gpt-4o"),
    )


USAGE = {"input_tokens": 100, "cached_tokens": 40, "output_tokens": 10}


@pytest.fixture(params=["file", "memory"])
def store(request, tmp_path):
    if request.param == "memory":
        return InMemorySessionManager()
    return FileSessionManager(start_dir=str(tmp_path))


async def test_sums_say_what_they_lack(store):
    """P47: a request without counts or a cost isn't counted as free."""
    timing = {"first_token": 200, "total": 1500}
    await store.save_interaction(KEY, turn(0, usage=USAGE, cost=0.25, timing=timing))
    await store.save_interaction(KEY, turn(1, usage=USAGE))
    await store.save_interaction(SessionKey("nb", "c2"), turn(2))
    await store.save_interaction(SessionKey("other", "c1"), turn(3, usage=USAGE, cost=0.5))
    reader = UsageReader(store)
    assert (await reader.totals("nb")).to_wire() == {
        "requests": 3,
        "inputTokens": 200,
        "cachedTokens": 80,
        "outputTokens": 20,
        "milliseconds": 1500,
        "cost": 0.25,
        "unpriced": 2,
        "uncounted": 1,
        "summaries": 0,
    }
    assert (await reader.totals()).cost == 0.75
    assert (await reader.totals("none")).to_wire()["cost"] is None
    since = datetime(2026, 5, 1, 10, 1, tzinfo=timezone.utc)
    assert (await reader.totals(since=since)).requests == 3


async def test_several_answers_to_a_request_count_as_one_request(store):
    """P47, P49: all their tokens count, and the sum lacks the cost of one of them."""
    await store.save_interaction(KEY, turn(0, usage=USAGE, cost=0.25))
    again = turn(1, usage=USAGE, model="local:small")
    again.user_request.intent = "request 0"
    await store.save_interaction(KEY, again)
    totals = await UsageReader(store).totals("nb")
    assert (totals.requests, totals.input_tokens, totals.cost, totals.unpriced) == (1, 200, 0.25, 1)


async def test_the_requests_of_a_copied_cell_count_once(store):
    await store.save_interaction(KEY, turn(0, usage=USAGE, cost=0.25))
    copy = SessionKey("nb", "a-copy")
    await store.fork(KEY, copy)
    await store.save_interaction(copy, turn(1, usage=USAGE, cost=0.5))
    reader = UsageReader(store)
    assert (await reader.totals("nb")).cost == 0.75
    rows = list(csv.DictReader(io.StringIO(await reader.table())))
    assert [(row["cell_id"], row["cost_usd"]) for row in rows] == [
        ("c1", "0.250000000"),
        ("a-copy", "0.500000000"),
    ]


async def test_summaries_of_older_turns_count(store):
    """P47: they cost tokens like requests, but they aren't requests."""
    await store.save_interaction(KEY, turn(0, usage=USAGE, cost=0.25))
    await store.record_events(
        KEY,
        [
            summary(1, usage=USAGE, cost=0.5),
            summary(2, usage=USAGE, user="bo"),
            summary(3, usage="many", cost="much"),  # another tool's
        ],
    )
    await store.fork(KEY, SessionKey("nb", "a-copy"))
    reader = UsageReader(store)
    totals = await reader.totals("nb")
    assert (totals.requests, totals.summaries, totals.unpriced, totals.uncounted) == (1, 3, 2, 1)
    assert (totals.input_tokens, totals.cached_tokens, totals.output_tokens) == (300, 120, 30)
    assert totals.cost == 0.75
    since = datetime(2026, 5, 1, 10, 1, tzinfo=timezone.utc)
    today = await reader.totals(since=since, user="al")
    assert (today.requests, today.summaries, today.cost) == (0, 2, 0.5)
    rows = list(csv.DictReader(io.StringIO(await reader.table("nb"))))
    assert [(row["turn"], row["mode"], row["cost_usd"]) for row in rows] == [
        ("1", "create", "0.250000000"),
        ("", "summary", "0.500000000"),
        ("", "summary", ""),
        ("", "summary", ""),
    ]
    assert rows[1]["model"] == "openai:gpt-4o" and rows[1]["input_tokens"] == "100"


async def test_the_table_is_ordered_and_has_no_formulas(store):
    await store.save_interaction(KEY, turn(5, model="=HYPERLINK(1)", mode="@x"))
    timing = {"total": 9}
    await store.save_interaction(SessionKey("nb", "c2"), turn(1, usage=USAGE, timing=timing))
    rows = list(csv.DictReader(io.StringIO(await UsageReader(store).table("nb"))))
    assert [row["cell_id"] for row in rows] == ["c2", "c1"]
    assert rows[0]["input_tokens"] == "100" and rows[0]["total_ms"] == "9"
    assert rows[0]["first_token_ms"] == rows[0]["cost_usd"] == ""
    assert (rows[1]["model"], rows[1]["mode"]) == ("'=HYPERLINK(1)", "'@x")


@pytest.mark.parametrize(
    ("stored", "hour"),
    [
        ("2026-05-01T10:00:00Z", 10),
        ("2026-05-01 10:00:00", 10),
        ("2026-05-01t10:00:00.123456789z", 10),
        ("2026-05-01T10:00:00.5+08:00", 2),
        ("2026-05-01T10:00:00+99:99", 10),
        ("0001-01-01T00:00:00+23:59", 0),
    ],
)
def test_every_stored_form_of_a_time_is_read(stored, hour):
    assert time_of(stored).hour == hour and time_of(stored).tzinfo == timezone.utc


async def test_only_changed_sessions_are_read_again(tmp_path, monkeypatch):
    """A page asks for the usage after each answer, also in a notebook of 10,000 cells."""
    monkeypatch.setattr(session_files, "_MIN_AGE_NS", -(10**18))  # so that new stamps are trusted
    store = FileSessionManager(start_dir=str(tmp_path))
    for minute in range(3):
        await store.save_interaction(SessionKey("nb", f"c{minute}"), turn(minute, usage=USAGE))
    read: list[str] = []
    load = store.load_raw_batch

    async def load_raw_batch(keys):
        read.extend(key.cell_id for key in keys)
        return await load(keys)

    monkeypatch.setattr(store, "load_raw_batch", load_raw_batch)
    monkeypatch.setattr(store._listing, "_read_summary", None)  # which would parse each session
    reader, since = UsageReader(store), datetime(2026, 5, 1, tzinfo=timezone.utc)
    assert [(await reader.totals(since=since)).requests for _ in range(2)] == [3, 3]
    assert read == ["c0", "c1", "c2"]
    await store.save_interaction(SessionKey("nb", "c1"), turn(3, usage=USAGE))
    await store.delete(SessionKey("nb", "c2"))
    assert (await reader.totals("nb")).requests == 3 and read[3:] == ["c1"]


async def test_the_cached_usage_is_bounded(store, monkeypatch):
    monkeypatch.setattr(usage_reader, "_MAX_CACHED", 4)
    for minute in range(9):
        await store.save_interaction(SessionKey("nb", f"c{minute}"), turn(minute, usage=USAGE))
    reader = UsageReader(store)
    assert [(await reader.totals()).requests for _ in range(2)] == [9, 9]
    assert len(reader._cache._entries) == 4
