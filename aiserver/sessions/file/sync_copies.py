"""Recognise copies of our files that a cloud sync or a restore created, by their names. Pure.

Such a copy may have records that the original lacks: ``x (1).json``, ``x 2.json``, ``x-HOST.json``,
``x (Alice's conflicted copy 2026-11-23).json``, ``X.JSON``,
``x.sync-conflict-20261123-101112-ABCDEF.json``. A session contains its ids and owner; a log is
identified by its name only.
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

_OWNER = re.compile(r"_[0-9a-f]{32}(?=\.json$)")
_NAME = re.compile(r"[a-z0-9~_-]+")


def may_be_session(name: str) -> bool:
    """Return whether a file may contain a session, whatever program named it."""
    return name.lower().endswith(SESSION_SUFFIX)


def is_copy(name: str, data: bytes) -> bool:
    """Return whether a session file is a copy: its name isn't that of the cell in its content.

    ``data``: the beginning of the file.
    """
    ids = find_ids(data) if may_be_session(name) else None
    if ids is None or "~~" in name:  # a hashed name
        return False
    return name != legacy_name(*ids) and _OWNER.sub("", name) != session_name(SessionKey(*ids))


def copied_notebook_id(name: str, logs: Collection[str], owner: str = "") -> str | None:
    """Return the id of the notebook whose log was copied to a file of this name, or None.

    ``logs``: the ids of the notebooks that have logs.
    """
    if not name.lower().endswith(LOG_SUFFIX) or log_notebook_id(name, owner):
        return None
    lower = name.lower()
    stems = {log_name(id_, owner).removesuffix(LOG_SUFFIX): id_ for id_ in logs}
    matching = [stem for stem in stems if re.match(re.escape(stem) + r"[^a-z0-9~_]", lower)]
    if matching:
        return stems[max(matching, key=len)]
    match = _NAME.match(lower)
    return log_notebook_id(match[0] + LOG_SUFFIX, owner) if match else None


def possible_originals(notebook_id: str, logs: Collection[str]) -> list[str]:
    """Return the ids of the notebooks from whose logs a sync may have copied this notebook's log.

    A sync may append ``-HOST`` to the name of a copy, so a copy of the log of notebook ``x`` can
    look like the log of a notebook ``x-HOST``.
    """
    shorter_ids = (notebook_id[: match.start()] for match in re.finditer("-", notebook_id))
    return [id_ for id_ in shorter_ids if id_ in logs]
