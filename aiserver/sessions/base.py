"""The contract of a session store, and the pure steps that every store shares.

What must hold in each store:

- **Durable**: when ``save_interaction``, ``record_events``, ``fork``, ``append_notebook_log``
  or ``put_blob`` returns, the data survives the death of the process and of the machine
  (stores that can't promise that say so in their docstring).
- **Atomic**: a reader sees a session before or after a write, never in between.
- **Nothing lost**: concurrent writers, of this process or another, are serialised per session;
  each acknowledged turn is in the record.
- **Ordered**: ``turn_id`` and ``seq`` are given by the store, under its lock; clocks play no part.
- **Append-only**: only ``delete`` removes anything.
- **Without secrets**: keys and passwords are taken out of turns and events before they are kept.
- A write that names a revision which is not the current one raises StaleRevision.
"""

from __future__ import annotations

import contextlib
from abc import ABCMeta, abstractmethod
from collections.abc import Hashable, Iterable, Mapping, Sequence

from traitlets import MetaHasTraits, Unicode
from traitlets.config import LoggingConfigurable

from ..errors import NotFound, SessionTooNew, StaleRevision
from ..models import (
    SCHEMA_VERSION,
    Event,
    Interaction,
    NewEvent,
    NewLogEntry,
    NewTurn,
    NotebookLogEntry,
    Session,
    SessionKey,
    SessionSummary,
    dumps,
    new_session,
    utc_now,
)
from ..redact import redact, redact_all
from . import codec

_SUMMARY_CHARS = 500
_SUMMARY_LINES = 10


class _Meta(ABCMeta, MetaHasTraits):
    """Joins ABC's metaclass with that of traitlets, so that stores are configurable."""


class SessionManager(LoggingConfigurable, metaclass=_Meta):
    """Keeps what is known of every cell. All methods may be called from any asyncio task.

    Every method may raise StorageError or one of its children.
    """

    start_dir = Unicode(
        help="The server's root directory, for stores that keep files near the notebooks."
    )

    @abstractmethod
    async def load_if_exists(self, key: SessionKey) -> Session | None:
        """The stored session, or None."""

    async def load_session(self, key: SessionKey) -> Session:
        """The stored session, or a new, unsaved one."""
        return await self.load_if_exists(key) or new_session(key)

    async def load_raw(self, key: SessionKey) -> tuple[bytes, int] | None:
        """The session as stored (UTF-8 JSON) and its revision, or None."""
        session = await self.load_if_exists(key)
        return None if session is None else (dumps(session), session.revision)

    @abstractmethod
    async def save_interaction(
        self, key: SessionKey, turn: NewTurn, *, if_revision: int | None = None
    ) -> tuple[Interaction, int]:
        """Append one AI turn; return it as saved, and the new revision.

        Raises StaleRevision if ``if_revision`` is not the current one, SessionTooNew if the
        stored session has a newer major version.
        """

    @abstractmethod
    async def record_events(
        self, key: SessionKey, events: Sequence[NewEvent], *, if_revision: int | None = None
    ) -> tuple[list[Event], int]:
        """Append events in one write; return them as saved, and the new revision.

        One whose ``id`` is there already is not appended again. Raises as ``save_interaction``.
        """

    async def get_history(
        self, key: SessionKey, *, max_messages: int | None = None
    ) -> list[Interaction]:
        """The turns since the last ``context_reset``, oldest first, at most the newest few."""
        turns = (await self.load_session(key)).history()
        return turns if max_messages is None else turns[max(0, len(turns) - max_messages) :]

    @abstractmethod
    async def list_sessions(
        self,
        notebook_id: str | None = None,
        *,
        owner: str = "",
        offset: int = 0,
        limit: int | None = None,
    ) -> tuple[list[SessionSummary], int]:
        """One page of summaries, ordered by (notebook_id, cell_id), and how many there are in all.

        A damaged session is left out, set aside and reported by the log; the others are listed.
        """

    @abstractmethod
    async def exists(self, key: SessionKey) -> bool:
        """Whether anything is stored under the key."""

    @abstractmethod
    async def delete(self, key: SessionKey, *, if_revision: int | None = None) -> bool:
        """Remove a session for good; False if there was none. Raises StaleRevision."""

    @abstractmethod
    async def fork(self, source: SessionKey, target: SessionKey) -> Session:
        """Copy a session to another cell, with ``meta.forked_from`` naming the origin.

        Raises NotFound if there is no source, SessionTooNew if it can't be copied whole. A target
        that exists is left as it is and returned.
        """

    @abstractmethod
    async def take_over(self, key: SessionKey, other: Session, *, skip: int = 0) -> bool:
        """Keep what another place knows of the cell as well; say whether that was anything new.

        See ``union.py``; ``skip`` items of the other were taken over before. Raises
        SessionTooNew if either can't be joined whole.
        """

    def exclusively(self) -> contextlib.AbstractAsyncContextManager[None]:
        """Be the only one, among all that share the store, who says which notebook is which.

        Not for two tasks of one process at once.
        """
        return contextlib.nullcontext()

    @abstractmethod
    async def append_notebook_log(
        self, notebook_id: str, entries: Sequence[NewLogEntry], *, owner: str = ""
    ) -> list[NotebookLogEntry]:
        """Append lines to a notebook's log; return them as saved."""

    @abstractmethod
    async def read_notebook_log(
        self, notebook_id: str, *, owner: str = ""
    ) -> list[NotebookLogEntry]:
        """A notebook's log, oldest first; empty if there is none."""

    @abstractmethod
    async def list_notebooks(self, *, owner: str = "") -> list[str]:
        """The ids of the notebooks that have a log, sorted."""

    async def notebook_marks(self, *, owner: str = "") -> Mapping[str, Hashable]:
        """For each notebook with a log, something that differs once its log has changed.

        So an index of the logs can be kept without reading them all each time.
        """
        logs = {
            id_: await self.read_notebook_log(id_, owner=owner)
            for id_ in await self.list_notebooks(owner=owner)
        }
        return {id_: log[-1].seq for id_, log in logs.items() if log}

    @abstractmethod
    async def put_blob(self, data: bytes, *, owner: str = "") -> str:
        """Keep bytes by content; return their SHA-256 in hex. Putting twice keeps one."""

    @abstractmethod
    async def get_blob(self, sha256: str, *, owner: str = "") -> bytes | None:
        """The bytes under a hash, or None. Raises InvalidRequest if it is no hash."""

    async def writable(self) -> bool:
        """Whether a write would be taken now, as far as can be told without writing."""
        return True

    async def close(self) -> None:
        """Release what the store holds. Nothing is lost without it."""
        return


