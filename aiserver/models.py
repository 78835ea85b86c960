"""What is stored: sessions, turns, events, the notebook log. Pure data, no I/O.

What must hold:

- The keys, names and nesting of version 1.0 are a contract that other tools read. They are
  published as JSON Schemas in ``aiserver/schemas`` (``python -m aiserver.schemas`` writes them).
- Keys that are not known are kept and written back (``extra="allow"``).
- A record is written with exactly the keys that were set, so a file that is read and written
  again differs by nothing but what was added.
- ``interactions`` and ``events`` are append-only and share one counter, ``seq``. Order comes
  from it, never from a clock.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from datetime import datetime, timezone
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field
from pydantic_core import PydanticSerializationError

from .errors import InvalidRequest
from .surrogates import fix_surrogates

SCHEMA_VERSION = "1.0"
ID_PATTERN = r"^[A-Za-z0-9_-]{1,64}$"
_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")  # used with fullmatch: `$` would allow a newline

Status = Literal["success", "error", "cancelled"]


def utc_now() -> str:
    """The current time as stored: ISO 8601, UTC, milliseconds, ``Z``."""
    return datetime.now(timezone.utc).isoformat(timespec="milliseconds")[: -len("+00:00")] + "Z"


# RFC 3339 and a little more, the same on every Python: `fromisoformat` of 3.10 knows fewer forms.
_TIME = re.compile(
    r"([0-9]{4}-[0-9]{2}-[0-9]{2})[Tt ]([0-9]{2}:[0-9]{2}:[0-9]{2})"
    r"(?:\.[0-9]+)?(?:[Zz]|[+-][0-9]{2}:[0-9]{2})?"
)


def _iso_time(value: str) -> str:
    match = _TIME.fullmatch(value)
    if match is None:
        raise ValueError("must be a time like 2026-01-27T10:00:00.000Z")
    datetime.fromisoformat(f"{match[1]}T{match[2]}")
    return value


def _id(value: str) -> str:
    if not _ID.fullmatch(value):
        raise ValueError("must be 1 to 64 of the characters A-Z a-z 0-9 _ -")
    return value


# Kept as text, so that what was read is written back to the letter.
Timestamp = Annotated[str, AfterValidator(_iso_time)]
# Any tool may have written the file; halves of characters could be neither sent nor shown.
Text = Annotated[str, AfterValidator(fix_surrogates)]
# nbformat's rule for cell ids; the same rule serves notebook ids.
Id = Annotated[str, AfterValidator(_id), Field(json_schema_extra={"pattern": ID_PATTERN})]


@dataclass(frozen=True, order=True)
class SessionKey:
    """The name of one session. A key with an id outside nbformat's rule can't be made.

    Raises InvalidRequest, so that a bad id never reaches a store.
    """

    notebook_id: str
    cell_id: str
    owner: str = ""

    def __post_init__(self) -> None:
        check_id("notebookId", self.notebook_id)
        check_id("cellId", self.cell_id)


def is_id(value: str) -> bool:
    """Whether this may be an id of a notebook or a cell."""
    return _ID.fullmatch(value) is not None


def check_id(name: str, value: str) -> str:
    """Return ``value``, or raise InvalidRequest that names the field."""
    if not isinstance(value, str) or not _ID.fullmatch(value):
        raise InvalidRequest(f"{name}: must be 1 to 64 of the characters A-Z a-z 0-9 _ -")
    return value


class Stored(BaseModel):
    """Base of all stored records: unknown keys survive, unset keys stay unwritten."""

    model_config = ConfigDict(extra="allow", validate_assignment=True, defer_build=True)

    def to_dict(self) -> dict[str, Any]:
        """The record as JSON-ready data, with exactly the keys that were set."""
        return self.model_dump(mode="json", exclude_unset=True)


class UserRequest(Stored):
    """What the person asked, and the code the cell held at that moment."""

    intent: Text
    """What was asked, in the person's words."""
    current_code: Text = ""
    """The cell's code when it was asked."""
    language: Text = "python"
    """What the cell is in: the kernel's language, a cell magic's, `markdown` or `text`."""


class AIResponse(Stored):
    """What came back. ``suggestion`` is code alone, without a Markdown fence."""

    suggestion: Text
    """The code, or as much of it as came before an error or a stop."""
    explanation: Text = ""
    """What the model said around the code; may be empty."""
    status: Status
    """How the turn ended. Failed and stopped turns are kept too."""
    error: Text | None = None
    """A sentence for the person, where status is `error`."""


