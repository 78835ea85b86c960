"""P27: after each step, even a restart, every store equals a model of plain dictionaries."""

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
from aiserver.models import NewEvent, NewLogEntry, NewTurn, NotebookLogEntry, Session, SessionKey
from aiserver.sessions.base import SessionManager
from aiserver.sessions.record import codec
from aiserver.sessions.record.merge import digest
from aiserver.testing import Backend
from aiserver.testing.records import NOON

from ..examples import examples
from .conftest import SQLBackend
from .plain import Item, Key, Plain, PlainSession, Stale
from .strategies import events, turns

Where = tuple[int, str, str]  # owner, notebook, cell
_examples = itertools.count(1)
TIMES = ("created_at", "last_updated")
OWNERS = ("ada", "Ada\0:%名")
# Few keys, mostly the first one, so that much happens to it; the others share an id with it.
keys = st.sampled_from([*[(0, "nb", "c")] * 4, (0, "nb", "C_"), (0, "Nb", "c"), (1, "nb", "c")])
BOUNDS = ((None, None), (3, None), (None, 40), (None, None), (4, 25), (0, 99))  # messages, tokens
PAGES = (
    ("", 0, None),
    ("one", 0, 9),
    ("", 1, 1),
    ("one", 1, 0),
)  # notebook, offset, limit
revisions = st.sampled_from(["any", "any", "right", "right", "stale"])
logged = st.fixed_dictionaries(
    {"type": st.just("path_seen"), "timestamp": st.just(NOON), "data": st.just({"path": "分析"})}
)
new_records = st.lists(turns() | events(), min_size=1, max_size=5)


