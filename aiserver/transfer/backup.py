"""Writes what is going to be removed into a file that ``sessions import`` reads back.

What must hold: when ``write`` returns, the file is whole, on disk for good, for its owner's eyes
only, and has been read back and compared.
"""

from __future__ import annotations

import hashlib
import os
import secrets
import zipfile
import zlib
from collections.abc import Iterable
from datetime import datetime, timezone
from pathlib import Path

from ..durable import commit_file, translate_os_errors
from ..errors import StorageError
from .importers import archive

Entry = tuple[str, bytes]


def folder_of(name: str | None) -> Path:
    """The folder that a person has named; without a name the current one."""
    return Path(name or ".").resolve()


def new_name() -> str:
    """A name that tells when it was written."""
    now = datetime.now(timezone.utc)
    return f"aiserver-backup-{now:%Y%m%d-%H%M%S}-{secrets.token_hex(2)}.zip"


def write(folder: Path, owners: list[str], entries: Iterable[Entry]) -> Path:
    """Write a backup into a folder. Raises StorageError."""
    target = folder / new_name()
    temp = target.with_suffix(".part")
    written: dict[str, bytes] = {}  # what each entry's bytes hash to
    with translate_os_errors():
        fd = os.open(temp, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
        try:
            with (
                os.fdopen(fd, "w+b") as file,
                zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as zipped,
            ):
                for name, data in (archive.manifest(owners), *entries):
                    zipped.writestr(name, data)
                    written[name] = hashlib.sha256(data).digest()
            _check(temp, written)
            commit_file(temp, target)
        except BaseException:
            temp.unlink(missing_ok=True)
            raise
    return target


def _check(file: Path, written: dict[str, bytes]) -> None:
    try:
        with zipfile.ZipFile(file) as zipped:
            names = zipped.namelist()
            same = sorted(names) == sorted(written) and all(
                hashlib.sha256(zipped.read(name)).digest() == written[name] for name in names
            )
    except (zipfile.BadZipFile, zlib.error, EOFError):
        same = False
    if not same:
        raise StorageError("The backup could not be verified, so nothing was deleted.")
