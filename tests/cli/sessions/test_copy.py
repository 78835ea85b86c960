"""``sessions copy``: complete, interrupted and repeated copies.

``tests/sessions/test_copying.py`` copies between all kinds of stores.
"""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from aiserver.cli.selection import find_recorded_at
from aiserver.cli.stores import open_store
from aiserver.errors import StorageFull
from aiserver.models import NewLogEntry, Session, SessionKey
from aiserver.plugins.sessions.cli.copy import copy
from aiserver.plugins.sessions.write import Report
from aiserver.sessions.base import SessionManager
from aiserver.sessions.file.manager import FileSessionManager
from aiserver.sessions.memory import InMemorySessionManager
from aiserver.sessions.sql.manager import SQLSessionManager
from aiserver.testing.records import NOON, in_loop, log_entry, turn
from tests.sessions.conftest import FileBackend
from tests.sessions.projects import NOTEBOOKS, all_of, fill

from ..conftest import Run, configure, stored, tree


class FullStore(InMemorySessionManager):
    """A store that is full after some sessions."""

    capacity = 3

    async def merge_copy(self, key: SessionKey, other: Session, **more: Any) -> bool:
        if not self.capacity:
            raise StorageFull
        self.capacity -= 1
        return await super().merge_copy(key, other, **more)


@in_loop
async def test_an_interrupted_copy_resumes():
    """P20: copied sessions stay, nothing is duplicated, and the next run copies the rest."""
    source, store = InMemorySessionManager(), FullStore()
    await fill(source)
    report = Report()
    with pytest.raises(StorageFull):
        await copy(source, store, "", "", report)
    assert report.session_count == 3 == (await store.list_sessions())[1]
    store.capacity = 1000
    report = await copy(source, store, "", "")
    assert report.new_session_count == 2 * len(NOTEBOOKS) + 1 - 3
    assert await all_of(store) == await all_of(source)


@in_loop
async def test_an_odd_log_entry_stops_no_copy():
    source, store = InMemorySessionManager(), InMemorySessionManager()
    entry = NewLogEntry(type="change", timestamp=NOON, data={"digests": 5})
    for each in (source, store):
        await each.append_notebook_log("n", [entry])
    await source.append_notebook_log("n", [entry.model_copy(update={"type": "other"})])
    assert (await copy(source, store, "", "")).log_count == 1


@in_loop
async def test_diverged_sessions_are_merged(tmp_path: Path):
    source, store = InMemorySessionManager(), InMemorySessionManager()
    key = SessionKey("n", "c")
    await source.save_interaction(key, turn("both"))
    await copy(source, store, "", "")
    await source.save_interaction(key, turn("theirs"))
    await store.save_interaction(key, turn("ours"))
    report = await copy(source, store, "", "")
    assert (report.extended_session_count, report.new_turn_count) == (1, 1)
    session = await store.load_session(key)
    assert [each.user_request.intent for each in session.interactions] == ["both", "ours", "theirs"]


def fill_folder(root: Path, owner: str = "") -> None:
    async def work() -> None:
        root.mkdir(exist_ok=True)
        store = FileSessionManager(root=str(root))
        await fill(store, owner)
        await store.close()

    asyncio.run(work())


def test_the_command_copies_and_does_not_change_the_source(run: Run, work: Path):
    fill_folder(work)
    before = tree(work)
    target = work.parent / "new" / "place"
    done = run("copy", "--to", target.as_uri())
    assert done.status == 0, done.err
    assert f"new        {2 * len(NOTEBOOKS) + 1} histories" in done.out
    assert tree(work) == before
    assert tree(target) == before
    again = run("copy", "--from", work, "--to", target)
    assert "new        0 histories" in again.out and tree(target) == before


def test_urls_override_the_configured_folder(run: Run, work: Path):
    configure(work, FileSessionManager={"root": str(work)})
    fill_folder(work.parent / "a")
    done = run("copy", "--from", (work.parent / "a").as_uri(), "--to", (work.parent / "b").as_uri())
    assert done.status == 0, done.err
    assert tree(work.parent / "a") == tree(work.parent / "b")
    assert not (work / ".aiserver_sessions").exists()


