"""P27: every store does, step for step, what plain dictionaries do; restarts included."""

from __future__ import annotations

import asyncio
import hashlib
import itertools
from collections.abc import Coroutine
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, rule, run_state_machine_as_test

from aiserver.errors import NotFound, StaleRevision
from aiserver.models import (
    NewEvent,
    NewLogEntry,
    NewTurn,
    NotebookLogEntry,
    Session,
    SessionKey,
)
from aiserver.sessions import codec
from aiserver.sessions.base import SessionManager

from .conftest import Backend
from .plain import Item, Key, Plain, PlainSession, Stale
from .records import NOON
from .strategies import events, turns

Where = tuple[int, str, str]  # which owner, notebook, cell
_examples = itertools.count(1)
TIMES = ("created_at", "last_updated")
OWNERS = ("ada", "Ada ", "名\0:%")
# Ids that one owner, and two owners, have in common; some differ by case alone.
keys = st.tuples(
    st.integers(0, 2), st.sampled_from(["nb", "Nb"]), st.sampled_from(["c", "C_", "d"])
)
revisions = st.sampled_from(["any", "any", "right", "stale"])
logged = st.fixed_dictionaries(
    {"type": st.just("path_seen"), "timestamp": st.just(NOON), "data": st.just({"path": "分析"})}
)
made = st.lists(turns() | events(), max_size=4)


