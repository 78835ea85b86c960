"""Render a session as Markdown, in which its texts can't change the document. Pure."""

from __future__ import annotations

from ...models import Session
from ...replay import replay, request_numbers
from ..export.fences import escape_inline
from ..export.narrative import cell_history


def session_markdown(session: Session, *, only_latest: bool = False) -> str:
    """Render all steps of a session, or those from the last request, with their code in full."""
    meta = session.meta
    steps = replay(session)
    requests = request_numbers(steps)
    language = session.interactions[-1].user_request.language if session.interactions else ""
    if only_latest:
        first = requests[session.next_turn_id - 1][1].index
        return "\n\n".join(cell_history(steps, language, level=2, first=first, diffs=False)) + "\n"
    count = len({step.index for _, step in requests.values()})
    paragraphs = [
        f"# Cell {meta.cell_id}",
        f"Notebook {meta.notebook_id} · {count} {'request' if count == 1 else 'requests'} · "
        f"{escape_inline(meta.created_at)} to {escape_inline(meta.last_updated)}",
        *cell_history(steps, language, level=2, diffs=False),
    ]
    return "\n\n".join(paragraphs) + "\n"
