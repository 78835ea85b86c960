"""The searched text of a session: the fields of its turns, folded. Pure.

A turn's fields are its intent, its code, its explanation, and its errors: the turn's own and those
of the runs before the next turn.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, get_args

from ..models import Interaction, Session
from ..replay.ordering import to_seconds
from .normalize import fold

Field = Literal["intent", "code", "explanation", "error"]
FIELDS: tuple[Field, ...] = get_args(Field)

_TURN, _FIELD = "\x1e", "\x1f"


class TurnId(NamedTuple):
    """A turn's id in its cell and its time, which only orders turns with equal scores."""

    turn_id: int
    time: float


@dataclass(frozen=True)
class Entry:
    """The searched text of one session."""

    notebook_id: str
    cell_id: str
    turns: tuple[TurnId, ...] = ()
    text: str = ""
    """All fields of all turns, folded."""

    def texts(self) -> Iterator[tuple[TurnId, list[str]]]:
        """Each turn with its folded fields, in the order of ``FIELDS``."""
        for turn, fields in zip(self.turns, self.text.split(_TURN), strict=False):
            yield turn, fields.split(_FIELD)


def turns_in(text: str) -> int:
    """The number of turns in an entry's text."""
    return text.count(_TURN) + 1


def to_entry(session: Session) -> Entry:
    """Extract the searched text of a session."""
    turns, texts = [], []
    for turn, errors in turns_of(session):
        turns.append(TurnId(turn.turn_id, to_seconds(turn.timestamp)))
        fields = fields_of(turn, errors)
        texts.append(_FIELD.join(fold(fields[name]) for name in FIELDS))
    meta = session.meta
    return Entry(meta.notebook_id, meta.cell_id, tuple(turns), _TURN.join(texts))


def turns_of(session: Session) -> list[tuple[Interaction, list[str]]]:
    """The turns, oldest first, each with the errors of the runs before the next one."""
    turns: list[tuple[Interaction, list[str]]] = []
    for record in session.ordered():
        if isinstance(record, Interaction):
            turns.append((record, []))
        elif record.type == "run" and turns:
            error = _run_error(record.data or {})
            if error and error not in turns[-1][1]:
                turns[-1][1].append(error)
    return turns


def fields_of(turn: Interaction, errors: list[str]) -> dict[Field, str]:
    """A turn's fields, not folded."""
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
