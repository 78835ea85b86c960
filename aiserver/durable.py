"""Read, replace, lock and restrict private files durably: no failed write destroys old content.

Invariants:

- When ``replace_file`` or ``append_file`` returns, the new bytes survive a power cut.
- After an error of ``replace_file``, the file has its complete old or new content, which is also
  what a reader sees meanwhile. After one of ``append_file``, the old bytes are unchanged, but an
  incomplete line may follow them.
- Folders are created with mode 0700 and files with mode 0600, whatever the umask is, except for
  ``public`` files. If a group shares the folder (setgid and group-writable), it may read and write
  the ``shareable`` files, inner folders, logs and locks.
- A symbolic link at the end of a path is not followed, except on Windows (see ``SAFE_FLAGS``).
  ``read_file`` and ``append_file`` raise ``NotRegularFile``. Reading never creates a file or a
  folder.
- At most one process has the lock of a name, and the lock is free when the process ends. On a disk
  without file locks (``flock``), a lock is a file that exists while it is held. Another process on
  the same machine takes over that of a killed one; that of a killed one on another machine must be
  removed by hand.
- A quarantined file is never replaced. At every moment, its bytes are stored under the original
  name, ``<file>.corrupt-N`` or both.
"""

from __future__ import annotations

import contextlib
import errno
import os
import re
import secrets
import stat
import sys
import tempfile
import time
import zipfile
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import IO, Any, Literal, NamedTuple

from filelock import BaseFileLock, FileLock, SoftFileLock, Timeout

from .errors.base import UserText
from .errors.storage import StorageError, StorageFull, StorageReadOnly

try:
    import fcntl
except ImportError:  # Windows
    flock: Any = None
else:
    flock = fcntl.flock
    _EXCLUSIVE = fcntl.LOCK_EX | fcntl.LOCK_NB

# Windows has no O_NOFOLLOW, but creating links needs a privilege there.
SAFE_FLAGS = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
NONBLOCK_FLAG = getattr(os, "O_NONBLOCK", 0)  # so that opening a pipe doesn't block
# Seconds between retries: Windows refuses to rename or remove a file that is in use.
WAITS: tuple[float, ...] = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5) if sys.platform == "win32" else ()
# The disk is full, the file too large, or the quota used up (EDQUOT, which Windows lacks).
_FULL_ERRNOS = {errno.ENOSPC, errno.EFBIG, getattr(errno, "EDQUOT", errno.ENOSPC)}
_READ_ONLY_ERRNOS = {errno.EACCES, errno.EPERM, errno.EROFS}


def flush(fd: int) -> None:
    """Flush a file and, if possible, the disk's own cache."""
    if sys.platform == "darwin":
        with contextlib.suppress(OSError):
            fcntl.fcntl(fd, fcntl.F_FULLFSYNC)
            return
    os.fsync(fd)


def flush_folder(folder: Path) -> None:
    """Flush a folder's entries, except on Windows. It may be a link."""
    if sys.platform == "win32":
        return
    fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(fd)
    except OSError as exc:
        if exc.errno not in (errno.EINVAL, errno.ENOTSUP):  # some network disks don't support it
            raise
    finally:
        os.close(fd)


def retry_while_in_use(action: Callable[[], object]) -> None:
    """Run an action; retry while Windows refuses it because another program uses the file."""
    for wait in WAITS:
        try:
            action()
        except PermissionError:
            time.sleep(wait)
        else:
            return
    action()


def group_access(folder: str | Path) -> int:
    """Return 0o070 if a group shares the folder (setgid and writable), else 0."""
    shared = stat.S_ISGID | stat.S_IWGRP
    return 0o070 if Path(folder).stat().st_mode & shared == shared else 0


def make_private(fd: int, shared_folder: str | Path | None = None) -> None:
    """Set the mode to 0600, or to 0660 if a group shares ``shared_folder``."""
    # The umask may have removed the owner's permissions. Some disks refuse to change them.
    mode = 0o600 | (group_access(shared_folder) & 0o060 if shared_folder else 0)
    if sys.platform != "win32" and os.fstat(fd).st_mode & 0o777 != mode:
        with contextlib.suppress(PermissionError):
            os.fchmod(fd, mode)


def set_time(fd: int) -> int:
    """Set an open file's times to now; return that time in nanoseconds."""
    now = time.time_ns()
    if os.utime in os.supports_fd:
        with contextlib.suppress(OSError):  # some disks can't set times
            os.utime(fd, ns=(now, now))
    return now


@contextlib.contextmanager
def translate_os_errors() -> Iterator[None]:
    """Turn an OSError into the corresponding StorageError."""
    try:
        yield
    except OSError as exc:
        raise storage_error_class(exc) from exc


