"""Append records to sessions, and copy, check and summarise sessions. Pure.

A store that knows a session's next numbers without loading it calls ``number_turn`` and
``number_events`` instead of ``append_turn`` and ``append_events``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence

from ...errors.base import NotFound, StaleRevision
from ...errors.storage import SessionTooNew
from ...models import (
    PROSE_LANGUAGES,
    Event,
    Interaction,
    NewEvent,
    NewLogEntry,
    NewTurn,
    NotebookLogEntry,
    Session,
    SessionKey,
    SessionSummary,
    utc_now,
)
from ...redact.texts import redact, redact_json
from . import codec

# Limits of each text in a summary. The number of lines is limited only for code.
_MAX_SUMMARY_CHARS = 500
_MAX_SUMMARY_LINES = 10


def check_writable(session: Session, if_revision: int | None = None) -> None:
    """Raise SessionTooNew for a newer format, StaleRevision for another revision."""
    if codec.is_newer(session.meta.version):
        raise SessionTooNew
    if if_revision is not None and if_revision != session.revision:
        raise StaleRevision(if_revision, session.revision)


def number_turn(turn: NewTurn, turn_id: int, seq: int) -> Interaction:
    """Number and redact a turn. Raises InvalidRequest."""
    fields = redact_json(codec.to_dict(turn))
    for record, name in _prose_in(turn):
        if name in fields[record]:  # otherwise, the field wasn't set
            fields[record][name] = redact(fields[record][name], is_prose=True)
    return Interaction.model_validate(fields | {"turn_id": turn_id, "seq": seq})


def _prose_in(turn: NewTurn) -> Iterator[tuple[str, str]]:
    request = turn.user_request
    yield "user_request", "intent"
    is_prose = request.language in PROSE_LANGUAGES
    if is_prose or request.current_code.lstrip().startswith("%%ai"):  # a magic with a request
        yield "user_request", "current_code"
    if is_prose:
        yield "ai_response", "suggestion"
    yield "ai_response", "explanation"


def number_events(
    events: Sequence[NewEvent], seq: int, existing: Mapping[str, Event]
) -> tuple[list[Event], list[Event]]:
    """Return all given events as stored, and the new ones among them, numbered from ``seq``.

    ``existing`` maps ids to stored events: a client that got no response sends an event again.
    """
    saved: list[Event] = []
    new: list[Event] = []
    stored_by_id = dict(existing)
    for event in events:
        if event.id is not None and event.id in stored_by_id:
            saved.append(stored_by_id[event.id])
            continue
        fields = redact_json(codec.to_dict(event)) | {"seq": seq + len(new)}
        record = Event.model_validate(fields)
        if record.id is not None:
            stored_by_id[record.id] = record
        saved.append(record)
        new.append(record)
    return saved, new


def events_by_id(events: Iterable[Event]) -> dict[str, Event]:
    """Return the first event with each ``id``."""
    by_id: dict[str, Event] = {}
    for event in events:
        if event.id is not None:
            by_id.setdefault(event.id, event)
    return by_id


def append_turn(session: Session, turn: NewTurn) -> Interaction:
    """Append a turn; return it with its ``turn_id`` and ``seq``."""
    saved = number_turn(turn, session.next_turn_id, session.next_seq)
    session.interactions.append(saved)
    increment_revision(session)
    return saved


def append_events(session: Session, events: Sequence[NewEvent]) -> list[Event]:
    """Append the events that the session lacks; return all, each with its ``seq``."""
    saved, new = number_events(events, session.next_seq, events_by_id(session.events or []))
    if new:
        session.events = [*(session.events or []), *new]
        increment_revision(session)
    return saved


def fork_session(source: Session | None, target: SessionKey) -> Session:
    """Return a copy of a session for another cell. Raises NotFound, SessionTooNew."""
    if source is None:
        raise NotFound("There is no history to copy.")
    check_writable(source)
    copy = source.model_copy(deep=True)
    origin = {
        "notebook_id": source.meta.notebook_id,
        "cell_id": source.meta.cell_id,
        "revision": source.revision,
    }
    copy.meta.notebook_id, copy.meta.cell_id = target.notebook_id, target.cell_id
    copy.meta.forked_from = origin
    set_owner(copy, target.owner)
    copy.meta.revision = 0
    increment_revision(copy)
    return copy


def number_entries(
    log: Sequence[NotebookLogEntry], entries: Sequence[NewLogEntry]
) -> list[NotebookLogEntry]:
    """Return new entries for the change log ``log``, each with its ``seq``."""
    return number_entries_from(max((entry.seq for entry in log), default=0) + 1, entries)


def number_entries_from(start: int, entries: Sequence[NewLogEntry]) -> list[NotebookLogEntry]:
    """Number new entries from ``start``."""
    return [
        NotebookLogEntry.model_validate(codec.to_dict(entry) | {"seq": seq})
        for seq, entry in enumerate(entries, start)
    ]


def set_owner(session: Session, owner: str) -> None:
    """Set ``meta.owner``; if ``owner`` is empty, remove this key."""
    session.meta.owner = owner or None
    if not owner:
        session.meta.model_fields_set.discard("owner")  # so that the key isn't written


def find_problems(session: Session, key: SessionKey) -> str | None:
    """Return phrases for the session's inconsistencies, or None."""
    problems = []
    meta = session.meta
    if (meta.notebook_id, meta.cell_id) != (key.notebook_id, key.cell_id):
        problems.append("belongs to another cell")
    turn_ids = [turn.turn_id for turn in session.interactions]
    if turn_ids != sorted(set(turn_ids)):
        problems.append("request numbers are not in order")
    seqs = Counter(turn.seq for turn in session.interactions if turn.seq is not None)
    seqs.update(event.seq for event in session.events or [])
    if seqs and max(seqs.values()) > 1:
        problems.append("two records have the same sequence number")
    references = {
        turn_id
        for turn in session.interactions
        for turn_id in (turn.parent_turn_id, turn.repeats_turn_id)
    } - {None}
    if not references <= set(turn_ids):
        problems.append("a request refers to an earlier one that is missing")
    return "; ".join(problems) or None


