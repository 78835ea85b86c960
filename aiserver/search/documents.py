"""What of a session is searched: of each turn what was asked and answered, folded. Pure.

A turn's fields are its intent, its code, the words around the code, and what went wrong: the
turn's own error, and those of runs up to the next turn.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal, get_args

from ..models import Interaction, Session
from .normalize import folded

Where = Literal["intent", "code", "explanation", "error"]
FIELDS: tuple[Where, ...] = get_args(Where)

_TURN, _FIELD = "\x1e", "\x1f"
_EPOCH = datetime(1970, 1, 1).astimezone()


@dataclass(frozen=True)
class TurnName:
    """Which turn of its cell it is, and when it was; ``time`` serves equals alone."""

    turn_id: int
    time: float


@dataclass(frozen=True)
class Entry:
    """What of one session is searched."""

    notebook_id: str
    cell_id: str
    turns: tuple[TurnName, ...] = ()
    text: str = ""
    """All of it, folded."""

    def texts(self) -> Iterator[tuple[TurnName, list[str]]]:
        """Each turn with its folded fields, in the order of ``FIELDS``."""
        for turn, fields in zip(self.turns, self.text.split(_TURN), strict=False):
            yield turn, fields.split(_FIELD)


def turns_in(text: str) -> int:
    """How many turns an entry's text is of."""
    return text.count(_TURN) + 1


def entry_of(session: Session) -> Entry:
    """What of a session is searched."""
    turns, texts = [], []
    for turn, errors in turns_of(session):
        turns.append(TurnName(turn.turn_id, _time(turn.timestamp)))
        fields = fields_of(turn, errors)
        texts.append(_FIELD.join(folded(fields[name]) for name in FIELDS))
    meta = session.meta
    return Entry(meta.notebook_id, meta.cell_id, tuple(turns), _TURN.join(texts))


def turns_of(session: Session) -> list[tuple[Interaction, list[str]]]:
    """The turns, oldest first, each with the errors of the runs before the next one."""
    found: list[tuple[Interaction, list[str]]] = []
    for record in session.ordered():
        if isinstance(record, Interaction):
            found.append((record, []))
        elif record.type == "run" and found:
            error = _run_error(record.data or {})
            if error and error not in found[-1][1]:
                found[-1][1].append(error)
    return found


def fields_of(turn: Interaction, errors: list[str]) -> dict[Where, str]:
    """A turn's texts as they were written."""
    answer = turn.ai_response
    return {
        "intent": turn.user_request.intent,
        "code": answer.suggestion,
        "explanation": answer.explanation,
        "error": "\n".join([answer.error, *errors] if answer.error else errors),
    }


def _run_error(data: dict[str, Any]) -> str:
    parts = (data.get("ename"), data.get("evalue"))
    return ": ".join(part for part in parts if isinstance(part, str) and part)


def _time(stamp: str) -> float:
    # Python 3.10 knows no "Z", and digits of a second by threes alone.
    text = stamp.upper().replace("Z", "+00:00").replace(" ", "T")
    try:
        head, _, rest = text.partition(".")
        zone = rest.lstrip("0123456789") if rest else ""
        return (datetime.fromisoformat(head + zone).astimezone() - _EPOCH).total_seconds()
    except (ValueError, OverflowError):
        return 0.0