def storage_error_class(error: OSError) -> type[StorageError]:
    """Return the class of StorageError for an OSError."""
    if error.errno in _FULL_ERRNOS:
        return StorageFull
    return StorageReadOnly if error.errno in _READ_ONLY_ERRNOS else StorageError


# The name of a temp file: its target's name and a random number.
_TEMP_NAME = re.compile(r"(.+)\.[0-9a-f]{16}\.tmp")


class NotRegularFile(Exception):
    """The path isn't a regular file but, for example, a link, a folder or a pipe."""


class Stamp(NamedTuple):
    """A file's times, size and inode number, which change with its content.

    Two changes within one tick of the disk's clock may have the same stamp.
    """

    mtime_ns: int
    ctime_ns: int
    size: int
    inode: int

    @classmethod
    def of(cls, status: os.stat_result) -> Stamp:
        return cls(status.st_mtime_ns, status.st_ctime_ns, status.st_size, status.st_ino)


def read_file(path: Path) -> tuple[bytes, Stamp] | None:
    """Return a file's bytes and stamp, or None. Raises NotRegularFile, OSError."""
    try:
        with _open_regular(path, os.O_RDONLY) as (fd, status):
            return _read_all(fd, status.st_size), Stamp.of(status)
    except FileNotFoundError:
        return None


@contextlib.contextmanager
def _open_regular(path: Path, flags: int) -> Iterator[tuple[int, os.stat_result]]:
    """Yield a regular file's descriptor and status. Raises NotRegularFile, OSError."""
    try:
        fd = os.open(path, flags | SAFE_FLAGS | NONBLOCK_FLAG, 0o600)
    except FileNotFoundError:
        raise
    except OSError as exc:
        # The path is a link, or a pipe or socket.
        if exc.errno in (errno.ELOOP, errno.EMLINK, errno.ENXIO) or path.is_symlink():
            raise NotRegularFile from exc
        raise
    try:
        status = os.fstat(fd)
        if not stat.S_ISREG(status.st_mode):
            raise NotRegularFile
        yield fd, status
    finally:
        os.close(fd)


def open_zip_member(zipped: zipfile.ZipFile, member: str | zipfile.ZipInfo) -> IO[bytes]:
    """Open a member of anybody's zip, for ``read(size)``.

    By methods other than deflate, ``zipfile`` would unpack it at once: they raise BadZipFile.
    """
    info = zipped.getinfo(member) if isinstance(member, str) else member
    if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise zipfile.BadZipFile(f"compressed by method {info.compress_type}")
    return zipped.open(info)


def replace_file(
    folder: Path,
    name: str,
    data: bytes,
    *,
    temp_folder: Path | None = None,
    public: bool = False,
    shareable: bool = False,
) -> Stamp | None:
    """Atomically and durably replace the file ``name`` with ``data``.

    The temp file is in the same folder, or in ``temp_folder`` on the same disk. A later process
    that locks ``name`` may delete the temp file of a killed one.

    Return the file's stamp if no later change can have the same one, else None: the time is set
    here, because the disk's clock gives equal times to changes within a tick.
    """
    temp = (temp_folder or folder) / f"{name}.{secrets.token_hex(8)}.tmp"
    target = folder / name
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | SAFE_FLAGS
    fd = os.open(temp, flags, 0o666 if public else 0o600)
    try:
        try:
            if not public:
                make_private(fd, folder if shareable else None)
            elif shareable and group_access(folder):
                os.fchmod(fd, os.fstat(fd).st_mode & 0o777 | 0o060)
            _write_all(fd, data)
            written_at = set_time(fd)
            flush(fd)
        finally:
            os.close(fd)  # some file systems report a full disk only here
        retry_while_in_use(partial(os.replace, temp, target))
        flush_folder(folder)
    except BaseException:
        with contextlib.suppress(OSError):
            temp.unlink()
        raise
    try:
        stamp = Stamp.of(os.lstat(target))
    except OSError:
        return None
    return stamp if stamp.mtime_ns == written_at else None


def commit_file(file: Path, target: Path) -> None:
    """Durably rename a completely written file."""
    with file.open("rb+") as content:
        flush(content.fileno())
    retry_while_in_use(lambda: file.replace(target))
    flush_folder(target.parent)


def temp_target(name: str) -> str | None:
    """Return the name of a temp file's target; None for other names."""
    match = _TEMP_NAME.fullmatch(name)
    return match and match[1]


def append_file(folder: Path, name: str, data: bytes) -> None:
    """Durably append lines, on a new line if the last one is incomplete."""
    with _open_regular(folder / name, os.O_RDWR | os.O_APPEND | os.O_CREAT) as (fd, status):
        size = status.st_size
        if size == 0:
            make_private(fd, folder)
        else:
            os.lseek(fd, size - 1, os.SEEK_SET)
            if os.read(fd, 1) != b"\n":
                data = b"\n" + data
        try:
            _write_all(fd, data)
            flush(fd)
        except BaseException:
            with contextlib.suppress(OSError):
                os.ftruncate(fd, size)  # a second attempt must not write these bytes twice
            raise
    if size == 0:
        flush_folder(folder)