def test_owners_are_preserved_or_replaced(run: Run, work: Path):
    fill_folder(work, "alice")
    fill_folder(work, "bob")
    target = work.parent / "target"
    assert run("copy", "--to", target, "--all-owners").status == 0
    assert tree(target) == tree(work)
    done = run("copy", "--to", work.parent / "other", "--owner", "bob", "--to-owner", "carol")
    assert done.status == 0, done.err
    owners = {session.meta.owner for session in stored(work.parent / "other").values()}
    assert owners == {"carol"}
    done = run("copy", "--to", target, "--all-owners", "--to-owner", "x")
    assert done.status == 1 and "can't be used with --all-owners" in done.err


def test_a_missing_source_and_copying_a_store_to_itself_are_errors(run: Run, work: Path):
    done = run("copy", "--from", work / "nowhere", "--to", work / "b")
    assert done.status == 1 and "No histories in" in done.err
    assert not (work / "b").exists() and not (work / "nowhere").exists()
    fill_folder(work)
    assert "Source and target are the same store." in run("copy", "--to", work).err


def test_records_too_damaged_to_be_copied_are_reported(run: Run, work: Path):
    """P22"""
    fill_folder(work)
    FileBackend(work).plant(SessionKey("book", "gone"), b"\x00" * 100)
    done = run("copy", "--to", work / "b")
    assert done.status == 1
    assert "1 records there are damaged" in done.err
    assert len(stored(work / "b")) == 2 * len(NOTEBOOKS) + 1


def test_ctrl_c_keeps_copied_sessions_and_reports_it(
    run: Run, work: Path, monkeypatch: pytest.MonkeyPatch
):
    fill_folder(work)
    original = FileSessionManager.merge_copy
    keys: list[SessionKey] = []

    async def merge_copy(
        self: FileSessionManager, key: SessionKey, other: Session, **more: Any
    ) -> bool:
        done = await original(self, key, other, **more)
        keys.append(key)
        if len(keys) == 4:
            raise KeyboardInterrupt
        return done

    monkeypatch.setattr(FileSessionManager, "merge_copy", merge_copy)
    done = run("copy", "--to", work / "b")
    assert done.status == 130
    assert "Completed work is kept." in done.err
    assert len(stored(work / "b")) >= 4
    monkeypatch.undo()
    monkeypatch.chdir(work)
    assert run("copy", "--from", work, "--to", work / "b").status == 0
    assert len(stored(work / "b")) == 2 * len(NOTEBOOKS) + 1


@pytest.mark.skipif(sys.platform == "win32", reason="there are no pseudo-terminals")
def test_a_terminal_gets_a_progress_bar_on_standard_error_only(work: Path):
    fill_folder(work)
    ours, theirs = os.openpty()
    command = [sys.executable, "-m", "aiserver.cli.main", "sessions", "copy", "--to", "b/"]
    env = dict(os.environ) | {"TERM": "xterm", "COLUMNS": "100"}
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=theirs, cwd=work, env=env)
    os.close(theirs)
    output = os.read(ours, 100_000).decode()
    os.close(ours)
    assert done.returncode == 0
    assert "histories" in output and f"/{2 * len(NOTEBOOKS) + 1}" in output
    assert b"\x1b" not in done.stdout


def test_without_a_terminal_no_progress_bar_is_printed(run: Run, work: Path):
    fill_folder(work)
    assert run("copy", "--to", work / "b").err == ""


