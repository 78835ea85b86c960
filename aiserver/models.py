"""Stored records: sessions, turns, events and change log entries. Pure data, no I/O.

Invariants:

- Other tools rely on the keys of version 1.0 and on their nesting. The JSON Schemas in
  ``aiserver/schemas`` publish them; ``python -m aiserver.schemas`` writes these files.
- Unknown keys are preserved and written back (``extra="allow"``).
- A record is written with exactly the keys that were set. So if a file is read and written again,
  nothing is added to it except for new records.
- ``interactions`` and ``events`` are append-only. Their records share one counter, ``seq``, which
  alone defines their order; timestamps never do.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime, timezone
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from .errors.base import InvalidField
from .surrogates import fix_surrogates

SCHEMA_VERSION = "1.0"
ID_PATTERN = r"^[A-Za-z0-9_-]{1,64}$"
_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")  # for `fullmatch`: `$` would allow a newline at the end

CONDENSED_TURNS = "condensed_turns"  # the type of an event with a summary of older turns

PROSE_LANGUAGES = ("markdown", "text")  # of cells that contain prose: Markdown and raw cells

Status = Literal["success", "error", "cancelled"]


def utc_now() -> str:
    """Return the current time in the stored form: ISO 8601 in UTC, with milliseconds and ``Z``."""
    return datetime.now(timezone.utc).isoformat(timespec="milliseconds")[: -len("+00:00")] + "Z"


# Matches the times of RFC 3339, and also times without an offset. Only the date and the time of day
# are then passed to `fromisoformat`, because in Python 3.10 it rejects some fractions and offsets.
_TIME = re.compile(
    r"([0-9]{4}-[0-9]{2}-[0-9]{2})[Tt ]([0-9]{2}:[0-9]{2}:[0-9]{2})"
    r"(?:\.[0-9]+)?(?:[Zz]|[+-][0-9]{2}:[0-9]{2})?"
)


def _validate_time(value: str) -> str:
    match = _TIME.fullmatch(value)
    if match is None:
        raise ValueError("must be a time like 2026-01-27T10:00:00.000Z")
    datetime.fromisoformat(f"{match[1]}T{match[2]}")
    return value


def _validate_id(value: str) -> str:
    if not _ID.fullmatch(value):
        raise ValueError("must be 1 to 64 of the characters A-Z a-z 0-9 _ -")
    return value


# A time is stored as text, so that it is written back exactly as it was read.
Timestamp = Annotated[str, AfterValidator(_validate_time)]
# Lone surrogates that another tool has written are replaced, since they can't be sent or displayed.
Text = Annotated[str, AfterValidator(fix_surrogates)]
# This is nbformat's rule for cell ids. It also applies to notebook ids.
Id = Annotated[str, AfterValidator(_validate_id), Field(json_schema_extra={"pattern": ID_PATTERN})]


@dataclass(frozen=True, order=True)
class SessionKey:
    """Identifies one session. Raises InvalidField for an id that breaks nbformat's rule."""

    notebook_id: str
    cell_id: str
    owner: str = ""

    def __post_init__(self) -> None:
        check_id("notebookId", self.notebook_id)
        check_id("cellId", self.cell_id)


def is_id(value: str) -> bool:
    """Return whether a text is a valid notebook or cell id."""
    return _ID.fullmatch(value) is not None


def check_id(field: str, value: str) -> str:
    """Return ``value`` if it is a valid id. Otherwise, raise InvalidField for ``field``."""
    if not isinstance(value, str) or not _ID.fullmatch(value):
        raise InvalidField(field, "must be 1 to 64 of the characters A-Z a-z 0-9 _ -")
    return value


class Stored(BaseModel):
    """Base class of all stored records. Unknown keys are preserved; unset keys aren't written."""

    model_config = ConfigDict(extra="allow", validate_assignment=True, defer_build=True)

    def to_dict(self) -> dict[str, Any]:
        """Return the record as JSON-ready data, with exactly the keys that were set."""
        return self.model_dump(mode="json", exclude_unset=True)


class UserRequest(Stored):
    """A person's request, and the code of the cell at that time."""

    intent: Text
    """The request in the person's words."""
    current_code: Text = ""
    """The cell's code at the time of the request."""
    language: Text = "python"
    """The cell's language: the language of the kernel or of a cell magic, `markdown` or `text`."""


class AIResponse(Stored):
    """A model's answer. ``suggestion`` is code only, without a Markdown fence."""

    suggestion: Text
    """The code of the answer. After an error or a stop, the part of it that was received."""
    explanation: Text = ""
    """The model's text around the code; may be empty."""
    status: Status
    """The outcome of the turn. Failed and stopped turns are also stored."""
    error: Text | None = None
    """If the status is `error`, the message that tells the person the reason."""
    replaced_characters: list[Text] | None = None
    """What AI Server replaced in the suggestion because it wasn't code: `spaces` (other than the
    ordinary one), `invisible` (characters), `entities` (of HTML), `quotes` (typographic ones),
    `prompts` (of an interactive session), `stop_tokens`, or what a later version adds."""
    thoughts: Text | None = None
    """The model's thoughts before its answer, for people only: they are never sent to a model. Long
    thoughts are cut, and then end with `[…]`."""


