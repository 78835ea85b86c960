"""P23 on a disk without system locks, where lock files are used instead."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import json
import os
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from types import MethodType
from typing import Any
from unittest.mock import Mock

import pytest

from aiserver.durable import has_system_locks, locking
from aiserver.durable import lock_files as claims
from aiserver.durable.lock_files import claim_file
from aiserver.errors import StorageError
from aiserver.sessions.file.locks import ShardLocks
from aiserver.sessions.file.manager import FileSessionManager
from aiserver.testing.records import in_loop

from .saver import KEY, turn
from .test_faults import SAVER, intents, load, save, strace

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Windows locks every disk")

ERRORS = ["ENOSYS", "ENOLCK", "EOPNOTSUPP", "EINVAL", "EIO", "EACCES"]


@pytest.fixture
def no_flock(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Make every system lock fail."""

    def refuse(error: str = "ENOSYS") -> None:
        def flock(fd: int, operation: int) -> None:
            raise OSError(getattr(errno, error), "injected")

        monkeypatch.setattr(locking, "flock", flock)
        monkeypatch.setattr(locking, "_GRACE", 0)

    return refuse


def left(root: Path) -> list[str]:
    """Return the names of existing claims."""
    return [path.name for path in root.rglob("*") if ".claim" in path.name]


@pytest.mark.parametrize("error", ERRORS)
@in_loop
async def test_a_disk_without_locks(tmp_path: Path, no_flock, error: str) -> None:
    """P23: all processes save without waiting."""
    no_flock(error)
    stores = [FileSessionManager(root=str(tmp_path), lock_timeout=5) for _ in range(3)]
    saves = [store.save_interaction(KEY, turn(n)) for n in range(5) for store in stores]
    assert sorted(revision for _, revision in await asyncio.gather(*saves)) == [*range(1, 16)]
    async with stores[0].notebook_id_lock():
        pass
    for store in stores:
        await store.close()
    assert not left(tmp_path)
    locks = tmp_path / ".aiserver_sessions" / "locks"
    assert not has_system_locks(locks)
    assert all(path.stat().st_mode & 0o777 == 0o600 for path in locks.iterdir())


def test_processes_with_and_without_system_locks(tmp_path: Path) -> None:
    """P23: they use the same kind of lock, so no turn is lost."""
    without = [strace(), "-f", "--seccomp-bpf", "-o", os.devnull, "-e", "trace=flock"]
    without += ["-e", "inject=flock:error=ENOSYS"]
    count, each = 4, 20
    processes = [
        subprocess.Popen(
            [*(without if number % 2 else []), sys.executable, SAVER, tmp_path, str(each)],
            stdout=subprocess.PIPE,
        )
        for number in range(count)
    ]
    acknowledged: list[int] = []
    for process in processes:
        output, _ = process.communicate(timeout=120)
        acknowledged += [int(line.removeprefix("ack ")) for line in output.decode().splitlines()]
    session = load(tmp_path)
    assert sorted(acknowledged) == list(range(1, count * each + 1))
    assert [t.turn_id for t in session.interactions] == sorted(acknowledged)
    assert Counter(intents(session)) == {f"turn {n}": count for n in range(each)}


def test_every_process_waits_after_the_creation_of_the_note(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """P23: not only the process that created it. Others may still use the system's locks."""
    monkeypatch.setattr(locking, "flock", Mock(side_effect=OSError(errno.ENOSYS, "injected")))
    pauses: list[float] = []
    monkeypatch.setattr(time, "sleep", pauses.append)
    note = tmp_path / locking.NO_FLOCK

    def pauses_of_lock() -> list[float]:
        pauses.clear()
        release = locking.lock_file(str(tmp_path), "00", time.monotonic() + 5)
        assert release
        release()
        return list(pauses)

    assert pauses_of_lock() == [locking._GRACE]
    monkeypatch.setattr(time, "time", lambda: 1000.0)
    os.utime(note, (999.9, 999.9))
    assert pauses_of_lock() == [pytest.approx(locking._GRACE - 0.1)]
    for modified in (900, 1100):  # it is old, or the clock of its disk is ahead
        os.utime(note, (modified, modified))
        assert pauses_of_lock() == []


HOLDER = """
import errno, sys; from pathlib import Path
from aiserver.durable import locking
from aiserver.sessions.file.locks import ShardLocks
def flock(fd, operation): raise OSError(errno.ENOSYS, "injected")
locking.flock = flock
with ShardLocks(Path(sys.argv[1]), 5).lock('notebook_cell.json'):
    print('held', flush=True); sys.stdin.read()
"""


def test_a_killed_holder_blocks_nobody(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """P23: a running holder is waited for, regardless of its claim's age; a dead one is not."""
    save(tmp_path, 0)
    locks = tmp_path / ".aiserver_sessions" / "locks"
    monkeypatch.setattr(claims, "LEASE", 0)
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLDER, locks], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert holder.stdout and holder.stdin
    with holder.stdout, holder.stdin:
        assert holder.stdout.readline() == b"held\n"
        impatient = FileSessionManager(root=str(tmp_path), lock_timeout=0.1)
        with pytest.raises(StorageError, match="is writing"):
            asyncio.run(impatient.save_interaction(KEY, turn(1)))
        holder.kill()
        os.waitid(os.P_PID, holder.pid, os.WEXITED | os.WNOWAIT)  # dead, but not reaped
        asyncio.run(impatient.save_interaction(KEY, turn(2)))
        holder.wait()
    assert intents(load(tmp_path)) == ["turn 0", "turn 2"]


def planted(path: Path, **changes: Any) -> dict[str, Any]:
    """Write a claim of another process, which is dead unless ``changes`` override it."""
    dead = subprocess.Popen([sys.executable, "-c", ""])
    dead.wait()
    record = {
        **claims._process_identity(os.getpid()),
        "pid": dead.pid,
        "token": "0123",
        "beat": "0",
    }
    record |= changes
    path.write_text(json.dumps(record))
    return record


def claimed(path: Path, seconds: float = 0) -> Callable[[], None] | None:
    return claim_file(str(path), time.monotonic() + seconds)


def test_a_reused_process_id_is_not_the_same_process(tmp_path: Path) -> None:
    path = tmp_path / "x.claim"
    planted(path, pid=os.getppid(), start=1)
    release = claimed(path)
    assert release
    release()
    planted(path, pid=os.getppid(), start=claims._start_time(os.getppid()))
    assert claimed(path) is None


def test_a_claim_of_another_machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """P23: it is taken over only after it has been unchanged for the lease time."""
    path = tmp_path / "x.claim"
    monkeypatch.setattr(claims, "LEASE", 1000)
    planted(path, machine="another")
    assert claimed(path, 0.05) is None
    monkeypatch.setattr(claims, "LEASE", 0.05)
    release = claimed(path, 10)
    assert release
    release()
    assert not left(tmp_path)


@pytest.mark.parametrize("data", [b"", b'{"machine": "an', b"[]"])
def test_a_claim_of_a_writer_that_died_while_writing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, data: bytes
) -> None:
    monkeypatch.setattr(claims, "LEASE", 0.05)
    (tmp_path / "x.claim").write_bytes(data)
    release = claimed(tmp_path / "x.claim", 10)
    assert release
    release()


