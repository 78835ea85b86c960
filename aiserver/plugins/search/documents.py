"""Extract the texts of a session in which a search looks. Pure.

Each turn has four fields: its intent (the text of the request), its code, its explanation and its
errors. The errors are the error of its generation, and those of all runs between it and the next
turn. If the request has a special mode, such as ``fix``, the slash word of the mode is a further
line of the intent.
"""

from __future__ import annotations

import re
from typing import Literal

from ...models import Interaction, Session
from ...replay.ordering import to_seconds
from ...replay.steps import run_error
from .normalize import fold

Field = Literal["intent", "code", "explanation", "error"]
FIELD_WEIGHTS: dict[Field, float] = {"intent": 3.0, "code": 1.5, "explanation": 1.0, "error": 1.5}

# The modes that are searched. The other modes are those of most turns.
_SPECIAL_MODES = {
    *("fix", "explain", "refactor", "document"),
    *("test", "visualise", "convert", "optimise"),
}
_MODE_LINE = re.compile(r"\n/[a-z]*\Z")


def texts_of(session: Session) -> list[tuple[int, float, tuple[str, ...]]]:
    """Return the id, the time in seconds since 1970, and the texts of each turn, oldest first.

    The texts are folded (see ``normalize``), in the order of ``FIELD_WEIGHTS``. A turn often has
    the code of the previous one again. Its code has only the other lines, so that a search finds
    the turn that wrote them.
    """
    texts = []
    previous: set[str] = set()
    for turn, errors in turns_of(session):
        fields = fields_of(turn, errors)
        lines = fields["code"].splitlines()
        fields["code"] = "\n".join(line for line in lines if line not in previous)
        previous = set(lines) or previous
        folded = tuple(fold(fields[name]) for name in FIELD_WEIGHTS)
        texts.append((turn.turn_id, to_seconds(turn.timestamp), folded))
    return texts


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
