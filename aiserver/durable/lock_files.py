"""Lock with files on disks without the system's locks: the creator of the file holds the lock.

A claim is the record in a lock file: machine, process, token and heartbeat.

Invariants:

- A claim of a process on this machine expires as soon as that process is proven dead, never by
  age.
- A claim of another machine or container can't be proven dead. Its holder rewrites it every
  ``BEAT`` seconds; it expires when a waiting process has seen no change for ``LEASE`` seconds of
  its own clock.
- Exactly one process takes over an expired claim: the one that creates the file named after it.
  That file then atomically replaces the expired claim, so the lock never looks free in between.

``filelock.SoftFileLock`` doesn't fit: it never takes over the claim of another container, and no
claim at all on a disk that can't exchange two names, as most of these disks can't.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import json
import os
import secrets
import socket
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from .files import NotRegularFile, read_file
from .platform import SAFE_FLAGS, make_private

LEASE = 5.0  # seconds without a change, after which a claim of another machine expires
BEAT = 1.0  # seconds between two rewrites of a claim
_POLL = 0.002
_ENDED_PROCESS = -1


def claim_file(path: str, deadline: float) -> Callable[[], None] | None:
    """Create the lock file and return its release function, or None on timeout. Raises OSError.

    ``deadline`` is a time of the monotonic clock.
    """
    claim = _Claim(path)
    first_seen: dict[bytes, float] = {}
    while not (claim.create(path) or _take_over(claim, path, first_seen)):
        if time.monotonic() >= deadline:
            return None
        time.sleep(_POLL)
    claim.begin()
    return claim.release


_active_tokens: set[str] = set()  # of the claims that this process holds


class _Claim:
    """A claim of this process, before, during and after it holds the lock."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._token = secrets.token_hex(8)
        self._number = 0
        self._changed = time.monotonic()
        self._released = threading.Event()
        self._guard = threading.Lock()  # keeps heartbeats out of a released claim

    def create(self, path: str) -> bool:
        """Return whether this process created the file."""
        self._changed = time.monotonic()
        try:
            fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | SAFE_FLAGS, 0o600)
        except FileExistsError:
            return False
        try:
            try:
                make_private(fd)
                os.write(fd, self._record())
            finally:
                os.close(fd)  # closed so that other machines see the bytes
        except BaseException:
            with contextlib.suppress(OSError):
                Path(path).unlink()
            raise
        return True

    def begin(self) -> None:
        """Keep the claim fresh until it is released."""
        _active_tokens.add(self._token)
        threading.Thread(target=self._keep_fresh, name="aiserver-claim", daemon=True).start()

    def _keep_fresh(self) -> None:
        while not self._released.wait(BEAT):
            self.beat()

    def beat(self) -> None:
        """Change the record, for processes that can't see whether this one is alive."""
        with self._guard, contextlib.suppress(OSError, NotRegularFile):
            if not self._is_ours():
                return
            self._number += 1
            fd = os.open(self._path, os.O_WRONLY | SAFE_FLAGS)
            try:
                os.write(fd, self._record())
            finally:
                os.close(fd)
            self._changed = time.monotonic()

    def release(self) -> None:
        """Remove the file unless another process has taken it over."""
        _active_tokens.discard(self._token)
        self._released.set()
        with self._guard:
            # After a long pause, another process may be taking over right now. The takeover file
            # decides which of the two came first.
            tail = f"{self._path}.{self._token}"
            paused = time.monotonic() - self._changed > LEASE / 2
            if paused and not (self._is_ours() and self.create(tail)):
                return
            for name in (self._path, tail) if paused else (self._path,):
                _remove(name)

    def _is_ours(self) -> bool:
        data = _read(self._path)
        return data is not None and _parse(data).get("token") == self._token

    def _record(self) -> bytes:
        # A fixed length, so that no reader finds the end of an older record behind it.
        beat = f"{self._number:010}"
        record = {**_process_identity(os.getpid()), "token": self._token, "beat": beat}
        return json.dumps(record).encode() + b"\n"