class Contributor(Stored):
    """The contributor of a change: a person, a model, a program, …"""

    kind: Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]{0,31}$")]
    """`person`, `model`, `agent`, `program`, `unknown`, or a kind that a later version adds."""
    name: Text | None = None
    """The contributor's name if it is known, such as `jupyter-mcp-server`."""
    version: Text | None = None
    """The version of an agent or program, if it is known."""


class _TurnId(Stored):
    turn_id: Annotated[int, Field(ge=1)]
    """The turn's number within the cell, from 1."""


class NewTurn(Stored):
    """A turn that has not been saved. The store assigns ``turn_id`` and ``seq`` when saving it.

    Create ``user_request`` and ``ai_response`` with all their keys set, since a file contains
    exactly the keys that were set.
    """

    timestamp: Timestamp
    """Time of the request; ISO 8601, UTC. For people only: `turn_id` and `seq` define the order."""
    user_request: UserRequest
    ai_response: AIResponse
    seq: Annotated[int, Field(ge=1)] | None = None
    """The position among all turns and events of the cell, from 1."""
    mode: str | None = None
    """The kind of request: `create`, `edit`, `fix`, …; `repair` if the page asked for a correction
    of an answer, `analyze` if the person chose DataFrames to analyse."""
    model: str | None = None
    """The model that answered, as `provider:name`."""
    usage: dict[str, Any] | None = None
    """The tokens used, as counted by the provider. `input_tokens` includes `cached_tokens`."""
    cost: Any = None
    """The cost in US dollars, at the prices of the list that was installed then."""
    timing: dict[str, Any] | None = None
    """Milliseconds from the request to the first token (`first_token`) and the end (`total`)."""
    user: str | None = None
    """The person who asked, if several people share a server."""
    dataframes: list[dict[str, Any]] | None = None
    """Names, shapes and dtypes of the request's DataFrames, which later requests use again.

    If the person chose to send statistics to a remote model, also the level and the statistics."""
    context: list[dict[str, Any]] | None = None
    """The receipt of the prompt: the name and the number of tokens of each item, but no texts."""
    prompt: Any = None
    """The SHA-256 of the blob with the messages of the prompt, without secrets."""
    parent_turn_id: Annotated[int, Field(ge=1)] | None = None
    """The id of the turn that this turn continues from, if that is not the previous turn."""
    repeats_turn_id: Annotated[int, Field(ge=1)] | None = None
    """The id of the turn whose request is asked again, of another model, in a branch of its own."""
    selection: dict[str, int] | None = None
    """The lines that were to change, counted from 1: `{"first": 2, "last": 4}`."""
    contributor: Contributor | None = None
    """The agent that proposes the code; without one, a person asked and a model answered."""
    run: Text | None = None
    """The id of the agent's run to which the proposal belongs."""
    data: dict[str, Any] | None = None
    """Of a proposal: the `tool`, the id of the `call`, and the SHA-256 of the source that the agent
    saw (`base`)."""


class Interaction(NewTurn, _TurnId):
    """One saved AI turn."""  # because of the order of the base classes, turn_id is written first


class _Seq(Stored):
    seq: Annotated[int, Field(ge=1)]
    """The position among the records of a cell or the entries of a log, from 1."""


class NewEvent(Stored):
    """An event that has not been saved: anything that happens to a cell, except a turn.

    ``type`` is one of edit, run, accept, reject, restore, context_reset, split, merge, copy,
    delete, undelete, condensed_turns, or a type that a later version adds.
    """

    type: Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]{0,31}$")]
    """The type of the event."""
    timestamp: Timestamp
    """Time of the event; for people, not for the order."""
    source: Text | None = None
    """The cell's code after the event."""
    turn_id: Annotated[int, Field(ge=1)] | None = None
    """The id of the turn that the event is about."""
    data: dict[str, Any] | None = None
    """Further details of the event."""
    id: Text | None = None
    """An id chosen by the sender. An event that is sent again with the same id is stored once."""
    contributor: Contributor | None = None
    """The contributor of the event. A missing contributor, as in older records, means a person."""
    run: Text | None = None
    """The id of the agent's run to which the event belongs."""


class Event(NewEvent, _Seq):
    """One saved event."""