def remove(folder: Path, names: Iterable[str]) -> bool:
    """Durably remove files; return whether any existed."""
    has_removed = False
    for name in names:
        with contextlib.suppress(FileNotFoundError):
            retry_while_in_use((folder / name).unlink)
            has_removed = True
    if has_removed:
        flush_folder(folder)
    return has_removed


def _write_all(fd: int, data: bytes) -> None:
    with memoryview(data) as view:
        written_count = 0
        while written_count < len(view):
            written_count += os.write(fd, view[written_count:])


def _read_all(fd: int, size: int) -> bytes:
    chunks = []
    # The first call usually reads all; further ones read bytes that were added meanwhile.
    while chunk := os.read(fd, max(size + 1, 65536)):
        chunks.append(chunk)
        size = 0
    return b"".join(chunks)


def ensure_folder(folder: Path, *, is_inner: bool = False) -> None:
    """Durably create a private folder. Raises StorageError for a link or a file.

    An inner folder is shared with the group of the folder above.
    """
    if check_folder(folder):
        return
    mode = 0o2770 if is_inner and group_access(folder.parent) else 0o700
    with contextlib.suppress(FileExistsError):
        folder.mkdir(mode=0o700)
        # The umask may have removed our own permissions; some file systems refuse.
        with contextlib.suppress(PermissionError):
            folder.chmod(mode)
        flush_folder(folder.parent)
    check_folder(folder)


def check_folder(folder: Path) -> bool:
    """Return whether a folder exists. Raises StorageError if the path is a link or a file."""
    try:
        mode = os.lstat(folder).st_mode
    except FileNotFoundError:
        return False
    if not stat.S_ISDIR(mode):
        raise StorageError(
            f"“{folder.name}” should be a folder, but is a link or a file, so it is not used."
        )
    return True


Access = Literal["private", "open", "shared", "foreign"]


def get_access(folder: Path) -> Access:
    """Return other accounts' access to a folder.

    ``open`` is probably an accident, as of ``git clone``, and ``shared`` an intention: the folder
    has an access list, or the setgid bit and its group may write. A ``foreign`` folder belongs to
    another account. On Windows, nothing is checked.
    """
    status = os.lstat(folder)
    if sys.platform == "win32" or not status.st_mode & 0o077:
        return "private"
    if status.st_uid != os.geteuid():
        return "foreign"
    is_group_folder = status.st_mode & stat.S_ISGID and status.st_mode & stat.S_IWGRP
    return "shared" if is_group_folder or _has_access_list(folder) else "open"


def restrict_access(folder: Path) -> Access:
    """Make our own folder private; return the access that others had.

    The group and the access list of a ``shared`` folder stay.
    """
    access = get_access(folder)
    allowed_mode = 0o770 if access == "shared" else 0o700
    mode = stat.S_IMODE(os.lstat(folder).st_mode)
    if access in ("open", "shared") and mode & 0o777 & ~allowed_mode:
        folder.chmod(mode & ~0o777 | mode & allowed_mode)  # keeps the setgid bit
    return access


def _has_access_list(folder: Path) -> bool:
    try:
        names = os.listxattr(folder, follow_symlinks=False)
    except (AttributeError, OSError):  # unsupported by the system or the disk
        return False
    return "system.posix_acl_access" in names


_POLL = 0.002  # seconds between attempts to get a lock
# The errors of a disk that has no file locks.
_NO_LOCKS = {errno.ENOSYS, errno.ENOLCK, errno.ENOTSUP, errno.EOPNOTSUPP, errno.EINVAL, errno.EIO}


class _SystemLock(FileLock):
    """A lock of the system only."""

    # The library would use the same file as a lock file, and wait forever for one that an earlier
    # lock has left, as in a copied folder.
    def _fallback_to_soft_lock(self) -> None:
        raise OSError(errno.ENOSYS, "flock not supported")


def lock_file(folder: str, name: str, deadline: float) -> Callable[[], object] | None:
    """Lock a name in a folder; return a function that releases it, or None on timeout.

    ``deadline`` is a time of the monotonic clock. Raises OSError.
    """
    path = f"{folder}{os.sep}{name}.lock"
    if Path(path).is_symlink():  # AI Server creates no links here: somebody planted it
        Path(path).unlink(missing_ok=True)
    try:
        return _acquire(_SystemLock, path, deadline)
    except OSError as exc:
        if exc.errno not in _NO_LOCKS:
            raise
    return _acquire(SoftFileLock, f"{path}.held", deadline)


