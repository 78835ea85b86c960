"""Extract the texts of turns in which a search looks, and build its hits. Pure.

Each turn has four fields: its intent (the text of the request), its code, its explanation and its
errors. The errors are the error of its generation, and those of all runs between it and the next
turn. If the request has a special mode, such as ``fix``, the slash word of the mode is a further
line of the intent.

A change that an agent made at once, without a proposal, is searched like a turn, too. Its number is
negative: ``-seq`` of its event.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from ...models import AIResponse, Event, Interaction, NewTurn, Session, UserRequest
from ...payload import Payload, nullable
from ...replay import Step, replay
from ...replay.ordering import to_seconds
from ...replay.step import ContributorKind, intent_of, proposer_of
from ...replay.steps import run_error
from ..local_models.labels import model_label
from .query import Term, author_lines, find, fold, squeeze

Field = Literal["intent", "code", "explanation", "error"]
FIELD_WEIGHTS: dict[Field, float] = {"intent": 3.0, "code": 1.5, "explanation": 1.0, "error": 1.5}

# The modes that are searched. The other modes are those of most turns.
_SPECIAL_MODES = {
    *("fix", "explain", "refactor", "document"),
    *("test", "visualise", "convert", "optimise"),
}
_CHANGES = ("edit", "split", "merge")  # events with a source that an agent may have written
_MODE_LINE = re.compile(r"\n/[a-z]*\Z")

_MAX_CHARS = 160  # of the line that is displayed
_CHARS_BEFORE_MATCH = 40  # displayed before the first match if the line's beginning is cut off


@dataclass(frozen=True)
class Piece(Payload):
    """A piece of the displayed line. ``is_hit``: it matches a term."""

    text: str
    is_hit: bool


class ScoredTurn(NamedTuple):
    """A matching turn with its score, from which ``hits_of`` builds a hit."""

    notebook_id: str
    cell_id: str
    turn_id: int
    score: float


@dataclass(frozen=True)
class Hit(Payload):
    """A matching turn, with everything that the interface displays about it."""

    notebook_id: str
    cell_id: str
    turn_id: int | None
    """Null for a change that an agent made at once."""
    seq: int
    step: int
    """The index of the turn's step in the cell's replay."""
    timestamp: str
    author: ContributorKind
    """The author of the code: the model that answered, or an agent."""
    model: str | None
    intent: str
    where: Field
    """The field that matches best; the intent if none contains a term. The snippet is a line of it.
    """
    snippet: list[Piece]
    score: float
    name: str | None = None
    """The name of the agent."""
    run: str | None = None
    """The id of the agent's run."""
    path: str | None = nullable()
    """The notebook's current path; null if it is unknown."""


@dataclass(frozen=True)
class SearchByMeaning(Payload):
    """Whether search by meaning is available, or the command that installs its package."""

    is_available: bool
    install: str | None = nullable()


@dataclass(frozen=True)
class SearchResult(Payload):
    """The requested range of the hits of a search."""

    hits: list[Hit] = field(default_factory=list, metadata={"name": "results"})
    total: int = 0
    """The number of hits, including the hits outside of the requested range."""
    unread: int = 0
    """The number of sessions that weren't searched, because they haven't been read yet or, in a
    search by meaning, the number of turns without embeddings. Unless it is 0, repeating the request
    can find more."""
    meaning: SearchByMeaning = SearchByMeaning(False)


class SearchedTexts(NamedTuple):
    """A turn as the index stores it."""

    number: int
    time: float
    """The seconds since 1970."""
    authors: str
    """See ``author_lines``."""
    run: str
    fields: tuple[str, ...]
    """The folded texts, in the order of ``FIELD_WEIGHTS``."""


def texts_of(session: Session) -> list[SearchedTexts]:
    """Return what the index stores of each turn, oldest first.

    A turn often has the code of the previous one again. Its code has only the other lines, so that
    a search finds the turn that wrote them.
    """
    texts = []
    previous: set[str] = set()
    for number, turn, errors in turns_of(session):
        fields = fields_of(turn, errors)
        lines = fields["code"].splitlines()
        fields["code"] = "\n".join(line for line in lines if line not in previous)
        previous = set(lines) or previous
        folded = tuple(fold(fields[name]) for name in FIELD_WEIGHTS)
        time, run = to_seconds(turn.timestamp), squeeze(turn.run or "")
        texts.append(SearchedTexts(number, time, _authors(turn), run, folded))
    return texts


def _authors(turn: NewTurn) -> str:
    """Return the authors of a turn: of a request, the person who asked and the model."""
    author = proposer_of(turn)
    kinds = ("person", "model") if author.kind == "model" else (author.kind,)
    names = (author.name, turn.user, turn.model, turn.model and model_label(turn.model))
    return author_lines(kinds, filter(None, names))


