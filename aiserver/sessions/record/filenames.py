"""From ids to file names, one to one, on every file system.

What must hold:

- Two different keys never share a file, not even where case or Unicode forms are folded: a name
  holds only ``a-z 0-9 - ~`` and the separator ``_``, and each other character is ``~`` and two
  hex digits of its UTF-8.
- A name is at most 241 bytes, so that what is put behind it (``.corrupt-12``, a temp file's
  suffix) still fits into 255.
- No name is one of Windows' devices (``nul.jsonl``), which take what is written and keep nothing.
- No id can leave the folder: ``/``, ``.`` and NUL are never in the part that comes from an id.
"""

from __future__ import annotations

import hashlib
import re
from functools import lru_cache

from ...errors import InvalidRequest
from ...models import ID_PATTERN, SessionKey

MAX_NAME = 200
SESSION_SUFFIX = ".json"
LOG_SUFFIX = ".jsonl"
_HEAD = MAX_NAME - len(SESSION_SUFFIX) - len("~~") - 64  # what a hashed name keeps

_ID = re.compile(ID_PATTERN)
_OTHER = re.compile(rb"[^a-z0-9-]")
_ESCAPE = re.compile(r"~([0-9a-f]{2})")
_DEVICE = re.compile(r"con|prn|aux|nul|com[0-9]|lpt[0-9]")
_SHA256 = re.compile(r"[0-9a-f]{64}")
_SESSION_FILE = re.compile(r"[a-z0-9~-]+(_|~~)[a-z0-9~_-]+\.json")


def encode(text: str) -> str:
    """Lower-case letters, digits and ``-`` as they are, each other byte as ``~`` and hex."""
    data = text.encode("utf-8", "surrogatepass")
    return _OTHER.sub(lambda match: b"~%02x" % match[0][0], data).decode("ascii")


def decode(name: str) -> str:
    """What ``encode`` was given. For names of ids, which are ASCII."""
    return _ESCAPE.sub(lambda match: chr(int(match[1], 16)), name)


@lru_cache(4096)
def session_name(key: SessionKey) -> str:
    """The file name of a session."""
    name = f"{encode(key.notebook_id)}_{encode(key.cell_id)}{_owner(key.owner)}{SESSION_SUFFIX}"
    return name if len(name) <= MAX_NAME else _hashed(name)


def session_key(name: str) -> SessionKey | None:
    """The key of a session of nobody in particular, as far as its file's name can tell."""
    return key_of(name)


def key_of(name: str, owner: str = "") -> SessionKey | None:
    """The key of an owner's session, as far as its file's name can tell; None if it's another's."""
    stem = name.removesuffix(SESSION_SUFFIX)
    parts = stem.removesuffix(_owner(owner)).split("_")
    if len(parts) != 2 or not all(_ID.fullmatch(decode(part)) for part in parts):
        return None
    key = SessionKey(decode(parts[0]), decode(parts[1]), owner)
    return key if session_name(key) == name else None


def is_session_name(name: str) -> bool:
    """Whether a file of this name may be a session. (The truth is in its ``meta``.)"""
    return _SESSION_FILE.fullmatch(name) is not None


def may_belong_to(name: str, notebook_id: str) -> bool:
    """Whether a session file of this name may be one of a notebook's."""
    prefix = encode(notebook_id) + "_"
    return name.startswith(prefix) or ("~~" in name and name.startswith(prefix[:_HEAD]))


def log_name(notebook_id: str, owner: str = "") -> str:
    """The file name of a notebook's log."""
    stem = encode(notebook_id) + _owner(owner)
    if _DEVICE.fullmatch(stem):
        stem = f"~{ord(stem[0]):02x}{stem[1:]}"
    return stem + LOG_SUFFIX


def log_notebook_id(name: str, owner: str = "") -> str | None:
    """The notebook whose log has this file name, or None if it is none of this owner's."""
    suffix = _owner(owner) + LOG_SUFFIX
    if not name.endswith(suffix):
        return None
    stem = name[: -len(suffix)]
    notebook_id = decode(stem)
    if log_name(notebook_id, owner) != name or not _ID.fullmatch(notebook_id):
        return None
    return notebook_id


def blob_name(sha256: str, owner: str = "") -> str:
    """The file name of a blob, within the folder named by the hash's first two digits."""
    return sha256 + _owner(owner)


def is_sha256(text: str) -> bool:
    """Whether this is a SHA-256 in lower-case hex."""
    return _SHA256.fullmatch(text) is not None


def check_sha256(text: str) -> str:
    """Return a SHA-256 in lower-case hex as it is, or raise InvalidRequest."""
    if not is_sha256(text):
        raise InvalidRequest("sha256: must be 64 lower-case hex digits")
    return text


def blob_sha256(name: str, owner: str = "") -> str | None:
    """The hash of the blob whose file has this name, or None if it is none of this owner's."""
    digest = name[:64]
    return digest if is_sha256(digest) and blob_name(digest, owner) == name else None


def _owner(owner: str) -> str:
    # Any text may name an owner, so only a hash keeps within the length. Most have none.
    if not owner:
        return ""
    return "_" + hashlib.sha256(owner.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def _hashed(name: str) -> str:
    # This can't be another's plain name: behind `~` a plain one has two hex digits.
    digest = hashlib.sha256(name.encode("ascii")).hexdigest()
    return f"{name[:_HEAD]}~~{digest}{SESSION_SUFFIX}"
