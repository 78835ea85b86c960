"""Lock files, for disks without the system's locks: whoever creates the file holds the lock.

Invariants:

- A claim of a process on this machine is taken over only once that process is proven dead, and
  then at once. No age breaks it.
- A claim of another machine or container can't be proven dead. Its holder rewrites it every
  ``BEAT`` seconds; it is taken over when a waiting process saw no change for ``LEASE`` seconds of
  its own clock.
- One process only takes over a dead claim: the one that creates the file named after it. That
  file then replaces the dead claim in one step, so the lock never looks free in between.

The locks of ``filelock`` don't fit: ``SoftFileLock`` never takes over the claim of another
container, and no claim at all on a disk that can't exchange two names, as most of these disks.
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
from .platform import SAFE, make_private

LEASE = 5.0  # seconds without a change, after which a claim of another machine counts as dead
BEAT = 1.0
_POLL = 0.002
_ENDED = -1


def claim_file(path: str, end: float) -> Callable[[], None] | None:
    """Create the lock file; returns what releases it, or None if the time is over. Raises OSError.

    ``end`` is a time of the monotonic clock.
    """
    claim, seen = _Claim(path), _Seen()
    while True:
        if claim.create(path):
            claim.begin()
            return claim.release
        if _take_over(claim, path, seen):
            claim.begin()
            return claim.release
        if time.monotonic() >= end:
            return None
        time.sleep(_POLL)


class _Claim:
    """A claim of this process, before, while and after it holds a lock."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._token = secrets.token_hex(8)
        self._number = 0
        self._changed = time.monotonic()
        self._guard = threading.Lock()  # a heartbeat never writes into a released claim

    def create(self, path: str) -> bool:
        """Whether this process made the file, which was not there."""
        self._changed = time.monotonic()
        try:
            fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | SAFE, 0o600)
        except FileExistsError:
            return False
        try:
            try:
                make_private(fd)
                os.write(fd, self._record())
            finally:
                os.close(fd)  # so that other machines see the bytes
        except BaseException:
            with contextlib.suppress(OSError):
                Path(path).unlink()
            raise
        return True

    def begin(self) -> None:
        """Keep the claim fresh from now on."""
        _heart.add(self._token, self)

    def beat(self) -> None:
        """Change the record, for those who can't see whether this process lives."""
        with self._guard, contextlib.suppress(OSError, NotRegularFile):
            if not self._is_ours():
                return
            self._number += 1
            fd = os.open(self._path, os.O_WRONLY | SAFE)
            try:
                os.write(fd, self._record())
            finally:
                os.close(fd)
            self._changed = time.monotonic()

    def release(self) -> None:
        """Remove the file, unless another process has taken it over meanwhile."""
        _heart.remove(self._token)
        with self._guard:
            # A process that was paused for long may be being taken over at this moment. The file
            # that the other one would have to create says who was first.
            tail = f"{self._path}.{self._token}"
            paused = time.monotonic() - self._changed > LEASE / 2
            if paused and not (self._is_ours() and self.create(tail)):
                return
            for name in (self._path, tail) if paused else (self._path,):
                _remove(name)

    def _is_ours(self) -> bool:
        found = _read(self._path)
        return found is not None and _parsed(found).get("token") == self._token

    def _record(self) -> bytes:
        # Of one length, so that no reader finds the end of an older one behind it.
        beat = f"{self._number:010}"
        record = {**_identity(os.getpid()), "token": self._token, "beat": beat}
        return json.dumps(record).encode() + b"\n"


class _Seen:
    """The time for which a waiting process has seen the same bytes of a claim, in seconds."""

    def __init__(self) -> None:
        self._since: dict[bytes, float] = {}

    def unchanged(self, data: bytes) -> float:
        now = time.monotonic()
        return now - self._since.setdefault(data, now)


