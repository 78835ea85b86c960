"""Translate the system's errors into storage errors."""

from __future__ import annotations

import contextlib
import errno
from collections.abc import Iterator

from ..errors import StorageError, StorageFull, StorageReadOnly

# The disk, the person's quota (unknown on Windows) or the maximum file size is exhausted.
_FULL_ERRNOS = {errno.ENOSPC, errno.EFBIG, getattr(errno, "EDQUOT", errno.ENOSPC)}
_READ_ONLY_ERRNOS = {errno.EACCES, errno.EPERM, errno.EROFS}


@contextlib.contextmanager
def translate_os_errors() -> Iterator[None]:
    """Raise StorageError or a subclass in place of an OSError."""
    try:
        yield
    except OSError as exc:
        raise storage_error_class(exc) from exc


def storage_error_class(error: OSError) -> type[StorageError]:
    """Return the subclass of StorageError for an OSError."""
    if error.errno in _FULL_ERRNOS:
        return StorageFull
    return StorageReadOnly if error.errno in _READ_ONLY_ERRNOS else StorageError
