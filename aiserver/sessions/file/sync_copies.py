"""Recognise the copies that other programs make of session files and logs.

A cloud sync or a restored backup creates copies beside ``x.json``: ``x (1).json``,
``x 2.json``, ``x-HOST.json``, ``x (Alice's conflicted copy 2026-11-23).json``, ``X.JSON``. A copy
may have records that the original lacks. There is one rule: the content decides to which file a
copy belongs.

- A session file contains the ids of its cell and notebook. It is a copy if its name isn't the name
  for these ids.
- A log doesn't contain the notebook's id. It is a copy of another log if both have the same first
  line and its name begins with the name of the other log, in any case.
"""

from __future__ import annotations

from collections.abc import Callable, Collection

from ...models import SessionKey
from ..record import codec
from ..record.filenames import LOG_SUFFIX, SESSION_SUFFIX, log_name, session_name
from ..record.legacy_format import find_ids, legacy_name


def may_be_session(name: str) -> bool:
    """Return whether a file of this name may contain a session or a copy of a session."""
    return name.lower().endswith(SESSION_SUFFIX)


def is_copy(name: str, data: bytes) -> bool:
    """Return whether a session's file without an owner is a copy.

    ``data`` is the beginning of the file, which contains the ids of the cell and its notebook.
    """
    ids = find_ids(data) if may_be_session(name) else None
    # The name of a session with an owner contains a hash of the owner, who is unknown here.
    if ids is None or "~~" in name:
        return False
    correct_name = session_name(SessionKey(*ids))
    stem = correct_name.removesuffix(SESSION_SUFFIX)
    has_owner = len(name) == len(correct_name) + 33 and name.startswith(f"{stem}_")
    return name not in (legacy_name(*ids), correct_name) and not has_owner


def copied_notebook_id(
    name: str, logs: Collection[str], read: Callable[[str], bytes], owner: str = ""
) -> str | None:
    """Return the id of the notebook of whose log the file ``name`` is a copy, or None.

    ``logs`` are the ids of the owner's notebooks that have logs. ``read`` returns the bytes of a
    file in the folder of logs.
    """
    lower = name.lower()
    if not lower.endswith(LOG_SUFFIX):
        return None
    originals = {log_name(id_, owner): id_ for id_ in logs}
    for original in sorted(originals.keys() - {name}, key=len, reverse=True):
        stem = original.removesuffix(LOG_SUFFIX)
        is_extended = lower.startswith(stem) and len(lower) > len(original)
        if (is_extended or lower == original) and _first_line(read(name)) == _first_line(
            read(original)
        ):
            return originals[original]
    return None


def _first_line(data: bytes) -> bytes:
    return codec.log_text(data).partition(b"\n")[0] or b"\0"