class _Heart(dict[str, _Claim]):
    """The claims that this process holds, and one thread that keeps them fresh."""

    def __init__(self) -> None:
        super().__init__()
        self._guard, self._beating = threading.Lock(), False

    def add(self, token: str, claim: _Claim) -> None:
        with self._guard:
            self[token] = claim
            if not self._beating:
                self._beating = True
                threading.Thread(target=self._run, name="aiserver-claims", daemon=True).start()

    def remove(self, token: str) -> None:
        with self._guard:
            self.pop(token, None)

    def _run(self) -> None:
        while True:
            time.sleep(BEAT)
            with self._guard:
                claims = list(self.values())
                if not claims:
                    self._beating = False
                    return
            for claim in claims:
                claim.beat()


_heart = _Heart()


def _after_fork() -> None:
    """Let a forked child begin with no claims: its parent's threads are not in it."""
    global _heart
    _heart = _Heart()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)


def _take_over(claim: _Claim, path: str, seen: _Seen) -> bool:
    """Put a claim of ours in the place of a dead one, if it is dead; whether that was done.

    A process may die while it takes over: then the next one takes over from that one.
    """
    chain: list[tuple[str, bytes]] = []
    tail = path
    while (data := _read(tail)) is not None:
        chain.append((tail, data))
        if not _is_dead(data, seen):
            return False
        tail = f"{path}.{_token(data)}"
        if any(tail == name for name, _ in chain):
            return False
    if not chain or not claim.create(tail):
        return False
    # It may all have been settled, and the lock be another's, since this one looked.
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
    except OSError:  # an empty claim is nobody's, so it is taken over in time
        with contextlib.suppress(OSError):
            os.truncate(path, 0)


def _is_dead(data: bytes, seen: _Seen) -> bool:
    record = _parsed(data)
    pid, machine = record.get("pid"), _identity(os.getpid())["machine"]
    if record.get("machine") != machine or not isinstance(pid, int):
        return seen.unchanged(data) >= LEASE
    if pid == os.getpid() and record.get("start") == _start(pid):
        return record.get("token") not in _heart and seen.unchanged(data) >= LEASE
    return not _is_alive(pid, record.get("start"))


def _is_alive(pid: int, start: object) -> bool:
    """Whether the process runs that had the number then; numbers are used again."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):
        return True
    now = _start(pid)
    return now != _ENDED and (start is None or now is None or now == start)


def _token(data: bytes) -> str:
    """The name of a claim; of one whose writer died in the middle of it, a digest."""
    token = _parsed(data).get("token")
    if isinstance(token, str) and token.isalnum():
        return token[:32]
    return hashlib.sha256(data).hexdigest()[:16]


def _parsed(data: bytes) -> dict[str, Any]:
    try:
        record = json.loads(data)
    except ValueError:
        return {}
    return record if isinstance(record, dict) else {}


def _read(path: str) -> bytes | None:
    try:
        found = read_file(Path(path))
    except NotRegularFile:  # nobody holds a lock through a link
        Path(path).unlink(missing_ok=True)
        return None
    return found and found[0]


@functools.lru_cache(maxsize=1)
def _identity(pid: int) -> dict[str, Any]:
    """A process, so that another one can tell whether it lives."""
    return {"machine": _machine(), "pid": pid, "start": _start(pid)}


def _machine() -> str:
    """The machine since its last start, as far as its processes can see each other."""
    name = socket.gethostname()
    if sys.platform == "win32":
        return f"{name} {secrets.token_hex(8)}"  # then none is proven dead
    if sys.platform != "linux":
        return name
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
        namespace = Path("/proc/self/ns/pid").stat().st_ino  # each container has its own
    except OSError:
        return f"{name} {secrets.token_hex(8)}"
    return f"{name} {boot} {namespace}"


def _start(pid: int) -> int | None:
    """The start of a process, in ticks since that of the machine; None where the system hides it.

    Of one that has ended, and that its parent has not asked for yet, ``_ENDED``.
    """
    try:
        stat = Path(f"/proc/{pid}/stat").read_bytes()
        state, *fields = stat[stat.rindex(b")") + 1 :].split()
        return _ENDED if state in (b"Z", b"X") else int(fields[18])
    except (OSError, ValueError, IndexError):
        return None
