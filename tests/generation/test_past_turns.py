"""The past turns that a model gets: the cell's, and those of the cells it was merged from."""

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


class History:
    """A store with one notebook, and the past turns that a model would get."""

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
            new_turn = NewTurn.model_validate(turn | more)
            await self.store.save_interaction(key(cell_id, notebook_id), new_turn)

    async def change(self, *cells: CellChange) -> None:
        self.count += 1
        await self.changes.record("nb", Batch(f"b{self.count}", NOW, cells))

    async def merge(self, into: str, *parents: str) -> None:
        merged = event("merge", source="x", data={"parents": list(parents)})
        await self.change(
            CellChange(key(into), [merged], parents=[key(parent) for parent in parents]),
            *(
                CellChange(key(cell_id), [event("merge", data={"into": into})])
                for cell_id in parents
            ),
        )

    async def wishes(
        self, cell_id: str, notebook_id: str = "nb", parent: int | None = None
    ) -> list[str]:
        past = await load_past_turns(self.store, key(cell_id, notebook_id), parent)
        return [turn.user_request.intent for turn in past.recent]


@pytest.fixture
def history() -> History:
    return History()


async def test_an_unmerged_cell_has_its_own_turns(history: History) -> None:
    await history.ask("a", "one", "two")
    await history.ask("b", "other")
    assert await history.wishes("a") == ["one", "two"]
    assert await history.wishes("a", parent=1) == ["one"]
    assert await history.wishes("new") == []


async def test_a_merged_cell_continues_from_its_parents(history: History) -> None:
    await history.ask("a", "a1", "a2")
    await history.ask("b", "b1")
    await history.ask("a", "a3")
    await history.merge("m", "a", "b")
    assert await history.wishes("m") == ["a1", "a2", "a3", "b1"]
    await history.ask("m", "m1")
    assert await history.wishes("m") == ["a1", "a2", "a3", "b1", "m1"]
    assert await history.wishes("m", parent=1) == ["a1", "a2", "a3", "b1", "m1"]
    # Merged again, with a cell that is itself merged from others.
    await history.ask("c", "c1")
    await history.merge("n", "c", "m")
    assert await history.wishes("n") == ["c1", "a1", "a2", "a3", "b1", "m1"]


async def test_later_turns_of_the_parents_are_excluded(history: History) -> None:
    await history.ask("a", "a1")
    await history.ask("b", "b1")
    await history.merge("m", "a", "b")
    await history.change(  # the merge was undone
        CellChange(key("m"), [event("delete", source="x")]),
        *(CellChange(key(cell_id), [event("undelete", source="x")]) for cell_id in "ab"),
    )
    await history.ask("a", "a2")
    assert await history.wishes("m") == ["a1", "b1"]
    await history.merge("n", "a", "b")
    assert await history.wishes("n") == ["a1", "a2", "b1"]
    assert await history.wishes("m") == ["a1", "b1"]


async def test_a_fresh_start_forgets_the_parents_too(history: History) -> None:
    await history.ask("a", "a1")
    await history.store.record_events(key("a"), [event("context_reset")])
    await history.ask("a", "a2")
    await history.ask("b", "b1")
    await history.merge("m", "a", "b")
    assert await history.wishes("m") == ["a2", "b1"]
    await history.store.record_events(key("m"), [event("context_reset")])
    await history.ask("m", "m1")
    assert await history.wishes("m") == ["m1"]


async def test_copies_of_a_merged_cell_and_of_its_notebook_know_the_same(history: History) -> None:
    """P28: what the notebook of the copy holds counts, not what went on in the first one."""
    await history.ask("a", "a1")
    await history.ask("b", "b1")
    await history.merge("m", "a", "b")
    await history.store.fork(key("m"), key("copy"))
    for cell_id in ("a", "b", "m"):
        await history.store.fork(key(cell_id), key(cell_id, "twin"))
    await history.change(
        *(CellChange(key(cell_id), [event("undelete", source="x")]) for cell_id in "ab")
    )
    await history.ask("a", "later")
    assert await history.wishes("copy") == ["a1", "b1"]
    await history.ask("m", "in the twin", notebook_id="twin")
    assert await history.wishes("m", "twin") == ["a1", "b1", "in the twin"]
    assert await history.wishes("m") == ["a1", "b1"]


async def test_odd_parents_are_passed_over(history: History) -> None:
    """Other tools may write anything there, also a cell that is its own parent."""
    await history.ask("a", "a1")
    await history.ask("m", "m1")
    session = await history.store.load_session(key("m"))
    odd: list[dict[str, Any]] = [{}, {"cell_id": 3}, {"notebook_id": "nb", "cell_id": "../a"}]
    named = [{"notebook_id": "nb", "cell_id": cell_id} for cell_id in ("m", "gone", "a", "a")]
    session.meta.parents = [*odd, *named]
    await _replace(history, session)
    assert await history.wishes("m") == ["a1", "m1"]


async def test_the_number_of_turns_is_limited(history: History) -> None:
    await history.ask("a", *(f"a{n}" for n in range(HISTORY_TURNS)))
    await history.ask("b", "b1")
    await history.merge("m", "a", "b")
    await history.ask("m", "m1")
    wishes = await history.wishes("m")
    assert len(wishes) == HISTORY_TURNS
    assert wishes[-3:] == [f"a{HISTORY_TURNS - 1}", "b1", "m1"]


async def _replace(history: History, session: Session) -> None:
    this = key(session.meta.cell_id)
    await history.store.delete(this)
    await history.store.merge_copy(this, session)
