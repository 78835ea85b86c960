"""Map ids to file names, one to one, on every file system, and find ids in files.

A legacy file is called ``<notebook_id>_<cell_id>.json``, without escapes. Ids may contain ``_``, so
its content decides to which cell it belongs.

Invariants:

- The files of different sessions, logs and blobs never have the same name, even if the file system
  ignores case or normalizes Unicode. So a name, before its suffix, consists only of ``a-z 0-9 - ~``
  and the separator ``_``. Any other byte of an id's UTF-8 encoding is escaped as ``~`` and two hex
  digits: ``A_b`` -> ``~41~5fb``.
- A name has at most 231 bytes, so that with ``.corrupt-12`` or the suffix of a temp file, it fits
  into the usual limit of 255 bytes.
- No name is that of a Windows device, such as ``nul.jsonl``, to which data would be lost.
- The part of a name that comes from an id never contains ``/``, ``.`` or NUL.
"""

from __future__ import annotations

import hashlib
import re
from functools import lru_cache

from ...errors.base import InvalidField
from ...models import SessionKey, is_id

_MAX_SESSION_NAME_LENGTH = 200
SESSION_SUFFIX = ".json"
LOG_SUFFIX = ".jsonl"
_HASHED_PREFIX_LENGTH = _MAX_SESSION_NAME_LENGTH - len(SESSION_SUFFIX) - len("~~") - 64
"""A session name that is too long is cut to this length, and a hash is appended."""

_ESCAPED_BYTE = re.compile(rb"[^a-z0-9-]")
_ESCAPE_SEQUENCE = re.compile(r"~([0-9a-f]{2})")
_WINDOWS_DEVICE = re.compile(r"con|prn|aux|nul|com[0-9]|lpt[0-9]")
_SHA256 = re.compile(r"[0-9a-f]{64}")
_LEGACY_FILE = re.compile(r"[A-Za-z0-9_-]{1,64}_[A-Za-z0-9_-]{1,64}\.json")
_ID_FIELD = re.compile(rb'"(notebook_id|cell_id)"\s{0,20}:\s{0,20}"([A-Za-z0-9_-]{1,64})"')
_SESSION_FILE = re.compile(r"[a-z0-9~-]+(_|~~)[a-z0-9~_-]+\.json")


def encode(text: str) -> str:
    """Escape an id for a file name."""
    data = text.encode("utf-8", "surrogatepass")
    return _ESCAPED_BYTE.sub(lambda match: b"~%02x" % match[0][0], data).decode("ascii")


def decode(name: str) -> str:
    """Reverse ``encode`` for an id, which is ASCII."""
    return _ESCAPE_SEQUENCE.sub(lambda match: chr(int(match[1], 16)), name)


@lru_cache(4096)
def session_name(key: SessionKey) -> str:
    """Return the file name of a session."""
    stem = f"{encode(key.notebook_id)}_{encode(key.cell_id)}{_owner_suffix(key.owner)}"
    name = stem + SESSION_SUFFIX
    return name if len(name) <= _MAX_SESSION_NAME_LENGTH else _hash_name(name)


@lru_cache(50_000)
def parse_session_name(name: str, owner: str = "") -> SessionKey | None:
    """Reverse ``session_name``; None if that is impossible."""
    stem = name.removesuffix(SESSION_SUFFIX)
    ids = [decode(text) for text in stem.removesuffix(_owner_suffix(owner)).split("_")]
    if len(ids) != 2 or not all(map(is_id, ids)):
        return None
    key = SessionKey(ids[0], ids[1], owner)
    return key if session_name(key) == name else None


def is_session_name(name: str) -> bool:
    """Return whether a name has the form of a session file's."""
    return _SESSION_FILE.fullmatch(name) is not None


def legacy_name(notebook_id: str, cell_id: str) -> str:
    """Return the legacy file name of a cell."""
    return f"{notebook_id}_{cell_id}.json"


def is_legacy_name(name: str) -> bool:
    """Return whether a file of this name may be a legacy file."""
    return _LEGACY_FILE.fullmatch(name) is not None


def find_ids(data: bytes) -> tuple[str, str] | None:
    """Return the first notebook id and cell id in a file, damaged or not, or None."""
    ids: dict[bytes, str] = {}
    for match in _ID_FIELD.finditer(data):
        ids.setdefault(match[1], match[2].decode("ascii"))
        if len(ids) == 2:
            return ids[b"notebook_id"], ids[b"cell_id"]
    return None


def session_prefix(notebook_id: str) -> str:
    """Return how the names of a notebook's session files begin."""
    return f"{encode(notebook_id)}_"[:_HASHED_PREFIX_LENGTH]


def log_name(notebook_id: str, owner: str = "") -> str:
    """Return the file name of a notebook's change log."""
    stem = encode(notebook_id) + _owner_suffix(owner)
    if _WINDOWS_DEVICE.fullmatch(stem):
        stem = f"~{ord(stem[0]):02x}{stem[1:]}"
    return stem + LOG_SUFFIX


def log_notebook_id(name: str, owner: str = "") -> str | None:
    """Reverse ``log_name``; None for other names."""
    suffix = _owner_suffix(owner) + LOG_SUFFIX
    if not name.endswith(suffix):
        return None
    stem = name[: -len(suffix)]
    notebook_id = decode(stem)
    if log_name(notebook_id, owner) != name or not is_id(notebook_id):
        return None
    return notebook_id


def blob_name(sha256: str, owner: str = "") -> str:
    """Return the file name of a blob, without its folder."""
    return sha256 + _owner_suffix(owner)


def check_sha256(text: str) -> str:
    """Return ``text`` if it is a SHA-256 in lower-case hex, else raise InvalidRequest."""
    if not _SHA256.fullmatch(text):
        raise InvalidField("sha256", "must be 64 lower-case hex digits")
    return text


def blob_sha256(name: str, owner: str = "") -> str | None:
    """Reverse ``blob_name``; None for other names."""
    digest = name[:64]
    return digest if _SHA256.fullmatch(digest) and blob_name(digest, owner) == name else None


def _owner_suffix(owner: str) -> str:
    # Hashed, because a name can have any length.
    if not owner:
        return ""
    return "_" + hashlib.sha256(owner.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def _hash_name(name: str) -> str:
    # In other names, two hex digits follow each `~`. So only a name with a hash contains `~~`.
    digest = hashlib.sha256(name.encode("ascii")).hexdigest()
    return f"{name[:_HASHED_PREFIX_LENGTH]}~~{digest}{SESSION_SUFFIX}"
