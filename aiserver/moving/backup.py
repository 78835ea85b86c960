"""Writes what is going to be removed into a file that ``sessions import`` reads back.

What must hold: when ``write`` returns, the file is whole, on disk for good, for its owner's eyes
only, and has been read back and compared.
"""

from __future__ import annotations

import io
import os
import secrets
import zipfile
import zlib
from collections.abc import Iterable
from datetime import datetime, timezone
from pathlib import Path, PurePath

from ..durable import settle_file, translated
from ..errors import StorageError
from ..sessions.importers import archive
from ..sessions.importers.base import NotUnderstood, Source

Entry = tuple[str, bytes]


def new_name() -> str:
    """A name that tells when it was written."""
    now = datetime.now(timezone.utc)
    return f"aiserver-backup-{now:%Y%m%d-%H%M%S}-{secrets.token_hex(2)}.zip"


def write(folder: Path, owners: list[str], entries: Iterable[Entry]) -> Path:
    """Write a backup into a folder. Raises StorageError."""
    target = folder / new_name()
    temp = target.with_suffix(".part")
    written: dict[str, bytes] = {}
    with translated():
        fd = os.open(temp, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
        try:
            with (
                os.fdopen(fd, "w+b") as file,
                zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as zipped,
            ):
                for name, data in (archive.manifest(owners), *entries):
                    zipped.writestr(name, data)
                    written[name] = data
            _check(temp, written)
            settle_file(temp, target)
        except BaseException:
            temp.unlink(missing_ok=True)
            raise
    return target


def _check(file: Path, written: dict[str, bytes]) -> None:
    data = file.read_bytes()
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as zipped:
            same = {name: zipped.read(name) for name in zipped.namelist()} == written
        same &= not archive.read(Source(PurePath(file.name), data)).not_understood
    except (zipfile.BadZipFile, zlib.error, EOFError, NotUnderstood):
        same = False
    if not same:
        raise StorageError("The backup could not be read back, so nothing was removed.")
