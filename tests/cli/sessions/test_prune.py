"""``sessions prune``: delete nothing without a criterion or before the backup is on disk."""

from __future__ import annotations

import asyncio
import hashlib
import io
import json
import re
import stat
import tracemalloc
import zipfile
from datetime import datetime, timezone
from pathlib import Path

import pytest

from aiserver.errors import SettingError
from aiserver.models import Session, SessionKey
from aiserver.plugins.sessions import backup
from aiserver.plugins.sessions.cli.prune import time_before
from aiserver.plugins.sessions.importers.base import UnreadableInput
from aiserver.sessions.file.manager import FileSessionManager
from aiserver.testing.records import event, log_entry, turn
from tests.sessions.projects import fill

from ..conftest import Run, stored, tree

OLD = "2020-05-05T12:00:00.000Z"


def create_notebooks(work: Path, owner: str = "") -> None:
    """Store sessions and blobs of a deleted notebook (“gone”) and of an existing one (“there”)."""

    async def fill_it() -> None:
        store = FileSessionManager(root=str(work))
        both = await store.put_blob(b"both", owner=owner)
        for notebook_id in ("gone", "there"):
            key = SessionKey(notebook_id, "c", owner)
            own = await store.put_blob(notebook_id.encode(), owner=owner)
            await store.save_interaction(key, turn(f"in {notebook_id}"))
            data = {"thumbnail": own, "other": both}
            await store.record_events(key, [event(data=data)])
            path = [log_entry(path=f"{notebook_id}.ipynb")]
            await store.append_notebook_log(notebook_id, path, owner=owner)
        await store.put_blob(b"nobody's", owner=owner)
        await store.close()

    asyncio.run(fill_it())
    text = json.dumps({"metadata": {"aiserver": {"notebook_id": "there"}}})
    (work / "there.ipynb").write_text(text)


def record_path(work: Path, path: str) -> None:
    """Record that the deleted notebook was at this path."""

    async def move() -> None:
        store = FileSessionManager(root=str(work))
        await store.append_notebook_log("gone", [log_entry(path=path)])
        await store.close()

    asyncio.run(move())


def make_old(work: Path, notebook_id: str) -> None:
    """Set the last update of a notebook's sessions to a date years ago."""
    for file in (work / ".aiserver_sessions").glob(f"{notebook_id}_*.json"):
        session = Session.model_validate_json(file.read_bytes())
        session.meta.last_updated = OLD
        file.write_bytes(session.model_dump_json(exclude_unset=True, indent=2).encode() + b"\n")


@pytest.mark.parametrize("path", ["old.py", "pair.ipynb"])
def test_text_notebooks_are_not_missing(run: Run, work: Path, path: str):
    """They contain no id: one may have been renamed, and one of a pair is there."""
    create_notebooks(work)
    (work / "pair.md").touch()
    record_path(work, path)
    before = tree(work)
    done = run("prune", "--missing", "--yes")
    assert "Nothing to delete" in done.out and tree(work) == before
    assert ("may have been renamed" in done.err) == (path == "old.py")


def test_without_a_criterion_nothing_is_deleted(run: Run, work: Path):
    create_notebooks(work)
    before = tree(work)
    done = run("prune", "--yes")
    assert done.status == 1 and "Choose what to delete" in done.err
    assert tree(work) == before


@pytest.mark.parametrize("criterion", [("--older-than", "365d"), ("--missing",)])
def test_importing_the_backup_restores_the_same_bytes(
    run: Run, work: Path, criterion: tuple[str, ...]
):
    """P25"""
    create_notebooks(work)
    make_old(work, "gone")
    before = tree(work)
    dry = run("prune", *criterion, "--dry-run")
    assert dry.status == 0 and "1 histories" in dry.out and "gone/c" in dry.out
    assert tree(work) == before
    (work.parent / "backups").mkdir()
    done = run("prune", *criterion, "--yes", "--backup", work.parent / "backups")
    assert done.status == 0, done.err
    assert [session.meta.notebook_id for session in stored(work).values()] == ["there"]
    left = tree(work)
    assert BLOBS["there"] in left and BLOBS["both"] in left and BLOBS["gone"] not in left
    assert BLOBS["nobody's"] in left  # not selected
    assert (".aiserver_sessions/notebooks/gone.jsonl" in left) == (criterion != ("--missing",))
    (file,) = (work.parent / "backups").iterdir()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert str(file) in done.out
    assert run("import", file).status == 0
    assert tree(work) == before
    assert "added      0 requests, 0 events" in run("import", file).out
    assert tree(work) == before


