"""``sessions copy`` as it is typed, stopped, and done again.

That each store gives back what it was given is tried in ``tests/sessions/test_copying.py``.
"""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from aiserver.cli.sessions.copy import copy
from aiserver.errors import StorageFull
from aiserver.models import Session, SessionKey
from aiserver.sessions.file.manager import FileSessionManager
from aiserver.sessions.memory import InMemorySessionManager
from aiserver.transfer.write import Report
from tests.sessions.conftest import FileBackend
from tests.sessions.projects import NOTEBOOKS, all_of, fill
from tests.sessions.records import in_loop, turn

from ..conftest import Run, configure, stored, tree


class Filling(InMemorySessionManager):
    """A store that is full after some sessions, as a killed copy leaves one."""

    room = 3

    async def take_over(self, key: SessionKey, other: Session, **more: Any) -> bool:
        if not self.room:
            raise StorageFull
        self.room -= 1
        return await super().take_over(key, other, **more)


@in_loop
async def test_a_copy_that_was_stopped_goes_on_where_it_was():
    """P20: what is copied stays, nothing is doubled, the rest comes with the next try."""
    source, store = InMemorySessionManager(), Filling()
    await fill(source)
    report = Report()
    with pytest.raises(StorageFull):
        await copy(source, store, "", "", report)
    assert report.sessions == 3 == (await store.list_sessions())[1]
    store.room = 1000
    report = await copy(source, store, "", "")
    assert report.sessions_new == 2 * len(NOTEBOOKS) + 1 - 3
    assert await all_of(store) == await all_of(source)


@in_loop
async def test_both_sides_grown_apart_are_joined(tmp_path: Path):
    source, store = InMemorySessionManager(), InMemorySessionManager()
    key = SessionKey("n", "c")
    await source.save_interaction(key, turn("both"))
    await copy(source, store, "", "")
    await source.save_interaction(key, turn("theirs"))
    await store.save_interaction(key, turn("ours"))
    report = await copy(source, store, "", "")
    assert (report.sessions_extended, report.turns_new) == (1, 1)
    session = await store.load_session(key)
    assert [one.user_request.intent for one in session.interactions] == ["both", "ours", "theirs"]


def fill_folder(root: Path, owner: str = "") -> None:
    async def work() -> None:
        root.mkdir(exist_ok=True)
        store = FileSessionManager(root=str(root))
        await fill(store, owner)
        await store.close()

    asyncio.run(work())


def test_the_command_copies_and_leaves_the_source_as_it_is(run: Run, work: Path):
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


def test_addresses_count_for_more_than_a_folder_in_the_configuration(run: Run, work: Path):
    configure(work, FileSessionManager={"root": str(work)})
    fill_folder(work.parent / "a")
    done = run("copy", "--from", (work.parent / "a").as_uri(), "--to", (work.parent / "b").as_uri())
    assert done.status == 0, done.err
    assert tree(work.parent / "a") == tree(work.parent / "b")
    assert not (work / ".aiserver_sessions").exists()


def test_owners_keep_their_names_or_get_another(run: Run, work: Path):
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


def test_a_mistyped_source_and_a_store_onto_itself_are_said(run: Run, work: Path):
    done = run("copy", "--from", work / "nowhere", "--to", work / "b")
    assert done.status == 1 and "No histories in" in done.err
    assert not (work / "b").exists() and not (work / "nowhere").exists()
    fill_folder(work)
    assert "Source and target are the same store." in run("copy", "--to", work).err


def test_what_is_too_damaged_to_be_copied_is_not_forgotten(run: Run, work: Path):
    """P22"""
    fill_folder(work)
    FileBackend(work).plant(SessionKey("book", "gone"), b"\x00" * 100)
    done = run("copy", "--to", work / "b")
    assert done.status == 1
    assert "1 records there are damaged" in done.err
    assert len(stored(work / "b")) == 2 * len(NOTEBOOKS) + 1


def test_ctrl_c_keeps_what_is_copied_and_says_so(
    run: Run, work: Path, monkeypatch: pytest.MonkeyPatch
):
    fill_folder(work)
    taken = FileSessionManager.take_over
    keys: list[SessionKey] = []

    async def take_over(
        self: FileSessionManager, key: SessionKey, other: Session, **more: Any
    ) -> bool:
        done = await taken(self, key, other, **more)
        keys.append(key)
        if len(keys) == 4:
            raise KeyboardInterrupt
        return done

    monkeypatch.setattr(FileSessionManager, "take_over", take_over)
    done = run("copy", "--to", work / "b")
    assert done.status == 130
    assert "Completed work is kept." in done.err
    assert len(stored(work / "b")) >= 4
    monkeypatch.undo()
    monkeypatch.chdir(work)
    assert run("copy", "--from", work, "--to", work / "b").status == 0
    assert len(stored(work / "b")) == 2 * len(NOTEBOOKS) + 1


@pytest.mark.skipif(sys.platform == "win32", reason="no terminal to be had")
def test_a_bar_is_drawn_at_a_terminal_and_on_standard_error_alone(work: Path):
    fill_folder(work)
    ours, theirs = os.openpty()
    command = [sys.executable, "-m", "aiserver.cli.main", "sessions", "copy", "--to", "b/"]
    env = dict(os.environ) | {"TERM": "xterm", "COLUMNS": "100"}
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=theirs, cwd=work, env=env)
    os.close(theirs)
    drawn = os.read(ours, 100_000).decode()
    os.close(ours)
    assert done.returncode == 0
    assert "histories" in drawn and f"/{2 * len(NOTEBOOKS) + 1}" in drawn
    assert b"\x1b" not in done.stdout


def test_elsewhere_nothing_is_drawn(run: Run, work: Path):
    fill_folder(work)
    assert run("copy", "--to", work / "b").err == ""


def test_a_copy_that_was_killed_is_finished_by_the_next(run: Run, work: Path):
    """P19: whole sessions or none, and no trace of the first try."""
    fill_folder(work)
    folder = work / ".aiserver_sessions"
    data = (folder / "book_cell~5f0.json").read_bytes()
    for number in range(400):
        (folder / f"book_c{number}.json").write_bytes(data.replace(b"cell_0", b"c%d" % number))
    target = work.parent / "target"
    command = [sys.executable, "-m", "aiserver.cli.main", "sessions", "copy", "--to", str(target)]
    copying = subprocess.Popen(command, cwd=work, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    while len(list(target.rglob("book_c*.json"))) < 50:
        assert copying.poll() is None, copying.communicate()
    copying.kill()
    copying.communicate()
    before = tree(work)
    there = set(stored(target))
    assert 50 <= len(there) < len(stored(work))
    done = run("copy", "--to", target)
    assert done.status == 0, done.err
    assert tree(target) == before == tree(work)
    assert f"unchanged  {len(there)} histories" in done.out
