"""``sessions verify`` and ``repair`` on the file store: damage is found, and no byte is lost."""

from __future__ import annotations

import asyncio
import hashlib
import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from aiserver.cli.doctor.base import Finding
from aiserver.cli.doctor.storage import check_storage
from aiserver.models import SessionKey
from aiserver.sessions.file.directory import SessionDirectory
from aiserver.sessions.file.manager import FileSessionManager
from aiserver.sessions.record.filenames import session_name
from aiserver.testing.records import turn
from tests.sessions.projects import NOTEBOOKS, fill

from ..conftest import Run, stored, tree

KEY = SessionKey("book", "cell_0")
FILE = session_name(KEY)


@pytest.fixture
def folder(work: Path) -> Path:
    """Return the sessions folder of a complete project."""
    asyncio.run(fill(FileSessionManager(root=str(work))))
    return work / ".aiserver_sessions"


def has_all_bytes(before: dict[str, bytes], after: dict[str, bytes]) -> bool:
    """Whether the content of each file still exists."""
    return set(before.values()) <= set(after.values())


def test_an_intact_project_has_no_damage_and_verify_changes_nothing(
    run: Run, work: Path, folder: Path
):
    before = {path: (path.stat().st_mtime_ns, path.stat().st_ino) for path in work.rglob("*")}
    done = run("verify")
    assert done.status == 0 and "no damage found." in done.out
    assert f"{3 * len(NOTEBOOKS) + 2} records" in done.out
    after = {path: (path.stat().st_mtime_ns, path.stat().st_ino) for path in work.rglob("*")}
    assert after == before
    assert run("repair").status == 0


def test_verify_and_repair_create_no_folder(run: Run, work: Path):
    assert run("verify").status == 0
    assert run("repair").status == 0
    assert not list(work.iterdir())