@pytest.mark.parametrize("criterion", [("--missing",), ("--older-than", "365d")])
@pytest.mark.parametrize("damage", ["a record", "a quarantined record", "all", "a line of the log"])
def test_damaged_bytes_are_not_deleted(
    run: Run, work: Path, criterion: tuple[str, ...], damage: str
) -> None:
    """P25: the backup would not contain them."""
    create_notebooks(work)
    make_old(work, "gone")
    is_log = damage == "a line of the log"
    name = "notebooks/gone.jsonl" if is_log else "gone_c.json"
    file = work / ".aiserver_sessions" / name
    if is_log:
        file.write_bytes(file.read_bytes() + b"{canary\n")
    elif damage == "all":
        file.write_bytes(b"\0canary")
    else:
        file.write_bytes(file.read_bytes().replace(b'"timestamp":', b'"canary\0', 1))
    if damage == "a quarantined record":
        assert run("repair").status == 0
        old = rb'"last_updated": "%s"' % OLD.encode()
        file.write_bytes(re.sub(rb'"last_updated": "[^"]*"', old, file.read_bytes()))
    before = tree(work)
    done = run("prune", *criterion, "--yes")
    assert done.status == 0, done.err
    after = tree(work)
    expected = {name for name in before if name.startswith(str(file.relative_to(work)))}
    assert len(expected) == (2 if damage == "a quarantined record" else 1)
    assert {name: after[name] for name in expected} == {name: before[name] for name in expected}
    if damage in ("a record", "a quarantined record"):
        assert after == before and "Not deleted: gone/c: " in done.err
    if is_log:
        assert ("Not deleted: the log of gone" in done.err) == (criterion == ("--missing",))


def _blob(content: bytes) -> str:
    sha256 = hashlib.sha256(content).hexdigest()
    return f".aiserver_sessions/blobs/{sha256[:2]}/{sha256}"


BLOBS = {name: _blob(name.encode()) for name in ("gone", "there", "both", "nobody's")}


def test_unused_blobs_are_deleted_only_on_request(run: Run, work: Path):
    create_notebooks(work)
    before = tree(work)
    assert run("prune", "--unused-blobs", "--yes").status == 0
    assert set(before) - set(tree(work)) == {BLOBS["nobody's"]}
    (file,) = work.glob("aiserver-backup-*.zip")
    assert run("import", file).status == 0
    file.unlink()
    assert tree(work) == before


def test_a_notebook_moved_outside_of_jupyter_is_not_missing(run: Run, work: Path):
    """P28: it is recognized by its id."""
    create_notebooks(work)
    (work / "deep" / "er").mkdir(parents=True)
    text = json.dumps({"metadata": {"aiserver": {"notebook_id": "gone"}}})
    (work / "deep" / "er" / "renamed.ipynb").write_text(text)
    done = run("prune", "--missing", "--yes")
    assert "Nothing to delete." in done.out and len(stored(work)) == 2


@pytest.mark.parametrize("is_mounted", [True, False])
def test_notebooks_in_a_linked_folder_are_not_missing(run: Run, work: Path, is_mounted: bool):
    """P28: they may have been renamed there, or their disk isn't mounted."""
    create_notebooks(work)
    (work / "linked").symlink_to("../data")
    if is_mounted:
        (work.parent / "data").mkdir()
        text = json.dumps({"metadata": {"aiserver": {"notebook_id": "gone"}}})
        (work.parent / "data" / "renamed.ipynb").write_text(text)
    record_path(work, "linked/gone.ipynb")
    done = run("prune", "--missing", "--yes")
    assert "Nothing to delete." in done.out and "may have been renamed" in done.err
    assert len(stored(work)) == 2


