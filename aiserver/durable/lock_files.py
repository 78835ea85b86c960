"""Lock files, for disks that don't support the system's locks.

The process that creates a lock file has the lock, until it removes the file. The content of a lock
file is called a claim: it identifies the machine and the process, and has a random token and the
number of a heartbeat.

Invariants:

- If the process of a claim is on this machine, the claim expires when the process has ended, and
  not because of its age.
- Whether a process on another machine or in another container has ended can't be checked. So each
  process rewrites its claim every ``BEAT`` seconds. The claim expires when a waiting process has
  seen no change of it for ``LEASE`` seconds of its own clock.
- Exactly one process takes over an expired claim: the process that creates the file whose name
  contains the token of the claim. That file then atomically replaces the lock file, so that the
  lock never looks free in between.

``filelock.SoftFileLock`` can't be used. It never takes over a claim of another container. And it
takes over no claim at all on disks that can't exchange the names of two files, which is most of
these disks.
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
_POLL = 0.002  # seconds between two attempts
_ENDED_PROCESS = -1  # in place of the start time of a process that has ended


def claim_file(path: str, deadline: float) -> Callable[[], None] | None:
    """Create the lock file ``path``; return a function that releases the lock, or None on timeout.

    ``deadline`` is a time of the monotonic clock. Raises OSError.
    """
    claim = _Claim(path)
    first_seen: dict[bytes, float] = {}
    while not (claim.create(path) or _take_over(claim, path, first_seen)):
        if time.monotonic() >= deadline:
            return None
        time.sleep(_POLL)
    claim.begin()
    return claim.release


_active_tokens: set[str] = set()  # the tokens of this process's claims that have the lock


class _Claim:
    """A claim of this process, which waits for the lock, has it or has released it."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._token = secrets.token_hex(8)
        self._beat_count = 0
        self._written_at = time.monotonic()
        self._released = threading.Event()
        self._guard = threading.Lock()  # so that no heartbeat is written during the release

    def create(self, path: str) -> bool:
        """Create a file with this claim; return False if the file exists."""
        self._written_at = time.monotonic()
        try:
            fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | SAFE_FLAGS, 0o600)
        except FileExistsError:
            return False
        try:
            try:
                make_private(fd)
                os.write(fd, self._content())
            finally:
                os.close(fd)  # other machines see the bytes when the file is closed
        except BaseException:
            with contextlib.suppress(OSError):
                Path(path).unlink()
            raise
        return True

    def begin(self) -> None:
        """Rewrite the claim regularly, in a thread, until it is released."""
        _active_tokens.add(self._token)
        threading.Thread(target=self._keep_fresh, name="aiserver-claim", daemon=True).start()

    def _keep_fresh(self) -> None:
        while not self._released.wait(BEAT):
            self.beat()

    def beat(self) -> None:
        """Rewrite the claim, for processes that can't check whether this process still runs."""
        with self._guard, contextlib.suppress(OSError, NotRegularFile):
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
        """Remove the lock file unless another process has taken over the claim."""
        _active_tokens.discard(self._token)
        self._released.set()
        with self._guard:
            # If this process was paused for long, another process may be taking over the claim
            # right now. Only one of the two can create the takeover file.
            takeover_path = f"{self._path}.{self._token}"
            was_paused = time.monotonic() - self._written_at > LEASE / 2
            if was_paused and not (self._is_ours() and self.create(takeover_path)):
                return
            for path in (self._path, takeover_path) if was_paused else (self._path,):
                _remove(path)

    def _is_ours(self) -> bool:
        """Return whether the lock file still has this claim."""
        data = _read(self._path)
        return data is not None and _parse(data).get("token") == self._token

    def _content(self) -> bytes:
        # The length is fixed, so that a rewritten claim replaces all bytes of the previous one.
        beat = f"{self._beat_count:010}"
        fields = {**_process_identity(os.getpid()), "token": self._token, "beat": beat}
        return json.dumps(fields).encode() + b"\n"


def _take_over(claim: _Claim, path: str, first_seen: dict[bytes, float]) -> bool:
    """Replace an expired claim with ``claim``; return whether that succeeded.

    ``first_seen`` is the time when this process first saw the bytes of each claim. A process may
    end during a takeover, and leave a takeover file with its own claim. That claim expires, too,
    and is taken over in the same way, so there may be a chain of expired claims.
    """
    chain: list[tuple[str, bytes]] = []
    takeover_path = path
    while (data := _read(takeover_path)) is not None:
        chain.append((takeover_path, data))
        if not _is_expired(data, first_seen):
            return False
        takeover_path = f"{path}.{_token(data)}"
        if any(takeover_path == name for name, _ in chain):
            return False
    if not chain or not claim.create(takeover_path):
        return False
    # Another process may have taken over a claim of the chain after it was read.
    if any(_read(name) != data for name, data in chain):
        Path(takeover_path).unlink(missing_ok=True)
        return False
    Path(takeover_path).replace(path)
    for name, _ in chain[1:]:
        Path(name).unlink(missing_ok=True)
    return True


def _remove(path: str) -> None:
    try:
        Path(path).unlink(missing_ok=True)
    except OSError:  # an empty claim identifies no process, so it expires
        with contextlib.suppress(OSError):
            os.truncate(path, 0)


def _is_expired(data: bytes, first_seen: dict[bytes, float]) -> bool:
    now, claim = time.monotonic(), _parse(data)
    is_unchanged = now - first_seen.setdefault(data, now) >= LEASE
    pid, machine = claim.get("pid"), _process_identity(os.getpid())["machine"]
    if claim.get("machine") != machine or not isinstance(pid, int):
        return is_unchanged
    if pid == os.getpid() and claim.get("start") == _start_time(pid):
        return is_unchanged and claim.get("token") not in _active_tokens
    return not _is_alive(pid, claim.get("start"))


def _is_alive(pid: int, start: object) -> bool:
    """Return whether the process with this id and start time still runs. Ids are reused."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):
        return True
    now = _start_time(pid)
    return now != _ENDED_PROCESS and (start is None or now is None or now == start)


def _token(data: bytes) -> str:
    """Return a claim's token, or a hash of the bytes if the claim is incomplete."""
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
    except NotRegularFile:  # no process creates a link as a lock file, so somebody planted it
        Path(path).unlink(missing_ok=True)
        return None
    return content and content[0]


@functools.lru_cache(maxsize=1)
def _process_identity(pid: int) -> dict[str, Any]:
    """Return fields that identify a process, by which another process can check if it runs."""
    return {"machine": _machine_id(), "pid": pid, "start": _start_time(pid)}


def _machine_id() -> str:
    """Return an id of this machine since it was started, or of the container on it."""
    name = socket.gethostname()
    if sys.platform != "linux":
        return name
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
        namespace = Path("/proc/self/ns/pid").stat().st_ino  # each container has its own
    except OSError:
        return f"{name} {secrets.token_hex(8)}"  # unlike any other, so claims only expire by age
    return f"{name} {boot} {namespace}"


def _start_time(pid: int) -> int | None:
    """Return when a process started, in ticks since the boot; None if the system hides it.

    Return ``_ENDED_PROCESS`` for a zombie: a process that has ended and is still listed.
    """
    try:
        stat = Path(f"/proc/{pid}/stat").read_bytes()
        state, *fields = stat[stat.rindex(b")") + 1 :].split()
        return _ENDED_PROCESS if state in (b"Z", b"X") else int(fields[18])
    except (OSError, ValueError, IndexError):
        return None