class StoreMachine(RuleBasedStateMachine):
    """A store and its model."""

    def __init__(self, backend: Backend) -> None:
        super().__init__()
        self._backend = backend
        self._loop = asyncio.new_event_loop()
        self._store: SessionManager = backend.open()
        self._plain = Plain()
        self._bounds = itertools.cycle(BOUNDS)
        self._pages = itertools.cycle(PAGES)
        # Many examples share one backend; each has its own owners, so it starts empty.
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
        key = self._key(where)
        self._save(key, turn, self._revision(key, revision))
        self._is(key)

    @rule(
        where=keys,
        some=st.lists(events(), min_size=1, max_size=3) | st.just([]),
        revision=revisions,
    )
    def record_events(self, where: Where, some: list[Item], revision: str) -> None:
        key = self._key(where)
        self._record(key, some, self._revision(key, revision))
        self._is(key)

    @rule(where=keys, items=new_records)
    def work_on(self, where: Where, items: list[Item]) -> None:
        """Ask and run, ask and accept, start afresh, like a person."""
        for item in items:
            if "user_request" in item:
                self._save(self._key(where), item, None)
            else:
                self._record(self._key(where), [item], None)
        self._is(self._key(where))

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

    @rule(source=keys, copy=keys, skip=st.sampled_from(["fork", 0, 1, 3]))
    def copy(self, source: Where, copy: Where, skip: Any) -> None:
        """Fork a session, or merge it into another key like one of another store."""
        source_key, target_key = self._key(source), self._key(copy)
        if skip != "fork":
            self._merge_copy(
                target_key, self._plain.sessions.get(source_key) or PlainSession(), skip
            )
            return
        work = self._store.fork(_name(source_key), _name(target_key))
        expected = self._plain.fork(source_key, target_key)
        if expected is None:
            with pytest.raises(NotFound):
                self._run(work)
        else:
            assert _content(self._run(work)) == _expected(target_key, expected)
        self._is(source_key)
        self._is(target_key)

    @rule(
        where=keys, items=new_records, revision=st.integers(0, 9), skip=st.sampled_from([0, 0, 2])
    )
    def merge_other_copy(self, where: Where, items: list[Item], revision: int, skip: int) -> None:
        other = PlainSession()
        other.revision = revision
        for item in items:
            kind = NewTurn if "user_request" in item else NewEvent
            other.add(kind.model_validate(item).to_dict())
        self._merge_copy(self._key(where), other, skip)

    @rule(where=keys, entries=st.none() | st.lists(logged, max_size=3))
    def log_notebook(self, where: Where, entries: list[Item] | None) -> None:
        owner, notebook_id, _ = self._key(where)
        marks = dict(self._run(self._store.notebook_marks(owner=owner)))
        log = self._plain.logs.get((owner, notebook_id), [])
        if entries is None:
            work = self._store.delete_notebook_log(notebook_id, owner=owner)
            assert self._run(work) is bool(log)
            self._plain.logs.pop((owner, notebook_id), None)
        else:
            new = [NewLogEntry.model_validate(entry) for entry in entries]
            saved = self._run(self._store.append_notebook_log(notebook_id, new, owner=owner))
            numbered = [e | {"seq": seq} for seq, e in enumerate(entries, len(log) + 1)]
            assert [entry.to_dict() for entry in saved] == numbered
            if entries:
                self._plain.logs[owner, notebook_id] = log + numbered
        now = self._run(self._store.notebook_marks(owner=owner))
        changed = {name for name in now | marks if now.get(name) != marks.get(name)}
        assert changed == ({notebook_id} if (log if entries is None else entries) else set())
        self._check_other_records(owner)

    @rule(where=keys, data=st.sampled_from([b"", b"\0\xff", b"x" * 40]), keep=st.booleans())
    def blob(self, where: Where, data: bytes, keep: bool) -> None:
        owner = self._key(where)[0]
        if keep:
            assert self._run(self._store.put_blob(data, owner=owner)) == _hash(data)
            self._plain.blobs.add((owner, data))
        else:
            was = (owner, data) in self._plain.blobs
            self._plain.blobs.discard((owner, data))
            assert self._run(self._store.delete_blob(_hash(data), owner=owner)) is was
        self._check_other_records(owner)

    @rule()
    def restart(self) -> None:
        self._run(self._store.close())
        self._store = self._backend.open()
        for owner in self._owners:
            self._is_all(owner)

    def _save(self, key: Key, turn: Item, if_revision: int | None) -> None:
        named = NewTurn.model_validate(turn)
        work = self._store.save_interaction(_name(key), named, if_revision=if_revision)
        try:
            expected = self._plain.save(key, named.to_dict(), if_revision)
        except Stale as stale:
            self._refused(work, if_revision, stale)
        else:
            saved, now = self._run(work)
            assert (saved.to_dict(), now) == expected

    def _record(self, key: Key, events: list[Item], if_revision: int | None) -> None:
        named = [NewEvent.model_validate(event) for event in events]
        work = self._store.record_events(_name(key), named, if_revision=if_revision)
        try:
            expected = self._plain.record(key, [e.to_dict() for e in named], if_revision)
        except Stale as stale:
            self._refused(work, if_revision, stale)
        else:
            saved, now = self._run(work)
            assert ([event.to_dict() for event in saved], now) == expected

    def _merge_copy(self, key: Key, other: PlainSession, skip: int) -> None:
        other_content = _expected(("", "elsewhere", "cell"), other, stamp=NOON)
        expected = self._plain.merge_copy(key, other, skip)
        theirs = Session.model_validate(other_content)
        merged_digests = {digest(item) for item in theirs.ordered()[:skip]}
        assert (
            self._run(self._store.merge_copy(_name(key), theirs, merged_digests=merged_digests))
            is expected
        )
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
        """Check the session that is stored under a key against the model."""
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
        self._is_history(name, expected.history(), *next(self._bounds))
        of, offset, limit = next(self._pages)
        self._is_list(key[0], key[1] if of else None, offset, limit)

    def _is_history(
        self, name: SessionKey, turns: list[Item], messages: int | None, tokens: int | None
    ) -> None:
        fitting = turns if messages is None else turns[max(0, len(turns) - messages // 2) :]
        while tokens is not None and sum(map(_size, fitting)) > tokens:
            fitting = fitting[1:]
        bounds: Item = {"max_messages": messages, "max_tokens": tokens, "count_tokens": len}
        history = self._run(self._store.get_history(name, **bounds))
        assert [turn.to_dict() for turn in history] == fitting

    def _is_list(self, owner: str, of: str | None, offset: int, limit: int | None) -> None:
        page = self._store.list_sessions(of, owner=owner, offset=offset, limit=limit)
        rows, total = self._run(page)
        expected = self._plain.rows(owner, of)
        end = None if limit is None else offset + limit
        assert [_row(row) for row in rows] == expected[offset:end]
        assert total == len(expected)

    def _check_other_records(self, owner: str) -> None:
        logs = {name: log for (who, name), log in self._plain.logs.items() if who == owner}
        assert self._run(self._store.list_notebooks(owner=owner)) == sorted(logs)
        for name in ("nb", "Nb"):
            log: list[NotebookLogEntry] = self._run(
                self._store.read_notebook_log(name, owner=owner)
            )
            assert [entry.to_dict() for entry in log] == logs.get(name, [])
        blobs = {_hash(data): data for who, data in self._plain.blobs if who == owner}
        assert self._run(self._store.list_blobs(owner=owner)) == sorted(blobs)
        for sha256, data in blobs.items():
            assert self._run(self._store.get_blob(sha256, owner=owner)) == data

    def _is_all(self, owner: str) -> None:
        for key in self._plain.sessions:
            if key[0] == owner:
                self._is(key)
        self._is_list(owner, None, 0, None)
        self._check_other_records(owner)
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
    meta |= {"revision": session.revision} if session.revision else {}
    meta |= {"owner": owner} if owner else {}
    if session.forked_from:
        meta["forked_from"] = session.forked_from
    content: Item = {"meta": meta, "interactions": session.turns}
    return content | ({"events": session.events} if session.has_events else {})


@pytest.mark.timeout(600)  # minimizing a failure takes minutes
def test_every_store_behaves_like_dictionaries(backend: Backend) -> None:
    """P27"""
    machine: Any = lambda: StoreMachine(backend)  # noqa: E731
    run_state_machine_as_test(
        machine,
        settings=settings(
            # Each of the three databases takes some milliseconds per request.
            max_examples=examples(25 if isinstance(backend, SQLBackend) else 50),
            stateful_step_count=30,
            deadline=None,
            derandomize=True,
            suppress_health_check=list(HealthCheck),
        ),
    )
