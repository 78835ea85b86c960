"""The backup that ``prune`` writes: a zip with sessions, logs and blobs, and whose they are.

What must hold: what ``entries`` puts into it comes back to the letter from ``read``.

``manifest.json`` names the format and the owners; what is the n-th owner's lies under ``n/``, as
``sessions/<name>.json``, ``notebooks/<notebook_id>.jsonl`` and ``blobs/<sha256>``.
"""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from pathlib import PurePosixPath

from ...models import NotebookLogEntry, Session, SessionKey
from .. import codec
from ..codec import Damaged
from ..filenames import log_name, log_notebook_id, session_name
from ..recovery import parse_united
from ..steps import set_owner
from .base import NotUnderstood, Read, Source, loads

FORMAT = "backup"
_MANIFEST = "manifest.json"
_KIND = "aiserver-backup"
# Bytes that a backup may unpack to, unless the person says how many: all of it is read into memory,
# and a few megabytes can be made to unpack to gigabytes. Real histories shrink by 5 to 50 times.
_ALWAYS = 64 << 20
_TIMES_ITS_SIZE = 200
_MOST = 2 << 30
# What zipfile raises for bytes that are none of its own, or not whole.
_BROKEN = (zipfile.BadZipFile, zlib.error, EOFError, OSError, ValueError, RuntimeError)


def manifest(owners: Sequence[str]) -> tuple[str, bytes]:
    """The entry that names the owners."""
    about = {"kind": _KIND, "version": 1, "owners": list(owners)}
    return _MANIFEST, json.dumps(about, ensure_ascii=False, indent=2).encode("utf-8") + b"\n"


def session_entry(number: int, session: Session) -> tuple[str, bytes]:
    """The entry of a session, of the n-th owner."""
    key = SessionKey(session.meta.notebook_id, session.meta.cell_id)
    return f"{number}/sessions/{session_name(key)}", codec.encode(session)


def log_entry(number: int, notebook_id: str, log: Sequence[NotebookLogEntry]) -> tuple[str, bytes]:
    """The entry of a notebook's log."""
    lines = b"".join(codec.encode(entry, indent=None) for entry in log)
    return f"{number}/notebooks/{log_name(notebook_id)}", lines


def blob_entry(number: int, sha256: str, data: bytes) -> tuple[str, bytes]:
    """The entry of a blob."""
    return f"{number}/blobs/{sha256}", data


def read(source: Source) -> Read:
    """All that a backup holds, under its owners."""
    try:
        with zipfile.ZipFile(io.BytesIO(source.data)) as zipped:
            _check_size(zipped, source)
            about = loads(zipped.read(_MANIFEST).decode("utf-8"))
            if about.get("kind") != _KIND or about.get("version") != 1:
                raise NotUnderstood("It is no backup of AI Server, or one of a newer version.")
            return _read(zipped, [str(owner) for owner in about["owners"]])
    except (*_BROKEN, KeyError, AttributeError) as exc:
        if isinstance(exc, NotUnderstood):
            raise
        raise NotUnderstood("It is no whole backup of AI Server.") from exc


def _check_size(zipped: zipfile.ZipFile, source: Source) -> None:
    """Raise NotUnderstood for what would unpack to too much; no entry gives more than it says."""
    total = sum(info.file_size for info in zipped.infolist())
    limit = source.unpack_limit or max(_ALWAYS, min(_MOST, _TIMES_ITS_SIZE * len(source.data)))
    if total > limit:
        times = total // max(1, len(source.data))
        raise NotUnderstood(
            f"It would unpack to {total / 1e6:,.0f} MB, {times:,} times its own size. If you trust "
            f"it and have the memory, allow that by --unpack-limit {total // 10**9 + 1}."
        )


def _read(zipped: zipfile.ZipFile, owners: list[str]) -> Read:
    found = Read(owned=True)
    for owner, kind, name, data in _entries(zipped, owners, found):
        if kind == "sessions":
            try:
                session = parse_united(data)
            except Damaged as exc:
                found.not_understood.append(f"{name}: {exc}.")
                continue
            set_owner(session, owner)
            found.sessions.append(session)
        elif kind == "notebooks" and (notebook_id := log_notebook_id(name)):
            found.logs[owner, notebook_id] = codec.parse_log(data).entries
        elif kind == "blobs" and hashlib.sha256(data).hexdigest() == name:
            found.blobs.append((owner, data))
        else:
            found.not_understood.append(f"{name}: It is damaged.")
    return found


def _entries(
    zipped: zipfile.ZipFile, owners: list[str], found: Read
) -> Iterator[tuple[str, str, str, bytes]]:
    for info in zipped.infolist():
        if info.filename == _MANIFEST or info.is_dir():
            continue
        parts = PurePosixPath(info.filename).parts
        known = len(parts) == 3 and parts[0].isdecimal() and int(parts[0]) < len(owners)
        if not known:
            found.not_understood.append(f"{info.filename}: It belongs to no backup.")
            continue
        try:
            yield owners[int(parts[0])], parts[1], parts[2], zipped.read(info)
        except _BROKEN:
            found.not_understood.append(f"{info.filename}: It is damaged.")
