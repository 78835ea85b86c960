"""Network disks are detected and reported."""

from __future__ import annotations

from pathlib import Path

import pytest

from aiserver import durable
from aiserver.durable import network_disk_warning
from aiserver.testing.records import KEY, in_loop, turn

from ..conftest import FileBackend


@pytest.fixture
def mount(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Write a table of mounts in which the test's folder is on a disk of that kind."""

    def write(kind: str, options: str = "rw") -> None:
        table = tmp_path / "mounts"
        table.write_text(
            f"/dev/vda / ext4 rw 0 0\nbroken\nx:/home {tmp_path} {kind} {options} 0 0\n"
        )
        monkeypatch.setattr(durable, "_MOUNT_TABLE", table)

    return write


@in_loop
async def test_a_local_disk_gives_no_notice(files: FileBackend, mount) -> None:
    mount("ext4")
    assert network_disk_warning(files.root) is None
    assert await files.open().start() == []
    assert not files.folder.exists(), "starting creates the folder"


@pytest.mark.parametrize("kind", ["nfs4", "cifs", "fuse.sshfs", "lustre"])
@in_loop
async def test_a_network_disk_gives_a_notice(files: FileBackend, mount, kind: str) -> None:
    mount(kind)
    [sentence] = await files.open().start()
    assert kind in sentence and "two machines" in sentence
    assert str(files.root) not in sentence


@pytest.mark.parametrize("option", ["nolock", "local_lock=all", "localflock"])
def test_local_locks_on_a_network_disk_give_a_notice(
    files: FileBackend, mount, option: str
) -> None:
    mount("nfs", f"rw,vers=3,{option},addr=10.0.0.1")
    warning = network_disk_warning(files.root)
    assert warning and "its locks are not visible" in warning


def test_the_last_mount_on_a_folder_counts(files: FileBackend, mount) -> None:
    mount("autofs")
    with durable._MOUNT_TABLE.open("a") as table:
        table.write(f"x:/home {files.root} nfs4 rw 0 0\n")
    warning = network_disk_warning(files.root / "not" / "there")
    assert warning and "nfs4" in warning


def test_without_a_mount_table_a_disk_is_local(files: FileBackend, monkeypatch) -> None:
    monkeypatch.setattr(durable, "_MOUNT_TABLE", files.root / "none")
    assert network_disk_warning(files.root) is None


@in_loop
async def test_others_writes_are_seen_on_a_network_disk(files: FileBackend, mount) -> None:
    """P23: stamps are unreliable there, so bytes are compared each time."""
    mount("nfs4")
    mine, theirs = files.open(), files.open()
    assert not mine._directory.trusts_stamps
    for number in range(1, 8, 2):
        await mine.save_interaction(KEY, turn(str(number)))
        await theirs.save_interaction(KEY, turn(str(number + 1)))
        assert (await mine.load_raw(KEY))[1] == number + 1
        assert (await mine.list_sessions())[0][0].turns == number + 1
