"""Three-way merges of session files and notebook logs, as git asks for them. Pure.

Invariants:

- Each turn, event and line of both sides is in the result, once. Our side keeps its numbers and
  its order; what it lacks comes behind it, in the order of the other side, with new numbers.
- A record that both sides have, such as one that was cherry-picked, is recognised by its content.
- References stay true: turn ids and ``from_seq`` are renumbered, and what lies in another file
  (a line of the log, an event of another cell) carries the merge's name in ``merged``, so that a
  reader finds the new number (``renumbering.py``).
- Merging twice is merging once. What can't be understood raises Damaged and is never merged.
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
_META_OF_MERGE = ("revision", "last_updated", "merged")  # of the meta, which unite sees to


def merge_sessions(base: bytes, ours: bytes, theirs: bytes, merge_id: str) -> bytes:
    """The bytes of the merged session. Raises Damaged, SessionTooNew."""
    left, right = codec.parse(ours), codec.parse(theirs)
    old = codec.parse(base) if base.strip() else None
    for session in (left, right, *([old] if old else [])):
        check_writable(session.meta, None)
    if _cell_key(left) != _cell_key(right):
        raise DamagedData("the sides are of two cells")
    before, revision = codec.encode(left), max(left.revision, right.revision)
    _merge_other_keys(left, right, old)
    merge_into(left, right, merge_id=merge_id)
    if codec.encode(left) == before:
        return ours
    left.meta.revision = revision + 1
    return codec.encode(left)


def merge_logs(ours: bytes, theirs: bytes, merge_id: str) -> bytes:
    """The bytes of the merged log of a notebook. Raises Damaged if a side has damaged lines."""
    left, right = codec.parse_log(ours), codec.parse_log(theirs)
    if left.damaged or right.damaged:
        raise DamagedData("the log has damaged lines")
    right_lines = {entry_content(entry): entry for entry in right.entries}
    kept = []
    for text in codec.log_text(ours).split(b"\n"):
        found = codec.parse_log(text + b"\n").entries
        if not found:
            continue
        twin = right_lines.get(entry_content(found[0]))
        is_changed = twin is not None and _add_paths(found[0], twin, merge_id)
        kept.append(codec.encode(found[0], indent=None) if is_changed else text + b"\n")
    new = renumber_missing(left.entries, right.entries, merge_id)
    return b"".join([*kept, *(codec.encode(entry, indent=None) for entry in new)])


def renumber_missing(
    ours: list[NotebookLogEntry], theirs: list[NotebookLogEntry], merge_id: str
) -> list[NotebookLogEntry]:
    """The lines that ours lacks, as they come behind it."""
    last = max((entry.seq for entry in ours), default=0)
    moved = []
    for place, entry in enumerate(missing_entries(ours, theirs), 1):
        ways = [[*way, merge_id] for way in entry.merged or [[]]]
        fields = codec.to_dict(entry) | {"seq": last + place, "merged": ways}
        moved.append(NotebookLogEntry.model_validate(fields))
    return moved


def _add_paths(ours: NotebookLogEntry, theirs: NotebookLogEntry, merge_id: str) -> bool:
    """Note how else a line came here that both sides have: sessions may have come that way."""
    ways = ours.merged or [[]]
    new = [[*way, merge_id] for way in theirs.merged or [[]] if way not in ways][:_MAX_PATHS]
    if new:
        ours.merged = [*ways, *new][:_MAX_PATHS]
    return bool(new)


def _cell_key(session: Session) -> tuple[str, str, str]:
    meta = session.meta
    return meta.notebook_id, meta.cell_id, meta.owner or ""


def _merge_other_keys(ours: Session, theirs: Session, base: Session | None) -> None:
    """Merge what is no turn and no event: the meta, and keys of later versions."""
    old: dict[str, Any] = codec.to_dict(base) if base else {}
    left, right = codec.to_dict(ours), codec.to_dict(theirs)
    meta = _merge_keys(old.get("meta") or {}, left["meta"], right["meta"])
    for name in _META_OF_MERGE:
        meta.pop(name, None)
        if name in left["meta"]:
            meta[name] = left["meta"][name]
    both = [*(left["meta"].get("parents") or []), *(right["meta"].get("parents") or [])]
    if both:
        meta["parents"] = [one for place, one in enumerate(both) if one not in both[:place]]
    ours.meta = type(ours.meta).model_validate(meta)
    others = _merge_keys(old, left, right)
    for name in others.keys() - set(_PARTS):
        setattr(ours, name, others[name])


def _merge_keys(
    old: dict[str, Any], ours: dict[str, Any], theirs: dict[str, Any]
) -> dict[str, Any]:
    """Ours, with what only the other side has changed; nothing is taken away."""
    found = dict(ours)
    for name, value in theirs.items():
        is_ours = name in ours and (name not in old or ours[name] != old[name])
        if not is_ours:
            found[name] = value
    return found