class _TurnId(Stored):
    turn_id: Annotated[int, Field(ge=1)]
    """Counts the turns of the cell, from 1."""


class NewTurn(Stored):
    """A turn that has not been saved: the store gives it ``turn_id`` and ``seq``.

    ``user_request`` and ``ai_response`` should be made with all four keys set, for a file
    holds exactly the keys that were set.
    """

    timestamp: Timestamp
    """When it was asked; ISO 8601, UTC. For people: the order comes from `turn_id` and `seq`."""
    user_request: UserRequest
    ai_response: AIResponse
    seq: Annotated[int, Field(ge=1)] | None = None
    """The place among all turns and events of the cell, from 1."""
    mode: str | None = None
    """What kind of request it was, such as `generate` or `analyze`."""
    model: str | None = None
    """The model that answered, as `provider:name`."""
    usage: dict[str, Any] | None = None
    """The tokens it took, as the provider counts them."""
    user: str | None = None
    """Who asked, where several people share a server."""
    dataframes: list[dict[str, Any]] | None = None
    """The DataFrames it was about (names, shapes, dtypes), so that a later turn knows them."""
    parent_turn_id: Annotated[int, Field(ge=1)] | None = None
    """The turn that this one builds on, where that is not the one before."""


class Interaction(NewTurn, _TurnId):
    """One saved AI turn."""  # the order of the bases puts turn_id first in the file


class _Seq(Stored):
    seq: Annotated[int, Field(ge=1)]
    """The place in the order of things, from 1."""


class Contributor(Stored):
    """The contributor of a change: a person, or what else wrote it."""

    kind: Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]{0,31}$")]
    """`person`, `model`, `agent`, `program`, `unknown`, or a later one."""
    name: Text | None = None
    """The contributor's name, such as `jupyter-mcp-server`, where it is known."""


class NewEvent(Stored):
    """Something that happened to the cell and was no AI turn; not saved yet.

    ``type`` is one of edit, run, accept, reject, restore, context_reset, split, merge, copy,
    delete, undelete, or a later one. ``source`` is the cell's code after it.
    """

    type: Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]{0,31}$")]
    """What happened."""
    timestamp: Timestamp
    """When it happened; for people, not for the order."""
    source: Text | None = None
    """The cell's code after it."""
    turn_id: Annotated[int, Field(ge=1)] | None = None
    """The turn that it is about."""
    data: dict[str, Any] | None = None
    """What else is known of it."""
    id: Text | None = None
    """The sender's own name of it: one that is sent again is kept once."""
    contributor: Contributor | None = None
    """Who or what did it. Without one: the person, as all events before this key."""


class Event(NewEvent, _Seq):
    """One saved event."""


class SessionMeta(Stored):
    """Which cell this is, and where the record stands."""

    version: Annotated[str, Field(pattern=r"^\d+\.\d+$")] = SCHEMA_VERSION
    """Of this shape. A reader opens a newer major version read-only."""
    notebook_id: Id
    """The notebook's `metadata.aiserver.notebook_id`."""
    cell_id: Id
    """The cell's nbformat id."""
    created_at: Timestamp
    last_updated: Timestamp
    revision: Annotated[int, Field(ge=0)] | None = None
    """Rises by one with each write."""
    owner: str | None = None
    """Whose session it is, where several people share a store."""
    forked_from: dict[str, Any] | None = None
    """The session that this one began as a copy of: `notebook_id`, `cell_id`, `revision`."""
    parents: list[dict[str, Any]] | None = None
    """The sessions of the cells that were merged into this one."""
    merged: list[dict[str, Any]] | None = None
    """The merges of branches that gave records new places: `id`, and `seqs`, a list of
    [first old, last old, first new]."""