# The pure steps. A store calls them under its lock, with the session as it stands.


def check_writable(session: Session, if_revision: int | None) -> None:
    """Raise SessionTooNew or StaleRevision if this session may not be written now."""
    if int(session.meta.version.split(".")[0]) > int(SCHEMA_VERSION.split(".")[0]):
        raise SessionTooNew
    if if_revision is not None and if_revision != session.revision:
        raise StaleRevision(if_revision, session.revision)


def append_turn(session: Session, turn: NewTurn, now: str | None = None) -> Interaction:
    """Add a turn to a session in memory, with its ``turn_id``, ``seq`` and the new revision."""
    fields = redact_all(codec.fields(turn))
    fields["user_request"]["intent"] = redact(fields["user_request"]["intent"], said=True)
    fields |= {"turn_id": session.next_turn_id, "seq": session.next_seq}
    saved = Interaction.model_validate(fields)
    session.interactions.append(saved)
    _touch(session, now)
    return saved


def append_events(
    session: Session, events: Sequence[NewEvent], now: str | None = None
) -> list[Event]:
    """Add events to a session in memory, each with its ``seq``, and the new revision.

    No events change nothing, nor do those that are there already (by their ``id``): who got no
    answer sends them again, and gets them as they were saved.
    """
    saved: list[Event] = []
    known = {event.id: event for event in session.events or [] if event.id is not None}
    grown = False
    for event in events:
        if event.id in known:
            saved.append(known[event.id])
            continue
        item = Event.model_validate(redact_all(codec.fields(event)) | {"seq": session.next_seq})
        if session.events is None:
            session.events = []
        session.events.append(item)
        saved.append(item)
        grown = True
        if item.id is not None:
            known[item.id] = item
    if grown:
        _touch(session, now)
    return saved


def forked(source: Session | None, target: SessionKey, now: str | None = None) -> Session:
    """A copy of a session for another cell.

    Raises NotFound if there is no source, SessionTooNew if a copy would lose what is not known.
    """
    if source is None:
        raise NotFound("There is no history to copy.")
    check_writable(source, None)
    copy = source.model_copy(deep=True)
    origin = {
        "notebook_id": source.meta.notebook_id,
        "cell_id": source.meta.cell_id,
        "revision": source.revision,
    }
    copy.meta.notebook_id, copy.meta.cell_id = target.notebook_id, target.cell_id
    copy.meta.forked_from = origin
    if target.owner:
        copy.meta.owner = target.owner
    copy.meta.revision = 0
    _touch(copy, now)
    return copy


def numbered(
    log: Sequence[NotebookLogEntry], entries: Sequence[NewLogEntry]
) -> list[NotebookLogEntry]:
    """Entries as they are saved behind a notebook's log, each with its ``seq``."""
    start = max((entry.seq for entry in log), default=0) + 1
    return [
        NotebookLogEntry.model_validate(codec.fields(entry) | {"seq": seq})
        for seq, entry in enumerate(entries, start)
    ]


def summarise(session: Session) -> SessionSummary:
    """One line of a list: what was last asked, and the first lines of the newest code."""
    items = session.ordered()
    turns = [item for item in items if isinstance(item, Interaction)]
    codes = (
        item.ai_response.suggestion if isinstance(item, Interaction) else item.source
        for item in reversed(items)
    )
    newest = next((code for code in codes if code), "")
    return SessionSummary(
        notebook_id=session.meta.notebook_id,
        cell_id=session.meta.cell_id,
        turns=len(turns),
        failed=sum(turn.ai_response.status != "success" for turn in turns),
        events=len(items) - len(turns),
        revision=session.revision,
        created_at=session.meta.created_at,
        last_updated=session.meta.last_updated,
        last_intent=turns[-1].user_request.intent[:_SUMMARY_CHARS] if turns else "",
        last_status=turns[-1].ai_response.status if turns else None,
        last_source="\n".join(newest[:_SUMMARY_CHARS].split("\n")[:_SUMMARY_LINES]),
    )


def page(
    summaries: Iterable[SessionSummary], offset: int, limit: int | None
) -> tuple[list[SessionSummary], int]:
    """One page of summaries in their fixed order, and how many there are in all."""
    rows = sorted(summaries, key=lambda row: (row.notebook_id, row.cell_id))
    end = None if limit is None else offset + limit
    return rows[offset:end], len(rows)


def _touch(session: Session, now: str | None) -> None:
    session.meta.last_updated = now or utc_now()
    session.meta.revision = session.revision + 1
