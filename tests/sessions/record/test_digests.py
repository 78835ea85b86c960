"""P39: a log entry refers to its records, even if git took some files from one side."""

from __future__ import annotations

from aiserver.models import (
    NewEvent,
    NewLogEntry,
    NotebookLogEntry,
    Session,
    SessionKey,
    new_session,
)
from aiserver.sessions.record.git_merge import merge_branch, renumber_entries
from aiserver.sessions.record.merge import digest, seqs_by_digest
from aiserver.sessions.record.mutations import append_events, number_entries
from aiserver.testing.records import NOON

KEY = SessionKey("nb", "cell")


def session(*sources: str) -> Session:
    session = new_session(KEY)
    append_events(session, [NewEvent(type="edit", timestamp=NOON, source=item) for item in sources])
    return session


def line(of: Session) -> NotebookLogEntry:
    last = of.ordered()[-1]
    data = {"cells": {"cell": last.seq}, "digests": {"cell": digest(last)}}
    return number_entries([], [NewLogEntry(type="changed", timestamp=NOON, data=data)])[0]


def marks(entry: NotebookLogEntry, of: Session) -> object:
    merges = {"cell": of.meta.merged} if of.meta.merged else {}
    last_seqs = {"cell": of.next_seq - 1}
    return renumber_entries([entry], merges, last_seqs, lambda _: seqs_by_digest(of))[0].data[
        "cells"
    ]


def test_a_log_from_one_branch_and_a_merged_session() -> None:
    """The entry has no merge id, since git took the log from one side unchanged."""
    ours, theirs = session("a", "b", "c"), session("a", "x")
    entry = line(theirs)
    merge_branch(ours, theirs, "m")
    assert ours.meta.merged and entry.merged is None
    assert marks(entry, ours) == {"cell": 4}
    assert marks(line(session("a", "b", "c")), ours) == {"cell": 3}, "not our record"


def test_a_merged_log_and_a_session_without_the_record() -> None:
    """A cherry-picked commit contained the log, but not this session."""
    entry = line(session("a", "x")).model_copy(update={"merged": [["m"]]})
    assert marks(entry, session("a", "b", "c")) == {}


def test_entries_without_digests_follow_the_merges() -> None:
    ours, theirs = session("a", "b", "c"), session("a", "x")
    entry = line(theirs).model_copy(update={"merged": [["m"]]})
    del entry.data["digests"]
    merge_branch(ours, theirs, "m")
    assert marks(entry, ours) == {"cell": 4}


def test_equal_records_are_resolved_by_the_entry_s_path() -> None:
    ours, theirs = session("a", "b"), session("a", "a")
    entry = line(theirs).model_copy(update={"merged": [["m"]]})
    merge_branch(ours, theirs, "m")
    assert marks(entry, ours) == {"cell": 3}


def test_after_restoring_an_older_session_no_entry_refers_to_another_record() -> None:
    """A moment without the cell's record is not marked as saved, either."""

    def saved(of: Session, other: int) -> NotebookLogEntry:
        entry = line(of)
        entry.data["cells"] |= {"other": other}
        return entry.model_copy(update={"data": entry.data | {"saved": True}})

    log = [saved(session("a"), 1), saved(session("a", "b"), 2)]
    log.append(log[-1].model_copy(update={"data": {"cells": {"other": 3}, "saved": True}}))
    log.append(saved(session("a", "x"), 4))
    for now, expected in (
        (session("a"), [(1, True), (None, False), (None, False), (None, False)]),
        (session("a", "x"), [(1, True), (None, False), (None, False), (2, True)]),
    ):
        last_seqs = {"cell": now.next_seq - 1, "other": 4}
        by_digest = seqs_by_digest(now)
        lines = renumber_entries(log, {}, last_seqs, lambda _: by_digest)  # noqa: B023
        states = [(item.data["cells"].get("cell"), item.data.get("saved", False)) for item in lines]
        assert states == expected
