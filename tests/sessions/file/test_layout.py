"""The file store's folder: its files, their permissions, and files that are ignored."""

from __future__ import annotations

import asyncio
import json
import os
import stat
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from aiserver.durable import Stamp, replace_file
from aiserver.errors import StorageError
from aiserver.models import SessionKey
from aiserver.sessions.file.directory import ShardLocks
from aiserver.sessions.file.manager import FileSessionManager
from aiserver.sessions.record.filenames import log_name, session_name
from aiserver.testing.records import EXAMPLE_FILE, KEY, event, in_loop, log_entry, turn

from ..conftest import FileBackend

NAME = session_name(KEY)
posix = pytest.mark.skipif(os.name == "nt", reason="rights and links as POSIX has them")


def tree(folder: Path) -> dict[str, bytes | str]:
    """Return all paths below a folder, with the content of files and the targets of links."""
    entries: dict[str, bytes | str] = {}
    for path in sorted(folder.rglob("*")):
        if path.is_symlink():
            entries[str(path.relative_to(folder))] = str(path.readlink())
        elif path.is_file():
            entries[str(path.relative_to(folder))] = path.read_bytes()
    return entries


async def fill(store: FileSessionManager) -> str:
    """Write a record of each kind; return the blob's hash."""
    await store.save_interaction(KEY, turn())
    await store.record_events(KEY, [event()])
    await store.append_notebook_log(KEY.notebook_id, [log_entry(path="a.ipynb")])
    return await store.put_blob(b"picture")


@in_loop
async def test_reading_creates_nothing(files: FileBackend) -> None:
    """P3"""
    store = files.open()
    await store.load_session(KEY)
    await store.exists(KEY)
    await store.list_sessions(KEY.notebook_id)
    await store.read_notebook_log(KEY.notebook_id)
    await store.notebook_marks()
    await store.get_blob("0" * 64)
    await store.delete(KEY)
    assert list(files.root.iterdir()) == []


@in_loop
async def test_the_folder_contains_only_documented_files(files: FileBackend) -> None:
    digest = await fill(files.open())
    names = {name for name in tree(files.root) if "/locks/" not in name}
    assert names == {
        f".aiserver_sessions/{NAME}",
        f".aiserver_sessions/notebooks/{KEY.notebook_id}.jsonl",
        f".aiserver_sessions/blobs/{digest[:2]}/{digest}",
    }


def test_lock_files_do_not_pile_up(tmp_path: Path) -> None:
    locks = ShardLocks(tmp_path, timeout=5)
    for number in range(2000):
        with locks.lock(str(number)):
            pass
    assert 200 < len(list(tmp_path.iterdir())) <= 256


@in_loop
async def test_a_file_is_readable(files: FileBackend) -> None:
    await files.open().save_interaction(KEY, turn("画一个图 📈"))
    text = (files.folder / NAME).read_bytes().decode("utf-8")
    assert text.startswith('{\n  "meta": {\n    "version": "1.0",\n')
    assert "画一个图 📈" in text
    assert text.endswith("\n}\n")
    keys = list(json.loads(text)["interactions"][0])
    assert keys == ["turn_id", "timestamp", "user_request", "ai_response", "seq"]


@in_loop
async def test_the_raw_bytes_are_those_of_the_file(files: FileBackend) -> None:
    by_hand = EXAMPLE_FILE.read_bytes()
    files.plant(KEY, by_hand)
    assert await files.open().load_raw(KEY) == (by_hand, 0)


@pytest.fixture(params=[0o000, 0o077, 0o777], ids=oct)
def umask(request: pytest.FixtureRequest) -> Iterator[None]:
    before = os.umask(request.param)
    yield
    os.umask(before)


@posix
def test_everything_is_private_under_any_umask(files: FileBackend, umask: None) -> None:
    """P7"""
    in_loop(fill)(files.open())
    entries = [files.folder, *files.folder.rglob("*")]
    assert len(entries) > 8
    for path in entries:
        expected = 0o700 if path.is_dir() else 0o600
        assert stat.S_IMODE(path.stat().st_mode) == expected, path


@posix
def test_a_group_that_shares_the_folder_can_use_all_of_it(files: FileBackend, umask: None) -> None:
    """P7: only a folder that its owner has shared; other accounts have no access."""
    files.folder.mkdir()
    files.folder.chmod(0o2770)
    in_loop(fill)(files.open())
    entries = list(files.folder.rglob("*"))
    assert len(entries) > 7
    for path in entries:
        expected = 0o2770 if path.is_dir() else 0o660
        assert stat.S_IMODE(path.stat().st_mode) == expected, path


