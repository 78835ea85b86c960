"""P45: what a person changes in answers again and again is proposed, and only that."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Any

import pytest

from aiserver import i18n
from aiserver.errors import StorageUnreachable
from aiserver.generation.forgetting import forget
from aiserver.memory.corrections import counts
from aiserver.memory.histories.correction_watcher import CorrectionWatcher
from aiserver.memory.manager import MemoryManager
from aiserver.memory.proposals import MAX_PROPOSALS
from aiserver.memory.stores.base import DocumentName, MemoryStore
from aiserver.memory.stores.file import FileMemoryStore
from aiserver.memory.stores.in_memory import InMemoryMemoryStore
from aiserver.models import NewEvent, Session, SessionKey
from aiserver.sessions.memory import InMemorySessionManager
from aiserver.testing import MemoryBackend
from aiserver.testing.records import event, in_loop, turn

PLOT, SEABORN = "df.plot(x='secret')", "sns.lineplot(df, x='secret')"
TEXT = "Use seaborn.lineplot() instead of .plot()."
DAY = 24 * 3600.0


class Desk:
    """A person with notebooks and memories. The time is that of the turns."""

    def __init__(self, store: MemoryStore, owner: str = "ada", *, is_enabled: bool = True) -> None:
        self.store = store
        self.sessions = InMemorySessionManager()
        self.now = 1_769_600_000.0
        self.owner = owner
        self.memory = MemoryManager(store, None, owner=owner, now=lambda: self.now)
        self.watcher = CorrectionWatcher(self.sessions, self.memory, is_enabled=is_enabled)
        self.watcher.pause = 0.0
        self.cell_count = 0

    async def correct(self, *events: NewEvent, cell: str = "", user: str | None = None) -> str:
        """Accept an answer in a new cell and change it; return the id of the cell."""
        self.cell_count += 1
        cell = cell or f"c{self.cell_count}"
        key = SessionKey("nb", cell, self.owner)
        timestamp = f"2026-01-28T10:{self.cell_count:02}:00.000Z"
        saved, _ = await self.sessions.save_interaction(
            key, turn("plot it", PLOT, timestamp=timestamp, user=user)
        )
        accept = event("accept", turn_id=saved.turn_id, source=PLOT)
        await self.edit(cell, accept, *(events or (event("edit", source=SEABORN),)))
        return cell

    async def edit(self, cell: str, *events: NewEvent, is_owner: bool = True) -> None:
        key = SessionKey("nb", cell, self.owner)
        await self.sessions.record_events(key, events)
        self.watcher.note([(key, events)], is_owner=is_owner)
        await self.finish()

    async def finish(self) -> None:
        while self.watcher._task is not None:
            await self.watcher._task

    async def stored(self) -> bytes:
        """Return the document about corrections."""
        return await self.store.read("corrections", owner=self.owner) or b""

    async def waiting(self) -> list[str]:
        return [proposal.text for proposal in await self.memory.pending()]


@in_loop
async def test_three_corrections_lead_to_one_proposal_in_every_store(
    local_memory_backend: MemoryBackend,
) -> None:
    desk = Desk(local_memory_backend.open())
    await desk.correct()
    await desk.correct()
    assert await desk.waiting() == []
    cell = await desk.correct()
    [proposal] = await desk.memory.pending()
    assert (proposal.text, proposal.scope, proposal.origin) == (TEXT, "person", "correction")
    assert proposal.answer_count == 3
    assert proposal.source is not None
    assert (proposal.source.cell_id, proposal.source.turn_id) == (cell, 1)
    assert await desk.memory.list_entries() == [], "nothing is remembered without a yes"
    await desk.memory.confirm(proposal.id)
    [listed] = await desk.memory.list_entries()
    assert (listed.entry.text, listed.review) == (TEXT, "used")
    for _ in range(4):
        await desk.correct()
    assert await desk.waiting() == [], "an entry says it already"
    assert b"secret" not in local_memory_backend.content()


class FailingStore(InMemoryMemoryStore):
    """Can't be reached while a document is among ``unreachable``."""

    unreachable: tuple[str, ...] = ()

    async def replace(self, name: DocumentName, *args: Any, **kwargs: Any) -> bool:
        if name in self.unreachable:
            raise StorageUnreachable
        return await super().replace(name, *args, **kwargs)


@in_loop
async def test_a_rejected_or_expired_proposal_is_repeated_only_after_three_more() -> None:
    desk = Desk(InMemoryMemoryStore())
    cells = [await desk.correct() for _ in range(3)]
    [proposal] = await desk.memory.pending()
    await desk.memory.reject(proposal.id)
    for cell in cells:
        await desk.edit(cell, event("edit", source=f"{SEABORN}\n"))
    await desk.correct()
    await desk.correct()
    assert await desk.waiting() == []
    await desk.correct()
    assert await desk.waiting() == [TEXT]
    desk.now += 2 * DAY
    await desk.correct()
    assert await desk.waiting() == [], "expired"
    await desk.correct()
    await desk.correct()
    assert await desk.waiting() == [TEXT]


