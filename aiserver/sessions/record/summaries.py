"""Summarise sessions for lists. Pure.

Invariants: a summary updated by ``extend_summary`` equals ``summarise`` of the whole session, so a
store may store summaries separately.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable

from ...models import Event, Interaction, Session, SessionSummary

_MAX_CHARS = 500
_MAX_LINES = 10


def summarise(session: Session) -> SessionSummary:
    """Return a session's row in a list, with its last request and the start of its newest code."""
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
    summary: SessionSummary, items: Iterable[Interaction | Event], revision: int, last_updated: str
) -> SessionSummary:
    """Return the summary of a session after these records were appended."""
    row = summary.model_copy(update={"revision": revision, "last_updated": last_updated})
    for item in items:
        if isinstance(item, Interaction):
            row.turns += 1
            row.failed += item.ai_response.status != "success"
            row.last_intent = item.user_request.intent[:_MAX_CHARS]
            row.last_status = item.ai_response.status
            code: str | None = item.ai_response.suggestion
        else:
            row.events += 1
            code = item.source
        if code:
            row.last_source = _first_lines(code)
    return row


def page(
    summaries: Iterable[SessionSummary], offset: int, limit: int | None
) -> tuple[list[SessionSummary], int]:
    """Return a page of summaries, ordered by notebook and cell id, and their total number."""
    rows = sorted(summaries, key=lambda row: (row.notebook_id, row.cell_id))
    end = None if limit is None else offset + limit
    return rows[offset:end], len(rows)


def summary_marks(summaries: Iterable[SessionSummary]) -> dict[tuple[str, str], Hashable]:
    """Return a value per session that changes when the session does, newest session first.

    It covers the whole summary, since not every tool that writes sessions counts revisions.
    """
    rows = sorted(summaries, key=lambda row: row.last_updated, reverse=True)
    return {(row.notebook_id, row.cell_id): tuple(vars(row).values()) for row in rows}


def _first_lines(code: str) -> str:
    return "\n".join(code[:_MAX_CHARS].split("\n")[:_MAX_LINES])
