"""P6, P7, P19, P20: memories in files, which editors, git and other processes change, too."""

from __future__ import annotations

import errno
import os
import stat
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from aiserver import durable
from aiserver.errors import (
    MemoryTooLarge,
    MemoryUnreadable,
    StorageBusy,
    StorageError,
    StorageFull,
    StorageReadOnly,
)
from aiserver.plugins.memory.manager import MemoryManager
from aiserver.plugins.memory.stores import file as file_module
from aiserver.plugins.memory.stores.base import MAX_MEMORY_BYTES, KeyValueMemoryStore
from aiserver.plugins.memory.stores.file import FileMemoryStore
from aiserver.sessions.memory import InMemorySessionManager
from aiserver.testing.records import in_loop

HAND_WRITTEN = b"# Ours\n\nWe work in euros.\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "project" / ".aiserver_memory"


@pytest.fixture
def store(folder: Path) -> FileMemoryStore:
    """Return the store of a project."""
    folder.parent.mkdir()
    return FileMemoryStore(folder, is_shared_by_git=True)


@pytest.fixture
def file(store: FileMemoryStore) -> Path:
    return store.path("memory")


@pytest.fixture
def window(store: FileMemoryStore) -> MemoryManager:
    return MemoryManager(KeyValueMemoryStore(InMemorySessionManager()), store, project_name="p")


def names(folder: Path) -> set[str]:
    return {path.name for path in folder.rglob("*") if path.name not in ("locks", "MEMORY.md.lock")}


# --- other programs ------------------------------------------------------------------------


def edit(file: Path, how: str) -> None:
    """Add a line, as an editor does that writes the file, or one that replaces it."""
    new = (file.read_bytes() if file.exists() else b"") + b"- by hand\n"
    if how == "write":
        file.write_bytes(new)
    else:
        temp = file.with_name(".swap")
        temp.write_bytes(new)
        temp.replace(file)


def edit_before(monkeypatch: pytest.MonkeyPatch, point: str, act: Callable[[], None]) -> list[str]:
    """Run an action once, immediately before or after a step of a write."""
    done: list[str] = []
    module, name, is_after = {
        "lock": (file_module, "lock_file", False),
        "temp file": (file_module, "replace_file", False),
        "rename": (file_module, "replace_file", True),
    }[point]
    step = getattr(module, name)

    def run(*args, **options):
        if is_after:
            result = step(*args, **options)
        if not done and "MEMORY.md" in str(args[1]):
            done.append(point)
            act()
        return result if is_after else step(*args, **options)

    monkeypatch.setattr(module, name, run)
    return done


@pytest.mark.parametrize("how", ["write", "replace"])
@pytest.mark.parametrize("point", ["lock", "temp file", "rename"])
@pytest.mark.parametrize("exists", [True, False])
@in_loop
async def test_an_edit_during_a_confirmation_is_not_lost(
    window: MemoryManager, file: Path, monkeypatch, how: str, point: str, exists: bool
) -> None:
    """Both texts are in the memory, whenever an editor saves the file."""
    if exists:
        file.parent.mkdir()
        file.write_bytes(HAND_WRITTEN)
    proposal = await window.propose("Use polars", "project", "request")
    done = edit_before(monkeypatch, point, lambda: edit(file, how))
    await window.confirm(proposal.id)
    assert done == [point]
    texts = [listed.text for listed in await window.list_entries()]
    assert texts == [*(["We work in euros."] if exists else []), "by hand", "Use polars"]
    assert file.read_bytes().startswith(HAND_WRITTEN if exists else b"- by hand\n")
    assert not [name for name in names(file.parent) if name.endswith(".tmp")]


@in_loop
async def test_edits_in_the_meantime_are_read(window: MemoryManager, file: Path) -> None:
    """P27: the file is read for each use, also with the mark that Windows writes before UTF-8."""
    entry = await window.add("project", "Use polars")
    file.write_bytes(b"\xef\xbb\xbf" + file.read_bytes().replace(b"\n", b"\r\n") + b"- by hand\r\n")
    assert [listed.text for listed in await window.list_entries()] == [
        "Use polars",
        "by hand",
    ]
    await window.add("project", "Titles in Chinese")
    data = file.read_bytes()
    assert data.startswith(b"\xef\xbb\xbf# Memory\r\n")
    assert data.count(b"\n") == data.count(b"\r\n")
    await window.forget("project", entry.id)
    assert [listed.text for listed in await window.list_entries()] == [
        "by hand",
        "Titles in Chinese",
    ]


