"""Joins the logs of one notebook that were kept in two places. Pure.

Invariants:

- A line that both logs have is there once. A ``changed`` line is recognised by its id, any other
  line by its content without numbers.
- A line that is taken over names the records by the numbers that they have here, as far as it has
  their digests.
- A moment is marked ``saved`` only if the notebook was saved so. The lines that ours lacks come
  behind it; where a cell is then as another line left it than in the other log, they lose the mark.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

from ....models import NotebookLogEntry
from .. import codec
from .digests import SeqsByDigest, entry_content

_ORDER = ""  # stands for the order of the cells among the cells that lines name


def missing_entries(
    ours: Sequence[NotebookLogEntry], theirs: Sequence[NotebookLogEntry]
) -> list[NotebookLogEntry]:
    """The lines of another copy of a notebook's log that ours lacks, in their order."""
    our_keys, keys = [_entry_key(entry) for entry in ours], [_entry_key(entry) for entry in theirs]
    known = Counter(our_keys)
    known.subtract(keys)
    new = set()
    for place in reversed(range(len(theirs))):
        if known[keys[place]] < 0:  # of equal lines the last ones are new
            known[keys[place]] += 1
            new.add(place)
    # By cell, the line that names it last: here, behind what is taken, and in the other log.
    here: dict[str, str] = {}
    there: dict[str, str] = {}
    for entry, key in zip(ours, our_keys, strict=True):
        here.update(dict.fromkeys(_cells_of(entry), key))
    lines = []
    for place, (entry, key) in enumerate(zip(theirs, keys, strict=True)):
        named = dict.fromkeys(_cells_of(entry), key)
        there.update(named)
        if place in new:
            here.update(named)
            lines.append(entry if here == there else _without_saved(entry))
    return lines


def _without_saved(entry: NotebookLogEntry) -> NotebookLogEntry:
    if "saved" not in entry.data:
        return entry
    data = {name: value for name, value in entry.data.items() if name != "saved"}
    return entry.model_copy(update={"data": data})


def _entry_key(entry: NotebookLogEntry) -> str:
    name = entry.data.get("id")
    is_named = entry.type == "changed" and isinstance(name, str)
    return f"changed {name}" if is_named else entry_content(entry)


def _cells_of(entry: NotebookLogEntry) -> set[str]:
    """The cells that a line names."""
    cells = entry.data.get("cells")
    if entry.type == "cell_order":
        return {_ORDER}
    return set(cells) if entry.type == "changed" and isinstance(cells, dict) else set()


def renumber_entry(
    entry: NotebookLogEntry, places_of: Callable[[str], SeqsByDigest | None]
) -> NotebookLogEntry:
    """A line with the numbers that its records have here, as far as its digests tell."""
    cells, digests = entry.data.get("cells"), entry.data.get("digests")
    if not (isinstance(cells, dict) and isinstance(digests, dict)):
        return entry
    here = {}
    for cell_id, seq in cells.items():
        name, seqs_by_digest = digests.get(cell_id), places_of(cell_id)
        found = seqs_by_digest.get(name, []) if seqs_by_digest and isinstance(name, str) else []
        here[cell_id] = found[-1] if found and seq not in found else seq
    if here == cells:
        return entry
    fields = codec.to_dict(entry) | {"data": entry.data | {"cells": here}}
    fields.pop("merged", None)
    return NotebookLogEntry.model_validate(fields)
