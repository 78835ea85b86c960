"""P19, P20, P23: kills at any system call, disk errors, and concurrent processes."""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import itertools
import json
import os
import shutil
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from aiserver.errors import SessionCorrupt, StorageError, StorageFull, StorageReadOnly
from aiserver.models import Session, SessionKey
from aiserver.sessions.file.manager import FileSessionManager
from aiserver.testing.records import log_entry

from .saver import BLOB, KEY, OTHER, WORK, entry, turn

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="strace and tmpfs are Linux's")

SAVER = Path(__file__).with_name("saver.py")
# The system calls of a save; those of threads and the event loop are ignored.
CALLS = (
    "openat,mkdir,chmod,fchmod,write,writev,fsync,fdatasync,rename,renameat,renameat2,unlink,unlinkat,"
    "close,flock,lseek,fstat,newfstatat,lstat,stat,statx,getdents64,ftruncate,link,linkat,utimensat"
)
CHANGING = {"openat", "mkdir", "write", "fsync", "rename", "unlink", "linkat", "ftruncate"}
# A process that is killed at one of these leaves the same files as at the next other call.
READING = {"close", "lseek", "fstat", "newfstatat", "lstat", "stat", "statx", "getdents64"}
# The calls at which a test kills: almost all files that can be left need the first only.
each_call = pytest.mark.parametrize(
    "reading",
    [False, pytest.param(True, marks=pytest.mark.thorough)],
    ids=["changing calls", "reading calls"],
)


def strace() -> str:
    """Return the path of strace, which injects faults into system calls."""
    result = shutil.which("strace")
    if result is None:
        pytest.fail(
            "This test needs strace to fail system calls. Install it with "
            "“apt-get install strace” (Debian, Ubuntu) or “dnf install strace” (Fedora)."
        )
    return result


class Saver:
    """The process of ``saver.py``, or of a similar program, and a tracer for its children."""

    def __init__(self, *program: str) -> None:
        self._strace = strace()
        command = [sys.executable, *(program or [str(SAVER)])]
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=SAVER.parents[3]
        )

    def close(self) -> None:
        assert self._process.stdin and self._process.stdout
        self._process.stdin.close()
        self._process.wait(timeout=10)
        self._process.stdout.close()

    def run(
        self,
        root: Path,
        *,
        turns: int = 1,
        limit: int | None = None,
        inject: str | None = None,
        trace: Path | None = None,
        work: str | None = None,
    ) -> list[str]:
        """Save, optionally under strace; return the child's output, without ``end`` if killed."""
        assert self._process.stdin
        order = {"root": str(root), "turns": turns, "limit": limit, "work": work}
        self._process.stdin.write(json.dumps(order).encode() + b"\n")
        self._process.stdin.flush()
        pid = int(self._line().removeprefix("pid "))
        options = ["-e", f"inject={inject}"] if inject else ["-e", f"trace={CALLS}"]
        tracer = None
        if inject or trace:
            command = [self._strace, "-f", "-p", str(pid), "-o", str(trace or os.devnull)]
            tracer = subprocess.Popen([*command, *options], stderr=subprocess.PIPE, text=True)
            assert tracer.stderr
            output = tracer.stderr.readline()
            assert "attached" in output, output
        self._process.stdin.write(b"g")
        self._process.stdin.flush()
        lines: list[str] = []
        while not (line := self._line()).startswith("end "):
            lines.append(line)
        if tracer:
            assert tracer.stderr
            tracer.wait(timeout=10)
            tracer.stderr.close()
        status = int(line.removeprefix("end "))
        assert status in (0, signal.SIGKILL), status
        return lines if status else [*lines, "end"]

    def _line(self) -> str:
        assert self._process.stdout
        line = self._process.stdout.readline().decode().strip()
        assert line, "the saver has died"
        return line


@pytest.fixture(scope="module")
def saver() -> Iterator[Saver]:
    process = Saver()
    yield process
    process.close()


def load(root: Path) -> Session:
    """Return the session as a new process reads it."""
    return asyncio.run(FileSessionManager(root=str(root)).load_session(KEY))


def save(root: Path, number: int) -> None:
    async def save_and_close() -> None:
        store = FileSessionManager(root=str(root))
        try:
            await store.save_interaction(KEY, turn(number))
        finally:
            await store.close()  # waits until its thread has released the lock

    asyncio.run(save_and_close())


def intents(session: Session) -> list[str]:
    return [t.user_request.intent for t in session.interactions]