@in_loop
async def test_what_was_proposed_and_forgotten_is_in_no_document(
    local_memory_backend: MemoryBackend,
) -> None:
    """P45: also if the person has made the change again after the entry was written."""
    desk = Desk(local_memory_backend.open())
    for _ in range(3):
        await desk.correct()
    assert b"lineplot" not in await desk.stored(), "it is in the proposal only"
    [proposal] = await desk.memory.pending()
    await desk.memory.confirm(proposal.id, text="Plots: seaborn.lineplot()")
    cells = [await desk.correct(), await desk.correct()]
    assert b"lineplot" in await desk.stored()
    await forget(desk.memory, await desk.memory.list_entries(), [])
    for cell in cells:
        await desk.edit(cell, event("edit", source=f"{SEABORN}\n"))
    for text in (b"lineplot", b"seaborn", b".plot", *(f'"{c}"'.encode() for c in cells)):
        assert text not in local_memory_backend.content()
    desk.now += 31 * DAY
    await desk.memory.sweep()
    assert await desk.stored() == b""


@in_loop
async def test_a_sweep_removes_what_is_older_than_30_days() -> None:
    """Also if the edited cell has no turns, and if nothing is edited any more."""
    desk = Desk(InMemoryMemoryStore())
    await desk.correct()
    await desk.edit("guest", event("edit", source=SEABORN), is_owner=False)
    assert b"lineplot" in await desk.stored() and b"guest" in await desk.stored()
    await desk.memory.sweep()
    assert b"lineplot" in await desk.stored()
    desk.now += 31 * DAY
    await desk.memory.sweep()
    assert await desk.stored() == b""


@in_loop
async def test_turns_of_deleted_histories_do_not_count() -> None:
    desk = Desk(InMemoryMemoryStore())
    cells = [await desk.correct(), await desk.correct()]
    for cell in cells:
        await desk.sessions.delete(SessionKey("nb", cell, desk.owner))
    await desk.correct()
    await desk.correct()
    assert await desk.waiting() == []
    stored = await desk.stored()
    assert all(f'"{cell}"'.encode() not in stored for cell in cells)
    await desk.correct()
    [proposal] = await desk.memory.pending()
    assert proposal.answer_count == 3


@in_loop
async def test_a_proposal_that_cannot_be_stored_is_stored_later() -> None:
    store = FailingStore()
    desk = Desk(store)
    store.unreachable = ("proposals",)
    for _ in range(3):
        await desk.correct()
    store.unreachable = ()
    assert await desk.waiting() == []
    other = await desk.correct(event("edit", source=PLOT))
    [proposal] = await desk.memory.pending()
    assert (proposal.text, proposal.answer_count) == (TEXT, 3)
    await desk.memory.reject(proposal.id)
    for number in range(MAX_PROPOSALS):
        await desk.memory.propose(f"Text {number}", "person", "request")
    for _ in range(3):
        await desk.correct()
    assert TEXT not in await desk.waiting(), "too many others wait"
    desk.now += 2 * DAY
    await desk.edit(other, event("edit", source=f"{PLOT}\n"))
    assert await desk.waiting() == [TEXT]


@in_loop
async def test_repeated_edits_and_reverted_edits_do_not_count() -> None:
    desk = Desk(InMemoryMemoryStore())
    cell = await desk.correct()
    for source in (f"{SEABORN}  # 1", f"{SEABORN}  # 2", SEABORN):
        await desk.edit(cell, event("edit", source=source))
    other = await desk.correct()
    await desk.edit(other, event("edit", source=PLOT))
    await desk.correct()
    assert await desk.waiting() == []
    await desk.edit(other, event("edit", source=SEABORN))
    assert await desk.waiting() == [TEXT]


@in_loop
async def test_edits_by_others_count_nothing() -> None:
    """Neither of programs, nor of other people in the same notebook."""
    desk = Desk(InMemoryMemoryStore())
    by_program = {"kind": "program", "name": "black"}
    for _ in range(4):
        await desk.correct(event("edit", source=SEABORN, contributor=by_program))
    guest_cell = await desk.correct(event("edit", source=PLOT))
    await desk.edit(guest_cell, event("edit", source=SEABORN), is_owner=False)
    await desk.edit(guest_cell, event("edit", source=f"{SEABORN}\n"))
    await desk.correct()
    await desk.correct()
    assert await desk.waiting() == []
    await desk.correct()
    assert await desk.waiting() == [TEXT]


