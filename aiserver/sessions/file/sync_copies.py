"""Recognise the copies that other programs make of session files and logs. Pure.

A cloud sync or a restored backup creates copies beside ``x.json``: ``x (1).json``,
``x 2.json``, ``x-HOST.json``, ``x (Alice's conflicted copy 2026-11-23).json``, ``X.JSON``,
``x.sync-conflict-20261123-101112-ABCDEF.json``. A copy may have records that the original lacks.

The content of a session file contains the ids of its cell and notebook, and its owner. The content
of a log doesn't contain the notebook's id; only the name of the file does.
"""

from __future__ import annotations

import re
from collections.abc import Collection

from ...models import SessionKey
from ..record.filenames import (
    LOG_SUFFIX,
    SESSION_SUFFIX,
    log_name,
    log_notebook_id,
    session_name,
)
from ..record.legacy_format import find_ids, legacy_name

_OWNER_SUFFIX = re.compile(r"_[0-9a-f]{32}(?=\.json$)")
# The characters that AI Server uses in file names, before the suffix.
_STEM = re.compile(r"[a-z0-9~_-]+")


def may_be_session(name: str) -> bool:
    """Return whether a file of this name may contain a session or a copy of a session."""
    return name.lower().endswith(SESSION_SUFFIX)


def is_copy(name: str, data: bytes) -> bool:
    """Return whether a session's file is a copy: whether its name differs from the correct name.

    ``data`` is the beginning of the file, which contains the ids of the cell and its notebook.
    """
    ids = find_ids(data) if may_be_session(name) else None
    # A name with "~~" contains a hash that depends on the owner. The owner is unknown here, so the
    # name can't be compared.
    if ids is None or "~~" in name:
        return False
    return name != legacy_name(*ids) and _OWNER_SUFFIX.sub("", name) != session_name(
        SessionKey(*ids)
    )


def copied_notebook_id(name: str, logs: Collection[str], owner: str = "") -> str | None:
    """Return the id of the notebook to which a copy of a log belongs, judging by the file name.

    Return None if this is the name of a regular log, or can't be the name of a log's copy. ``logs``
    are the ids of the notebooks that have logs. The returned id may be missing from ``logs``.
    """
    if not name.lower().endswith(LOG_SUFFIX) or log_notebook_id(name, owner):
        return None
    lower = name.lower()
    stems = {log_name(id_, owner).removesuffix(LOG_SUFFIX): id_ for id_ in logs}
    matching = [stem for stem in stems if re.match(re.escape(stem) + r"[^a-z0-9~_]", lower)]
    if matching:  # several match if one notebook's id is the beginning of another notebook's id
        return stems[max(matching, key=len)]
    match = _STEM.match(lower)
    return log_notebook_id(match[0] + LOG_SUFFIX, owner) if match else None


def possible_originals(notebook_id: str, logs: Collection[str]) -> list[str]:
    """Return the ids of the notebooks whose log may be the original of this notebook's log.

    A sync may append ``-HOST`` to the name of a copy. So a copy of the log of notebook ``x`` can
    look like the log of a notebook ``x-HOST``. ``logs`` are the ids of the notebooks that have
    logs.
    """
    shorter_ids = (notebook_id[: match.start()] for match in re.finditer("-", notebook_id))
    return [id_ for id_ in shorter_ids if id_ in logs]
