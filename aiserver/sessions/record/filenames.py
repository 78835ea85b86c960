"""Map ids to file names, one to one, on every file system.

Invariants:

- Different keys never share a file, not even where case or Unicode forms are folded: a name
  consists of ``a-z 0-9 - ~`` and the separator ``_``; any other byte of the UTF-8 encoding is
  escaped as ``~`` and two hex digits.
- A name has at most 241 bytes, so it fits into 255 with a suffix (``.corrupt-12``, a temp file's).
- No name is that of a Windows device (``nul.jsonl``), which discards what is written.
- No id escapes from the folder: the part derived from an id never contains ``/``, ``.`` or NUL.
"""

from __future__ import annotations

import hashlib
import re
from functools import lru_cache

from ...errors import InvalidField
from ...models import SessionKey, is_id

MAX_NAME = 200
SESSION_SUFFIX = ".json"
LOG_SUFFIX = ".jsonl"
_HASHED_PREFIX_LENGTH = (
    MAX_NAME - len(SESSION_SUFFIX) - len("~~") - 64
)  # the part of a long name before its hash

_ESCAPED_BYTE = re.compile(rb"[^a-z0-9-]")
_ESCAPE_SEQUENCE = re.compile(r"~([0-9a-f]{2})")
_WINDOWS_DEVICE = re.compile(r"con|prn|aux|nul|com[0-9]|lpt[0-9]")
_SHA256 = re.compile(r"[0-9a-f]{64}")
_SESSION_FILE = re.compile(r"[a-z0-9~-]+(_|~~)[a-z0-9~_-]+\.json")


def encode(text: str) -> str:
    """Escape all bytes except lower-case letters, digits and ``-`` as ``~`` and two hex digits."""
    data = text.encode("utf-8", "surrogatepass")
    return _ESCAPED_BYTE.sub(lambda match: b"~%02x" % match[0][0], data).decode("ascii")


def decode(name: str) -> str:
    """Reverse ``encode`` for the names of ids, which only contain ASCII characters."""
    return _ESCAPE_SEQUENCE.sub(lambda match: chr(int(match[1], 16)), name)


@lru_cache(4096)
def session_name(key: SessionKey) -> str:
    """Return the file name of a session."""
    stem = f"{encode(key.notebook_id)}_{encode(key.cell_id)}{_owner_suffix(key.owner)}"
    name = stem + SESSION_SUFFIX
    return name if len(name) <= MAX_NAME else _hash_name(name)


@lru_cache(50_000)
def parse_session_name(name: str, owner: str = "") -> SessionKey | None:
    """Return the key of an owner's session file, or None if the name doesn't determine it."""
    stem = name.removesuffix(SESSION_SUFFIX)
    parts = stem.removesuffix(_owner_suffix(owner)).split("_")
    if len(parts) != 2 or not all(is_id(decode(part)) for part in parts):
        return None
    key = SessionKey(decode(parts[0]), decode(parts[1]), owner)
    return key if session_name(key) == name else None


def is_session_name(name: str) -> bool:
    """Return whether a file of this name may be a session, as far as the name shows."""
    return _SESSION_FILE.fullmatch(name) is not None


def session_prefix(notebook_id: str) -> str:
    """Return the beginning of the names of a notebook's session files."""
    return f"{encode(notebook_id)}_"[:_HASHED_PREFIX_LENGTH]


def log_name(notebook_id: str, owner: str = "") -> str:
    """Return the file name of a notebook's change log."""
    stem = encode(notebook_id) + _owner_suffix(owner)
    if _WINDOWS_DEVICE.fullmatch(stem):
        stem = f"~{ord(stem[0]):02x}{stem[1:]}"
    return stem + LOG_SUFFIX


def log_notebook_id(name: str, owner: str = "") -> str | None:
    """Return the id of the notebook whose log has this file name; None if the owner has none."""
    suffix = _owner_suffix(owner) + LOG_SUFFIX
    if not name.endswith(suffix):
        return None
    stem = name[: -len(suffix)]
    notebook_id = decode(stem)
    if log_name(notebook_id, owner) != name or not is_id(notebook_id):
        return None
    return notebook_id


def blob_name(sha256: str, owner: str = "") -> str:
    """Return the file name of a blob, in the folder named by the first two digits of its hash."""
    return sha256 + _owner_suffix(owner)


def check_sha256(text: str) -> str:
    """Return ``text`` if it is a SHA-256 in lower-case hex, else raise InvalidRequest."""
    if not _SHA256.fullmatch(text):
        raise InvalidField("sha256", "must be 64 lower-case hex digits")
    return text


def blob_sha256(name: str, owner: str = "") -> str | None:
    """Return the hash of the blob with this file name, or None if it isn't a blob of the owner."""
    digest = name[:64]
    return digest if _SHA256.fullmatch(digest) and blob_name(digest, owner) == name else None


def _owner_suffix(owner: str) -> str:
    # An owner's name can be of any length, so it is hashed. Most keys have no owner.
    if not owner:
        return ""
    return "_" + hashlib.sha256(owner.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def _hash_name(name: str) -> str:
    # Never equals a name that isn't hashed, because there two hex digits follow each `~`.
    digest = hashlib.sha256(name.encode("ascii")).hexdigest()
    return f"{name[:_HASHED_PREFIX_LENGTH]}~~{digest}{SESSION_SUFFIX}"
