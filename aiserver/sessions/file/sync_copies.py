"""Copies of our files that a cloud sync or a restore left beside them, by their names. Pure.

Such a copy may hold records that the file itself lacks: ``x (1).json``, ``x 2.json``,
``x-HOST.json``, ``x (Alice's conflicted copy 2026-11-23).json``, ``X.JSON``,
``x.sync-conflict-20261123-101112-ABCDEF.json``. A session
says whose and which cell's it is; of a log only the name tells.
"""

from __future__ import annotations

import re
from collections.abc import Collection

from ...models import SessionKey
from ..record.filenames import (
    LOG_SUFFIX,
    SESSION_SUFFIX,
    is_session_name,
    log_name,
    log_notebook_id,
    session_name,
)
from ..record.legacy_format import find_ids, legacy_name

_OWNER = re.compile(r"_[0-9a-f]{32}(?=\.json$)")
_NAME = re.compile(r"[a-z0-9~_-]+")


def may_be_session(name: str) -> bool:
    """Whether a file may hold a session, whatever gave it its name."""
    return name.lower().endswith(SESSION_SUFFIX)


def find_session_copies(names: Collection[str]) -> list[str]:
    """The names that a sync or a restore may have made of a session file's."""
    there = set(names)
    return sorted(
        name
        for name in names
        if may_be_session(name) and (not is_session_name(name) or _has_shorter(name, there))
    )


def is_copy(name: str, data: bytes) -> bool:
    """Whether one of ``copied_sessions``, which begins with these bytes, has another's name."""
    ids = find_ids(data)
    if ids is None or "~~" in name:
        return False
    return name != legacy_name(*ids) and _OWNER.sub("", name) != session_name(SessionKey(*ids))


def copied_notebook_id(name: str, logs: Collection[str], owner: str = "") -> str | None:
    """The notebook of whose log a file is a copy; None if it is a log itself, or none at all.

    ``logs``: the notebooks whose logs are there.
    """
    if not name.lower().endswith(LOG_SUFFIX) or log_notebook_id(name, owner):
        return None
    lower = name.lower()
    stems = {log_name(one, owner).removesuffix(LOG_SUFFIX): one for one in logs}
    fitting = [stem for stem in stems if re.match(re.escape(stem) + r"[^a-z0-9~_]", lower)]
    if fitting:
        return stems[max(fitting, key=len)]
    match = _NAME.match(lower)
    return log_notebook_id(match[0] + LOG_SUFFIX, owner) if match else None


def shorter_logs(notebook_id: str, logs: Collection[str]) -> list[str]:
    """The notebooks of whose log this notebook's may be a copy, for all that its name tells."""
    shorter = (notebook_id[: match.start()] for match in re.finditer("-", notebook_id))
    return [one for one in shorter if one in logs]


def _has_shorter(name: str, there: Collection[str]) -> bool:
    """Whether a file is there of which this may be the copy of a machine: ``x-host.json``."""
    stem = name.removesuffix(SESSION_SUFFIX)
    places = (match.start() for match in re.finditer("-", stem))
    return any(stem[:place] + SESSION_SUFFIX in there for place in places)
