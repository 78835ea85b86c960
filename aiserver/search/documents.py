"""Extract the *searched text* of a session: the text in which a search looks. Pure.

Each turn has four searched fields: its intent (the text of the request), its code, its explanation
and its errors. The field for errors contains the error of the turn's generation, and the errors of
all runs between this turn and the next turn. If the request has a special mode, such as ``fix``,
the slash word of the mode is a further line of the intent. In the searched text, the fields are
folded (see ``normalize``), so that a search ignores case and accents.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, NamedTuple, get_args

from ..models import Interaction, Session
from ..replay.ordering import to_seconds
from ..replay.steps import run_error
from .normalize import fold

Field = Literal["intent", "code", "explanation", "error"]
FIELDS: tuple[Field, ...] = get_args(Field)

# The modes that are searched. The other modes are those of most turns.
_SPECIAL_MODES = {
    *("fix", "explain", "refactor", "document"),
    *("test", "visualise", "convert", "optimise"),
}

_MODE_LINE = re.compile(r"\n/[a-z]*\Z")

# The characters that separate turns and fields. A folded text contains neither of them.
_TURN_SEPARATOR, _FIELD_SEPARATOR = "\x1e", "\x1f"


class TurnId(NamedTuple):
    """The id and the time of a turn. The id is unique only among the turns of one cell."""

    turn_id: int
    time: float
    """Seconds since 1970. Turns with equal scores are sorted by their times."""


@dataclass(frozen=True)
class SessionText:
    """The searched text of one session."""

    notebook_id: str
    cell_id: str
    turns: tuple[TurnId, ...] = ()
    text: str = ""
    """All folded fields of all turns, joined with separators."""

    def fields_by_turn(self) -> Iterator[tuple[TurnId, list[str]]]:
        """Yield each turn with its four folded fields, in the order of ``FIELDS``."""
        for turn, fields in zip(self.turns, self.text.split(_TURN_SEPARATOR), strict=False):
            yield turn, fields.split(_FIELD_SEPARATOR)


def count_turns(text: str) -> int:
    """Return the number of turns in a ``SessionText.text``, which must have at least one turn."""
    return text.count(_TURN_SEPARATOR) + 1


def extract_text(session: Session) -> SessionText:
    """Extract the searched text of a session."""
    turns, texts = [], []
    for turn, errors in turns_of(session):
        turns.append(TurnId(turn.turn_id, to_seconds(turn.timestamp)))
        fields = fields_of(turn, errors)
        texts.append(_FIELD_SEPARATOR.join(fold(fields[name]) for name in FIELDS))
    meta = session.meta
    return SessionText(meta.notebook_id, meta.cell_id, tuple(turns), _TURN_SEPARATOR.join(texts))


def turns_of(session: Session) -> list[tuple[Interaction, list[str]]]:
    """Return the turns, oldest first, each with the errors of its runs.

    A run belongs to the last turn before it that isn't a request asked again of another model.
    Equal errors of one turn are listed once.
    """
    turns: list[tuple[Interaction, list[str]]] = []
    errors: list[str] | None = None  # those of the turn to which a run belongs
    for record in session.ordered():
        if isinstance(record, Interaction):
            turns.append((record, []))
            if record.repeats_turn_id is None:
                errors = turns[-1][1]
        elif record.type == "run" and errors is not None:
            error = run_error(record.data or {})
            if error and error not in errors:
                errors.append(error)
    return turns


def fields_of(turn: Interaction, errors: list[str]) -> dict[Field, str]:
    """Return the searched fields of a turn as they were written, not folded."""
    answer = turn.ai_response
    intent = turn.user_request.intent
    # With the slash word, a search for `/fix` also finds fixes that were requested in other words.
    slash_word = f"/{turn.mode}" if turn.mode in _SPECIAL_MODES else ""
    return {
        "intent": intent if intent.startswith(slash_word) else f"{intent}\n{slash_word}",
        "code": answer.suggestion,
        "explanation": answer.explanation,
        "error": "\n".join([answer.error, *errors] if answer.error else errors),
    }


def without_mode(intent: str) -> str:
    """Return the folded field of an intent without the line with the slash word of its mode."""
    return _MODE_LINE.sub("", intent)