def left_over(root: Path) -> list[Path]:
    return [path for path in root.rglob("*") if path.suffix == ".tmp" or ".corrupt-" in path.name]


def calls_of_a_save(saver: Saver, root: Path, trace: Path) -> Counter[str]:
    """Return the system calls of a save, with their maximum count in one thread."""
    assert saver.run(root, trace=trace) == [f"ack {len(load(root).interactions)}", "end"]
    return calls_in(trace)


def calls_in(trace: Path) -> Counter[str]:
    """Return the system calls in a trace, with their maximum count in one thread."""
    counts: Counter[tuple[str, str]] = Counter()
    for line in trace.read_text().splitlines():
        thread, call = line.split(maxsplit=1)
        name = call.removeprefix("<... ").split("(")[0].split(" ")[0]
        if name.isidentifier() and name in CALLS and "resumed>" not in call:
            counts[thread, name] += 1
    most: Counter[str] = Counter()
    for (_, name), count in counts.items():
        most[name] = max(most[name], count)
    return most


KILLED = {"first save": 0, "later save": 3}


@each_call
@pytest.mark.parametrize("before", KILLED.values(), ids=KILLED)
def test_kill_at_any_system_call(
    saver: Saver,
    tmp_path: Path,
    before: int,
    reading: bool,
) -> None:
    """P19, P23: the old or the new session is intact, no acknowledged turn is lost, and no process
    is blocked."""
    template = tmp_path / "template"
    template.mkdir()
    for number in range(before):
        save(template, number)
    old = intents(load(template))

    calls = calls_of_a_save(saver, shutil.copytree(template, tmp_path / "traced"), tmp_path / "log")
    assert {"openat", "write", "fsync", "close"} <= calls.keys()
    assert calls.keys() & {"rename", "renameat", "renameat2"}
    outcomes: Counter[str] = Counter()
    for name in sorted(calls.keys() & READING if reading else calls.keys() - READING):
        for number in range(1, calls[name] + 1):
            root = shutil.copytree(template, tmp_path / f"{name}-{number}")
            kill = f"{name}:signal=KILL:when={number}"
            output = saver.run(root, inject=kill)
            session = load(root)
            assert intents(session) in (old, [*old, "turn 0"]), (name, number)
            assert session.revision == len(session.interactions)
            acknowledged = f"ack {before + 1}" in output
            if acknowledged:
                assert len(session.interactions) == before + 1, (name, number)
            outcomes["survived" if "end" in output else "killed"] += 1
            outcomes["new" if len(session.interactions) > before else "old"] += 1

            save(root, 99)  # the lock of the killed process is released, its temporary file removed
            assert intents(load(root)) == [*intents(session), "turn 99"]
            assert left_over(root) == []
            shutil.rmtree(root)
    assert outcomes["killed"] > 8, outcomes
    assert outcomes["old"] and outcomes["new"], outcomes


def state(root: Path) -> list[Any]:
    """Return all stored data as a new process reads it: two sessions, the log, the blob."""

    async def read() -> list[Any]:
        store = FileSessionManager(root=str(root))
        digest = hashlib.sha256(BLOB).hexdigest()
        sessions = [await store.load_if_exists(key) for key in (KEY, OTHER)]
        log = await store.read_notebook_log("notebook")
        return [*sessions, log, await store.get_blob(digest) == BLOB]

    return asyncio.run(read())


def normal(result: list[Any]) -> list[Any]:
    """Remove times, which differ in each run."""
    return [
        (len(x.interactions), len(x.events or []), x.revision) if isinstance(x, Session) else x
        for x in result
    ]


def prepared(root: Path, work: str) -> Path:
    """Create the state before an operation."""
    root.mkdir()
    for number in range(2):
        save(root, number)
    store = FileSessionManager(root=str(root))
    asyncio.run(store.append_notebook_log("notebook", [entry(7)]))
    if work == "mend":
        path = root / ".aiserver_sessions" / "notebook_cell.json"
        path.write_bytes(path.read_bytes()[:-40])
    return root


