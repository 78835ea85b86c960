"""Lock files, for disks that don't support the system's locks (``flock``).

The process that creates a lock file has the lock until it removes the file. The content of a lock
file is called a claim. It identifies the machine and the process, and contains a random token and a
heartbeat: a number that grows while the process has the lock.

Invariants:

- The claim of another process on the same machine expires when that process has ended. It doesn't
  expire because of its age.
- A process can't check whether a process on another machine or in another container has ended. So
  each process rewrites its claim every ``BEAT`` seconds while it has the lock. The claim of another
  machine or container expires if it hasn't changed for ``LEASE`` seconds. The process that waits
  for the lock measures these seconds with its own clock.
- Only one process can take over an expired claim. This process creates a takeover file with its
  own claim. The name of the takeover file contains the token of the expired claim, so no second
  process can create this file. Then the takeover file atomically replaces the lock file, so that
  the lock never looks free.

``filelock.SoftFileLock`` can't be used, because it never takes over the lock of a process in
another container. Besides, it takes over a lock only on a disk that can exchange the names of two
files. Most of the disks that don't support the system's locks can't exchange names, either.
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

LEASE = 5.0  # seconds after which an unchanged claim of another machine or container expires
BEAT = 1.0  # seconds between two rewrites of a claim
_POLL = 0.002  # seconds between two attempts to get the lock
_ENDED_PROCESS = -1  # the result of ``_start_time`` for a process that has ended, but is listed


def claim_file(path: str, deadline: float) -> Callable[[], None] | None:
    """Create the lock file ``path``; return a function that releases the lock.

    Return None if the lock isn't free before ``deadline``, a time of the monotonic clock. Raises
    OSError.
    """
    claim = _Claim(path)
    first_seen: dict[bytes, float] = {}  # see ``_take_over``
    while not (claim.create(path) or _take_over(claim, path, first_seen)):
        if time.monotonic() >= deadline:
            return None
        time.sleep(_POLL)
    claim.start_heartbeat()
    return claim.release


_active_tokens: set[str] = set()  # the tokens of the claims with which this process holds locks


class _Claim:
    """The claim that this process writes into a lock file while it has the lock."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._token = secrets.token_hex(8)
        self._beat_count = 0
        self._written_at = time.monotonic()
        self._released = threading.Event()
        self._write_lock = threading.Lock()  # so that no heartbeat is written during the release

    def create(self, path: str) -> bool:
        """Create a file with this claim; return False if the file exists."""
        self._written_at = time.monotonic()
        try:
            fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | SAFE_FLAGS, 0o600)
        except FileExistsError:
            return False
        try:
            try:
                make_private(fd, Path(path).parent)
                os.write(fd, self._content())
            finally:
                os.close(fd)  # other machines see the bytes when the file is closed
        except BaseException:
            with contextlib.suppress(OSError):
                Path(path).unlink()
            raise
        return True

    def start_heartbeat(self) -> None:
        """Start a thread that rewrites the claim regularly, until the lock is released."""
        _active_tokens.add(self._token)
        threading.Thread(
            target=self._beat_until_released, name="aiserver-claim", daemon=True
        ).start()

    def _beat_until_released(self) -> None:
        while not self._released.wait(BEAT):
            self.beat()

    def beat(self) -> None:
        """Rewrite the claim with the next heartbeat, unless another process took over the lock."""
        with self._write_lock, contextlib.suppress(OSError, NotRegularFile):
            if not self._is_ours():
                return
            self._beat_count += 1
            fd = os.open(self._path, os.O_WRONLY | SAFE_FLAGS)
            try:
                os.write(fd, self._content())
            finally:
                os.close(fd)
            self._written_at = time.monotonic()

    def release(self) -> None:
        """Remove the lock file, unless another process has taken over the lock."""
        _active_tokens.discard(self._token)
        self._released.set()
        with self._write_lock:
            # If this process was paused for long, its claim may have expired, and another process
            # may be taking over the lock right now. So this process creates the takeover file
            # first. If that fails, the other process has created it and gets the lock file.
            takeover_path = f"{self._path}.{self._token}"
            was_paused = time.monotonic() - self._written_at > LEASE / 2
            if was_paused and not (self._is_ours() and self.create(takeover_path)):
                return
            for path in (self._path, takeover_path) if was_paused else (self._path,):
                _remove(path)

    def _is_ours(self) -> bool:
        """Return whether the lock file still contains this claim."""
        data = _read(self._path)
        return data is not None and _parse(data).get("token") == self._token

    def _content(self) -> bytes:
        # The length is fixed, so that a rewritten claim replaces all bytes of the previous claim.
        beat = f"{self._beat_count:010}"
        fields = {**_process_identity(os.getpid()), "token": self._token, "beat": beat}
        return json.dumps(fields).encode() + b"\n"