@in_loop
async def test_the_mode_that_a_person_has_chosen_stays(store: FileMemoryStore, file: Path) -> None:
    """P7: files in a project are like its other files."""
    old_umask = os.umask(0o027)
    try:
        assert await store.replace("memory", None, b"- a\n")
        assert stat.S_IMODE(file.stat().st_mode) == 0o640
        assert stat.S_IMODE(file.parent.stat().st_mode) == 0o750
        file.chmod(0o604)
        assert await store.replace("memory", b"- a\n", b"- b\n")
        assert stat.S_IMODE(file.stat().st_mode) == 0o604
    finally:
        os.umask(old_umask)


@pytest.mark.skipif(sys.platform == "win32", reason="needs groups")
@pytest.mark.parametrize("umask", [0o000, 0o022, 0o077])
@in_loop
async def test_the_group_of_a_shared_project_can_write_its_memory(
    store: FileMemoryStore, file: Path, umask: int
) -> None:
    """P7: other accounts have the access that they have to other files."""
    file.parent.parent.chmod(0o2775)
    old_umask = os.umask(umask)
    try:
        assert await store.replace("memory", None, b"- a\n")
    finally:
        os.umask(old_umask)
    others = 0o007 & ~umask
    modes = {path: stat.S_IMODE(path.stat().st_mode) for path in file.parent.rglob("*")}
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o2770 | others
    assert modes.pop(file.parent / "locks") == 0o2770
    assert modes.pop(file.parent / "locks" / "MEMORY.md.lock") == 0o660
    assert set(modes.values()) == {0o660 | others & 0o006}


