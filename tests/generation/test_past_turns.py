"""Which past turns a model is told of: the cell's, and those of the cells it was merged from."""

from __future__ import annotations

from typing import Any

import pytest

from aiserver.generation.past_turns import HISTORY_TURNS, load_past_turns
from aiserver.models import NewEvent, NewTurn, Session, SessionKey
from aiserver.notebooks.change_log import Batch, CellChange, ChangeRecorder
from aiserver.sessions.memory import InMemorySessionManager

NOW = "2026-01-27T10:00:00.000Z"


def key(cell_id: str, notebook_id: str = "nb") -> SessionKey:
    return SessionKey(notebook_id, cell_id)


def event(type_: str, **fields: Any) -> NewEvent:
    return NewEvent(type=type_, timestamp=NOW, **fields)


class Told:
    """A store of one notebook, and what a model would be told."""

    def __init__(self) -> None:
        self.store = InMemorySessionManager()
        self.changes = ChangeRecorder(self.store)
        self.count = 0

    async def ask(self, cell_id: str, *wishes: str, notebook_id: str = "nb", **more: Any) -> None:
        for wish in wishes:
            turn = {
                "timestamp": NOW,
                "user_request": {"intent": wish, "current_code": ""},
                "ai_response": {"suggestion": wish, "status": "success"},
            }
            made = NewTurn.model_validate(turn | more)
            await self.store.save_interaction(key(cell_id, notebook_id), made)

    async def change(self, *cells: CellChange) -> None:
        self.count += 1
        await self.changes.record("nb", Batch(f"b{self.count}", NOW, cells))

    async def merge(self, into: str, *parents: str) -> None:
        merged = event("merge", source="x", data={"parents": list(parents)})
        await self.change(
            CellChange(key(into), [merged], parents=[key(parent) for parent in parents]),
            *(CellChange(key(one), [event("merge", data={"into": into})]) for one in parents),
        )

    async def wishes(
        self, cell_id: str, notebook_id: str = "nb", parent: int | None = None
    ) -> list[str]:
        found = await load_past_turns(self.store, key(cell_id, notebook_id), parent)
        return [turn.user_request.intent for turn in found]


@pytest.fixture
def told() -> Told:
    return Told()


async def test_a_cell_of_its_own_tells_its_own(told: Told) -> None:
    await told.ask("a", "one", "two")
    await told.ask("b", "other")
    assert await told.wishes("a") == ["one", "two"]
    assert await told.wishes("a", parent=1) == ["one"]
    assert await told.wishes("new") == []


async def test_a_merged_cell_goes_on_from_its_parents(told: Told) -> None:
    await told.ask("a", "a1", "a2")
    await told.ask("b", "b1")
    await told.ask("a", "a3")
    await told.merge("m", "a", "b")
    assert await told.wishes("m") == ["a1", "a2", "a3", "b1"]
    await told.ask("m", "m1")
    assert await told.wishes("m") == ["a1", "a2", "a3", "b1", "m1"]
    assert await told.wishes("m", parent=1) == ["a1", "a2", "a3", "b1", "m1"]
    # Merged again, with one that was made of others itself.
    await told.ask("c", "c1")
    await told.merge("n", "c", "m")
    assert await told.wishes("n") == ["c1", "a1", "a2", "a3", "b1", "m1"]


async def test_what_the_parents_were_asked_later_is_not_told(told: Told) -> None:
    await told.ask("a", "a1")
    await told.ask("b", "b1")
    await told.merge("m", "a", "b")
    await told.change(  # the merge was undone
        CellChange(key("m"), [event("delete", source="x")]),
        *(CellChange(key(one), [event("undelete", source="x")]) for one in "ab"),
    )
    await told.ask("a", "a2")
    assert await told.wishes("m") == ["a1", "b1"]
    await told.merge("n", "a", "b")
    assert await told.wishes("n") == ["a1", "a2", "b1"]
    assert await told.wishes("m") == ["a1", "b1"]


async def test_a_fresh_start_forgets_the_parents_too(told: Told) -> None:
    await told.ask("a", "a1")
    await told.store.record_events(key("a"), [event("context_reset")])
    await told.ask("a", "a2")
    await told.ask("b", "b1")
    await told.merge("m", "a", "b")
    assert await told.wishes("m") == ["a2", "b1"]
    await told.store.record_events(key("m"), [event("context_reset")])
    await told.ask("m", "m1")
    assert await told.wishes("m") == ["m1"]


async def test_copies_of_a_merged_cell_and_of_its_notebook_know_the_same(told: Told) -> None:
    """P28: what the notebook of the copy holds counts, not what went on in the first one."""
    await told.ask("a", "a1")
    await told.ask("b", "b1")
    await told.merge("m", "a", "b")
    await told.store.fork(key("m"), key("copy"))
    for cell_id in ("a", "b", "m"):
        await told.store.fork(key(cell_id), key(cell_id, "twin"))
    await told.change(*(CellChange(key(one), [event("undelete", source="x")]) for one in "ab"))
    await told.ask("a", "later")
    assert await told.wishes("copy") == ["a1", "b1"]
    await told.ask("m", "in the twin", notebook_id="twin")
    assert await told.wishes("m", "twin") == ["a1", "b1", "in the twin"]
    assert await told.wishes("m") == ["a1", "b1"]


async def test_odd_parents_are_passed_over(told: Told) -> None:
    """Other tools may write anything there, also a cell that is its own parent."""
    await told.ask("a", "a1")
    await told.ask("m", "m1")
    session = await told.store.load_session(key("m"))
    odd: list[dict[str, Any]] = [{}, {"cell_id": 3}, {"notebook_id": "nb", "cell_id": "../a"}]
    named = [{"notebook_id": "nb", "cell_id": one} for one in ("m", "gone", "a", "a")]
    session.meta.parents = [*odd, *named]
    await _replace(told, session)
    assert await told.wishes("m") == ["a1", "m1"]


async def test_no_more_are_told_than_any_budget_holds(told: Told) -> None:
    await told.ask("a", *(f"a{n}" for n in range(HISTORY_TURNS)))
    await told.ask("b", "b1")
    await told.merge("m", "a", "b")
    await told.ask("m", "m1")
    wishes = await told.wishes("m")
    assert len(wishes) == HISTORY_TURNS
    assert wishes[-3:] == [f"a{HISTORY_TURNS - 1}", "b1", "m1"]


async def _replace(told: Told, session: Session) -> None:
    this = key(session.meta.cell_id)
    await told.store.delete(this)
    await told.store.take_over(this, session)
