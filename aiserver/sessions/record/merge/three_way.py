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
from ..mutations import check_writable
from .digests import entry_content
from .logs import missing_entries
from .sessions import merge_into

_PARTS = ("meta", "interactions", "events")
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
    right_lines = {entry_content(entry): entry for entry in right.entries}
    lines = []
    for text in codec.log_text(ours).split(b"\n"):
        result = codec.parse_log(text + b"\n").entries
        if not result:
            continue
        match = right_lines.get(entry_content(result[0]))
        is_changed = match is not None and _add_paths(result[0], match, merge_id)
        lines.append(codec.encode(result[0], indent=None) if is_changed else text + b"\n")
    new = renumber_missing(left.entries, right.entries, merge_id)
    return b"".join([*lines, *(codec.encode(entry, indent=None) for entry in new)])


def renumber_missing(
    ours: list[NotebookLogEntry], theirs: list[NotebookLogEntry], merge_id: str
) -> list[NotebookLogEntry]:
    """Return the entries that ours lacks, renumbered to follow it."""
    last = max((entry.seq for entry in ours), default=0)
    moved = []
    for index, entry in enumerate(missing_entries(ours, theirs), 1):
        paths = [[*path, merge_id] for path in entry.merged or [[]]]
        fields = codec.to_dict(entry) | {"seq": last + index, "merged": paths}
        moved.append(NotebookLogEntry.model_validate(fields))
    return moved


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
    for name in others.keys() - set(_PARTS):
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
