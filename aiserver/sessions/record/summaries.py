"""Summarise sessions for lists. Pure.

Invariants: extending the summary of a session (``extend_summary``) gives the same result as
summarising the extended session (``summarise``). So a store may save summaries, and extend a
summary with each write.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable

from ...models import Event, Interaction, Session, SessionSummary

# The maximum length of each text in a summary. The maximum number of lines applies only to code.
_MAX_CHARS = 500
_MAX_LINES = 10


def summarise(session: Session) -> SessionSummary:
    """Return a session's summary, with the beginnings of its last intent and of its newest code."""
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
    """Sort summaries by notebook and cell id, and return a slice and the total number.

    The slice begins at ``offset`` and has at most ``limit`` summaries.
    """
    ordered = sorted(summaries, key=lambda summary: (summary.notebook_id, summary.cell_id))
    end = None if limit is None else offset + limit
    return ordered[offset:end], len(ordered)


def summary_marks(summaries: Iterable[SessionSummary]) -> dict[tuple[str, str], Hashable]:
    """Return a mark for each session, newest session first.

    A mark is a value that changes with the session. Here, it consists of the whole summary and not
    only of the revision, because some tools change sessions without incrementing the revision.
    """
    ordered = sorted(summaries, key=lambda summary: summary.last_updated, reverse=True)
    return {
        (summary.notebook_id, summary.cell_id): tuple(vars(summary).values()) for summary in ordered
    }


def _first_lines(code: str) -> str:
    return "\n".join(code[:_MAX_CHARS].split("\n")[:_MAX_LINES])