def test_a_process_that_died_during_a_takeover(tmp_path: Path) -> None:
    """P23: the next process takes over both claims."""
    path = tmp_path / "x.claim"
    first = planted(path)
    second = planted(tmp_path / f"x.claim.{first['token']}", token="4567")
    release = claimed(path)
    assert release
    assert json.loads(path.read_bytes())["token"] not in (first["token"], second["token"])
    release()
    assert not left(tmp_path)


def test_a_crowd_takes_over_one_at_a_time(tmp_path: Path) -> None:
    """P23: of all processes that see a dead claim, one gets the lock, then the others in turn."""
    path = tmp_path / "x.claim"
    inside, most = 0, 0

    def work() -> None:
        nonlocal inside, most
        for _ in range(10):
            release = claimed(path, 30)
            assert release
            inside += 1
            most = max(most, inside)
            time.sleep(0.001)
            inside -= 1
            release()
            plant_dead()

    def plant_dead() -> None:
        """Replace the claim by that of a dead process, unless it changed meanwhile."""
        record = {**claims._process_identity(os.getpid()), "pid": 2**22 + 1, "beat": "0"}
        written = tmp_path / f"dead-{threading.get_ident()}"
        written.write_text(json.dumps(record | {"token": os.urandom(4).hex()}))
        with contextlib.suppress(FileExistsError):
            os.link(written, path)

    planted(path)
    threads = [threading.Thread(target=work) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert most == 1


def test_a_paused_holder_does_not_release_the_claim_of_its_successor(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "x.claim"
    release = claimed(path)
    assert release
    planted(path, token="another")  # another machine took over meanwhile
    monkeypatch.setattr(claims, "LEASE", 0)
    release()
    assert json.loads(path.read_bytes())["token"] == "another"


def test_a_holder_keeps_its_claim_fresh(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "x.claim"
    release = claimed(path)
    assert release
    before = path.read_bytes()
    assert isinstance(release, MethodType)
    claim: Any = release.__self__
    claim.beat()
    assert len(path.read_bytes()) == len(before)
    assert path.read_bytes() != before
    release()
    claim.beat()
    assert not path.exists()


def test_a_link_in_place_of_a_claim(tmp_path: Path) -> None:
    """P6: it is removed, never followed."""
    (tmp_path / "target").write_bytes(b"bytes")
    (tmp_path / "x.claim").symlink_to(tmp_path / "target")
    release = claimed(tmp_path / "x.claim", 1)
    assert release
    release()
    assert (tmp_path / "target").read_bytes() == b"bytes"


def test_neither_kind_of_lock(tmp_path: Path, no_flock) -> None:
    """P20: the error is immediate and names the problem of the disk."""
    no_flock()
    locks = ShardLocks(tmp_path / "nowhere", 5)
    with pytest.raises(FileNotFoundError), locks.lock("x"):
        pass


@in_loop
async def test_start_returns_a_notice(tmp_path: Path, no_flock) -> None:
    store = FileSessionManager(root=str(tmp_path))
    assert await store.start() == []
    no_flock()
    for _ in range(2):
        [sentence] = await FileSessionManager(root=str(tmp_path)).start()
        assert "lock files" in sentence and str(tmp_path) not in sentence
        await store.save_interaction(KEY, turn(0))
    assert await store.notices() == [sentence]