@each_call
@pytest.mark.parametrize("work", WORK)
def test_any_operation_is_atomic_at_any_system_call(
    saver: Saver, tmp_path: Path, work: str, reading: bool
) -> None:
    """P19, P20: each operation is done completely or not at all, acknowledged ones are done, and
    the next one works."""
    template = prepared(tmp_path / "template", work)
    before = normal(state(template))
    done = shutil.copytree(template, tmp_path / "done")
    assert saver.run(done, work=work, trace=tmp_path / "log") == ["ack", "end"]
    after = normal(state(done))
    assert before != after
    tried: Counter[str] = Counter()
    errors = itertools.cycle(["error=EIO", "error=ENOSPC", "error=EACCES"])
    calls = calls_in(tmp_path / "log")
    for name in sorted(calls.keys() & READING if reading else calls.keys() - READING):
        # Faults while listing files or locking are like later ones.
        ends = ["signal=KILL", *([next(errors)] if name in CHANGING else [])]
        for number, how in itertools.product(range(1, calls[name] + 1), ends):
            root = shutil.copytree(template, tmp_path / "try")
            output = saver.run(root, work=work, inject=f"{name}:{how}:when={number}")
            result = normal(state(root))
            if work == "log":  # two lines in one write: only the first may be complete
                acceptable = [before, after, [*before[:2], after[2][:-1], *before[3:]]]
            else:
                acceptable = [before, after]
            assert result in acceptable, (name, number, how)
            if "ack" in output:
                assert result == after, (name, number, how)
            tried[output[0] if "end" in output else "killed"] += 1
            asyncio.run(WORK[work](FileSessionManager(root=str(root))))
            again = normal(state(root))
            if work in ("delete", "fork", "blob"):
                assert again == after, (name, number, how)
            shutil.rmtree(root)
    assert tried["killed"] > 5, tried
    assert reading or sum(tried.values()) - tried["killed"] > 5, tried


# The call that fails, its error, the reported code, and how many calls are tried.
FAULTS = [
    ("write", "ENOSPC", "storage_full", 1),
    ("write", "EDQUOT", "storage_full", 1),
    ("write", "EFBIG", "storage_full", 1),
    ("write", "EIO", "storage_error", 1),
    ("fsync", "EIO", "storage_error", 2),
    ("fsync", "ENOSPC", "storage_full", 1),
    ("openat", "EACCES", "storage_read_only", 11),
    ("openat", "EROFS", "storage_read_only", 11),
    ("openat", "ENOSPC", "storage_full", 11),
    ("openat", "EMFILE", "storage_error", 11),
    ("/^rename", "EROFS", "storage_read_only", 1),
    ("/^rename", "EIO", "storage_error", 1),
    ("close", "EIO", "storage_error", 9),
]


@pytest.mark.parametrize(("call", "error", "code", "times"), FAULTS)
def test_a_disk_error(
    saver: Saver, tmp_path: Path, call: str, error: str, code: str, times: int
) -> None:
    """P20: the old file stays intact, the error is clear, and the next save works."""
    save(tmp_path, 0)
    path = tmp_path / ".aiserver_sessions" / "notebook_cell.json"
    returned = 0
    for number in range(1, times + 1):
        before = path.read_bytes()
        turns = len(load(tmp_path).interactions)
        [output, end] = saver.run(tmp_path, inject=f"{call}:error={error}:when={number}")
        assert end == "end"
        if output != f"ack {turns + 1}":
            assert output == f"error {code}", number
            returned += 1
            if call in ("write", "/^rename") or (call, number) == ("fsync", 1):
                assert path.read_bytes() == before, number
            # A failure after the rename (while flushing the folder) leaves the turn, though it may
            # not be durable; a failure before it changes no byte.
            if path.read_bytes() != before:
                assert len(load(tmp_path).interactions) == turns + 1, number
        assert left_over(tmp_path) == [], number
        save(tmp_path, number)
    assert returned >= min(times, 3), "the fault was not triggered"


def test_a_file_size_limit(tmp_path: Path, saver: Saver) -> None:
    """P20: a write is cut off in the middle."""
    save(tmp_path, 0)
    path = tmp_path / ".aiserver_sessions" / "notebook_cell.json"
    before = path.read_bytes()
    assert saver.run(tmp_path, limit=len(before) + 100) == ["error storage_full", "end"]
    assert path.read_bytes() == before
    assert left_over(tmp_path) == []


def test_a_full_disk(tmp_path: Path) -> None:
    """P20: a real, small, full disk."""
    with contextlib.ExitStack() as after:
        if not mounted(tmp_path, after):
            pytest.skip("may not mount a disk here: shown by the injected ENOSPC alone")
        saved_count = 0
        with pytest.raises(StorageFull):
            for saved_count in range(100):
                save(tmp_path, saved_count)
        assert saved_count > 3
        assert len(load(tmp_path).interactions) == saved_count
        assert left_over(tmp_path) == []
        store = FileSessionManager(root=str(tmp_path))
        with pytest.raises(StorageFull):
            asyncio.run(store.put_blob(os.urandom(65536)))
        assert len(load(tmp_path).interactions) == saved_count