@posix
@in_loop
async def test_planted_links_are_not_followed(files: FileBackend, tmp_path: Path) -> None:
    """P6: in place of the session, the lock and the log."""
    outside = tmp_path / "outside"
    outside.mkdir()
    secret = outside / "secret.json"
    good = EXAMPLE_FILE.read_bytes()
    secret.write_bytes(good)
    await files.open().save_interaction(SessionKey("other", "cell"), turn())
    locks, logs = files.folder / "locks", files.folder / "notebooks"
    logs.mkdir()
    (files.folder / NAME).symlink_to(secret)
    (logs / log_name(KEY.notebook_id)).symlink_to(secret)
    for number in range(256):
        lock = locks / f"{number:02x}.lock"
        if not lock.exists():
            lock.symlink_to(secret if number % 2 else outside / "new")

    store = files.open()
    assert not await store.exists(KEY)
    assert [row.notebook_id for row in (await store.list_sessions())[0]] == ["other"]
    assert await store.read_notebook_log(KEY.notebook_id) == []
    await fill(store)
    assert tree(outside) == {"secret.json": good}
    assert len((await store.load_session(KEY)).interactions) == 1
    assert len(await store.read_notebook_log(KEY.notebook_id)) == 1
    for path in (files.folder / NAME, logs / log_name(KEY.notebook_id)):
        assert not path.is_symlink()
        assert (path.parent / f"{path.name}.corrupt-1").readlink() == secret, "not quarantined"


@posix
def test_a_link_at_the_temp_file_is_not_followed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """P6"""
    folder, secret = tmp_path / "folder", tmp_path / "secret"
    folder.mkdir()
    secret.write_bytes(b"mine")
    monkeypatch.setattr("secrets.token_hex", lambda size: "0" * (2 * size))
    (folder / f"a.json.{'0' * 16}.tmp").symlink_to(secret)
    with pytest.raises(FileExistsError):
        replace_file(folder, "a.json", b"theirs")
    assert secret.read_bytes() == b"mine"


@posix
@pytest.mark.parametrize("name", ["", "locks", "notebooks", "blobs"])
@in_loop
async def test_a_linked_folder_is_refused(files: FileBackend, name: str, tmp_path: Path) -> None:
    """P6: a cloned repository may contain such a link."""
    outside = tmp_path / "outside"
    outside.mkdir()
    if name:
        files.folder.mkdir()
    (files.folder / name).symlink_to(outside)
    store = files.open()
    with pytest.raises(StorageError) as caught:
        await fill(store)
    assert str(tmp_path) not in caught.value.message
    assert list(outside.iterdir()) == []


@posix
@in_loop
async def test_the_root_may_be_a_link(tmp_path: Path) -> None:
    """A served folder is often a link to another disk."""
    (tmp_path / "disk").mkdir()
    (tmp_path / "root").symlink_to(tmp_path / "disk")
    files = FileBackend(tmp_path / "root")
    await fill(files.open())
    assert len((await files.open().load_session(KEY)).interactions) == 1
    assert (tmp_path / "disk/.aiserver_sessions" / NAME).is_file()


@posix
@pytest.mark.parametrize("linked", ["home/me/root", "home/me", "home"])
@in_loop
async def test_a_root_or_its_parent_may_become_a_link(tmp_path: Path, linked: str) -> None:
    """An administrator may move homes to another disk at any time."""
    root = tmp_path / "home/me/root"
    root.mkdir(parents=True)
    running = FileBackend(root).open()
    await fill(running)
    (tmp_path / linked).rename(tmp_path / "disk")
    (tmp_path / linked).symlink_to(tmp_path / "disk")
    for store in (running, FileBackend(root).open()):
        await fill(store)
    assert len((await running.load_session(KEY)).interactions) == 3


@posix
@pytest.mark.parametrize("kind", ["fifo", "folder"])
@in_loop
async def test_special_files_do_not_block(files: FileBackend, kind: str) -> None:
    """P6, P22"""
    files.folder.mkdir()
    path = files.folder / NAME
    os.mkfifo(path) if kind == "fifo" else path.mkdir()
    assert (await files.open().save_interaction(KEY, turn()))[1] == 1
    assert (files.folder / f"{NAME}.corrupt-1").exists()


