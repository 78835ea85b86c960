"""``sessions verify`` and ``repair`` on the file store: each flaw is found, no byte is lost."""

from __future__ import annotations

import asyncio
import hashlib
import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from aiserver.cli.doctor.storage import check_storage
from aiserver.models import SessionKey
from aiserver.sessions.file.directory import SessionDirectory
from aiserver.sessions.file.manager import FileSessionManager
from aiserver.sessions.record.filenames import session_name
from tests.sessions.projects import NOTEBOOKS, fill
from tests.sessions.records import turn

from ..conftest import Run, stored, tree

KEY = SessionKey("book", "cell_0")
FILE = session_name(KEY)


@pytest.fixture
def folder(work: Path) -> Path:
    """The folder of a whole project."""
    asyncio.run(fill(FileSessionManager(root=str(work))))
    return work / ".aiserver_sessions"


def bytes_kept(before: dict[str, bytes], after: dict[str, bytes]) -> bool:
    """Whether each file's bytes are still somewhere."""
    return set(before.values()) <= set(after.values())


def test_a_whole_project_has_no_flaw_and_looking_changes_nothing(
    run: Run, work: Path, folder: Path
):
    before = {path: (path.stat().st_mtime_ns, path.stat().st_ino) for path in work.rglob("*")}
    done = run("verify")
    assert done.status == 0 and "no damage found." in done.out
    assert f"{3 * len(NOTEBOOKS) + 2} records" in done.out
    after = {path: (path.stat().st_mtime_ns, path.stat().st_ino) for path in work.rglob("*")}
    assert after == before
    assert run("repair").status == 0


def test_nothing_is_made_where_nothing_is(run: Run, work: Path):
    assert run("verify").status == 0
    assert run("repair").status == 0
    assert not list(work.iterdir())