def test_no_notebook_of_a_database_is_missing(run: Run, work: Path):
    """P28: the database may also have notebooks of other folders, at the same relative paths."""
    create_notebooks(work)
    store = f"sqlite:///{work}/sessions.db"
    assert run("copy", "--to", store).status == 0
    done = run("prune", "--missing", "--yes", "--store", store)
    assert "Nothing to delete." in done.out and "Not deleted: 1 notebooks" in done.err
    assert len(run("list", "--store", store).out.splitlines()) == 3


def test_an_unreadable_notebook_prevents_pruning_missing_ones(run: Run, work: Path):
    create_notebooks(work)
    (work / "cut.ipynb").write_text('{"metadata": {"aiser')
    done = run("prune", "--missing", "--yes")
    assert done.status == 1 and "its notebook ID is unknown" in done.err
    assert len(stored(work)) == 2


def test_sessions_without_times_are_not_old(run: Run, work: Path):
    (work / "a.jsonl").write_text('{"role": "USER", "content": "no time"}\n')
    assert run("import", "a.jsonl").status == 0
    assert "Nothing to delete." in run("prune", "--older-than", "1d", "--dry-run").out


def test_without_a_terminal_prune_requires_yes(run: Run, work: Path):
    create_notebooks(work)
    before = tree(work)
    done = run("prune", "--missing")
    assert done.status == 1 and "--yes" in done.err
    assert tree(work) == before


