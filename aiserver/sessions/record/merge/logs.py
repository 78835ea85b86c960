"""Merge two copies of one notebook's change log. Pure.

Invariants:

- The entries that our log lacks are appended to our log.
- An entry that both logs have is in the result once. An entry of the type ``changed`` is identified
  by its id, any other entry by its content without the fields that a merge changes.
- An entry refers to a record by the record's ``seq``, and may also contain the record's digest.
  ``renumber_entry`` finds the digest in our session, and replaces ``seq`` with the number there.
- The field ``saved`` of an entry says that the notebook was saved right after this entry. Our log
  may also have entries that their log lacks. Then the notebook, with the changes of both logs, may
  never have been saved. So an appended entry keeps ``saved`` only if both logs, read up to this
  entry, contain the same last entry for each cell.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

from ....models import NotebookLogEntry
from .. import codec
from .digests import SeqsByDigest, cells_of, without_saved

_ORDER = ""  # used in place of a cell id for the order of the cells


def missing_entries(
    ours: Sequence[NotebookLogEntry], theirs: Sequence[NotebookLogEntry]
) -> list[NotebookLogEntry]:
    """Return the entries that ``ours`` lacks. ``theirs`` is another copy of the same change log."""
    our_keys = [_entry_key(entry) for entry in ours]
    their_keys = [_entry_key(entry) for entry in theirs]
    counts = Counter(our_keys)  # for each key: the number of our entries minus that of theirs
    counts.subtract(their_keys)
    new_indices = set()
    for index in reversed(range(len(theirs))):
        # If theirs has n more entries with this key than ours, the last n of them are new.
        if counts[their_keys[index]] < 0:
            counts[their_keys[index]] += 1
            new_indices.add(index)
    # Both dictionaries map a cell's id to the key (``_entry_key``) of the cell's last entry so far.
    # ``our_last`` covers our entries and the appended ones.
    our_last: dict[str, str] = {}
    their_last: dict[str, str] = {}
    for entry, key in zip(ours, our_keys, strict=True):
        our_last.update(dict.fromkeys(_cells_of(entry), key))
    missing = []
    for index, (entry, key) in enumerate(zip(theirs, their_keys, strict=True)):
        last_of_cells = dict.fromkeys(_cells_of(entry), key)
        their_last.update(last_of_cells)
        if index in new_indices:
            our_last.update(last_of_cells)
            missing.append(entry if our_last == their_last else without_saved(entry))
    return missing


def _entry_key(entry: NotebookLogEntry) -> str:
    """Return a text by which an entry is recognised in another copy of the log."""
    change_id = entry.data.get("id")
    has_id = entry.type == "changed" and isinstance(change_id, str)
    return f"changed {change_id}" if has_id else codec.entry_content(entry)


def _cells_of(entry: NotebookLogEntry) -> set[str]:
    """Return the ids of the cells that an entry changes; ``{_ORDER}`` if it changes their order."""
    if entry.type == "cell_order":
        return {_ORDER}
    return set(cells_of(entry)) if entry.type == "changed" else set()


def renumber_entry(
    entry: NotebookLogEntry, get_seqs: Callable[[str], SeqsByDigest | None]
) -> NotebookLogEntry:
    """Return the entry with the current number of each record to which it refers.

    The records are found by the digests in the entry. ``get_seqs(cell_id)`` returns the current
    numbers of the cell's records, or None if the cell's session can't be read.
    """
    cells, digests = cells_of(entry), entry.data.get("digests")
    if not (cells and isinstance(digests, dict)):
        return entry
    current_seqs = {}
    for cell_id, seq in cells.items():
        digest, cell_seqs = digests.get(cell_id), get_seqs(cell_id)
        matching_seqs = cell_seqs.get(digest, []) if cell_seqs and isinstance(digest, str) else []
        current_seqs[cell_id] = (
            matching_seqs[-1] if matching_seqs and seq not in matching_seqs else seq
        )
    if current_seqs == cells:
        return entry
    fields = codec.to_dict(entry) | {"data": entry.data | {"cells": current_seqs}}
    fields.pop("merged", None)
    return NotebookLogEntry.model_validate(fields)
