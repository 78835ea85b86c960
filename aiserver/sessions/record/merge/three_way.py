"""Merge session files and change logs of two git branches, for the merge driver. Pure.

Invariants:

- Each turn, event and log entry of either side is in the result once. The records and entries of
  our side keep their numbers and order. They are followed by the records and entries that our side
  lacks, in the order of the other side and with new numbers.
- A record that both sides have, for example after a cherry-pick, is recognised by its content.
- References to records stay valid. A reference inside a session gets the new number. A log entry,
  or an event in another cell's session, keeps the old number. The id of the merge is added to the
  field ``merged`` of this entry or event, so that a reader can find the new number (see
  ``merged_numbers.py``).
- Merging the same side again adds no turn, event or entry. It can only add the new merge's id.
- Unreadable data raises DamagedData and is never merged.
"""

from __future__ import annotations

from typing import Any

from ....models import NotebookLogEntry, Session
from .. import codec
from ..codec import DamagedData
from ..mutations import check_writable, number_entries
from .logs import missing_entries
from .sessions import merge_into

_MAX_MERGE_PATHS = 8  # if an entry has more merge paths, only the first ones are stored
_META_SET_BY_MERGE = ("revision", "last_updated", "merged")  # keys of meta that ``merge_into`` sets


def merge_sessions(base: bytes, ours: bytes, theirs: bytes, merge_id: str) -> bytes:
    """Return the bytes of the merged session. Raises DamagedData, SessionTooNew.

    ``base`` is the session in the common ancestor of both sides. It is empty if the ancestor has no
    session.
    """
    our_session, their_session = codec.parse(ours), codec.parse(theirs)
    base_session = codec.parse(base) if base.strip() else None
    for session in (our_session, their_session, *([base_session] if base_session else [])):
        check_writable(session.meta, None)
    if _cell_key(our_session) != _cell_key(their_session):
        raise DamagedData("the sides belong to different cells")
    old_bytes = codec.encode(our_session)
    revision = max(our_session.revision, their_session.revision)
    _merge_other_keys(our_session, their_session, base_session)
    merge_into(our_session, their_session, merge_id=merge_id)
    if codec.encode(our_session) == old_bytes:
        return ours
    our_session.meta.revision = revision + 1
    return codec.encode(our_session)


def merge_logs(ours: bytes, theirs: bytes, merge_id: str) -> bytes:
    """Return the bytes of a merged change log. Raises DamagedData if a side has damaged lines."""
    our_log, their_log = codec.parse_log(ours), codec.parse_log(theirs)
    if our_log.damaged_count or their_log.damaged_count:
        raise DamagedData("the log has damaged lines")
    their_entries = {codec.entry_content(entry): entry for entry in their_log.entries}
    is_changed = False
    for entry in our_log.entries:
        their_entry = their_entries.get(codec.entry_content(entry))
        if their_entry is not None:
            is_changed |= _add_merge_paths(entry, their_entry, merge_id)
    missing = [
        entry.model_copy(update={"merged": [[*path, merge_id] for path in entry.merged or [[]]]})
        for entry in missing_entries(our_log.entries, their_log.entries)
    ]
    if not (is_changed or missing):
        return ours
    merged = [*our_log.entries, *number_entries(our_log.entries, missing)]
    return b"".join(codec.encode(entry, indent=None) for entry in merged)


def _add_merge_paths(ours: NotebookLogEntry, theirs: NotebookLogEntry, merge_id: str) -> bool:
    """Add the merge paths of their copy of an entry to ours; return whether there are new paths.

    A merge path (``merged_numbers.py``) is the list of the merges that an entry went through. Git
    may have taken a session from their side. That session went through the merges of their copy of
    the entry, so the paths of their copy are needed, too.
    """
    paths = ours.merged or [[]]
    new_paths = [[*path, merge_id] for path in theirs.merged or [[]] if path not in paths]
    if new_paths:
        ours.merged = [*paths, *new_paths][:_MAX_MERGE_PATHS]
    return bool(new_paths)


def _cell_key(session: Session) -> tuple[str, str, str]:
    meta = session.meta
    return meta.notebook_id, meta.cell_id, meta.owner or ""


def _merge_other_keys(ours: Session, theirs: Session, base: Session | None) -> None:
    """Merge everything except turns and events: the meta and the unknown keys."""
    base_keys: dict[str, Any] = codec.to_dict(base) if base else {}
    our_keys, their_keys = codec.to_dict(ours), codec.to_dict(theirs)
    our_meta, their_meta = our_keys["meta"], their_keys["meta"]
    meta = _merge_keys(base_keys.get("meta") or {}, our_meta, their_meta)
    for name in _META_SET_BY_MERGE:
        meta.pop(name, None)
        if name in our_meta:
            meta[name] = our_meta[name]
    parents = [*(our_meta.get("parents") or []), *(their_meta.get("parents") or [])]
    if parents:
        meta["parents"] = [
            parent for index, parent in enumerate(parents) if parent not in parents[:index]
        ]
    ours.meta = type(ours.meta).model_validate(meta)
    merged_keys = _merge_keys(base_keys, our_keys, their_keys)
    for name in merged_keys.keys() - set(codec.SESSION_KEYS):
        setattr(ours, name, merged_keys[name])


def _merge_keys(
    base: dict[str, Any], ours: dict[str, Any], theirs: dict[str, Any]
) -> dict[str, Any]:
    """Merge the keys of both sides. Use our value if our side changed it, otherwise theirs.

    A key that only one side has keeps its value. So a key that only one side removed stays.
    """
    result = dict(ours)
    for name, value in theirs.items():
        has_our_change = name in ours and (name not in base or ours[name] != base[name])
        if not has_our_change:
            result[name] = value
    return result
