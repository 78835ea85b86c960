"""Large sessions in the file store are read record by record, with the same promises."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from aiserver.errors import StorageError
from aiserver.generation.condensed_turns import CondensedTurns, to_event
from aiserver.generation.past_turns import load_past_turns
from aiserver.sessions.file import FileSessionManager
from aiserver.sessions.record import slices
from aiserver.sessions.record.filenames import session_name
from aiserver.sessions.record.lazy_session import LazySession
from aiserver.testing.records import KEY, event, turn


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(slices, "LARGE", 10)
    return tmp_path


def store_in(folder: Path) -> FileSessionManager:
    return FileSessionManager(root=str(folder))


def file_in(folder: Path) -> Path:
    return folder / ".aiserver_sessions" / session_name(KEY)


async def test_changes_of_other_programs_are_seen_and_preserved(folder: Path) -> None:
    """P25: unknown keys survive, also if another program adds them with another layout."""
    store = store_in(folder)
    await store.save_interaction(KEY, turn("first"))
    await store.record_events(KEY, [event(id="1")])
    assert isinstance(await store_in(folder).load_lazily(KEY), LazySession)
    content = json.loads(file_in(folder).read_bytes())
    content["x"] = {"y": [1]}
    content["interactions"][0]["z"] = "é"
    for indent in (None, 2):
        file_in(folder).write_text(json.dumps(content, indent=indent), "utf-8")
        raw = await store.load_raw(KEY)
        assert raw and json.loads(raw[0]) == content
        session = await store.load_lazily(KEY)
        assert session and [each.turn_id for each in session.interactions] == [1]
        await store.save_interaction(KEY, turn("next"))
        written = json.loads(file_in(folder).read_bytes())
        assert written["x"] == {"y": [1]} and written["interactions"][0]["z"] == "é"
        assert [each["turn_id"] for each in written["interactions"]] == [1, 2]
        assert isinstance(await store_in(folder).load_lazily(KEY), LazySession)
    assert (await store.record_events(KEY, [event(id="1")]))[0][0].seq == 2, "stored twice"


async def test_a_linked_folder_is_refused_for_large_sessions_too(folder: Path) -> None:
    """P6"""
    await store_in(folder).save_interaction(KEY, turn("first"))
    moved = file_in(folder).parent.rename(folder / "moved")
    (folder / ".aiserver_sessions").symlink_to(moved)
    for read in (store_in(folder).load_lazily, store_in(folder).load_raw):
        with pytest.raises(StorageError):
            await read(KEY)


async def test_a_damaged_large_session_is_quarantined_before_it_is_changed(folder: Path) -> None:
    """P22"""
    await store_in(folder).save_interaction(KEY, turn("first"))
    damaged = file_in(folder).read_bytes()[:-3]
    file_in(folder).write_bytes(damaged)
    store = store_in(folder)
    session = await store.load_lazily(KEY)
    assert session and len(session.interactions) == 1
    await store.save_interaction(KEY, turn("next"))
    copies = [path.read_bytes() for path in file_in(folder).parent.glob("*.corrupt-*")]
    assert copies == [damaged]
    assert len((await store.load_session(KEY)).interactions) == 2


async def test_past_turns_are_the_same_as_of_a_small_session(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = store_in(folder)
    for number in range(60):
        await store.save_interaction(KEY, turn(f"request {number}"))
    await store.record_events(KEY, [event("context_reset")])
    for number in range(60):
        await store.save_interaction(KEY, turn(f"later {number}"))
    turns = (await load_past_turns(store, KEY)).all
    summary = to_event(CondensedTurns("of five", 0, 5), turns, "a:b")
    await store.record_events(KEY, [summary])
    past = await load_past_turns(store, KEY)
    monkeypatch.setattr(slices, "LARGE", 10**9)
    expected = await load_past_turns(store, KEY)
    assert len(past.all) == 60 and past.recent == expected.recent
    assert past.recent[-1].user_request.intent == "later 59"
    assert past.condensed == expected.condensed == CondensedTurns("of five", 0, 5)