@in_loop
async def test_orphans_are_swept_and_nothing_else(files: FileBackend) -> None:
    """P21"""
    await fill(files.open())
    before = tree(files.folder)
    blob = "ab" * 32
    orphans = [
        files.folder / f"{NAME}.0123456789abcdef.tmp",
        files.folder / f"gone_gone.json.{'f' * 16}.tmp",
        files.folder / "blobs" / f"{blob}.0123456789abcdef.tmp",
        files.folder / "notebooks" / f"nb.jsonl.{'0' * 16}.tmp",
    ]
    others = [files.folder / "notes.tmp", files.folder / "a_b.json.tmp", files.folder / "x.0f.tmp"]
    for path in orphans + others:
        path.write_bytes(b"{")
    await files.open().load_session(KEY)
    assert all(path.exists() for path in orphans), "reading has removed orphans"
    await files.open().save_interaction(SessionKey("an", "other"), turn())
    assert not any(path.exists() for path in orphans)
    assert all(path.exists() for path in others)
    after = tree(files.folder)
    assert {name: after.get(name) for name in before} == before


@in_loop
async def test_orphans_are_swept_at_start(files: FileBackend) -> None:
    """P21"""
    await fill(files.open())
    before = tree(files.folder)
    (files.folder / f"{NAME}.0123456789abcdef.tmp").write_bytes(b"{")
    assert await files.open().start() == []
    assert tree(files.folder) == before


@in_loop
async def test_orphans_are_swept_under_concurrent_locks(files: FileBackend) -> None:
    """P21: the first saves are concurrent, and some share the lock of an orphan."""
    await fill(files.open())
    keys = [SessionKey("book", f"c{number}") for number in range(400)]
    orphans = [files.folder / f"{session_name(key)}.0123456789abcdef.tmp" for key in keys]
    for path in orphans:
        path.write_bytes(b"{")
    store = files.open()
    await asyncio.gather(*(store.save_interaction(key, turn()) for key in keys[:64]))
    assert not [path.name for path in orphans if path.exists()]


@in_loop
async def test_the_temporary_file_of_a_running_writer_is_not_swept(files: FileBackend) -> None:
    """P21"""
    await fill(files.open())
    temp = files.folder / f"{NAME}.0123456789abcdef.tmp"
    temp.write_bytes(b"{")
    other = SessionKey("an", "other")
    with ShardLocks(files.folder / "locks", timeout=5).lock(NAME):  # as another process would
        await files.open().save_interaction(other, turn())
        assert temp.exists()
    await files.open().save_interaction(other, turn())
    assert not temp.exists()


@in_loop
async def test_a_removed_folder_is_created_again(files: FileBackend) -> None:
    store = files.open()
    await fill(store)
    files.folder.rename(files.root / "moved away")
    assert await store.load_if_exists(KEY) is None
    assert await store.list_sessions() == ([], 0)
    await fill(store)
    assert len((await store.load_session(KEY)).interactions) == 1


@in_loop
async def test_writes_of_other_processes_are_seen_immediately(files: FileBackend) -> None:
    """P23: cached data never hides data on disk."""
    mine, theirs = files.open(), files.open()
    for number in range(1, 20, 2):
        await mine.save_interaction(KEY, turn(str(number)))
        await theirs.save_interaction(KEY, turn(str(number + 1)))
        assert (await mine.list_sessions())[0][0].turns == number + 1
        assert len((await mine.load_session(KEY)).interactions) == number + 1
        assert await mine.load_raw(KEY) == ((files.folder / NAME).read_bytes(), number + 1)


@in_loop
async def test_a_saved_record_belongs_to_the_caller(files: FileBackend) -> None:
    """P22: changing it doesn't change what the next save writes."""
    store = files.open()
    saved, _ = await store.save_interaction(KEY, turn("asked"))
    saved.user_request.intent = "changed"
    await store.save_interaction(KEY, turn())
    assert (await store.load_session(KEY)).interactions[0].user_request.intent == "asked"


