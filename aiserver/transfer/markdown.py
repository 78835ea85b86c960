"""Render a session as Markdown. Pure.

Invariant: no text can break out of its place. Code is in a fence longer than any run of backticks
in it, and prose is quoted line by line, so that none of its headings, fences or HTML become part of
the document.
"""

from __future__ import annotations

import html
import re

from ..models import Event, Interaction, Session
from ..sharing.fences import fenced, plain


def session_markdown(session: Session) -> str:
    """Render all turns and events of a session, in order."""
    meta = session.meta
    parts = [
        f"# Cell {meta.cell_id}",
        f"Notebook {meta.notebook_id} · {len(session.interactions)} requests · "
        f"{plain(meta.created_at)} to {plain(meta.last_updated)}",
    ]
    for item in session.ordered():
        parts += turn_markdown(item) if isinstance(item, Interaction) else _event(item)
    return "\n\n".join(parts) + "\n"


def turn_markdown(turn: Interaction) -> list[str]:
    """Return the paragraphs of a turn: request, code and explanation."""
    request, answer = turn.user_request, turn.ai_response
    facts = [plain(turn.timestamp)]
    facts += [plain(text) for text in (turn.model, turn.mode) if text]
    if answer.status != "success":
        facts.append("failed" if answer.status == "error" else "stopped")
    parts = [f"## {turn.turn_id}. {' · '.join(facts)}", _quoted(request.intent)]
    if request.current_code:
        parts += ["Cell before:", fenced(request.current_code, request.language)]
    if answer.suggestion:
        parts += ["Answer:", fenced(answer.suggestion, request.language)]
    if answer.explanation:
        parts.append(_quoted(answer.explanation))
    if answer.error:
        parts.append(f"Error: {plain(answer.error)}")
    return parts


def _event(event: Event) -> list[str]:
    about = f" (request {event.turn_id})" if event.turn_id else ""
    parts = [f"**{event.type}**{about} · {plain(event.timestamp)}"]
    if event.source:
        parts.append(fenced(event.source, ""))
    return parts


def _quoted(text: str) -> str:
    """Format a text as a block quote with HTML escaped."""
    safe = html.escape(text, quote=False) if "`" not in text else _escaped_outside_code(text)
    return "\n".join(f"> {line}".rstrip() for line in safe.splitlines() or [""])


def _escaped_outside_code(text: str) -> str:
    # Entities aren't decoded in code spans, where `<` is harmless.
    parts = re.split(r"(`+[^`]*`+)", text)
    return "".join(
        part if number % 2 else html.escape(part, quote=False) for number, part in enumerate(parts)
    )
