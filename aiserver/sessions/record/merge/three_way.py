"""Three-way merges of session files and notebook logs, as git asks for them. Pure.

Invariants:

- Each turn, event and log entry of both sides is in the result once. Our side keeps its numbers
  and order; missing records follow in the order of the other side, with new numbers.
- A record that both sides have, such as a cherry-picked one, is recognised by its content.
- References stay valid: turn ids and ``from_seq`` are renumbered. References from other files
  (a log entry, an event of another cell) carry the merge's id in ``merged``, so that a reader can
  map the old number (``renumbering.py``).
- Merging is idempotent. Unreadable data raises DamagedData and is never merged.
"""

from __future__ import annotations

from typing import Any

from ....models import NotebookLogEntry, Session
from .. import codec
from ..codec import DamagedData
from ..mutations import check_writable, number_entries
from .logs import missing_entries
from .sessions import merge_into

_MAX_PATHS = 8
_META_OF_MERGE = ("revision", "last_updated", "merged")  # keys of the meta that merge_into sets


def merge_sessions(base: bytes, ours: bytes, theirs: bytes, merge_id: str) -> bytes:
    """Return the bytes of the merged session. Raises DamagedData, SessionTooNew."""
    left, right = codec.parse(ours), codec.parse(theirs)
    old = codec.parse(base) if base.strip() else None
    for session in (left, right, *([old] if old else [])):
        check_writable(session.meta, None)
    if _cell_key(left) != _cell_key(right):
        raise DamagedData("the sides belong to different cells")
    before, revision = codec.encode(left), max(left.revision, right.revision)
    _merge_other_keys(left, right, old)
    merge_into(left, right, merge_id=merge_id)
    if codec.encode(left) == before:
        return ours
    left.meta.revision = revision + 1
    return codec.encode(left)


def merge_logs(ours: bytes, theirs: bytes, merge_id: str) -> bytes:
    """Return the bytes of a merged change log. Raises DamagedData if a side has damaged lines."""
    left, right = codec.parse_log(ours), codec.parse_log(theirs)
    if left.damaged or right.damaged:
        raise DamagedData("the log has damaged lines")
    copies = {codec.entry_content(entry): entry for entry in right.entries}
    is_changed = False
    for entry in left.entries:
        copy = copies.get(codec.entry_content(entry))
        is_changed |= copy is not None and _add_paths(entry, copy, merge_id)
    missing = [
        entry.model_copy(update={"merged": [[*path, merge_id] for path in entry.merged or [[]]]})
        for entry in missing_entries(left.entries, right.entries)
    ]
    if not (is_changed or missing):
        return ours
    merged = [*left.entries, *number_entries(left.entries, missing)]
    return b"".join(codec.encode(entry, indent=None) for entry in merged)


def _add_paths(ours: NotebookLogEntry, theirs: NotebookLogEntry, merge_id: str) -> bool:
    """Add the paths of their copy of an entry, since sessions may have come the same way."""
    paths = ours.merged or [[]]
    new = [[*path, merge_id] for path in theirs.merged or [[]] if path not in paths][:_MAX_PATHS]
    if new:
        ours.merged = [*paths, *new][:_MAX_PATHS]
    return bool(new)


def _cell_key(session: Session) -> tuple[str, str, str]:
    meta = session.meta
    return meta.notebook_id, meta.cell_id, meta.owner or ""


def _merge_other_keys(ours: Session, theirs: Session, base: Session | None) -> None:
    """Merge the meta and unknown keys, everything but turns and events."""
    old: dict[str, Any] = codec.to_dict(base) if base else {}
    left, right = codec.to_dict(ours), codec.to_dict(theirs)
    meta = _merge_keys(old.get("meta") or {}, left["meta"], right["meta"])
    for name in _META_OF_MERGE:
        meta.pop(name, None)
        if name in left["meta"]:
            meta[name] = left["meta"][name]
    both = [*(left["meta"].get("parents") or []), *(right["meta"].get("parents") or [])]
    if both:
        meta["parents"] = [
            parent for index, parent in enumerate(both) if parent not in both[:index]
        ]
    ours.meta = type(ours.meta).model_validate(meta)
    others = _merge_keys(old, left, right)
    for name in others.keys() - set(codec.PARTS):
        setattr(ours, name, others[name])


def _merge_keys(
    old: dict[str, Any], ours: dict[str, Any], theirs: dict[str, Any]
) -> dict[str, Any]:
    """Return ours with the keys that only the other side has changed; remove none."""
    result = dict(ours)
    for name, value in theirs.items():
        is_ours = name in ours and (name not in old or ours[name] != old[name])
        if not is_ours:
            result[name] = value
    return result