def increment_revision(session: Session) -> bool:
    """Set the revision and the time for one more write; return True."""
    # Setting fields validates them again, which is slower (benchmarks/stores.py).
    changes = {"revision": session.revision + 1, "last_updated": utc_now()}
    session.meta = session.meta.model_copy(update=changes)
    return True


def summarise(session: Session) -> SessionSummary:
    """Return a summary with the beginnings of the last intent and the newest code."""
    meta = session.meta
    empty = SessionSummary(
        notebook_id=meta.notebook_id,
        cell_id=meta.cell_id,
        turns=0,
        events=0,
        revision=0,
        created_at=meta.created_at,
        last_updated="",
    )
    return extend_summary(empty, session.ordered(), session.revision, meta.last_updated)


def extend_summary(
    summary: SessionSummary,
    records: Iterable[Interaction | Event],
    revision: int,
    last_updated: str,
) -> SessionSummary:
    """Return what ``summarise`` returns after these records were appended."""
    extended = summary.model_copy(update={"revision": revision, "last_updated": last_updated})
    for record in records:
        if isinstance(record, Interaction):
            extended.turns += 1
            extended.failed += record.ai_response.status != "success"
            extended.last_intent = record.user_request.intent[:_MAX_SUMMARY_CHARS]
            extended.last_status = record.ai_response.status
            code: str | None = record.ai_response.suggestion
        else:
            extended.events += 1
            code = record.source
        if code:
            extended.last_source = _first_lines(code)
    return extended


def sort_and_slice(
    summaries: Iterable[SessionSummary], offset: int, limit: int | None
) -> tuple[list[SessionSummary], int]:
    """Sort summaries by notebook and cell id; return one page and the total number."""
    ordered = sorted(summaries, key=lambda summary: (summary.notebook_id, summary.cell_id))
    end = None if limit is None else offset + limit
    return ordered[offset:end], len(ordered)


def summary_marks(summaries: Iterable[SessionSummary]) -> dict[tuple[str, str], Hashable]:
    """Return a mark for each session, newest session first.

    It is the whole summary: some tools don't increment the revision.
    """
    ordered = sorted(summaries, key=lambda summary: summary.last_updated, reverse=True)
    return {
        (summary.notebook_id, summary.cell_id): tuple(vars(summary).values()) for summary in ordered
    }


def _first_lines(code: str) -> str:
    return "\n".join(code[:_MAX_SUMMARY_CHARS].split("\n")[:_MAX_SUMMARY_LINES])
