"""Legacy files are read in place, and none of their data is lost (P25)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from aiserver.errors import SessionCorrupt
from aiserver.models import SessionKey
from aiserver.sessions.record import codec
from aiserver.sessions.record.codec import DamagedData
from aiserver.sessions.record.filenames import session_name
from aiserver.testing.records import event, in_loop, turn

from ..conftest import FileBackend

DATA = Path(__file__).parents[2] / "data" / "predecessor"
FILES = sorted(DATA.glob("*.json"))
SAME = SessionKey("bank-customer-churn", "cell-3")  # its old name is the new one
OTHER = SessionKey("My_Notebook", "Cell_3")  # its old name is not


def flat(key: SessionKey, **more: Any) -> bytes:
    """Return an example file as that of another cell."""
    content = json.loads((DATA / "bank-customer-churn_cell-3.json").read_bytes())
    content |= {"notebook_id": key.notebook_id, "cell_id": key.cell_id, **more}
    return json.dumps(content, ensure_ascii=False, indent=2).encode()


def plant(files: FileBackend, key: SessionKey, data: bytes | None = None) -> str:
    """Write a legacy file of a cell; return its name."""
    name = f"{key.notebook_id}_{key.cell_id}.json"
    files.folder.mkdir(exist_ok=True)
    (files.folder / name).write_bytes(flat(key) if data is None else data)
    return name


def tree(files: FileBackend) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in files.folder.iterdir() if path.is_file()}


def test_the_example_files_exist() -> None:
    assert len(FILES) == 51


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_each_example_is_read_exactly(file: Path) -> None:
    content = json.loads(file.read_bytes())
    session = codec.parse(file.read_bytes())
    assert [t.to_dict() for t in session.interactions] == content["interactions"]
    assert session.meta.to_dict() == {
        "version": "1.0",
        **{k: content[k] for k in ("notebook_id", "cell_id", "created_at", "last_updated")},
    }
    assert codec.parse(codec.encode(session)) == session


@in_loop
async def test_legacy_and_new_files_are_read_without_changes(
    files: FileBackend,
) -> None:
    """P3"""
    for file in FILES:
        files.folder.mkdir(exist_ok=True)
        (files.folder / file.name).write_bytes(file.read_bytes())
    plant(files, OTHER)
    new = SessionKey("bank-customer-churn", "new")
    await files.open().save_interaction(new, turn("new"))
    before = tree(files)
    store = files.open()
    rows, total = await store.list_sessions()
    assert total == len(FILES) + 2
    assert OTHER.cell_id in [row.cell_id for row in rows]
    rows, total = await store.list_sessions("bank-customer-churn")
    assert total == 16
    for row in rows:
        key = SessionKey(row.notebook_id, row.cell_id)
        session = await store.load_session(key)
        assert await store.exists(key)
        assert len(session.interactions) == row.turns == 1
        raw, revision = await store.load_raw(key)
        assert json.loads(raw) == session.to_dict() and revision == session.revision
    assert [result async for result in store.verify() if result.problem] == []
    assert tree(files) == before


@pytest.mark.parametrize("key", [SAME, OTHER], ids=["same name", "another name"])
@in_loop
async def test_the_first_write_converts_a_legacy_file_and_preserves_its_bytes(
    files: FileBackend, key: SessionKey
) -> None:
    name = plant(files, key)
    old = flat(key)
    store = files.open()
    assert await store.exists(key)
    saved, revision = await store.save_interaction(key, turn("more"))
    assert (saved.turn_id, saved.seq, revision) == (2, 2, 1)
    await store.record_events(key, [event()])
    for reader in (store, files.open()):
        session = await reader.load_session(key)
        assert [t.turn_id for t in session.interactions] == [1, 2]
        assert session.interactions[0].ai_response.model_extra == {
            "summary": None,
            "detailed_summary": None,
        }
        for notebook_id in (None, key.notebook_id):
            rows, total = await reader.list_sessions(notebook_id)
            assert ([row.turns for row in rows], total) == ([2], 1), "not twice"
    preserved_name = name if session_name(key) != name else f"{name}.v0-1"
    assert {k: v for k, v in tree(files).items() if k != session_name(key)} == {preserved_name: old}
    assert json.loads(tree(files)[session_name(key)])["meta"]["revision"] == 2


@pytest.mark.parametrize("key", [SAME, OTHER], ids=["same name", "another name"])
@pytest.mark.parametrize("written", [True, False], ids=["written", "only read"])
@in_loop
async def test_deleted_legacy_sessions_stay_deleted(
    files: FileBackend, key: SessionKey, written: bool
) -> None:
    """A deleted history isn't restored from the legacy file."""
    plant(files, key)
    store = files.open()
    if written:
        await store.save_interaction(key, turn())
    assert await store.delete(key)
    assert tree(files) == {}
    assert await store.load_if_exists(key) is None
    assert not await store.exists(key) and not await store.delete(key)