def _take_over(claim: _Claim, path: str, first_seen: dict[bytes, float]) -> bool:
    """Replace an expired claim with ours; return whether that succeeded.

    ``first_seen``: when this process first saw the bytes of a claim. A process may die during a
    takeover; the next one then takes over from that process.
    """
    chain: list[tuple[str, bytes]] = []
    tail = path
    while (data := _read(tail)) is not None:
        chain.append((tail, data))
        if not _is_expired(data, first_seen):
            return False
        tail = f"{path}.{_token(data)}"
        if any(tail == name for name, _ in chain):
            return False
    if not chain or not claim.create(tail):
        return False
    # The chain may have changed hands since it was read.
    if any(_read(name) != data for name, data in chain):
        Path(tail).unlink(missing_ok=True)
        return False
    Path(tail).replace(path)
    for name, _ in chain[1:]:
        Path(name).unlink(missing_ok=True)
    return True


def _remove(path: str) -> None:
    try:
        Path(path).unlink(missing_ok=True)
    except OSError:  # an empty claim has no owner, so it expires
        with contextlib.suppress(OSError):
            os.truncate(path, 0)


def _is_expired(data: bytes, first_seen: dict[bytes, float]) -> bool:
    now, record = time.monotonic(), _parse(data)
    is_unchanged = now - first_seen.setdefault(data, now) >= LEASE
    pid, machine = record.get("pid"), _process_identity(os.getpid())["machine"]
    if record.get("machine") != machine or not isinstance(pid, int):
        return is_unchanged
    if pid == os.getpid() and record.get("start") == _start_time(pid):
        return is_unchanged and record.get("token") not in _active_tokens
    return not _is_alive(pid, record.get("start"))


def _is_alive(pid: int, start: object) -> bool:
    """Return whether the same process still runs; process ids are reused."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):
        return True
    now = _start_time(pid)
    return now != _ENDED_PROCESS and (start is None or now is None or now == start)


def _token(data: bytes) -> str:
    """Return a claim's token, or a digest if its writer died while writing."""
    token = _parse(data).get("token")
    if isinstance(token, str) and token.isalnum():
        return token[:32]
    return hashlib.sha256(data).hexdigest()[:16]


def _parse(data: bytes) -> dict[str, Any]:
    try:
        record = json.loads(data)
    except ValueError:
        return {}
    return record if isinstance(record, dict) else {}


def _read(path: str) -> bytes | None:
    try:
        content = read_file(Path(path))
    except NotRegularFile:  # nobody holds a lock through a link
        Path(path).unlink(missing_ok=True)
        return None
    return content and content[0]


@functools.lru_cache(maxsize=1)
def _process_identity(pid: int) -> dict[str, Any]:
    """Identify a process such that another one can check whether it is alive."""
    return {"machine": _machine_id(), "pid": pid, "start": _start_time(pid)}


def _machine_id() -> str:
    """Identify the machine since its last boot, or the container on it."""
    name = socket.gethostname()
    if sys.platform != "linux":
        return name
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
        namespace = Path("/proc/self/ns/pid").stat().st_ino  # each container has its own
    except OSError:
        return f"{name} {secrets.token_hex(8)}"  # unique, so no process is proven dead
    return f"{name} {boot} {namespace}"


def _start_time(pid: int) -> int | None:
    """Return when a process started, in ticks since boot, or None where the system hides it.

    Returns ``_ENDED_PROCESS`` for a zombie.
    """
    try:
        stat = Path(f"/proc/{pid}/stat").read_bytes()
        state, *fields = stat[stat.rindex(b")") + 1 :].split()
        return _ENDED_PROCESS if state in (b"Z", b"X") else int(fields[18])
    except (OSError, ValueError, IndexError):
        return None