def test_a_full_disk_and_the_log(tmp_path: Path) -> None:
    """P20: an incomplete write leaves no partial data."""
    with contextlib.ExitStack() as after:
        if not mounted(tmp_path, after):
            pytest.skip("may not mount a disk here")
        store = FileSessionManager(root=str(tmp_path))
        path = tmp_path / ".aiserver_sessions" / "notebooks" / "notebook.jsonl"
        saved_count = 0
        with pytest.raises(StorageFull):
            for saved_count in range(100):  # noqa: B007
                entry = log_entry(text="x" * 3000)
                asyncio.run(store.append_notebook_log("notebook", [entry]))
        assert path.read_bytes().count(b"\n") == saved_count
        assert path.read_bytes().endswith(b"\n")
        assert len(asyncio.run(store.read_notebook_log("notebook"))) == saved_count


def test_a_folder_that_cannot_be_written(tmp_path: Path) -> None:
    """P20: reading works; writing raises an error with the reason."""
    root = tmp_path / "root"
    root.mkdir()
    with contextlib.ExitStack() as after:
        if os.geteuid() == 0 and not mounted(root, after):  # permissions don't apply to root
            pytest.skip("root without the right to mount: shown by the injected EROFS alone")
        save(root, 0)
        folder = root / ".aiserver_sessions"
        (folder / "notebook_damaged.json").write_bytes(b"{")
        if os.geteuid() == 0:
            subprocess.run(["mount", "-o", "remount,ro", root], check=True)
        else:
            for path in (folder, folder / "locks"):
                path.chmod(0o500)
                after.callback(path.chmod, 0o700)
        store = FileSessionManager(root=str(root))
        assert len(asyncio.run(store.load_session(KEY)).interactions) == 1
        assert asyncio.run(store.list_sessions())[1] == 1
        for _ in range(2):
            with pytest.raises(SessionCorrupt):
                asyncio.run(store.load_session(SessionKey("notebook", "damaged")))
        writes = [
            store.save_interaction(KEY, turn(1)),
            store.append_notebook_log("notebook", [log_entry()]),
            store.put_blob(b"picture"),
            store.delete(KEY),
        ]
        assert not asyncio.run(store.writable())
        for write in writes:
            with pytest.raises(StorageReadOnly):
                asyncio.run(write)
        assert len(load(root).interactions) == 1


def mounted(folder: Path, after: contextlib.ExitStack) -> bool:
    """Mount a disk of 64 KB on a folder if possible; unmount it at the end."""
    command = ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(folder)]
    if subprocess.run(command, capture_output=True).returncode:
        return False
    after.callback(lambda: subprocess.run(["umount", folder], check=True))
    return True


def test_a_missing_root_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(StorageError):
        save(tmp_path / "nowhere", 0)
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(StorageError) as caught:
        save(tmp_path / "file", 0)
    assert not isinstance(caught.value, StorageFull | StorageReadOnly)
    for name, writable in {"nowhere": False, "file": False, "": True}.items():
        assert asyncio.run(FileSessionManager(root=str(tmp_path / name)).writable()) is writable


def test_a_killed_lock_holder_blocks_nobody(tmp_path: Path) -> None:
    """P23"""
    save(tmp_path, 0)
    script = (
        "import sys; from pathlib import Path\n"
        "from aiserver.sessions.file.directory import ShardLocks\n"
        "with ShardLocks(Path(sys.argv[1]), 5).lock('notebook_cell.json'):\n"
        "    print('held', flush=True); sys.stdin.read()\n"
    )
    holder = subprocess.Popen(
        [sys.executable, "-c", script, tmp_path / ".aiserver_sessions" / "locks"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert holder.stdout and holder.stdin
    with holder.stdout, holder.stdin:
        assert holder.stdout.readline() == b"held\n"
        impatient = FileSessionManager(root=str(tmp_path), lock_timeout=0.05)
        with pytest.raises(StorageError, match="is writing"):
            asyncio.run(impatient.save_interaction(KEY, turn(1)))
        assert len(load(tmp_path).interactions) == 1, "readers wait for the lock"
        holder.kill()
        holder.wait()
    save(tmp_path, 2)
    assert intents(load(tmp_path)) == ["turn 0", "turn 2"]