def test_the_next_copy_completes_a_killed_one(run: Run, work: Path):
    """P19: only complete sessions are stored, and no trace of the first run is left."""
    fill_folder(work)
    folder = work / ".aiserver_sessions"
    data = (folder / "book_cell~5f0.json").read_bytes()
    for number in range(400):
        (folder / f"book_c{number}.json").write_bytes(data.replace(b"cell_0", b"c%d" % number))
    target = work.parent / "target"
    command = [sys.executable, "-m", "aiserver.cli.main", "sessions", "copy", "--to", str(target)]
    process = subprocess.Popen(command, cwd=work, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    while len(list(target.rglob("book_c*.json"))) < 50:
        assert process.poll() is None, process.communicate()
    process.kill()
    process.communicate()
    before = tree(work)
    copied = set(stored(target))
    assert 50 <= len(copied) < len(stored(work))
    done = run("copy", "--to", target)
    assert done.status == 0, done.err
    assert tree(target) == before == tree(work)
    assert f"unchanged  {len(copied)} histories" in done.out


def test_paths_are_relative_to_the_home_folder_in_a_database(run: Run, work: Path):
    """P28: projects with notebooks of the same names can be copied into one database, and back."""
    store = f"sqlite:///{work}/all.db"
    for name in ("one", "two"):
        folder = work / name
        folder.mkdir()
        file_store = FileSessionManager(root=str(folder))
        asyncio.run(_record(file_store, f"of-{name}"))
        before = tree(folder / ".aiserver_sessions")
        assert run("copy", "--from", folder, "--to", store).status == 0
        assert run("copy", "--from", folder, "--to", store).status == 0  # changes nothing
        shutil.rmtree(folder / ".aiserver_sessions")
        if name == "one":
            assert run("copy", "--from", store, "--to", folder).status == 0
            assert tree(folder / ".aiserver_sessions") == before
    rows = run("list", "--store", store).out.splitlines()[1:]
    assert sorted(row.split("\t")[0] for row in rows) == ["work/one/n.ipynb", "work/two/n.ipynb"]


def test_paths_outside_the_folder_come_back_from_it(run: Run, work: Path):
    """P28: in the folder, they are absolute."""
    home, paths = work.parent, ["n.ipynb", "one/n.ipynb", "two/n.ipynb"]
    first, second = (f"sqlite:///{work}/{name}.db" for name in ("first", "second"))
    for index, path in enumerate(paths):
        asyncio.run(_record(SQLSessionManager(url=first), f"n{index}", path))
    listed = []
    for source, target in ((first, home / "one"), (home / "one", second)):
        assert run("copy", "--from", source, "--to", target).status == 0
        rows = run("list", "--store", target).out.splitlines()[1:]
        listed.append(sorted(row.split("\t")[0] for row in rows))
    assert listed == [sorted([f"{home}/n.ipynb", "n.ipynb", f"{home}/two/n.ipynb"]), paths]


@pytest.mark.parametrize("command", ["show", "delete", "export"])
def test_a_database_serves_several_folders(run: Run, work: Path, command: str):
    """P28: a file in one folder never selects the notebook of another one."""
    url = f"sqlite:///{work}/all.db"
    configure(work, AIServer={"session_manager": url})
    store = SQLSessionManager(url=url)
    asyncio.run(_record(store, "x", "elsewhere/n.ipynb"))
    text = json.dumps({"cells": [], "metadata": {"aiserver": {"notebook_id": "x"}}})
    for folder in (work, work.parent / "elsewhere"):
        folder.mkdir(exist_ok=True)
        (folder / "n.ipynb").write_text(text)
    arguments: dict[str, list[str]] = {
        "show": ["n.ipynb"],
        "delete": ["n.ipynb", "--yes"],
        "export": ["--notebook", "n.ipynb", "--to", str(work / "out")],
    }
    done = run(command, *arguments[command])
    assert done.status == 1 and "“n.ipynb” is a copy of “x”" in done.err
    os.chdir(work.parent / "elsewhere")
    assert run(command, *arguments[command]).status == 0


@in_loop
async def test_a_deleted_notebook_is_found_by_its_path_in_a_database(work: Path):
    url = f"sqlite:///{work}/all.db"
    await _record(SQLSessionManager(url=url), "x", "work/n.ipynb")
    async with open_store(url) as context:
        assert await find_recorded_at(context, "n.ipynb") == "x"


async def _record(store: SessionManager, notebook_id: str, path: str = "n.ipynb") -> None:
    await store.append_notebook_log(notebook_id, [log_entry(path=path)])
    await store.save_interaction(SessionKey(notebook_id, "c"), turn("x"))
    await store.close()