@in_loop
async def test_the_content_of_a_legacy_file_identifies_its_cell(files: FileBackend) -> None:
    """P24: `a_b` and `c` had the name of `a` and `b_c`."""
    first, two = SessionKey("a_b", "c"), SessionKey("a", "b_c")
    plant(files, two)
    store = files.open()
    assert await store.load_if_exists(first) is None and not await store.exists(first)
    assert not await store.delete(first)
    assert len((await store.load_session(two)).interactions) == 1
    assert [row.cell_id for row in (await store.list_sessions("a"))[0]] == ["b_c"]
    assert await store.list_sessions("a_b") == ([], 0)
    await store.save_interaction(first, turn("mine"))
    assert len((await store.load_session(first)).interactions) == 1
    assert len((await store.load_session(two)).interactions) == 1
    assert (await store.list_sessions())[1] == 2
    somebody = SessionKey("a", "b_c", "somebody")
    assert await store.load_if_exists(somebody) is None
    assert await store.list_sessions(owner="somebody") == ([], 0)


@in_loop
async def test_a_fork_copies_a_legacy_file_and_leaves_it(files: FileBackend) -> None:
    plant(files, OTHER)
    plant(files, SAME)
    store = files.open()
    target = SessionKey("copy", "cell")
    forked = await store.fork(OTHER, target)
    assert len(forked.interactions) == 1 and forked.meta.forked_from["cell_id"] == OTHER.cell_id
    before = tree(files)
    existing = await store.fork(target, SAME)
    assert existing.meta.forked_from is None and tree(files) == before


def test_old_and_unknown_keys_are_preserved() -> None:
    content = json.loads(flat(OTHER, x_theme={"dark": True}))
    [item] = content["interactions"]
    item["request"], item["response"] = item.pop("user_request"), item.pop("ai_response")
    item["x"] = 1
    session = codec.parse(json.dumps(content).encode(), OTHER)
    assert session.model_extra == {"x_theme": {"dark": True}}
    assert session.interactions[0].user_request.intent == item["request"]["intent"]
    assert session.interactions[0].model_extra == {"x": 1}


@pytest.mark.parametrize(
    "change",
    [{"notebook_id": "../x"}, {"cell_id": 7}, {"interactions": {}}, {"interactions": [1]}],
    ids=str,
)
def test_other_content_is_damaged(change: dict[str, Any]) -> None:
    with pytest.raises(DamagedData):
        codec.parse(json.dumps(json.loads(flat(SAME)) | change).encode())


@pytest.mark.parametrize("key", [SAME, OTHER], ids=["same name", "another name"])
@in_loop
async def test_a_damaged_legacy_file_returns_intact_records(
    files: FileBackend, key: SessionKey
) -> None:
    """P22"""
    data = flat(key)[:-3]
    name = plant(files, key, data)
    store = files.open()
    assert len((await store.load_session(key)).interactions) == 1
    assert [row.turns for row in (await store.list_sessions(key.notebook_id))[0]] == [1]
    assert tree(files) == {name: data}
    await store.save_interaction(key, turn("more"))
    assert len((await files.open().load_session(key)).interactions) == 2
    assert (await store.list_sessions())[1] == 1
    assert data in tree(files).values(), "its bytes are kept"
    plant(files, SAME, flat(OTHER)[:-3])
    with pytest.raises(SessionCorrupt):
        await files.open().load_session(SAME)
