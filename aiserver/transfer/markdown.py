"""A session as Markdown that a person reads. Pure.

What must hold: whatever a text holds, it can't leave its place: code stands in a fence longer than
any run of backticks in it, and words of others are quoted line by line, so that no heading, fence
or HTML of theirs becomes the document's.
"""

from __future__ import annotations

import html
import re

from ..models import Event, Interaction, Session
from ..sharing.fences import fenced
from ..sharing.fences import plain as _plain


def session_markdown(session: Session) -> str:
    """All turns and events of a session, in their order."""
    meta = session.meta
    parts = [
        f"# Cell {meta.cell_id}",
        f"Notebook {meta.notebook_id} · {len(session.interactions)} requests · "
        f"{_plain(meta.created_at)} to {_plain(meta.last_updated)}",
    ]
    for item in session.ordered():
        parts += turn_markdown(item) if isinstance(item, Interaction) else _event(item)
    return "\n\n".join(parts) + "\n"


def turn_markdown(turn: Interaction) -> list[str]:
    """One turn: what was asked, the code, and what was said of it."""
    asked, answer = turn.user_request, turn.ai_response
    told = [_plain(turn.timestamp)]
    told += [_plain(one) for one in (turn.model, turn.mode) if one]
    if answer.status != "success":
        told.append("failed" if answer.status == "error" else "stopped")
    parts = [f"## {turn.turn_id}. {' · '.join(told)}", _quoted(asked.intent)]
    if asked.current_code:
        parts += ["Cell before:", fenced(asked.current_code, asked.language)]
    if answer.suggestion:
        parts += ["Answer:", fenced(answer.suggestion, asked.language)]
    if answer.explanation:
        parts.append(_quoted(answer.explanation))
    if answer.error:
        parts.append(f"Error: {_plain(answer.error)}")
    return parts


def _event(event: Event) -> list[str]:
    about = f" (request {event.turn_id})" if event.turn_id else ""
    parts = [f"**{event.type}**{about} · {_plain(event.timestamp)}"]
    if event.source:
        parts.append(fenced(event.source, ""))
    return parts


def _quoted(text: str) -> str:
    """Words as a quote, where HTML is text."""
    safe = html.escape(text, quote=False) if "`" not in text else _escaped_outside_code(text)
    return "\n".join(f"> {line}".rstrip() for line in safe.splitlines() or [""])


def _escaped_outside_code(text: str) -> str:
    # Between backticks an entity would be shown as it is written: there `<` can do no harm.
    parts = re.split(r"(`+[^`]*`+)", text)
    return "".join(
        part if number % 2 else html.escape(part, quote=False) for number, part in enumerate(parts)
    )
