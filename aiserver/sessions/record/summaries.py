"""Summarise sessions for lists. Pure.

Invariants: ``extend_summary`` returns the same summary as ``summarise`` for the whole session, so a
store may store the summaries and extend them with each write.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable

from ...models import Event, Interaction, Session, SessionSummary

_MAX_CHARS = 500
_MAX_LINES = 10


def summarise(session: Session) -> SessionSummary:
    """Return a session's summary, with its last request and the beginning of its newest code."""
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
    """Return the summary of a session after these records were appended."""
    extended = summary.model_copy(update={"revision": revision, "last_updated": last_updated})
    for record in records:
        if isinstance(record, Interaction):
            extended.turns += 1
            extended.failed += record.ai_response.status != "success"
            extended.last_intent = record.user_request.intent[:_MAX_CHARS]
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
    """Sort summaries by notebook and cell id; return those from ``offset`` on, and the total.

    At most ``limit`` summaries are returned.
    """
    rows = sorted(summaries, key=lambda row: (row.notebook_id, row.cell_id))
    end = None if limit is None else offset + limit
    return rows[offset:end], len(rows)


def summary_marks(summaries: Iterable[SessionSummary]) -> dict[tuple[str, str], Hashable]:
    """Return a mark for each session, newest first: a value that changes with the session.

    The mark contains the whole summary, because some tools write sessions without counting
    revisions.
    """
    rows = sorted(summaries, key=lambda row: row.last_updated, reverse=True)
    return {(row.notebook_id, row.cell_id): tuple(vars(row).values()) for row in rows}


def _first_lines(code: str) -> str:
    return "\n".join(code[:_MAX_CHARS].split("\n")[:_MAX_LINES])
