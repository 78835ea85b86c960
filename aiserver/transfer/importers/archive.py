"""The backup format of ``prune``: a zip with sessions, logs, blobs and their owners.

Invariant: reading a backup returns exactly what was written.

``manifest.json`` names the format and the owners; the n-th owner's files are under ``n/``, as
``sessions/<name>.json``, ``notebooks/<notebook_id>.jsonl`` and ``blobs/<sha256>``. ``parts`` reads
one entry at a time, so that an import needs only the memory of the largest entry.
"""

from __future__ import annotations

import hashlib
import json
import zipfile
import zlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import BinaryIO, NamedTuple

from ...models import NotebookLogEntry, Session, SessionKey
from ...sessions.record import codec
from ...sessions.record.codec import DamagedData
from ...sessions.record.damage.recovery import parse_with_duplicates
from ...sessions.record.filenames import log_name, log_notebook_id, session_name
from ...sessions.record.mutations import set_owner
from .base import Read, UnreadableSource, loads

FORMAT = "backup"
_MAGIC = b"PK\x03\x04"  # the first bytes of a zip file
_MANIFEST = "manifest.json"
_KIND = "aiserver-backup"
# Blobs come first, so that sessions never refer to missing blobs.
_KINDS = ("blobs", "notebooks", "sessions")
# Default limits of the unpacked size in bytes, against zip bombs. Real histories compress 5 to 50
# times.
_MIN_LIMIT = 64 << 20
_MAX_RATIO = 200
_MAX_LIMIT = 2 << 30
# Errors that zipfile raises for damaged or incomplete files.
_BROKEN: tuple[type[Exception], ...] = (
    *(zipfile.BadZipFile, zlib.error, EOFError, OSError, ValueError, RuntimeError),
)
try:
    from lzma import LZMAError
except ImportError:  # a Python built without it: zipfile raises NotImplementedError
    pass
else:
    _BROKEN = (*_BROKEN, LZMAError)
_INCOMPLETE: tuple[type[Exception], ...] = (*_BROKEN, KeyError, AttributeError)


def entries(
    sessions: Mapping[SessionKey, Session],
    logs: Mapping[tuple[str, str], Sequence[NotebookLogEntry]],
    blobs: Mapping[tuple[str, str], bytes],
) -> Iterator[tuple[str, bytes]]:
    """Yield the entries of a backup. Logs and blobs are by owner and notebook id or SHA-256."""
    owners = sorted({key.owner for key in sessions} | {owner for owner, _ in (*logs, *blobs)})
    number = {owner: index for index, owner in enumerate(owners)}
    about = {"kind": _KIND, "version": 1, "owners": owners}
    yield _MANIFEST, json.dumps(about, ensure_ascii=False, indent=2).encode("utf-8") + b"\n"
    for key, session in sessions.items():
        name = session_name(SessionKey(key.notebook_id, key.cell_id))
        yield f"{number[key.owner]}/sessions/{name}", codec.encode(session)
    for (owner, notebook_id), log in logs.items():
        lines = b"".join(codec.encode(entry, indent=None) for entry in log)
        yield f"{number[owner]}/notebooks/{log_name(notebook_id)}", lines
    for (owner, sha256), data in blobs.items():
        yield f"{number[owner]}/blobs/{sha256}", data


def is_archive(file: Path) -> bool:
    """Return whether a file is a zip. Raises OSError."""
    with file.open("rb") as head:
        return head.read(len(_MAGIC)) == _MAGIC


def parts(file: Path | BinaryIO, unpack_limit: int | None = None) -> Iterator[Read]:
    """Yield the content of each entry. Raises UnreadableSource before reading any."""
    try:
        with zipfile.ZipFile(file) as zipped:
            _check_size(zipped, unpack_limit)
            about = loads(zipped.read(_MANIFEST).decode("utf-8"))
            if about.get("kind") != _KIND or about.get("version") != 1:
                raise UnreadableSource("not an AI Server backup, or from a newer version")
            owners = about.get("owners")
            if not isinstance(owners, list) or not all(isinstance(owner, str) for owner in owners):
                raise UnreadableSource("incomplete AI Server backup")
            entries, foreign = _entries(zipped, owners)
            cells = sum(entry.kind == "sessions" for entry in entries)
            yield Read(owned=True, cells=cells, unreadable=foreign)
            for entry in entries:
                part = Read(owned=True, cells=cells)
                try:
                    _add(part, entry, zipped.read(entry.info))
                except DamagedData as exc:
                    part.unreadable.append(f"{entry.name}: {exc}")
                except _BROKEN:
                    part.unreadable.append(f"{entry.info.filename}: damaged")
                yield part
    except _INCOMPLETE as exc:
        if isinstance(exc, UnreadableSource):
            raise
        raise UnreadableSource("incomplete AI Server backup") from exc


def _check_size(zipped: zipfile.ZipFile, unpack_limit: int | None) -> None:
    """Raise UnreadableSource if the unpacked size, which zipfile enforces, is too large."""
    total = sum(info.file_size for info in zipped.infolist())
    packed = sum(info.compress_size for info in zipped.infolist())
    if total > (unpack_limit or max(_MIN_LIMIT, min(_MAX_LIMIT, _MAX_RATIO * packed))):
        raise UnreadableSource(
            f"it would unpack to {total / 1e6:,.0f} MB, {total // max(1, packed):,} times its "
            f"size; if you trust it, use --unpack-limit {total // 10**9 + 1}"
        )


class _Entry(NamedTuple):
    owner: str
    kind: str
    name: str
    info: zipfile.ZipInfo


def _entries(zipped: zipfile.ZipFile, owners: list[str]) -> tuple[list[_Entry], list[str]]:
    """Return the entries in import order, and messages about foreign files."""
    entries, foreign = [], []
    for info in zipped.infolist():
        if info.filename == _MANIFEST or info.is_dir():
            continue
        names = PurePosixPath(info.filename).parts
        is_valid = len(names) == 3 and names[0].isdecimal() and int(names[0]) < len(owners)
        if is_valid and names[1] in _KINDS:
            entries.append(_Entry(owners[int(names[0])], names[1], names[2], info))
        else:
            foreign.append(f"{info.filename}: It belongs to no backup.")
    return sorted(entries, key=lambda entry: _KINDS.index(entry.kind)), foreign


def _add(part: Read, entry: _Entry, data: bytes) -> None:
    """Add the content of an entry to ``part``. Raises Damaged, ValueError."""
    if entry.kind == "sessions":
        session = parse_with_duplicates(data)
        set_owner(session, entry.owner)
        part.sessions.append(session)
    elif entry.kind == "notebooks" and (notebook_id := log_notebook_id(entry.name)):
        part.logs[entry.owner, notebook_id] = codec.parse_log(data).entries
    elif entry.kind == "blobs" and hashlib.sha256(data).hexdigest() == entry.name:
        part.blobs.append((entry.owner, data))
    else:
        part.unreadable.append(f"{entry.name}: damaged")