def turns_of(session: Session) -> list[tuple[int, NewTurn, list[str]]]:
    """Return the turns and the agents' changes, oldest first, each with its number and errors.

    A run belongs to the last turn before it that isn't a request asked again of another model.
    Equal errors of one turn are listed once.
    """
    turns: list[tuple[int, NewTurn, list[str]]] = []
    errors: list[str] | None = None  # those of the turn to which a run belongs
    for record in session.ordered():
        if isinstance(record, Interaction):
            turns.append((record.turn_id, record, []))
            if record.repeats_turn_id is None:
                errors = turns[-1][2]
        elif (change := _change_of_agent(record)) is not None:
            turns.append((-record.seq, change, errors := []))
        elif record.type == "run" and errors is not None:
            error = run_error(record.data or {})
            if error and error not in errors:
                errors.append(error)
    return turns


def _change_of_agent(event: Event) -> NewTurn | None:
    """Return the turn as which a change that an agent made at once is searched; else None."""
    contributor = event.contributor
    is_change = event.type in _CHANGES and event.source is not None
    if not is_change or contributor is None or contributor.kind != "agent":
        return None
    return NewTurn(
        timestamp=event.timestamp,
        user_request=UserRequest(intent=intent_of(event)),
        ai_response=AIResponse(suggestion=event.source or "", status="success"),
        contributor=contributor,
        run=event.run,
    )


def fields_of(turn: NewTurn, errors: list[str]) -> dict[Field, str]:
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


def hits_of(
    scored_turns: Sequence[ScoredTurn], session: Session, terms: Sequence[Term]
) -> dict[ScoredTurn, Hit]:
    """Build the hits for the matching turns of one session; return a dict from turns to hits.

    The dict lacks the turns that the session no longer contains.
    """
    # Of several turns with the same id, the first one is used: it is assigned last.
    turn_by_number = {
        number: (turn, errors) for number, turn, errors in reversed(turns_of(session))
    }
    steps = {number: step for step in reversed(replay(session)) for number in _numbers(step)}
    hits: dict[ScoredTurn, Hit] = {}
    for scored in scored_turns:
        number = scored.turn_id
        if number in turn_by_number:
            turn, errors = turn_by_number[number]
            author, step = proposer_of(turn), steps[number]
            fields = fields_of(turn, errors)
            weights = {
                name: (weight * coverage(fold(fields[name]), terms), bool(fields[name].strip()))
                for name, weight in FIELD_WEIGHTS.items()
            }
            where = max(weights, key=lambda name: weights[name])
            hits[scored] = Hit(
                notebook_id=scored.notebook_id,
                cell_id=scored.cell_id,
                turn_id=number if number > 0 else None,
                seq=step.seq,
                step=step.index,
                timestamp=turn.timestamp,
                author=author.kind,
                model=turn.model,
                intent=turn.user_request.intent,
                where=where,
                snippet=snippet(fields[where], terms),
                score=scored.score,
                name=author.name,
                run=turn.run,
            )
    return hits


def _numbers(step: Step) -> set[int]:
    """Return the numbers of the turns that a step shows, or of the agent's change."""
    if step.kind == "turn":
        return step.turn_ids
    return {-step.seq} if step.event in _CHANGES else set()


def snippet(text: str, terms: Sequence[Term]) -> list[Piece]:
    """Return the line of a text that matches the terms best, split into pieces.

    A line of more than ``_MAX_CHARS`` characters is truncated. If the text has no line with
    content, return no pieces.
    """
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    if not lines:
        return []
    line = max(lines, key=lambda line: coverage(fold(line), terms))
    folded = fold(line)
    parts = ([term.text] if term.text in folded else term.parts for term in terms)
    matches = find(line, [text for texts in parts for text in texts])
    start = (
        max(0, matches[0][0] - _CHARS_BEFORE_MATCH) if matches and matches[0][1] > _MAX_CHARS else 0
    )
    end = min(len(line), start + _MAX_CHARS)
    pieces: list[Piece] = [Piece("…", False)] if start else []
    position = start
    for match_start, match_end in matches:
        match_start, match_end = max(match_start, position), min(match_end, end)
        if match_start >= match_end:
            continue  # the match is in a part of the line that isn't displayed
        if match_start > position:
            pieces.append(Piece(line[position:match_start], False))
        pieces.append(Piece(line[match_start:match_end], True))
        position = match_end
    if position < end or end < len(line):
        pieces.append(Piece(line[position:end] + ("…" if end < len(line) else ""), False))
    return pieces


def coverage(text: str, terms: Sequence[Term]) -> float:
    """Return how many terms a folded text contains. Parts of a term count half."""
    return sum(
        1.0
        if term.text in text
        else 0.5 * sum(part in text for part in term.parts) / max(len(term.parts), 1)
        for term in terms
    )
