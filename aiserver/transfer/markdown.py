"""Render a session as Markdown. Pure functions.

Invariant: the texts of a session can't change the structure of the document. The fence around code
is longer than any sequence of backticks in the code. Prose is quoted line by line, so that a
heading or a fence in the prose stays inside the quote. HTML in the prose is escaped, except in code
spans, where it has no effect. A short text, such as a time or an error, becomes a part of one line.
Markdown in that line, such as ``*``, can affect only the line itself.
"""

from __future__ import annotations

import re
from typing import Any

from ..models import Event, Interaction, Session
from ..replay import Step, replay, request_numbers
from ..replay.steps import run_result, was_skipped
from ..sharing.fences import escape_html, escape_html_inline, fenced
from ..sharing.labels import OUTCOMES


def session_markdown(session: Session, *, only_latest: bool = False) -> str:
    """Render all turns and events of a session, in order, or only the last request."""
    meta = session.meta
    requests = request_numbers(replay(session))
    count = len({step.index for _, step in requests.values()})
    paragraphs = [
        f"# Cell {meta.cell_id}",
        f"Notebook {meta.notebook_id} · {count} {'request' if count == 1 else 'requests'} · "
        f"{escape_html_inline(meta.created_at)} to {escape_html_inline(meta.last_updated)}",
    ]
    records = session.ordered()
    if only_latest:
        paragraphs = []
        turn_ids = requests[session.next_turn_id - 1][1].turn_ids
        records = [turn for turn in session.interactions if turn.turn_id in turn_ids]
    for record in records:
        if isinstance(record, Interaction):
            paragraphs += _turn_markdown(record, *requests[record.turn_id])
        else:
            number = requests[record.turn_id][0] if record.turn_id in requests else 0
            paragraphs += _event_markdown(record, number)
    return "\n\n".join(paragraphs) + "\n"


def _turn_markdown(turn: Interaction, number: int, step: Step) -> list[str]:
    """Return the paragraphs of a turn: request, code and explanation.

    ``number`` is that of its request, and ``step`` the request's step. If the turn isn't the first
    one that answers the request, only what it was sent besides is repeated.
    """
    request, answer = turn.user_request, turn.ai_response
    facts = [escape_html_inline(text) for text in (turn.timestamp, turn.model, turn.mode) if text]
    if answer.status != "success":
        facts.append(OUTCOMES[answer.status])
    first_turn_id = step.attempts[0].turn_id if step.attempts else step.turn_id
    is_first = turn.turn_id == first_turn_id
    if is_first:
        heading = f"## {number}. " if number else "## Request · "
    else:
        heading = "### Another answer · "
    paragraphs = [heading + " · ".join(facts)]
    if is_first or request.intent != step.title:
        paragraphs.append(_quote(request.intent))
    if request.current_code and (is_first or request.current_code != step.asked_code):
        paragraphs += ["Cell before:", fenced(request.current_code, request.language)]
    if answer.suggestion:
        paragraphs += ["Answer:", fenced(answer.suggestion, request.language)]
    if answer.explanation:
        paragraphs.append(_quote(answer.explanation))
    if answer.error:
        paragraphs.append(f"Error: {escape_html_inline(answer.error)}")
    return paragraphs


def _event_markdown(event: Event, request_number: int) -> list[str]:
    """Return the paragraphs of an event: its type, result and time, and the source it recorded."""
    facts = [f"**{event.type}**" + (f" (request {request_number})" if request_number else "")]
    if event.type == "run":
        facts.append(_run_text(event.data or {}))
    paragraphs = [" · ".join(map(escape_html_inline, [*facts, event.timestamp]))]
    if event.source:
        paragraphs.append(fenced(event.source, ""))
    return paragraphs


def _run_text(data: dict[str, Any]) -> str:
    outcome, error = run_result(data)
    if was_skipped(data):
        return "not run"
    return error or ("ran" if outcome == "done" else OUTCOMES[outcome])


def _quote(text: str) -> str:
    """Format a text as a block quote, and escape HTML in it."""
    # HTML has no effect in code spans, and entities aren't decoded there. Because the pattern is a
    # group, `re.split` also returns the code spans: every second piece.
    pieces = re.split(r"(`+[^`]*`+)", text)
    pieces[::2] = map(escape_html, pieces[::2])
    return "\n".join(f"> {line}".rstrip() for line in "".join(pieces).splitlines() or [""])
