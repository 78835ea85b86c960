"""Render a session as Markdown. Pure functions.

Invariant: the texts of a session can't change the structure of the document. The fence around code
is longer than any sequence of backticks in the code. Prose is quoted line by line, so that a
heading or a fence in the prose stays inside the quote. HTML in the prose is escaped, except in code
spans, where it has no effect. A short text, such as a time or an error, becomes a part of one line.
Markdown in that line, such as ``*``, can affect only the line itself.
"""

from __future__ import annotations

import html
import re

from ..models import Event, Interaction, Session
from ..sharing.fences import escape_html_inline, fenced


def session_markdown(session: Session) -> str:
    """Render all turns and events of a session, in order."""
    meta = session.meta
    paragraphs = [
        f"# Cell {meta.cell_id}",
        f"Notebook {meta.notebook_id} · {len(session.interactions)} requests · "
        f"{escape_html_inline(meta.created_at)} to {escape_html_inline(meta.last_updated)}",
    ]
    for record in session.ordered():
        if isinstance(record, Interaction):
            paragraphs += turn_markdown(record)
        else:
            paragraphs += _event_markdown(record)
    return "\n\n".join(paragraphs) + "\n"


def turn_markdown(turn: Interaction) -> list[str]:
    """Return the paragraphs of a turn: request, code and explanation."""
    request, answer = turn.user_request, turn.ai_response
    heading_facts = [escape_html_inline(turn.timestamp)]
    heading_facts += [escape_html_inline(text) for text in (turn.model, turn.mode) if text]
    if answer.status != "success":
        heading_facts.append("failed" if answer.status == "error" else "stopped")
    heading = f"## {turn.turn_id}. {' · '.join(heading_facts)}"
    paragraphs = [heading, _quote(request.intent)]
    if request.current_code:
        paragraphs += ["Cell before:", fenced(request.current_code, request.language)]
    if answer.suggestion:
        paragraphs += ["Answer:", fenced(answer.suggestion, request.language)]
    if answer.explanation:
        paragraphs.append(_quote(answer.explanation))
    if answer.error:
        paragraphs.append(f"Error: {escape_html_inline(answer.error)}")
    return paragraphs


def _event_markdown(event: Event) -> list[str]:
    """Return the paragraphs of an event: its type and time, and the source that it recorded."""
    request_note = f" (request {event.turn_id})" if event.turn_id else ""
    paragraphs = [f"**{event.type}**{request_note} · {escape_html_inline(event.timestamp)}"]
    if event.source:
        paragraphs.append(fenced(event.source, ""))
    return paragraphs


def _quote(text: str) -> str:
    """Format a text as a block quote, and escape HTML in it."""
    safe = html.escape(text, quote=False) if "`" not in text else _escape_outside_code(text)
    return "\n".join(f"> {line}".rstrip() for line in safe.splitlines() or [""])


def _escape_outside_code(text: str) -> str:
    """Escape HTML, except in code spans, where ``<`` is harmless and ``&lt;`` isn't decoded."""
    # Because the pattern is a group, `re.split` also returns the code spans. Prose and code spans
    # alternate. The first piece is always prose, which may be empty.
    pieces = re.split(r"(`+[^`]*`+)", text)
    return "".join(
        piece if number % 2 else html.escape(piece, quote=False)
        for number, piece in enumerate(pieces)
    )