@in_loop
async def test_a_memory_of_another_account_is_named_and_nothing_is_lost(
    window: MemoryManager, store: FileMemoryStore, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Requests go on without it."""
    assert await store.replace("memory", None, HAND_WRITTEN)

    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))

    with monkeypatch.context() as patch:
        patch.setattr(file_module, "lock_file", refuse)  # it can be read, but not written
        proposal = await window.propose("Use polars", "project", "request")
        with pytest.raises(MemoryUnreadable):
            await window.confirm(proposal.id)
        assert [waiting.id for waiting in await window.pending()] == [proposal.id]
        assert len(await window.list_entries()) == 1
        patch.setattr(file_module, "read_file", refuse)
        assert await window.unreadable_scopes() == ["project"]
        assert await window.list_entries(skip_unreadable=True) == []
        with pytest.raises(MemoryUnreadable):
            await window.add("project", "Use polars")
    assert file.read_bytes() == HAND_WRITTEN


@in_loop
async def test_a_persons_linked_memory_hides_no_projects(tmp_path: Path) -> None:
    person = FileMemoryStore(tmp_path / "person", is_shared_by_git=False)
    project = FileMemoryStore(tmp_path / "project", is_shared_by_git=True)
    window = MemoryManager(person, project, project_name="p")
    await window.add("project", "Use polars")
    person.folder.rename(tmp_path / "other")
    person.folder.symlink_to(tmp_path / "other")
    [item] = await window.list_entries(skip_unreadable=True)
    assert (item.scope, item.text) == ("project", "Use polars")
    with pytest.raises(MemoryUnreadable):
        await window.list_entries()


@pytest.mark.parametrize("umask", [0o000, 0o077, 0o277])
@in_loop
async def test_files_of_the_person_are_private(tmp_path: Path, umask: int) -> None:
    """P7"""
    store = FileMemoryStore(tmp_path / "memory")
    old_umask = os.umask(umask)
    try:
        for owner in ("", "ada"):
            assert await store.replace("memory", None, b"- a\n", owner=owner)
            assert await store.replace("proposals", None, b"{}\n", owner=owner)
    finally:
        os.umask(old_umask)
    for path in (store.folder, *store.folder.rglob("*")):
        assert stat.S_IMODE(path.stat().st_mode) == (0o700 if path.is_dir() else 0o600), path


# --- faults --------------------------------------------------------------------------------


def fail_at(monkeypatch: pytest.MonkeyPatch, call: str, code: int) -> list[str]:
    """Let a system call of a write fail from now on; return the calls that failed."""
    failed: list[str] = []

    def fail(*_args, **_options):
        failed.append(call)
        raise OSError(code, os.strerror(code))

    modules = {"write": os, "rename": os, "flush": durable}
    name = {"rename": "replace"}.get(call, call)
    monkeypatch.setattr(modules[call], name, fail)
    if call == "rename":
        monkeypatch.setattr(Path, "replace", fail)
    return failed


@pytest.mark.parametrize("call", ["write", "flush", "rename"])
@pytest.mark.parametrize(
    ("code", "error"),
    [
        (errno.ENOSPC, StorageFull),
        (errno.EDQUOT, StorageFull),
        (errno.EROFS, StorageReadOnly),
        (errno.EIO, StorageError),
    ],
)
@in_loop
async def test_a_failed_write_changes_nothing(
    window: MemoryManager, file: Path, monkeypatch, call: str, code: int, error: type
) -> None:
    """P20: the old memory stays, no temp file is left, and the proposal still waits."""
    await window.add("project", "Use polars")
    before, files = file.read_bytes(), names(file.parent)
    proposal = await window.propose("Titles in Chinese", "project", "request")
    with monkeypatch.context() as patch:
        failed = fail_at(patch, call, code)
        with pytest.raises(error) as caught:
            await window.confirm(proposal.id)
        assert type(caught.value) is error
        assert failed
    assert file.read_bytes() == before
    assert names(file.parent) == files
    assert await window.pending() == [proposal]
    await window.confirm(proposal.id)
    assert len(await window.list_entries()) == 2


@in_loop
async def test_temp_files_of_killed_processes_are_removed(folder: Path, tmp_path: Path) -> None:
    """P21: at the next read, unless somebody is writing."""
    store = FileMemoryStore(tmp_path / "memory")
    assert await store.replace("proposals", None, b"{}\n", owner="ada")
    temp = store.path("proposals", owner="ada").with_name(f"proposals.json.{'0' * 16}.tmp")
    temp.write_bytes(b"canary")
    temp.with_name(f"{temp.name}.{'1' * 16}.tmp").write_bytes(b"canary")
    with store._locked(temp.parent, "proposals.json", 1):
        assert await store.read("memory", owner="ada") is None
        assert temp.exists(), "the process that has the lock may be writing it"
    assert await store.read("memory", owner="ada") is None
    assert [path for path in temp.parent.iterdir() if ".tmp" in path.name] == []


@in_loop
async def test_a_lock_that_never_ends_is_an_error(
    store: FileMemoryStore, folder: Path, monkeypatch
) -> None:
    """P23"""
    monkeypatch.setattr(file_module, "_LOCK_TIMEOUT", 0.05)
    assert await store.replace("memory", None, b"- a\n")
    with store._locked(folder, "MEMORY.md", 1):
        with pytest.raises(StorageBusy):
            await store.replace("memory", b"- a\n", b"- b\n")
        assert await store.read("memory") == b"- a\n", "readers don't wait"


# --- folders from elsewhere ----------------------------------------------------------------


def plant(file: Path, target: Path, kind: str) -> None:
    target.write_bytes(b"- canary of another file\n")
    file.parent.mkdir()
    if kind == "link":
        file.symlink_to(target)
    elif kind == "broken link":
        file.symlink_to(target.with_name("nothing"))
    elif kind == "folder":
        file.mkdir()
    elif kind == "pipe":
        os.mkfifo(file)
    elif kind == "large":
        file.write_bytes(b"x" * (MAX_MEMORY_BYTES + 1))


@pytest.mark.skipif(sys.platform == "win32", reason="needs links and pipes")
@pytest.mark.parametrize("kind", ["link", "broken link", "folder", "pipe", "large"])
@in_loop
async def test_a_planted_memory_is_neither_read_nor_written(
    window: MemoryManager, file: Path, tmp_path: Path, kind: str
) -> None:
    """P6: a link in a repository can't bring another file into a prompt, or change it."""
    target = tmp_path / "secret"
    plant(file, target, kind)
    error = MemoryTooLarge if kind == "large" else MemoryUnreadable
    with pytest.raises(error):
        await window.list_entries()
    with pytest.raises(error):
        await window.add("project", "Use polars")
    assert target.read_bytes() == b"- canary of another file\n"
    assert not target.with_name("nothing").exists()
    assert file.lstat().st_mode and not file.with_name("MEMORY.md.tmp").exists()


@in_loop
async def test_the_project_may_be_a_link(tmp_path: Path) -> None:
    (tmp_path / "disk").mkdir()
    (tmp_path / "project").symlink_to(tmp_path / "disk")
    store = FileMemoryStore(tmp_path / "project/.aiserver_memory", is_shared_by_git=True)
    manager = MemoryManager(KeyValueMemoryStore(InMemorySessionManager()), store, project_name="p")
    await manager.add("project", "Use polars")
    assert "Use polars" in (tmp_path / "disk/.aiserver_memory/MEMORY.md").read_text()
    (tmp_path / "disk").rename(tmp_path / "other")
    (tmp_path / "disk").symlink_to(tmp_path / "other")
    await manager.add("project", "Use seaborn")
    assert len(await manager.list_entries()) == 2


@pytest.mark.skipif(sys.platform == "win32", reason="needs links")
@in_loop
async def test_planted_links_of_folders_and_locks_are_not_followed(
    window: MemoryManager, file: Path, tmp_path: Path
) -> None:
    """P6"""
    other = tmp_path / "other"
    other.mkdir()
    (other / "MEMORY.md").write_bytes(b"- canary\n")
    file.parent.symlink_to(other)
    await window.add("person", "Plot in red")
    with pytest.raises(MemoryUnreadable):
        await window.list_entries()
    assert await window.unreadable_scopes() == ["project"]
    [item] = await window.list_entries(skip_unreadable=True)
    assert item.text == "Plot in red", "the other memory is still used"
    with pytest.raises(StorageError):
        await window.add("project", "Use polars")
    file.parent.unlink()
    file.parent.mkdir()
    (file.parent / "locks").symlink_to(other)
    with pytest.raises(StorageError):
        await window.add("project", "Use polars")
    (file.parent / "locks").unlink()
    (file.parent / "locks").mkdir()
    target = tmp_path / "target"
    target.write_bytes(b"canary")
    (file.parent / "locks" / "MEMORY.md.lock").symlink_to(target)
    for name in (".gitignore", ".gitattributes"):
        (file.parent / name).symlink_to(target)
    (file.parent / f"MEMORY.md.{'0' * 16}.tmp").symlink_to(target)
    (file.parent / f"MEMORY.md.{'1' * 16}.tmp").mkdir()
    await window.add("project", "Use polars")
    assert target.read_bytes() == b"canary"
    assert names(other) == {"MEMORY.md"}
    assert (other / "MEMORY.md").read_bytes() == b"- canary\n"


@in_loop
async def test_files_for_git_are_written_where_they_are_missing(
    window: MemoryManager, file: Path
) -> None:
    """Also into a folder that a person has created; a person's own ones stay."""
    file.parent.mkdir()
    file.write_bytes(HAND_WRITTEN)
    (file.parent / ".gitignore").write_bytes(b"mine\n")
    await window.list_entries()
    assert names(file.parent) == {"MEMORY.md", ".gitignore"}
    await window.add("project", "Use polars")
    assert names(file.parent) == {"MEMORY.md", ".gitignore", ".gitattributes"}
    assert (file.parent / ".gitignore").read_bytes() == b"mine\n"


@in_loop
async def test_files_for_git_that_are_being_written_are_not_removed(
    store: FileMemoryStore, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """P23: a reader, which removes orphans, has the lock of another document."""
    real, cleaned = durable.flush, 0

    def flush(descriptor: int) -> None:
        nonlocal cleaned
        with store._locked(file.parent, "proposals.json", 0):
            durable.remove(file.parent, file_module._temp_files(file.parent, "proposals.json"))
            cleaned += 1
        real(descriptor)

    monkeypatch.setattr(durable, "flush", flush)
    assert await store.replace("memory", None, HAND_WRITTEN)
    assert cleaned == 3
    written = {"MEMORY.md", ".gitignore", ".gitattributes", "proposals.json.lock"}
    assert names(file.parent) == written
