"""P27, P45: over every store, after each step, the manager equals a model of dictionaries."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Coroutine
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from aiserver.errors import NotFound, ProposalNotFound
from aiserver.memory.entries import SCOPES, Scope
from aiserver.memory.manager import LIFETIME, MemoryManager
from aiserver.testing import MemoryBackend

from ..examples import examples
from .backends import DurableMemoryBackend
from .test_lifecycle import Project, killed_after_the_decision

texts = st.sampled_from(["Use polars", "Use pandas", "金额单位是万元", "- x", "# none", "a | b"])
scopes = st.sampled_from(SCOPES)
_examples = itertools.count(1)


class Machine(RuleBasedStateMachine):
    """Random acts of a person, other windows, editors and kills."""

    def __init__(self, backend: MemoryBackend, folder: Path) -> None:
        super().__init__()
        # Many examples share one backend; each has its own owner and project.
        number = next(_examples)
        self.owner = f"ada {number}"
        self.project = Project(backend, folder / f"project-{number}")
        self.entries: dict[Scope, dict[str, str]] = {scope: {} for scope in SCOPES}
        self.proposals: dict[str, tuple[str, Scope, float]] = {}
        self.decided: dict[str, Scope] = {}

    def window(self) -> MemoryManager:
        """Return the manager of a restarted server."""
        return self.project.open(self.owner)

    def run(self, act: Coroutine[Any, Any, Any]) -> Any:
        async def close_after() -> Any:
            try:
                return await act
            finally:
                if isinstance(self.project.backend, DurableMemoryBackend):
                    await self.project.backend.close()

        return asyncio.run(close_after())

    def pick(self, data: st.DataObject, ids: Any) -> str:
        return str(data.draw(st.sampled_from([*ids, "0" * 12])))

    @rule(text=texts, scope=scopes)
    def propose(self, text: str, scope: Scope) -> None:
        proposal = self.run(self.window().propose(text, scope, "request"))
        waiting = self.proposals.items()
        same = [id_ for id_, (*proposed, _) in waiting if proposed == [text, scope]]
        if same:
            assert proposal.id == same[0]
        else:
            self.proposals[proposal.id] = (text, scope, self.project.now + LIFETIME)

    @rule(data=st.data(), text=st.none() | texts, scope=st.none() | scopes)
    def confirm(self, data: st.DataObject, text: str | None, scope: Scope) -> None:
        id_ = self.pick(data, [*self.proposals, *self.decided])
        if id_ in self.proposals:
            own_text, own_scope, _ = self.proposals.pop(id_)
            target = scope or own_scope
            replaces = self.pick(data, self.entries[target])
            act = self.window().confirm(id_, text=text, scope=scope, replaces=replaces)
            entry = self.run(act)
            assert (entry.id, entry.text) == (id_, text or own_text)
            self.entries[target].pop(replaces, None)
            self.entries[target][id_] = entry.text
            self.decided[id_] = target
        elif self.decided.get(id_) and id_ in self.entries[self.decided[id_]]:
            entry = self.run(self.window().confirm(id_))
            assert entry.text == self.entries[self.decided[id_]][id_]
        else:
            with pytest.raises(ProposalNotFound):
                self.run(self.window().confirm(id_))

    @rule(data=st.data())
    def reject(self, data: st.DataObject) -> None:
        id_ = self.pick(data, [*self.proposals, *self.decided])
        if self.proposals.pop(id_, None):
            self.run(self.window().reject(id_))
        else:
            with pytest.raises(ProposalNotFound):
                self.run(self.window().reject(id_))

    @precondition(lambda self: self.proposals)
    @rule(data=st.data())
    def kill(self, data: st.DataObject) -> None:
        """The process is killed between the decision and the entry of the project's memory."""
        id_ = str(data.draw(st.sampled_from(list(self.proposals))))
        text, scope, _ = self.proposals[id_]
        if scope == "project":
            del self.proposals[id_]
            self.run(killed_after_the_decision(self.project, id_, self.owner))
            self.entries[scope][id_] = text
            self.decided[id_] = scope

    @rule(text=texts, scope=scopes)
    def add(self, text: str, scope: Scope) -> None:
        entry = self.run(self.window().add(scope, text))
        self.entries[scope][entry.id] = text

    @rule(data=st.data(), scope=scopes, text=texts)
    def change(self, data: st.DataObject, scope: Any, text: str) -> None:
        id_ = self.pick(data, self.entries[scope])
        old = self.entries[scope].get(id_)
        if old is None:
            with pytest.raises(NotFound):
                self.run(self.window().change(scope, id_, text, ""))
        else:
            self.run(self.window().change(scope, id_, text, old))
            self.entries[scope][id_] = text

    @rule(data=st.data(), scope=scopes)
    def forget(self, data: st.DataObject, scope: Scope) -> None:
        id_ = self.pick(data, self.entries[scope])
        if self.entries[scope].pop(id_, None) is None:
            with pytest.raises(NotFound):
                self.run(self.window().forget(scope, id_))
        else:
            self.run(self.window().forget(scope, id_))

    @rule(hours=st.sampled_from([1, 12, 24]))
    def wait(self, hours: int) -> None:
        self.project.now += hours * 3600
        now = self.project.now
        self.proposals = {id_: item for id_, item in self.proposals.items() if item[2] > now}

    @precondition(lambda self: self.project.file.exists())
    @rule()
    def edit_by_hand(self) -> None:
        """An editor writes the title and a table anew, which aren't entries."""
        text = self.project.file.read_text("utf-8")
        self.project.file.write_text(text + "\n| a |\n|---|\n\n", "utf-8")

    @invariant()
    def the_manager_agrees_with_the_dictionaries(self) -> None:
        self.run(self.window().sweep())
        waiting = self.run(self.window().pending())
        assert {p.id: (p.text, p.scope, p.expires_at) for p in waiting} == self.proposals
        listed = self.run(self.window().list_entries())
        for scope in SCOPES:
            entries = {item.entry.id: item.entry.text for item in listed if item.scope == scope}
            assert entries == self.entries[scope]
        assert {item.review for item in listed} <= {"used"}


@pytest.mark.timeout(600)  # minimizing a failure takes minutes
def test_every_store_behaves_like_dictionaries(
    local_memory_backend: MemoryBackend, tmp_path: Path
) -> None:
    """P27, P45"""
    machine: Any = partial(Machine, local_memory_backend, tmp_path)
    run_state_machine_as_test(
        machine,
        settings=settings(
            max_examples=examples(20),
            stateful_step_count=20,
            deadline=None,
            derandomize=True,
            suppress_health_check=list(HealthCheck),
        ),
    )
