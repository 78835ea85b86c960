"""P23: disks that don't support the system's file locks."""

from __future__ import annotations

import errno
import subprocess
import sys
import time
from pathlib import Path

import filelock
import pytest

from aiserver import durable
from aiserver.durable import NO_LOCKS_NOTICE, has_system_locks, lock_file
from aiserver.sessions.file.manager import FileSessionManager
from aiserver.testing.records import KEY, in_loop, turn

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Windows has other locks")


@pytest.fixture(params=["ENOSYS", "ENOLCK", "EOPNOTSUPP"])
def no_flock(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Make every system lock fail."""

    def fail(*_: object) -> None:
        raise OSError(getattr(errno, request.param), "injected")

    monkeypatch.setattr("fcntl.flock", fail)
    monkeypatch.setattr(durable, "flock", fail)


@in_loop
async def test_saves_work_and_a_notice_reports_it(tmp_path: Path, no_flock: None) -> None:
    """P23: no file of a lock is left."""
    stores = [FileSessionManager(root=str(tmp_path)) for _ in range(2)]
    for store in stores * 3:
        await store.save_interaction(KEY, turn())
    assert len((await stores[0].load_session(KEY)).interactions) == 6
    assert NO_LOCKS_NOTICE in await stores[0].start()
    assert not has_system_locks(tmp_path)
    left = [path.name for path in (tmp_path / ".aiserver_sessions" / "locks").iterdir()]
    assert not [name for name in left if name.endswith(".held")]


HOLDER = """
import os, sys
from filelock import SoftFileLock
lock = SoftFileLock(sys.argv[1], thread_local=False)
lock.acquire()
print("held", flush=True)
sys.stdin.read(1)
os.kill(os.getpid(), 9)
"""


def test_a_killed_holder_blocks_nobody(tmp_path: Path) -> None:
    """P23: a running holder is waited for, and the lock of a dead one is taken over."""
    path = tmp_path / "x.lock.held"
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLDER, path], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert holder.stdout and holder.stdout.readline() == b"held\n"

    def acquire(seconds: float) -> object:
        return durable._acquire(filelock.SoftFileLock, str(path), time.monotonic() + seconds)

    assert acquire(0.2) is None
    holder.communicate(b"x")
    assert acquire(10) is not None


def test_a_planted_link_is_not_followed(tmp_path: Path) -> None:
    """P6"""
    target = tmp_path / "target"
    (tmp_path / "x.lock").symlink_to(target)
    release = lock_file(str(tmp_path), "x", time.monotonic() + 5)
    assert release
    release()
    assert not target.exists()
