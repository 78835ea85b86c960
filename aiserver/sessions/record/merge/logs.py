"""Merge two copies of one notebook's change log. Pure.

Invariants:

- An entry that both logs have is in the result once. A ``changed`` entry is identified by its id,
  any other entry by its content without numbers.
- If an appended entry has the digest of a record, it refers to the record by the number that the
  record has in our session.
- An entry is marked ``saved`` only if the notebook was saved in that state. The entries that our
  log lacks are appended to it. An appended entry loses the mark unless the last entry of every cell
  is then the same in our log as in the other log.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

from ....models import NotebookLogEntry
from .. import codec
from .digests import SeqsByDigest, cells_of, without_saved

_ORDER = ""  # represents the order of the cells in sets of cell ids


def missing_entries(
    ours: Sequence[NotebookLogEntry], theirs: Sequence[NotebookLogEntry]
) -> list[NotebookLogEntry]:
    """Return the entries of ``theirs``, another copy of the change log, that ``ours`` lacks."""
    our_keys, keys = [_entry_key(entry) for entry in ours], [_entry_key(entry) for entry in theirs]
    counts = Counter(our_keys)
    counts.subtract(keys)
    new_indices = set()
    for index in reversed(range(len(theirs))):
        if counts[keys[index]] < 0:  # of equal entries, the last entries are new
            counts[keys[index]] += 1
            new_indices.add(index)
    # The last entry of each cell: in our log with the appended entries, and in the other log.
    our_last: dict[str, str] = {}
    their_last: dict[str, str] = {}
    for entry, key in zip(ours, our_keys, strict=True):
        our_last.update(dict.fromkeys(_cells_of(entry), key))
    missing = []
    for index, (entry, key) in enumerate(zip(theirs, keys, strict=True)):
        last_of_cells = dict.fromkeys(_cells_of(entry), key)
        their_last.update(last_of_cells)
        if index in new_indices:
            our_last.update(last_of_cells)
            missing.append(entry if our_last == their_last else without_saved(entry))
    return missing


def _entry_key(entry: NotebookLogEntry) -> str:
    change_id = entry.data.get("id")
    has_id = entry.type == "changed" and isinstance(change_id, str)
    return f"changed {change_id}" if has_id else codec.entry_content(entry)


def _cells_of(entry: NotebookLogEntry) -> set[str]:
    """Return the ids of the cells that an entry changes, and ``_ORDER`` for their order."""
    if entry.type == "cell_order":
        return {_ORDER}
    return set(cells_of(entry)) if entry.type == "changed" else set()


def renumber_entry(
    entry: NotebookLogEntry, get_seqs: Callable[[str], SeqsByDigest | None]
) -> NotebookLogEntry:
    """Return an entry with the current numbers of those records whose digests it has."""
    cells, digests = cells_of(entry), entry.data.get("digests")
    if not (cells and isinstance(digests, dict)):
        return entry
    current = {}
    for cell_id, seq in cells.items():
        digest, cell_seqs = digests.get(cell_id), get_seqs(cell_id)
        matches = cell_seqs.get(digest, []) if cell_seqs and isinstance(digest, str) else []
        current[cell_id] = matches[-1] if matches and seq not in matches else seq
    if current == cells:
        return entry
    fields = codec.to_dict(entry) | {"data": entry.data | {"cells": current}}
    fields.pop("merged", None)
    return NotebookLogEntry.model_validate(fields)
