"""The format of the backups that ``sessions prune`` writes: a zip of sessions, logs and blobs.

``manifest.json`` names the format and lists the owners. The data of owner number ``n``, from 0, is
in ``n/sessions/<name>.json``, ``n/notebooks/<name>.jsonl`` and ``n/blobs/<sha256>``. ``<name>`` is
that of a file store without owners, without its suffix.

Invariants: when ``write`` returns, the backup is synced to disk, and was verified by reading it
back. Only the user who runs the command can read it. ``read_members`` reads one member at a time.
"""

from __future__ import annotations

import hashlib
import json
import os
import secrets
import zipfile
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timezone
from pathlib import Path, PurePosixPath
from typing import BinaryIO, NamedTuple

from ...durable import commit_file, open_zip_member, translate_os_errors
from ...errors import StorageError
from ...models import NotebookLogEntry, Session, SessionKey
from ...sessions.record import codec
from ...sessions.record.codec import DamagedData
from ...sessions.record.filenames import log_name, log_notebook_id, session_name
from ...sessions.record.mutations import set_owner
from ...sessions.record.recovery import parse_with_duplicate_keys
from .importers.base import ReadResult, UnreadableInput, loads

FORMAT = "backup"
_ZIP_SIGNATURE = b"PK\x03\x04"
_MANIFEST = "manifest.json"
_ARCHIVE_KIND = "aiserver-backup"
# In this order, they are imported, so that sessions never refer to missing blobs.
_MEMBER_KINDS = ("blobs", "notebooks", "sessions")
# Limits against zip bombs. Unless the person sets another limit, the unpacked size must exceed
# neither `_MAX_RATIO` times the packed size (5 to 50 for real histories) nor `_MAX_LIMIT` bytes; up
# to `_ALWAYS_ALLOWED` bytes are always accepted.
_ALWAYS_ALLOWED = 64 << 20
_MAX_RATIO = 200
_MAX_LIMIT = 2 << 30


def members(
    sessions: Mapping[SessionKey, Session],
    logs: Mapping[tuple[str, str], Sequence[NotebookLogEntry]],
    blobs: Mapping[tuple[str, str], bytes],
) -> Iterator[tuple[str, bytes]]:
    """Yield each member's name and content.

    Logs are by owner and notebook id, blobs by owner and SHA-256.
    """
    owners = sorted({key.owner for key in sessions} | {owner for owner, _ in (*logs, *blobs)})
    number_by_owner = {owner: number for number, owner in enumerate(owners)}
    manifest = {"kind": _ARCHIVE_KIND, "version": 1, "owners": owners}
    yield _MANIFEST, json.dumps(manifest, ensure_ascii=False, indent=2).encode("utf-8") + b"\n"
    for key, session in sessions.items():
        name = session_name(SessionKey(key.notebook_id, key.cell_id))
        yield f"{number_by_owner[key.owner]}/sessions/{name}", codec.encode(session)
    for (owner, notebook_id), log in logs.items():
        lines = b"".join(codec.encode(entry, indent=None) for entry in log)
        yield f"{number_by_owner[owner]}/notebooks/{log_name(notebook_id)}", lines
    for (owner, sha256), data in blobs.items():
        yield f"{number_by_owner[owner]}/blobs/{sha256}", data


def is_archive(file: Path) -> bool:
    """Return whether a file is a zip. Raises OSError."""
    with file.open("rb") as content:
        return content.read(len(_ZIP_SIGNATURE)) == _ZIP_SIGNATURE


def read_members(file: Path | BinaryIO, unpack_limit: int | None = None) -> Iterator[ReadResult]:
    """Yield a result with the problems of the whole backup, then one for each member.

    ``unpack_limit`` is the accepted unpacked size in bytes; by default, it depends on the packed
    size. Raises UnreadableInput, before the first result, for a backup that is too large or has no
    valid manifest.
    """
    try:
        with zipfile.ZipFile(file) as zipped:
            _check_size(zipped, unpack_limit)
            manifest = loads(_read(zipped, zipped.getinfo(_MANIFEST)).decode("utf-8"))
            if manifest.get("kind") != _ARCHIVE_KIND or manifest.get("version") != 1:
                raise UnreadableInput("not an AI Server backup, or from a newer version")
            owners = manifest.get("owners")
            if not isinstance(owners, list) or not all(isinstance(owner, str) for owner in owners):
                raise UnreadableInput("incomplete AI Server backup")
            members, problems = _list_members(zipped, owners)
            count = sum(member.kind == "sessions" for member in members)
            yield ReadResult(keeps_owners=True, session_count=count, unreadable=problems)
            for member in members:
                result = ReadResult(keeps_owners=True, session_count=count)
                try:
                    _add_member(result, member, _read(zipped, member.info))
                except DamagedData as exc:
                    result.unreadable.append(f"{member.name}: {exc}")
                except Exception:  # zipfile raises the errors of several libraries
                    result.unreadable.append(f"{member.info.filename}: damaged")
                yield result
    except UnreadableInput:
        raise
    except Exception as exc:  # also without a valid manifest
        raise UnreadableInput("incomplete AI Server backup") from exc