class StoreMachine(RuleBasedStateMachine):
    """A store, and what it must be."""

    def __init__(self, backend: Backend) -> None:
        super().__init__()
        self._backend = backend
        self._loop = asyncio.new_event_loop()
        self._store: SessionManager = backend.open()
        self._plain = Plain()
        # The place serves many examples. Each has owners of its own, so it begins with nothing.
        self._owners = [f"{owner}{next(_examples)}" for owner in OWNERS]

    def teardown(self) -> None:
        try:
            for owner in self._owners:
                self._is_all(owner)
        finally:
            self._run(self._store.close())
            self._loop.run_until_complete(self._loop.shutdown_asyncgens())
            self._loop.close()

    @rule(where=keys, turn=turns(), revision=revisions)
    def save_interaction(self, where: Where, turn: Item, revision: str) -> None:
        key, named = self._key(where), NewTurn.model_validate(turn)
        if_revision = self._revision(key, revision)
        work = self._store.save_interaction(_name(key), named, if_revision=if_revision)
        try:
            expected = self._plain.save(key, named.to_dict(), if_revision)
        except Stale as stale:
            self._refused(work, if_revision, stale)
        else:
            saved, now = self._run(work)
            assert (saved.to_dict(), now) == expected
        self._is(key)

    @rule(where=keys, some=st.lists(events(), max_size=3), revision=revisions)
    def record_events(self, where: Where, some: list[Item], revision: str) -> None:
        key, named = self._key(where), [NewEvent.model_validate(event) for event in some]
        if_revision = self._revision(key, revision)
        work = self._store.record_events(_name(key), named, if_revision=if_revision)
        try:
            expected = self._plain.record(key, [e.to_dict() for e in named], if_revision)
        except Stale as stale:
            self._refused(work, if_revision, stale)
        else:
            saved, now = self._run(work)
            assert ([event.to_dict() for event in saved], now) == expected
        self._is(key)

    @rule(where=keys, revision=revisions)
    def delete(self, where: Where, revision: str) -> None:
        key = self._key(where)
        if_revision = self._revision(key, revision)
        work = self._store.delete(_name(key), if_revision=if_revision)
        try:
            expected = self._plain.delete(key, if_revision)
        except Stale as stale:
            self._refused(work, if_revision, stale)
        else:
            assert self._run(work) is expected
        self._is(key)

    @rule(source=keys, copy=keys)
    def fork(self, source: Where, copy: Where) -> None:
        one, two = self._key(source), self._key(copy)
        work = self._store.fork(_name(one), _name(two))
        expected = self._plain.fork(one, two)
        if expected is None:
            with pytest.raises(NotFound):
                self._run(work)
        else:
            assert _content(self._run(work)) == _expected(two, expected)
        self._is(one)
        self._is(two)

    @rule(where=keys, origin=keys, skip=st.sampled_from([0, 0, 1, 3]))
    def take_over(self, where: Where, origin: Where, skip: int) -> None:
        """What is here under another key, as if another place had it."""
        self._take_over(where, self._plain.sessions.get(self._key(origin)) or PlainSession(), skip)

    @rule(where=keys, items=made, revision=st.integers(0, 9), skip=st.sampled_from([0, 0, 2]))
    def take_over_from_elsewhere(
        self, where: Where, items: list[Item], revision: int, skip: int
    ) -> None:
        other = PlainSession()
        other.revision = revision
        for item in items:
            kind = NewTurn if "user_request" in item else NewEvent
            other.add(kind.model_validate(item).to_dict())
        self._take_over(where, other, skip)

    @rule(where=keys, entries=st.lists(logged, max_size=3))
    def append_notebook_log(self, where: Where, entries: list[Item]) -> None:
        owner, notebook_id, _ = self._key(where)
        new = [NewLogEntry.model_validate(entry) for entry in entries]
        marks = dict(self._run(self._store.notebook_marks(owner=owner)))
        saved = self._run(self._store.append_notebook_log(notebook_id, new, owner=owner))
        log = self._plain.logs.get((owner, notebook_id), [])
        numbered = [e | {"seq": seq} for seq, e in enumerate(entries, len(log) + 1)]
        assert [entry.to_dict() for entry in saved] == numbered
        if entries:
            self._plain.logs[owner, notebook_id] = log + numbered
            now = self._run(self._store.notebook_marks(owner=owner))
            assert now[notebook_id] != marks.pop(notebook_id, None)
            assert {other: now[other] for other in marks} == marks
        self._is_beside(owner)

    @rule(where=keys)
    def delete_notebook_log(self, where: Where) -> None:
        owner, notebook_id, _ = self._key(where)
        was = self._plain.logs.pop((owner, notebook_id), None) is not None
        assert self._run(self._store.delete_notebook_log(notebook_id, owner=owner)) is was
        self._is_beside(owner)

    @rule(where=keys, data=st.sampled_from([b"", b"\0\xff", b"x" * 9999]))
    def put_blob(self, where: Where, data: bytes) -> None:
        owner = self._key(where)[0]
        assert self._run(self._store.put_blob(data, owner=owner)) == _hash(data)
        self._plain.blobs[owner, data] = None
        self._is_beside(owner)

    @rule(where=keys, data=st.sampled_from([b"", b"\0\xff"]))
    def delete_blob(self, where: Where, data: bytes) -> None:
        owner = self._key(where)[0]
        was = (owner, data) in self._plain.blobs
        self._plain.blobs.pop((owner, data), None)
        assert self._run(self._store.delete_blob(_hash(data), owner=owner)) is was
        self._is_beside(owner)

    @rule(where=keys, all_of=st.booleans(), offset=st.integers(0, 4), limit=st.integers(0, 4))
    def list_a_page(self, where: Where, all_of: bool, offset: int, limit: int) -> None:
        owner, notebook_id, _ = self._key(where)
        of = None if all_of else notebook_id
        page = self._store.list_sessions(of, owner=owner, offset=offset, limit=limit)
        rows, total = self._run(page)
        expected = self._plain.rows(owner, of)
        assert ([_row(row) for row in rows], total) == (
            expected[offset : offset + limit],
            len(expected),
        )

    @rule(where=keys, messages=st.integers(0, 6), tokens=st.integers(0, 60))
    def get_history(self, where: Where, messages: int, tokens: int) -> None:
        key = self._key(where)
        session = self._plain.sessions.get(key) or PlainSession()
        fitting = session.history()[max(0, len(session.history()) - messages // 2) :]
        while sum(map(_size, fitting)) > tokens:
            del fitting[0]
        turns = self._run(
            self._store.get_history(
                _name(key), max_messages=messages, max_tokens=tokens, count_tokens=len
            )
        )
        assert [turn.to_dict() for turn in turns] == fitting

    @rule()
    def restart(self) -> None:
        self._run(self._store.close())
        self._store = self._backend.open()
        for owner in self._owners:
            self._is_all(owner)

    def _take_over(self, where: Where, other: PlainSession, skip: int) -> None:
        key = self._key(where)
        theirs = Session.model_validate(_expected(("", "elsewhere", "cell"), other, stamp=NOON))
        expected = self._plain.take_over(key, other, skip)
        assert self._run(self._store.take_over(_name(key), theirs, skip=skip)) is expected
        self._is(key)

    def _run(self, work: Coroutine[Any, Any, Any]) -> Any:
        return self._loop.run_until_complete(work)

    def _key(self, where: Where) -> Key:
        return self._owners[where[0]], where[1], where[2]

    def _revision(self, key: Key, which: str) -> int | None:
        session = self._plain.sessions.get(key) or PlainSession()
        return {"any": None, "right": session.revision, "stale": session.revision + 1}[which]

    def _refused(self, work: Coroutine[Any, Any, Any], named: int | None, stale: Stale) -> None:
        with pytest.raises(StaleRevision) as caught:
            self._run(work)
        assert (caught.value.expected, caught.value.actual) == (named, stale.args[0])

    def _is(self, key: Key) -> None:
        """What is stored under a key is what must be."""
        name, expected = _name(key), self._plain.sessions.get(key)
        stored = self._run(self._store.load_if_exists(name))
        assert self._run(self._store.exists(name)) is (expected is not None)
        if expected is None:
            assert stored is None
            assert self._run(self._store.load_raw(name)) is None
            assert self._run(self._store.get_history(name)) == []
            return
        assert _content(stored) == _expected(key, expected)
        raw, revision = self._run(self._store.load_raw(name))
        assert _content(codec.parse(raw)) == _expected(key, expected)
        assert revision == expected.revision
        history = self._run(self._store.get_history(name))
        assert [turn.to_dict() for turn in history] == expected.history()

    def _is_beside(self, owner: str) -> None:
        logs = {name: log for (who, name), log in self._plain.logs.items() if who == owner}
        assert self._run(self._store.list_notebooks(owner=owner)) == sorted(logs)
        for name in ("nb", "Nb"):
            log: list[NotebookLogEntry] = self._run(
                self._store.read_notebook_log(name, owner=owner)
            )
            assert [entry.to_dict() for entry in log] == logs.get(name, [])
        blobs = {_hash(data): data for who, data in self._plain.blobs if who == owner}
        assert self._run(self._store.list_blobs(owner=owner)) == sorted(blobs)
        for digest, data in blobs.items():
            assert self._run(self._store.get_blob(digest, owner=owner)) == data

    def _is_all(self, owner: str) -> None:
        for key in self._plain.sessions:
            if key[0] == owner:
                self._is(key)
        rows, total = self._run(self._store.list_sessions(owner=owner))
        expected = self._plain.rows(owner, None)
        assert ([_row(row) for row in rows], total) == (expected, len(expected))
        self._is_beside(owner)
        named = set(self._run(self._store.list_owners())) & {owner}
        if self._store.shared:
            assert named == self._plain.owners() & {owner}


def _name(key: Key) -> SessionKey:
    return SessionKey(key[1], key[2], key[0])


def _hash(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _size(turn: Item) -> int:
    asked = turn["user_request"]
    return len(asked["intent"] + asked["current_code"] + turn["ai_response"]["suggestion"])


def _row(row: Any) -> Item:
    content: Item = row.model_dump()
    return {name: value for name, value in content.items() if name not in TIMES}


def _content(session: Session) -> Item:
    content = session.to_dict()
    for time in TIMES:
        del content["meta"][time]
    return content


def _expected(key: Key, session: PlainSession, stamp: str = "") -> Item:
    owner, notebook_id, cell_id = key
    meta: Item = {"version": "1.0", "notebook_id": notebook_id, "cell_id": cell_id}
    meta |= {"created_at": stamp, "last_updated": stamp} if stamp else {}
    meta |= {"revision": session.revision} if session.revision or not stamp else {}
    meta |= {"owner": owner} if owner else {}
    if session.forked_from:
        meta["forked_from"] = session.forked_from
    content: Item = {"meta": meta, "interactions": session.turns}
    return content | ({"events": session.events} if session.has_events else {})


def test_every_store_does_what_dictionaries_do(backend: Backend) -> None:
    """P27"""
    run_state_machine_as_test(
        lambda: StoreMachine(backend),
        settings=settings(
            max_examples=30,
            stateful_step_count=25,
            deadline=None,
            derandomize=True,
            suppress_health_check=list(HealthCheck),
        ),
    )
