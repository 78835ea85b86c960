"""Isolation of owners, and invalid ids."""

from __future__ import annotations

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ...errors import InvalidRequest
from ...models import SessionKey
from ...sessions.base import SessionManager
from ..backend import Backend
from ..records import KEY, in_loop, log_entry, turn
from .examples import many_examples


@pytest.mark.parametrize("owner", ["alice", "Alice", "a@b.example", "../../x", "\0", "名" * 500])
@in_loop
async def test_owners_see_only_their_own_records(backend: Backend, owner: str) -> None:
    """P9: sessions, change logs and blobs of one owner are hidden from all other owners."""
    store = backend.open()
    key = SessionKey(KEY.notebook_id, KEY.cell_id, owner)
    long_key = SessionKey("N" * 64, "C" * 64, owner)
    for owned_key in (key, long_key):
        await store.save_interaction(owned_key, turn("theirs"))
    digest = await store.put_blob(b"theirs", owner=owner)
    await store.append_notebook_log(KEY.notebook_id, [log_entry(path="p")], owner=owner)
    await store.append_notebook_log("N" * 64, [log_entry(path="q")], owner=owner)

    for other_owner in ("", "bob", owner + " "):
        assert not await store.exists(SessionKey(KEY.notebook_id, KEY.cell_id, other_owner))
        assert await store.list_sessions(owner=other_owner) == ([], 0)
        assert await store.get_blob(digest, owner=other_owner) is None
        assert await store.read_notebook_log(KEY.notebook_id, owner=other_owner) == []
        assert await store.list_notebooks(owner=other_owner) == []
    rows, total = await backend.open().list_sessions(owner=owner)
    assert ([r.notebook_id for r in rows], total) == ([KEY.notebook_id, "N" * 64], 2)
    assert (await store.load_session(key)).meta.owner == owner
    assert await store.get_blob(digest, owner=owner) == b"theirs"
    assert await store.list_notebooks(owner=owner) == sorted([KEY.notebook_id, "N" * 64])
    assert len(await store.read_notebook_log("N" * 64, owner=owner)) == 1


BAD_PARTS = ["..", ".", "/", "\\", "%2e", "%2F", "\0", "~", " ", "\n", ":", "é", "root2", "a"]
bad_ids = st.one_of(
    st.text(max_size=80),
    st.lists(st.sampled_from(BAD_PARTS), max_size=30).map("".join),
    st.sampled_from(["/etc/passwd", "../root2/x", "a" * 10_240, "C:\\x", "a\n", "..%2fx", "é"]),
).filter(lambda text: not (text.isascii() and 0 < len(text) <= 64 and _is_valid(text)))


def _is_valid(text: str) -> bool:
    """Return whether an ASCII text contains only letters, digits, ``-`` and ``_``."""
    return text.replace("-", "").replace("_", "").isalnum() or not text.strip("-_")


@many_examples
@given(bad=bad_ids)
def test_invalid_ids_are_rejected(store: SessionManager, bad: str) -> None:
    """P5: an id can't contain a path, so it can't lead to a file outside of the store."""
    with pytest.raises(InvalidRequest):
        SessionKey(bad, "cell")
    with pytest.raises(InvalidRequest):
        SessionKey("notebook", bad)
    calls = (
        store.list_sessions,
        store.session_marks,
        store.read_notebook_log,
        store.delete_notebook_log,
        store.get_blob,
    )
    for call in calls:
        with pytest.raises(InvalidRequest):
            asyncio.run(call(bad))
    with pytest.raises(InvalidRequest):
        asyncio.run(store.append_notebook_log(bad, [log_entry()]))
