"""Random work on branches of one repository, with real git, and what must be true after it.

Each session file is a case of its own, so few git processes serve many cases. Every record has a
label of its own, which its source or its words say; references are checked by label.
"""

from __future__ import annotations

import os
import random
import subprocess
from pathlib import Path
from typing import Any

from aiserver.models import Interaction, NewEvent, NewLogEntry, Session, SessionKey, new_session
from aiserver.sessions.file.git_stages import complete_conflict
from aiserver.sessions.record import codec
from aiserver.sessions.record.damage.recovery import parse_or_recover
from aiserver.sessions.record.filenames import log_name, session_name
from aiserver.sessions.record.merge.digests import digest, renumber_entries, seqs_by_digest
from aiserver.sessions.record.mutations import append_events, append_turn, number_entries
from tests.sessions.records import NOON, turn

NOTEBOOK = "nb"
FOLDER = ".aiserver_sessions"


class Repository:
    """A repository with histories, and what was recorded in which branch."""

    def __init__(self, root: Path, cells: int, seed: int) -> None:
        self.root, self.random = root, random.Random(seed)
        self.keys = [SessionKey(NOTEBOOK, f"cell-{n}") for n in range(cells)]
        self.count = 0
        self.rows: dict[tuple[str, str], list[str]] = {}
        """By branch and cell, the labels in the order in which they were recorded there."""
        self.before: dict[tuple[str, str], list[str]] = {}
        """By cell and label, what was there when it was recorded."""
        self.added: dict[str, set[tuple[str, str]]] = {}
        """By the subject of a commit, the cells and labels that were recorded in it."""
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
        found = parse_or_recover(complete_conflict(path, path.read_bytes()), key)
        assert found is not None
        return found

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
        known = set(self.before)
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
        self.added[f"{branch} {self.count}"] = set(self.before) - known

    def _record_line(self, branch: str, data: dict[str, Any]) -> None:
        old = self.log.read_bytes() if self.log.exists() else b""
        entry = NewLogEntry(type="changed", timestamp=NOON, data=data)
        entries = codec.parse_log(old).entries
        saved = number_entries(entries, [entry])
        self.log.write_bytes(old + b"".join(codec.encode(one, indent=None) for one in saved))
        self.rows.setdefault((branch, "log"), []).append(f"batch-{self.count}")
        self.before["log", f"batch-{self.count}"] = [one.data["id"] for one in entries]

    def _record(self, session: Session, branch: str) -> None:
        row = self.rows.setdefault((branch, session.meta.cell_id), [])
        for _ in range(self.random.randint(1, 3)):
            self.count += 1
            name = f"{branch}-{self.count}"
            names = [label(one) for one in session.ordered()]
            self.before[session.meta.cell_id, name] = [one for one in names if one]
            choice = self.random.random()
            if choice < 0.5 or not session.interactions:
                parent = self.random.choice([None, *session.interactions])
                more = {"parent_turn_id": parent.turn_id} if parent else {}
                about = parent.user_request.intent if parent else ""
                append_turn(session, turn(name, about, **more))
            elif choice < 0.8:
                one = self.random.choice(session.interactions)
                data: dict[str, Any] = {"about": one.user_request.intent}
                new = NewEvent(
                    type="accept", timestamp=NOON, turn_id=one.turn_id, source=name, data=data
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
        """By cell, and for the log, the labels in the work tree in their order."""
        found = {
            key.cell_id: [name for one in self.session(key).ordered() if (name := label(one))]
            for key in self.keys
        }
        data = self.log.read_bytes() if self.log.exists() else b""
        return found | {"log": [one.data["id"] for one in codec.parse_log(data).entries]}

    def check_order(self) -> None:
        """Each record comes behind all that was there when it was recorded."""
        for cell, names in self.labels().items():
            place = {name: index for index, name in enumerate(names)}
            for name in names:
                earlier = self.before[cell, name]
                assert all(place[one] < place[name] for one in earlier), (cell, name)

    def check(self, branches: list[str], *, exact: bool = True) -> None:
        """Nothing of these branches is lost, and each reference leads where it led.

        ``exact``: False where git has merged a part by lines, which mixes the numbers up.
        """
        sessions = {key.cell_id: self.session(key) for key in self.keys if self.path(key).exists()}
        for (branch, cell), row in self.rows.items():
            if branch not in branches or cell == "log":
                continue
            items = [one for one in sessions[cell].ordered() if label(one) != ""]
            names = [label(one) for one in items]
            assert len(set(names)) == len(names), "nothing is doubled"
            assert set(row) <= set(names), (cell, branch)
            if exact:
                assert [name for name in names if name in set(row)] == row, (cell, branch)
        for session in sessions.values():
            if exact:
                check_references(session)
        entries = codec.parse_log(complete_conflict(self.log, self.log.read_bytes())).entries
        assert [one.seq for one in entries] == sorted({one.seq for one in entries})
        ids = [one.data["id"] for one in entries]
        assert len(set(ids)) == len(ids)
        for branch in branches:
            row = self.rows.get((branch, "log"), [])
            assert set(row) <= set(ids)
            assert not exact or [one for one in ids if one in set(row)] == row
        merges = {cell: one.meta.merged for cell, one in sessions.items() if one.meta.merged}
        last_seqs = {cell: one.next_seq - 1 for cell, one in sessions.items()}
        lines = renumber_entries(
            entries, merges, last_seqs, lambda cell: seqs_by_digest(sessions[cell])
        )
        for entry, line in zip(entries, lines, strict=True) if exact else ():
            now = line.data["cells"]
            for cell, name in entry.data["expected"].items():
                by_seq = {label(one): one.seq for one in sessions[cell].ordered()}
                assert now.get(cell) == by_seq.get(name), (cell, entry, merges.get(cell))


def label(item: Any) -> str:
    if isinstance(item, Interaction):
        return item.user_request.intent
    return item.source or ""


def check_references(session: Session) -> None:
    turns = {one.turn_id: one for one in session.interactions}
    by_seq = {one.seq: label(one) for one in session.ordered()}
    assert len(turns) == len(session.interactions)
    assert len(by_seq) == len(session.ordered())
    for one in session.interactions:
        about = turns[one.parent_turn_id].user_request.intent if one.parent_turn_id else ""
        assert about == one.ai_response.suggestion
    for event in session.events or []:
        if event.type == "accept":
            assert event.turn_id and event.data
            assert turns[event.turn_id].user_request.intent == event.data["about"]
        elif event.type == "restore":
            assert event.data
            assert by_seq[event.data["from_seq"]] == event.data["about"]