def _check_size(zipped: zipfile.ZipFile, unpack_limit: int | None) -> None:
    """Raise UnreadableInput if the declared size is too large.

    If the size is declared too small, ``_read`` unpacks no more than that.
    """
    unpacked = sum(info.file_size for info in zipped.infolist())
    packed = sum(info.compress_size for info in zipped.infolist())
    if unpacked > (unpack_limit or max(_ALWAYS_ALLOWED, min(_MAX_LIMIT, _MAX_RATIO * packed))):
        raise UnreadableInput(
            f"it would unpack to {unpacked / 1e6:,.0f} MB, {unpacked // max(1, packed):,} times "
            f"its size; if you trust it, use --unpack-limit {unpacked // 10**9 + 1}"
        )


def _read(zipped: zipfile.ZipFile, info: zipfile.ZipInfo) -> bytes:
    with open_zip_member(zipped, info) as file:
        return file.read(info.file_size)


class _Member(NamedTuple):
    owner: str
    kind: str
    name: str
    info: zipfile.ZipInfo


def _list_members(zipped: zipfile.ZipFile, owners: list[str]) -> tuple[list[_Member], list[str]]:
    """Return the members, and a message about each unexpected one."""
    members, problems = [], []
    for info in zipped.infolist():
        if info.filename == _MANIFEST or info.is_dir():
            continue
        names = PurePosixPath(info.filename).parts
        is_valid = len(names) == 3 and names[0].isdecimal() and int(names[0]) < len(owners)
        if is_valid and names[1] in _MEMBER_KINDS:
            members.append(_Member(owners[int(names[0])], names[1], names[2], info))
        else:
            problems.append(f"{info.filename}: This file doesn't belong in a backup.")
    return sorted(members, key=lambda member: _MEMBER_KINDS.index(member.kind)), problems


def _add_member(result: ReadResult, member: _Member, data: bytes) -> None:
    if member.kind == "sessions":
        session = parse_with_duplicate_keys(data)
        set_owner(session, member.owner)
        result.sessions.append(session)
    elif member.kind == "notebooks" and (notebook_id := log_notebook_id(member.name)):
        result.logs[member.owner, notebook_id] = codec.parse_log(data).entries
    elif member.kind == "blobs" and hashlib.sha256(data).hexdigest() == member.name:
        result.blobs.append((member.owner, data))
    else:
        result.unreadable.append(f"{member.name}: damaged")


def write(folder: Path, members: Iterable[tuple[str, bytes]]) -> Path:
    """Write a zip file into ``folder``, and return its path. Raises StorageError."""
    now = datetime.now(timezone.utc)
    target = folder / f"aiserver-backup-{now:%Y%m%d-%H%M%S}-{secrets.token_hex(2)}.zip"
    temp = target.with_suffix(".part")
    names: list[str] = []
    with translate_os_errors():
        fd = os.open(temp, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
        try:
            with (
                os.fdopen(fd, "w+b") as file,
                zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as zipped,
            ):
                for name, data in members:
                    zipped.writestr(name, data)
                    names.append(name)
            _verify(temp, names)
            commit_file(temp, target)
        except BaseException:
            temp.unlink(missing_ok=True)
            raise
    return target


def _verify(file: Path, names: list[str]) -> None:
    """Raise StorageError unless the zip has exactly these members, undamaged."""
    try:
        with zipfile.ZipFile(file) as zipped:
            is_complete = zipped.namelist() == names and zipped.testzip() is None
    except (zipfile.BadZipFile, zlib.error, EOFError):
        is_complete = False
    if not is_complete:
        raise StorageError("The backup could not be verified, so nothing was deleted.")
