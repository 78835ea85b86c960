"""Change logs of notebooks, and blobs."""

from __future__ import annotations

import hashlib

import pytest

from ...errors import InvalidRequest
from ..backend import Backend
from ..records import NOTEBOOK, in_loop, log_entry


@in_loop
async def test_notebook_logs_grow(backend: Backend) -> None:
    store = backend.open()
    assert await store.list_notebooks() == []
    assert await store.read_notebook_log(NOTEBOOK) == []
    assert await store.append_notebook_log(NOTEBOOK, []) == []
    assert await store.list_notebooks() == [], "an empty list was written"
    first = await store.append_notebook_log(NOTEBOOK, [log_entry(path="a"), log_entry(path="分析")])
    marks = dict(await backend.open().notebook_marks())
    await backend.open().append_notebook_log("A_b", [log_entry(path="b", x_unknown=[1])])
    assert (await backend.open().notebook_marks())[NOTEBOOK] == marks[NOTEBOOK]
    more = await backend.open().append_notebook_log(NOTEBOOK, [log_entry(path="c")])
    assert [entry.seq for entry in first + more] == [1, 2, 3]
    assert await backend.open().read_notebook_log(NOTEBOOK) == first + more
    assert (await backend.open().notebook_marks())[NOTEBOOK] != marks[NOTEBOOK]
    assert await backend.open().list_notebooks() == [NOTEBOOK, "A_b"]
    for bad in ("../x", "", "a" * 65):
        with pytest.raises(InvalidRequest):
            await store.append_notebook_log(bad, [log_entry()])
        with pytest.raises(InvalidRequest):
            await store.read_notebook_log(bad)


@in_loop
async def test_blobs_are_stored_by_content(backend: Backend) -> None:
    for data in (b"", b"\0\xff" * 5000):
        digest = await backend.open().put_blob(data)
        assert digest == hashlib.sha256(data).hexdigest()
        assert await backend.open().put_blob(data) == digest
        assert await backend.open().get_blob(digest) == data
    assert await backend.open().get_blob("0" * 64) is None
    for bad in ("../" * 20, "A" * 64, "0" * 63, "", "0" * 64 + "\n"):
        with pytest.raises(InvalidRequest):
            await backend.open().get_blob(bad)