def test_a_truncated_session_is_repaired(run: Run, folder: Path):
    """P22"""
    data = (folder / FILE).read_bytes()
    (folder / FILE).write_bytes(data[: len(data) * 2 // 3])
    before = tree(folder)
    done = run("verify")
    assert done.status == 1 and f"{FILE}: damaged; 1 requests" in done.out
    assert tree(folder) == before
    repaired = run("repair")
    assert repaired.status == 0 and "1 repaired, 0 could not be repaired." in repaired.out
    assert has_all_bytes(before, tree(folder))
    assert stored(folder.parent)[FILE].interactions[0].user_request.intent == "读取数据"
    assert run("verify").status == 0


@pytest.mark.parametrize("data", [b"", b"\x00" * 50, b"no session", b"[]"])
def test_an_unreadable_session_is_quarantined(run: Run, folder: Path, data: bytes):
    """P22"""
    (folder / FILE).write_bytes(data)
    before = tree(folder)
    assert "nothing is readable" in run("verify").out
    assert run("repair").status == 0
    assert has_all_bytes(before, tree(folder)) and not (folder / FILE).exists()
    assert run("verify").status == 0


def test_a_symbolic_link_is_quarantined_and_not_followed(run: Run, folder: Path, work: Path):
    """P6"""
    (work / "secret.txt").write_text("mine")
    (folder / FILE).unlink()
    (folder / FILE).symlink_to(work / "secret.txt")
    assert f"{FILE}: not a regular file" in run("verify").out
    assert run("repair").status == 0
    assert (work / "secret.txt").read_text() == "mine"
    assert run("verify").status == 0


def test_a_file_with_the_wrong_name_is_merged_into_the_right_one(run: Run, folder: Path):
    """A manual copy has a turn that the session lacks; repair restores it."""

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
    assert has_all_bytes({name: data for name, data in before.items() if name != FILE}, after)
    intents = [each.user_request.intent for each in stored(folder.parent)[FILE].interactions]
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


def duplicate_findings(folder: Path) -> list[Finding]:
    return [finding for finding in check_storage(folder.parent) if "duplicate" in finding.text]


@pytest.mark.parametrize("form", COPIES)
def test_a_sync_copy_of_a_session_is_merged(run: Run, folder: Path, form: str):
    """P22: `verify` and `doctor` report it; `repair` merges it and quarantines the copy."""

    async def grow(intent: str) -> None:
        store = FileSessionManager(root=str(folder.parent))
        await store.save_interaction(KEY, turn(intent))
        await store.close()

    own, copy = (folder / FILE).read_bytes(), copied(folder / FILE, form)
    asyncio.run(grow("on the other machine"))
    shutil.move(folder / FILE, copy)
    (folder / FILE).write_bytes(own)
    asyncio.run(grow("on this computer"))
    before = tree(folder)
    assert f"{copy.name}: file name does not match its content" in run("verify").out
    (finding,) = duplicate_findings(folder)
    assert copy.name in finding.text and "sessions repair" in finding.fix
    assert tree(folder) == before
    assert run("repair").status == 0
    assert before[copy.name] in tree(folder).values() and not copy.exists()
    intents = [each.user_request.intent for each in stored(folder.parent)[FILE].interactions]
    assert intents == ["读取数据", "again", "on this computer", "on the other machine"]
    assert run("verify").status == 0
    assert not duplicate_findings(folder)


@pytest.mark.parametrize("form", COPIES)
def test_a_sync_copy_of_a_log_is_merged(run: Run, folder: Path, form: str):
    """P22, P28: its lines are appended to the existing ones."""
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
    if form != "{}-laptop{}":  # only its content distinguishes it from another notebook's log
        (finding,) = duplicate_findings(folder)
        assert copy.name in finding.text
    assert run("repair").status == 0
    assert before[f"notebooks/{copy.name}"] in tree(folder).values() and not copy.exists()
    assert log.read_bytes().startswith(lines + line % b"ours.ipynb")
    new = log.read_bytes()[len(lines + line % b"ours.ipynb") :]
    assert json.loads(new)["seq"] == 100 and json.loads(new)["data"]["path"] == "theirs.ipynb"
    assert run("verify").status == 0


def test_the_readable_turns_of_a_damaged_copy_are_merged(run: Run, folder: Path):
    """P22"""
    data = (folder / FILE).read_bytes()
    copy = folder / FILE.replace(".json", " (1).json")
    copy.write_bytes(data.replace("读取数据".encode(), "画图".encode())[:-20])
    assert run("repair").status == 0
    intents = [each.user_request.intent for each in stored(folder.parent)[FILE].interactions]
    assert "画图" in intents and run("verify").status == 0


def test_on_a_case_insensitive_disk_a_file_name_is_corrected(
    run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch
):
    """P22: the upper-case file is the session itself, so it must not be quarantined."""
    upper = folder / FILE.upper()
    data = (folder / FILE).read_bytes()
    (folder / FILE).rename(upper)
    monkeypatch.setattr(Path, "samefile", lambda a, b: a.name.lower() == b.name.lower())
    assert run("repair").status == 0
    assert (folder / FILE).read_bytes() == data and not upper.exists()


def test_unrelated_files_in_the_folder_are_ignored(run: Run, folder: Path):
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
    assert not duplicate_findings(folder)


def test_damaged_lines_of_a_log_are_quarantined_and_the_others_stay(run: Run, folder: Path):
    """P22: this includes an incomplete last line, left by a killed process."""
    log = folder / "notebooks" / "book.jsonl"
    intact = log.read_bytes()
    log.write_bytes(intact + b"\x00\x00\n" + intact[:40])
    before = tree(folder)
    assert "notebooks/book.jsonl: 2 damaged lines" in run("verify").out
    assert run("repair").status == 0
    assert has_all_bytes(before, tree(folder)) and log.read_bytes() == intact
    assert run("verify").status == 0


def test_a_blob_that_does_not_match_its_hash_is_quarantined(run: Run, folder: Path):
    (blob,) = (path for path in (folder / "blobs").rglob("*") if path.is_file())
    blob.write_bytes(b"something else")
    before = tree(folder)
    assert f"blobs/{blob.name}: content does not match its hash" in run("verify").out
    assert run("repair").status == 0
    assert has_all_bytes(before, tree(folder)) and not blob.exists()
    assert run("verify").status == 0
    assert blob.name != hashlib.sha256(b"something else").hexdigest()


def test_temporary_files_of_a_killed_process_are_removed(run: Run, folder: Path):
    """P21"""
    orphan = folder / f"{FILE}.0123456789abcdef.tmp"
    orphan.write_bytes(b"half a")
    before = tree(folder)
    assert "left behind by a process that was killed" in run("verify").out
    assert tree(folder) == before
    assert run("repair").status == 0
    assert not orphan.exists() and run("verify").status == 0


def test_a_temporary_file_of_a_running_process_is_no_damage(run: Run, folder: Path):
    """P21"""
    store = FileSessionManager(root=str(folder.parent))
    with store._directory.lock(FILE):
        temp = folder / f"{FILE}.0123456789abcdef.tmp"
        temp.write_bytes(b"half a")
        assert run("verify").status == 0
    asyncio.run(store.close())


def test_damage_that_cannot_be_repaired_is_reported(run: Run, folder: Path):
    """Two records have the same number; choosing one would lose the other."""
    content = json.loads((folder / FILE).read_bytes())
    content["events"][0]["seq"] = 1
    (folder / FILE).write_text(json.dumps(content))
    before = tree(folder)
    done = run("repair")
    assert done.status == 1 and "the same sequence number" in done.out
    assert tree(folder) == before


def test_records_of_an_owner_are_verified_with_the_owner_option(run: Run, work: Path):
    asyncio.run(fill(FileSessionManager(root=str(work)), "alice"))
    name = session_name(SessionKey("book", "cell_0", "alice"))
    data = (work / ".aiserver_sessions" / name).read_bytes()
    (work / ".aiserver_sessions" / name).write_bytes(data[:-40])
    assert run("verify").status == 0  # only sessions without an owner
    assert name in run("verify", "--owner", "alice").out
    assert name in run("verify", "--all-owners").out
    assert run("repair", "--owner", "alice").status == 0
    assert stored(work)[name].meta.owner == "alice"
    assert run("verify", "--all-owners").status == 0


def test_damaged_files_of_an_unidentified_owner_are_reported(run: Run, work: Path):
    """All of Alice's sessions are damaged, so no file contains her name."""
    asyncio.run(fill(FileSessionManager(root=str(work)), "alice"))
    for name in stored(work):
        (work / ".aiserver_sessions" / name).write_bytes(b"{")
    done = run("repair", "--all-owners")
    assert done.status == 1
    assert "the file name does not identify the owner or cell" in done.out
    assert run("repair", "--owner", "alice").status == 0
    assert run("verify", "--all-owners").status == 0


def test_file_names_of_the_predecessor_are_no_damage(run: Run, work: Path):
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
    assert has_all_bytes(before, tree(folder))
    assert run("verify").status == 0


def test_repair_keeps_a_session_that_was_rewritten_meanwhile(
    run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch
):
    """P23: another process rewrites the session between the check and the repair."""
    good = (folder / FILE).read_bytes()
    (folder / FILE).write_bytes(b"")
    lock = SessionDirectory.lock

    def rewrite_and_lock(self: SessionDirectory, name: str) -> Any:
        (folder / FILE).write_bytes(good)
        return lock(self, name)

    monkeypatch.setattr(SessionDirectory, "lock", rewrite_and_lock)
    assert run("repair").status == 0
    assert (folder / FILE).read_bytes() == good
