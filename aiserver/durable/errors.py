"""The system's errors, in our words."""

from __future__ import annotations

import contextlib
import errno
from collections.abc import Iterator

from ..errors import StorageError, StorageFull, StorageReadOnly

# No room is left: on the disk, in the person's quota (which Windows doesn't have), or under the
# limit of how big a file may be.
_FULL = {errno.ENOSPC, errno.EFBIG, getattr(errno, "EDQUOT", errno.ENOSPC)}
_READ_ONLY = {errno.EACCES, errno.EPERM, errno.EROFS}


@contextlib.contextmanager
def translate_os_errors() -> Iterator[None]:
    """Turn the system's errors into ours, with sentences for a person."""
    try:
        yield
    except OSError as exc:
        raise storage_error_class(exc) from exc


def storage_error_class(error: OSError) -> type[StorageError]:
    """What the system's error is called here."""
    if error.errno in _FULL:
        return StorageFull
    return StorageReadOnly if error.errno in _READ_ONLY else StorageError
