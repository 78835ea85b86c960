"""Merge two copies of one notebook's change log. Pure.

Invariants:

- An entry that both logs have is in the result once. A ``changed`` entry is identified by its id,
  any other entry by its content without numbers.
- A merged entry refers to records by their numbers here, as far as it has their digests.
- An entry is marked ``saved`` only if the notebook was saved in that state. Missing entries are
  appended; if a cell's last entry then differs from that in the other log, they lose the mark.
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
    """Return the entries of another copy of a change log that ours lacks, in their order."""
    our_keys, keys = [_entry_key(entry) for entry in ours], [_entry_key(entry) for entry in theirs]
    counts = Counter(our_keys)
    counts.subtract(keys)
    new = set()
    for index in reversed(range(len(theirs))):
        if counts[keys[index]] < 0:  # of equal entries, the last ones are new
            counts[keys[index]] += 1
            new.add(index)
    # The last entry of each cell: in ours with the appended entries, and in the other log.
    our_last: dict[str, str] = {}
    their_last: dict[str, str] = {}
    for entry, key in zip(ours, our_keys, strict=True):
        our_last.update(dict.fromkeys(_cells_of(entry), key))
    lines = []
    for index, (entry, key) in enumerate(zip(theirs, keys, strict=True)):
        named = dict.fromkeys(_cells_of(entry), key)
        their_last.update(named)
        if index in new:
            our_last.update(named)
            lines.append(entry if our_last == their_last else without_saved(entry))
    return lines


def _entry_key(entry: NotebookLogEntry) -> str:
    name = entry.data.get("id")
    is_named = entry.type == "changed" and isinstance(name, str)
    return f"changed {name}" if is_named else codec.entry_content(entry)


def _cells_of(entry: NotebookLogEntry) -> set[str]:
    """Return the ids of the cells that an entry changes, and ``_ORDER`` for their order."""
    if entry.type == "cell_order":
        return {_ORDER}
    return set(cells_of(entry)) if entry.type == "changed" else set()


def renumber_entry(
    entry: NotebookLogEntry, get_seqs: Callable[[str], SeqsByDigest | None]
) -> NotebookLogEntry:
    """Return an entry with the current numbers of its records, as far as it has digests."""
    cells, digests = cells_of(entry), entry.data.get("digests")
    if not (cells and isinstance(digests, dict)):
        return entry
    current = {}
    for cell_id, seq in cells.items():
        name, seqs_by_digest = digests.get(cell_id), get_seqs(cell_id)
        matches = seqs_by_digest.get(name, []) if seqs_by_digest and isinstance(name, str) else []
        current[cell_id] = matches[-1] if matches and seq not in matches else seq
    if current == cells:
        return entry
    fields = codec.to_dict(entry) | {"data": entry.data | {"cells": current}}
    fields.pop("merged", None)
    return NotebookLogEntry.model_validate(fields)
