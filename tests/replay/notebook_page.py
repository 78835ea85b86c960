"""Simulate a notebook's page with its tracker, and the server that records it.

The notebook is nbformat's, and the records are written by the mutations that the stores share
(``aiserver/sessions/record/mutations.py``). Only the page is simulated: each operation changes the
cells as JupyterLab does, and sends the events and the order that the tracker would.
"""

from __future__ import annotations

import copy
import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta, timezone
from random import Random
from typing import Any

from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_raw_cell

from aiserver.models import (
    Interaction,
    NewEvent,
    NewLogEntry,
    NewTurn,
    NotebookLogEntry,
    Session,
    SessionKey,
    new_session,
)
from aiserver.sessions.record.mutations import (
    append_events,
    append_turn,
    fork_session,
    number_entries,
)

BEGAN = datetime(2026, 1, 27, 10, tzinfo=timezone.utc)
_MAKE = {"code": new_code_cell, "markdown": new_markdown_cell, "raw": new_raw_cell}

Row = tuple[str, str, str]  # a cell: id, type, source


@dataclass
class Saved:
    """The page when the notebook was saved: the expected result."""

    notebook: Any
    deleted: dict[str, str]
    """The source of each deleted cell."""

    def rows(self) -> list[Row]:
        return rows(self.notebook)


def rows(notebook: Any) -> list[Row]:
    return [(cell.id, cell.cell_type, cell.source) for cell in notebook.cells]


class Server:
    """Stores sessions and the notebook's log. ``clock`` returns the present time."""

    def __init__(self, clock: Callable[[], str]) -> None:
        self.clock = clock
        self.sessions: dict[str, Session] = {}
        self.log: list[NotebookLogEntry] = []

    def session(self, cell_id: str) -> Session:
        if cell_id not in self.sessions:
            self.sessions[cell_id] = new_session(SessionKey("nb", cell_id), self.clock())
        return self.sessions[cell_id]

    def record(self, cell_id: str, *events: dict[str, Any]) -> None:
        """Record events without a log entry."""
        new = [NewEvent.model_validate({"timestamp": self.clock(), **event}) for event in events]
        session = self.session(cell_id)
        append_events(session, new)
        session.meta.last_updated = self.clock()

    def turn(self, cell_id: str, source: str, suggestion: str, parent: int | None) -> Interaction:
        fields: dict[str, Any] = {
            "timestamp": self.clock(),
            "user_request": {"intent": "do it", "current_code": source, "language": "python"},
            "ai_response": {
                "suggestion": suggestion,
                "explanation": "",
                "status": "success",
                "error": None,
            },
            "model": "local:test",
        }
        if parent is not None:
            fields["parent_turn_id"] = parent
        session = self.session(cell_id)
        turn = append_turn(session, NewTurn.model_validate(fields))
        session.meta.last_updated = self.clock()
        return turn

    def changes(
        self,
        cells: dict[str, list[dict[str, Any]]],
        *,
        forks: dict[str, str] | None = None,
        parents: dict[str, list[str]] | None = None,
        order: Sequence[Row] | None = None,
        saved: bool = False,
    ) -> None:
        """Record a batch: first the sessions, then the log entries."""
        for cell_id, origin in (forks or {}).items():
            self.sessions[cell_id] = fork_session(self.session(origin), SessionKey("nb", cell_id))
        for cell_id, events in cells.items():
            self.record(cell_id, *events)
        for cell_id, merged in (parents or {}).items():
            self.sessions[cell_id].meta.parents = [
                {"notebook_id": "nb", "cell_id": parent, "revision": 1} for parent in merged
            ]
        lines = []
        if order is not None:
            data: dict[str, Any] = {
                "cell_ids": [cell_id for cell_id, _, _ in order],
                "types": {cell_id: type_ for cell_id, type_, _ in order},
            }
            lines.append(("cell_order", data))
        last_seqs = {cell_id: self.sessions[cell_id].next_seq - 1 for cell_id in cells}
        lines.append(
            ("changed", {"cells": last_seqs, "id": "b"} | ({"saved": True} if saved else {}))
        )
        self.write(*lines)

    def write(self, *lines: tuple[str, dict[str, Any]]) -> None:
        entries = [NewLogEntry(type=t, timestamp=self.clock(), data=data) for t, data in lines]
        self.log += number_entries(self.log, entries)