@posix
@in_loop
async def test_a_change_in_place_within_one_tick_is_seen(files: FileBackend) -> None:
    """P23: even if another program changes neither size nor name."""
    store = files.open()
    path = files.folder / NAME
    for number in range(30):
        await store.save_interaction(KEY, turn(f"mine {number}"))
        assert await store.load_raw(KEY) == (path.read_bytes(), number + 1)
        data = path.read_bytes().replace(b"mine", b"hers")
        with path.open("r+b") as file:  # in place, like some editors
            file.write(data)
        if number % 2:
            assert await store.load_raw(KEY) == (data, number + 1)
    asked = [t.user_request.intent for t in (await store.load_session(KEY)).interactions]
    assert asked == [f"hers {number}" for number in range(30)]


@pytest.mark.parametrize(("age", "turns"), [(-3600, 2), (3600, 1)], ids=["just now", "long ago"])
@in_loop
async def test_a_stamp_of_just_now_is_not_trusted(
    files: FileBackend, monkeypatch: pytest.MonkeyPatch, age: int, turns: int
) -> None:
    """P23: two writes within one tick of the disk's clock may look the same."""
    when = time.time_ns() - age * 10**9
    monkeypatch.setattr(Stamp, "of", lambda status: Stamp(when, when, 1, 1))
    store = files.open()
    await store.save_interaction(KEY, turn())
    assert (await store.list_sessions())[0][0].turns == 1
    await store.save_interaction(KEY, turn())
    assert (await store.list_sessions())[0][0].turns == turns


@in_loop
async def test_a_manual_copy_is_not_listed(files: FileBackend) -> None:
    """P28: `meta` identifies the cell, not the file name."""
    await files.open().save_interaction(KEY, turn())
    other = SessionKey(KEY.notebook_id, "other")
    files.plant(other, (files.folder / NAME).read_bytes())
    rows, total = await files.open().list_sessions()
    assert ([row.cell_id for row in rows], total) == ([KEY.cell_id], 1)
    await files.open().save_interaction(other, turn("its own"))
    [saved] = (await files.open().load_session(other)).interactions
    assert saved.user_request.intent == "its own"
    assert (files.folder / f"{session_name(other)}.corrupt-1").exists()


def test_no_import_of_jupyter_or_langchain() -> None:
    code = "import sys, aiserver.sessions.file; print(*sys.modules, sep='\\n')"
    answer = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    loaded: set[Any] = {name.split(".")[0] for name in answer.stdout.split()}
    assert "aiserver" in loaded
    assert not loaded & {"jupyter_server", "tornado", "langchain_core", "langchain"}


RIGHTS = {"git's umask": 0o755, "everybody": 0o777, "of a group": 0o2770, "and others": 0o2777}


@posix
@pytest.mark.parametrize("mode", RIGHTS.values(), ids=RIGHTS)
@in_loop
async def test_a_folder_that_is_open_to_others(files: FileBackend, mode: int) -> None:
    """P7: it is reported at start, and made private if we own it; group access stays."""
    files.folder.mkdir()
    files.folder.chmod(mode)
    store = files.open()
    first, again = await store.start(), await files.open().start()
    await store.save_interaction(KEY, turn())
    now = stat.S_IMODE(files.folder.stat().st_mode)
    if mode & stat.S_ISGID:
        assert now == 0o2770 and first == again and "group" in first[0]
    else:
        assert now == 0o700 and "is private now" in first[0] and again == []
    assert all(str(files.root) not in sentence for sentence in first)


@posix
@in_loop
async def test_the_folder_of_another_account_is_reported_and_not_changed(
    files: FileBackend, monkeypatch
) -> None:
    """P7: each start reports that others have access."""
    files.folder.mkdir()
    files.folder.chmod(0o777)
    monkeypatch.setattr("os.geteuid", lambda: 12345)
    for _ in range(2):
        [sentence] = await files.open().start()
        assert "can read" in sentence
    assert stat.S_IMODE(files.folder.stat().st_mode) == 0o777


@in_loop
async def test_restored_files_are_read_again(files: FileBackend) -> None:
    """P23: a running store notices that a file was replaced by an older one."""
    store = files.open()
    await store.save_interaction(KEY, turn("first"))
    path = files.folder / session_name(KEY)
    older, status = path.read_bytes(), path.stat()
    await store.save_interaction(KEY, turn("second"))
    assert len((await store.load_session(KEY)).interactions) == 2
    path.unlink()
    path.write_bytes(older)
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
    await store.save_interaction(KEY, turn("third"))
    session = await store.load_session(KEY)
    assert [item.user_request.intent for item in session.interactions] == ["first", "third"]
