"""Memories are parsed once for many requests, one at a time, and not for those that have gone."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from typing import Any

import pytest

from aiserver.plugins.memory import document
from aiserver.plugins.memory.manager import MemoryManager
from aiserver.plugins.memory.stores.base import KeyValueMemoryStore
from aiserver.sessions.memory import InMemorySessionManager
from aiserver.testing.records import in_loop


class Parses:
    """Records the parsed texts, and how many parses run. They wait until ``may_go_on`` is set."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.texts: list[str] = []
        self.running_count = self.most = 0
        self.has_begun, self.may_go_on = threading.Event(), threading.Event()
        real = document._blocks

        def blocks(text: str, lines: list[str]) -> Iterator[Any]:
            self.texts.append(text)
            self.running_count += 1
            self.most = max(self.most, self.running_count)
            self.has_begun.set()
            assert self.may_go_on.wait(60)
            self.running_count -= 1
            return real(text, lines)

        monkeypatch.setattr(document, "_blocks", blocks)


async def _manager(text: str) -> MemoryManager:
    store = KeyValueMemoryStore(InMemorySessionManager())
    await store.replace("memory", None, text.encode())
    return MemoryManager(store, None)


@in_loop
async def test_requests_at_once_parse_a_text_once(monkeypatch: pytest.MonkeyPatch) -> None:
    parses, manager = Parses(monkeypatch), await _manager("- parsed once\n" * 3)
    parses.may_go_on.set()
    lists = await asyncio.gather(*(manager.list_entries() for _ in range(30)))
    assert {len(listed) for listed in lists} == {3}
    assert parses.texts == ["- parsed once\n" * 3]


@in_loop
async def test_cancelled_requests_leave_no_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    parses, manager = Parses(monkeypatch), await _manager("- gone 0\n")
    requests = []
    for number in range(30):
        other = await _manager(f"- gone {number}\n")
        requests.append(asyncio.create_task(other.list_entries()))
    await asyncio.to_thread(parses.has_begun.wait)
    for request in requests:
        request.cancel()
    await asyncio.gather(*requests, return_exceptions=True)
    parses.may_go_on.set()
    added = await manager.add("person", "Use polars")
    assert [listed.text for listed in await manager.list_entries()] == ["gone 0", added.text]
    assert parses.most == 1
    assert not any("gone 2" in text for text in parses.texts), "nobody waits for these"
