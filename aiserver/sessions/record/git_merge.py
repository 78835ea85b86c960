"""Merge session files and change logs of two git branches, and read logs after merges. Pure.

Invariants:

- Each turn, event and log entry of either side is in the result once, as ``merge.py`` says.
- References stay valid. Inside a session, they get the new seq. A log entry, or an event in another
  cell's session, keeps the old one, and its field ``merged`` gets the id of the merge, with which
  readers find the new one (see ``merged_numbers.py``).
- Merging the same side again adds no turn, event or entry. It can only add the new merge's id.
- Unreadable data raises DamagedData and is never merged.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence, Set
from typing import Any

from ...merged_numbers import Renumberings, build_renumbering
from ...models import NotebookLogEntry, Session
from . import codec
from .codec import DamagedData
from .merge import SeqsByDigest, cells_of, merge_into, missing_entries, without_saved
from .mutations import check_writable, number_entries

_MAX_MERGE_PATHS = 8  # the most merge paths of an entry; more aren't stored
_META_SET_BY_MERGE = ("revision", "last_updated", "merged")  # keys of meta that ``merge_into`` sets


def merge_sessions(base: bytes, ours: bytes, theirs: bytes, merge_id: str) -> bytes:
    """Return the bytes of the merged session. Raises DamagedData, SessionTooNew.

    ``base`` is the session in the common ancestor of both sides, or empty.
    """
    our_session, their_session = codec.parse(ours), codec.parse(theirs)
    base_session = codec.parse(base) if base.strip() else None
    for session in (our_session, their_session, *([base_session] if base_session else [])):
        check_writable(session)
    if _cell_key(our_session) != _cell_key(their_session):
        raise DamagedData("the sides belong to different cells")
    old_bytes = codec.encode(our_session)
    revision = max(our_session.revision, their_session.revision)
    _merge_other_keys(our_session, their_session, base_session)
    merge_branch(our_session, their_session, merge_id)
    if codec.encode(our_session) == old_bytes:
        return ours
    our_session.meta.revision = revision + 1
    return codec.encode(our_session)


def merge_branch(ours: Session, theirs: Session, merge_id: str) -> bool:
    """Merge the session of another branch as ``merge_into`` does; return whether ``ours`` changed.

    The changes of seqs are added to ``meta.merged``, because other files contain the old ones.
    """
    seqs: dict[int, int] = {}
    has_changed = merge_into(ours, theirs, merge_id=merge_id, seqs=seqs)
    if _add_renumberings(ours, theirs, build_renumbering(merge_id, seqs)) and not has_changed:
        ours.meta.last_updated = max(ours.meta.last_updated, theirs.meta.last_updated)
        ours.meta.revision = ours.revision + 1
        return True
    return has_changed


def _add_renumberings(ours: Session, theirs: Session, renumbering: dict[str, Any] | None) -> bool:
    merges = list(getattr(ours.meta, "merged", None) or [])
    old_count = len(merges)
    ids = {str(merge.get("id")) for merge in merges if isinstance(merge, dict)}
    for merge in [*(getattr(theirs.meta, "merged", None) or []), renumbering]:
        if isinstance(merge, dict) and str(merge.get("id")) not in ids:
            merges.append(merge)
            ids.add(str(merge.get("id")))
    if len(merges) > old_count:
        ours.meta.merged = merges
    return len(merges) > old_count


def merge_logs(ours: bytes, theirs: bytes, merge_id: str) -> bytes:
    """Return the merged change log. Raises DamagedData if a side has damaged lines."""
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
    """Add their merge paths of an entry to ours; return whether some are new."""
    paths = ours.merged or [[]]
    new_paths = [[*path, merge_id] for path in theirs.merged or [[]] if path not in paths]
    if new_paths:
        ours.merged = [*paths, *new_paths][:_MAX_MERGE_PATHS]
    return bool(new_paths)


def _cell_key(session: Session) -> tuple[str, str, str]:
    meta = session.meta
    return meta.notebook_id, meta.cell_id, meta.owner or ""


def _merge_other_keys(ours: Session, theirs: Session, base: Session | None) -> None:
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
    """Use our value if our side changed it, otherwise theirs."""
    result = dict(ours)
    for name, value in theirs.items():
        has_our_change = name in ours and (name not in base or ours[name] != base[name])
        if not has_our_change:
            result[name] = value
    return result


def renumber_entries(
    log: Sequence[NotebookLogEntry],
    merges: Mapping[str, object],
    last_seqs: Mapping[str, int],
    get_seqs: Callable[[str], SeqsByDigest | None],
) -> list[NotebookLogEntry]:
    """Return a log's entries with the current seqs of their records.

    Seqs change when branches are merged, and when an older session file is restored. A cell whose
    session lacks the record is removed from the entry. Its state is unknown until a later entry
    contains the cell, so ``saved`` is removed until then.

    ``merges`` maps cell ids to ``meta.merged`` of their sessions, ``last_seqs`` to the last seq.
    ``get_seqs`` is that of ``renumber_entry``.
    """
    replaced_cells = _find_replaced_cells(log, last_seqs)
    renumberings = {cell: Renumberings(merged) for cell, merged in merges.items()}
    missing_cells: set[str] = set()
    entries = []
    for entry in log:
        renumbered = _renumber_entry(entry, renumberings, replaced_cells, get_seqs)
        missing_cells |= cells_of(entry).keys()
        missing_cells -= cells_of(renumbered).keys()
        entries.append(without_saved(renumbered) if missing_cells else renumbered)
    return entries


def _find_replaced_cells(log: Sequence[NotebookLogEntry], last_seqs: Mapping[str, int]) -> set[str]:
    """Return the cells whose session was replaced by an older copy.

    Their seqs in the log don't always increase, or exceed that of the session's last record.
    """
    replaced_cells: set[str] = set()
    highest_seqs: dict[str, int] = {}
    for entry in log:
        for cell, seq in cells_of(entry).items():
            if type(seq) is not int:
                continue
            if seq <= highest_seqs.get(cell, 0) or seq > last_seqs.get(cell, seq):
                replaced_cells.add(cell)
            highest_seqs[cell] = max(seq, highest_seqs.get(cell, 0))
    return replaced_cells


def _renumber_entry(
    entry: NotebookLogEntry,
    renumberings: Mapping[str, Renumberings],
    replaced_cells: Set[str],
    get_seqs: Callable[[str], SeqsByDigest | None],
) -> NotebookLogEntry:
    """Renumber an entry; ``renumber_entries`` then removes ``saved``."""
    cells, digests = cells_of(entry), entry.data.get("digests")
    if not (entry.merged or renumberings.keys() & cells.keys() or replaced_cells & cells.keys()):
        return entry
    current: dict[str, Any] = {}
    for cell, seq in cells.items():
        renumbering = renumberings.get(cell)
        if type(seq) is not int or not (renumbering or entry.merged or cell in replaced_cells):
            current[cell] = seq
            continue
        mapped_seq = renumbering.current_end(entry.merged, seq) if renumbering else seq
        record_digest = digests.get(cell, "") if isinstance(digests, dict) else ""
        is_usable = record_digest and isinstance(record_digest, str)
        cell_seqs = get_seqs(cell) if is_usable else None
        if cell_seqs is None:
            current[cell] = mapped_seq
        elif matching_seqs := cell_seqs.get(record_digest):
            current[cell] = mapped_seq if mapped_seq in matching_seqs else matching_seqs[-1]
    return entry.model_copy(update={"data": entry.data | {"cells": current}})
