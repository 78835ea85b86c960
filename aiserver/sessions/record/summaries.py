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
    items = session.ordered()
    turns = [item for item in items if isinstance(item, Interaction)]
    codes = (
        item.ai_response.suggestion if isinstance(item, Interaction) else item.source
        for item in reversed(items)
    )
    newest = next((code for code in codes if code), "")
    return SessionSummary(
        notebook_id=session.meta.notebook_id,
        cell_id=session.meta.cell_id,
        turns=len(turns),
        failed=sum(turn.ai_response.status != "success" for turn in turns),
        events=len(items) - len(turns),
        revision=session.revision,
        created_at=session.meta.created_at,
        last_updated=session.meta.last_updated,
        last_intent=turns[-1].user_request.intent[:_MAX_CHARS] if turns else "",
        last_status=turns[-1].ai_response.status if turns else None,
        last_source=_first_lines(newest),
    )


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