@dataclass
class _Answer:
    turn_id: int
    suggestion: str


@dataclass
class Page:
    """A notebook that somebody edits. Each method named in ``OPERATIONS`` is one operation."""

    random: Random
    skew: timedelta = timedelta(0)
    """Maximum error of each timestamp, at random."""
    cells: list[Any] = field(default_factory=list)
    saves: list[Saved] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._now = BEGAN
        self._count = 0
        self.server = Server(self.time)
        self._recorded_sources: dict[str, str] = {}
        self._listed: list[tuple[str, str]] = []
        self._answers: dict[str, _Answer] = {}
        self._deleted: dict[str, tuple[Any, int]] = {}
        self._is_tracking = False
        self._recorded: set[str] = set()
        self._unnamed: set[str] = set()
        self.deleted: dict[str, str] = {}
        self.cells += [self._new("code", self._text()) for _ in range(self.random.randint(0, 4))]
        # Before tracking begins, only the cells at the time of opening are logged.
        self.server.write(
            ("path_seen", {"path": "a.ipynb"}),
            ("cell_order", {"cell_ids": [cell.id for cell in self.cells]}),
        )
        self._record_past()

    def time(self) -> str:
        self._now += timedelta(seconds=1)
        off = self.random.uniform(-1, 1) * self.skew
        return (self._now + off).isoformat(timespec="milliseconds").replace("+00:00", "Z")

    def act(self) -> str:
        """Perform one operation and save the notebook. Returns the operation's name."""
        if not self._is_tracking:
            self.ask()
            name = "ask"
        else:
            name = self.random.choice(OPERATIONS)
            getattr(self, name)()
        self.save()
        return name

    def _record_past(self) -> None:
        """Record turns from long ago, by a version without tracking."""
        for cell in self.cells:
            if self.random.random() < 0.5:
                turn = self.server.turn(cell.id, self._text(), cell.source, None)
                accept = {"type": "accept", "turn_id": turn.turn_id, "source": cell.source}
                self.server.record(cell.id, accept)
                self._recorded.add(cell.id)
                if self.random.random() < 0.5:  # changed without a record
                    cell.source += "\n" + self._line()
                self._recorded_sources[cell.id] = turn.ai_response.suggestion
        self._now += timedelta(days=30)

    # Operations of a person

    def insert(self) -> None:
        at = self.random.randint(0, len(self.cells))
        self.cells.insert(at, self._new(self.random.choice(["code", "code", "markdown", "raw"])))

    def type(self) -> None:
        cell = self._any()
        if cell is None:
            return
        lines = cell.source.split("\n")
        at = self.random.randrange(len(lines))
        how = self.random.choice(["add", "change", "remove", "retype"])
        if how == "add":
            lines.insert(at, self._line())
        elif how == "change":
            lines[at] = self._line()
        elif how == "remove":
            del lines[at]
        else:
            lines = [self._text()]
        cell.source = "\n".join(lines)

    def run(self) -> None:
        cell = self._any("code")
        if cell is None:
            return
        run = {"type": "run", "source": cell.source, "data": {"status": "ok", "duration_ms": 5}}
        self._send({cell.id: [*self._edit(cell, "run"), run]})

    def ask(self) -> None:
        cell = self._any() or self._appended()
        if not self._is_tracking:
            self._start_tracking()
        self._send(self._edits([cell], "request"))
        answer = self._answers.get(cell.id)
        if answer and self.random.random() < 0.5:  # continue from a part of the answer
            source, parent = answer.suggestion.split("\n")[0], answer.turn_id
        else:
            source, parent = cell.source, None
        suggestion = self._text()
        turn = self.server.turn(cell.id, source, suggestion, parent)
        self._recorded.add(cell.id)
        self._answers[cell.id] = _Answer(turn.turn_id, suggestion)

    def accept(self) -> None:
        match = self._answered()
        if match is None:
            return
        cell, answer = match
        cell.source = answer.suggestion
        data = None
        if self.random.random() < 0.3 and "\n" in answer.suggestion:
            cell.source = answer.suggestion.rpartition("\n")[0]
            data = {"hunks": {"accepted": 1, "of": 2}}
        event = {"type": "accept", "turn_id": answer.turn_id, "source": cell.source}
        self._record(cell, event | ({"data": data} if data else {}))

    def reject(self) -> None:
        match = self._answered()
        if match is None:
            return
        cell, answer = match
        self._record(cell, {"type": "reject", "turn_id": answer.turn_id, "source": cell.source})

    def restore(self) -> None:
        cell = self._any()
        session = self.server.sessions.get(cell.id) if cell else None
        if cell is None or session is None or not session.interactions:
            return
        turn = self.random.choice(session.interactions)
        replaced, cell.source = cell.source, turn.ai_response.suggestion
        data = {"from_seq": turn.seq, "replaced": replaced}
        self._record(cell, {"type": "restore", "source": cell.source, "data": data})

    def reset(self) -> None:
        cell = self._any()
        if cell is not None:
            self._record(cell, {"type": "context_reset"})

    def move(self) -> None:
        if len(self.cells) < 2:
            return
        at, to = self.random.sample(range(len(self.cells)), 2)
        cell = self.cells.pop(at)
        self.cells.insert(to, cell)
        move = {"type": "move", "data": {"from": at, "to": to}}
        self._send({cell.id: [*self._edit(cell, "leave"), move]})

    def change_type(self) -> None:
        cell = self._any()
        if cell is None:
            return
        edits = self._edit(cell, "leave")
        to = self.random.choice([name for name in _MAKE if name != cell.cell_type])
        new = _MAKE[to](cell.source, id=cell.id)
        self.cells[self.cells.index(cell)] = new
        data = {"from": cell.cell_type, "to": to}
        self._send({cell.id: [*edits, {"type": "type", "source": cell.source, "data": data}]})

    def split(self) -> None:
        cell = self._any()
        if cell is None or "\n" not in cell.source:
            return
        edits = self._edit(cell, "split")
        if edits:
            self._send({cell.id: edits})
        lines = cell.source.split("\n")
        at = self.random.randint(1, len(lines) - 1)
        head = self._new(cell.cell_type, "\n".join(lines[:at]))
        cell.source = "\n".join(lines[at:])
        self.cells.insert(self.cells.index(cell), head)
        data = {"pieces": [head.id, cell.id], "from": cell.id}
        events = {
            piece.id: [{"type": "split", "source": piece.source, "data": data}]
            for piece in (head, cell)
        }
        self._recorded_sources |= {head.id: head.source, cell.id: cell.source}
        self._send(events, forks={head.id: cell.id})

    def merge(self) -> None:
        if len(self.cells) < 2:
            return
        at = self.random.randrange(len(self.cells) - 1)
        first, second = self.cells[at : at + 2]
        merged = self._new(first.cell_type, f"{first.source}\n\n{second.source}")
        edits = self._edits([first, second], "leave")
        self.cells[at : at + 2] = [merged]
        parents = [first.id, second.id]
        events: dict[str, list[dict[str, Any]]] = {
            cell_id: [*edits.get(cell_id, []), {"type": "merge", "data": {"into": merged.id}}]
            for cell_id in parents
        }
        merge = {"type": "merge", "source": merged.source, "data": {"parents": parents}}
        self._recorded_sources[merged.id] = merged.source
        self._send(events | {merged.id: [merge]}, parents={merged.id: parents})
        for cell_id in parents:
            self._answers.pop(cell_id, None)

    def paste(self) -> None:
        """Copy one or two cells, whose sources may not be recorded yet."""
        if not self.cells:
            return
        at = self.random.randrange(len(self.cells))
        events: dict[str, list[dict[str, Any]]] = {}
        forks = {}
        copies = []
        for cell in self.cells[at : at + self.random.randint(1, 2)]:
            new = self._new(cell.cell_type, cell.source)
            origin = {"notebook_id": "nb", "cell_id": cell.id}
            if cell.id in self.server.sessions:
                forks[new.id] = cell.id
            events[new.id] = [{"type": "copy", "source": new.source, "data": {"from": origin}}]
            self._recorded_sources[new.id] = new.source
            copies.append(new)
        place = self.random.randint(0, len(self.cells))
        self.cells[place:place] = copies
        self._send(events, forks=forks)

    def delete(self) -> None:
        cell = self._any()
        if cell is None:
            return
        at = self.cells.index(cell)
        edits = self._edit(cell, "leave")
        self.cells.remove(cell)
        self._deleted[cell.id] = (cell, at)
        self._answers.pop(cell.id, None)
        if cell.id not in self._recorded and not cell.source:
            return  # a blank cell only appears in the next order
        self.deleted[cell.id] = cell.source
        delete = {"type": "delete", "source": cell.source, "data": {"index": at}}
        self._send({cell.id: [*edits, delete]})

    def undelete(self) -> None:
        if not self._deleted:
            return
        cell, at = self._deleted.pop(self.random.choice(list(self._deleted)))
        self.cells.insert(at, cell)
        self.deleted.pop(cell.id, None)
        if cell.id not in self._recorded:
            return
        self._recorded_sources[cell.id] = cell.source
        self._send({cell.id: [{"type": "undelete", "source": cell.source}]})

    def many(self) -> None:
        """Several operations in one batch."""
        cell = self._any()
        if cell is None:
            return
        self.type()
        self.insert()
        at = self.cells.index(cell)
        self.cells.insert(at, self.cells.pop())

    # Operations of the tracker

    def save(self) -> None:
        if self._is_tracking:
            self._send(self._edits(self.cells, "save"))
            self._send({}, saved=True)
        notebook = copy.deepcopy(new_notebook(cells=self.cells))
        self.saves.append(Saved(notebook, dict(self.deleted)))

    def _start_tracking(self) -> None:
        """Send the initial observation of each cell whose source isn't recorded."""
        self._is_tracking = True
        for cell in self.cells:  # one batch each, as in a notebook too long for one batch
            self._send(self._edits([cell], "first"))

    def _record(self, cell: Any, event: dict[str, Any]) -> None:
        """Record an event outside of a batch; the next batch names the cell."""
        self.server.record(cell.id, event)
        self._recorded.add(cell.id)
        self._unnamed.add(cell.id)
        if "source" in event:
            self._recorded_sources[cell.id] = event["source"]

    def _edits(self, cells: Sequence[Any], trigger: str) -> dict[str, list[dict[str, Any]]]:
        edits = {cell.id: self._edit(cell, trigger) for cell in cells}
        return {cell_id: events for cell_id, events in edits.items() if events}

    def _edit(self, cell: Any, trigger: str) -> list[dict[str, Any]]:
        if self._recorded_sources.get(cell.id, "") == cell.source:
            return []
        self._recorded.add(cell.id)
        self._recorded_sources[cell.id] = cell.source
        return [{"type": "edit", "source": cell.source, "data": {"trigger": trigger}}]

    def _send(self, cells: dict[str, list[dict[str, Any]]], **more: Any) -> None:
        listed = [(cell.id, cell.cell_type) for cell in self.cells]
        if listed != self._listed:
            more["order"] = rows(new_notebook(cells=self.cells))
            self._listed = listed
        if cells or more:
            self._recorded |= cells.keys()
            unnamed: dict[str, list[dict[str, Any]]] = {cell_id: [] for cell_id in self._unnamed}
            self._unnamed.clear()
            self.server.changes(unnamed | cells, **more)

    # Helpers

    def _new(self, kind: str, source: str = "") -> Any:
        id_ = uuid.UUID(int=self.random.getrandbits(128), version=4)
        return _MAKE[kind](source, id=str(id_)[:8])

    def _appended(self) -> Any:
        self.cells.append(self._new("code"))
        return self.cells[-1]

    def _any(self, kind: str | None = None) -> Any:
        cells = [cell for cell in self.cells if kind in (None, cell.cell_type)]
        return self.random.choice(cells) if cells else None

    def _answered(self) -> tuple[Any, _Answer] | None:
        cells = [cell for cell in self.cells if cell.id in self._answers]
        if not cells:
            return None
        cell = self.random.choice(cells)
        return cell, self._answers.pop(cell.id)

    def _line(self) -> str:
        self._count += 1
        return self.random.choice([f"x = {self._count}", ")", "", "价格 = 1", "    pass"])

    def _text(self) -> str:
        return "\n".join(self._line() for _ in range(self.random.randint(1, 5)))


OPERATIONS = (
    "insert",
    *("type",) * 3,
    *("run",) * 2,
    *("ask",) * 3,
    *("accept",) * 3,
    "reject",
    "restore",
    "reset",
    "move",
    "change_type",
    *("split",) * 2,
    *("merge",) * 2,
    *("paste",) * 2,
    *("delete",) * 2,
    "undelete",
    "many",
)
