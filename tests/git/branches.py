"""Random work on branches of one repository with real git, and checks of the result.

Each session file is an independent case, so few git processes serve many cases. Every record has a
unique label in its source or intent; references are checked by label.
"""

from __future__ import annotations

import os
import random
import subprocess
from pathlib import Path
from typing import Any

from aiserver.models import Interaction, NewEvent, NewLogEntry, Session, SessionKey, new_session
from aiserver.sessions.record import codec
from aiserver.sessions.record.filenames import log_name, session_name
from aiserver.sessions.record.git_merge import renumber_entries
from aiserver.sessions.record.merge import digest, seqs_by_digest
from aiserver.sessions.record.mutations import append_events, append_turn, number_entries
from aiserver.sessions.record.recovery import parse_or_recover
from aiserver.testing.records import NOON, turn

NOTEBOOK = "nb"
FOLDER = ".aiserver_sessions"


class Repository:
    """A repository with histories that remembers what was recorded in which branch."""

    def __init__(self, root: Path, cells: int, seed: int) -> None:
        self.root, self.random = root, random.Random(seed)
        self.keys = [SessionKey(NOTEBOOK, f"cell-{n}") for n in range(cells)]
        self.count = 0
        self.rows: dict[tuple[str, str], list[str]] = {}
        """The labels in recording order, by branch and cell."""
        self.before: dict[tuple[str, str], list[str]] = {}
        """The labels that already existed when a label was recorded, by cell and label."""
        self.added: dict[str, set[tuple[str, str]]] = {}
        """The cells and labels that a commit added, by its subject."""
        (root / FOLDER / "notebooks").mkdir(parents=True)
        self.git("init", "-q", "-b", "main")
        self.git("config", "user.name", "x")
        self.git("config", "user.email", "x@example.org")

    def git(self, *words: str, check: bool = True) -> int:
        environment = os.environ | {"GIT_EDITOR": "true", "GIT_CONFIG_NOSYSTEM": "1"}
        done = subprocess.run(
            ["git", *words], cwd=self.root, capture_output=True, text=True, env=environment
        )
        assert not check or done.returncode == 0, (words, done.stdout, done.stderr)
        return done.returncode

    def output(self, *words: str) -> str:
        return subprocess.run(
            ["git", *words], cwd=self.root, capture_output=True, text=True, check=True
        ).stdout

    def path(self, key: SessionKey) -> Path:
        return self.root / FOLDER / session_name(key)

    def session(self, key: SessionKey) -> Session:
        path = self.path(key)
        if not path.exists():
            return new_session(key)
        session = parse_or_recover(path.read_bytes(), key)
        assert session is not None
        return session

    @property
    def log(self) -> Path:
        return self.root / FOLDER / "notebooks" / log_name(NOTEBOOK)

    def commit(self, branch: str, share: float = 0.7) -> None:
        """Record something in most cells, and commit it."""
        self.record(branch, share)
        self.git("add", "-A")
        self.git("commit", "-q", "-m", f"{branch} {self.count}")

    def record(self, branch: str, share: float = 0.7, *, log: bool = True) -> None:
        """Record something in most cells, and in the notebook's log."""
        existing = set(self.before)
        marks: dict[str, int] = {}
        expected: dict[str, str] = {}
        digests: dict[str, str] = {}
        for key in self.keys:
            if self.random.random() < share:
                session = self.session(key)
                self._record(session, branch)
                self.path(key).write_bytes(codec.encode(session))
                marks[key.cell_id] = session.ordered()[-1].seq or 0
                expected[key.cell_id] = label(session.ordered()[-1])
                digests[key.cell_id] = digest(session.ordered()[-1])
        self.count += 1
        if log:
            data: dict[str, Any] = {"cells": marks, "digests": digests, "expected": expected}
            self._record_line(branch, data | {"id": f"batch-{self.count}"})
        self.added[f"{branch} {self.count}"] = set(self.before) - existing

    def _record_line(self, branch: str, data: dict[str, Any]) -> None:
        old = self.log.read_bytes() if self.log.exists() else b""
        entry = NewLogEntry(type="changed", timestamp=NOON, data=data)
        entries = codec.parse_log(old).entries
        saved = number_entries(entries, [entry])
        self.log.write_bytes(old + b"".join(codec.encode(item, indent=None) for item in saved))
        self.rows.setdefault((branch, "log"), []).append(f"batch-{self.count}")
        self.before["log", f"batch-{self.count}"] = [item.data["id"] for item in entries]

    def _record(self, session: Session, branch: str) -> None:
        row = self.rows.setdefault((branch, session.meta.cell_id), [])
        for _ in range(self.random.randint(1, 3)):
            self.count += 1
            name = f"{branch}-{self.count}"
            names = [label(record) for record in session.ordered()]
            self.before[session.meta.cell_id, name] = [existing for existing in names if existing]
            choice = self.random.random()
            if choice < 0.5 or not session.interactions:
                parent = self.random.choice([None, *session.interactions])
                more = {"parent_turn_id": parent.turn_id} if parent else {}
                about = parent.user_request.intent if parent else ""
                append_turn(session, turn(name, about, **more))
            elif choice < 0.8:
                accepted = self.random.choice(session.interactions)
                data: dict[str, Any] = {"about": accepted.user_request.intent}
                new = NewEvent(
                    type="accept", timestamp=NOON, turn_id=accepted.turn_id, source=name, data=data
                )
                append_events(session, [new])
            else:
                item = self.random.choice(session.ordered())
                data = {"from_seq": item.seq, "about": label(item)}
                append_events(
                    session, [NewEvent(type="restore", timestamp=NOON, source=name, data=data)]
                )
            row.append(name)

    def labels(self) -> dict[str, list[str]]:
        """Return the labels in the work tree in order, by cell, and for the log."""
        labels = {
            key.cell_id: [name for record in self.session(key).ordered() if (name := label(record))]
            for key in self.keys
        }
        data = self.log.read_bytes() if self.log.exists() else b""
        return labels | {"log": [entry.data["id"] for entry in codec.parse_log(data).entries]}

    def check_order(self) -> None:
        """Check that each record comes after all that existed when it was recorded."""
        for cell, names in self.labels().items():
            position = {name: index for index, name in enumerate(names)}
            for name in names:
                earlier = self.before[cell, name]
                assert all(position[other] < position[name] for other in earlier), (cell, name)

    def check(self, branches: list[str], *, exact: bool = True) -> None:
        """Check that nothing of these branches is lost and references are intact.

        ``exact`` is False if git merged parts by lines, which mixes up the numbers.
        """
        sessions = {key.cell_id: self.session(key) for key in self.keys if self.path(key).exists()}
        for (branch, cell), row in self.rows.items():
            if branch not in branches or cell == "log":
                continue
            names = [name for record in sessions[cell].ordered() if (name := label(record))]
            assert len(set(names)) == len(names), "a record is duplicated"
            assert set(row) <= set(names), (cell, branch)
            if exact:
                assert [name for name in names if name in set(row)] == row, (cell, branch)
        for session in sessions.values():
            if exact:
                check_references(session)
        entries = codec.parse_log(self.log.read_bytes()).entries
        assert [entry.seq for entry in entries] == sorted({entry.seq for entry in entries})
        ids = [entry.data["id"] for entry in entries]
        assert len(set(ids)) == len(ids)
        for branch in branches:
            row = self.rows.get((branch, "log"), [])
            assert set(row) <= set(ids)
            assert not exact or [id_ for id_ in ids if id_ in set(row)] == row
        merges = {
            cell: session.meta.merged for cell, session in sessions.items() if session.meta.merged
        }
        last_seqs = {cell: session.next_seq - 1 for cell, session in sessions.items()}
        lines = renumber_entries(
            entries, merges, last_seqs, lambda cell: seqs_by_digest(sessions[cell])
        )
        for entry, line in zip(entries, lines, strict=True) if exact else ():
            now = line.data["cells"]
            for cell, name in entry.data["expected"].items():
                seqs = {label(record): record.seq for record in sessions[cell].ordered()}
                assert now.get(cell) == seqs.get(name), (cell, entry, merges.get(cell))


def label(item: Any) -> str:
    if isinstance(item, Interaction):
        return item.user_request.intent
    return item.source or ""


def check_references(session: Session) -> None:
    turns = {item.turn_id: item for item in session.interactions}
    by_seq = {item.seq: label(item) for item in session.ordered()}
    assert len(turns) == len(session.interactions)
    assert len(by_seq) == len(session.ordered())
    for item in session.interactions:
        about = turns[item.parent_turn_id].user_request.intent if item.parent_turn_id else ""
        assert about == item.ai_response.suggestion
    for event in session.events or []:
        if event.type == "accept":
            assert event.turn_id and event.data
            assert turns[event.turn_id].user_request.intent == event.data["about"]
        elif event.type == "restore":
            assert event.data
            assert by_seq[event.data["from_seq"]] == event.data["about"]
