"""The contract suite for stores of memories.

``from aiserver.testing.memory_contract import *`` in a test file runs all tests. They need the
fixture ``memory_backend``, a subclass of ``MemoryBackend``, and the plugin ``aiserver.testing``.
"""

from __future__ import annotations

import asyncio
from functools import partial

import pytest

from ..errors import MemoryTooLarge
from ..plugins.memory.stores.base import MAX_MEMORY_BYTES, NAMES, DocumentName
from . import MemoryBackend
from .records import in_loop

CONTENTS = [
    b"",
    b"-",
    b"=",
    b"\0\xff\xfe",
    "# 记忆\r\n\n- 金额单位是万元 😀".encode(),
    bytes(range(256)) * 400,
]
OWNERS = ["", "alice", "Alice", "alice ", "a@b.example", "../../x", "~", "\0", "\ud800", "名" * 500]


@pytest.mark.parametrize("name", NAMES)
@in_loop
async def test_documents_are_written_read_and_deleted(
    memory_backend: MemoryBackend, name: DocumentName
) -> None:
    """P27: a new store on the same data returns exactly the bytes that were written."""
    previous: bytes | None = None
    for content in CONTENTS:
        assert await memory_backend.open().replace(name, previous, content)
        assert await memory_backend.open().read(name) == content
        previous = content
    for other in set(NAMES) - {name}:
        assert await memory_backend.open().read(other) is None
    assert await memory_backend.open().replace(name, previous, None)
    assert await memory_backend.open().read(name) is None
    assert await memory_backend.open().replace(name, None, b"again")
    assert await memory_backend.open().read(name) == b"again"


@in_loop
async def test_only_the_expected_document_is_replaced(memory_backend: MemoryBackend) -> None:
    """P33: a write that expects something else changes nothing."""
    store = memory_backend.open()
    for new in (b"new", None):
        assert not await store.replace("memory", b"", new)
        assert not await store.replace("memory", b"x", new)
    assert await store.read("memory") is None
    assert await store.replace("memory", None, None)
    assert await store.replace("memory", None, b"old")
    for unexpected in (None, b"", b"ol", b"old ", b"OLD", b"=old"):
        assert not await store.replace("memory", unexpected, b"new")
        assert not await store.replace("memory", unexpected, None)
    assert await store.read("memory") == b"old"
    assert await store.replace("memory", b"old", b"old")


@in_loop
async def test_reading_writes_nothing(memory_backend: MemoryBackend) -> None:
    """P3"""
    before = memory_backend.content()
    for name in NAMES:
        assert await memory_backend.open().read(name) is None
        assert await memory_backend.open().read(name, owner="alice") is None
    assert memory_backend.content() == before


@in_loop
async def test_owners_have_separate_documents(memory_backend: MemoryBackend) -> None:
    """P9: owners are compared byte by byte."""
    store = memory_backend.open()
    for number, owner in enumerate(OWNERS):
        assert await store.read("memory", owner=owner) is None
        assert await store.replace("memory", None, b"%d" % number, owner=owner)
    store = memory_backend.open()
    for number, owner in enumerate(OWNERS):
        assert await store.read("memory", owner=owner) == b"%d" % number
        assert await store.read("proposals", owner=owner) is None
    assert await store.replace("memory", b"1", None, owner="alice")
    present = [await store.read("memory", owner=owner) is not None for owner in OWNERS]
    assert present == [owner != "alice" for owner in OWNERS]


@in_loop
async def test_concurrent_writers_lose_nothing(memory_backend: MemoryBackend) -> None:
    """P23: every line of every writer is in the document."""
    stores = [memory_backend.open() for _ in range(4)]

    async def append(writer: int) -> None:
        for number in range(5):
            line = b"%d %d\n" % (writer, number)
            await stores[writer].update("memory", partial(_append, line))

    await asyncio.gather(*(append(writer) for writer in range(4)))
    data = await memory_backend.open().read("memory")
    assert data is not None
    lines = data.decode().splitlines()
    assert sorted(lines) == sorted(f"{writer} {n}" for writer in range(4) for n in range(5))
    for writer in range(4):
        assert [line for line in lines if line[0] == str(writer)] == [
            f"{writer} {number}" for number in range(5)
        ]


def _append(line: bytes, old: bytes | None) -> bytes:
    return (old or b"") + line


@in_loop
async def test_of_concurrent_writes_exactly_one_succeeds(memory_backend: MemoryBackend) -> None:
    """P33"""
    stores = [memory_backend.open() for _ in range(4)]
    expected: bytes | None = None
    for attempt in range(6):
        new = [None if attempt % 3 == 2 and n == 0 else b"%d %d" % (attempt, n) for n in range(4)]
        writes = [
            store.replace("memory", expected, data) for store, data in zip(stores, new, strict=True)
        ]
        results = await asyncio.gather(*writes)
        assert results.count(True) == 1
        expected = new[results.index(True)]
        assert await memory_backend.open().read("memory") == expected


@in_loop
async def test_old_documents_leave_no_bytes(memory_backend: MemoryBackend) -> None:
    """P45: what was replaced or deleted can't be found in the store."""
    store = memory_backend.open()
    for owner in ("", "alice"):
        first, second = b"canary-first " * 900, b"canary-second "
        assert await store.replace("proposals", None, first, owner=owner)
        assert b"canary-first" in memory_backend.content()
        assert await store.replace("proposals", first, second, owner=owner)
        assert b"canary-first" not in memory_backend.content()
        assert b"canary-second" in memory_backend.content()
        assert await store.replace("proposals", second, None, owner=owner)
        assert b"canary" not in memory_backend.content()


@in_loop
async def test_large_documents_are_refused(memory_backend: MemoryBackend) -> None:
    """P17"""
    store = memory_backend.open()
    largest = b"x" * MAX_MEMORY_BYTES
    assert await store.replace("memory", None, largest)
    with pytest.raises(MemoryTooLarge):
        await store.replace("memory", largest, largest + b"x")
    assert await memory_backend.open().read("memory") == largest


__all__ = [name for name in dir() if name.startswith("test_")]
