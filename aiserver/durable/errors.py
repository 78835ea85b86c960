"""Translate OSError into storage errors."""

from __future__ import annotations

import contextlib
import errno
from collections.abc import Iterator

from ..errors import StorageError, StorageFull, StorageReadOnly

# The disk is full, the file is too large, or the user's quota is used up (EDQUOT, which Windows
# doesn't have).
_FULL_ERRNOS = {errno.ENOSPC, errno.EFBIG, getattr(errno, "EDQUOT", errno.ENOSPC)}
_READ_ONLY_ERRNOS = {errno.EACCES, errno.EPERM, errno.EROFS}


@contextlib.contextmanager
def translate_os_errors() -> Iterator[None]:
    """If the block raises an OSError, raise the corresponding StorageError instead."""
    try:
        yield
    except OSError as exc:
        raise storage_error_class(exc) from exc


def storage_error_class(error: OSError) -> type[StorageError]:
    """Return the class of StorageError that corresponds to the ``errno`` of an OSError."""
    if error.errno in _FULL_ERRNOS:
        return StorageFull
    return StorageReadOnly if error.errno in _READ_ONLY_ERRNOS else StorageError