def test_a_backup_above_the_size_limit_is_rejected(
    run: Run, work: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """P17: it is rejected by its declared sizes before any entry is read; an option allows it."""
    monkeypatch.setattr(backup, "_ALWAYS_ALLOWED", 10_000)
    bomb = work / "bomb.zip"
    with zipfile.ZipFile(bomb, "w", zipfile.ZIP_DEFLATED) as zipped:
        for name, data in backup.members({}, {}, {("", "0" * 64): bytes(1_000_000)}):
            zipped.writestr(name, data)
    done = run("import", bomb)
    assert done.status == 1 and "would unpack to 1 MB" in done.err, done.err
    assert "times its size" in done.err and "--unpack-limit 1" in done.err
    allowed = run("import", bomb, "--unpack-limit", "0.01")
    assert ": damaged" in allowed.err and "unpack" not in allowed.err
    with pytest.raises(SystemExit, match="2"):
        run("import", bomb, "--unpack-limit", "-1")


def test_a_large_backup_is_read_entry_by_entry(run: Run, work: Path) -> None:
    """P17: an import needs the memory of the largest entry, not of the whole backup."""
    backup_file = work / "large.zip"
    with zipfile.ZipFile(backup_file, "w") as zipped:
        contents = [bytes([number]) * 1_000_000 for number in range(24)]
        blobs = {("", hashlib.sha256(data).hexdigest()): data for data in contents}
        for name, data in backup.members({}, {}, blobs):
            zipped.writestr(name, data)
        del contents, blobs, data
    tracemalloc.start()
    try:
        done = run("import", backup_file)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert done.status == 0 and "24 blobs" in done.out, done
    assert peak < 8_000_000


def test_without_a_verified_backup_nothing_is_deleted(
    run: Run, work: Path, monkeypatch: pytest.MonkeyPatch
):
    """P20"""
    create_notebooks(work)
    before = tree(work)
    assert run("prune", "--missing", "--yes", "--backup", work / "not there").status == 1
    assert tree(work) == before

    def damage(file: Path, names: list[str]) -> None:
        data = file.read_bytes()
        file.write_bytes(data[: len(data) // 2])
        check(file, names)

    check = backup._verify
    monkeypatch.setattr(backup, "_verify", damage)
    done = run("prune", "--missing", "--yes")
    assert done.status == 1 and "nothing was deleted" in done.err
    assert tree(work) == before


def test_sessions_that_changed_meanwhile_stay(
    run: Run, work: Path, monkeypatch: pytest.MonkeyPatch
):
    """P33: their blobs stay, too."""
    create_notebooks(work)
    write = backup.write

    def change_and_write(*arguments: object) -> Path:
        file = work / ".aiserver_sessions" / "gone_c.json"
        content = json.loads(file.read_bytes())
        content["meta"]["revision"] += 1
        file.write_text(json.dumps(content))
        return write(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(backup, "write", change_and_write)
    done = run("prune", "--missing", "--yes")
    assert done.status == 1 and "Not deleted: gone/c" in done.err
    left = tree(work)
    assert BLOBS["gone"] in left and len(stored(work)) == 2
    assert ".aiserver_sessions/notebooks/gone.jsonl" in left


def test_a_backup_restores_the_sessions_of_each_owner(run: Run, work: Path):
    """P9"""
    create_notebooks(work, "alice")
    create_notebooks(work, "bob")
    before = tree(work)
    assert run("prune", "--missing", "--all-owners", "--yes", "--backup", work.parent).status == 0
    (file,) = work.parent.glob("aiserver-backup-*.zip")
    assert run("import", file).status == 0
    assert tree(work) == before


def test_data_without_owner_gets_the_importing_owner_in_a_database(run: Run, work: Path):
    create_notebooks(work)
    assert run("prune", "--missing", "--yes").status == 0
    (file,) = work.glob("*.zip")
    store = f"sqlite:///{work}/sessions.db"
    assert run("import", file, "--store", store).status == 0
    assert run("list", "--store", store).out.splitlines()[1].startswith("gone.ipynb\tc\t1\t1\t")
    assert run("import", file, "--store", store, "--owner", "carol").status == 0
    assert len(run("list", "--store", store, "--owner", "carol").out.splitlines()) == 2


def test_damage_of_a_backup_is_reported_and_the_rest_restored(run: Run, work: Path):
    """P22"""
    asyncio.run(fill(FileSessionManager(root=str(work))))
    for path in (work / ".aiserver_sessions").glob("*.json"):
        make_old(work, path.name.split("_")[0])
    assert run("prune", "--older-than", "1d", "--yes").status == 0
    (file,) = work.glob("*.zip")
    with zipfile.ZipFile(file) as zipped:
        entry = zipped.infolist()[1]
    data = bytearray(file.read_bytes())
    data[entry.header_offset + 30 + len(entry.filename) + 20] ^= 0xFF
    file.write_bytes(data)
    done = run("import", file)
    assert done.status == 1 and "damaged" in done.err
    assert len(stored(work)) > 5


def test_a_damaged_backup_never_crashes_the_import(run: Run, work: Path):
    """P22"""
    create_notebooks(work)
    assert run("prune", "--missing", "--yes").status == 0
    (file,) = work.glob("*.zip")
    data = file.read_bytes()
    for offset in range(0, len(data), 7):
        flipped = data[:offset] + bytes([data[offset] ^ 0x41]) + data[offset + 1 :]
        try:
            list(backup.read_members(io.BytesIO(flipped)))
        except UnreadableInput as reason:
            assert str(reason)


@pytest.mark.parametrize(
    ("text", "day"),
    [("365d", "2025-01-27"), ("1y", "2025-01-27"), ("4w", "2025-12-30"), ("2m", "2025-11-28")],
)
def test_ages_are_parsed(text: str, day: str):
    now = datetime(2026, 1, 27, tzinfo=timezone.utc)
    assert time_before(text, now) == f"{day}T00:00:00"
    assert time_before("999999y", now).startswith("0001-01-01")


@pytest.mark.parametrize("text", ["", "x", "12", "-3d", "3 days", "1h"])
def test_invalid_ages_are_errors(text: str):
    with pytest.raises(SettingError):
        time_before(text)