def _take_over(claim: _Claim, path: str, first_seen: dict[bytes, float]) -> bool:
    """Take over the lock file ``path`` if the claim in it has expired.

    Return whether the lock was taken over. ``claim`` is this process's own claim. ``first_seen``
    maps the bytes of other claims to the times when this process first saw them.

    If a process ends during a takeover, its takeover file remains, with a claim that expires, too.
    The next process takes over that claim in the same way. So there may be a chain of expired
    claims: the one in the lock file, and those in takeover files.
    """
    chain: list[tuple[str, bytes]] = []
    takeover_path = path
    while (data := _read(takeover_path)) is not None:
        chain.append((takeover_path, data))
        if not _is_expired(data, first_seen):
            return False
        takeover_path = f"{path}.{_token(data)}"
        if any(takeover_path == file for file, _ in chain):
            return False  # a circle, which only damaged claims can form
    if not chain or not claim.create(takeover_path):
        return False
    # Another process may have taken over a claim of the chain after it was read.
    if any(_read(file) != data for file, data in chain):
        Path(takeover_path).unlink(missing_ok=True)
        return False
    Path(takeover_path).replace(path)
    for file, _ in chain[1:]:
        Path(file).unlink(missing_ok=True)
    return True


def _remove(path: str) -> None:
    """Remove a lock file or takeover file. If that fails, empty it, so that its claim expires."""
    try:
        Path(path).unlink(missing_ok=True)
    except OSError:  # an empty claim identifies no process, so it expires by its age
        with contextlib.suppress(OSError):
            os.truncate(path, 0)


def _is_expired(data: bytes, first_seen: dict[bytes, float]) -> bool:
    """Return whether the claim in ``data`` has expired; see the module's invariants."""
    now, claim = time.monotonic(), _parse(data)
    is_too_old = now - first_seen.setdefault(data, now) >= LEASE
    pid, machine = claim.get("pid"), _process_identity(os.getpid())["machine"]
    if claim.get("machine") != machine or not isinstance(pid, int):
        return is_too_old
    if pid == os.getpid() and claim.get("start") == _start_time(pid):
        # This process wrote the claim. If the process released the lock but couldn't remove the
        # file, the claim expires by its age.
        return is_too_old and claim.get("token") not in _active_tokens
    return not _is_alive(pid, claim.get("start"))


def _is_alive(pid: int, start: object) -> bool:
    """Return whether the process with this id and start time still runs.

    The id alone isn't enough, because the system gives the id of an ended process to a new one.
    """
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):  # for example, the process belongs to another user
        return True
    current_start = _start_time(pid)
    if current_start == _ENDED_PROCESS:
        return False
    return start is None or current_start is None or current_start == start


def _token(data: bytes) -> str:
    """Return the token of the claim in ``data``, or a hash of ``data`` if it has no valid token."""
    token = _parse(data).get("token")
    if isinstance(token, str) and token.isalnum():
        return token[:32]
    return hashlib.sha256(data).hexdigest()[:16]


def _parse(data: bytes) -> dict[str, Any]:
    try:
        claim = json.loads(data)
    except ValueError:
        return {}
    return claim if isinstance(claim, dict) else {}


def _read(path: str) -> bytes | None:
    try:
        content = read_file(Path(path))
    except NotRegularFile:  # AI Server creates only regular files here
        Path(path).unlink(missing_ok=True)
        return None
    return content and content[0]


@functools.lru_cache(maxsize=1)
def _process_identity(pid: int) -> dict[str, Any]:
    """Return the fields of a claim that identify this process, whose id is ``pid``.

    With these fields, another process can check whether this process still runs. ``pid`` is a
    parameter so that a forked process doesn't get the cached fields of its parent.
    """
    return {"machine": _machine_id(), "pid": pid, "start": _start_time(pid)}


def _machine_id() -> str:
    """Return an id of this machine, or of the container in which this process runs.

    On Linux, the id changes when the machine is restarted. On other systems, it is the host's name.
    """
    name = socket.gethostname()
    if sys.platform != "linux":
        return name
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
        namespace = Path("/proc/self/ns/pid").stat().st_ino  # different in each container
    except OSError:
        # With a random id, all other processes seem to run on other machines.
        return f"{name} {secrets.token_hex(8)}"
    return f"{name} {boot} {namespace}"


def _start_time(pid: int) -> int | None:
    """Return when a process started, in clock ticks since the machine was started.

    Return None if the system doesn't report this. Return ``_ENDED_PROCESS`` for a zombie, a process
    that has ended but is still listed.
    """
    try:
        stat = Path(f"/proc/{pid}/stat").read_bytes()
        # The fields are described in `man proc_pid_stat`. The second field, the name of the program
        # in parentheses, may contain spaces. The state is the third field, the start time the 22nd.
        state, *fields = stat[stat.rindex(b")") + 1 :].split()
        return _ENDED_PROCESS if state in (b"Z", b"X") else int(fields[18])
    except (OSError, ValueError, IndexError):
        return None