@in_loop
async def test_edits_by_others_are_stored_after_a_failure_and_when_the_server_stops() -> None:
    """P4: otherwise, they would count after the owner's next edit."""
    store = FailingStore()
    desk = Desk(store)
    cells = [await desk.correct(event("edit", source=PLOT)) for _ in range(3)]
    store.unreachable = ("corrections",)
    for cell in cells[:2]:
        await desk.edit(cell, event("edit", source=SEABORN), is_owner=False)
    await desk.edit(cells[0], event("edit", source=f"{SEABORN}\n"))
    store.unreachable = ()
    await desk.edit(cells[1], event("edit", source=f"{SEABORN}\n"))
    assert await desk.stored(), "with the next edit in any cell"
    desk.watcher.pause = 3600.0
    key, edit = SessionKey("nb", cells[2], desk.owner), event("edit", source=SEABORN)
    await desk.sessions.record_events(key, [edit])
    desk.watcher.note([(key, [edit])], is_owner=False)
    await desk.watcher.close()
    restarted = Desk(store)
    restarted.sessions = desk.sessions
    restarted.watcher = CorrectionWatcher(desk.sessions, restarted.memory)
    restarted.watcher.pause = 0.0
    for cell in cells:
        await restarted.edit(cell, event("edit", source=f"{SEABORN}\n\n"))
    assert await restarted.waiting() == []
    assert set(counts.parse(await desk.stored()).foreign) == {("nb", cell) for cell in cells}


@in_loop
async def test_an_edit_by_somebody_else_while_a_cell_is_read_counts(monkeypatch) -> None:
    desk = Desk(InMemoryMemoryStore())
    await desk.correct()
    await desk.correct()
    load = desk.sessions.load_if_exists

    async def load_during_an_edit(key: SessionKey) -> Session | None:
        desk.watcher.note([(key, [event("edit", source=SEABORN)])], is_owner=False)
        return await load(key)

    monkeypatch.setattr(desk.sessions, "load_if_exists", load_during_an_edit)
    await desk.correct()
    assert await desk.waiting() == []


@in_loop
async def test_edits_by_others_are_noted_while_many_cells_wait() -> None:
    desk = Desk(InMemoryMemoryStore())
    edit = event("edit", source=SEABORN)
    waiting = [(SessionKey("nb", f"w{number}", desk.owner), [edit]) for number in range(600)]
    desk.watcher.note(waiting, is_owner=True)
    desk.watcher.note([(SessionKey("nb", "guest", desk.owner), [edit])], is_owner=False)
    await desk.watcher.close()
    assert list(counts.parse(await desk.stored()).foreign) == [("nb", "guest")]


@in_loop
async def test_requests_of_a_colleague_do_not_count_without_a_hub() -> None:
    desk = Desk(InMemoryMemoryStore())
    for _ in range(4):
        await desk.correct(user="colleague")
    assert await desk.waiting() == []


@in_loop
async def test_owners_have_separate_counts() -> None:
    """P9"""
    store = InMemoryMemoryStore()
    ada, bob = Desk(store, "ada"), Desk(store, "bob")
    await ada.correct()
    await ada.correct()
    await bob.correct()
    await bob.correct()
    assert await ada.waiting() == await bob.waiting() == []
    await bob.correct()
    assert (await ada.waiting(), await bob.waiting()) == ([], [TEXT])


@in_loop
async def test_nothing_is_counted_if_it_is_turned_off(tmp_path: Path) -> None:
    desk = Desk(FileMemoryStore(tmp_path / "person"), is_enabled=False)
    for _ in range(4):
        await desk.correct()
    assert await desk.waiting() == []
    assert not (tmp_path / "person").exists()


@in_loop
async def test_an_entry_that_mentions_it_prevents_a_proposal() -> None:
    desk = Desk(InMemoryMemoryStore())
    await desk.memory.add("person", "Plots are drawn with seaborn.")
    for _ in range(4):
        await desk.correct()
    assert await desk.waiting() == []


@in_loop
async def test_the_text_is_in_the_language_of_the_interface(monkeypatch) -> None:
    monkeypatch.setattr(i18n, "_locale", "zh_TW")
    desk = Desk(InMemoryMemoryStore())
    for _ in range(3):
        await desk.correct()
    assert await desk.waiting() == ["用 seaborn.lineplot()，不用 .plot()。"]


@in_loop
async def test_a_failure_is_logged_without_contents(
    monkeypatch, caplog: pytest.LogCaptureFixture
) -> None:
    """P25: the next edit starts another try."""
    caplog.set_level(logging.INFO)
    desk = Desk(InMemoryMemoryStore())
    for error in (StorageUnreachable(), ValueError(SEABORN)):

        def fail(data: bytes | None, error: Exception = error) -> counts.Counts:
            raise error

        with monkeypatch.context() as patch:
            patch.setattr(counts, "parse", fail)
            await desk.correct()
        assert "weren't counted" in caplog.text
    assert "seaborn" not in caplog.text and "secret" not in caplog.text
    await desk.edit("c1", event("edit", source=f"{SEABORN}\n"))
    await desk.edit("c2", event("edit", source=f"{SEABORN}\n"))
    await desk.correct()
    assert await desk.waiting() == [TEXT]


@in_loop
async def test_closing_stops_a_pause() -> None:
    desk = Desk(InMemoryMemoryStore())
    desk.watcher.pause = 3600.0
    edit = event("edit", source=SEABORN)
    desk.watcher.note([(SessionKey("nb", "c1"), [edit])], is_owner=True)
    await desk.watcher.close()
    desk.watcher.note([(SessionKey("nb", "c1"), [edit])], is_owner=True)
    assert desk.watcher._task is None