class SessionMeta(Stored):
    """Identity and state of a session."""

    version: Annotated[str, Field(pattern=r"^\d+\.\d+$")] = SCHEMA_VERSION
    """Version of the format. A session with a newer major version can be read, but not changed."""
    notebook_id: Id
    """The notebook's `metadata.aiserver.notebook_id`."""
    cell_id: Id
    """The cell's nbformat id."""
    created_at: Timestamp
    last_updated: Timestamp
    revision: Annotated[int, Field(ge=0)] | None = None
    """The number of writes to the session."""
    owner: str | None = None
    """The owner, if several people share a store."""
    forked_from: dict[str, Any] | None = None
    """The session that this session was copied from: `notebook_id`, `cell_id`, `revision`."""
    parents: list[dict[str, Any]] | None = None
    """The sessions of the cells that were merged into this cell."""
    merged: list[dict[str, Any]] | None = None
    """The merges of git branches that renumbered records of this session. Each merge has an `id`,
    and `seqs`, a list of ranges: [first old seq, last old seq, first new seq]."""


class Session(Stored):
    """The stored record of one cell: its turns and events."""

    meta: SessionMeta
    interactions: list[Interaction]
    """The AI turns. Append-only."""
    events: list[Event] | None = None
    """The events between the turns. Append-only."""

    @property
    def revision(self) -> int:
        """The number of writes; 0 for a session that is unsaved or stored without a revision."""
        return self.meta.revision or 0

    @property
    def next_turn_id(self) -> int:
        """The id of the next turn."""
        return max((turn.turn_id for turn in self.interactions), default=0) + 1

    @property
    def next_seq(self) -> int:
        """The next value of the counter that turns and events share.

        Turns may have no ``seq``, so this value is also higher than the number of turns.
        """
        seqs = [turn.seq or 0 for turn in self.interactions]
        seqs += [event.seq for event in self.events or []]
        return max([*seqs, len(self.interactions)], default=0) + 1

    def ordered(self) -> list[Interaction | Event]:
        """Return turns and events in the order in which they happened, by ``seq``, not by time.

        A turn without ``seq`` follows the turn with the preceding ``turn_id``. An event with the
        same ``seq`` as a turn follows that turn.
        """
        numbered: list[tuple[int, int, Interaction | Event]] = []
        seq = 0
        for turn in sorted(self.interactions, key=lambda turn: turn.turn_id):
            seq = turn.seq if turn.seq is not None else seq + 1
            numbered.append((seq, 0, turn))
        numbered += [(event.seq, 1, event) for event in self.events or []]
        return [record for _, _, record in sorted(numbered, key=lambda entry: entry[:2])]

    def until(self, seq: int) -> Session:
        """Return the session as it was after the record with this ``seq``."""
        return self.model_copy(
            update={
                "interactions": [turn for turn in self.interactions if (turn.seq or 0) <= seq],
                "events": [event for event in self.events or [] if event.seq <= seq],
            }
        )

    def history(self) -> list[Interaction]:
        """Return the turns since the last ``context_reset``, oldest first."""
        turns: list[Interaction] = []
        for record in self.ordered():
            if isinstance(record, Interaction):
                turns.append(record)
            elif record.type == "context_reset":
                turns.clear()
        return turns


class SessionSummary(BaseModel):
    """A short description of one session, for lists of sessions.

    ``turns``, ``failed`` and ``events`` are numbers of records. ``last_source`` is the last code
    of the cell, or of a suggestion for it. Long texts are truncated.
    """

    notebook_id: str
    cell_id: str
    turns: int
    failed: int = 0  # the number of turns that failed or were stopped
    events: int
    revision: int
    created_at: str
    last_updated: str
    last_intent: str = ""
    last_status: Status | None = None
    last_source: str = ""


class NewLogEntry(Stored):
    """A change log entry that has not been saved: a change to the notebook as a whole.

    ``type`` is path_seen, cell_order, changed, taken_over, run, agent_call, or a type that a later
    version adds.
    """

    type: Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]{0,31}$")]
    """The type of the change."""
    timestamp: Timestamp
    """Time of the change; for people, not for the order."""
    data: dict[str, Any]
    """Details of the change: `path` for path_seen, `cell_ids` for cell_order."""


class NotebookLogEntry(NewLogEntry, _Seq):
    """One saved entry of a notebook's change log. ``seq`` counts the entries of that log."""

    merged: list[list[str]] | None = None
    """The entry's merge paths (see `merged_numbers.py`): the merges of git branches that the entry
    went through after it was written. Each path is a list of the ids of the merges, oldest first.
    The seqs in `data` are the seqs that the records had before these merges."""


def new_session(key: SessionKey, now: str | None = None) -> Session:
    """Return an empty, unsaved session (revision 0)."""
    timestamp = now or utc_now()
    meta = SessionMeta(
        version=SCHEMA_VERSION,
        notebook_id=key.notebook_id,
        cell_id=key.cell_id,
        created_at=timestamp,
        last_updated=timestamp,
    )
    if key.owner:
        meta.owner = key.owner
    return Session(meta=meta, interactions=[])