def test_a_cut_session_is_found_and_mended_as_the_next_write_would(run: Run, folder: Path):
    """P22"""
    data = (folder / FILE).read_bytes()
    (folder / FILE).write_bytes(data[: len(data) * 2 // 3])
    before = tree(folder)
    done = run("verify")
    assert done.status == 1 and f"{FILE}: damaged; 1 requests" in done.out
    assert tree(folder) == before
    mended = run("repair")
    assert mended.status == 0 and "1 repaired, 0 could not be repaired." in mended.out
    assert bytes_kept(before, tree(folder))
    assert stored(folder.parent)[FILE].interactions[0].user_request.intent == "读取数据"
    assert run("verify").status == 0


@pytest.mark.parametrize("data", [b"", b"\x00" * 50, b"no session", b"[]"])
def test_a_session_of_which_nothing_is_left_is_set_aside(run: Run, folder: Path, data: bytes):
    """P22"""
    (folder / FILE).write_bytes(data)
    before = tree(folder)
    assert "nothing is readable" in run("verify").out
    assert run("repair").status == 0
    assert bytes_kept(before, tree(folder)) and not (folder / FILE).exists()
    assert run("verify").status == 0


def test_a_link_in_a_session_s_place_is_set_aside_not_followed(run: Run, folder: Path, work: Path):
    """P6"""
    (work / "secret.txt").write_text("mine")
    (folder / FILE).unlink()
    (folder / FILE).symlink_to(work / "secret.txt")
    assert f"{FILE}: not a regular file" in run("verify").out
    assert run("repair").status == 0
    assert (work / "secret.txt").read_text() == "mine"
    assert run("verify").status == 0


def test_a_file_under_another_s_name_is_joined_with_its_own(run: Run, folder: Path):
    """A copy made by hand holds a turn that its own file lacks: it comes back."""

    async def grow() -> None:
        store = FileSessionManager(root=str(folder.parent))
        await store.save_interaction(KEY, turn("only in the copy"))
        await store.close()

    own = (folder / FILE).read_bytes()
    asyncio.run(grow())
    shutil.move(folder / FILE, folder / "book_other.json")
    (folder / FILE).write_bytes(own)
    before = tree(folder)
    assert "book_other.json: file name does not match its content" in run("verify").out
    assert run("repair").status == 0
    after = tree(folder)
    assert bytes_kept({name: data for name, data in before.items() if name != FILE}, after)
    intents = [one.user_request.intent for one in stored(folder.parent)[FILE].interactions]
    assert intents == ["读取数据", "again", "only in the copy"]
    assert run("verify").status == 0


COPIES = [
    "{} (1){}",
    "{} 2{}",
    "{} (Alice's conflicted copy 2026-11-23){}",
    "{}.sync-conflict-20261123-101112-ABCDEF{}",
    "{}-LAPTOP{}",
    "{}-laptop{}",
    "{} [Konflikt 机器]{}",
    "UPPER",
]


def copied(file: Path, form: str) -> Path:
    if form == "UPPER":
        return file.with_name(file.name.upper())
    return file.with_name(form.format(file.stem, file.suffix))


@pytest.mark.parametrize("form", COPIES)
def test_a_sync_s_copy_of_a_session_is_united(run: Run, folder: Path, form: str):
    """P22: `verify` finds it, `doctor` names it, `repair` unites it and keeps its bytes."""

    async def grow(intent: str) -> None:
        store = FileSessionManager(root=str(folder.parent))
        await store.save_interaction(KEY, turn(intent))
        await store.close()

    own, copy = (folder / FILE).read_bytes(), copied(folder / FILE, form)
    asyncio.run(grow("on the other machine"))
    shutil.move(folder / FILE, copy)
    (folder / FILE).write_bytes(own)
    asyncio.run(grow("on this machine"))
    before = tree(folder)
    assert f"{copy.name}: file name does not match its content" in run("verify").out
    (named,) = [found for found in check_storage(folder.parent) if "duplicate" in found.text]
    assert copy.name in named.text and "sessions repair" in named.mend
    assert tree(folder) == before
    assert run("repair").status == 0
    assert before[copy.name] in tree(folder).values() and not copy.exists()
    intents = [one.user_request.intent for one in stored(folder.parent)[FILE].interactions]
    assert intents == ["读取数据", "again", "on this machine", "on the other machine"]
    assert run("verify").status == 0
    assert not [found for found in check_storage(folder.parent) if "duplicate" in found.text]


@pytest.mark.parametrize("form", COPIES)
def test_a_sync_s_copy_of_a_log_is_united(run: Run, folder: Path, form: str):
    """P22, P28: its lines come behind those that are there."""
    log = folder / "notebooks" / "book.jsonl"
    lines = log.read_bytes()
    line = (
        b'{"type":"path_seen","timestamp":"2026-01-27T12:00:00Z","data":{"path":"%s"},"seq":99}\n'
    )
    copy = copied(log, form)
    copy.write_bytes(lines + line % b"theirs.ipynb")
    log.write_bytes(lines + line % b"ours.ipynb")
    before = tree(folder)
    assert f"notebooks/{copy.name}: duplicate of the log of notebook book" in run("verify").out
    if form != "{}-laptop{}":  # which only the content tells from another notebook's
        (named,) = [found for found in check_storage(folder.parent) if "duplicate" in found.text]
        assert copy.name in named.text
    assert run("repair").status == 0
    assert before[f"notebooks/{copy.name}"] in tree(folder).values() and not copy.exists()
    assert log.read_bytes().startswith(lines + line % b"ours.ipynb")
    new = log.read_bytes()[len(lines + line % b"ours.ipynb") :]
    assert json.loads(new)["seq"] == 100 and json.loads(new)["data"]["path"] == "theirs.ipynb"
    assert run("verify").status == 0


def test_a_damaged_copy_gives_what_is_whole_in_it(run: Run, folder: Path):
    """P22"""
    data = (folder / FILE).read_bytes()
    copy = folder / FILE.replace(".json", " (1).json")
    copy.write_bytes(data.replace("读取数据".encode(), "画图".encode())[:-20])
    assert run("repair").status == 0
    intents = [one.user_request.intent for one in stored(folder.parent)[FILE].interactions]
    assert "画图" in intents and run("verify").status == 0


def test_where_the_disk_folds_case_a_restored_name_is_put_right(
    run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch
):
    """P22: there, to set the copy aside would be to take the file itself away."""
    upper = folder / FILE.upper()
    data = (folder / FILE).read_bytes()
    (folder / FILE).rename(upper)
    monkeypatch.setattr(Path, "samefile", lambda one, other: one.name.lower() == other.name.lower())
    assert run("repair").status == 0
    assert (folder / FILE).read_bytes() == data and not upper.exists()


def test_other_files_in_the_folder_are_left_alone(run: Run, folder: Path):
    for name in (
        "package.json",
        "notes (1).json",
        "notebooks/x (1).jsonl",
        "notebooks/README.JSONL",
    ):
        (folder / name).write_text('{"name": "x"}')
    before = tree(folder)
    assert run("verify").status == 0 and run("repair").status == 0
    assert tree(folder) == before
    assert not [found for found in check_storage(folder.parent) if "duplicate" in found.text]


def test_damaged_lines_of_a_log_are_put_aside_and_the_others_stay(run: Run, folder: Path):
    """P22: also the torn last line that a killed writer has left."""
    log = folder / "notebooks" / "book.jsonl"
    whole = log.read_bytes()
    log.write_bytes(whole + b"\x00\x00\n" + whole[:40])
    before = tree(folder)
    assert "notebooks/book.jsonl: 2 damaged lines" in run("verify").out
    assert run("repair").status == 0
    assert bytes_kept(before, tree(folder)) and log.read_bytes() == whole
    assert run("verify").status == 0


def test_a_blob_that_doesn_t_fit_its_hash_is_set_aside(run: Run, folder: Path):
    (blob,) = (path for path in (folder / "blobs").rglob("*") if path.is_file())
    blob.write_bytes(b"something else")
    before = tree(folder)
    assert f"blobs/{blob.name}: content does not match its hash" in run("verify").out
    assert run("repair").status == 0
    assert bytes_kept(before, tree(folder)) and not blob.exists()
    assert run("verify").status == 0
    assert blob.name != hashlib.sha256(b"something else").hexdigest()


def test_what_a_killed_writer_left_is_found_and_removed(run: Run, folder: Path):
    """P21"""
    orphan = folder / f"{FILE}.0123456789abcdef.tmp"
    orphan.write_bytes(b"half a")
    before = tree(folder)
    assert "left behind by a process that was killed" in run("verify").out
    assert tree(folder) == before
    assert run("repair").status == 0
    assert not orphan.exists() and run("verify").status == 0


def test_a_temp_file_whose_writer_lives_is_no_flaw(run: Run, folder: Path):
    """P21"""
    store = FileSessionManager(root=str(folder.parent))
    with store._directory.lock(FILE):
        temp = folder / f"{FILE}.0123456789abcdef.tmp"
        temp.write_bytes(b"half a")
        assert run("verify").status == 0
    asyncio.run(store.close())


def test_what_can_t_be_mended_stays_and_is_said(run: Run, folder: Path):
    """Two records of one place: to choose one would be to lose the other."""
    content = json.loads((folder / FILE).read_bytes())
    content["events"][0]["seq"] = 1
    (folder / FILE).write_text(json.dumps(content))
    before = tree(folder)
    done = run("repair")
    assert done.status == 1 and "the same sequence number" in done.out
    assert tree(folder) == before


def test_one_record_that_can_t_be_looked_at_hides_no_other(run: Run, folder: Path):
    """P22"""
    (folder / FILE).write_bytes(b"")
    other = session_name(SessionKey("x" * 64, "cell_3"))
    (folder / other).write_bytes(b"{")
    out = run("verify").out
    assert FILE in out and other in out and "2 are damaged" in out


def test_an_owner_s_records_are_looked_at_under_their_name(run: Run, work: Path):
    asyncio.run(fill(FileSessionManager(root=str(work)), "alice"))
    name = session_name(SessionKey("book", "cell_0", "alice"))
    data = (work / ".aiserver_sessions" / name).read_bytes()
    (work / ".aiserver_sessions" / name).write_bytes(data[:-40])
    assert run("verify").status == 0  # nobody's
    assert name in run("verify", "--owner", "alice").out
    assert name in run("verify", "--all-owners").out
    assert run("repair", "--owner", "alice").status == 0
    assert stored(work)[name].meta.owner == "alice"
    assert run("verify", "--all-owners").status == 0


def test_what_nobody_knows_whose_it_is_is_said(run: Run, work: Path):
    """Alice's only session is damaged, so no file names her any more."""
    asyncio.run(fill(FileSessionManager(root=str(work)), "alice"))
    for name in stored(work):
        (work / ".aiserver_sessions" / name).write_bytes(b"{")
    done = run("repair", "--all-owners")
    assert done.status == 1
    assert "the file name does not identify the owner or cell" in done.out
    assert run("repair", "--owner", "alice").status == 0
    assert run("verify", "--all-owners").status == 0


def test_the_predecessor_s_files_have_no_flaw_by_their_names(run: Run, work: Path):
    data = Path(__file__).parents[2] / "data" / "predecessor"
    content = (data / "bank-customer-churn_cell-0.json").read_text()
    folder = work / ".aiserver_sessions"
    folder.mkdir()
    content = content.replace('"bank-customer-churn"', '"My_Notebook"')
    (folder / "My_Notebook_cell-0.json").write_text(content)
    done = run("verify")
    assert done.status == 0 and "1 records" in done.out
    (folder / "My_Notebook_cell-0.json").write_text(content[:-60])
    assert "My_Notebook_cell-0.json: damaged" in run("verify").out
    before = tree(folder)
    assert run("repair").status == 0
    assert bytes_kept(before, tree(folder))
    assert run("verify").status == 0


def test_what_was_mended_meanwhile_is_left_alone(
    run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch
):
    """P23: between the look and the mending another process has written the session anew."""
    good = (folder / FILE).read_bytes()
    (folder / FILE).write_bytes(b"")
    lock = SessionDirectory.lock

    def meanwhile(self: SessionDirectory, name: str) -> Any:
        (folder / FILE).write_bytes(good)
        return lock(self, name)

    monkeypatch.setattr(SessionDirectory, "lock", meanwhile)
    assert run("repair").status == 0
    assert (folder / FILE).read_bytes() == good