class Session(Stored):
    """All that is known of one cell."""

    meta: SessionMeta
    interactions: list[Interaction]
    """The AI turns. Append-only."""
    events: list[Event] | None = None
    """What a person did in between. Append-only."""

    @property
    def revision(self) -> int:
        """How often it was written; 0 for a session that is not saved or has no counter yet."""
        return self.meta.revision or 0

    @property
    def next_turn_id(self) -> int:
        """The id that the next turn gets."""
        return max((turn.turn_id for turn in self.interactions), default=0) + 1

    @property
    def next_seq(self) -> int:
        """The next value of the counter that turns and events share.

        Turns of files without ``seq`` count by position, so that new ones come after them.
        """
        used = [turn.seq or 0 for turn in self.interactions]
        used += [event.seq for event in self.events or []]
        return max([*used, len(self.interactions)], default=0) + 1

    def ordered(self) -> list[Interaction | Event]:
        """Turns and events in the order in which they happened (P26: never by clock)."""
        items: list[tuple[int, int, Interaction | Event]] = []
        last = 0
        for turn in sorted(self.interactions, key=lambda turn: turn.turn_id):
            last = turn.seq if turn.seq is not None else last + 1
            items.append((last, 0, turn))
        items += [(event.seq, 1, event) for event in self.events or []]
        return [item for _, _, item in sorted(items, key=lambda row: row[:2])]

    def history(self, parent_turn_id: int | None = None) -> list[Interaction]:
        """The turns since the last "start afresh", oldest first.

        With a turn, those alone that led to it: a request that goes on from an older version
        knows nothing of what was tried after that.
        """
        turns: list[Interaction] = []
        for item in self.ordered():
            if isinstance(item, Interaction):
                turns.append(item)
            elif item.type == "context_reset":
                turns.clear()
        return turns if parent_turn_id is None else _led_to(turns, parent_turn_id)


def _led_to(turns: list[Interaction], turn_id: int) -> list[Interaction]:
    """The line of turns that ends here: each went on from its parent, or from the one before."""
    line: list[Interaction] = []
    wanted: int | None = turn_id
    for index in range(len(turns) - 1, -1, -1):
        turn = turns[index]
        if turn.turn_id == wanted:
            line.append(turn)
            before = turns[index - 1].turn_id if index else None
            wanted = before if turn.parent_turn_id is None else turn.parent_turn_id
    return line[::-1]


class SessionSummary(BaseModel):
    """One line of a list of sessions."""

    notebook_id: str
    cell_id: str
    turns: int
    failed: int = 0  # of the turns, those that brought no answer
    events: int
    revision: int
    created_at: str
    last_updated: str
    last_intent: str = ""
    last_status: Status | None = None
    last_source: str = ""


class NewLogEntry(Stored):
    """Something that happened to a notebook as a whole; not saved yet.

    ``type`` is one of path_seen, cell_order, cell_made, cell_deleted, or a later one.
    """

    type: Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]{0,31}$")]
    """What happened."""
    timestamp: Timestamp
    """When it happened; for people, not for the order."""
    data: dict[str, Any]
    """What is known of it: `path` for path_seen, `cell_ids` for cell_order."""


class NotebookLogEntry(NewLogEntry, _Seq):
    """One saved line of a notebook's log; ``seq`` counts within the notebook."""

    merged: list[list[str]] | None = None
    """The merges of branches that it came through since it was written, oldest first; several
    rows where it came on several ways. Its numbers of records are those of before."""


def new_session(key: SessionKey, now: str | None = None) -> Session:
    """An empty session that is not saved anywhere yet (revision 0)."""
    stamp = now or utc_now()
    meta = SessionMeta(
        version=SCHEMA_VERSION,
        notebook_id=key.notebook_id,
        cell_id=key.cell_id,
        created_at=stamp,
        last_updated=stamp,
    )
    if key.owner:
        meta.owner = key.owner
    return Session(meta=meta, interactions=[])


def dumps(record: Stored, indent: int | None = 2) -> bytes:
    """The bytes of a stored record: UTF-8, two-space indent, non-ASCII left readable.

    Exactly the keys that were set, as in ``to_dict``. A number that JSON doesn't have (NaN,
    infinity) becomes null. Raises ValueError for what can't be written as JSON.
    """
    try:
        # As model_dump_json, without the way through a str: a third of the time of a save.
        writer = record.__pydantic_serializer__
        return writer.to_json(record, indent=indent, exclude_unset=True) + b"\n"
    except PydanticSerializationError:
        # Half a surrogate pair, in a key we don't know: not UTF-8, but JSON can escape it.
        text = json.dumps(record.to_dict(), ensure_ascii=False, indent=indent) + "\n"
        return text.encode("utf-8", "backslashreplace")