def _acquire(kind: Any, path: str, deadline: float) -> Callable[[], object] | None:
    # Not thread-local: another thread may release it.
    mode = 0o600 | group_access(Path(path).parent) & 0o060
    lock: BaseFileLock = kind(path, mode=mode, thread_local=False)
    try:
        lock.acquire(timeout=max(0.0, deadline - time.monotonic()), poll_interval=_POLL)
    except Timeout:
        return None
    return lock.release


def has_system_locks(folder: Path) -> bool:
    """Return whether file locks work in a folder; true if no file can be created."""
    if flock is None:
        return True
    try:
        with tempfile.TemporaryFile(dir=folder) as file:
            flock(file.fileno(), _EXCLUSIVE)
    except OSError as exc:
        return exc.errno not in _NO_LOCKS
    return True


QUARANTINE_SUFFIX = ".corrupt-"


def move_to_quarantine(folder: Path, name: str, base_name: str = "") -> str:
    """Move a file, or a link itself, into quarantine; return the new name.

    It begins with ``base_name`` or ``name``, whose lock the caller must have.
    """
    new_name, _ = _quarantine_names(folder, base_name or name)
    retry_while_in_use(lambda: (folder / name).rename(folder / new_name))
    flush_folder(folder)
    return new_name


def copy_to_quarantine(
    folder: Path, name: str, data: bytes, suffix: str = QUARANTINE_SUFFIX
) -> str:
    """Copy a file, whose bytes are ``data``, into quarantine; return the copy's name.

    If the last copy has these bytes, its name is returned.
    """
    new_name, latest_name = _quarantine_names(folder, name, suffix)
    if latest_name and _has_content(folder / latest_name, data):
        return latest_name
    replace_file(folder, new_name, data, shareable=True)
    return new_name


def _quarantine_names(
    folder: Path, name: str, suffix: str = QUARANTINE_SUFFIX
) -> tuple[str, str | None]:
    """Return a file's first free quarantine name, and the last used one or None."""
    latest_name, number = None, 1
    while os.path.lexists(folder / (free_name := f"{name}{suffix}{number}")):
        latest_name, number = free_name, number + 1
    return free_name, latest_name


def _has_content(path: Path, data: bytes) -> bool:
    try:
        content = read_file(path)
    except (OSError, NotRegularFile):
        return False
    return content is not None and content[0] == data


_MOUNT_TABLE = Path("/proc/mounts")
# On these file systems, other machines see locks, renames and times late or not at all.
_NETWORK_FILE_SYSTEMS = {
    *("nfs", "nfs4", "cifs", "smb3", "smbfs", "fuse.sshfs", "9p", "afs", "ceph", "lustre"),
    *("fuse.glusterfs", "fuse.s3fs", "fuse.gcsfuse", "fuse.rclone", "beegfs", "gpfs"),
}
# With these options, other machines don't see our locks.
_LOCAL_LOCK_OPTIONS = {"nolock", "local_lock=all", "local_lock=flock", "localflock"}
SINGLE_SERVER_ADVICE = (
    "Do not let servers on two machines write to the same histories at the same time."
)
NO_LOCKS_NOTICE = UserText(
    "The disk with the history folder does not support file locks (flock), so lock files are used "
    "instead. Saving takes a little longer."
)
OPEN_NOTICE = "Other users of this computer can read the history folder."
NOW_PRIVATE_NOTICE = (
    "The history folder was readable by other users of this computer. It is private now."
)
SHARED_NOTICE = "The history folder is shared with a group, so its members can read it."


def network_disk_warning(folder: Path) -> str | None:
    """Return a warning if a folder is on a network file system, else None.

    Only Linux has the mount table; elsewhere, every disk counts as local.
    """
    try:
        # Read as bytes: a mount point may not be valid text.
        lines = os.fsdecode(_MOUNT_TABLE.read_bytes()).splitlines()
        mounts = [fields[1:4] for line in lines if len(fields := line.split()) > 3]
    except OSError:
        return None
    resolved_folder = folder.resolve()
    # The deepest mount point counts, and of equal ones the last.
    kind, options, depth = "", "", -1
    for mount_point, mount_kind, mount_options in mounts:
        mount_folder = Path(mount_point.replace("\\040", " "))  # the table's escape for a space
        if resolved_folder.is_relative_to(mount_folder) and len(mount_folder.parts) >= depth:
            kind, options, depth = mount_kind, mount_options, len(mount_folder.parts)
    if kind not in _NETWORK_FILE_SYSTEMS:
        return None
    text = f"The history folder is on a network file system ({kind})"
    if _LOCAL_LOCK_OPTIONS & set(options.split(",")):
        return f"{text}; its locks are not visible to other machines."
    return f"{text}."
