"""Find current numbers of records: quickly, and as a search through all of them does."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from aiserver.merged_numbers import Renumberings, build_renumbering
from aiserver.models import NotebookLogEntry
from aiserver.sessions.record.git_merge import renumber_entries
from aiserver.testing.records import log_entry

from ..effort import at_most


@given(st.dictionaries(st.integers(1, 30), st.integers(1, 60), max_size=20), st.integers(0, 35))
def test_numbers_are_those_of_a_complete_search(numbers: dict[int, int], seq: int) -> None:
    """P39"""
    new = dict(zip(sorted(numbers), sorted(set(numbers.values())), strict=False))
    merge = build_renumbering("m", new)
    prepared = Renumberings([merge, {"id": "n"}, None])
    assert prepared.current_seq([["m"]], seq) == new.get(seq, seq)
    assert prepared.current_seq([["other"]], seq) == seq
    # In the gaps of numbers, other records may be, which keep their numbers.
    ranges = merge["seqs"] if merge else []
    candidates = [seq, *(end for first, last, _ in ranges for end in (first - 1, last))]
    expected = max(new.get(number, number) for number in candidates if number <= seq)
    assert prepared.current_end([["m"]], seq) == expected


def test_long_renumberings_are_read_once() -> None:
    """P39: for a whole log, and in no more than linear time."""
    ranges = [[10 * n + 1, 10 * n + 3, 10 * n + 4] for n in range(20_000)]
    merges = {"c1": [{"id": "m", "seqs": ranges}]}
    log = [
        NotebookLogEntry(seq=n, merged=[["m"]], **dict(log_entry(cells={"c1": n})))
        for n in range(1, 300)
    ]
    with at_most(20_000_000):
        entries = renumber_entries(log, merges, {"c1": 1000}, lambda cell: None)
    assert entries[-1].data["cells"] == {"c1": 299} and len(entries) == len(log)
