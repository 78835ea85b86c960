"""Build sessions for tests, record by record."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from aiserver.models import NotebookLogEntry, Session, SessionKey, new_session
from aiserver.replay import Step, Timeline, replay

NOW = "2026-01-27T10:00:00.000Z"


class SessionBuilder:
    """Builds the session of a cell: turns and events, each with its seq."""

    def __init__(self, cell_id: str = "cell") -> None:
        self.cell_id = cell_id
        self.turns: list[dict[str, Any]] = []
        self.events: list[dict[str, Any]] = []
        self.time = NOW

    @property
    def seq(self) -> int:
        return len(self.turns) + len(self.events) + 1

    def turn(
        self,
        current: str,
        suggestion: str,
        status: str = "success",
        intent: str = "do it",
        **fields: Any,
    ) -> int:
        number = len(self.turns) + 1
        self.turns.append(
            {
                "turn_id": number,
                "seq": self.seq,
                "timestamp": self.time,
                "user_request": {
                    "intent": intent,
                    "current_code": current,
                    "language": "python",
                },
                "ai_response": {
                    "suggestion": suggestion,
                    "explanation": "why",
                    "status": status,
                    "error": "It broke." if status == "error" else None,
                },
                "model": "local:qwen",
                **fields,
            }
        )
        return number

    def event(self, type: str, **fields: Any) -> None:
        self.events.append({"seq": self.seq, "type": type, "timestamp": self.time, **fields})

    def accepted_turn(self, current: str, suggestion: str, **fields: Any) -> None:
        """Add a turn whose suggestion is accepted completely."""
        self.event("accept", turn_id=self.turn(current, suggestion, **fields), source=suggestion)

    def session(self, **meta: Any) -> Session:
        meta = new_session(SessionKey("nb", self.cell_id), NOW).meta.to_dict() | meta
        return Session.model_validate(
            {"meta": meta, "interactions": self.turns, "events": self.events}
        )

    def replay(self) -> list[Step]:
        return replay(self.session())


def log(
    *entries: tuple[str, dict[str, Any]] | tuple[str, dict[str, Any], str],
) -> list[NotebookLogEntry]:
    """A notebook's log with entries ``(type, data)`` or ``(type, data, timestamp)``."""
    return [
        NotebookLogEntry(seq=seq, type=entry[0], data=entry[1], timestamp=(*entry, NOW)[2])
        for seq, entry in enumerate(entries, 1)
    ]


def create_timeline(sessions: Iterable[Session], log: Sequence[NotebookLogEntry]) -> Timeline:
    """The timeline of a notebook with these sessions and this log."""
    return Timeline({session.meta.cell_id: replay(session) for session in sessions}, log)
